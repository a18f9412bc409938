// Movers on a terrain of a million triangles: a thousand at once, walking, each step of another frame.
#include "bench/mesh_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/mover.hpp>

#include <memory>

namespace broadside::bench {
namespace {

constexpr std::size_t kMoverCount = 1000;
constexpr std::size_t kTriangleCount = 1'000'000;
constexpr int kSettleSteps = 60;

// The terrain, and movers that stand on it.
class Walkers {
public:
    Walkers() {
        const auto scene = make_mesh_scene("terrain", kTriangleCount);
        if (mesh_.build(scene.vertices, scene.indices).status != Status::ok) std::abort();
        settings_.up = {0, 1, 0};
        settings_.step_height = 0.4f;
        settings_.stick_distance = 0.3f;
    }

    std::vector<Mover> make(MoverForm form) const {
        Sequence sequence;
        std::vector<Mover> movers;
        const Aabb bounds = mesh_.bounds();
        for (std::size_t i = 0; i < kMoverCount; ++i) {
            const float x = sequence.next(bounds.min.x + 8, bounds.max.x - 8);
            const float z = sequence.next(bounds.min.z + 8, bounds.max.z - 8);
            const Vec3 way = {sequence.next(-0.08f, 0.08f), -0.1f, sequence.next(-0.08f, 0.08f)};
            const Ray down = {{x, bounds.max.y + 1, z}, {0, -1, 0}};
            const float ground = down.origin.y - mesh_.closest_hit(down).t;
            movers.push_back({{form, {0.35f, 0.9f, 0.35f}, 0.35f, 0.55f}, {x, ground + 1.3f, z}, way});
        }
        std::vector<MoverResult> results(kMoverCount);
        for (int i = 0; i < kSettleSteps; ++i) step(movers, results);
        return movers;
    }
    void step(std::vector<Mover>& state_movers, std::vector<MoverResult>& out_results) const {
        const TriangleMesh* const meshes[1] = {&mesh_};
        (void)step_movers(state_movers, {nullptr, meshes}, settings_, out_results);
        for (std::size_t i = 0; i < kMoverCount; ++i) state_movers[i].position = out_results[i].position;
    }

private:
    TriangleMesh mesh_;
    MoverSettings settings_;
};

void register_rows() {
    static const char* const kNames[3] = {"box", "sphere", "capsule"};
    for (const MoverForm form : {MoverForm::box, MoverForm::sphere, MoverForm::capsule}) {
        for (const Isa isa : supported_isas()) {
            const std::string name = benchmark_name(
                "stage/movers", std::string("terrain_") + kNames[static_cast<int>(form)], kMoverCount, isa);
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                static const auto walkers = std::make_unique<Walkers>();
                std::vector<MoverResult> expected(kMoverCount), results(kMoverCount);
                use_isa(Isa::scalar);
                std::vector<Mover> movers = walkers->make(form);
                const std::vector<Mover> start = movers;
                walkers->step(movers, expected);
                use_isa(isa);
                movers = start;
                walkers->step(movers, results);
                require_same(results == expected, name);
                for (auto _ : state) walkers->step(movers, results);
                count_items(state, "mover", kMoverCount);
            })->Unit(benchmark::kMicrosecond);
        }
    }
}

const Suite suite("movers", &register_rows, {"stage/movers/terrain_(box|sphere|capsule)/1000/.*"});

}  // namespace
}  // namespace broadside::bench
