// A session over every object that takes an allocator, with each of its allocations failing in turn: the
// failing call returns out_of_memory, the repeated call returns the usual result, and nothing is lost.
#include "tests/broadphase/exact/exact_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/guards/source_tree.hpp"
#include "tests/stage/stage_scene.hpp"
#include "tests/support/answers.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/bits.hpp>
#include <broadside/clash.hpp>
#include <broadside/mesh.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/prepared_objects.hpp>
#include <broadside/sphere_tree.hpp>
#include <broadside/world_view.hpp>

#include <regex>
#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

Status status_of(Status status) { return status; }
template <class Result>
Status status_of(const Result& result) {
    return result.status;
}

// Runs its calls until they succeed, and keeps their results.
class Session {
public:
    explicit Session(FaultyAllocator& allocator) : allocator_(&allocator) {}

    Allocator memory() const { return allocator_->hook(); }
    Answers answers;

    /// `call` is ok in the end. Every failure before is out_of_memory, and only a refused request causes one.
    template <class Call>
    void must(const char* name, Call&& call) {
        INFO(std::string(name) << ", request " << allocator_->fail_first << " fails");
        for (;;) {
            const std::size_t refused_before = allocator_->refused_count;
            const Status status = status_of(call());
            if (status == Status::ok) return;
            const bool was_refused = allocator_->refused_count != refused_before;
            REQUIRE(was_refused);
            REQUIRE(status == Status::out_of_memory);
            ++seen_count_;
        }
    }
    /// A check by the test, which never lacks memory.
    template <class Check>
    bool undisturbed(Check&& check) {
        allocator_->is_resting = true;
        const bool is_good = check();
        allocator_->is_resting = false;
        return is_good;
    }
    std::size_t seen_count() const { return seen_count_; }

private:
    FaultyAllocator* allocator_;
    std::size_t seen_count_ = 0;
};

constexpr std::size_t kCount = 260;
struct Material {
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount, 1);
    std::vector<Aabb> later_boxes = boxes;
    BoxSoa soa = soa_of(boxes);
    BoxSoa later;
    BoxSoa few = soa_of(make_scene(pair_scenes()[0], 90, 2));
    std::vector<std::uint64_t> mover_bits = std::vector<std::uint64_t>(bit_word_count(kCount));
    TreeQuestions questions = make_questions(boxes, 40, 3);

    Material() {
        for (std::size_t i = 0; i < kCount; i += 7) {
            later_boxes[i] = {boxes[i].min + Vec3{1, 0, 2}, boxes[i].max + Vec3{1, 0, 2}};
            mover_bits[i / 64] |= std::uint64_t{1} << (i % 64);
        }
        later = soa_of(later_boxes);
    }
};
const Material& material() {
    static const Material all;
    return all;
}

void hold_shapes(Session& session) {
    const Material& m = material();
    BoxSoa boxes(session.memory());
    session.must("BoxSoa::resize", [&] { return boxes.resize(5); });
    for (std::size_t i = 0; i < 40; ++i)
        session.must("BoxSoa::push_back", [&] { return boxes.push_back(m.boxes[i]); });
    for (std::size_t i = 0; i < boxes.count(); ++i) session.answers.add(boxes[i]);
    const BoxAosView structs = {m.boxes.data(), sizeof(Aabb), 0, 3 * sizeof(float), m.boxes.size()};
    session.must("BoxSoa::assign, structs", [&] { return boxes.assign(structs); });
    session.must("BoxSoa::assign", [&] { return boxes.assign(m.later.view()); });
    for (std::size_t i = 0; i < boxes.count(); ++i) session.answers.add(boxes[i]);

    ObbSoa obbs(session.memory());
    session.must("ObbSoa::resize", [&] { return obbs.resize(3); });
    session.must("ObbSoa::assign", [&] { return obbs.assign(m.questions.obbs); });
    for (std::size_t i = 0; i < obbs.count(); ++i) session.answers.add(obbs[i].half_extent);

    TriangleSoa triangles(session.memory());
    const std::vector<std::uint32_t> indices = {0, 1, 2, 2, 3, 4, 5, 1, 0};
    session.must("TriangleSoa::assign", [&] { return triangles.assign(m.questions.points, indices); });
    session.must("TriangleSoa::resize", [&] { return triangles.resize(70); });
    session.must("TriangleSoa::update_group_bounds", [&] { return triangles.update_group_bounds(); });
    BoxSoa bounds(session.memory());
    session.must("triangle_bounds", [&] { return triangle_bounds(triangles, bounds); });
    for (std::size_t i = 0; i < bounds.count(); ++i) session.answers.add(bounds[i]);
    for (std::size_t i = 0; i < triangles.view().group_bounds.count; ++i)
        session.answers.add(triangles.view().group_bounds[i]);
}

