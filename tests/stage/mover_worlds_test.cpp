// Movers in random worlds: properties that hold among any obstacles.
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/stage/mover_world.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/mesh_scene.hpp>

#include <algorithm>
#include <limits>

using namespace broadside;
using namespace broadside::test;

namespace {

Vec3 vector_in(Random& random, float reach) {
    return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

// A closed room of side 20 around the origin, with boxes, and triangles of all kinds in it.
void fill(Random& random, MoverWorld& world, bool has_mesh_walls) {
    const Aabb room = {{-10, -10, -10}, {10, 10, 10}};
    if (has_mesh_walls) {
        for (const Triangle& face : faces_of(room)) world.add(face);
    } else {
        for (int axis = 0; axis < 3; ++axis) {
            for (const float sign : {-1.0f, 1.0f}) {
                Aabb wall = {{-12, -12, -12}, {12, 12, 12}};
                float& min = axis == 0 ? wall.min.x : axis == 1 ? wall.min.y : wall.min.z;
                float& max = axis == 0 ? wall.max.x : axis == 1 ? wall.max.y : wall.max.z;
                (sign < 0 ? max : min) = 10 * sign;
                world.boxes.push_back(wall);
            }
        }
    }
    for (int i = 0; i < 12; ++i) {
        const Vec3 at = vector_in(random, 9);
        const Vec3 size = absolute(vector_in(random, 2));
        world.boxes.push_back(random.chance(3) ? Aabb{at, at} : Aabb{at, at + size});
    }
    for (int i = 0; i < 60; ++i) {
        const Vec3 at = vector_in(random, 9);
        Triangle triangle = {at, at + vector_in(random, 4), at + vector_in(random, 4)};
        if (random.chance(6)) triangle.c = triangle.a * 0.5f + triangle.b * 0.5f;
        if (random.chance(4)) triangle.c.z = triangle.b.z = triangle.a.z;
        world.add(triangle);
    }
    world.build();
}

MoverShape any_shape(Random& random) {
    const float size = random.chance(6) ? 0.0f : random.unit() * 0.6f;
    if (random.chance(3)) return box_shape({size, random.unit() * 0.5f, random.unit() * 0.5f});
    return random.chance(2) ? sphere_shape(size) : capsule_shape(size, random.unit() * 0.5f);
}
MoverSettings any_settings(Random& random) {
    MoverSettings settings;
    if (random.chance(2)) settings.step_height = random.unit();
    if (random.chance(2)) settings.stick_distance = random.unit();
    if (random.chance(3)) settings.min_ground_cosine = 0.2f + 0.8f * random.unit();
    if (random.chance(4)) settings.max_iterations = random.below(4);
    if (random.chance(3)) settings.contact_offset = std::ldexp(1.0f, -static_cast<int>(4 + random.below(8)));
    return settings;
}
Vec3 free_place(Random& random, const MoverWorld& world, const MoverShape& shape, float margin) {
    MoverShape wide = shape;
    wide.radius += margin;
    wide.half_extent = wide.half_extent + Vec3{margin, margin, margin};
    for (;;) {
        const Vec3 at = vector_in(random, 9);
        if (!is_inside(world, wide, at)) return at;
    }
}
bool is_in_room(Vec3 at) { return absolute(at.x) < 10 && absolute(at.y) < 10 && absolute(at.z) < 10; }

std::vector<Mover> any_movers(Random& random, const MoverWorld& world, std::size_t count) {
    std::vector<Mover> movers;
    for (std::size_t i = 0; i < count; ++i) {
        const MoverShape shape = any_shape(random);
        const Vec3 at = random.chance(4) ? vector_in(random, 9) : free_place(random, world, shape, 0);
        movers.push_back({shape, at, vector_in(random, random.chance(3) ? 10.0f : 0.5f)});
    }
    return movers;
}

}  // namespace

TEST_CASE("B1: in random worlds no mover ends inside, passes through, or goes further than requested") {
    Random random(1671);
    int moved = 0;
    for (int round = 0; round < 12 * test_scale(); ++round) {
        MoverWorld world;
        fill(random, world, random.chance(2));
        for (int walk_index = 0; walk_index < 12; ++walk_index) {
            const MoverShape shape = any_shape(random);
            const MoverSettings settings = any_settings(random);
            Vec3 at = free_place(random, world, shape, settings.contact_offset);
            Vec3 way = vector_in(random, std::ldexp(1.0f, static_cast<int>(random.below(8)) - 3));
            for (int i = 0; i < 12; ++i) {
                if (random.chance(3))
                    way = vector_in(random, std::ldexp(1.0f, static_cast<int>(random.below(16)) - 4));
                if (random.chance(3)) way.z = random.chance(2) ? 0.0f : -absolute(way.z);
                const MoverResult result = step_mover({shape, at, way}, world.obstacles(), settings);
                INFO("round " << round << " walk " << walk_index << " step " << i << " form "
                              << static_cast<int>(shape.form) << " status "
                              << static_cast<int>(result.status));
                REQUIRE_FALSE(is_inside(world, shape, result.position));
                REQUIRE(is_in_room(result.position));
                REQUIRE(result.status != MoverStatus::invalid);
                REQUIRE(result.status != MoverStatus::started_inside);
                REQUIRE(result.iteration_count <= settings.max_iterations);
                if (result.iteration_count < settings.max_iterations)
                    REQUIRE(result.status != MoverStatus::iterations_used_up);
                const Vec3 went = result.position - at;
                const float slack = 2.5f * settings.contact_offset + 1e-4f;
                REQUIRE(flat_length(went) <= full_length(way) * 1.0001f + slack);
                REQUIRE(full_length(went) <=
                        full_length(way) * 1.0001f + slack + settings.stick_distance +
                            settings.step_height * static_cast<float>(1 + result.iteration_count));
                if (!result.has_stepped && settings.stick_distance == 0)
                    REQUIRE(full_length(went) <= full_length(way) * 1.0001f + slack);
                moved += full_length(went) > 0.01f ? 1 : 0;
                at = result.position;
            }
        }
    }
    CHECK(moved > 600);
}

TEST_CASE("B1: a mover without obstacles goes the whole way") {
    Random random(1672);
    MoverWorld world;
    fill(random, world, true);
    int free_count = 0;
    for (int i = 0; i < 600 * test_scale(); ++i) {
        const MoverShape shape = any_shape(random);
        const MoverSettings settings = any_settings(random);
        const Vec3 at = free_place(random, world, shape, 2 * settings.contact_offset);
        const Vec3 way = vector_in(random, 2);
        MoverShape wide = shape;
        const float margin = 2 * settings.contact_offset + full_length(way) / 32;
        wide.radius += margin;
        wide.half_extent = wide.half_extent + Vec3{margin, margin, margin};
        bool is_free = true;
        for (int k = 0; k <= 32 && is_free; ++k)
            is_free = !is_inside(world, wide, at + way * (static_cast<float>(k) / 32.0f));
        if (!is_free) continue;
        ++free_count;
        MoverSettings plain = settings;
        plain.stick_distance = 0;
        const MoverResult result = step_mover({shape, at, way}, world.obstacles(), plain);
        CHECK(result.status == MoverStatus::finished);
        CHECK(full_length(result.position - (at + way)) < 1e-5f);
        CHECK(result.iteration_count == 0);
    }
    CHECK(free_count > 60);
}

TEST_CASE("B1: one step equals many short ones, up to contact offsets") {
    // Along walls, floors and slopes, where the path does not depend on which of two corners is met first.
    Random random(1673);
    for (int round = 0; round < 40 * test_scale(); ++round) {
        MoverWorld world;
        world.boxes.push_back({{-50, -50, -1}, {50, 50, 0}});
        world.add_quad({6, -50, -1}, {6 + random.unit() * 4, 50, -1}, {6, 50, 20}, {6, -50, 20});
        world.add_quad({-50, -50, -3}, {-4, -50, -3}, {-4, 50, 2}, {-50, 50, 2});
        world.build();
        const MoverShape shape = some_shapes()[random.below(3)];
        const Vec3 at = {random.uniform(-2, 3), random.uniform(-20, 20), foot_of(shape) + 0.3f};
        const Vec3 way = {random.uniform(-4, 9), random.uniform(-6, 6), -random.unit()};
        const MoverResult once = step_mover({shape, at, way}, world.obstacles());
        for (const int count : {2, 8, 64}) {
            Walk walk = {world, {shape, at, {}}, {}};
            walk.go(way * (1.0f / static_cast<float>(count)), count);
            INFO("round " << round << " form " << static_cast<int>(shape.form) << " count " << count << " "
                          << once.position.x << " " << once.position.y << " " << once.position.z << " / "
                          << walk.at().x << " " << walk.at().y << " " << walk.at().z);
            CHECK(full_length(walk.at() - once.position) < 0.04f);
        }
    }
}

TEST_CASE("B1: the order of bodies and triangles changes no bit") {
    Random random(1674);
    for (int round = 0; round < 6 * test_scale(); ++round) {
        MoverWorld world;
        fill(random, world, random.chance(2));
        const std::vector<Mover> movers = any_movers(random, world, 80);
        const MoverSettings settings = any_settings(random);
        std::vector<MoverResult> results;
        for (const Mover& mover : movers) results.push_back(step_mover(mover, world.obstacles(), settings));
        MoverWorld other;
        other.boxes.assign(world.boxes.rbegin(), world.boxes.rend());
        other.triangles.assign(world.triangles.rbegin(), world.triangles.rend());
        std::rotate(other.triangles.begin(), other.triangles.begin() + 17, other.triangles.end());
        other.build();
        for (std::size_t i = 0; i < movers.size(); ++i) {
            INFO("round " << round << " mover " << i);
            REQUIRE(step_mover(movers[i], other.obstacles(), settings) == results[i]);
        }
    }
}

TEST_CASE("B1: a mover among placed meshes goes as among their triangles") {
    Random random(1678);
    int moved_count = 0;
    for (int round = 0; round < 8 * test_scale(); ++round) {
        MoverWorld world, flat;
        fill(random, world, random.chance(2));
        // Three meshes, one of them twice, turned, scaled and moved.
        TriangleMesh meshes[3];
        std::vector<PlacedMesh> instances;
        flat.boxes = world.boxes;
        for (std::size_t part = 0; part < 3; ++part) {
            std::vector<Triangle> triangles;
            for (std::size_t i = part; i < world.triangles.size(); i += 3)
                triangles.push_back(world.triangles[i]);
            meshes[part] = mesh_of(triangles);
            for (int copy = 0; copy < (part == 0 ? 2 : 1); ++copy) {
                const Transform place =
                    random.chance(3) ? Transform{} : any_placement(random, 0.25f + random.unit(), 4);
                instances.push_back({&meshes[part], place});
                for (const Triangle& triangle : triangles) flat.add(placed(place, triangle));
            }
        }
        flat.build();
        MeshScene scene;
        REQUIRE(scene.build(instances).status == Status::ok);
        const MoverObstacles obstacles = {&flat.tree, {}, &scene};
        const std::vector<Mover> movers = any_movers(random, flat, 60);
        const MoverSettings settings = any_settings(random);
        std::vector<MoverResult> expected(movers.size()), results(movers.size());
        REQUIRE(step_movers(movers, flat.obstacles(), settings, expected).status == Status::ok);
        for_each_isa([&](Isa) {
            REQUIRE(step_movers(movers, obstacles, settings, results).status == Status::ok);
            for (std::size_t i = 0; i < movers.size(); ++i) {
                INFO("round " << round << " mover " << i);
                if (expected[i].status == MoverStatus::crowded) continue;
                REQUIRE(results[i] == expected[i]);
                REQUIRE(step_mover(movers[i], obstacles, settings) == expected[i]);
            }
        });
        for (std::size_t i = 0; i < movers.size(); ++i)
            moved_count += expected[i].iteration_count > 0 ? 1 : 0;
    }
    CHECK(moved_count > 20 * test_scale());
}

TEST_CASE("B1: many movers at once move as each alone, on every instruction set, for any worker count") {
    Random random(1675);
    MoverWorld world;
    fill(random, world, true);
    const std::vector<Mover> movers = any_movers(random, world, 300);
    MoverSettings settings = any_settings(random);
    std::vector<MoverResult> expected;
    for (const Mover& mover : movers) expected.push_back(step_mover(mover, world.obstacles(), settings));
    for_each_isa([&](Isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            settings.runner = runner;
            std::vector<MoverResult> results(movers.size());
            REQUIRE(step_movers(movers, world.obstacles(), settings, results).status == Status::ok);
            for (std::size_t i = 0; i < movers.size(); ++i) REQUIRE(results[i] == expected[i]);
        }
    });
}

