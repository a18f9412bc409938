// Movers: known failures of other libraries, each by name.
#include "tests/stage/mover_world.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr float kOffset = 0.01f;

// A floor at z = 0 of one box, or of triangles a unit wide.
void add_floor(MoverWorld& world, bool is_mesh) {
    if (!is_mesh) {
        world.boxes.push_back({{-20, -20, -1}, {20, 20, 0}});
        return;
    }
    for (int x = -10; x < 10; ++x) {
        for (int y = -10; y < 10; ++y) {
            const auto at = [&](int dx, int dy) {
                return Vec3{static_cast<float>(x + dx), static_cast<float>(y + dy), 0};
            };
            world.add_quad(at(0, 0), at(1, 0), at(1, 1), at(0, 1));
        }
    }
}
void add_box(MoverWorld& world, const Aabb& box, bool is_mesh) {
    if (!is_mesh) {
        world.boxes.push_back(box);
        return;
    }
    for (const Triangle& face : faces_of(box)) world.add(face);
}
Mover standing(const MoverShape& shape, float x, float y, float ground = 0) {
    return {shape, {x, y, ground + foot_of(shape) + kOffset}, {}};
}
MoverSettings walking(float step_height = 0, float stick_distance = 0) {
    MoverSettings settings;
    settings.step_height = step_height;
    settings.stick_distance = stick_distance;
    return settings;
}

// Every shape, against boxes and against triangles.
template <class Check>
void for_each_kind(Check&& check) {
    for (const MoverShape& shape : some_shapes()) {
        for (const bool is_mesh : {false, true}) {
            INFO("form " << static_cast<int>(shape.form) << (is_mesh ? " mesh" : " boxes"));
            check(shape, is_mesh);
        }
    }
}

}  // namespace

TEST_CASE("B1: walking diagonally is as fast as walking straight, on the flat and uphill") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        MoverWorld world;
        add_floor(world, is_mesh);
        world.build();
        for (const Vec3 way : {Vec3{0.1f, 0, -0.02f}, Vec3{0.06f, 0.08f, -0.02f}, Vec3{-0.08f, 0.06f, 0}}) {
            Walk walk = {world, standing(shape, 0, 0), walking()};
            walk.go(way, 30);
            CHECK(flat_length(walk.at()) == doctest::Approx(3.0).epsilon(1e-4));
            CHECK(walk.at().z == doctest::Approx(foot_of(shape) + kOffset).epsilon(1e-3));
            CHECK(walk.last.is_grounded);
            CHECK(walk.last.status == MoverStatus::finished);
        }
    });
    // Along a slope the path has the requested length, in every direction.
    MoverWorld slope;
    slope.add_quad({-20, -20, -10}, {20, -20, 10}, {20, 20, 10}, {-20, 20, -10});
    slope.build();
    for (const MoverShape& shape : some_shapes()) {
        for (const Vec3 way : {Vec3{0.1f, 0, -0.1f}, Vec3{0.06f, 0.08f, -0.1f}, Vec3{0, 0.1f, -0.1f}}) {
            Walk walk = {slope, {shape, {0, 0, 1.5f}, {}}, walking()};
            walk.go({0, 0, -2});
            const Vec3 before = walk.at();
            walk.go(way, 20);
            INFO("form " << static_cast<int>(shape.form));
            CHECK(full_length(walk.at() - before) == doctest::Approx(2.0).epsilon(1e-3));
            // A standing mover stays.
            const Vec3 stood = walk.at();
            walk.go({0, 0, -0.1f}, 50);
            CHECK(full_length(walk.at() - stood) < 1e-3f);
        }
    }
}

TEST_CASE("B1: a jump is not swallowed by the ground, at any stick distance") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        MoverWorld world;
        add_floor(world, is_mesh);
        world.build();
        Walk walk = {world, standing(shape, 0, 0), walking(0.3f, 0.5f)};
        const float ground = walk.at().z;
        walk.go({0.1f, 0, 0.08f});
        CHECK(walk.at().z == doctest::Approx(ground + 0.08f));
        walk.go({0.1f, 0, 0.05f});
        CHECK(walk.at().z == doctest::Approx(ground + 0.13f));
        // On the way down it is held only once it has landed.
        walk.go({0.1f, 0, -0.02f});
        CHECK(walk.at().z == doctest::Approx(ground + 0.11f));
    });
}

