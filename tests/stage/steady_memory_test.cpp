// Memory of objects kept from frame to frame while boxes bounce about in a room: a steady scene, although no
// frame is like another.
#include "tests/support/counting_allocator.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/suites.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/world_query.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

// Boxes with edges of 0.5 to 1.5, this many a unit of space, that turn round at the walls of the room.
class Room {
public:
    Room(std::size_t count, float density, float speed, std::uint32_t seed)
        : side_(std::cbrt(static_cast<float>(count) / density)) {
        Random random(seed);
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 at = any_vec3(random, 0, side_);
            const Vec3 half = any_vec3(random, 0.25f, 0.75f);
            boxes_.push_back({at - half, at + half});
            const Vec3 step = any_vec3(random, -speed, speed);
            for (std::size_t axis = 0; axis < 3; ++axis) steps_[axis].push_back(axis_of(step, axis));
        }
    }

    void step() {
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            Aabb& box = boxes_[i];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                float& step = steps_[axis][i];
                const bool has_left =
                    (axis_of(box.min, axis) < 0 && step < 0) || (axis_of(box.max, axis) > side_ && step > 0);
                if (has_left) step = -step;
            }
            const Vec3 by = {steps_[0][i], steps_[1][i], steps_[2][i]};
            box = {box.min + by, box.max + by};
        }
    }

    const std::vector<Aabb>& boxes() const { return boxes_; }
    BoxAosView view() const {
        return {.data = boxes_.data(), .stride_bytes = sizeof(Aabb), .count = boxes_.size()};
    }
    Vec3SoaView displacements() const {
        return {steps_[0].data(), steps_[1].data(), steps_[2].data(), boxes_.size()};
    }

private:
    static Vec3 any_vec3(Random& random, float min, float max) {
        const float x = random.uniform(min, max), y = random.uniform(min, max);
        return {x, y, random.uniform(min, max)};
    }
    static float axis_of(const Vec3& v, std::size_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

    float side_;
    std::vector<Aabb> boxes_;
    std::array<std::vector<float>, 3> steps_;
};

struct Scene {
    const char* name;
    std::size_t count;
    float density;
    float speed;
};
constexpr Scene kScenes[] = {{"slow", 1000, 0.5f, 0.01f},
                             {"fast", 1000, 0.5f, 0.1f},
                             {"dense", 1000, 2, 0.1f},
                             {"sparse", 1000, 0.1f, 0.05f}};

// Calls `frame` a thousand times: counts those of the last 800 that allocate, and the factor by which memory
// grows in them.
struct Late {
    std::size_t frame_count = 0;
    double growth = 0;
};
Late late_memory(Room room, const CountingAllocator& allocator,
                 const std::function<void(const Room&)>& frame) {
    Late late;
    std::size_t warm_bytes = 0;
    for (int index = 0; index < 1000; ++index) {
        if (index == 200) warm_bytes = allocator.live_bytes;
        const std::size_t before = allocator.allocation_count;
        frame(room);
        if (index >= 200 && allocator.allocation_count != before) ++late.frame_count;
        room.step();
    }
    late.growth = static_cast<double>(allocator.live_bytes) / static_cast<double>(warm_bytes);
    return late;
}

// docs/embedding.md promises two frames in a hundred.
void check_late(const std::string& what, const Late& late, std::size_t frame_count_max = 16) {
    INFO(what << ": " << late.frame_count << " of 800 frames allocate, memory times " << late.growth);
    CHECK(late.frame_count <= frame_count_max);
    CHECK(late.growth < 1.7);
}

void for_each_room(const std::function<void(const Room&)>& body) {
    for (const Scene& scene : kScenes) {
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            INFO("room " << std::string(scene.name) << ", seed " << seed);
            body(Room(scene.count, scene.density, scene.speed, seed));
        }
    }
}

}  // namespace

TEST_CASE("boxes that bounce for a long time make find_pairs and a cache allocate seldom" * kLong) {
    for_each_room([](const Room& room) {
        CountingAllocator allocator;
        BoxSoa boxes;
        BoxScratch scratch(allocator.hook());
        PairBuffer pairs(allocator.hook());
        check_late("find_pairs", late_memory(room, allocator, [&](const Room& now) {
                       REQUIRE(boxes.assign(now.view()) == Status::ok);
                       REQUIRE(find_pairs(boxes, {}, scratch, pairs).status == Status::ok);
                   }));
        PairCache cache(0.1f, allocator.hook());
        check_late("PairCache", late_memory(room, allocator, [&](const Room& now) {
                       REQUIRE(boxes.assign(now.view()) == Status::ok);
                       REQUIRE(cache.find_pairs(boxes, {}, scratch, pairs).status == Status::ok);
                   }));
    });
}

TEST_CASE("boxes that bounce for a long time make a world and its queries allocate seldom" * kLong) {
    const auto check_world = [](const Room& room, std::size_t mover_share, bool has_queries) {
        CAPTURE(mover_share);
        CAPTURE(has_queries);
        CountingAllocator allocator;
        World world({}, allocator.hook());
        std::vector<ObjectHandle> handles(room.boxes().size());
        BoxSoa boxes;
        REQUIRE(boxes.assign(room.view()) == Status::ok);
        REQUIRE(world.add(boxes, {}, handles).status == Status::ok);
        const Late late = late_memory(room, allocator, [&](const Room& now) {
            bool is_ok = true;
            for (std::size_t i = 0; i < handles.size(); i += mover_share) {
                is_ok = is_ok && world.set_box(handles[i], now.boxes()[i]) == Status::ok;
            }
            REQUIRE(is_ok);
            REQUIRE(world.update().status == Status::ok);
            if (has_queries) REQUIRE(world.queries().status() == Status::ok);
        });
        // A tree's first gradual rebuild allocates in nine updates.
        check_late("World", late, has_queries ? 13 : 6);
    };
    for (const std::size_t mover_share : {1u, 10u}) {
        for_each_room([&](const Room& room) {
            check_world(room, mover_share, true);
            check_world(room, mover_share, false);
        });
    }
}

TEST_CASE("boxes that bounce for a long time make the stage allocate seldom" * kLong) {
    for_each_room([](const Room& room) {
        CountingAllocator allocator;
        BoxSoa boxes;
        CollisionStage stage(allocator.hook());
        const Ray rays[] = {{{0, 0, 0}, {1, 1, 1}}, {{-1, 2, 3}, {1, 0, 0}}};
        check_late("CollisionStage", late_memory(room, allocator, [&](const Room& now) {
                       REQUIRE(boxes.assign(now.view()) == Status::ok);
                       StageInput input;
                       input.boxes = boxes;
                       input.displacements = now.displacements();
                       input.rays = rays;
                       REQUIRE(stage.step(input).status == Status::ok);
                   }));
    });
}
