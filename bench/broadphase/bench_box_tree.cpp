// BoxTree: building, refitting, and the questions that it answers. Each time is of a call with 10,000
// queries.
#include "bench/query_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/scenes/scene_random.hpp>

#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

struct Subject {
    QueryScene scene;
    BoxSoa boxes;
    BoxTree tree;
    // The boxes that the scene's overlaps ask with, as spheres and upright capsules within them, as six planes
    // each, and as frustums that open along x within them; and the scene's sphere casts, as capsules that are as high again.
    std::vector<Sphere> spheres;
    std::vector<Capsule> capsules;
    std::vector<CapsuleCast> capsule_casts;
    std::vector<Plane> planes;
    std::vector<ConvexVolume> volumes;
    std::vector<Plane> frustum_planes;
    std::vector<ConvexVolume> frustums;

    void make_shapes() {
        planes.reserve(6 * scene.queries.overlaps.size());
        for (const Aabb& box : scene.queries.overlaps) {
            spheres.push_back({center(box), half_extent(box).x});
            const Vec3 up = {0, 0, 0.5f * half_extent(box).z};
            capsules.push_back({center(box) - up, center(box) + up, 0.5f * half_extent(box).x});
            const std::size_t first = planes.size();
            planes.push_back({{1, 0, 0}, -box.min.x});
            planes.push_back({{-1, 0, 0}, box.max.x});
            planes.push_back({{0, 1, 0}, -box.min.y});
            planes.push_back({{0, -1, 0}, box.max.y});
            planes.push_back({{0, 0, 1}, -box.min.z});
            planes.push_back({{0, 0, -1}, box.max.z});
            volumes.push_back({std::span<const Plane>(planes).subspan(first, 6)});
            add_frustum(box);
        }
        for (const SphereCast& cast : scene.queries.sphere_casts) {
            const Vec3 up = {0, 0, 2 * cast.sphere.radius};
            capsule_casts.push_back({{cast.sphere.center, cast.sphere.center + up, cast.sphere.radius},
                                     cast.displacement,
                                     cast.t_max});
        }
    }

private:
    // From a third of the box's height and width to all of it.
    void add_frustum(const Aabb& box) {
        const Vec3 half = half_extent(box);
        const Vec3 middle = center(box);
        const auto side = [&](Vec3 normal) {
            const Vec3 corner = {box.min.x, middle.y - normal.y * half.y / 3,
                                 middle.z - normal.z * half.z / 3};
            const float slope = (normal.y != 0 ? half.y : half.z) / (3 * half.x);
            normal.x = slope;
            frustum_planes.push_back({normal, -dot(normal, corner)});
        };
        frustum_planes.reserve(6 * scene.queries.overlaps.size());
        const std::size_t first = frustum_planes.size();
        frustum_planes.push_back({{1, 0, 0}, -box.min.x});
        frustum_planes.push_back({{-1, 0, 0}, box.max.x});
        side({0, 1, 0});
        side({0, -1, 0});
        side({0, 0, 1});
        side({0, 0, -1});
        frustums.push_back({std::span<const Plane>(frustum_planes).subspan(first, 6)});
    }
};

std::shared_ptr<Subject> make_subject(const std::string& scene, std::size_t count,
                                      scenes::QueryOrder order = scenes::QueryOrder::incoherent) {
    auto subject = std::make_shared<Subject>();
    subject->scene = make_query_scene(scene, count, order);
    subject->boxes = soa_of(subject->scene.boxes);
    subject->make_shapes();
    return subject;
}

// What calls write, compared between ISAs.
struct Output {
    PairBuffer pairs;
    AlignedArray<TreeHit> hits;
    std::vector<ClosestHit> closest = std::vector<ClosestHit>(kQueryCount);
    std::vector<ClosestBox> near = std::vector<ClosestBox>(kQueryCount);
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>((kQueryCount + 63) / 64);
    TreeScratch scratch;

