// Results of the broadphase in any floating-point environments of the caller's thread and of workers.
#include "tests/broadphase/exact/exact_oracle.hpp"
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/pair_cache.hpp>
#include <broadside/prepared_objects.hpp>
#include <broadside/world_query.hpp>
#include <broadside/world_view.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

// More than two runs of 64, so that queries are split among workers.
constexpr std::size_t kEnvironmentCount = 150;

const EnvironmentShapes& shapes() {
    static const EnvironmentShapes made(kEnvironmentCount, 2);
    return made;
}
// The same boxes elsewhere: each replaces one of its kind, some of them a denormal number further.
const BoxSoa& moved_boxes() {
    static const BoxSoa made = [] {
        BoxSoa boxes;
        REQUIRE(boxes.resize(kEnvironmentCount) == Status::ok);
        for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
            Aabb box = shapes().boxes[i % 2 == 0 ? i : (i + 6) % kEnvironmentCount];
            if (i % 4 == 0) box.max.x += 0x1p-149f;
            boxes.set(i, box);
        }
        return boxes;
    }();
    return made;
}
const EnvironmentShapes& other_shapes() {
    static const EnvironmentShapes made(kEnvironmentCount, 3);
    return made;
}
// Every fifth box moves.
const std::vector<std::uint64_t>& mover_bits() {
    static const std::vector<std::uint64_t> bits = [] {
        std::vector<std::uint64_t> words(bit_word_count(kEnvironmentCount));
        for (std::size_t i = 0; i < kEnvironmentCount; i += 5) words[i / 64] |= std::uint64_t{1} << i % 64;
        return words;
    }();
    return bits;
}

using Calls = std::vector<EnvironmentCall>;

constexpr PairAlgorithm kAlgorithms[] = {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                         PairAlgorithm::sweep_and_prune, PairAlgorithm::cells};

// The order of an algorithm shows how it divided the work.
template <class Find>
EnvironmentCall pairs_call(const char* name, Find find) {
    return {name,
            [find](const TaskRunner* runner, ResultBytes& answers) {
                for (const PairAlgorithm algorithm : kAlgorithms) {
                    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
                        FindPairsSettings settings;
                        settings.algorithm = algorithm;
                        settings.order = order;
                        settings.runner = runner;
                        PairBuffer pairs;
                        const FindPairsResult result = find(settings, pairs);
                        answers.add(result.status, result.required, result.invalid.count);
                        answers.add_all(pairs);
                    }
                }
            },
            true};
}