TEST_CASE("B1: an edge met nearly at right angles slides the mover aside, and does not stop or throw it") {
    for (const float lean : {1e-3f, 1e-5f, 1e-7f}) {
        for_each_kind([&](const MoverShape& shape, bool is_mesh) {
            MoverWorld world;
            add_floor(world, is_mesh);
            add_box(world, {{1, -5, 0}, {2, 5, 2}}, is_mesh);
            world.build();
            Walk walk = {world, standing(shape, 0, 0), walking()};
            walk.go({0.3f, 0.3f * lean, -0.02f}, 20);
            CHECK(walk.last.status == MoverStatus::finished);
            CHECK(walk.at().x < 1);
            CHECK(walk.at().x > 0.45f);
            CHECK(absolute(walk.at().y - 6 * lean) < 1e-3f);
            CHECK(walk.last.wall_normal.x < -0.9f);
        });
    }
}

TEST_CASE("B1: a mover of radius zero does not fall through, not even at seams") {
    for (const bool is_mesh : {false, true}) {
        MoverWorld world;
        add_floor(world, is_mesh);
        world.build();
        for (const MoverShape& shape :
             {sphere_shape(0), capsule_shape(0, 0.5f), capsule_shape(0, 0), box_shape({0, 0, 0})}) {
            for (const Vec3 from : {Vec3{0, 0, 3}, Vec3{1, 1, 3}, Vec3{0.5f, 0.5f, 3}, Vec3{2, 0.25f, 3}}) {
                for (const float speed : {0.1f, 3.0f, 1e3f, 1e7f}) {
                    Walk walk = {world, {shape, from, {}}, walking()};
                    walk.go({0, 0, -speed}, speed < 1 ? 40 : 2);
                    INFO("half " << shape.half_length << " speed " << speed << " z " << walk.at().z);
                    CHECK(walk.at().z == doctest::Approx(foot_of(shape) + kOffset).epsilon(1e-2));
                }
            }
        }
    }
}

TEST_CASE("B1: a dash into a corner does not climb it") {
    for (const bool is_mesh : {false, true}) {
        MoverWorld world;
        add_floor(world, is_mesh);
        // A ledge as high as the round bottom reaches, and a corner of walls behind it.
        add_box(world, {{1, -5, 0}, {5, 5, 0.12f}}, is_mesh);
        add_box(world, {{2, -5, 0}, {5, 5, 3}}, is_mesh);
        add_box(world, {{-5, 2, 0}, {5, 5, 3}}, is_mesh);
        world.build();
        for (const float speed : {0.1f, 1.0f, 10.0f, 1000.0f}) {
            Walk walk = {world, standing(capsule_shape(0.5f, 0.5f), 0, 0), walking()};
            walk.settings.min_ground_cosine = 0.5f;
            const float ground = walk.at().z;
            walk.go({speed, speed * 0.5f, 0}, 20);
            INFO("speed " << speed << " at " << walk.at().x << " " << walk.at().y << " " << walk.at().z);
            CHECK(walk.at().z < ground + 0.01f);
            walk.go({speed, speed, -0.05f}, 20);
            CHECK(walk.at().z < ground + 0.01f);
        }
    }
}

TEST_CASE("B1: the seam between two props of equal height is not felt, not even off by one rounding") {
    for (const float step : {0.0f, 1e-7f, -1e-7f}) {
        for_each_kind([&](const MoverShape& shape, bool is_mesh) {
            MoverWorld world;
            for (int i = 0; i < 8; ++i) {
                const auto x = static_cast<float>(i);
                const float top = i % 2 == 0 ? 1.0f : 1.0f + step;
                add_box(world, {{x, -2, 0}, {x + 1, 2, top}}, is_mesh);
            }
            world.build();
            Walk walk = {world, standing(shape, 0.5f, 0, 1), walking()};
            float highest = 0;
            for (int i = 0; i < 60; ++i) {
                const float before = walk.at().x;
                walk.go({0.1f, 0, -0.02f});
                REQUIRE(walk.at().x - before == doctest::Approx(0.1f).epsilon(2e-3));
                highest = max_keep(highest, walk.at().z);
            }
            CHECK(highest < 1 + foot_of(shape) + 1.1f * kOffset);
        });
    }
}

