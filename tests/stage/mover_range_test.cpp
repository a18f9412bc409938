// Movers over the whole float range: wishes far longer than their world, worlds of any size, far from the
// origin, and too many obstacles.
#include "core/src/geometry/vec3_double.hpp"
#include "tests/stage/mover_world.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/mesh_scene.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr double kLargest = FLT_MAX;

float part_of(float min, float max, int i, int count) {
    const double share = static_cast<double>(i) / count;
    return static_cast<float>(static_cast<double>(min) * (1.0 - share) + static_cast<double>(max) * share);
}
float& on_axis(Vec3& a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
float on_axis(const Vec3& a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
// The six faces of a box, each of this many quads by this many.
void add_faces(MoverWorld& world, const Aabb& box, int count) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const Vec3& side : {box.min, box.max}) {
            const auto corner = [&](int u, int v) {
                Vec3 at = side;
                const int axis_u = (axis + 1) % 3, axis_v = (axis + 2) % 3;
                on_axis(at, axis_u) = part_of(on_axis(box.min, axis_u), on_axis(box.max, axis_u), u, count);
                on_axis(at, axis_v) = part_of(on_axis(box.min, axis_v), on_axis(box.max, axis_v), v, count);
                return at;
            };
            for (int u = 0; u < count; ++u) {
                for (int v = 0; v < count; ++v)
                    world.add_quad(corner(u, v), corner(u + 1, v), corner(u + 1, v + 1), corner(u, v + 1));
            }
        }
    }
}
void add_walls(MoverWorld& world, const Aabb& room) {
    for (int axis = 0; axis < 3; ++axis) {
        Aabb below = room, above = room;
        on_axis(below.max, axis) = on_axis(room.min, axis);
        on_axis(above.min, axis) = on_axis(room.max, axis);
        world.boxes.push_back(below);
        world.boxes.push_back(above);
    }
}
bool is_strictly_in(const Aabb& room, Vec3 at) {
    return room.min.x < at.x && at.x < room.max.x && room.min.y < at.y && at.y < room.max.y &&
           room.min.z < at.z && at.z < room.max.z;
}
MoverShape shape_of(Random& random, float size) {
    const auto form = static_cast<MoverForm>(random.below(3));
    const float radius = random.chance(5) ? 0.0f : size * random.unit();
    return {form, Vec3{size * random.unit(), size * random.unit(), size} * 0.7f, radius,
            size * random.unit()};
}
Vec3 any_direction(Random& random) {
    if (random.chance(4)) return {random.grid(-1, 1), random.grid(-1, 1), random.grid(-1, 1)};
    return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}
// Requires a valid end of a step: within the room, inside no obstacle, with a regular status.
void check_kept(const MoverWorld& world, const Aabb& room, const Mover& mover, const MoverResult& result) {
    INFO("form " << static_cast<int>(mover.shape.form) << " from " << mover.position.x << " "
                 << mover.position.y << " " << mover.position.z << " by " << mover.displacement.x << " "
                 << mover.displacement.y << " " << mover.displacement.z << " to " << result.position.x << " "
                 << result.position.y << " " << result.position.z);
    REQUIRE(is_strictly_in(room, result.position));
    REQUIRE_FALSE(is_inside(world, mover.shape, result.position));
    REQUIRE((result.status == MoverStatus::finished || result.status == MoverStatus::iterations_used_up));
}

}  // namespace

TEST_CASE("B1: no finite wish leads out of a closed room, whatever its size, position and walls") {
    Random random(2701);
    for (int round = 0; round < 90 * test_scale(); ++round) {
        MoverWorld world, placed_world;
        const float size = std::ldexp(1.0f + random.unit(), static_cast<int>(random.below(140)) - 20);
        // As far from the origin as floats are fine enough for the mover.
        const Vec3 middle = random.chance(2) ? Vec3{}
                                             : Vec3{random.uniform(-1, 1), random.uniform(-1, 1), 0.5f} *
                                                   std::ldexp(size, static_cast<int>(random.below(7)));
        const Aabb room = {middle - Vec3{size, size, size}, middle + Vec3{size, size, size}};
        const int kind = round % 4;
        if (kind == 0) add_walls(world, room);
        if (kind != 0) add_faces(world, room, kind == 1 ? 1 : 7);
        world.build();
        // The last kind is a placed mesh.
        MeshScene scene;
        const PlacedMesh placed_mesh = {&world.mesh, {}};
        REQUIRE(scene.build({&placed_mesh, 1}).status == Status::ok);
        const MoverObstacles obstacles = kind == 3 ? MoverObstacles{nullptr, {}, &scene} : world.obstacles();
        MoverSettings settings;
        settings.contact_offset = size * 0x1p-9f;
        if (random.chance(3)) settings.step_height = size * 0.1f;
        if (random.chance(3)) settings.stick_distance = random.chance(2) ? size * 0.1f : FLT_MAX;
        for (int i = 0; i < 12; ++i) {
            const MoverShape shape = shape_of(random, size * 0.1f);
            Mover mover = {shape, middle + any_direction(random) * (0.7f * size), {}};
            const Vec3 direction = any_direction(random);
            const auto length = [&](float part) {
                const double wish =
                    std::ldexp(static_cast<double>(part),
                               std::min(std::ilogb(size) + static_cast<int>(random.below(150)), 128));
                return static_cast<float>(std::clamp(wish, -kLargest, kLargest));
            };
            mover.displacement = {length(direction.x), length(direction.y), length(direction.z)};
            check_kept(world, room, mover, step_mover(mover, obstacles, settings));
        }
    }
}