Calls pair_calls() {
    const EnvironmentShapes& s = shapes();
    const EnvironmentShapes& t = other_shapes();
    return {
        pairs_call("find_pairs, complete",
                   [&](const FindPairsSettings& settings, PairBuffer& pairs) {
                       return find_pairs(s.box_soa, settings, pairs);
                   }),
        pairs_call("find_pairs, bipartite",
                   [&](const FindPairsSettings& settings, PairBuffer& pairs) {
                       return find_pairs(s.box_soa, t.box_soa, settings, pairs);
                   }),
        pairs_call("find_pairs, complete, with a scratch",
                   [&](const FindPairsSettings& settings, PairBuffer& pairs) {
                       FindPairsScratch scratch;
                       return find_pairs(s.box_soa, settings, scratch, pairs);
                   }),
        pairs_call("find_pairs, bipartite, with a scratch",
                   [&](const FindPairsSettings& settings, PairBuffer& pairs) {
                       FindPairsScratch scratch;
                       return find_pairs(s.box_soa, t.box_soa, settings, scratch, pairs);
                   }),
        {"find_pairs with a subset, of RestingBoxes and of a PairCache",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             PairBuffer pairs;
             FindPairsScratch scratch;
             FindPairsSettings settings;
             settings.runner = runner;
             settings.filter.subset_bits = mover_bits();
             answers.add(find_pairs(s.box_soa, settings, scratch, pairs).status);
             answers.add_all(pairs);

             RestingBoxes resting;
             answers.add(resting.build(s.box_soa, mover_bits(), runner), resting.resting_count());
             answers.add(resting.find_pairs(s.box_soa, settings, scratch, pairs).status);
             answers.add_all(pairs);
             answers.add(resting.find_moved_box(moved_boxes(), mover_bits()));

             PairCache cache(0.25f);
             FindPairsSettings cached;
             cached.runner = runner;
             for (const BoxSoa* boxes : {&s.box_soa, &moved_boxes(), &s.box_soa}) {
                 const FindPairsResult result = cache.find_pairs(*boxes, cached, scratch, pairs);
                 answers.add(result.status, result.plan.cache_use, result.plan.escaped_count);
                 answers.add_all(pairs);
             }
         },
         true},
        {"find_pairs and ExactBoxTree of doubles",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             static const auto scenes = exact_scenes<double>(kEnvironmentCount, 5);
             for (const auto& scene : scenes) {
                 FindPairsScratch scratch;
                 PairBuffer pairs;
                 answers.add(find_pairs(scene.view(), {.runner = runner}, scratch, pairs).status);
                 answers.add_all(pairs);
                 ExactBoxTree<double> exact;
                 QueryScratch tree_scratch;
                 answers.add(exact.build(scene.view(), runner));
                 answers.add(
                     exact.find_overlaps(scene.view(), {.runner = runner}, tree_scratch, pairs).status);
                 answers.add_all(pairs);
                 std::vector<std::uint64_t> bits(bit_word_count(kEnvironmentCount));
                 answers.add(exact.any_overlap(scene.view(), {.runner = runner}, tree_scratch, bits).status);
                 answers.add_all(bits);
                 answers.add(exact.find_pairs({.runner = runner}, tree_scratch, pairs).status);
                 answers.add_all(pairs);
             }
         },
         true},
        {"explain",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const EnvironmentShapes* set : {&s, &t}) {
                 PairBuffer pairs;
                 FindPairsPlan plan = find_pairs(set->box_soa, pairs).plan;
                 // The number of tests depends on the width of a register.
                 plan.tested_count = 0;
                 plan.memory_bytes = 0;
                 const PlanText explained = explain(plan);
                 answers.add_all(explained.text);
             }
         }},
    };
}

// The tree of the shapes' boxes, as in the default environment.
const BoxTree& tree() {
    static const BoxTree made = [] {
        BoxTree built;
        REQUIRE(built.build(shapes().box_soa) == Status::ok);
        return built;
    }();
    return made;
}
const BoxTree& other_tree() {
    static const BoxTree made = [] {
        BoxTree built;
        REQUIRE(built.build(other_shapes().box_soa) == Status::ok);
        return built;
    }();
    return made;
}

void add_tree(ResultBytes& answers, const BoxTree& tree, const TaskRunner* runner) {
    answers.add(tree.bounds(), tree.growth(), tree.member_count(), tree.invalid_boxes().count);
    for (std::uint32_t i = 0; i < kEnvironmentCount; ++i) answers.add(tree.box(i));
    // This order is that of the leaves.
    FindPairsSettings settings;
    settings.runner = runner;
    settings.order = PairOrder::by_algorithm;
    QueryScratch scratch;
    PairBuffer pairs;
    answers.add(tree.find_pairs(settings, scratch, pairs).status);
    answers.add_all(pairs);
}

Calls tree_upkeep_calls() {
    const EnvironmentShapes& s = shapes();
    return {
        {"BoxTree::build, refit and update",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             BoxTree tree;
             answers.add(tree.build(s.box_soa, runner));
             add_tree(answers, tree, runner);
             answers.add(tree.refit(moved_boxes(), runner));
             add_tree(answers, tree, runner);
             answers.add(tree.update(s.box_soa, runner));
             add_tree(answers, tree, runner);
         },
         true},
        {"BoxTree::build_subset and update",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             BoxTree tree;
             answers.add(tree.build_subset(s.box_soa, mover_bits(), runner));
             add_tree(answers, tree, runner);
             answers.add(tree.update(moved_boxes(), runner));
             add_tree(answers, tree, runner);
         },
         true},
        {"BoxTree::set_box and remove_box",
         [&](const TaskRunner*, ResultBytes& answers) {
             BoxTree tree;
             for (std::uint32_t i = 0; i < kEnvironmentCount; ++i) answers.add(tree.set_box(i, s.boxes[i]));
             add_tree(answers, tree, nullptr);
             for (std::uint32_t i = 0; i < kEnvironmentCount; ++i)
                 answers.add(tree.set_box(i, moved_boxes().view()[i]));
             for (std::uint32_t i = 0; i < kEnvironmentCount; i += 3) answers.add(tree.remove_box(i));
             add_tree(answers, tree, nullptr);
         }},
        {"BoxTree::find_pairs",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             FindPairsSettings settings;
             settings.runner = runner;
             QueryScratch scratch;
             PairBuffer pairs;
             answers.add(tree().find_pairs(settings, scratch, pairs).status);
             answers.add_all(pairs);
             answers.add(tree().find_pairs(other_tree(), settings, scratch, pairs).status);
             answers.add_all(pairs);
         },
         true},
    };
}

