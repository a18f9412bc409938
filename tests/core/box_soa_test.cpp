// Boxes in six arrays: the owner, the views, and out of memory.
#include "tests/support/counting_allocator.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"

#include <doctest/doctest.h>

#include <broadside/box_soa.hpp>

#include <cstring>
#include <utility>

using namespace broadside;
using namespace broadside::test;

namespace {

void require_equal(const BoxSoa& boxes, const std::vector<Aabb>& expected) {
    REQUIRE(boxes.count() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(boxes[i] == expected[i]);
}

std::vector<Aabb> random_boxes(Random& random, std::size_t count) {
    std::vector<Aabb> boxes(count);
    for (Aabb& box : boxes) box = random_box(random, 10, 3);
    return boxes;
}

}  // namespace

TEST_CASE(
    "BoxSoa keeps its boxes when it grows, makes new ones empty, and aligns each array to a cache line") {
    Random random(1);
    BoxSoa boxes;
    std::vector<Aabb> expected;
    CHECK(boxes.view().is_readable());
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 100u, 3u, 200u, 0u, 5u}) {
        REQUIRE(boxes.resize(count) == Status::ok);
        expected.resize(count, Aabb::empty());
        require_equal(boxes, expected);
        for (std::size_t i = 0; i < count; ++i) boxes.set(i, expected[i] = random_box(random, 10, 3));
        require_equal(boxes, expected);
        for (float* side :
             {boxes.min_x(), boxes.min_y(), boxes.min_z(), boxes.max_x(), boxes.max_y(), boxes.max_z()})
            CHECK(reinterpret_cast<std::uintptr_t>(side) % 64 == 0);
    }
    const BoxSoaView view = boxes;
    CHECK(view.count == 5);
    CHECK(view.min_x == boxes.min_x());
    CHECK(view.max_z == boxes.max_z());
    boxes.clear();
    CHECK(boxes.count() == 0);
    CHECK(boxes.view().count == 0);
}