TEST_CASE("B1: a thin wall stops a mover, however far away it started") {
    Random random(2702);
    int stopped = 0;
    for (int round = 0; round < 300 * test_scale(); ++round) {
        MoverWorld world;
        const float place = std::ldexp(1.0f + random.unit(), static_cast<int>(2 + random.below(100)));
        const int axis = static_cast<int>(random.below(3));
        const float far = place * 4;
        Aabb wall = {{-far, -far, -far}, {far, far, far}};
        on_axis(wall.min, axis) = on_axis(wall.max, axis) = place;
        if (random.chance(2))
            world.boxes.push_back(wall);
        else
            for (const Triangle& face : faces_of(wall)) world.add(face);
        world.build();
        const MoverShape shape = shape_of(random, random.chance(2) ? 1.0f : place * 0x1p-22f);
        Mover mover = {shape, {}, {}};
        mover.displacement = any_direction(random) * (place * 0.1f);
        on_axis(mover.displacement, axis) = place * random.uniform(1, 3);
        const MoverResult result = step_mover(mover, world.obstacles());
        INFO("round " << round << " form " << static_cast<int>(shape.form) << " place " << place << " at "
                      << result.position.x << " " << result.position.y << " " << result.position.z);
        REQUIRE(result.status == MoverStatus::finished);
        REQUIRE(on_axis(result.position, axis) < place);
        REQUIRE_FALSE(is_inside(world, shape, result.position));
        // It keeps the clearance of the floats there, and little more.
        const float reach = shape.form == MoverForm::box
                                ? on_axis(shape.half_extent, axis)
                                : shape.radius + shape.half_length * (axis == 2 ? 1.0f : 0.0f);
        stopped += place - on_axis(result.position, axis) <= reach + 0.0201f + place * 0x1p-19f ? 1 : 0;
    }
    CHECK(stopped == 300 * test_scale());
}

TEST_CASE("B1: a free path is walked to its end in one step, at any length and over any ground") {
    // A floor of 20,000 triangles; movers that go close above it, or far beyond it.
    MoverWorld world;
    constexpr int kCells = 100;
    for (int i = 0; i < kCells; ++i) {
        for (int k = 0; k < kCells; ++k) {
            const auto x = static_cast<float>(i), y = static_cast<float>(k);
            world.add_quad({x, y, 0}, {x + 1, y, 0}, {x + 1, y + 1, 0}, {x, y + 1, 0});
        }
    }
    world.build();
    Random random(2703);
    for (int round = 0; round < 400 * test_scale(); ++round) {
        const MoverShape shape = some_shapes()[random.below(3)];
        const float height = foot_of(shape) + 0.02f + (random.chance(2) ? 0.0f : random.unit());
        const Vec3 from = {random.uniform(0, 100), random.uniform(0, 100), height};
        Vec3 way = Vec3{random.uniform(0, 100), random.uniform(0, 100), height} - from;
        if (random.chance(3)) way = way * std::ldexp(1.0f, static_cast<int>(random.below(119)));
        if (random.chance(3)) way.z = absolute(way.x);
        const Vec3Double end = widened(from) + widened(way);
        const MoverResult result = step_mover({shape, from, way}, world.obstacles());
        INFO("round " << round << " from " << from.x << " " << from.y << " by " << way.x << " " << way.y
                      << " " << way.z);
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.iteration_count == 0);
        CHECK(result.position == narrowed(end));
    }
}