TEST_CASE("B1: a mover does not meet its own box, and a NaN mover stays") {
    MoverWorld world;
    world.boxes = {{{0, 0, 0}, {1, 1, 1}}, {{3, 0, 0}, {4, 1, 1}}};
    world.build();
    Mover mover = {box_shape({0.5f, 0.5f, 0.5f}), {0.5f, 0.5f, 0.5f}, {5, 0, 0}};
    CHECK(step_mover(mover, world.obstacles()).status == MoverStatus::started_inside);
    mover.ignored_box = 0;
    CHECK(step_mover(mover, world.obstacles()).position.x == doctest::Approx(2.49f).epsilon(1e-4));
    for (float* number : {&mover.position.x, &mover.displacement.y, &mover.shape.half_extent.z}) {
        const float before = *number;
        *number = std::numeric_limits<float>::quiet_NaN();
        CHECK(step_mover(mover, world.obstacles()).status == MoverStatus::invalid);
        *number = before;
    }
    mover.shape.half_extent.x = -1;
    CHECK(step_mover(mover, world.obstacles()).status == MoverStatus::invalid);
}

TEST_CASE("B1: a crowd of triangles beyond count is reported, and no mover gets inside") {
    MoverWorld world;
    for (int i = 0; i < 600; ++i) {
        const float z = static_cast<float>(i) * 1e-6f;
        world.add({{-1, -1, z}, {1, -1, z}, {0, 1, z}});
    }
    world.build();
    const MoverResult result = step_mover({sphere_shape(0.25f), {0, 0, 3}, {0, 0, -5}}, world.obstacles());
    CHECK(result.status == MoverStatus::crowded);
    CHECK(result.position.z > 0.25f);
    CHECK(result.position.z < 0.5f);
    CHECK_FALSE(is_inside(world, sphere_shape(0.25f), result.position));
    // In the crowd from the start.
    const Mover amid = {sphere_shape(0.25f), {0, 0, 0.255f}, {0, 0, -5}};
    CHECK(step_mover(amid, world.obstacles()).status == MoverStatus::crowded);
    CHECK(step_mover(amid, world.obstacles()).position == amid.position);
}

