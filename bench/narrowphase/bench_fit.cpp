// Bounds in batches, and fitted boxes and spheres: every ISA against scalar.
#include "bench/sequence.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/bounds.hpp>
#include <broadside/fit.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Turned bodies with local boxes and spheres; the centers are also the points for fitting.
struct Scene {
    std::vector<float> columns[4];
    std::vector<Obb> obbs;
    std::vector<Transform> transforms;
    BoxSoa boxes;

    SphereSoaView spheres() const {
        return {columns[0].data(), columns[1].data(), columns[2].data(), columns[3].data(),
                columns[0].size()};
    }
    Vec3SoaView points() const {
        return {columns[0].data(), columns[1].data(), columns[2].data(), columns[0].size()};
    }
};

std::shared_ptr<Scene> make_scene(std::size_t count) {
    auto scene = std::make_shared<Scene>();
    if (scene->boxes.resize(count) != Status::ok) std::abort();
    Sequence sequence;
    for (std::size_t i = 0; i < count; ++i) {
        // A flat, long, slanted cloud.
        const Vec3 unit = sequence.vector(1);
        const Vec3 p = {unit.x * 8, unit.y * 3, unit.z};
        const Vec3 center = {0.6f * p.x - 0.8f * p.y, 0.8f * p.x + 0.6f * p.y, p.z};
        const float numbers[4] = {center.x, center.y, center.z, 1.5f + sequence.next(-1, 1)};
        for (int column = 0; column < 4; ++column) scene->columns[column].push_back(numbers[column]);
        const Vec3 half = {numbers[3], 1, 0.5f};
        scene->obbs.push_back({center, {0.6f, 0, 0.8f}, {0, 1, 0}, {-0.8f, 0, 0.6f}, half});
        scene->transforms.push_back({{0.6f, 0, -0.8f}, {0, 1, 0}, {0.8f, 0, 0.6f}, center});
        scene->boxes.set(i, {-half, half});
    }
    return scene;
}

using Call = std::function<void(const Scene&, BoxSoaSpan)>;

void register_bounds(const std::string& algorithm, const std::shared_ptr<Scene>& scene, std::size_t count,
                     const Call& call) {
    const auto run = [=](Isa isa, BoxSoa& out) {
        use_isa(isa);
        if (out.resize(count) != Status::ok) std::abort();
        call(*scene, out);
    };
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("narrowphase/" + algorithm, "bodies", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            BoxSoa expected;
            BoxSoa out;
            run(Isa::scalar, expected);
            run(isa, out);
            require_same(std::memcmp(out.min_x(), expected.min_x(), sizeof(float) * count) == 0 &&
                             std::memcmp(out.max_z(), expected.max_z(), sizeof(float) * count) == 0,
                         name);
            for (auto _ : state) {
                call(*scene, out);
                benchmark::DoNotOptimize(out.min_x());
                benchmark::ClobberMemory();
            }
            count_items(state, "box", count);
        });
    }
}

template <class Fit>
void register_fit(const std::string& algorithm, const std::shared_ptr<Scene>& scene, std::size_t count,
                  Fit fit) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("narrowphase/" + algorithm, "askew", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            use_isa(Isa::scalar);
            const auto expected = fit(scene->points());
            use_isa(isa);
            const auto found = fit(scene->points());
            require_same(std::memcmp(&expected, &found, sizeof found) == 0, name);
            for (auto _ : state) {
                auto result = fit(scene->points());
                benchmark::DoNotOptimize(result);
            }
            count_items(state, "point", count);
        });
    }
}

void register_rows() {
    const std::pair<const char*, Call> calls[] = {
        {"sphere_bounds",
         [](const Scene& s, BoxSoaSpan out) { (void)bounds(s.spheres(), Rounding::nearest, out); }},
        {"sphere_bounds_outward",
         [](const Scene& s, BoxSoaSpan out) { (void)bounds(s.spheres(), Rounding::outward, out); }},
        {"obb_bounds", [](const Scene& s, BoxSoaSpan out) { (void)bounds(s.obbs, Rounding::nearest, out); }},
        {"obb_bounds_outward",
         [](const Scene& s, BoxSoaSpan out) { (void)bounds(s.obbs, Rounding::outward, out); }},
        {"transformed_boxes",
         [](const Scene& s, BoxSoaSpan out) {
             (void)transformed_bounds(s.transforms[0], s.boxes, Rounding::nearest, out);
         }},
        {"transformed_boxes_outward",
         [](const Scene& s, BoxSoaSpan out) {
             (void)transformed_bounds(s.transforms[0], s.boxes, Rounding::outward, out);
         }},
        {"transformed_boxes_each",
         [](const Scene& s, BoxSoaSpan out) {
             (void)transformed_bounds(s.transforms, s.boxes, Rounding::nearest, out);
         }},
    };
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const std::shared_ptr<Scene> scene = make_scene(count);
        for (const auto& [algorithm, call] : calls) register_bounds(algorithm, scene, count, call);
    }
    for (const std::size_t count : {std::size_t{50}, std::size_t{100000}}) {
        const std::shared_ptr<Scene> scene = make_scene(count);
        register_fit("fit_obb", scene, count,
                     [](const Vec3SoaView& points) { return fit_obb(points).shape; });
        register_fit("fit_sphere", scene, count,
                     [](const Vec3SoaView& points) { return fit_sphere(points).shape; });
    }
}

const Suite suite("fit", &register_rows,
                  {"narrowphase/(obb_bounds|transformed_boxes)/bodies/1024/widest",
                   "narrowphase/fit_(obb|sphere)/askew/100000/widest"});

}  // namespace

}  // namespace broadside::bench
