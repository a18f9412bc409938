// The pattern of a physics engine between steps: it changes one box and casts one ray, repeatedly, on a
// BoxTree and on a World. Each row also shows the slowest call, since postponed work must not come due at
// once.
#include "bench/query_scene.hpp"
#include "bench/soa_of.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/prepared_objects.hpp>
#include <broadside/scenes/scene_random.hpp>
#include <broadside/world_view.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>

namespace broadside::bench {
namespace {

// Steps between two readings of the clock, so that the reading does not count.
constexpr std::size_t kStepsOfBlock = 64;

class Scene {
public:
    Scene(const std::string& name, std::size_t count)
        : scene_(make_query_scene(name, count, scenes::QueryOrder::incoherent)), random_(5) {
        for (const Aabb& box : scene_.boxes) bounds_ = include(bounds_, box);
    }

    const std::vector<Aabb>& boxes() const { return scene_.boxes; }
    const Ray& next_ray() { return scene_.queries.rays[ray_++ % kQueryCount]; }
    std::uint32_t any_index() {
        const float place = random_.between(0, static_cast<float>(scene_.boxes.size()));
        return std::min(static_cast<std::uint32_t>(place),
                        static_cast<std::uint32_t>(scene_.boxes.size()) - 1);
    }
    /// Moves the box by a twentieth of itself, permanently.
    const Aabb& step(std::uint32_t index) {
        Aabb& box = scene_.boxes[index];
        const Vec3 by = random_.in_cube(1.0f) * (0.05f * half_extent(box).x);
        return box = {box.min + by, box.max + by};
    }
    /// Moves the box by half of itself.
    const Aabb& leap(std::uint32_t index) {
        Aabb& box = scene_.boxes[index];
        const Vec3 by = random_.in_cube(1.0f) * half_extent(box).x;
        return box = {box.min + by, box.max + by};
    }
    /// Moves all boxes by a hundredth of themselves, each in its own direction and back from the end of the
    /// scene.
    BoxSoaView drift() {
        if (ways_.empty()) {
            for (const Aabb& box : scene_.boxes) {
                ways_.push_back(random_.in_cube(1.0f) * (0.02f * half_extent(box).x));
                (void)drifting_.push_back(box);
            }
            // As many boxes as the tree, which has one more.
            (void)drifting_.push_back(Aabb::empty());
        }
        for (std::size_t i = 0; i < ways_.size(); ++i) {
            Aabb& box = scene_.boxes[i];
            Vec3& way = ways_[i];
            if (box.min.x + way.x < bounds_.min.x || box.max.x + way.x > bounds_.max.x) way.x = -way.x;
            if (box.min.y + way.y < bounds_.min.y || box.max.y + way.y > bounds_.max.y) way.y = -way.y;
            if (box.min.z + way.z < bounds_.min.z || box.max.z + way.z > bounds_.max.z) way.z = -way.z;
            box = {box.min + way, box.max + way};
            drifting_.set(i, box);
        }
        return drifting_.view();
    }
    const std::vector<Aabb>& overlaps() const { return scene_.queries.overlaps; }
    /// Moves the box anywhere in the scene.
    const Aabb& teleport(std::uint32_t index) {
        Aabb& box = scene_.boxes[index];
        const Vec3 size = broadside::size(box);
        const Vec3 min = {random_.between(bounds_.min.x, bounds_.max.x),
                          random_.between(bounds_.min.y, bounds_.max.y),
                          random_.between(bounds_.min.z, bounds_.max.z)};
        return box = {min, min + size};
    }

private:
    QueryScene scene_;
    scenes::SceneRandom random_;
    Aabb bounds_ = Aabb::empty();
    std::size_t ray_ = 0;
    std::vector<Vec3> ways_;
    BoxSoa drifting_;
};

// The structure that is changed and queried at once.
class TreeSubject {
public:
    explicit TreeSubject(const Scene& scene) {
        if (tree_.build(soa_of(scene.boxes())) != Status::ok) std::abort();
        // An index beyond the boxes, as `drift` has it.
        const auto spare = static_cast<std::uint32_t>(scene.boxes().size());
        set(spare, scene.boxes()[0]);
        remove(spare);
    }
    void set(std::uint32_t index, const Aabb& box) {
        if (tree_.set_box(index, box) != Status::ok) std::abort();
    }
    void remove(std::uint32_t index) {
        if (tree_.remove_box(index) != Status::ok) std::abort();
    }
    void add(std::uint32_t index, const Aabb& box) { set(index, box); }
    void update(const BoxSoaView& boxes) {
        if (tree_.update(boxes) != Status::ok) std::abort();
    }
    float ask(const Ray& ray) { return tree_.closest_hit(ray).t; }
    std::size_t find(const Aabb& box) {
        (void)tree_.find_overlaps(box, {}, scratch_, pairs_);
        return pairs_.size();
    }

private:
    BoxTree tree_;
    BoxScratch scratch_;
    PairBuffer pairs_;
};

class WorldSubject {
public:
    explicit WorldSubject(const Scene& scene) : handles_(scene.boxes().size()) {
        if (world_.add(soa_of(scene.boxes()), {}, handles_).status != Status::ok) std::abort();
        (void)ask({});
        const ObjectHandle spare = world_.add({.box = scene.boxes()[0]});
        (void)ask({});
        if (world_.remove(spare) != Status::ok) std::abort();
    }
    void set(std::uint32_t index, const Aabb& box) {
        if (world_.set_box(handles_[index], box) != Status::ok) std::abort();
    }
    void remove(std::uint32_t index) {
        if (world_.remove(handles_[index]) != Status::ok) std::abort();
    }
    void add(std::uint32_t index, const Aabb& box) { handles_[index] = world_.add({.box = box}); }
    float ask(const Ray& ray) { return world_.queries().closest_hit(ray).t; }
    std::size_t find(const Aabb& box) {
        (void)world_.queries().find_overlaps(box, {}, scratch_, objects_);
        return objects_.size();
    }
    void update() {
        if (world_.update().status != Status::ok) std::abort();
    }
    /// Queries a view, which is held until the next one is there.
    float ask_view(const Ray& ray) {
        view_ = world_.view();
        return view_->closest_hit(ray).t;
    }

private:
    World world_;
    WorldView view_;
    std::vector<ObjectHandle> handles_;
    BoxScratch scratch_;
    AlignedArray<Listed<ObjectHandle>> objects_;
};

template <class Subject>
void register_change(const std::string& change, const std::string& scene_name, std::size_t count,
                     float (*step)(Scene&, Subject&)) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + change, scene_name, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            // The same steps by the scalar kernels, and by a new tree.
            const auto run = [&](Isa active) {
                use_isa(active);
                Scene scene(scene_name, count);
                Subject subject(scene);
                std::vector<float> answers;
                for (int i = 0; i < 500; ++i) answers.push_back(step(scene, subject));
                Subject fresh(scene);
                for (int i = 0; i < 100; ++i) {
                    const Ray& ray = scene.next_ray();
                    require_same(subject.ask(ray) == fresh.ask(ray), name);
                }
                return answers;
            };
            const std::vector<float> expected = run(Isa::scalar);
            require_same(run(isa) == expected, name);
            Scene scene(scene_name, count);
            Subject subject(scene);
            double slowest_block = 0;
            for (auto _ : state) {
                const auto begin = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < kStepsOfBlock; ++i)
                    benchmark::DoNotOptimize(step(scene, subject));
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
                slowest_block = std::max(slowest_block, time.count());
            }
            count_items(state, "step", kStepsOfBlock);
            state.counters["slowest_block"] = slowest_block;
        })->Unit(benchmark::kMicrosecond);
    }
}