    bool is_same(const Output& other) const {
        return std::equal(pairs.begin(), pairs.end(), other.pairs.begin(), other.pairs.end()) &&
               std::equal(hits.begin(), hits.end(), other.hits.begin(), other.hits.end()) &&
               closest == other.closest && near == other.near && bits == other.bits;
    }
    double answer_count() const {
        const auto found = std::count_if(closest.begin(), closest.end(),
                                         [](const ClosestHit& box) { return box.box_index != kNoBox; });
        return static_cast<double>(pairs.size() + hits.size()) + static_cast<double>(found);
    }
};

using Ask = std::function<void(Subject&, Output&)>;

void register_question(const std::string& question, const std::string& scene, std::size_t count,
                       scenes::QueryOrder order, const Ask& ask) {
    const std::string layout = scene + (order == scenes::QueryOrder::coherent ? "_coherent" : "");
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/box_tree_" + question, layout, count, isa);
        auto* const row = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject(scene, count, order);
            Output expected;
            use_isa(Isa::scalar);
            if (subject->tree.build(subject->boxes) != Status::ok) std::abort();
            ask(*subject, expected);
            Output output;
            use_isa(isa);
            ask(*subject, output);
            require_same(output.is_same(expected), name);
            for (auto _ : state) {
                ask(*subject, output);
                benchmark::ClobberMemory();
            }
            count_items(state, "query", kQueryCount);
            state.counters["answers"] = output.answer_count();
        });
        row->Unit(benchmark::kMicrosecond);
        if (question.ends_with("_two_threads")) row->UseRealTime();
    }
}

void register_questions(const std::string& scene, std::size_t count, scenes::QueryOrder order) {
    const auto add = [&](const std::string& question, const Ask& ask) {
        register_question(question, scene, count, order, ask);
    };
    add("overlaps", [](Subject& s, Output& out) {
        (void)s.tree.find_overlaps(s.scene.queries.overlaps, {}, out.scratch, out.pairs);
    });
    add("overlaps_by_algorithm", [](Subject& s, Output& out) {
        TreeQuerySettings settings;
        settings.order = PairOrder::by_algorithm;
        (void)s.tree.find_overlaps(s.scene.queries.overlaps, settings, out.scratch, out.pairs);
    });
    add("any_overlap",
        [](Subject& s, Output& out) { (void)s.tree.any_overlap(s.scene.queries.overlaps, {}, out.bits); });
    add("ray_closest",
        [](Subject& s, Output& out) { (void)s.tree.closest_hits(s.scene.queries.rays, {}, out.closest); });
    add("ray_all", [](Subject& s, Output& out) {
        (void)s.tree.find_hits(s.scene.queries.rays, {}, out.scratch, out.hits);
    });
    add("ray_any", [](Subject& s, Output& out) { (void)s.tree.any_hit(s.scene.queries.rays, {}, out.bits); });
    add("cast_closest", [](Subject& s, Output& out) {
        (void)s.tree.closest_hits({s.scene.queries.casts, Touch::closed}, {}, out.closest);
    });
    add("cast_all", [](Subject& s, Output& out) {
        (void)s.tree.find_hits({s.scene.queries.casts, Touch::closed}, {}, out.scratch, out.hits);
    });
    add("cast_any", [](Subject& s, Output& out) {
        (void)s.tree.any_hit({s.scene.queries.casts, Touch::closed}, {}, out.bits);
    });
    add("obb_overlaps", [](Subject& s, Output& out) {
        (void)s.tree.find_overlaps(s.scene.queries.obbs, {}, out.scratch, out.pairs);
    });
    add("sphere_cast_closest", [](Subject& s, Output& out) {
        (void)s.tree.closest_hits(s.scene.queries.sphere_casts, {}, out.closest);
    });
    add("nearest", [](Subject& s, Output& out) {
        (void)s.tree.closest_boxes(s.scene.queries.points, {}, {}, out.near);
    });
}