struct Casts {
    std::vector<BoxCast> boxes;
    std::vector<SphereCast> spheres;
    std::vector<Plane> planes;
    std::vector<ConvexVolume> volumes;
};
const Casts& casts() {
    static const Casts made = [] {
        Casts all;
        const EnvironmentShapes& t = other_shapes();
        for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
            all.boxes.push_back({t.boxes[i], t.displacements[i]});
            all.spheres.push_back({t.spheres[i], t.displacements[i]});
            all.planes.push_back({t.displacements[i], t.points[i].x});
        }
        for (std::size_t i = 0; i + 6 < kEnvironmentCount; ++i)
            all.volumes.push_back({std::span(all.planes).subspan(i, i % 6 + 1)});
        return all;
    }();
    return made;
}

// Lists and bits of the boxes that shapes overlap.
template <class Shape>
EnvironmentCall overlaps_call(const char* name, const std::vector<Shape>& queries) {
    return {name,
            [&queries](const TaskRunner* runner, ResultBytes& answers) {
                TreeQuerySettings settings;
                settings.runner = runner;
                QueryScratch scratch;
                PairBuffer pairs;
                const std::span<const Shape> all(queries);
                answers.add(tree().find_overlaps(all, settings, scratch, pairs).status);
                answers.add_all(pairs);
                std::vector<std::uint64_t> bits(bit_word_count(queries.size()));
                answers.add(tree().any_overlap(all, settings, bits).status);
                answers.add_all(bits);
                std::vector<std::uint32_t> first(queries.size() / 8);
                answers.add(tree().first_overlaps(all.first(first.size() * 8), 2, settings, first).status);
                answers.add_all(first);
                answers.add(tree().any_overlap(queries[0]), tree().any_overlap(queries[1]));
            },
            true};
}

Calls tree_query_calls() {
    const EnvironmentShapes& t = other_shapes();
    Calls calls = {
        overlaps_call("BoxTree::find_overlaps of boxes", t.boxes),
        overlaps_call("BoxTree::find_overlaps of points", t.points),
        overlaps_call("BoxTree::find_overlaps of spheres", t.spheres),
        overlaps_call("BoxTree::find_overlaps of oriented boxes", t.obbs),
        overlaps_call("BoxTree::find_overlaps of volumes", casts().volumes),
        {"BoxTree::closest_boxes",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             TreeQuerySettings settings;
             settings.runner = runner;
             for (const float distance : {FLT_MAX, 0.5f, 1e-42f}) {
                 std::vector<ClosestBox> near(3 * kEnvironmentCount);
                 const ClosestBoxSettings box_settings = {.count = 3, .max_distance = distance};
                 answers.add(tree().closest_boxes(t.points, box_settings, settings, near).status);
                 answers.add_all(near);
             }
             answers.add(tree().closest_box(t.points[0]), tree().closest_box(t.points[1]));
             answers.add(tree().closest_box(t.boxes[0]),
                         tree().closest_box(t.boxes[1], {.max_distance = 0.5f}));
         },
         true},
        {"contact_normal of a sphere cast",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
                 for (const float time : {0.0f, 0.1f, 0.7f})
                     answers.add(contact_normal(casts().spheres[i], shapes().boxes[i], time));
             }
         }},
    };
    return calls;
}

