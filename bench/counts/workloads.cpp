// The workloads: one for each part of the library that a frame spends its time in.
#include "bench/counts/workloads.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/scenes/query_set.hpp>
#include <broadside/scenes/street_scene.hpp>
#include <broadside/scenes/terrain.hpp>
#include <broadside/sphere_overlap.hpp>
#include <broadside/world_query.hpp>

#include <cstdlib>
#include <memory>

namespace broadside::counts {
namespace {

constexpr std::size_t kBoxCount = 10000;
const std::string kBoxCountName = std::to_string(kBoxCount);

void require(bool is_true) {
    if (!is_true) std::abort();
}

BoxSoa boxes_of(const std::vector<Aabb>& made) {
    BoxSoa boxes;
    require(boxes.assign({.data = made.data(), .stride_bytes = sizeof(Aabb), .count = made.size()}) ==
            Status::ok);
    return boxes;
}

Workload find_pairs_workload(PairAlgorithm algorithm, const std::string& scene) {
    struct State {
        BoxSoa boxes;
        BoxScratch scratch;
        PairBuffer pairs;
    };
    const auto state = std::make_shared<State>();
    state->boxes = boxes_of(scenes::make_boxes(scenes::find_scene(scene).value().layout, kBoxCount));
    FindPairsSettings settings;
    settings.algorithm = algorithm;
    const std::string name = pair_algorithm_name(algorithm);
    return {
        "broadphase/find_pairs_" + name + "/" + scene + "/" + kBoxCountName, [state, settings] {
            require(find_pairs(state->boxes, settings, state->scratch, state->pairs).status == Status::ok);
        }};
}

// Data of a world beside the boxes, with the same pairs.
enum class Telling { batch, one_by_one, one_margin, margins, displacements, layer_rule, category };

// A world and the boxes of its next frame.
struct WorldState {
    WorldState(scenes::Layout layout, scenes::Motion motion, Telling told)
        : scene(layout, motion, kBoxCount), telling(told) {}

    void next_frame() {
        const std::vector<Aabb> before = frame.boxes;
        scene.frame(++frame_index, frame);
        std::vector<Aabb> boxes;
        moved.clear();
        for (std::size_t i = 0; i < kBoxCount; ++i) {
            if (frame.boxes[i] == before[i]) continue;
            boxes.push_back(frame.boxes[i]);
            moved.push_back(handles[i]);
        }
        if (telling == Telling::margins) {
            for (Aabb& box : boxes)
                box = {box.min + Vec3{kMargin, kMargin, kMargin}, box.max - Vec3{kMargin, kMargin, kMargin}};
        }
        moved_boxes = boxes_of(boxes);
        for (std::size_t i = 0; i < boxes.size(); ++i) single_boxes[i] = boxes[i];
    }
    void update() {
        if (telling == Telling::one_by_one) {
            const ObjectHandle* handle = moved.data();
            for (const Aabb& box : std::span(single_boxes).first(moved.size()))
                require(world.set_box(*handle++, box) == Status::ok);
        } else {
            require(world.set_boxes(moved, moved_boxes).status == Status::ok);
        }
        require(world.update().status == Status::ok);
    }
    void tell() {
        if (telling == Telling::one_margin) require(world.set_margin(handles[0], kMargin) == Status::ok);
        if (telling == Telling::margins) require(world.set_margin(handles, kMargin).status == Status::ok);
        if (telling == Telling::displacements) {
            // Too short to change a box, which must be compared nevertheless.
            const std::vector<float> steps(handles.size(), 1e-30f);
            const Vec3SoaView displacements = {steps.data(), steps.data(), steps.data(), steps.size()};
            require(world.set_displacements(handles, displacements).status == Status::ok);
        }
        if (telling == Telling::layer_rule) require(world.set_layers_pair(1, 2, false) == Status::ok);
        if (telling == Telling::category)
            require(world.set_filter(handles[0], {.category = 1}) == Status::ok);
    }

    static constexpr float kMargin = 0.01f;