template <class Subject>
void register_changes(const std::string& subject, const std::string& scene, std::size_t count) {
    register_change<Subject>(subject + "_ask_one", scene, count,
                             [](Scene& s, Subject& asked) { return asked.ask(s.next_ray()); });
    register_change<Subject>(subject + "_move_one_ask_one", scene, count, [](Scene& s, Subject& asked) {
        const std::uint32_t index = s.any_index();
        asked.set(index, s.step(index));
        return asked.ask(s.next_ray());
    });
    register_change<Subject>(subject + "_teleport_one_ask_one", scene, count, [](Scene& s, Subject& asked) {
        const std::uint32_t index = s.any_index();
        asked.set(index, s.teleport(index));
        return asked.ask(s.next_ray());
    });
    register_change<Subject>(subject + "_remove_ask_add_ask", scene, count, [](Scene& s, Subject& asked) {
        const std::uint32_t index = s.any_index();
        asked.remove(index);
        const float t = asked.ask(s.next_ray());
        asked.add(index, s.boxes()[index]);
        return t + asked.ask(s.next_ray());
    });
}

// The cost of an update or a view between the change and the query.
void register_changes_of_worlds(const std::string& scene, std::size_t count) {
    register_change<WorldSubject>("world_move_one_update_ask_one", scene, count,
                                  [](Scene& s, WorldSubject& asked) {
                                      const std::uint32_t index = s.any_index();
                                      asked.set(index, s.step(index));
                                      asked.update();
                                      return asked.ask(s.next_ray());
                                  });
    register_change<WorldSubject>("world_move_one_view_ask_one", scene, count,
                                  [](Scene& s, WorldSubject& asked) {
                                      const std::uint32_t index = s.any_index();
                                      asked.set(index, s.step(index));
                                      return asked.ask_view(s.next_ray());
                                  });
}