TEST_CASE("BoxSoa appends one box at a time in amortised constant time") {
    Random random(2);
    CountingAllocator allocator;
    {
        BoxSoa boxes(allocator.hook());
        std::vector<Aabb> expected;
        for (int i = 0; i < 10000; ++i) {
            expected.push_back(random_box(random, 10, 3));
            REQUIRE(boxes.push_back(expected.back()) == Status::ok);
        }
        require_equal(boxes, expected);
        CHECK(allocator.allocation_count < 30);
        // Once warm, the same number of boxes allocates nothing.
        const std::size_t allocation_count = allocator.allocation_count;
        boxes.clear();
        for (const Aabb& box : expected) REQUIRE(boxes.push_back(box) == Status::ok);
        REQUIRE(boxes.resize(10) == Status::ok);
        REQUIRE(boxes.resize(10000) == Status::ok);
        CHECK(allocator.allocation_count == allocation_count);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE(
    "boxes in the caller's structs are read at any stride, offset and alignment, and not a byte beyond") {
    Random random(3);
    for (const std::size_t stride_bytes : {24u, 25u, 31u, 32u, 52u, 101u}) {
        for (const std::size_t count : {0u, 1u, 2u, 17u, 33u}) {
            const std::vector<Aabb> expected = random_boxes(random, count);
            // max before min, with a gap that no float would choose; the last struct ends at an unreadable
            // page.
            const std::size_t max_offset = 0;
            const std::size_t min_offset = stride_bytes >= 25 ? 13 : 12;
            const std::size_t last_bytes = min_offset + 12;
            GuardedArray<unsigned char> bytes(count == 0 ? 0 : (count - 1) * stride_bytes + last_bytes);
            for (std::size_t i = 0; i < count; ++i) {
                const float min[3] = {expected[i].min.x, expected[i].min.y, expected[i].min.z};
                const float max[3] = {expected[i].max.x, expected[i].max.y, expected[i].max.z};
                std::memcpy(bytes.data() + i * stride_bytes + min_offset, min, sizeof min);
                std::memcpy(bytes.data() + i * stride_bytes + max_offset, max, sizeof max);
            }
            BoxSoa boxes;
            REQUIRE(boxes.assign(BoxAosView{bytes.data(), stride_bytes, min_offset, max_offset, count}) ==
                    Status::ok);
            require_equal(boxes, expected);
        }
    }
    // The plain case: an array of Aabb itself.
    const std::vector<Aabb> list = random_boxes(random, 7);
    BoxSoa boxes;
    REQUIRE(boxes.assign(BoxAosView{.data = list.data(), .stride_bytes = sizeof(Aabb), .count = 7}) ==
            Status::ok);
    require_equal(boxes, list);
}

TEST_CASE("BoxSoa copies from a view of unaligned arrays, and a subview starts at its index") {
    Random random(4);
    const std::vector<Aabb> list = random_boxes(random, 50);
    BoxSoa source;
    REQUIRE(source.assign(BoxAosView{.data = list.data(), .stride_bytes = sizeof(Aabb), .count = 50}) ==
            Status::ok);
    const BoxSoaView part = source.view().part(7, 21);
    CHECK(part.count == 21);
    BoxSoa copy;
    REQUIRE(copy.assign(part) == Status::ok);
    require_equal(copy, {list.begin() + 7, list.begin() + 28});
    REQUIRE(copy.assign(BoxSoaView{}) == Status::ok);
    CHECK(copy.count() == 0);
    CHECK(BoxSoaView{}.part(0, 0).is_readable());
}

TEST_CASE("views with a count and null arrays are refused, and nothing changes") {
    BoxSoa boxes;
    REQUIRE(boxes.push_back({{1, 2, 3}, {4, 5, 6}}) == Status::ok);
    CHECK_FALSE(BoxSoaView{.count = 1}.is_readable());
    CHECK_FALSE(Vec3SoaView{.count = 1}.is_readable());
    CHECK(boxes.assign(BoxSoaView{.count = 1}) == Status::invalid_argument);
    CHECK(boxes.assign(BoxAosView{.stride_bytes = 24, .count = 1}) == Status::invalid_argument);
    require_equal(boxes, {{{1, 2, 3}, {4, 5, 6}}});
    const float* const sides[6] = {boxes.min_x(), boxes.min_y(), boxes.min_z(),
                                   boxes.max_x(), boxes.max_y(), boxes.max_z()};
    for (int missing = 0; missing < 6; ++missing) {
        const auto side = [&](int i) { return i == missing ? nullptr : sides[i]; };
        CHECK_FALSE(BoxSoaView{side(0), side(1), side(2), side(3), side(4), side(5), 1}.is_readable());
    }
}

TEST_CASE("BoxSoa out of memory reports it and keeps its contents") {
    Random random(5);
    CountingAllocator allocator;
    BoxSoa boxes(allocator.hook());
    std::vector<Aabb> expected = random_boxes(random, 16);
    for (const Aabb& box : expected) REQUIRE(boxes.push_back(box) == Status::ok);
    const std::size_t capacity = boxes.capacity();
    while (boxes.count() < capacity) {
        expected.push_back(random_box(random, 10, 3));
        REQUIRE(boxes.push_back(expected.back()) == Status::ok);
    }
    allocator.fail_after = allocator.allocation_count;
    const std::size_t live_bytes = allocator.live_bytes;
    const std::vector<Aabb> many = random_boxes(random, 1000);
    CHECK(boxes.push_back(many[0]) == Status::out_of_memory);
    CHECK(boxes.resize(1000) == Status::out_of_memory);
    CHECK(boxes.resize(static_cast<std::size_t>(-1)) == Status::out_of_memory);
    CHECK(boxes.assign(BoxAosView{.data = many.data(), .stride_bytes = sizeof(Aabb), .count = 1000}) ==
          Status::out_of_memory);
    CHECK(allocator.live_bytes == live_bytes);
    require_equal(boxes, expected);
    REQUIRE(boxes.resize(3) == Status::ok);
}

TEST_CASE("a moved-from BoxSoa is empty and can be filled again") {
    BoxSoa boxes;
    REQUIRE(boxes.push_back({{1, 2, 3}, {4, 5, 6}}) == Status::ok);
    BoxSoa taken = std::move(boxes);
    require_equal(taken, {{{1, 2, 3}, {4, 5, 6}}});
    CHECK(boxes.count() == 0);
    CHECK(boxes.view().count == 0);
    REQUIRE(boxes.push_back({{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    require_equal(boxes, {{{0, 0, 0}, {1, 1, 1}}});
    taken = std::move(boxes);
    require_equal(taken, {{{0, 0, 0}, {1, 1, 1}}});
    CHECK(boxes.count() == 0);
}

TEST_CASE("find_invalid_box returns the first invalid box from an index on") {
    BoxSoa boxes;
    REQUIRE(boxes.resize(6) == Status::ok);
    for (std::size_t i = 0; i < 6; ++i) boxes.set(i, {{0, 0, 0}, {1, 1, 1}});
    CHECK(find_invalid_box(boxes) == kNoIndex);
    boxes.set(2, {{kNaN, 0, 0}, {1, 1, 1}});
    boxes.set(4, {{kInfinity, 0, 0}, {kInfinity, 1, 1}});
    CHECK(find_invalid_box(boxes) == 2);
    CHECK(find_invalid_box(boxes, 2) == 2);
    CHECK(find_invalid_box(boxes, 3) == 4);
    CHECK(find_invalid_box(boxes, 5) == kNoIndex);
    CHECK(find_invalid_box({}) == kNoIndex);
    // Adjacent and far apart, with every cause of an invalid box.
    const Aabb invalid[] = {{{0, 0, 0}, {1, kNaN, 1}},
                            {{0, 2, 0}, {1, 1, 1}},
                            {{0, 0, kInfinity}, {1, 1, kInfinity}},
                            {{-kInfinity, 0, 0}, {-kInfinity, 1, 1}}};
    for (const Aabb& box : invalid) {
        BoxSoa many;
        REQUIRE(many.resize(300) == Status::ok);
        for (std::size_t i = 0; i < 300; ++i) many.set(i, {{-kInfinity, 0, 0}, {kInfinity, 1, 1}});
        CHECK(find_invalid_box(many) == kNoIndex);
        for (const std::size_t at : {299u, 200u, 128u, 127u, 64u, 63u, 0u}) {
            many.set(at, box);
            CHECK(find_invalid_box(many) == at);
            CHECK(find_invalid_box(many, at) == at);
        }
        CHECK(find_invalid_box(many, 65) == 127);
    }
}
