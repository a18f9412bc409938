// What a physics engine does between steps: it changes one box and asks one ray, again and again, of a BoxTree and
// of a World. Each row also tells the slowest call, since what is put off must not come due at once.
#include "bench/query_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/scenes/scene_random.hpp>
#include <broadside/world_query.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

// Steps between two looks at the clock, so that the look is no part of the figure.
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
    /// The box a twentieth of itself further, and from now on there.
    const Aabb& step(std::uint32_t index) {
        Aabb& box = scene_.boxes[index];
        const Vec3 by = random_.in_cube(1.0f) * (0.05f * half_extent(box).x);
        return box = {box.min + by, box.max + by};
    }
    /// The box somewhere else in the scene.
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
};

// What is changed, and asked at once.
class TreeSubject {
public:
    explicit TreeSubject(const Scene& scene) {
        if (tree_.build(soa_of(scene.boxes())) != Status::ok) std::abort();
    }
    void set(std::uint32_t index, const Aabb& box) {
        if (tree_.set_box(index, box) != Status::ok) std::abort();
    }
    void remove(std::uint32_t index) {
        if (tree_.remove_box(index) != Status::ok) std::abort();
    }
    void add(std::uint32_t index, const Aabb& box) { set(index, box); }
    float ask(const Ray& ray) { return tree_.closest_hit(ray).t; }

private:
    BoxTree tree_;
};

class WorldSubject {
public:
    explicit WorldSubject(const Scene& scene) : handles_(scene.boxes().size()) {
        if (world_.add(soa_of(scene.boxes()), {}, handles_).status != Status::ok) std::abort();
        (void)ask({});
    }
    void set(std::uint32_t index, const Aabb& box) {
        if (world_.set_box(handles_[index], box) != Status::ok) std::abort();
    }
    void remove(std::uint32_t index) {
        if (world_.remove(handles_[index]) != Status::ok) std::abort();
    }
    void add(std::uint32_t index, const Aabb& box) { handles_[index] = world_.add({.box = box}); }
    float ask(const Ray& ray) { return world_.queries().closest_hit(ray).t; }

private:
    World world_;
    std::vector<ObjectHandle> handles_;
};

template <class Subject>
void register_change(const std::string& change, const std::string& scene_name, std::size_t count,
                     float (*step)(Scene&, Subject&)) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + change, scene_name, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            // The same steps by the scalar kernels, and by a tree that is new.
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

void register_rows() {
    for (const std::size_t count : {std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : {"uniform", "city", "pile"}) {
            register_changes<TreeSubject>("box_tree", scene, count);
            register_changes<WorldSubject>("world", scene, count);
        }
    }
}

const Suite suite("change_one", &register_rows,
                  {"broadphase/(box_tree|world)_.*/(uniform|city|pile)/(10000|100000)/widest"});

}  // namespace
}  // namespace broadside::bench
