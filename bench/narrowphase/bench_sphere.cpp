// Spheres against every shape, at rest, moving and under rays, and closest points: every ISA against scalar.
#include "bench/sequence.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/closest_point.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Shapes of size about 1 in a cube of edge 10, and their queries from its middle.
struct Scene {
    std::vector<float> columns[7];
    BoxSoa boxes;
    TriangleSoa triangles;
    std::vector<Obb> obbs;
    std::vector<IndexPair> pairs;
    Sphere sphere = {{0, 0, 0}, 2.5f};
    Obb obb = {{0, 0, 0}, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {2, 1, 3}};
    Triangle triangle = {{-2, -1, 0}, {2, -1, 1}, {0, 3, -1}};
    Ray ray = {{-8, 0.1f, 0.2f}, {1, 0.05f, -0.02f}};

    SphereSoaView spheres() const {
        return {columns[0].data(), columns[1].data(), columns[2].data(), columns[3].data(),
                columns[0].size()};
    }
    Vec3SoaView points() const {
        return {columns[0].data(), columns[1].data(), columns[2].data(), columns[0].size()};
    }
    MovingSpheres moving() const {
        return {spheres(), {columns[4].data(), columns[5].data(), columns[6].data(), columns[0].size()}};
    }
    // Other shapes, at the first ones' displacements as positions and with their positions as displacements.
    MovingSpheres others() const {
        return {
            {columns[4].data(), columns[5].data(), columns[6].data(), columns[3].data(), columns[0].size()},
            {columns[0].data(), columns[1].data(), columns[2].data(), columns[0].size()}};
    }
};

std::shared_ptr<Scene> make_scene(std::size_t count) {
    auto scene = std::make_shared<Scene>();
    if (scene->boxes.resize(count) != Status::ok || scene->triangles.resize(count) != Status::ok)
        std::abort();
    Sequence sequence;
    Sequence others(2);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 center = sequence.vector(5);
        const Vec3 motion = sequence.vector(3);
        const std::size_t other = (i + others.below(64)) % count;
        scene->pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(other)});
        const float numbers[7] = {center.x, center.y, center.z, sequence.next(0.3f, 1),
                                  motion.x, motion.y, motion.z};
        for (int column = 0; column < 7; ++column) scene->columns[column].push_back(numbers[column]);
        const Vec3 half = {numbers[3], sequence.next(0.3f, 1), sequence.next(0.3f, 1)};
        scene->boxes.set(i, {center - half, center + half});
        scene->triangles.set(i, {center, center + sequence.vector(1), center + sequence.vector(1)});
        scene->obbs.push_back({center, {0.6f, 0, 0.8f}, {0, 1, 0}, {-0.8f, 0, 0.6f}, half});
    }
    return scene;
}

// Any output of a batch.
struct Results {
    std::vector<float> floats;
    std::vector<std::uint64_t> bits;
};
using Call = std::function<void(const Scene&, Results&)>;

void register_on_every_isa(const std::string& algorithm, const std::shared_ptr<Scene>& scene,
                           std::size_t count, const Call& call) {
    const auto run = [=](Isa isa, Results& out) {
        use_isa(isa);
        out.floats.assign(4 * count, -1.0f);
        out.bits.assign(bit_word_count(count), 0);
        call(*scene, out);
    };
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("narrowphase/" + algorithm, "cube", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            Results expected;
            Results out;
            run(Isa::scalar, expected);
            run(isa, out);
            require_same(out.bits == expected.bits &&
                             std::memcmp(out.floats.data(), expected.floats.data(), 16 * count) == 0,
                         name);
            for (auto _ : state) {
                call(*scene, out);
                benchmark::DoNotOptimize(out.floats.data());
                benchmark::DoNotOptimize(out.bits.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "item", count);
        });
    }
}

ClosestPointOutputs closest_outputs(Results& out) {
    const std::size_t count = out.floats.size() / 4;
    const std::span<float> all = out.floats;
    return {all.subspan(0, count), all.subspan(count, count), all.subspan(2 * count, count),
            all.subspan(3 * count, count)};
}

void register_rows() {
    const std::pair<const char*, Call> calls[] = {
        {"overlap_spheres",
         [](const Scene& s, Results& out) { (void)overlaps(s.sphere, s.spheres(), out.bits); }},
        {"overlap_sphere_boxes",
         [](const Scene& s, Results& out) { (void)overlaps(s.sphere, s.boxes, out.bits); }},
        {"overlap_sphere_obbs",
         [](const Scene& s, Results& out) { (void)overlaps(s.sphere, s.obbs, out.bits); }},
        {"overlap_sphere_triangles",
         [](const Scene& s, Results& out) { (void)overlaps(s.sphere, s.triangles, out.bits); }},
        {"overlap_obb_spheres",
         [](const Scene& s, Results& out) { (void)overlaps(s.obb, s.spheres(), out.bits); }},
        {"overlap_box_spheres",
         [](const Scene& s, Results& out) { (void)overlaps(s.boxes[0], s.spheres(), out.bits); }},
        {"overlap_triangle_spheres",
         [](const Scene& s, Results& out) { (void)overlaps(s.triangle, s.spheres(), out.bits); }},
        {"times_of_impact_of_sphere_pairs",
         [](const Scene& s, Results& out) {
             (void)times_of_impact(s.moving(), s.others(), s.pairs, out.floats);
         }},
        {"closest_points_of_box",
         [](const Scene& s, Results& out) {
             (void)closest_points(s.boxes[0], s.points(), closest_outputs(out));
         }},
        {"closest_points_of_obb",
         [](const Scene& s, Results& out) { (void)closest_points(s.obb, s.points(), closest_outputs(out)); }},
        {"times_of_impact_of_one_sphere",
         [](const Scene& s, Results& out) {
             (void)times_of_impact(s.sphere, {1, 2, 3}, s.moving(), out.floats);
         }},
        {"times_of_impact_of_spheres",
         [](const Scene& s, Results& out) { (void)times_of_impact(s.moving(), s.others(), out.floats); }},
        {"ray_spheres",
         [](const Scene& s, Results& out) {
             (void)ray_spheres(s.ray, s.spheres(), {}, {.t_enter = out.floats});
         }},
        {"closest_spheres",
         [](const Scene& s, Results& out) {
             TreeHit closest;
             (void)closest_hits({&s.ray, 1}, s.spheres(), {}, {&closest, 1});
             out.floats[0] = closest.t;
         }},
        {"closest_points_on_boxes",
         [](const Scene& s, Results& out) {
             (void)closest_points(s.boxes, s.sphere.center, closest_outputs(out));
         }},
        {"closest_points_on_obbs",
         [](const Scene& s, Results& out) {
             (void)closest_points(s.obbs, s.sphere.center, closest_outputs(out));
         }},
        {"closest_points_on_triangles",
         [](const Scene& s, Results& out) {
             (void)closest_points(s.triangles, s.sphere.center, closest_outputs(out));
         }},
        {"closest_points_of_triangle",
         [](const Scene& s, Results& out) {
             (void)closest_points(s.triangle, s.points(), closest_outputs(out));
         }},
    };
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const std::shared_ptr<Scene> scene = make_scene(count);
        for (const auto& [algorithm, call] : calls) register_on_every_isa(algorithm, scene, count, call);
    }
}

const Suite suite(
    "sphere", &register_rows,
    {"narrowphase/(overlap_spheres|overlap_sphere_boxes|ray_spheres|closest_points_on_obbs)/cube/1024/widest",
     "narrowphase/times_of_impact_of_spheres/cube/1024/.*"});

}  // namespace

}  // namespace broadside::bench