TEST_CASE("B1: planes are kept from bump to bump: a corner stops for good, a crease guides along it") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        // A corner of two walls that enclose an acute angle, as one of meshes, and one of boxes.
        MoverWorld world;
        add_floor(world, is_mesh);
        if (is_mesh) {
            world.add_quad({-4, -1, -1}, {4, 0, -1}, {4, 0, 5}, {-4, -1, 5});
            world.add_quad({-4, 1, -1}, {4, 0, -1}, {4, 0, 5}, {-4, 1, 5});
        } else {
            add_box(world, {{1, -4, 0}, {2, 4, 4}}, false);
            add_box(world, {{-4, 1, 0}, {4, 2, 4}}, false);
        }
        world.build();
        Walk walk = {world, standing(shape, -3, 0), walking()};
        walk.go({5, 0.1f, -0.02f}, 20);
        const Vec3 stuck = walk.at();
        for (int i = 0; i < 10; ++i) {
            walk.go({0.5f, 0.1f, -0.02f});
            CHECK(walk.last.iteration_count <= 8);
            CHECK(walk.last.status == MoverStatus::finished);
        }
        CHECK(full_length(walk.at() - stuck) < 2e-3f);
        walk.go({-1, 0, -0.02f});
        CHECK(walk.at().x == doctest::Approx(stuck.x - 1).epsilon(0.02));
    });
}

TEST_CASE("B1: a velocity that rounding turned into the wall does not end in it") {
    // A wall at an angle whose normal is not a float; along it, thousands of steps.
    MoverWorld world;
    const float lean = 1.0f / 3.0f;
    world.add_quad({-4000, -4000 * lean, -4000}, {4000, 4000 * lean, -4000}, {4000, 4000 * lean, 4000},
                   {-4000, -4000 * lean, 4000});
    world.build();
    for (const MoverShape& shape : some_shapes()) {
        Walk walk = {world, {shape, {1000, 1000 * lean - 1, 0}, {}}, walking()};
        // Onto the wall, along it with a normal part of rounding size.
        walk.go({0, 2, 0});
        const auto gap = [&] { return walk.at().x * lean - walk.at().y; };
        const float first_gap = gap();
        for (int i = 0; i < 3000; ++i) walk.go({0.3f, 0.3f * lean + 1e-4f, 0});
        // It went all the way, neither pushed off nor drawn in.
        CHECK(walk.at().x == doctest::Approx(1900).epsilon(1e-3));
        CHECK(gap() == doctest::Approx(first_gap).epsilon(0.01));
    }
}

TEST_CASE("B1: a mover wedged between two steep slopes rests, and leaves along the groove or upwards") {
    MoverWorld world;
    world.add_quad({-20, 0, 0}, {20, 0, 0}, {20, 5, 10}, {-20, 5, 10});
    world.add_quad({-20, 0, 0}, {20, 0, 0}, {20, -5, 10}, {-20, -5, 10});
    world.build();
    for (const MoverShape& shape : some_shapes()) {
        Walk walk = {world, {shape, {0, 0.3f, 4}, {}}, walking(0.3f, 0.3f)};
        walk.go({0, 0, -0.2f}, 40);
        const Vec3 rest = walk.at();
        for (int i = 0; i < 20; ++i) {
            walk.go({0, 0, -0.2f});
            CHECK(walk.last.status == MoverStatus::finished);
            CHECK(walk.last.iteration_count <= 6);
        }
        CHECK(full_length(walk.at() - rest) < 1e-3f);
        // The slopes are no ground, and lead nowhere.
        walk.go({0, 0.3f, -0.05f}, 20);
        CHECK(walk.at().z < rest.z + 0.02f);
        walk.go({0.1f, 0, -0.05f}, 20);
        INFO("form " << static_cast<int>(shape.form) << " x " << walk.at().x);
        CHECK(walk.at().x > 1.5f);
        walk.go({0, 0, 0.5f});
        CHECK(walk.at().z > rest.z + 0.45f);
    }
}

TEST_CASE("B1: a mover is not faster than requested along a low wall or over a step") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        MoverWorld world;
        add_floor(world, is_mesh);
        add_box(world, {{0.5f, -8, 0}, {6, 8, 0.2f}}, is_mesh);
        add_box(world, {{-6, 4, 0}, {6, 8, 0.6f}}, is_mesh);
        world.build();
        for (const Vec3 way : {Vec3{0.02f, 0.1f, -0.05f}, Vec3{0.1f, 0.02f, -0.05f}, Vec3{0.1f, 0.1f, 0}}) {
            for (const float step_height : {0.0f, 0.3f}) {
                Walk walk = {world, standing(shape, 0, 0), walking(step_height, 0.1f)};
                for (int i = 0; i < 30; ++i) {
                    const Vec3 before = walk.at();
                    walk.go(way);
                    REQUIRE(flat_length(walk.at() - before) <= flat_length(way) * 1.001f + 1e-5f);
                }
            }
        }
    });
}