void hold_rows(Session& session) {
    const Material& m = material();
    const std::vector<float> ones(kCount, 1.0f);
    const MovingBoxes moving = {m.soa, {ones.data(), ones.data(), ones.data(), kCount}};
    RestingBoxRows resting(session.memory());
    MovingBoxRows movers(session.memory());
    BodyBoxRows bodies(session.memory());
    session.must("RestingBoxRows::prepare", [&] { return resting.prepare(m.later); });
    session.must("MovingBoxRows::prepare", [&] { return movers.prepare(moving); });
    session.must("BodyBoxRows::prepare", [&] { return bodies.prepare(moving); });
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 1; i < kCount; ++i) pairs.push_back({i - 1, i});
    std::vector<float> times(pairs.size());
    session.must("times_of_impact", [&] { return times_of_impact(resting, movers, pairs, times); });
    for (const float time : times) session.answers.add(time);
    session.must("times_of_impact, bodies",
                 [&] { return times_of_impact(bodies, bodies, pairs, Touch::open, times); });
    for (const float time : times) session.answers.add(time);
}

void find_all_pairs(Session& session) {
    const Material& m = material();
    BoxScratch scratch(session.memory());
    PairBuffer pairs(session.memory());
    ShuffledRunner threads(4, 3);
    FindPairsSettings settings;
    const auto find = [&](const char* name, auto&& call) {
        session.must(name, call);
        session.answers.add_pairs(pairs);
    };
    for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
        settings.runner = runner;
        for (const PairOrder order : {PairOrder::by_algorithm, PairOrder::canonical}) {
            settings.order = order;
            for (const PairAlgorithm algorithm : {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune,
                                                  PairAlgorithm::cells, PairAlgorithm::automatic}) {
                settings.algorithm = algorithm;
                find("find_pairs", [&] { return find_pairs(m.soa, settings, scratch, pairs); });
                find("find_pairs, two sets",
                     [&] { return find_pairs(m.soa, m.few, settings, scratch, pairs); });
            }
        }
    }
    // A subset of many takes lists of its own.
    const BoxSoa many = soa_of(make_scene(pair_scenes()[0], 1500, 4));
    std::vector<std::uint64_t> few_bits(bit_word_count(many.count()), 0x10);
    settings = {};
    settings.filter.subset_bits = few_bits;
    find("find_pairs, subset of many", [&] { return find_pairs(many, settings, scratch, pairs); });
    settings.filter.subset_bits = m.mover_bits;
    find("find_pairs, subset", [&] { return find_pairs(m.soa, settings, scratch, pairs); });
    RestingBoxes resting(session.memory());
    session.must("RestingBoxes::build", [&] { return resting.build(m.soa, m.mover_bits); });
    find("RestingBoxes::find_pairs", [&] { return resting.find_pairs(m.later, settings, scratch, pairs); });
    session.must("RestingBoxes::build, again",
                 [&] { return resting.build(m.later, m.mover_bits, threads.runner()); });
    find("RestingBoxes::find_pairs, again",
         [&] { return resting.find_pairs(m.soa, settings, scratch, pairs); });
    BoxScratch sorting(session.memory());
    session.must("RestingBoxes::build, in a scratch",
                 [&] { return resting.build(m.soa, m.mover_bits, nullptr, sorting); });
    find("RestingBoxes::find_pairs, built in a scratch",
         [&] { return resting.find_pairs(m.later, settings, scratch, pairs); });
    PairCache cache(0.5f, session.memory());
    for (int frame = 0; frame < 8; ++frame) {
        find("PairCache::find_pairs",
             [&] { return cache.find_pairs(frame % 2 == 0 ? m.soa : m.later, {}, scratch, pairs); });
    }
}

