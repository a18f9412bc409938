// PairCache: consecutive frames of boxes that move slowly and fast, with margins of several sizes and without
// a cache.
#include "bench/broadphase/world_frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/pair_cache.hpp>

namespace broadside::bench {
namespace {

// Mean motion of the boxes of these scenes in a frame: a 40th of an edge of 1 in `uniform_moving` on each
// axis, a tenth of that in `slow` scenes, a thousandth in `pile_moving`, whose boxes jitter in place.
constexpr WorldScene kScenes[] = {
    {"uniform_moving", scenes::Layout::uniform, scenes::Motion::all},
    {"uniform_slow", scenes::Layout::uniform, scenes::Motion::all, 10},
    {"city_slow", scenes::Layout::city, scenes::Motion::all, 10},
    {"pile_moving", scenes::Layout::pile, scenes::Motion::all},
};

struct Run {
    WorldScene scene;
    std::size_t count;
    // In hundredths of the mean edge, which is 1 in these scenes; none means no cache.
    int margin_percent;
    bool on_two_threads;

    std::string name(Isa isa) const {
        std::string algorithm = margin_percent == 0
                                    ? std::string("pair_cache_none")
                                    : "pair_cache_margin_" + std::to_string(margin_percent) + "_percent";
        if (on_two_threads) algorithm += "_two_threads";
        return benchmark_name("broadphase/" + algorithm, scene.name, count, isa);
    }
};

// Frames continue from call to call, as a cache needs; only the call is timed.
class Subject {
public:
    Subject(const Run& run, const TaskRunner* runner)
        : cache_(0.01f * static_cast<float>(run.margin_percent)), has_cache_(run.margin_percent != 0) {
        settings_.runner = runner;
    }
    double step(const WorldFrame& frame) {
        const BoxSoa boxes = soa_of(frame.boxes);
        const double seconds = seconds_of([&] {
            result_ = has_cache_ ? cache_.find_pairs(boxes, settings_, scratch_, pairs_)
                                 : find_pairs(boxes, settings_, scratch_, pairs_);
        });
        if (result_.status != Status::ok) std::abort();
        return seconds;
    }
    const FindPairsResult& result() const { return result_; }
    const PairBuffer& pairs() const { return pairs_; }
    std::size_t capacity_bytes() const { return cache_.capacity_bytes() + scratch_.capacity_bytes(); }

private:
    PairCache cache_;
    bool has_cache_;
    FindPairsSettings settings_;
    BoxScratch scratch_;
    PairBuffer pairs_;
    FindPairsResult result_;
};

void measure(benchmark::State& state, const Run& run, Isa isa) {
    static ThreadPair threads;
    WorldFrames& frames = world_frames(run.scene, run.count);
    Subject subject(run, run.on_two_threads ? threads.runner() : nullptr);
    for (int k = 0; k < kWarmUpFrameCount; ++k) {
        const WorldFrame& frame = frames.next();
        use_isa(isa);
        subject.step(frame);
        use_isa(Isa::scalar);
        const std::vector<IndexPair> expected = expected_pairs(frames, frame.boxes);
        const PairBuffer& pairs = subject.pairs();
        require_same(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()), run.name(isa));
    }
    use_isa(isa);
    double reused_count = 0;
    double escaped_count = 0;
    double tested_count = 0;
    for (auto _ : state) {
        state.SetIterationTime(subject.step(frames.next()));
        const FindPairsPlan& plan = subject.result().plan;
        reused_count += plan.cache_use == CacheUse::reused ? 1 : 0;
        escaped_count += static_cast<double>(plan.escaped_count);
        tested_count += static_cast<double>(plan.tested_count);
    }
    count_items(state, "box", run.count);
    const auto mean = [](double sum) { return benchmark::Counter(sum, benchmark::Counter::kAvgIterations); };
    state.counters["reused"] = mean(reused_count);
    state.counters["escaped"] = mean(escaped_count);
    state.counters["tested"] = mean(tested_count);
    state.counters["pairs"] = static_cast<double>(subject.pairs().size());
    state.counters["bytes"] = static_cast<double>(subject.capacity_bytes());
}

void register_run(const Run& run) {
    for (const Isa isa : supported_isas()) {
        benchmark::RegisterBenchmark(run.name(isa).c_str(),
                                     [=](benchmark::State& state) { measure(state, run, isa); })
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime();
    }
}

void register_rows() {
    for (const WorldScene& scene : kScenes) {
        for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
            for (const int margin_percent : {0, 2, 5, 10, 20}) {
                register_run({scene, count, margin_percent, false});
            }
            register_run({scene, count, 10, true});
        }
    }
}

const Suite suite("pair_cache", &register_rows,
                  {"broadphase/pair_cache_(none|margin_(5|10)_percent)/uniform_slow/(10000|100000)/widest"});

}  // namespace
}  // namespace broadside::bench