// The same questions one at a time, each in a call of its own, and of visitors that stop or count.
void register_questions_alone(const std::string& scene, std::size_t count) {
    const auto add = [&](const std::string& question, const Ask& ask) {
        register_question(question + "_alone", scene, count, scenes::QueryOrder::incoherent, ask);
    };
    add("ray_closest", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i)
            out.closest[i] = s.tree.closest_hit(s.scene.queries.rays[i]);
    });
    add("ray_closest_visited", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i) {
            ClosestHit& closest = out.closest[i];
            closest = {};
            (void)s.tree.visit_hits(s.scene.queries.rays[i], {}, [&](const TreeHit& hit) {
                const bool is_closer = closest.box_index == kNoBox || hit.t < closest.t ||
                                       (hit.t == closest.t && hit.box < closest.box_index);
                if (is_closer) closest = {hit.t, hit.box, hit.face};
                return hit.t;
            });
        }
    });
    add("any_overlap", [](Subject& s, Output& out) {
        std::fill(out.bits.begin(), out.bits.end(), 0);
        for (std::size_t i = 0; i < kQueryCount; ++i) {
            const bool is_any = s.tree.any_overlap(s.scene.queries.overlaps[i]);
            out.bits[i / 64] |= std::uint64_t{is_any ? 1u : 0u} << i % 64;
        }
    });
    add("overlaps", [](Subject& s, Output& out) {
        std::uint32_t found = 0;
        for (std::size_t i = 0; i < kQueryCount; ++i) {
            (void)s.tree.find_overlaps(s.scene.queries.overlaps[i], {}, out.scratch, out.pairs);
            found += static_cast<std::uint32_t>(out.pairs.size());
        }
        out.closest[0].box_index = found;
    });
    add("overlaps_visited", [](Subject& s, Output& out) {
        std::uint32_t found = 0;
        for (std::size_t i = 0; i < kQueryCount; ++i) {
            (void)s.tree.visit_overlaps(s.scene.queries.overlaps[i], {}, [&](std::uint32_t) {
                ++found;
                return true;
            });
        }
        out.closest[0].box_index = found;
    });
    add("cast_closest", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i)
            out.closest[i] = s.tree.closest_hit(s.scene.queries.casts[i]);
    });
    add("sphere_cast_closest", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i)
            out.closest[i] = s.tree.closest_hit(s.scene.queries.sphere_casts[i]);
    });
    add("capsule_cast_closest", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i) out.closest[i] = s.tree.closest_hit(s.capsule_casts[i]);
    });
    add("nearest", [](Subject& s, Output& out) {
        for (std::size_t i = 0; i < kQueryCount; ++i)
            out.near[i] = s.tree.closest_box(s.scene.queries.points[i]);
    });
    const auto add_shape = [&](const std::string& shape, auto shapes_of) {
        add(shape + "_any", [=](Subject& s, Output& out) {
            std::fill(out.bits.begin(), out.bits.end(), 0);
            for (std::size_t i = 0; i < kQueryCount; ++i) {
                const bool is_any = s.tree.any_overlap(shapes_of(s)[i]);
                out.bits[i / 64] |= std::uint64_t{is_any ? 1u : 0u} << i % 64;
            }
        });
        add(shape + "_overlaps_visited", [=](Subject& s, Output& out) {
            std::uint32_t found = 0;
            for (std::size_t i = 0; i < kQueryCount; ++i) {
                (void)s.tree.visit_overlaps(shapes_of(s)[i], {}, [&](std::uint32_t) {
                    ++found;
                    return true;
                });
            }
            out.closest[0].box_index = found;
        });
    };
    add_shape(
        "sphere", [](const Subject& s) -> const auto& { return s.spheres; });
    add_shape(
        "capsule", [](const Subject& s) -> const auto& { return s.capsules; });
    add_shape(
        "frustum", [](const Subject& s) -> const auto& { return s.frustums; });
}