// Rays, casts and overlaps, which trees and worlds have under the same names.
template <class Hit, class Asked, class Settings, class Scratch, class Overlaps, class AddOverlaps,
          class AddHits>
void ask_all(const Asked& asked, const Settings& settings, Scratch& scratch, Overlaps& overlaps,
             AlignedArray<Hit>& hits, AddOverlaps&& add_overlaps, AddHits&& add_hits, Session& session) {
    const TreeQuestions& questions = material().questions;
    const auto find_overlaps = [&](const char* name, const auto& shapes) {
        const std::span queries(shapes);
        session.must(name, [&] { return asked.find_overlaps(queries, settings, scratch, overlaps); });
        add_overlaps();
    };
    find_overlaps("find_overlaps, boxes", questions.boxes);
    find_overlaps("find_overlaps, points", questions.points);
    find_overlaps("find_overlaps, spheres", questions.spheres);
    find_overlaps("find_overlaps, oriented boxes", questions.obbs);
    find_overlaps("find_overlaps, volumes", questions.volumes);
    session.must("find_hits", [&] { return asked.find_hits(questions.rays, settings, scratch, hits); });
    add_hits();
    const std::span<const BoxCast> casts = questions.casts;
    session.must("find_impacts, boxes", [&] {
        return asked.find_hits({casts, Touch::closed}, settings, scratch, hits);
    });
    add_hits();
    const std::span<const SphereCast> spheres = questions.sphere_casts;
    session.must("find_impacts, spheres", [&] { return asked.find_hits(spheres, settings, scratch, hits); });
    add_hits();
}

void ask_trees(Session& session) {
    const Material& m = material();
    BoxTree tree(session.memory());
    BoxScratch scratch(session.memory());
    PairBuffer pairs(session.memory());
    AlignedArray<Listed<TreeHit>> hits(session.memory());
    ShuffledRunner threads(5, 3);
    TreeQuerySettings settings;
    const auto ask = [&] {
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
            settings.runner = runner;
            ask_all<Listed<TreeHit>>(
                tree, settings, scratch, pairs, hits, [&] { session.answers.add_pairs(pairs); },
                [&] {
                    session.answers.add_all(hits, [&](const Listed<TreeHit>& hit) {
                        session.answers.add(hit.query);
                        session.answers.add(hit.found.target);
                        session.answers.add(hit.found.t);
                    });
                },
                session);
        }
        session.must("BoxTree::find_pairs", [&] { return tree.find_pairs({}, scratch, pairs); });
        session.answers.add_pairs(pairs);
    };
    session.must("BoxTree::build", [&] { return tree.build(m.few); });
    ask();
    // Members move, are added and removed.
    for (std::uint32_t i = 0; i < kCount; ++i)
        session.must("BoxTree::set_box", [&] { return tree.set_box(i, m.boxes[i]); });
    for (std::uint32_t i = 0; i < kCount; i += 3)
        session.must("BoxTree::remove_box", [&] { return tree.remove_box(i); });
    ask();
    session.must("BoxTree::update", [&] { return tree.update(m.soa, threads.runner()); });
    session.must("BoxTree::refit", [&] { return tree.refit(m.later); });
    session.must("BoxTree::build_subset", [&] { return tree.build_subset(m.soa, m.mover_bits); });
    BoxTree other(session.memory());
    session.must("BoxTree::build, another", [&] { return other.build(m.later, threads.runner()); });
    session.must("BoxTree::find_pairs, two trees",
                 [&] { return tree.find_pairs(other, {}, scratch, pairs); });
    session.answers.add_pairs(pairs);
    // A tree that was never built grows box by box.
    BoxTree grown(session.memory());
    for (std::uint32_t i = 0; i < kCount; ++i)
        session.must("BoxTree::set_box, grown", [&] { return grown.set_box(i, m.later_boxes[i]); });
    session.must("BoxTree::find_pairs, grown", [&] { return grown.find_pairs({}, scratch, pairs); });
    session.answers.add_pairs(pairs);
}