// `Query` is a ray or a cast; the three functions are a tree's.
template <class Query, class First, class Find, class Any>
EnvironmentCall hits_call(const char* name, const std::vector<Query>& queries, First first, Find find,
                          Any any) {
    return {name,
            [&queries, first, find, any](const TaskRunner* runner, ResultBytes& answers) {
                TreeQuerySettings settings;
                settings.runner = runner;
                const std::span<const Query> all(queries);
                std::vector<TreeHit> closest(kEnvironmentCount);
                answers.add(first(all, settings, closest).status);
                answers.add_all(closest);
                // One by one.
                for (std::size_t i = 0; i < 6; ++i) {
                    answers.add(first(all.subspan(i, 1), settings, std::span(closest).first(1)).status,
                                closest[0]);
                }
                QueryScratch scratch;
                AlignedArray<Listed<TreeHit>> hits;
                answers.add(find(all, settings, scratch, hits).status);
                answers.add_all(hits);
                std::vector<std::uint64_t> bits(bit_word_count(kEnvironmentCount));
                answers.add(any(all, settings, bits).status);
                answers.add_all(bits);
            },
            true};
}

std::uint32_t named(const TreeHit& hit) { return hit.target; }
std::uint64_t named(const WorldHit& hit) { return hit.target.value; }

// Single queries of a tree or of a world, and their visitors.
template <class Queries, class Settings>
void add_alone(ResultBytes& answers, const Queries& queries, const Settings& settings) {
    const EnvironmentShapes& t = other_shapes();
    const auto add_hit = [&](const auto& hit) {
        answers.add(named(hit), hit.t, hit.face);
        return hit.t;
    };
    const auto add_item = [&](const auto& item) {
        answers.add(item);
        return true;
    };
    for (std::size_t i = 0; i < 20; ++i) {
        (void)add_hit(queries.closest_hit(t.rays[i]));
        (void)add_hit(queries.closest_hit(casts().boxes[i]));
        (void)add_hit(queries.closest_hit(casts().spheres[i]));
        answers.add(queries.visit_hits(t.rays[i], settings, add_hit));
        answers.add(queries.visit_hits({casts().boxes[i], Touch::closed}, settings, add_hit));
        answers.add(queries.visit_hits(casts().spheres[i], settings, add_hit));
        answers.add(queries.visit_overlaps(t.boxes[i], settings, add_item));
        answers.add(queries.visit_overlaps(t.points[i], settings, add_item));
        answers.add(queries.visit_overlaps(t.spheres[i], settings, add_item));
        answers.add(queries.visit_overlaps(t.obbs[i], settings, add_item));
        answers.add(queries.visit_overlaps(casts().volumes[i], settings, add_item));
        const auto add_near = [&](const auto& near) {
            answers.add(near.distance);
            return near.distance;
        };
        if constexpr (std::is_same_v<Queries, BoxTree>) {
            answers.add(queries.visit_close_boxes(t.boxes[i], {}, settings, add_near));
        } else {
            answers.add(queries.visit_close_objects(t.boxes[i], {}, settings, add_near));
        }
    }
}