    scenes::BoxScene scene;
    scenes::BoxFrame frame;
    std::uint64_t frame_index = 0;
    World world;
    std::vector<ObjectHandle> handles;
    std::vector<ObjectHandle> moved;
    BoxSoa moved_boxes;
    std::vector<Aabb> single_boxes = std::vector<Aabb>(kBoxCount);
    Telling telling;
};

// In a scene of which a tenth moves, the others are fixed. The world has its candidates before any counted
// frame.
Workload world_workload(const std::string& scene_name, const std::string& row, Telling telling) {
    constexpr int kFramesBefore = 36;
    const scenes::NamedScene scene = scenes::find_scene(scene_name).value();
    const auto state = std::make_shared<WorldState>(scene.layout, scene.motion, telling);
    state->scene.frame(0, state->frame);
    for (std::size_t i = 0; i < kBoxCount; ++i) {
        ObjectDescription description;
        description.box = state->frame.boxes[i];
        const bool is_fixed = scene.motion == scenes::Motion::a_tenth && i % 10 != 0;
        description.kind = is_fixed ? ObjectKind::fixed : ObjectKind::moving;
        state->handles.push_back(state->world.add(description));
    }
    state->tell();
    require(state->world.update().status == Status::ok);
    for (int frame = 0; frame < kFramesBefore; ++frame) {
        state->next_frame();
        state->update();
    }
    return {"broadphase/" + row + "/" + scene_name + "/" + kBoxCountName, [state] { state->update(); },
            [state] { state->next_frame(); }, 4};
}

void add_world_workloads(std::vector<Workload>& state_workloads) {
    const auto add = [&](const char* scene, const char* row, Telling telling) {
        state_workloads.push_back(world_workload(scene, row, telling));
    };
    add("uniform_moving", "world_frames", Telling::batch);
    add("static90", "world_frames", Telling::batch);
    add("uniform_moving", "world_set_single", Telling::one_by_one);
    add("uniform_moving", "world_one_margin", Telling::one_margin);
    add("uniform_moving", "world_margins", Telling::margins);
    add("uniform_moving", "world_displacements", Telling::displacements);
    add("uniform_moving", "world_layer_rule", Telling::layer_rule);
    add("uniform_moving", "world_category", Telling::category);
}

// The uniform scene and rays through it, for queries of a tree and of every box.
struct RayState {
    std::vector<Aabb> made = scenes::make_boxes(scenes::Layout::uniform, kBoxCount);
    std::vector<Ray> rays = scenes::make_queries(made, 2000, scenes::QueryOrder::incoherent).rays;
    BoxSoa boxes = boxes_of(made);
};

struct TreeState : RayState {
    BoxTree tree;
    std::vector<TreeHit> closest = std::vector<TreeHit>(rays.size());
};

void add_tree_workloads(std::vector<Workload>& state_workloads) {
    const auto state = std::make_shared<TreeState>();
    require(state->tree.build(state->boxes) == Status::ok);
    state_workloads.push_back({"broadphase/box_tree_build/uniform/" + kBoxCountName,
                               [state] { require(state->tree.build(state->boxes) == Status::ok); }});
    state_workloads.push_back({"broadphase/box_tree_rays/uniform/" + kBoxCountName, [state] {
                                   require(state->tree.closest_hits(state->rays, {}, state->closest).status ==
                                           Status::ok);
                               }});
}

struct QueriedWorld : RayState {
    World world;
    std::vector<ObjectHandle> handles = std::vector<ObjectHandle>(kBoxCount);
    Vec3 step = {0.05f, 0, 0};
    std::size_t shift = 0;