void hold_exact_boxes(Session& session) {
    BoxScratch scratch(session.memory());
    BoxScratch tree_scratch(session.memory());
    ExactBoxTree<double> tree(session.memory());
    PairBuffer pairs(session.memory());
    ShuffledRunner threads(9, 3);
    const auto scenes = exact_scenes<double>(kCount, 4);
    for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
        // One that floats decide, and one with listed numbers.
        for (const std::size_t index : {std::size_t{0}, std::size_t{7}}) {
            const ExactBoxView<double> boxes = scenes[index].view();
            session.must("find_pairs, exact",
                         [&] { return find_pairs(boxes, {.runner = runner}, scratch, pairs); });
            session.answers.add_pairs(pairs);
            session.must("find_pairs, exact, two sets",
                         [&] { return find_pairs(boxes, boxes, {.runner = runner}, scratch, pairs); });
            session.answers.add_pairs(pairs);
            session.must("ExactBoxTree::build", [&] { return tree.build(boxes, runner); });
            session.must("ExactBoxTree::find_overlaps",
                         [&] { return tree.find_overlaps(boxes, {.runner = runner}, tree_scratch, pairs); });
            session.answers.add_pairs(pairs);
            session.must("ExactBoxTree::find_pairs",
                         [&] { return tree.find_pairs({.runner = runner}, tree_scratch, pairs); });
            session.answers.add_pairs(pairs);
        }
    }
}

void add_pairs_of(World& world, Session& session) {
    const auto add = [&](const auto& pairs) {
        session.answers.add_all(pairs, [&](const auto& pair) {
            session.answers.add(pair.a.value);
            session.answers.add(pair.b.value);
        });
    };
    add(world.begun());
    add(world.ended());
    // Empty if there is no memory for it.
    session.must("World::pairs", [&] {
        return world.pairs().size() == world.pair_count() ? Status::ok : Status::out_of_memory;
    });
    session.must("World::persisting", [&] {
        return world.persisting().size() + world.begun().size() == world.pair_count() ? Status::ok
                                                                                      : Status::out_of_memory;
    });
    add(world.pairs());
    add(world.persisting());
    session.answers.add(world.pairs_hash());
    REQUIRE(session.undisturbed([&] { return world.is_consistent(); }));
}