TEST_CASE("the length of the direction up is not limited") {
    MoverWorld world;
    world.boxes.push_back({{-9, -9, -9}, {9, 9, 0}});
    world.build();
    const Mover mover = {sphere_shape(0.25f), {0, 0, 1}, {1, 0, -3}};
    const MoverResult expected = step_mover(mover, world.obstacles());
    CHECK(expected.is_grounded);
    for (const float length : {FLT_TRUE_MIN, 1e-30f, 3.0f, 1e30f, FLT_MAX}) {
        MoverSettings settings;
        settings.up = {0, 0, length};
        CHECK(step_mover(mover, world.obstacles(), settings) == expected);
    }
}

TEST_CASE("movers refuse invalid arguments") {
    MoverWorld world;
    world.build();
    const std::vector<Mover> movers(2);
    std::vector<MoverResult> results(2);
    const TaskRunner none = {nullptr, nullptr, 2};
    const auto with = [&](auto&& change) {
        return [&, change] {
            MoverSettings settings;
            change(settings);
            return step_movers(movers, world.obstacles(), settings, results).status;
        };
    };
    const TriangleMesh* const null_mesh[1] = {nullptr};
    check_refused({
        {"runner: parallel_for is null", with([&](MoverSettings& s) { s.runner = &none; })},
        {"up: not finite or of no length", with([](MoverSettings& s) { s.up = {}; })},
        {"min_ground_cosine: not above 0 and at most 1",
         with([](MoverSettings& s) { s.min_ground_cosine = 0; })},
        {"step_height: negative or not finite", with([](MoverSettings& s) { s.step_height = -1; })},
        {"stick_distance: negative or not finite", with([](MoverSettings& s) { s.stick_distance = -1; })},
        // A single mover is unchanged.
        {"step_height: negative or not finite",
         [&] {
             MoverSettings settings;
             settings.step_height = -1;
             const MoverResult result = step_mover({.position = {1, 2, 3}}, world.obstacles(), settings);
             const bool is_refused =
                 result.status == MoverStatus::invalid && result.position == Vec3{1, 2, 3};
             return is_refused ? Status::invalid_argument : Status::ok;
         }},
        {"contact_offset: not above 0 or not finite", with([](MoverSettings& s) { s.contact_offset = 0; })},
        {"meshes: one is null",
         [&] {
             return step_movers(movers, {nullptr, null_mesh}, {}, results).status;
         }},
    });
    CHECK(step_movers(movers, world.obstacles(), {}, std::span(results).first(1)).status ==
          Status::capacity_exceeded);
}