    QueriedWorld() { require(world.add(boxes, {}, handles).status == Status::ok); }
};

// The pattern of a physics engine between steps: a thousand times a box moves, back or forth, and one ray is
// cast.
Workload change_one_workload() {
    const auto state = std::make_shared<QueriedWorld>();
    return {"broadphase/world_move_one_ask_one/uniform/" + kBoxCountName, [state] {
                float sum = 0.0f;
                for (std::size_t k = 0; k < 1000; ++k) {
                    const std::size_t i = k * 7919 % kBoxCount;
                    Aabb& box = state->made[i];
                    box = {box.min + state->step, box.max + state->step};
                    require(state->world.set_box(state->handles[i], box) == Status::ok);
                    sum += state->world.queries().closest_hit(state->rays[k]).t;
                }
                require(sum > 0.0f);
                state->step = -state->step;
            }};
}

// A tenth of the objects leap, and one ray is cast: a build of the tree, and nothing done before it in vain.
Workload leap_workload() {
    const auto state = std::make_shared<QueriedWorld>();
    return {"broadphase/world_leap_ask_one/uniform/" + kBoxCountName, [state] {
                state->shift = kBoxCount / 2 - state->shift;
                for (std::size_t i = 0; i < kBoxCount; i += 10) {
                    const Aabb& box = state->made[(i + state->shift) % kBoxCount];
                    require(state->world.set_box(state->handles[i], box) == Status::ok);
                }
                require(state->world.queries().closest_hit(state->rays[0]).t > 0.0f);
            }};
}

// The pairs of a broadphase over the boxes of two frames.
Workload moving_aabb_workload() {
    struct State {
        BoxSoa boxes;
        std::vector<float> x, y, z;
        PairBuffer pairs;
        std::vector<float> toi;
        std::vector<Face> faces;
    };
    const auto state = std::make_shared<State>();
    const scenes::BoxScene scene(scenes::Layout::uniform, scenes::Motion::all, kBoxCount);
    scenes::BoxFrame frame;
    scene.frame(1, frame);
    state->boxes = boxes_of(frame.boxes);
    for (const Vec3& displacement : frame.displacements) {
        state->x.push_back(displacement.x);
        state->y.push_back(displacement.y);
        state->z.push_back(displacement.z);
    }
    BoxSoa swept;
    require(swept.resize(kBoxCount) == Status::ok);
    for (std::size_t i = 0; i < kBoxCount; ++i) {
        const Aabb& box = frame.boxes[i];
        const Vec3 by = frame.displacements[i];
        swept.set(i, include(box, Aabb{box.min + by, box.max + by}));
    }
    require(find_pairs(swept, state->pairs).status == Status::ok);
    state->toi.resize(state->pairs.size());
    state->faces.resize(state->pairs.size());
    return {"narrowphase/times_of_impact_of_pairs/uniform/" + kBoxCountName, [state] {
                const MovingBoxes bodies = {state->boxes,
                                            {state->x.data(), state->y.data(), state->z.data(), kBoxCount}};
                require(times_of_impact(bodies, bodies, state->pairs, Touch::closed, state->toi, state->faces)
                            .status == Status::ok);
            }};
}

Workload ray_workload() {
    constexpr std::size_t kRayCount = 32;
    struct State : RayState {
        std::vector<float> t_enter = std::vector<float>(kBoxCount);
        std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(bit_word_count(kBoxCount));
    };
    const auto state = std::make_shared<State>();
    return {"narrowphase/ray_boxes/uniform/" + kBoxCountName, [state] {
                for (std::size_t i = 0; i < kRayCount; ++i) {
                    const RayOutputs outputs = {.t_enter = state->t_enter, .hit_bits = state->bits};
                    require(ray_boxes(state->rays[i], state->boxes, {}, outputs).status == Status::ok);
                }
            }};
}

struct TerrainState {
    TriangleSoa triangles;
    std::vector<std::uint64_t> bits;
    std::vector<float> toi;
    std::vector<ContactAxis> axes;
};

// One turned box against every triangle of a terrain: without motion, and falling through it.
void add_terrain_workloads(std::vector<Workload>& state_workloads) {
    constexpr std::uint32_t kQuads = 128;
    scenes::TerrainSettings settings;
    settings.quad_count_per_side = kQuads;
    const scenes::Terrain terrain(settings);
    const auto state = std::make_shared<TerrainState>();
    const scene_io::TriangleMesh& mesh = terrain.mesh();
    const std::size_t count = mesh.triangles.size();
    require(state->triangles.assign(mesh.positions, {mesh.triangles.data()->data(), 3 * count}).status ==
            Status::ok);
    state->bits.resize(bit_word_count(count));
    state->toi.resize(count);
    state->axes.resize(count);
    // Half the terrain wide, so that the cull by groups leaves many triangles; turned by the angle of a 3-4-5
    // triangle.
    const float middle = static_cast<float>(kQuads);
    const Obb obb = {{middle, 3, middle}, {0.8f, 0.6f, 0}, {-0.6f, 0.8f, 0}, {0, 0, 1}, {64, 2, 64}};
    const std::string suffix = "/terrain/" + std::to_string(count);
    state_workloads.push_back({"narrowphase/overlap_triangles" + suffix, [state, obb] {
                                   require(overlaps(obb, state->triangles, state->bits).status == Status::ok);
                               }});
    state_workloads.push_back(
        {"narrowphase/obb_triangle_impacts" + suffix, [state, obb] {
             require(
                 times_of_impact(obb, {1, -8, 0.5f}, state->triangles, {}, state->toi, state->axes).status ==
                 Status::ok);
         }});
}

Workload sphere_workload() {
    struct State {
        BoxSoa boxes = boxes_of(scenes::make_boxes(scenes::Layout::uniform, kBoxCount));
        std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(bit_word_count(kBoxCount));
    };
    const auto state = std::make_shared<State>();
    return {"narrowphase/overlap_sphere_boxes/uniform/" + kBoxCountName, [state] {
                require(overlaps(Sphere{{1, 2, 3}, 5}, state->boxes, state->bits).status == Status::ok);
            }};
}

// One large box against the pieces of debris in the street.
Workload obb_workload() {
    constexpr std::size_t kObbCount = 4000;
    struct State {
        ObbSoa obbs;
        Obb obb;
        std::vector<float> depths = std::vector<float>(kObbCount);
        std::vector<ObbAxis> axes = std::vector<ObbAxis>(kObbCount);
    };
    const auto state = std::make_shared<State>();
    scenes::StreetSettings settings;
    settings.obb_count = kObbCount;
    scenes::StreetFrame frame;
    scenes::StreetScene(settings).frame(0, frame);
    require(state->obbs.assign(frame.obbs) == Status::ok);
    state->obb = frame.obbs[0];
    state->obb.half_extent = {20, 20, 20};
    return {
        "narrowphase/obb_contacts/debris/" + std::to_string(kObbCount), [state] {
            require(obb_contacts(state->obb, state->obbs, state->depths, state->axes).status == Status::ok);
        }};
}

struct StageState {
    explicit StageState(const scenes::StreetSettings& settings) : street(settings) {}