// Other shapes than boxes, and two threads.
void register_shapes(const std::string& scene, std::size_t count) {
    const auto add = [&](const std::string& question, const Ask& ask) {
        register_question(question, scene, count, scenes::QueryOrder::incoherent, ask);
    };
    add("point_overlaps", [](Subject& s, Output& out) {
        (void)s.tree.find_overlaps(s.scene.queries.points, {}, out.scratch, out.pairs);
    });
    add("sphere_overlaps",
        [](Subject& s, Output& out) { (void)s.tree.find_overlaps(s.spheres, {}, out.scratch, out.pairs); });
    add("sphere_any", [](Subject& s, Output& out) { (void)s.tree.any_overlap(s.spheres, {}, out.bits); });
    add("capsule_overlaps",
        [](Subject& s, Output& out) { (void)s.tree.find_overlaps(s.capsules, {}, out.scratch, out.pairs); });
    add("capsule_any", [](Subject& s, Output& out) { (void)s.tree.any_overlap(s.capsules, {}, out.bits); });
    add("capsule_cast_closest",
        [](Subject& s, Output& out) { (void)s.tree.closest_hits(s.capsule_casts, {}, out.closest); });
    add("capsule_cast_all",
        [](Subject& s, Output& out) { (void)s.tree.find_hits(s.capsule_casts, {}, out.scratch, out.hits); });
    add("capsule_cast_any",
        [](Subject& s, Output& out) { (void)s.tree.any_hit(s.capsule_casts, {}, out.bits); });
    add("volume_overlaps",
        [](Subject& s, Output& out) { (void)s.tree.find_overlaps(s.volumes, {}, out.scratch, out.pairs); });
    add("frustum_overlaps",
        [](Subject& s, Output& out) { (void)s.tree.find_overlaps(s.frustums, {}, out.scratch, out.pairs); });
    add("frustum_any", [](Subject& s, Output& out) { (void)s.tree.any_overlap(s.frustums, {}, out.bits); });
    static ThreadPair threads;
    static const TreeQuerySettings on_two_threads = {.filter = {}, .runner = threads.runner()};
    add("overlaps_two_threads", [](Subject& s, Output& out) {
        (void)s.tree.find_overlaps(s.scene.queries.overlaps, on_two_threads, out.scratch, out.pairs);
    });
    add("ray_closest_two_threads", [](Subject& s, Output& out) {
        (void)s.tree.closest_hits(s.scene.queries.rays, on_two_threads, out.closest);
    });
}

void register_making(const std::string& scene, std::size_t count) {
    using Make = Status (*)(BoxTree&, const BoxSoaView&, const TaskRunner*);
    constexpr std::pair<const char*, Make> kWays[] = {
        {"build", [](BoxTree& tree, const BoxSoaView& boxes,
                     const TaskRunner* runner) { return tree.build(boxes, runner); }},
        {"refit", [](BoxTree& tree, const BoxSoaView& boxes,
                     const TaskRunner* runner) { return tree.refit(boxes, runner); }},
        {"update", [](BoxTree& tree, const BoxSoaView& boxes,
                      const TaskRunner* runner) { return tree.update(boxes, runner); }},
    };
    for (const auto& [way, make] : kWays) {
        for (const bool on_two_threads : {false, true}) {
            for (const Isa isa : supported_isas()) {
                const std::string name = benchmark_name(
                    std::string("broadphase/box_tree_") + way + (on_two_threads ? "_two_threads" : ""), scene,
                    count, isa);
                auto* const row =
                    benchmark::RegisterBenchmark(name.c_str(), [=, make = make](benchmark::State& state) {
                        static ThreadPair threads;
                        const TaskRunner* const runner = on_two_threads ? threads.runner() : nullptr;
                        const auto subject = make_subject(scene, count);
                        use_isa(isa);
                        if (subject->tree.build(subject->boxes) != Status::ok) std::abort();
                        for (auto _ : state) {
                            require_same(make(subject->tree, subject->boxes, runner) == Status::ok, name);
                        }
                        count_items(state, "box", count);
                    });
                row->Unit(benchmark::kMicrosecond);
                if (on_two_threads) row->UseRealTime();
            }
        }
    }
}