void live_in_world(Session& session, WorldOrder order) {
    const Material& m = material();
    WorldSettings world_settings;
    world_settings.order = order;
    World world(world_settings, session.memory());
    std::vector<ObjectHandle> handles(kCount);
    std::vector<ObjectDescription> descriptions;
    for (std::size_t i = 0; i < kCount; ++i) {
        descriptions.push_back(described(m.boxes[i], i % 5 == 0 ? ObjectKind::fixed : ObjectKind::moving));
        descriptions.back().user_data = 1000 - i;
    }
    ShuffledRunner threads(6, 3);
    const auto update_world = [&](const TaskRunner* runner) {
        session.must("World::update", [&] { return world.update(runner); });
        add_pairs_of(world, session);
    };
    session.must("World::add", [&] { return world.add(descriptions, handles); });
    for (const ObjectHandle handle : handles) session.answers.add(handle.value);
    update_world(nullptr);
    for (int frame = 0; frame < 6; ++frame) {
        const std::vector<Aabb>& boxes = frame % 2 == 0 ? m.later_boxes : m.boxes;
        const std::size_t one_in = frame < 4 ? 7 : 1;
        for (std::size_t i = 0; i < kCount; i += one_in)
            session.must("World::set_box", [&] { return world.set_box(handles[i], boxes[i]); });
        if (frame == 2) {
            session.must("World::remove", [&] { return world.remove(std::span(handles).first(30)); });
            session.must("World::add, again", [&] {
                return world.add(std::span(descriptions).first(30), std::span(handles).first(30));
            });
        }
        if (frame == 3) {
            session.must("World::set_margin",
                         [&] { return world.set_margin(std::span(handles).subspan(40, 9), 0.3f); });
            session.must("World::set_kind", [&] {
                return world.set_kind(std::span(handles).subspan(90, 60), ObjectKind::resting);
            });
            session.must("World::set_filter", [&] {
                return world.set_filter(std::span(handles).subspan(50, 9), {.category = 2, .mask = 5});
            });
            session.must("World::set_layers_pair", [&] { return world.set_layers_pair(0, 1, false); });
            session.must("World::shift_origin", [&] { return world.shift_origin({1, 0, 0}); });
        }
        update_world(frame % 2 == 0 ? nullptr : threads.runner());
    }
    // One that moves on alone, until a tree is used to find it.
    for (int frame = 0; frame < 12; ++frame) {
        session.must("World::set_box, alone",
                     [&] { return world.set_box(handles[60], m.boxes[frame % 2 == 0 ? 61 : 60]); });
        update_world(nullptr);
    }

    BoxScratch scratch(session.memory());
    AlignedArray<Listed<ObjectHandle>> overlaps(session.memory());
    AlignedArray<Listed<WorldHit>> hits(session.memory());
    const auto ask = [&](const TaskRunner* runner) {
        WorldQueries queries;
        session.must("World::queries", [&] {
            queries = world.queries(runner);
            return queries.status();
        });
        WorldQuerySettings settings;
        settings.runner = runner;
        ask_all<Listed<WorldHit>>(
            queries, settings, scratch, overlaps, hits,
            [&] {
                session.answers.add_all(overlaps, [&](const Listed<ObjectHandle>& overlap) {
                    session.answers.add(overlap.query);
                    session.answers.add(overlap.found.value);
                });
            },
            [&] {
                session.answers.add_all(hits, [&](const Listed<WorldHit>& hit) {
                    session.answers.add(hit.query);
                    session.answers.add(hit.found.target.value);
                    session.answers.add(hit.found.t);
                });
            },
            session);
    };
    ask(nullptr);
    session.must("World::set_box, asked", [&] { return world.set_box(handles[3], m.boxes[9]); });
    session.must("World::remove, asked", [&] { return world.remove(handles[4]); });
    ask(threads.runner());

    // In two steps, beside a held view.
    const auto view_world = [&] {
        WorldView view;
        session.must("World::view", [&] {
            view = world.view();
            return view.status();
        });
        return view;
    };
    const WorldView before = view_world();
    PreparedObjects prepared(session.memory());
    session.must("PreparedObjects::prepare",
                 [&] { return prepared.prepare(std::span(descriptions).first(20)); });
    std::vector<ObjectHandle> more(20);
    session.must("World::add, prepared", [&] { return world.add(prepared, more); });
    for (const ObjectHandle handle : more) session.answers.add(handle.value);
    const WorldView after = view_world();
    for (const Ray& ray : m.questions.rays) {
        session.answers.add(before->closest_hit(ray).target.value);
        session.answers.add(after->closest_hit(ray).target.value);
    }
    update_world(nullptr);

    std::vector<std::byte> bytes(world.snapshot_bytes());
    session.must("World::save", [&] { return world.save(bytes); });
    World other({}, session.memory());
    session.must("World::restore", [&] { return other.restore(bytes); });
    session.must("World::update, restored", [&] { return other.update(); });
    add_pairs_of(other, session);
}

void live_in_worlds(Session& session) {
    live_in_world(session, WorldOrder::slot);
    live_in_world(session, WorldOrder::user_data);
}

void step_stage(Session& session) {
    ShuffledRunner threads(7, 3);
    CollisionStage stage(session.memory());
    for (std::size_t frame = 0; frame < 4; ++frame) {
        StageScene scene = make_stage_scene(frame, 120 + 20 * frame, frame == 1, true);
        const StageInput input = scene.input();
        StageSettings settings;
        settings.report_all_ray_hits = frame % 2 != 0;
        settings.runner = frame < 2 ? nullptr : threads.runner();
        session.must("CollisionStage::step", [&] { return stage.step(input, settings); });
        session.answers.add(stage.result_hash());
    }
}

