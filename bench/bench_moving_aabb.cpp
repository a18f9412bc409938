// Moving-box time of impact: contiguous streams, and pairs by index as a broadphase hands them out.
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/moving_aabb.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// A linear congruential sequence (Numerical Recipes' constants): uniform in [0, 1).
class Sequence {
public:
    float next() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<float>(state_ >> 8) * 0x1p-24f;
    }
    float next(float min, float max) { return min + (max - min) * next(); }

private:
    std::uint32_t state_ = 1;
};

// Movers of edge 0.3 to 1 with displacements up to 1.2, every fifth without motion on one axis, and resting
// boxes near their way: about one pair in five is an impact.
struct Scene {
    BoxSoa resting;
    BoxSoa movers;
    std::vector<float> displacement[3];
    std::vector<IndexPair> pairs;

    MovingBoxes moving() const {
        return {movers,
                {displacement[0].data(), displacement[1].data(), displacement[2].data(), movers.count()}};
    }
};

Scene make_scene(std::size_t box_count, std::size_t pair_count) {
    Scene scene;
    if (scene.resting.resize(box_count) != Status::ok || scene.movers.resize(box_count) != Status::ok)
        std::abort();
    for (std::vector<float>& axis : scene.displacement) axis.resize(box_count);
    Sequence sequence;
    const auto vector = [&](float min, float max) {
        const float x = sequence.next(min, max);
        const float y = sequence.next(min, max);
        return Vec3{x, y, sequence.next(min, max)};
    };
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 mover_min = vector(-100, 100);
        const Vec3 resting_min = mover_min + vector(-1.2f, 1.2f);
        scene.movers.set(i, {mover_min, mover_min + vector(0.3f, 1)});
        scene.resting.set(i, {resting_min, resting_min + vector(0.3f, 1)});
        for (std::vector<float>& axis : scene.displacement) axis[i] = sequence.next(-1.2f, 1.2f);
        if (i % 5 == 0) scene.displacement[i / 5 % 3][i] = 0;
    }
    // Sorted by mover, as a broadphase would; the other box lies a few places away in memory.
    for (std::size_t i = 0; i < pair_count; ++i) {
        const std::size_t mover = i * box_count / pair_count;
        const std::size_t away = static_cast<std::size_t>(sequence.next(0, 64));
        scene.pairs.push_back(
            {static_cast<std::uint32_t>((mover + away) % box_count), static_cast<std::uint32_t>(mover)});
    }
    return scene;
}

// Runs `call(scene, out_toi, out_faces)` on every ISA, with faces or without.
template <class Call>
void register_on_every_isa(const std::string& algorithm, const std::shared_ptr<Scene>& scene,
                           std::size_t count, bool has_faces, Call call) {
    const auto run = [=](Isa isa, std::vector<float>& out_toi, std::vector<Face>& out_faces) {
        use_isa(isa);
        out_toi.assign(count, -1.0f);
        out_faces.assign(has_faces ? count : 0, Face::none);
        call(*scene, out_toi, out_faces);
    };
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(algorithm, has_faces ? "toi_and_face" : "toi", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            std::vector<float> expected_toi;
            std::vector<float> out_toi;
            std::vector<Face> expected_faces;
            std::vector<Face> out_faces;
            run(Isa::scalar, expected_toi, expected_faces);
            run(isa, out_toi, out_faces);
            require_same(out_faces == expected_faces &&
                             std::memcmp(out_toi.data(), expected_toi.data(), count * sizeof(float)) == 0,
                         name);
            for (auto _ : state) {
                call(*scene, out_toi, out_faces);
                benchmark::DoNotOptimize(out_toi.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "pair", count);
        });
    }
}

}  // namespace

void register_moving_aabb_benchmarks() {
    const auto streams = [](const Scene& scene, std::vector<float>& out_toi, std::vector<Face>& out_faces) {
        times_of_impact({scene.resting, {}}, scene.moving(), Touch::closed, out_toi, out_faces);
    };
    const auto pairs = [](const Scene& scene, std::vector<float>& out_toi, std::vector<Face>& out_faces) {
        times_of_impact_of_pairs({scene.resting, {}}, scene.moving(), scene.pairs, Touch::closed, out_toi,
                                 out_faces);
    };
    for (const std::size_t count : {std::size_t{256}, std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(make_scene(count, 0));
        for (const bool has_faces : {false, true}) {
            register_on_every_isa("narrowphase/times_of_impact", scene, count, has_faces, streams);
        }
    }
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(make_scene(count / 8, count));
        for (const bool has_faces : {false, true}) {
            register_on_every_isa("narrowphase/times_of_impact_of_pairs", scene, count, has_faces, pairs);
        }
    }
}

}  // namespace broadside::bench
