// RestingBoxes: a few movers among many resting boxes, against the same calls without it, and the cost of
// building.
#include "bench/frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/resting_boxes.hpp>

namespace broadside::bench {
namespace {

struct Run {
    std::string scene;
    std::size_t count;
    // One box in this many moves, all over the scene.
    std::size_t boxes_per_mover;
    bool has_resting;

    std::string name(Isa isa) const {
        const std::string percent = std::to_string(100 / boxes_per_mover) + "_percent";
        return benchmark_name("broadphase/resting_" + percent + (has_resting ? "" : "_plain"), scene, count,
                              isa);
    }
};

// The scene when it came to rest, and frames in which only the movers are elsewhere.
struct Scene {
    BoxSoa resting;
    std::vector<BoxSoa> frames;
    std::vector<std::uint64_t> mover_bits;
};

Scene make_scene(const std::string& name, std::size_t count, std::size_t boxes_per_mover) {
    const Frames moving = make_frames(name, count);
    Scene scene;
    scene.resting = soa_of(moving[0]);
    scene.mover_bits.resize(bit_word_count(count));
    for (std::size_t i = 0; i < count; i += boxes_per_mover) {
        scene.mover_bits[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    for (const std::vector<Aabb>& frame : moving) {
        BoxSoa& boxes = scene.frames.emplace_back(soa_of(moving[0]));
        for (std::size_t i = 0; i < count; i += boxes_per_mover) boxes.set(i, frame[i]);
    }
    return scene;
}

const Scene& scene_of(const Run& run) {
    static LastUsed<Scene> last;
    const std::string key =
        run.scene + "/" + std::to_string(run.count) + "/" + std::to_string(run.boxes_per_mover);
    return last.get(key, [&] { return make_scene(run.scene, run.count, run.boxes_per_mover); });
}

// The pairs of the movers, with RestingBoxes or without.
FindPairsResult find(const Scene& scene, const BoxSoa& boxes, const RestingBoxes* resting, PairOrder order,
                     BoxScratch& scratch, PairBuffer& out_pairs) {
    FindPairsSettings settings;
    settings.order = order;
    settings.filter.subset_bits = scene.mover_bits;
    return resting != nullptr ? resting->find_pairs(boxes, settings, scratch, out_pairs)
                              : find_pairs(boxes, settings, scratch, out_pairs);
}

// Canonical, because the two algorithms emit pairs in different orders.
std::vector<IndexPair> canonical_pairs(const Scene& scene, const BoxSoa& boxes, const RestingBoxes* resting) {
    BoxScratch scratch;
    PairBuffer pairs;
    if (find(scene, boxes, resting, PairOrder::canonical, scratch, pairs).status != Status::ok) std::abort();
    return {pairs.begin(), pairs.end()};
}

void measure(benchmark::State& state, const Run& run, Isa isa) {
    const Scene& scene = scene_of(run);
    use_isa(Isa::scalar);
    const std::vector<IndexPair> expected = canonical_pairs(scene, scene.frames.back(), nullptr);
    use_isa(isa);
    RestingBoxes built;
    if (built.build(scene.resting, scene.mover_bits) != Status::ok) std::abort();
    const RestingBoxes* const resting = run.has_resting ? &built : nullptr;
    require_same(canonical_pairs(scene, scene.frames.back(), resting) == expected, run.name(isa));

    BoxScratch scratch;
    PairBuffer pairs;
    std::size_t frame = 0;
    for (auto _ : state) {
        (void)find(scene, scene.frames[frame], resting, PairOrder::by_algorithm, scratch, pairs);
        frame = (frame + 1) % scene.frames.size();
        benchmark::DoNotOptimize(pairs.data());
    }
    count_items(state, "mover", (run.count + run.boxes_per_mover - 1) / run.boxes_per_mover);
    state.counters["pairs"] = static_cast<double>(expected.size());
    state.counters["bytes"] = static_cast<double>(scratch.capacity_bytes());
    if (run.has_resting) state.counters["resting_bytes"] = static_cast<double>(built.capacity_bytes());
}

void register_build(const std::string& scene, std::size_t count, bool on_two_threads) {
    const std::string algorithm =
        std::string("broadphase/resting_build") + (on_two_threads ? "_two_threads" : "");
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(algorithm, scene, count, isa);
        auto* const row = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            static ThreadPair threads;
            const SoaLists& lists = soa_lists(scene, count);
            use_isa(isa);
            RestingBoxes resting;
            for (auto _ : state) {
                const Status status =
                    resting.build(lists.boxes[0], {}, on_two_threads ? threads.runner() : nullptr);
                require_same(status == Status::ok, name);
            }
            count_items(state, "box", count);
            state.counters["bytes"] = static_cast<double>(resting.capacity_bytes());
        });
        row->Unit(benchmark::kMicrosecond);
        if (on_two_threads) row->UseRealTime();
    }
}

void register_rows() {
    for (const char* scene : {"uniform", "pile", "city"}) {
        for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
            for (const std::size_t boxes_per_mover : {std::size_t{100}, std::size_t{10}}) {
                for (const bool has_resting : {true, false}) {
                    for (const Isa isa : supported_isas()) {
                        const Run run = {scene, count, boxes_per_mover, has_resting};
                        benchmark::RegisterBenchmark(run.name(isa).c_str(), [=](benchmark::State& state) {
                            measure(state, run, isa);
                        })->Unit(benchmark::kMicrosecond);
                    }
                }
            }
            register_build(scene, count, false);
            register_build(scene, count, true);
        }
    }
}

const Suite suite("resting_boxes", &register_rows,
                  {"broadphase/resting_(1|10)_percent(_plain)?/uniform/(10000|100000)/widest",
                   "broadphase/resting_build/uniform/100000/widest"});

}  // namespace
}  // namespace broadside::bench
