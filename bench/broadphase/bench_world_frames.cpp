// World, frame by frame: median, 99th percentile and maximum of the microseconds, because games are judged by
// their worst and their quiet frames. Steady motion, few movers among many resting objects, and different
// calls to set boxes.
#include "bench/broadphase/world_frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/scenes/scene_random.hpp>
#include <broadside/world.hpp>

#include <functional>

namespace broadside::bench {
namespace {

constexpr int kFrameCount = 600;
// Frames before timing: a World takes some 34 updates to have candidates of all moving objects.
constexpr int kWarmFrameCount = 40;

// The timed changes of a frame, and the resulting boxes, by slot.
struct Life {
    World world;
    std::vector<ObjectHandle> handles;
    std::vector<Aabb> boxes;
    std::vector<bool> is_fixed;
};

void start(Life& out_life, const std::vector<Aabb>& boxes, const std::function<bool(std::size_t)>& is_fixed,
           float margin = 0) {
    out_life.boxes = boxes;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        ObjectDescription description;
        description.box = boxes[i];
        description.margin = margin;
        description.kind = is_fixed(i) ? ObjectKind::fixed : ObjectKind::moving;
        out_life.handles.push_back(out_life.world.add(description));
        out_life.is_fixed.push_back(is_fixed(i));
    }
    if (out_life.world.update().status != Status::ok) std::abort();
}

// Pairs of find_pairs, for boxes without margins.
void check(Life& life, const std::string& name) {
    PairBuffer found;
    if (find_pairs(soa_of(life.boxes), found).status != Status::ok) std::abort();
    std::size_t count = 0;
    for (const IndexPair& pair : found)
        count += life.is_fixed[pair.first] && life.is_fixed[pair.second] ? 0 : 1;
    require_same(count == life.world.pair_count(), name);
}

void report(benchmark::State& state, std::vector<double>& state_seconds) {
    std::sort(state_seconds.begin(), state_seconds.end());
    const auto at = [&](double share) {
        const auto last = static_cast<double>(state_seconds.size() - 1);
        return 1e6 * state_seconds[static_cast<std::size_t>(share * last)];
    };
    state.counters["median_us"] = at(0.5);
    state.counters["p99_us"] = at(0.99);
    state.counters["max_us"] = at(1);
    state.counters["p99_ratio"] = at(0.99) / at(0.5);
    state.counters["max_ratio"] = at(1) / at(0.5);
}

void run(benchmark::State& state, const std::function<double()>& frame) {
    for (int k = 0; k < kWarmFrameCount; ++k) (void)frame();
    std::vector<double> seconds;
    for (auto _ : state) {
        seconds.push_back(frame());
        state.SetIterationTime(seconds.back());
    }
    report(state, seconds);
}

void set_and_update(Life& life, const std::vector<ObjectHandle>& handles, const BoxSoa& boxes) {
    if (life.world.set_boxes(handles, boxes).status != Status::ok) std::abort();
    if (life.world.update().status != Status::ok) std::abort();
}

void run_steady(benchmark::State& state, const WorldScene& scene, std::size_t count,
                const std::string& name) {
    WorldFrames& frames = world_frames(scene, count);
    Life life;
    start(life, frames.first_boxes(), [&](std::size_t i) { return frames.is_fixed(i); });
    std::vector<ObjectHandle> moved;
    run(state, [&] {
        const WorldFrame& frame = frames.next();
        moved.clear();
        for (const std::uint32_t index : frame.moved) moved.push_back(life.handles[index]);
        life.boxes = frame.boxes;
        return seconds_of([&] { set_and_update(life, moved, frame.moved_boxes); });
    });
    check(life, name);
}

// The least time of several equal worlds: the cost of the frame without disturbances by other programs.
void run_steady_least(benchmark::State& state, const WorldScene& scene, std::size_t count,
                      const std::string& name) {
    WorldFrames& frames = world_frames(scene, count);
    std::vector<Life> lives(5);
    for (Life& life : lives)
        start(life, frames.first_boxes(), [&](std::size_t i) { return frames.is_fixed(i); });
    std::vector<ObjectHandle> moved;
    run(state, [&] {
        const WorldFrame& frame = frames.next();
        double least = 1e9;
        for (Life& life : lives) {
            moved.clear();
            for (const std::uint32_t index : frame.moved) moved.push_back(life.handles[index]);
            least = std::min(least, seconds_of([&] { set_and_update(life, moved, frame.moved_boxes); }));
        }
        lives[0].boxes = frame.boxes;
        return least;
    });
    check(lives[0], name);
}

// Some objects of a scene take a random step each, of at most this much on an axis; other objects in each
// frame.
void run_few(benchmark::State& state, scenes::Layout layout, bool others_are_fixed, std::size_t count,
             std::size_t mover_count, float reach, const std::string& name) {
    constexpr std::size_t kMobileCount = 2000;
    Life life;
    start(life, scenes::make_boxes(layout, count),
          [&](std::size_t i) { return others_are_fixed && i >= kMobileCount; });
    const std::size_t mobile_count = others_are_fixed ? kMobileCount : count;
    scenes::SceneRandom random(5);
    std::vector<ObjectHandle> moved(mover_count);
    BoxSoa boxes;
    if (boxes.resize(mover_count) != Status::ok) std::abort();
    std::size_t next = 0;
    run(state, [&] {
        for (std::size_t k = 0; k < mover_count; ++k, next += 7919) {
            const std::size_t i = next % mobile_count;
            const Vec3 by = random.in_cube(reach);
            life.boxes[i] = {life.boxes[i].min + by, life.boxes[i].max + by};
            boxes.set(k, life.boxes[i]);
            moved[k] = life.handles[i];
        }
        return seconds_of([&] { set_and_update(life, moved, boxes); });
    });
    check(life, name);
}

// Everything moves; one object of the world has a margin, or boxes are set one by one.
void run_setting(benchmark::State& state, bool has_margin, bool is_single, std::size_t count) {
    WorldFrames& frames = world_frames(kWorldScenes[0], count);
    Life life;
    start(life, frames.first_boxes(), [](std::size_t) { return false; });
    const ObjectHandle first = life.handles.front();
    if (has_margin && life.world.set_margin(std::span(&first, 1), 0.1f).status != Status::ok) std::abort();
    run(state, [&] {
        const WorldFrame& frame = frames.next();
        const BoxSoa boxes = soa_of(frame.boxes);
        return seconds_of([&] {
            if (!is_single) return set_and_update(life, life.handles, boxes);
            for (std::size_t i = 0; i < life.handles.size(); ++i) {
                if (life.world.set_box(life.handles[i], frame.boxes[i]) != Status::ok) std::abort();
            }
            if (life.world.update().status != Status::ok) std::abort();
        });
    });
}

template <class Body>
void add_row(const std::string& algorithm, const std::string& scene, std::size_t count, Body&& body) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + algorithm, scene, count, isa);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& state) {
                                         use_isa(isa);
                                         body(state, name);
                                     })
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime()
            ->Iterations(kFrameCount);
    }
}

