// The array, the pair list and the allocation hook.
#include "tests/support/counting_allocator.hpp"

#include <doctest/doctest.h>

#include <broadside/bits.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("the default allocator returns memory at every alignment it promises") {
    const Allocator allocator = default_allocator();
    for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (const std::size_t bytes : {1u, 63u, 64u, 65u, 100000u}) {
            void* memory = allocator.allocate(bytes, alignment, allocator.user);
            REQUIRE(memory != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
            std::memset(memory, 0xAB, bytes);
            allocator.deallocate(memory, bytes, alignment, allocator.user);
        }
    }
    CHECK(allocator.allocate(static_cast<std::size_t>(-64), 64, allocator.user) == nullptr);
}

TEST_CASE(
    "an array first allocates the requested size, then grows by a quarter, or by less if there is less") {
    // At most this many bytes at a time.
    std::size_t most_bytes = 4000;
    Allocator limited = {[](std::size_t bytes, std::size_t alignment, void* user) noexcept -> void* {
                             const Allocator base = default_allocator();
                             if (bytes > *static_cast<std::size_t*>(user)) return nullptr;
                             return base.allocate(bytes, alignment, base.user);
                         },
                         [](void* memory, std::size_t bytes, std::size_t alignment, void*) noexcept {
                             const Allocator base = default_allocator();
                             base.deallocate(memory, bytes, alignment, base.user);
                         },
                         &most_bytes};
    AlignedArray<std::uint32_t> array(limited);
    REQUIRE(array.resize(400));
    CHECK(array.capacity() == 400);
    REQUIRE(array.resize(401));
    CHECK(array.capacity() == 500);
    REQUIRE(array.resize(800));
    CHECK(array.capacity() == 800);
    REQUIRE(array.resize(801));
    CHECK(array.capacity() == 1000);
    array[800] = 7;
    most_bytes = 4400;
    REQUIRE(array.resize(1100));
    CHECK(array.capacity() == 1100);
    CHECK(array[800] == 7);
    CHECK(!array.resize(1101));
    CHECK(array.size() == 1100);
    CHECK(array.capacity() == 1100);
}

TEST_CASE("AlignedArray grows by half, keeps its values, is aligned to a cache line and frees everything") {
    CountingAllocator allocator;
    {
        AlignedArray<std::uint32_t> array(allocator.hook());
        CHECK(array.is_empty());
        for (std::uint32_t i = 0; i < 100000; ++i) REQUIRE(array.push_back(i));
        for (std::uint32_t i = 0; i < 100000; ++i) REQUIRE(array[i] == i);
        CHECK(array.size() == 100000);
        CHECK(array.capacity_bytes() == allocator.live_bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % AlignedArray<std::uint32_t>::kAlignment == 0);
        CHECK(allocator.allocation_count < 30);
        std::uint32_t sum = 0;
        for (const std::uint32_t value : array) sum += value & 1u;
        CHECK(sum == 50000);

        // Grow-only: a warm array allocates nothing.
        const std::size_t allocation_count = allocator.allocation_count;
        array.clear();
        REQUIRE(array.resize(100000));
        REQUIRE(array.reserve(10));
        CHECK(allocator.allocation_count == allocation_count);
        CHECK(array[99999] == 99999);

        // A value of the array itself, while the array moves.
        AlignedArray<std::uint32_t> full(allocator.hook());
        REQUIRE(full.push_back(77));
        while (full.size() < full.capacity()) REQUIRE(full.push_back(1));
        REQUIRE(full.push_back(full[0]));
        CHECK(full[full.size() - 1] == 77);

        array.release();
        CHECK(array.size() == 0);
        CHECK(array.capacity() == 0);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("an AlignedArray out of memory returns false and keeps its contents") {
    CountingAllocator allocator;
    AlignedArray<std::uint64_t> array(allocator.hook());
    allocator.fail_after = 0;
    CHECK_FALSE(array.push_back(1));
    CHECK_FALSE(array.resize(1));
    CHECK(array.data() == nullptr);
    CHECK(array.size() == 0);
    allocator.fail_after = 1;
    REQUIRE(array.resize(4));
    for (std::size_t i = 0; i < 4; ++i) array[i] = i;
    const std::uint64_t* const data = array.data();
    CHECK_FALSE(array.push_back(1));
    CHECK_FALSE(array.resize(100));
    CHECK_FALSE(array.reserve(static_cast<std::size_t>(-1)));
    // Together with the present four, these counts overflow.
    for (std::size_t beyond = 1; beyond <= 4; ++beyond) {
        CHECK_FALSE(array.reserve_to_append(std::size_t{0} - beyond));
    }
    CHECK(array.data() == data);
    CHECK(array.size() == 4);
    CHECK(array.capacity() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(array[i] == i);
}

TEST_CASE("a move of an AlignedArray moves memory and allocator, and leaves it empty") {
    CountingAllocator allocator;
    {
        AlignedArray<int> a(allocator.hook());
        REQUIRE(a.push_back(5));
        const int* const data = a.data();
        AlignedArray<int> b = std::move(a);
        CHECK(b.data() == data);
        CHECK(b[0] == 5);
        CHECK(a.size() == 0);
        CHECK(a.data() == nullptr);
        REQUIRE(a.push_back(6));
        AlignedArray<int> c;
        REQUIRE(c.push_back(7));
        c = std::move(b);
        CHECK(c[0] == 5);
        CHECK(b.is_empty());
        AlignedArray<int>& same = c;
        c = std::move(same);
        CHECK(c[0] == 5);
        AlignedArray<int> d = c.make_empty();
        CHECK(d.is_empty());
        const std::size_t live_bytes = allocator.live_bytes;
        REQUIRE(d.resize(10));
        CHECK(allocator.live_bytes > live_bytes);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("PairBuffer is a growing list of index pairs") {
    CountingAllocator allocator;
    {
        PairBuffer pairs(allocator.hook());
        CHECK(pairs.is_empty());
        REQUIRE(pairs.push_back({1, 2}));
        REQUIRE(pairs.push_back({1, 3}));
        CHECK(pairs.size() == 2);
        CHECK(pairs[1] == IndexPair{1, 3});
        CHECK(pairs[0] < pairs[1]);
        const std::span<const IndexPair> span = pairs;
        CHECK(span.data() == pairs.data());
        CHECK(span.size() == 2);
        std::uint32_t sum = 0;
        for (const IndexPair& pair : pairs) sum += pair.second;
        CHECK(sum == 5);
        const std::size_t capacity = pairs.capacity();
        pairs.clear();
        CHECK(pairs.is_empty());
        CHECK(pairs.capacity() == capacity);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("the word count of a bit count never falls as the bit count rises") {
    CHECK(bit_word_count(0) == 0);
    CHECK(bit_word_count(1) == 1);
    CHECK(bit_word_count(64) == 1);
    CHECK(bit_word_count(65) == 2);
    CHECK(bit_word_count(SIZE_MAX) == SIZE_MAX / 64 + 1);
}