// A sheet of triangles that is queried, saved and restored.
void ask_meshes(Session& session) {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < 60; ++i) {
        const float x = static_cast<float>(i);
        vertices.insert(vertices.end(), {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
        for (std::uint32_t k = 0; k < 3; ++k) indices.push_back(3 * i + k);
    }
    TriangleMesh mesh(session.memory());
    ShuffledRunner threads(11, 3);
    session.must("TriangleMesh::build", [&] { return mesh.build(vertices, indices); });
    session.must("TriangleMesh::build, in tasks",
                 [&] { return mesh.build(vertices, indices, threads.runner()); });
    MeshScratch scratch(session.memory());
    const Sphere spheres[] = {{{10, 0, 0}, 3}, {{40, 0, 0}, 0.25f}};
    std::vector<IndexPair> pairs(100);
    WriteResult found;
    session.must("TriangleMesh::find_overlaps",
                 [&] { return found = mesh.find_overlaps(spheres, {}, scratch, pairs); });
    session.answers.add_pairs(std::span<const IndexPair>(pairs).first(found.written));
    std::vector<Listed<MeshHit>> hits(100);
    const Ray rays[] = {{{20.25f, 0.25f, 1}, {0, 0, -1}}, {{-1, 0.5f, 1}, {30, 0, -1}}};
    session.must("TriangleMesh::find_hits", [&] { return found = mesh.find_hits(rays, {}, scratch, hits); });
    for (std::size_t i = 0; i < found.written; ++i) session.answers.add(hits[i].found.t);
    const SphereCast casts[] = {{{{20.25f, 0.25f, 1}, 0.5f}, {3, 0, -2}}};
    std::vector<Listed<MeshImpact>> impacts(1000);
    session.must("TriangleMesh::find_hits, casts",
                 [&] { return found = mesh.find_hits(casts, {}, scratch, impacts); });
    session.answers.add(found.required);
    std::vector<std::byte> bytes(mesh.snapshot_bytes());
    session.must("TriangleMesh::save", [&] { return mesh.save(bytes); });
    TriangleMesh copy(session.memory());
    session.must("TriangleMesh::restore", [&] { return copy.restore(bytes); });
    session.answers.add(copy.triangle_count());
    ObbTree tree(session.memory());
    session.must("ObbTree::build", [&] { return tree.build(mesh, {48, 4}); });
    MeshScratch pair_scratch(session.memory());
    std::vector<TrianglePair> met(1000);
    WriteResult result;
    session.must("find_triangle_pairs", [&] {
        const PlacedMesh placed = {&mesh, {}, &tree};
        return (result = find_triangle_pairs(placed, placed, pair_scratch, met)).status;
    });
    session.answers.add(result.required);
    SphereTree parts(session.memory());
    session.must("SphereTree::build", [&] { return parts.build(mesh).status; });
    WriteResult part_pairs;
    std::vector<IndexPair> met_parts(4000);
    session.must("find_part_pairs", [&] {
        return (part_pairs = find_part_pairs(parts, {}, parts, {}, pair_scratch, met_parts)).status;
    });
    session.answers.add(part_pairs.required);
    std::vector<PlacedMesh> instances;
    for (int i = 0; i < 30; ++i)
        instances.push_back({&mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {static_cast<float>(i), 0.5f, 0}}});
    BoxScratch clash_scratch(session.memory());
    std::vector<Clash> clashes(1000);
    ClashResult clashing;
    session.must("find_clashes", [&] {
        return (clashing = find_clashes(instances, {}, clash_scratch, std::span(clashes))).status;
    });
    session.answers.add(clashing.required);
    MeshScene scene(session.memory());
    session.must("MeshScene::build", [&] { return scene.build(instances).status; });
    session.must("MeshScene::update",
                 [&] { return scene.update(std::vector<Transform>(instances.size())).status; });
    MeshScratch scene_scratch(session.memory());
    std::vector<Listed<SceneTriangle>> overlaps(2000);
    session.must("MeshScene::find_overlaps",
                 [&] { return found = scene.find_overlaps(spheres, {}, scene_scratch, overlaps); });
    session.answers.add(found.required);
    std::vector<Listed<SceneHit>> scene_hits(2000);
    session.must("MeshScene::find_hits",
                 [&] { return found = scene.find_hits(rays, {}, scene_scratch, scene_hits); });
    session.answers.add(found.required);
    std::vector<Listed<SceneImpact>> scene_impacts(4000);
    session.must("MeshScene::find_hits, casts",
                 [&] { return found = scene.find_hits(casts, {}, scene_scratch, scene_impacts); });
    session.answers.add(found.required);
}