    scenes::StreetScene street;
    scenes::StreetFrame frame;
    BoxSoa boxes;
    TriangleSoa triangles;
    BoxSoa bounds;
    CollisionStage stage;
    StageInput input;
};

// Everything at once, as in the demo.
Workload stage_workload() {
    constexpr std::size_t kStreetBoxCount = 2000;
    scenes::StreetSettings settings;
    settings.box_count = kStreetBoxCount;
    settings.ray_count = 1000;
    settings.obb_count = 100;
    const auto state = std::make_shared<StageState>(settings);
    state->street.frame(0, state->frame);
    state->boxes = boxes_of(state->frame.boxes);
    const scene_io::TriangleMesh& mesh = state->street.terrain_mesh();
    const std::span<const std::uint32_t> indices(mesh.triangles.data()->data(), 3 * mesh.triangles.size());
    require(state->triangles.assign(mesh.positions, indices).status == Status::ok);
    require(triangle_bounds(state->triangles, state->bounds) == Status::ok);
    state->input.boxes = state->boxes;
    state->input.rays = state->frame.rays;
    state->input.obbs = state->frame.obbs;
    state->input.obb_displacements = state->frame.obb_displacements;
    state->input.triangles = state->triangles;
    state->input.triangle_bounds = state->bounds;
    return {"stage/step/street/" + std::to_string(kStreetBoxCount),
            [state] { require(state->stage.step(state->input, {}).status == Status::ok); }};
}

}  // namespace

std::vector<Workload> make_workloads() {
    std::vector<Workload> workloads;
    for (const PairAlgorithm algorithm : {PairAlgorithm::cells, PairAlgorithm::sweep_and_prune}) {
        for (const char* scene : {"uniform", "pile"}) {
            workloads.push_back(find_pairs_workload(algorithm, scene));
        }
    }
    add_world_workloads(workloads);
    add_tree_workloads(workloads);
    workloads.push_back(change_one_workload());
    workloads.push_back(leap_workload());
    workloads.push_back(moving_aabb_workload());
    workloads.push_back(ray_workload());
    add_terrain_workloads(workloads);
    workloads.push_back(sphere_workload());
    workloads.push_back(obb_workload());
    workloads.push_back(stage_workload());
    return workloads;
}

}  // namespace broadside::counts
