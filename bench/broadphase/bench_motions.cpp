// The first state of an arm's motion that collides: one call beside single queries. 32 states of 59 spheres.
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "examples/arm_motion/scene.hpp"

namespace broadside::bench {
namespace {

using namespace arm_motion;

struct Motion {
    explicit Motion(Collides collides) : scene(make_scene(collides, 5)), tree(tree_of(scene)) {
        place_motion(scene.from, scene.to, kStateCount, spheres);
    }
    std::size_t by_one_call() const {
        std::uint32_t first = 0;
        if (tree.first_overlaps(spheres, kSphereCount, {}, {&first, 1}).status != Status::ok) std::abort();
        return first;
    }
    std::size_t one_by_one() const {
        std::size_t i = 0;
        while (i < spheres.size() && !tree.any_overlap(spheres[i])) ++i;
        return i;
    }

    Scene scene;
    BoxTree tree;
    std::vector<Sphere> spheres;
};

void register_row(const char* way, const char* name, Collides collides,
                  std::size_t (Motion::*first)() const) {
    for (const Isa isa : supported_isas()) {
        const std::string row = benchmark_name(std::string("broadphase/motion_") + way,
                                               std::string("arm_") + name, kBoxCount, isa);
        benchmark::RegisterBenchmark(row.c_str(), [=](benchmark::State& state) {
            use_isa(Isa::scalar);
            const Motion motion(collides);
            const std::size_t expected = motion.one_by_one();
            use_isa(isa);
            require_same((motion.*first)() == expected, row);
            for (auto _ : state) benchmark::DoNotOptimize((motion.*first)());
            state.counters["state"] = static_cast<double>(expected / kSphereCount);
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_rows() {
    constexpr std::pair<const char*, Collides> kKinds[] = {
        {"free", Collides::never}, {"late", Collides::late}, {"early", Collides::early}};
    for (const auto& [name, collides] : kKinds) {
        register_row("first_overlap", name, collides, &Motion::by_one_call);
        register_row("one_by_one", name, collides, &Motion::one_by_one);
    }
}

const Suite suite("motions", &register_rows, {"broadphase/motion_.*/widest"});

}  // namespace
}  // namespace broadside::bench
