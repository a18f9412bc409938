// Every struct that callers fill, filled by one designated initialiser. Compiling it is the test: with
// -Wextra and -Werror a field without an initialiser is an error. guards/public_structs_test.cpp checks that
// no struct is missing.
#include <broadside/box_filter.hpp>
#include <broadside/clash.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/exact_boxes.hpp>
#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_query.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/obb_triangle_compat.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_box_compat.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/shadow.hpp>
#include <broadside/sphere_tree.hpp>
#include <broadside/world.hpp>
#include <broadside/world_query.hpp>

#include <doctest/doctest.h>

using namespace broadside;

TEST_CASE("fields left out of a designated initialiser have their defaults, and no compiler warns") {
    const Vec3 point = Vec3{.x = 1.0f};
    const Aabb box = Aabb{.min = point};
    const float number = 1.0f;
    float answer = 0.0f;
    const std::uint64_t bits = 1;

    CHECK(point == Vec3{1.0f, 0.0f, 0.0f});
    CHECK(box.max == Vec3{});
    CHECK(Obb{.center = point}.axis_x == Vec3{1.0f, 0.0f, 0.0f});
    CHECK(Transform{.row_x = point}.row_y == Vec3{0.0f, 1.0f, 0.0f});
    CHECK(Plane{.normal = point}.offset == 0.0f);
    CHECK(Sphere{.center = point}.radius == 0.0f);
    CHECK(Triangle{.a = point}.c == Vec3{});
    CHECK(Ray{.origin = point}.t_max == FLT_MAX);
    CHECK_FALSE(RaySettings{.inside = Inside::miss}.is_conservative);
    CHECK(Mask4{.bits = 1}.bits == 1);
    CHECK(Box4{.min_x = {1.0f}}.max_x[0] < 0.0f);

    CHECK(!Allocator{.allocate = nullptr}.deallocate);
    CHECK(TaskRunner{.parallel_for = nullptr}.worker_count == 1);
    CHECK(ShadowSettings{.one_in = 2}.brute_force_max_count == 1024);

    CHECK(BoxSoaView{.min_x = &number}.count == 0);
    CHECK(BoxColumns<float>{.min_x = &answer}.count == 0);
    CHECK(ExactBoxView<float>{.min_x = &number}.axis_count == 3);
    CHECK(BoxAosView{.data = &box}.max_offset_bytes == 3 * sizeof(float));
    CHECK(Vec3SoaView{.x = &number}.count == 0);
    CHECK(SphereSoaView{.center_x = &number}.count == 0);
    CHECK(ObbSoaView{.center = {.x = &number}}.count() == 0);
    CHECK(TriangleSoaView{.a_x = &number}.group_bounds.count == 0);
    CHECK(Moving<BoxSoaView>{.shapes = {.min_x = &number}}.displacements.count == 0);
    CHECK(Moving<SphereSoaView>{.shapes = {.center_x = &number}}.displacements.count == 0);
    CHECK(RayOutputs{.t_enter = {&answer, 1}}.face.empty());
    CHECK(ClosestPointOutputs{.x = {&answer, 1}}.distance_sq.empty());

    CHECK_FALSE(BoxFilter{.categories = {&bits, 1}}.is_empty());
    CHECK(FindPairsSettings{.algorithm = PairAlgorithm::cells}.order == PairOrder::canonical);
    CHECK(CellCounts{.x = 1}.z == 0);
    CHECK(PairSink{.emit = nullptr}.user == nullptr);
    CHECK_FALSE(TreeQuerySettings{.categories = {&bits, 1}}.finds_all());
    CHECK(PlacedMesh{.mesh = nullptr}.obb_tree == nullptr);
    CHECK(ObbTreeSettings{.max_depth = 3}.leaf_triangle_count == 16);
    CHECK(MeshRelationSettings{.clearance = 1.0f}.find_contained);
    CHECK(MeshRelationSettings{.clearance = 1.0f}.runner == nullptr);
    CHECK(ClashSink{.emit = nullptr}.user == nullptr);
    CHECK(ListSink<TreeHit>{.emit = nullptr}.user == nullptr);
    CHECK(SceneTriangle{.instance_index = 1}.triangle_index == kNoTriangle);
    CHECK(TreeQuerySettings{.user = nullptr}.order == PairOrder::canonical);
    CHECK(ClosestBoxSettings{.count = 2}.max_distance > FLT_MAX);
    CHECK(Cast<Aabb>{.shape = box}.displacement == Vec3{});
    CHECK(Capsule{.a = point}.b == Vec3{});
    CHECK(ConvexVolume{.planes = {}}.planes.empty());

    CHECK(ObjectFilter{.category = 1}.mask == ~std::uint64_t{0});
    CHECK(ObjectDescription{.box = box}.kind == ObjectKind::moving);
    CHECK(WorldSettings{.order = WorldOrder::user_data}.max_pair_count == ~std::size_t{0});
    CHECK(WorldQuerySettings{.kinds = 1}.masks.empty());
    CHECK(StageInput{.boxes = {.min_x = &number}}.rays.empty());
    CHECK(MoverShape{.form = MoverForm::box}.radius == 0.0f);
    CHECK(Mover{.position = point}.displacement == Vec3{});
    CHECK(MoverObstacles{.boxes = nullptr}.meshes.empty());
    CHECK(MoverSettings{.step_height = 1.0f}.stick_distance == 0.0f);
    CHECK(StageSettings{.touch = Touch::open}.runner == nullptr);
}
