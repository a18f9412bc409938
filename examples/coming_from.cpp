// Calls of other libraries, translated: the code of docs/coming_from.md, section by section.
#include <broadside/clash.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/world.hpp>
#include <broadside/world_query.hpp>

#include <cstdio>
#include <vector>

using namespace broadside;

namespace {

void begin(std::uint64_t a, std::uint64_t b) {
    std::printf("%u and %u begin\n", static_cast<unsigned>(a), static_cast<unsigned>(b));
}
void end(std::uint64_t a, std::uint64_t b) {
    std::printf("%u and %u end\n", static_cast<unsigned>(a), static_cast<unsigned>(b));
}

bool from_bullet() {
    constexpr std::uint64_t kGround = 1, kDebris = 2;
    World world;
    // Group and mask are categories; the client object is user data.
    const ObjectHandle ground = world.add({.box = {{-9, -1, -9}, {9, 0, 9}},
                                           .kind = ObjectKind::fixed,
                                           .filter = {.category = kGround},
                                           .user_data = 1});
    const ObjectHandle stone = world.add(
        {.box = {{0, 5, 0}, {1, 6, 1}}, .filter = {.category = kDebris, .mask = kGround}, .user_data = 2});
    if (world.set_box(stone, {{0, -0.5f, 0}, {1, 0.5f, 1}}) != Status::ok) return false;
    if (world.update().status != Status::ok) return false;
    for (const WorldPair& pair : world.begun()) begin(world.user_data(pair.a), world.user_data(pair.b));

    const WorldHit hit = world.queries().closest_hit(Ray{{5, 9, 5}, {0, -1, 0}});
    return hit.target == ground && hit.t == 9;
}

bool from_jolt() {
    constexpr std::uint16_t kNonMoving = 0, kMoving = 1;
    World world;
    // ObjectLayerPairFilter::ShouldCollide as a table, tested inside the library.
    if (world.set_layers_pair(kNonMoving, kNonMoving, false) != Status::ok) return false;
    const ObjectDescription wall = {
        .box = {{0, 0, 0}, {1, 9, 9}}, .filter = {.layer = kNonMoving}, .user_data = 1};
    const ObjectDescription body = {
        .box = {{0.5f, 0, 0}, {2, 1, 1}}, .filter = {.layer = kMoving}, .user_data = 2};
    if (world.add(wall).is_null() || world.add(wall).is_null() || world.add(body).is_null()) return false;
    if (world.update().status != Status::ok) return false;

    // CollideSphere: a collector is a visitor, and ForceEarlyOut is false.
    std::vector<ObjectHandle> found;
    const Status visited =
        world.queries().visit_overlaps(Sphere{{3, 0.5f, 0.5f}, 1.5f}, {}, [&](ObjectHandle object) {
            found.push_back(object);
            return true;
        });
    return visited == Status::ok && world.pair_count() == 2 && found.size() == 1;
}

bool from_physx(const BoxSoaView& created_bounds, const BoxSoaView& updated_bounds) {
    World world;
    std::vector<ObjectHandle> handles(created_bounds.count);
    const ObjectDescription common = {.margin = 0.125f};  // the distance of PxBroadPhaseUpdateData
    if (world.add(created_bounds, common, handles).status != Status::ok) return false;
    if (world.update().status != Status::ok) return false;

    // A frame: updated and removed objects, then created and deleted pairs.
    const std::span<const ObjectHandle> updated(handles.data(), updated_bounds.count);
    if (world.set_boxes(updated, updated_bounds).status != Status::ok) return false;
    if (world.remove(handles.back()) != Status::ok) return false;
    if (world.update().status != Status::ok) return false;
    for (const WorldPair& pair : world.begun()) begin(pair.a.slot(), pair.b.slot());
    for (const EndedPair& pair : world.ended()) end(pair.a.slot(), pair.b.slot());
    return world.begun().size() == 1 && world.ended().size() == 1;
}

bool walk(const BoxTree& boxes) {
    MoverSettings settings;
    settings.up = {0, 1, 0};               // upDirection, mUp
    settings.step_height = 0.3f;           // stepOffset, mWalkStairsStepUp
    settings.min_ground_cosine = 0.7071f;  // slopeLimit, the cosine of mMaxSlopeAngle
    settings.contact_offset = 0.02f;       // contactOffset, mCharacterPadding
    settings.stick_distance = 0.3f;        // mStickToFloorStepDown

    Mover character;
    character.shape = {.form = MoverForm::capsule, .radius = 0.3f, .half_length = 0.6f};
    character.position = {0, 1, 0};
    character.displacement = {0.1f, -0.2f, 0};  // the disp of PxController::move, gravity included
    const MoverResult moved = step_mover(character, {.boxes = &boxes}, settings);
    return moved.status == MoverStatus::finished && moved.is_grounded;
}

bool from_box2d(BoxTree& tree) {
    // b2DynamicTree_RayCast: the callback returns how far the search goes on.
    float closest = 1;
    const Ray ray = {{-5, 0.5f, 0}, {20, 0, 0}, 1};  // t is the fraction
    const Status cast = tree.visit_hits(ray, {}, [&](const TreeHit& hit) {
        if (hit.target == 0) return kVisitAll;  // -1: ignore this proxy
        closest = hit.t;
        return hit.t;  // the fraction: clip here; 0 is kVisitNoMore
    });
    // b2DynamicTree_MoveProxy, and b2DynamicTree_DestroyProxy.
    if (tree.set_box(2, {{7, 0, 0}, {8, 1, 0}}) != Status::ok) return false;
    return cast == Status::ok && closest == 0.35f && tree.remove_box(1) == Status::ok;
}

bool from_embree(std::span<const Vec3> vertices, std::span<const std::uint32_t> triangles,
                 std::span<const Ray> rays) {
    // rtcNewGeometry, rtcSetSharedGeometryBuffer, rtcCommitScene.
    TriangleMesh mesh;
    if (mesh.build(vertices, triangles).status != Status::ok) return false;
    // rtcIntersect1 of many rays, and rtcOccluded1 of one.
    std::vector<MeshHit> hits(rays.size());
    if (mesh.closest_hits(rays, {}, hits).status != Status::ok) return false;
    const bool is_occluded = mesh.any_hit(rays[0]);
    // RTC_GEOMETRY_TYPE_INSTANCE.
    Transform world_from_mesh;
    world_from_mesh.translation = {10, 0, 0};
    const PlacedMesh instances[] = {{&mesh}, {&mesh, world_from_mesh}};
    MeshScene scene;
    if (scene.build(instances).status != Status::ok) return false;
    const SceneHit hit = scene.closest_hit(Ray{{10.25f, 0.25f, 5}, {0, 0, -1}});
    return is_occluded && hits[0].target == 0 && hit.target.instance_index == 1;
}

bool from_fcl(const TriangleMesh& mesh, const Transform& a, const Transform& b) {
    // collide: all contacts, or whether there are any. distance: of a point.
    MeshScratch scratch;
    std::vector<TrianglePair> pairs(100);
    const PlacedMesh first = {&mesh, a}, second = {&mesh, b};
    const WriteResult found = find_triangle_pairs(first, second, scratch, pairs);
    if (found.status != Status::ok) return false;
    const float distance = mesh.signed_distance(seen_from_mesh(a, Vec3{0.25f, 0.25f, 4}));
    // BroadPhaseCollisionManager::collide with FCL's collide in the callback: all of it in one call.
    BoxScratch clash_scratch;
    AlignedArray<Clash> clashes;
    const PlacedMesh parts[] = {first, second};
    if (find_clashes(parts, {}, clash_scratch, clashes).status != Status::ok) return false;
    return found.written > 0 && distance > 0 && clashes.size() == 1;
}

bool run() {
    if (!from_bullet()) return false;
    if (!from_jolt()) return false;

    BoxSoa created, updated;
    for (int i = 0; i < 3; ++i) {
        const float x = static_cast<float>(i);
        if (created.push_back({{x, 0, 0}, {x + 0.5f, 1, 1}}) != Status::ok) return false;
    }
    if (created.push_back({{2.25f, 0, 0}, {2.75f, 1, 1}}) != Status::ok) return false;
    if (updated.push_back({{1, 0, 0}, {1.5f, 1, 1}}) != Status::ok) return false;
    if (!from_physx(created, updated)) return false;

    BoxSoa boxes;
    for (const Aabb& box :
         {Aabb{{-9, -1, -9}, {9, 0, 9}}, Aabb{{4, 0, 0}, {5, 1, 0}}, Aabb{{2, 0, 0}, {3, 1, 0}}}) {
        if (boxes.push_back(box) != Status::ok) return false;
    }
    BoxTree tree;
    if (tree.build(boxes) != Status::ok || !walk(tree) || !from_box2d(tree)) return false;

    const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::uint32_t triangles[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    const Ray rays[] = {{{0.25f, 0.25f, -5}, {0, 0, 1}}};
    if (!from_embree(corners, triangles, rays)) return false;
    TriangleMesh mesh;
    if (mesh.build(corners, triangles).status != Status::ok) return false;
    Transform shifted;
    shifted.translation = {0.25f, 0.125f, 0.0625f};
    return from_fcl(mesh, {}, shifted);
}

}  // namespace

int main() {
    if (!run()) return 1;
    std::puts("all sections as the page says");
}