Calls tree_hit_calls() {
    using Closest = std::span<TreeHit>;
    using Hits = AlignedArray<Listed<TreeHit>>;
    using Bits = std::span<std::uint64_t>;
    using Settings = TreeQuerySettings;
    using Rays = std::span<const Ray>;
    using BoxCasts = std::span<const BoxCast>;
    using SphereCasts = std::span<const SphereCast>;
    return {
        {"BoxTree and questions alone",
         [](const TaskRunner*, ResultBytes& answers) { add_alone(answers, tree(), TreeQuerySettings{}); }},
        hits_call(
            "BoxTree and rays", other_shapes().rays,
            [](Rays rays, const Settings& settings, Closest out) {
                return tree().closest_hits(rays, settings, out);
            },
            [](Rays rays, const Settings& settings, QueryScratch& scratch, Hits& out) {
                return tree().find_hits(rays, settings, scratch, out);
            },
            [](Rays rays, const Settings& settings, Bits out) {
                return tree().any_hit(rays, settings, out);
            }),
        hits_call(
            "BoxTree and moving boxes", casts().boxes,
            [](BoxCasts list, const Settings& settings, Closest out) {
                return tree().closest_hits({list, Touch::closed}, settings, out);
            },
            [](BoxCasts list, const Settings& settings, QueryScratch& scratch, Hits& out) {
                return tree().find_hits({list, Touch::closed}, settings, scratch, out);
            },
            [](BoxCasts list, const Settings& settings, Bits out) {
                return tree().any_hit({list, Touch::closed}, settings, out);
            }),
        hits_call(
            "BoxTree and moving spheres", casts().spheres,
            [](SphereCasts list, const Settings& settings, Closest out) {
                return tree().closest_hits(list, settings, out);
            },
            [](SphereCasts list, const Settings& settings, QueryScratch& scratch, Hits& out) {
                return tree().find_hits(list, settings, scratch, out);
            },
            [](SphereCasts list, const Settings& settings, Bits out) {
                return tree().any_hit(list, settings, out);
            }),
    };
}

void add_pairs(ResultBytes& answers, World& world, const TaskRunner* runner) {
    const UpdateResult result = world.update(runner);
    answers.add(result.status, result.path, result.changed_count, world.pairs_hash(), world.is_consistent());
    for (const WorldPair& pair : world.pairs()) answers.add(pair.a, pair.b);
    for (const WorldPair& pair : world.begun()) answers.add(pair.a, pair.b);
    for (const EndedPair& pair : world.ended()) answers.add(pair.a, pair.b);
}
// Everything that can be read from a world.
void add_objects(ResultBytes& answers, const World& world, std::span<const ObjectHandle> handles) {
    for (const ObjectHandle handle : handles) {
        const ObjectDescription description = world.description(handle);
        answers.add(description.box, description.kind, description.margin, description.displacement);
    }
    std::vector<ObjectHandle> quarantined(kEnvironmentCount);
    answers.add(world.quarantined_objects(quarantined), world.bounds());
    answers.add_all(quarantined);
    for (std::size_t i = 0; i + 3 < handles.size(); ++i)
        answers.add(world.boxes_overlap(handles[i], handles[i + 3]));
    std::vector<std::byte> snapshot(world.snapshot_bytes());
    answers.add(world.save(snapshot));
    answers.add_all(snapshot);
    World restored;
    answers.add(restored.restore(snapshot), restored.is_consistent());
}

// A sequence with every function that changes a world, except the shift of the origin, after which no box is
// denormal.
void live(World& world, std::vector<ObjectHandle>& handles, const TaskRunner* runner, ResultBytes& answers) {
    const EnvironmentShapes& s = shapes();
    handles.resize(kEnvironmentCount);
    answers.add(world.add(s.box_soa, {}, handles).status);
    add_pairs(answers, world, runner);
    const std::span<const ObjectHandle> all(handles);
    answers.add(world.set_kind(all.subspan(20, 50), ObjectKind::fixed).status);
    answers.add(world.set_kind(all.subspan(70, 30), ObjectKind::resting).status);
    answers.add(world.set_filter(all.subspan(3, 1), {.group = -1}).status);
    answers.add(world.set_boxes(all, moved_boxes()).status);
    add_pairs(answers, world, runner);
    answers.add(world.set_margin(all.subspan(1, 20), 1e-42f).status);
    answers.add(world.set_margin(all.subspan(30, 9), 0.1f).status);
    const Vec3SoaView moves = s.displacement_view();
    answers.add(world.set_displacements(all.first(60), {moves.x, moves.y, moves.z, 60}).status);
    answers.add(world.set_box(handles[9], s.boxes[12]));
    answers.add(world.remove(all.subspan(40, 3)).status);
    answers.add(world.add(ObjectDescription{.box = s.boxes[0], .margin = 1e-41f}));
    const ObjectDescription described = {
        .box = s.boxes[1], .margin = 0.3f, .displacement = s.displacements[1]};
    ObjectHandle added;
    answers.add(world.add(std::span(&described, 1), std::span(&added, 1)).status, added);
    PreparedObjects prepared;
    answers.add(prepared.prepare(std::span(&described, 1)).status);
    answers.add(world.add(prepared, std::span(&added, 1)).status, added);
    answers.add(prepared.prepare(s.box_soa.view().part(5, 1), described).status);
    answers.add(world.add(prepared, std::span(&added, 1)).status, added);
    const WorldView view = world.view(runner);
    answers.add(world.publish(runner), world.latest()->bounds());
    answers.add(view.box(added), view->closest_object(s.displacements[0]).distance_sq);
    add_pairs(answers, world, runner);
}