// Objects added to a world: described, or prepared before, whose time is in the row of preparing.
enum class Coming { described, prepared, preparing };

void register_coming(const std::string& row, std::size_t count, Coming coming) {
    constexpr std::size_t kComers = 1000;
    const std::string name = benchmark_name("broadphase/" + row, "uniform", count, supported_isas().back());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
            use_isa(supported_isas().back());
            const std::vector<Aabb> boxes = make_frames("uniform", count + kComers)[0];
            const std::span<const Aabb> comers = std::span(boxes).subspan(count);
            std::vector<ObjectDescription> descriptions;
            for (const Aabb& box : comers) descriptions.push_back({.box = box});
            World world;
            std::vector<ObjectHandle> handles(count);
            bool is_ok =
                world.add(soa_of(std::vector(boxes.data(), boxes.data() + count)), {}, handles).status ==
                Status::ok;
            PreparedObjects prepared;
            is_ok = is_ok && prepared.prepare(descriptions).status == Status::ok;
            handles.resize(kComers);
            for (auto _ : state) {
                const auto begin = std::chrono::steady_clock::now();
                if (coming == Coming::preparing) {
                    is_ok = is_ok && prepared.prepare(descriptions).status == Status::ok;
                } else {
                    is_ok = is_ok && (coming == Coming::described ? world.add(descriptions, handles)
                                                                  : world.add(prepared, handles))
                                             .status == Status::ok;
                }
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
                state.SetIterationTime(time.count());
                if (coming != Coming::preparing) is_ok = is_ok && world.remove(handles).status == Status::ok;
            }
            require_same(is_ok && world.object_count() == count, name);
            count_items(state, "object", kComers);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime();
}

// The first query after objects were added one by one to an empty world or a large one.
void register_query_after_adds(std::size_t count) {
    constexpr std::size_t kComers = 230;
    const std::string name =
        benchmark_name("broadphase/world_ask_after_230_adds", "uniform", count, supported_isas().back());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
            use_isa(supported_isas().back());
            const std::vector<Aabb> boxes = make_frames("uniform", count + kComers)[0];
            World world;
            std::vector<ObjectHandle> handles(count);
            bool is_ok =
                world.add(soa_of(std::vector(boxes.data(), boxes.data() + count)), {}, handles).status ==
                Status::ok;
            is_ok = is_ok && world.queries().status() == Status::ok;
            handles.resize(kComers);
            for (auto _ : state) {
                for (std::size_t i = 0; i < kComers; ++i) handles[i] = world.add({.box = boxes[count + i]});
                const auto begin = std::chrono::steady_clock::now();
                is_ok = is_ok && world.queries().any_overlap(boxes[count]);
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
                state.SetIterationTime(time.count());
                is_ok = is_ok && world.remove(handles).status == Status::ok &&
                        world.queries().status() == Status::ok;
            }
            require_same(is_ok && world.object_count() == count, name);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime();
}

// One box after the other, of all objects in turn.
void register_setting(const std::string& row, std::size_t count, float margin,
                      Status (World::*set_box)(ObjectHandle, const Aabb&) noexcept) {
    const std::string name = benchmark_name("broadphase/" + row, "uniform", count, supported_isas().back());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
            use_isa(supported_isas().back());
            const std::vector<std::vector<Aabb>> frames = make_frames("uniform", count);
            World world;
            std::vector<ObjectHandle> handles(count);
            bool is_ok = world.add(soa_of(frames[0]), {.margin = margin}, handles).status == Status::ok;
            std::size_t frame = 0;
            for (auto _ : state) {
                const std::vector<Aabb>& boxes = frames[++frame % frames.size()];
                const auto begin = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < count; ++i)
                    is_ok = (world.*set_box)(handles[i], boxes[i]) == Status::ok && is_ok;
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
                state.SetIterationTime(time.count());
                is_ok = is_ok && world.update().status == Status::ok;
            }
            require_same(is_ok && world.is_consistent(), name);
            count_items(state, "object", count);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime();
}

