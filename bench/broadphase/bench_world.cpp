// World: boxes of the objects that moved in, begun and ended pairs known, in consecutive frames of scenes in
// motion.
#include "bench/broadphase/world_frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/world.hpp>

#include <memory>

namespace broadside::bench {
namespace {

struct Run {
    std::string algorithm;
    WorldScene scene;
    std::size_t count;
    bool on_two_threads;
    bool is_idle;
};

// A world and the handles of its objects, by index of the scene.
struct Subject {
    World world;
    std::vector<ObjectHandle> handles;
    std::vector<ObjectHandle> moved_handles;

    explicit Subject(const WorldFrames& frames) : handles(frames.count()) {
        for (std::size_t i = 0; i < handles.size(); ++i) {
            ObjectDescription description;
            description.box = frames.first_boxes()[i];
            description.kind = frames.is_fixed(i) ? ObjectKind::fixed : ObjectKind::moving;
            handles[i] = world.add(description);
            // The pairs of the world are then those of find_pairs.
            if (handles[i].slot() != i) std::abort();
        }
    }
    // An engine keeps the handles beside its objects, so collecting them is no part of the frame.
    void name_moved(const WorldFrame& frame) {
        moved_handles.clear();
        for (const std::uint32_t index : frame.moved) moved_handles.push_back(handles[index]);
    }
    UpdateResult step(const WorldFrame& frame, const TaskRunner* runner) {
        if (world.set_boxes(moved_handles, frame.moved_boxes).status != Status::ok) std::abort();
        const UpdateResult result = world.update(runner);
        if (result.status != Status::ok) std::abort();
        return result;
    }
};

bool is_expected(World& world, const std::vector<IndexPair>& expected) {
    const std::span<const WorldPair> pairs = world.pairs();
    return std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end(),
                      [](const WorldPair& pair, const IndexPair& index) {
                          return pair.a.slot() == index.first && pair.b.slot() == index.second;
                      });
}

// Sums over the timed frames, shown as means.
struct Sums {
    double begun = 0;
    double ended = 0;
    double find = 0;
    double rest = 0;
    double compare = 0;

    void add(const UpdateResult& result) {
        begun += static_cast<double>(result.begun_count);
        ended += static_cast<double>(result.ended_count);
        find += static_cast<double>(result.find_nanoseconds) * 1e-3;
        rest += static_cast<double>(result.rest_nanoseconds) * 1e-3;
        compare += static_cast<double>(result.compare_nanoseconds) * 1e-3;
    }
    void report(benchmark::State& state) const {
        const auto mean = [](double sum) {
            return benchmark::Counter(sum, benchmark::Counter::kAvgIterations);
        };
        state.counters["begun"] = mean(begun);
        state.counters["ended"] = mean(ended);
        state.counters["find_us"] = mean(find);
        state.counters["rest_us"] = mean(rest);
        state.counters["compare_us"] = mean(compare);
    }
};

void measure(benchmark::State& state, const Run& run, const std::string& name, Isa isa,
             const TaskRunner* runner) {
    WorldFrames& state_frames = world_frames(run.scene, run.count);
    use_isa(isa);
    Subject subject(state_frames);
    UpdateResult result = subject.world.update(runner);
    for (int k = 0; k < kWarmUpFrameCount; ++k) {
        const WorldFrame& frame = state_frames.next();
        subject.name_moved(frame);
        result = subject.step(frame, runner);
        use_isa(Isa::scalar);
        require_same(is_expected(subject.world, expected_pairs(state_frames, frame.boxes)), name);
        use_isa(isa);
    }
    const WorldFrame no_news;
    Sums sums;
    for (auto _ : state) {
        const WorldFrame& frame = run.is_idle ? no_news : state_frames.next();
        subject.name_moved(frame);
        state.SetIterationTime(seconds_of([&] { result = subject.step(frame, runner); }));
        sums.add(result);
    }
    count_items(state, "box", run.count);
    sums.report(state);
    state.counters["pairs"] = static_cast<double>(result.pair_count);
    state.counters["bytes"] = static_cast<double>(subject.world.capacity_bytes());
}

void register_run(const Run& run) {
    for (const Isa isa : supported_isas()) {
        const std::string name =
            benchmark_name("broadphase/" + run.algorithm, run.scene.name, run.count, isa);
        const auto body = [=](benchmark::State& state) {
            static ThreadPair threads;
            measure(state, run, name, isa, run.on_two_threads ? threads.runner() : nullptr);
        };
        benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond)->UseManualTime();
    }
}

void register_rows() {
    for (const WorldScene& scene : kWorldScenes) {
        for (const std::size_t count : kWorldCounts) {
            register_run({"world", scene, count, false, false});
            register_run({"world_idle", scene, count, false, true});
            if (count >= 100000) register_run({"world_two_threads", scene, count, true, false});
        }
    }
}

const Suite suite("world", &register_rows,
                  {"broadphase/world/(uniform_moving|static90)/(1000|10000|100000)/widest",
                   "broadphase/world/(uniform_moving|static90)/10000/.*",
                   "broadphase/world_idle/static90/10000/widest",
                   "broadphase/world_two_threads/uniform_moving/100000/widest"});

}  // namespace

}  // namespace broadside::bench