Calls world_calls() {
    return {
        {"World",
         [](const TaskRunner* runner, ResultBytes& answers) {
             World world;
             std::vector<ObjectHandle> handles;
             live(world, handles, runner, answers);
             add_objects(answers, world, handles);
             REQUIRE(world.shift_origin({0.1f, 1e-42f, 0.3f}) == Status::ok);
             add_pairs(answers, world, runner);
             add_objects(answers, world, handles);
         },
         true},
    };
}

// `answer` for all kinds of query of the changed world, in the default environment.
struct AskedWorld {
    World world;
    std::vector<ObjectHandle> handles;
    AskedWorld() {
        ResultBytes unused;
        live(world, handles, nullptr, unused);
    }
};
World& asked_world() {
    static AskedWorld asked;
    return asked.world;
}

template <class Shape>
EnvironmentCall world_overlaps_call(const char* name, const std::vector<Shape>& queries) {
    return {name,
            [&queries](const TaskRunner* runner, ResultBytes& answers) {
                const WorldQueries world = asked_world().queries(runner);
                WorldQuerySettings settings;
                settings.runner = runner;
                QueryScratch scratch;
                AlignedArray<Listed<ObjectHandle>> found;
                const std::span<const Shape> all(queries);
                answers.add(world.find_overlaps(all, settings, scratch, found).status);
                for (const Listed<ObjectHandle>& overlap : found) answers.add(overlap.query, overlap.found);
                std::vector<std::uint64_t> bits(bit_word_count(queries.size()));
                answers.add(world.any_overlap(all, settings, bits).status);
                answers.add_all(bits);
                std::vector<std::uint32_t> first(queries.size() / 8);
                answers.add(world.first_overlaps(all.first(first.size() * 8), 2, settings, first).status);
                answers.add_all(first);
            },
            true};
}

template <class Query, class First, class Find, class Any>
EnvironmentCall world_hits_call(const char* name, const std::vector<Query>& queries, First first, Find find,
                                Any any) {
    return {name,
            [&queries, first, find, any](const TaskRunner* runner, ResultBytes& answers) {
                const WorldQueries world = asked_world().queries(runner);
                WorldQuerySettings settings;
                settings.runner = runner;
                const std::span<const Query> all(queries);
                std::vector<WorldHit> closest(kEnvironmentCount);
                answers.add(first(world, all, settings, closest).status);
                for (const WorldHit& found : closest) answers.add(found.t, found.target, found.face);
                QueryScratch scratch;
                AlignedArray<Listed<WorldHit>> hits;
                answers.add(find(world, all, settings, scratch, hits).status);
                for (const Listed<WorldHit>& hit : hits)
                    answers.add(hit.query, hit.found.target, hit.found.t, hit.found.face);
                std::vector<std::uint64_t> bits(bit_word_count(kEnvironmentCount));
                answers.add(any(world, all, settings, bits).status);
                answers.add_all(bits);
            },
            true};
}