// All objects drift, and one in a hundred jumps: the cost for the queries to follow.
void register_leaps(const std::string& scene_name, std::size_t count) {
    const std::string name =
        benchmark_name("broadphase/world_leaps_queries", scene_name, count, supported_isas().back());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
            use_isa(supported_isas().back());
            Scene scene(scene_name, count);
            World world;
            World fresh;
            std::vector<ObjectHandle> handles(count);
            std::vector<ObjectHandle> fresh_handles(count);
            bool is_ok = world.add(soa_of(scene.boxes()), {}, handles).status == Status::ok;
            double slowest = 0;
            (void)world.queries();
            for (auto _ : state) {
                (void)scene.drift();
                for (std::size_t k = 0; k < count / 100; ++k) (void)scene.teleport(scene.any_index());
                is_ok = is_ok && world.set_boxes(handles, soa_of(scene.boxes())).status == Status::ok;
                const auto begin = std::chrono::steady_clock::now();
                is_ok = is_ok && world.queries().status() == Status::ok;
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
                state.SetIterationTime(time.count());
                slowest = std::max(slowest, time.count());
            }
            is_ok = is_ok && fresh.add(soa_of(scene.boxes()), {}, fresh_handles).status == Status::ok;
            for (int k = 0; k < 100; ++k) {
                const Ray& ray = scene.next_ray();
                is_ok = is_ok && world.queries().closest_hit(ray).t == fresh.queries().closest_hit(ray).t;
            }
            require_same(is_ok, name);
            state.counters["slowest"] = slowest;
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime();
}

// 10,000 frames of changes, and the cost of queries after them, relative to a newly built tree:
// `rays_of_fresh` and `overlaps_of_fresh`. The changes are the same each time, so the least of several runs
// is the cost of each call: `slowest_of_mean` is the slowest call, relative to the mean of all,
// `p999_of_mean` the one that one in a thousand exceeds, `slowest_frame_of_mean` the same for the calls of a
// frame together.
constexpr std::size_t kFrames = 10000;
constexpr int kLives = 3;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The median of rounds of `ask` on one structure, relative to the other, in turns.
template <class Subject, class Ask>
double ratio_of(Subject& aged, Subject& fresh, const Ask& ask) {
    std::vector<double> ratios;
    for (int round = 0; round < 15; ++round) {
        double times[2];
        for (int turn = 0; turn < 2; ++turn) {
            const bool is_aged = (turn + round) % 2 == 0;
            const auto begin = Clock::now();
            ask(is_aged ? aged : fresh);
            times[is_aged ? 0 : 1] = seconds_since(begin);
        }
        ratios.push_back(times[0] / times[1]);
    }
    std::nth_element(ratios.begin(), ratios.begin() + 7, ratios.end());
    return ratios[7];
}

template <class Subject>
void register_life(const std::string& life, const std::string& scene_name, std::size_t count,
                   std::size_t changes_of_frame, float (*step)(Scene&, Subject&, Clock::time_point&)) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + life, scene_name, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            use_isa(isa);
            std::vector<double> least(kFrames * changes_of_frame, 1.0);
            std::unique_ptr<Scene> scene;
            std::unique_ptr<Subject> aged;
            for (int run = 0; run < kLives; ++run) {
                scene = std::make_unique<Scene>(scene_name, count);
                aged = std::make_unique<Subject>(*scene);
                for (double& time : least) {
                    Clock::time_point begin;
                    benchmark::DoNotOptimize(step(*scene, *aged, begin));
                    time = std::min(time, seconds_since(begin));
                }
            }
            Subject fresh(*scene);
            std::vector<Ray> rays;
            for (int i = 0; i < 5000; ++i) rays.push_back(scene->next_ray());
            const std::span<const Aabb> boxes = std::span(scene->overlaps()).first(2000);
            for (const Ray& ray : rays) require_same(aged->ask(ray) == fresh.ask(ray), name);
            for (const Aabb& box : boxes) require_same(aged->find(box) == fresh.find(box), name);
            for (auto _ : state) {
                for (const Ray& ray : rays) benchmark::DoNotOptimize(aged->ask(ray));
            }
            count_items(state, "ray", rays.size());
            // Memory is warm after a tenth.
            const std::span<double> calls = std::span(least).subspan(least.size() / 10);
            const double mean =
                std::accumulate(calls.begin(), calls.end(), 0.0) / static_cast<double>(calls.size());
            std::vector<double> frames;
            for (std::size_t i = 0; i + changes_of_frame <= calls.size(); i += changes_of_frame)
                frames.push_back(std::accumulate(calls.data() + i, calls.data() + i + changes_of_frame, 0.0));
            const double frame = mean * static_cast<double>(changes_of_frame);
            std::sort(calls.begin(), calls.end());
            state.counters["mean_call"] = mean;
            state.counters["slowest_of_mean"] = calls.back() / mean;
            state.counters["p999_of_mean"] = calls[calls.size() - calls.size() / 1000 - 1] / mean;
            state.counters["slowest_frame_of_mean"] = *std::max_element(frames.begin(), frames.end()) / frame;
            state.counters["rays_of_fresh"] = ratio_of(*aged, fresh, [&](Subject& subject) {
                for (const Ray& ray : rays) benchmark::DoNotOptimize(subject.ask(ray));
            });
            state.counters["overlaps_of_fresh"] = ratio_of(*aged, fresh, [&](Subject& subject) {
                for (const Aabb& box : boxes) benchmark::DoNotOptimize(subject.find(box));
            });
        })->Unit(benchmark::kMicrosecond);
    }
}