// What a refit moves, and nothing else: the six arrays copied in order, and in an order without locality, as
// the leaves of a tree have it.
void register_copies(std::size_t count) {
    for (const bool is_in_order : {true, false}) {
        const std::string algorithm =
            std::string("broadphase/box_tree_copy_") + (is_in_order ? "in_order" : "at_random");
        const std::string name = benchmark_name(algorithm, "uniform", count, Isa::scalar);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject("uniform", count);
            const BoxSoaView boxes = subject->boxes.view();
            const float* const columns[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                             boxes.max_x, boxes.max_y, boxes.max_z};
            std::vector<std::uint32_t> order(count);
            for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
            scenes::SceneRandom random(3);
            for (std::size_t i = count; !is_in_order && i > 1; --i) {
                const float place = random.between(0, static_cast<float>(i));
                std::swap(order[i - 1], order[std::min<std::size_t>(i - 1, static_cast<std::size_t>(place))]);
            }
            std::vector<float> out(6 * count);
            for (auto _ : state) {
                for (std::size_t column = 0; column < 6; ++column) {
                    float* const target = out.data() + column * count;
                    for (std::size_t i = 0; i < count; ++i) target[i] = columns[column][order[i]];
                }
                benchmark::ClobberMemory();
            }
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

// All pairs: the tree built for the call, the tree refitted for it, and find_pairs. `is_bipartite`: the boxes
// against a tenth as many others, whose tree is made for the call.
enum class PairWay { build, refit, find_pairs };

void register_pairs(const std::string& scene, std::size_t count, bool is_bipartite, PairWay way) {
    const char* const what[] = {"box_tree_all_pairs", "box_tree_all_pairs_refit", "box_tree_all_pairs_sweep"};
    for (const Isa isa : supported_isas()) {
        const std::string algorithm =
            std::string("broadphase/") + what[static_cast<int>(way)] + (is_bipartite ? "_bipartite" : "");
        const std::string name = benchmark_name(algorithm, scene, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject(scene, count);
            const auto other = make_subject(scene, count / 10);
            use_isa(isa);
            FindPairsScratch scratch;
            PairBuffer expected;
            const auto sweep = [&](PairBuffer& out_pairs) {
                return (is_bipartite ? find_pairs(other->boxes, subject->boxes, {}, scratch, out_pairs)
                                     : find_pairs(subject->boxes, {}, scratch, out_pairs))
                           .status == Status::ok;
            };
            if (!sweep(expected) || subject->tree.build(subject->boxes) != Status::ok) std::abort();
            Output out;
            const auto call = [&] {
                if (way == PairWay::find_pairs) return sweep(out.pairs);
                const Status status = way == PairWay::build ? subject->tree.build(subject->boxes)
                                                            : subject->tree.refit(subject->boxes);
                if (!is_bipartite) {
                    return status == Status::ok &&
                           subject->tree.find_pairs({}, out.scratch, out.pairs).status == Status::ok;
                }
                return status == Status::ok && other->tree.build(other->boxes) == Status::ok &&
                       other->tree.find_pairs(subject->tree, {}, out.scratch, out.pairs).status == Status::ok;
            };
            require_same(
                call() && std::equal(out.pairs.begin(), out.pairs.end(), expected.begin(), expected.end()),
                name);
            for (auto _ : state) call();
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_rows() {
    using scenes::QueryOrder;
    for (const std::size_t count : {std::size_t{1000}, std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : kTreeScenes) {
            register_making(scene, count);
            register_questions(scene, count, QueryOrder::incoherent);
            register_questions_alone(scene, count);
        }
        register_shapes("uniform", count);
        register_questions("uniform", count, QueryOrder::coherent);
        register_copies(count);
        for (const std::string scene : {"uniform", "pile", "city", "sticks"}) {
            for (const bool is_bipartite : {false, true}) {
                for (const PairWay way : {PairWay::build, PairWay::refit, PairWay::find_pairs}) {
                    register_pairs(scene, count, is_bipartite, way);
                }
            }
        }
    }
    register_making("uniform", 1'000'000);
    register_questions("uniform", 1'000'000, QueryOrder::incoherent);
    for (const FileScene& file : file_scenes()) {
        register_making(file.name, file.box_count());
        register_questions(file.name, file.box_count(), QueryOrder::incoherent);
    }
}

const Suite suite("box_tree", &register_rows,
                  {"broadphase/box_tree_(build|refit|overlaps|ray_closest|cast_closest|nearest)/uniform/"
                   "(10000|100000)/widest",
                   "broadphase/box_tree_(ray_closest|any_overlap|overlaps)_alone/(uniform|city|pile)/"
                   "(10000|100000)/widest",
                   "broadphase/box_tree_ray_(closest|any)/(uniform|city|pile)/(10000|100000)/widest",
                   "broadphase/box_tree_(overlaps|ray_closest)/uniform/10000/.*"});

}  // namespace

}  // namespace broadside::bench