Calls world_query_calls() {
    const EnvironmentShapes& t = other_shapes();
    using Closest = std::span<WorldHit>;
    using Hits = AlignedArray<Listed<WorldHit>>;
    using Bits = std::span<std::uint64_t>;
    using Settings = WorldQuerySettings;
    using Scratch = QueryScratch;
    using Rays = std::span<const Ray>;
    using BoxCasts = std::span<const BoxCast>;
    using SphereCasts = std::span<const SphereCast>;
    using Asked = const WorldQueries&;
    return {
        world_overlaps_call("WorldQueries::find_overlaps of boxes", t.boxes),
        world_overlaps_call("WorldQueries::find_overlaps of points", t.points),
        world_overlaps_call("WorldQueries::find_overlaps of spheres", t.spheres),
        world_overlaps_call("WorldQueries::find_overlaps of oriented boxes", t.obbs),
        world_overlaps_call("WorldQueries::find_overlaps of volumes", casts().volumes),
        world_hits_call(
            "WorldQueries and rays", t.rays,
            [](Asked world, Rays rays, const Settings& settings, Closest out) {
                return world.closest_hits(rays, settings, out);
            },
            [](Asked world, Rays rays, const Settings& settings, Scratch& scratch, Hits& out) {
                return world.find_hits(rays, settings, scratch, out);
            },
            [](Asked world, Rays rays, const Settings& settings, Bits out) {
                return world.any_hit(rays, settings, out);
            }),
        world_hits_call(
            "WorldQueries and moving boxes", casts().boxes,
            [](Asked world, BoxCasts list, const Settings& settings, Closest out) {
                return world.closest_hits({list, Touch::closed}, settings, out);
            },
            [](Asked world, BoxCasts list, const Settings& settings, Scratch& scratch, Hits& out) {
                return world.find_hits({list, Touch::closed}, settings, scratch, out);
            },
            [](Asked world, BoxCasts list, const Settings& settings, Bits out) {
                return world.any_hit({list, Touch::closed}, settings, out);
            }),
        world_hits_call(
            "WorldQueries and moving spheres", casts().spheres,
            [](Asked world, SphereCasts list, const Settings& settings, Closest out) {
                return world.closest_hits(list, settings, out);
            },
            [](Asked world, SphereCasts list, const Settings& settings, Scratch& scratch, Hits& out) {
                return world.find_hits(list, settings, scratch, out);
            },
            [](Asked world, SphereCasts list, const Settings& settings, Bits out) {
                return world.any_hit(list, settings, out);
            }),
        {"WorldQueries and questions alone",
         [](const TaskRunner*, ResultBytes& answers) {
             add_alone(answers, asked_world().queries(), WorldQuerySettings{});
         }},
        {"WorldQueries::closest_objects",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             const WorldQueries world = asked_world().queries(runner);
             WorldQuerySettings settings;
             settings.runner = runner;
             std::vector<ClosestObject> near(3 * kEnvironmentCount);
             answers.add(world.closest_objects(t.points, {.count = 3}, settings, near).status);
             for (const ClosestObject& found : near) answers.add(found.distance_sq, found.target);
         },
         true},
    };
}

}  // namespace

TEST_CASE("find_pairs returns the same in every floating-point environment of caller and workers") {
    check_in_every_environment(pair_calls(), all_environments());
}

TEST_CASE(
    "a BoxTree is built and queried with the same results in every floating-point environment of caller and "
    "workers") {
    for (const auto& calls : {tree_upkeep_calls(), tree_query_calls(), tree_hit_calls()})
        check_in_every_environment(calls, all_environments());
}

TEST_CASE("a World returns the same in every floating-point environment of caller and workers") {
    for (const auto& calls : {world_calls(), world_query_calls()})
        check_in_every_environment(calls, all_environments());
}

TEST_CASE("separate boxes of denormal size do not pair on a thread that flushes denormal numbers") {
    BoxSoa boxes;
    for (int i = 0; i < 200; ++i) {
        const float begin = static_cast<float>(2 * i) * 0x1p-149f;
        const float end = static_cast<float>(2 * i + 1) * 0x1p-149f;
        REQUIRE(boxes.push_back({{begin, begin, begin}, {end, end, end}}) == Status::ok);
    }
    for_each_isa([&](Isa) {
        for (const PairAlgorithm algorithm : kAlgorithms) {
            FindPairsSettings settings;
            settings.algorithm = algorithm;
            PairBuffer pairs;
            Status status;
            {
                const ForeignEnvironment environment(
                    {kDefaultControlBits | kFlushesToZero | kDenormalsAreZeros, "FTZ DAZ"});
                status = find_pairs(boxes, settings, pairs).status;
            }
            CHECK(status == Status::ok);
            CHECK(pairs.is_empty());
        }
    });
}