TEST_CASE("B1: a line where bodies meet causes no hitch") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        MoverWorld world;
        add_floor(world, is_mesh);
        for (int i = -8; i < 8; ++i) {
            const auto y = static_cast<float>(i);
            add_box(world, {{1, y, 0}, {2, y + 1, 3}}, is_mesh);
        }
        world.build();
        Walk walk = {world, standing(shape, 0, -7), walking()};
        walk.go({2, 0, 0});
        const float wall = walk.at().x;
        for (int i = 0; i < 60; ++i) {
            const float before = walk.at().y;
            walk.go({0.1f, 0.1f, -0.02f});
            REQUIRE(walk.at().y - before == doctest::Approx(0.1f).epsilon(2e-3));
            REQUIRE(absolute(walk.at().x - wall) < 1e-4f);
        }
    });
}

TEST_CASE("B1: a mover passes no box at any integer or other velocity") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        for (const float thickness : {1.0f, 1e-3f, 0.0f}) {
            MoverWorld world;
            add_box(world, {{0, -50, -50}, {thickness, 50, 50}}, is_mesh);
            world.build();
            for (const float speed : {1.0f, 2.0f, 3.0f, 7.0f, 64.0f, 100.0f, 1024.0f, 65536.0f, 0.7f, 1e6f}) {
                Walk walk = {world, {shape, {-2.5f, 0, 0}, {}}, walking()};
                walk.go({speed, 0, 0}, 6);
                INFO("speed " << speed << " thickness " << thickness << " x " << walk.at().x);
                CHECK(walk.at().x < 0);
                CHECK(walk.at().x > -0.6f);
                Walk back = {world, {shape, {2.5f, 0.3f, 0}, {}}, walking()};
                back.go({-speed, 0, 0}, 6);
                CHECK(back.at().x > thickness);
            }
        }
    });
}

TEST_CASE("B1: a mover is not stuck on a vertical edge of a mesh") {
    // A wall of triangles around an outer corner, the edge met head on and a little beside.
    for (const MoverShape& shape : some_shapes()) {
        for (const float beside : {0.0f, 1e-6f, 0.01f, 0.1f, 0.2f}) {
            MoverWorld world;
            add_floor(world, true);
            world.add_quad({1, 0, 0}, {3, 2, 0}, {3, 2, 3}, {1, 0, 3});
            world.add_quad({1, 0, 0}, {3, -2, 0}, {3, -2, 3}, {1, 0, 3});
            world.build();
            Walk walk = {world, standing(shape, 0, beside), walking(0.2f, 0.2f)};
            walk.go({0.1f, 0.01f, -0.02f}, 60);
            INFO("form " << static_cast<int>(shape.form) << " beside " << beside << " at " << walk.at().x
                         << " " << walk.at().y);
            CHECK(walk.last.status == MoverStatus::finished);
            CHECK(walk.at().y > 0.5f);
            CHECK(walk.at().x > 1.2f);
        }
    }
}

TEST_CASE("B1: a mover steps up what is low enough and is stopped by what is too high") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        for (const float height : {0.05f, 0.2f, 0.29f, 0.31f, 0.32f, 0.33f, 0.35f, 0.45f, 1.0f}) {
            MoverWorld world;
            add_floor(world, is_mesh);
            add_box(world, {{1, -5, 0}, {8, 5, height}}, is_mesh);
            world.build();
            Walk walk = {world, standing(shape, 0, 0), walking(0.3f, 0.3f)};
            for (int i = 0; i < 40; ++i) walk.go({0.08f, 0, -0.05f});
            INFO("height " << height << " at " << walk.at().x << " " << walk.at().z);
            const float ground = walk.at().z - foot_of(shape);
            if (height < 0.3f) {
                CHECK(walk.at().x > 2.5f);
                CHECK(ground == doctest::Approx(height + kOffset).epsilon(0.03));
            } else {
                CHECK(walk.at().x < 1);
                CHECK(ground == doctest::Approx(kOffset).epsilon(0.2));
            }
            // And down again, held to the ground.
            if (height < 0.3f) {
                for (int i = 0; i < 60; ++i) walk.go({-0.08f, 0, 0});
                CHECK(walk.at().z - foot_of(shape) == doctest::Approx(kOffset).epsilon(0.2));
            }
        }
    });
}