void register_rows() {
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
        for (const WorldScene& scene : kWorldScenes) {
            add_row("world_frames", scene.name, count, [=](benchmark::State& state, const std::string& name) {
                run_steady(state, scene, count, name);
            });
            add_row("world_frames_least", scene.name, count,
                    [=](benchmark::State& state, const std::string& name) {
                        run_steady_least(state, scene, count, name);
                    });
        }
        for (const std::size_t movers : {1u, 10u, 100u, 1000u}) {
            const std::string algorithm = "world_movers_" + std::to_string(movers);
            add_row(algorithm, "pile", count, [=](benchmark::State& state, const std::string& name) {
                run_few(state, scenes::Layout::pile, false, count, movers, 0.2f, name);
            });
            add_row(algorithm, "pile_slow", count, [=](benchmark::State& state, const std::string& name) {
                run_few(state, scenes::Layout::pile, false, count, movers, 0.02f, name);
            });
            add_row(algorithm, "uniform_fixed", count, [=](benchmark::State& state, const std::string& name) {
                run_few(state, scenes::Layout::uniform, true, count, movers, 0.2f, name);
            });
        }
        const auto setting = [=](const char* name, bool has_margin, bool is_single) {
            add_row(name, "uniform_moving", count, [=](benchmark::State& state, const std::string&) {
                run_setting(state, has_margin, is_single, count);
            });
        };
        setting("world_set_batch", false, false);
        setting("world_set_batch_one_margin", true, false);
        setting("world_set_single", false, true);
    }
}

const Suite suite("world_frames", &register_rows,
                  {"broadphase/world_frames/(uniform_moving|static90|pile_moving)/10000/widest",
                   "broadphase/world_movers_(1|10|100)/(pile|uniform_fixed)/100000/widest"});

}  // namespace

}  // namespace broadside::bench