struct Part {
    const char* name;
    void (*run)(Session& session);
    /// Failed requests that no status reports: of constructors of worlds, whose memory the first call
    /// allocates; of arrays of the tree that would replace a degraded one; of candidates in steady motion,
    /// and of the tree and the pairs of few changed objects, without which an update searches in the general
    /// way; and of the spare room of a growing array, which then grows only to the needed size.
    std::size_t unseen_count = 0;
};
constexpr Part kParts[] = {
    {"shapes", hold_shapes},        {"rows", hold_rows},
    {"pairs", find_all_pairs, 4},   {"trees", ask_trees, 26},
    {"worlds", live_in_worlds, 50}, {"the stage", step_stage, 14},
    {"meshes", ask_meshes},         {"exact boxes", hold_exact_boxes},
};

// The failures that no status reports; all results are as if no allocation had failed.
std::size_t count_unseen_failures(const Part& part) {
    INFO(std::string(part.name));
    FaultyAllocator undisturbed;
    Session expected(undisturbed);
    part.run(expected);
    REQUIRE(undisturbed.live_bytes == 0);
    REQUIRE(undisturbed.request_count >= 3);
    std::size_t unseen_count = 0;
    for (const std::size_t fail_count : {1u, 3u}) {
        // Every single one; a sample of several in a row.
        const std::size_t step = fail_count == 1 ? 1 : 5;
        for (std::size_t first = 0; first < undisturbed.request_count; first += step) {
            INFO("request " << first << " fails, " << fail_count << " in a row");
            FaultyAllocator allocator;
            allocator.fail_first = first;
            allocator.fail_count = fail_count;
            Session session(allocator);
            part.run(session);
            // Fewer at the end, if a failure saves the requests after it.
            REQUIRE(allocator.refused_count == std::min(fail_count, allocator.request_count - first));
            REQUIRE(session.answers == expected.answers);
            REQUIRE(allocator.live_bytes == 0);
            unseen_count += fail_count == 1 && session.seen_count() == 0 ? 1 : 0;
        }
    }
    return unseen_count;
}

}  // namespace

TEST_CASE("a failing allocation is out_of_memory, and the repeated call returns as if it had not failed" *
          kLong) {
    for (const Part& part : kParts) {
        INFO(std::string(part.name));
        CHECK(count_unseen_failures(part) == part.unseen_count);
    }
}

TEST_CASE("a failing allocation is out_of_memory in worlds and trees, at any thresholds" * kLong) {
    for (const Part& part : kParts) {
        if (part.unseen_count == 0) continue;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            INFO("seed " << seed);
            const DrawnThresholds drawn(seed);
            (void)count_unseen_failures(part);
        }
    }
}

// A new object that takes an allocator is added above.
TEST_CASE("every object with an allocator is tested here") {
    static const std::regex constructor(
        R"(\b(\w+)\((?:[\w ]+, |const WorldSettings& settings = \{\},\s*)?const Allocator& allocator(?:_in)? = default)");
    std::set<std::string> names;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) continue;
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), constructor), end; match != end;
             ++match) {
            names.insert((*match)[1]);
        }
    }
    // Arrays are in all of them; a ZoneTrace has a test of its own (tests/zones).
    CHECK(names == std::set<std::string>{
                       "AlignedArray",   "BodyBoxRows",  "BoxScratch", "BoxSoa",       "BoxTree",
                       "CollisionStage", "ExactBoxTree", "MeshScene",  "MeshScratch",  "MovingBoxRows",
                       "ObbSoa",         "ObbTree",      "PairCache",  "Pairs",        "PreparedObjects",
                       "RestingBoxRows", "RestingBoxes", "SphereTree", "TriangleMesh", "TriangleSoa",
                       "World",          "ZoneTrace"});
}