TEST_CASE("B1: a mover steps over a hurdle as high as onto a step, and no higher") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        for (const float height : {0.28f, 0.33f}) {
            MoverWorld world;
            add_floor(world, is_mesh);
            add_box(world, {{1, -5, 0}, {1.01f, 5, height}}, is_mesh);
            world.build();
            Walk walk = {world, standing(shape, 0, 0), walking(0.3f)};
            for (int i = 0; i < 3; ++i) walk.go({1.5f, 0, 0});
            INFO("height " << height << " at " << walk.at().x << " " << walk.at().z);
            CHECK((walk.at().x > 1.5f) == (height < 0.3f));
        }
    });
}

TEST_CASE("B1: a mover off a ledge sticks to ground below, and not to a wall that it would only graze") {
    for (const MoverShape& shape : some_shapes()) {
        for (const bool is_wall : {false, true}) {
            MoverWorld world;
            world.add_quad({-5, -5, 0}, {0, -5, 0}, {0, 5, 0}, {-5, 5, 0});
            // A wall that leans out by a twentieth, in front of where the step ends; or ground a little lower.
            const float reach = shape.form == MoverForm::box ? shape.half_extent.x : shape.radius;
            const float front = 1 + reach + 2 * kOffset;
            if (is_wall)
                world.add_quad({front + 0.05f, -5, 0}, {front + 0.05f, 5, 0}, {front - 0.45f, 5, -10},
                               {front - 0.45f, -5, -10});
            else
                world.add_quad({0.2f, -5, -0.2f}, {5, -5, -0.2f}, {5, 5, -0.2f}, {0.2f, 5, -0.2f});
            world.build();
            Mover mover = standing(shape, -0.2f, 0);
            mover.displacement = {1.2f, 0, 0};
            const MoverResult result = step_mover(mover, world.obstacles(), walking(0, 3));
            INFO("form " << static_cast<int>(shape.form) << " z " << result.position.z);
            CHECK(result.status == MoverStatus::finished);
            CHECK(result.position.x == doctest::Approx(1).epsilon(1e-4));
            CHECK(result.position.z ==
                  doctest::Approx(mover.position.z - (is_wall ? 0.0f : 0.2f)).epsilon(1e-3));
            CHECK(result.is_grounded == !is_wall);
        }
    }
}

TEST_CASE("B1: a mover climbs slopes up to the limit, and slides down steeper ones") {
    for (const MoverShape& shape : some_shapes()) {
        for (const float rise : {0.2f, 0.5f, 0.9f, 1.1f, 1.5f, 3.0f}) {
            MoverWorld world;
            world.add_quad({-8, -8, 0}, {0, -8, 0}, {0, 8, 0}, {-8, 8, 0});
            world.add_quad({0, -8, 0}, {8, -8, 8 * rise}, {8, 8, 8 * rise}, {0, 8, 0});
            world.build();
            Walk walk = {world, standing(shape, -1, 0), walking(0.1f, 0.2f)};
            walk.go({0.1f, 0, -0.05f}, 40);
            INFO("form " << static_cast<int>(shape.form) << " rise " << rise << " at " << walk.at().x << " "
                         << walk.at().z);
            const float climbed = walk.at().z - foot_of(shape);
            if (rise < 1.0f) {
                CHECK(climbed > 0.3f * rise);
                CHECK(walk.last.is_grounded);
            } else {
                CHECK(climbed < 0.15f);
                Walk fallen = {world, {shape, {3, 0, 3 * rise + 2.5f}, {}}, walking()};
                fallen.go({0, 0, -0.2f}, 200);
                CHECK(fallen.at().x < 0.6f);
            }
        }
    }
}

TEST_CASE("B1: a mover that starts a little inside is pushed out; a deeper one stays and reports it") {
    for_each_kind([](const MoverShape& shape, bool is_mesh) {
        MoverWorld world;
        add_floor(world, is_mesh);
        world.build();
        Mover mover = standing(shape, 0, 0);
        mover.position.z -= 1.5f * kOffset;
        REQUIRE(is_inside(world, shape, mover.position));
        MoverResult result = step_mover(mover, world.obstacles());
        CHECK(result.status == MoverStatus::finished);
        CHECK_FALSE(is_inside(world, shape, result.position));
        mover.position.z -= 0.2f;
        mover.displacement = {0.1f, 0, 0};
        result = step_mover(mover, world.obstacles());
        CHECK(result.status == MoverStatus::started_inside);
        CHECK(result.position == mover.position);
    });
}