TEST_CASE("B1: a mover goes as far as floats do, and its position is the reported one") {
    MoverWorld world;
    world.boxes.push_back({{-1, -1, -3}, {1, 1, -2}});
    world.build();
    for (const MoverShape& shape : some_shapes()) {
        MoverResult result = step_mover({shape, {0x1p127f, 0, 0}, {FLT_MAX, 0, 0}}, world.obstacles());
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position == Vec3{FLT_MAX, 0, 0});
        result = step_mover({shape, {1, -0x1p127f, 0}, {0, -FLT_MAX, FLT_MAX}}, world.obstacles());
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position.y == -FLT_MAX);
        CHECK(result.position.z == doctest::Approx(0x1p127).epsilon(1e-6));
        // It stays there, and can come back.
        result = step_mover({shape, {FLT_MAX, 0, 0}, {FLT_MAX, 0, 0}}, world.obstacles());
        CHECK(result.position == Vec3{FLT_MAX, 0, 0});
        result = step_mover({shape, {FLT_MAX, 0, 0}, {-FLT_MAX, 0, 0}}, {});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position == Vec3{0, 0, 0});
    }
}

TEST_CASE("B1: a mover is crowded only in a crowd, and may leave it") {
    // 300 triangles around one position, and none else within reach of the path to it.
    MoverWorld world;
    for (int i = 0; i < 300; ++i) {
        const float z = static_cast<float>(i) * 1e-5f;
        world.add({{-1, -1, z}, {1, -1, z}, {0, 1, z}});
    }
    world.build();
    for (const MoverShape& shape : some_shapes()) {
        const float foot = foot_of(shape);
        for (const float height : {3.0f, 100.0f, 1e6f}) {
            Mover mover = {shape, {0, 0, height}, {0, 0, -2 * height}};
            const MoverResult result = step_mover(mover, world.obstacles());
            CHECK(result.status == MoverStatus::crowded);
            // All of them are within four clearances below, which is what its box is grown by.
            const float offset = height < 1e5f ? 0.01f : 1e6f * 0x1p-20f;
            CHECK(result.position.z > foot);
            CHECK(result.position.z < foot + 4 * offset + 0.003f);
            mover.position = result.position;
            mover.displacement = {0, 0, 7};
            const MoverResult back = step_mover(mover, world.obstacles());
            CHECK(back.status == MoverStatus::finished);
            CHECK(back.position.z == doctest::Approx(result.position.z + 7));
        }
        // Beside it nothing stops a path of any length.
        const MoverResult beside = step_mover({shape, {0, 3, 3}, {1, 0, -1e6f}}, world.obstacles());
        CHECK(beside.status == MoverStatus::finished);
        CHECK(beside.position.z == doctest::Approx(-1e6f));
    }
}

TEST_CASE("B1: a position that floats can only round to the inside, or behind a wall, is not taken") {
    // Far from the origin, in slots narrower than the spacing of floats there: a slot between two leaning
    // walls. A path along it exists in real numbers, but no float is near its end.
    Random random(2704);
    int refused_count = 0, moved_count = 0;
    for (int round = 0; round < 600 * test_scale(); ++round) {
        const float lean = random.uniform(0.2f, 0.9f);
        const Vec3 place = {random.uniform(0.6f, 1.0f) * 0x1p20f, random.uniform(0.6f, 1.0f) * 0x1p20f, 0};
        const float slot = random.uniform(0.04f, 0.3f);
        MoverWorld world;
        for (const float side : {-slot, slot}) {
            const Vec3 from = place + Vec3{-64, -64 * lean + side, 0},
                       to = place + Vec3{64, 64 * lean + side, 0};
            world.add_quad(from + Vec3{0, 0, -9}, to + Vec3{0, 0, -9}, to + Vec3{0, 0, 9},
                           from + Vec3{0, 0, 9});
        }
        world.build();
        const MoverShape shape = random.chance(2) ? sphere_shape(0) : capsule_shape(0.01f, 0.25f);
        if (is_inside(world, shape, place)) continue;
        const float far = random.uniform(-40, 40);
        const Mover mover = {shape, place, {far, far * lean, 0}};
        const MoverResult result = step_mover(mover, world.obstacles());
        REQUIRE_FALSE(is_inside(world, shape, result.position));
        REQUIRE(result.status != MoverStatus::started_inside);
        // Between the walls, by doubles.
        for (std::size_t wall = 0; wall < 4; wall += 2) {
            const auto side_of = [&](Vec3 at) {
                const Vec3Double a = widened(world.triangles[wall].a), b = widened(world.triangles[wall].b);
                const Vec3Double p = widened(at);
                return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0.0;
            };
            INFO("round " << round << " wall " << wall << " from " << place.x << " " << place.y << " to "
                          << result.position.x << " " << result.position.y);
            REQUIRE(side_of(result.position) == side_of(place));
        }
        refused_count += result.position == place ? 1 : 0;
        moved_count += result.position == place ? 0 : 1;
    }
    CHECK(refused_count > 20);
    CHECK(moved_count > 20);
}