template <class Subject>
void register_lives(const std::string& subject, const std::string& scene, std::size_t count) {
    const std::size_t few = count / 10000;
    register_life<Subject>(subject + "_life_of_steps", scene, count, 10 * few,
                           [](Scene& s, Subject& asked, Clock::time_point& out_begin) {
                               const std::uint32_t index = s.any_index();
                               const Aabb& box = s.leap(index);
                               out_begin = Clock::now();
                               asked.set(index, box);
                               return asked.ask(s.next_ray());
                           });
    register_life<Subject>(subject + "_life_of_teleports", scene, count, 4 * few,
                           [](Scene& s, Subject& asked, Clock::time_point& out_begin) {
                               const std::uint32_t index = s.any_index();
                               const Aabb& box = s.teleport(index);
                               out_begin = Clock::now();
                               asked.set(index, box);
                               return asked.ask(s.next_ray());
                           });
    register_life<Subject>(subject + "_life_of_spawning", scene, count, 4 * few,
                           [](Scene& s, Subject& asked, Clock::time_point& out_begin) {
                               const std::uint32_t index = s.any_index();
                               const Aabb& box = s.teleport(index);
                               out_begin = Clock::now();
                               asked.remove(index);
                               const float t = asked.ask(s.next_ray());
                               asked.add(index, box);
                               return t + asked.ask(s.next_ray());
                           });
}

void register_rows() {
    // A small world, as most of an engine's are.
    register_changes<TreeSubject>("box_tree", "uniform", 200);
    register_changes<WorldSubject>("world", "uniform", 200);
    register_changes_of_worlds("uniform", 200);
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{200}, std::size_t{10000}, std::size_t{100000}})
        register_query_after_adds(count);
    for (const std::size_t count : {std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : {"uniform", "city", "pile"}) {
            register_changes<TreeSubject>("box_tree", scene, count);
            register_changes<WorldSubject>("world", scene, count);
            register_changes_of_worlds(scene, count);
            register_lives<TreeSubject>("box_tree", scene, count);
            register_lives<WorldSubject>("world", scene, count);
            register_life<TreeSubject>("box_tree_life_of_updates", scene, count, 1,
                                       [](Scene& s, TreeSubject& asked, Clock::time_point& out_begin) {
                                           const BoxSoaView boxes = s.drift();
                                           out_begin = Clock::now();
                                           asked.update(boxes);
                                           return asked.ask(s.next_ray());
                                       });
        }
        for (const std::string scene : {"uniform", "city"}) register_leaps(scene, count);
        register_setting("world_set_box", count, 0, &World::set_box);
        register_setting("world_set_box_shared", count, 0, &World::set_box_shared);
        register_setting("world_set_box_with_margin", count, 0.1f, &World::set_box);
        register_coming("world_add", count, Coming::described);
        register_coming("world_add_prepared", count, Coming::prepared);
        register_coming("world_prepare", count, Coming::preparing);
    }
}

const Suite suite("change_one", &register_rows,
                  {"broadphase/(box_tree|world)_(ask|move|teleport|remove|add|prepare).*/"
                   "((uniform|pile)/10000|uniform/100000)/widest",
                   "broadphase/(box_tree|world)_life_of_(steps|teleports)/(uniform|pile)/10000/widest"});

}  // namespace
}  // namespace broadside::bench
