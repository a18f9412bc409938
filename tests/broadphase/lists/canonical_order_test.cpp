// Sorting of pairs against std::sort: rows of any length, any counts of boxes, any output and runner.
#include "broadphase/src/lists/canonical_order.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Case {
    const char* name;
    std::size_t first_count;
    std::size_t second_count;
    // Pairs of the longest row, and rows.
    std::uint32_t row_length_max;
    std::uint32_t row_count;
};

const Case kCases[] = {
    {"no pair", 100, 100, 0, 0},
    {"two boxes", 2, 2, 1, 1},
    {"one row", 1, 5000, 5000, 1},
    {"short rows", 3000, 3000, 12, 3000},
    {"rows about the width of a register", 2000, 2000, 40, 1500},
    {"rows beyond those that registers hold", 600, 900, 200, 400},
    {"long rows", 700, 70000, 3000, 12},
    {"few pairs among many boxes", 2000000, 2000000, 3, 40},
    {"second indices of 31 bits", 40, std::size_t{1} << 31, 200, 30},
    {"more buckets than there may be", std::size_t{1} << 31, std::size_t{1} << 31, 5, 900},
    {"the most buckets", std::size_t{1} << 22, std::size_t{1} << 22, 20, 4000},
};

// Each pair once, unordered; the last row and the last index of a row among them.
std::vector<IndexPair> make_pairs(const Case& scene, Random& random) {
    std::vector<IndexPair> pairs;
    for (std::uint32_t k = 0; k < scene.row_count; ++k) {
        const auto first = k == 0 ? static_cast<std::uint32_t>(scene.first_count - 1)
                                  : random.below(static_cast<std::uint32_t>(scene.first_count - 1) + 1);
        const std::uint32_t length = k < 2 ? scene.row_length_max : random.below(scene.row_length_max + 1);
        for (std::uint32_t i = 0; i < length; ++i) {
            const auto last = static_cast<std::uint32_t>(scene.second_count - 1);
            pairs.push_back({first, i == 0 ? last : random.below(last) + 0});
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (std::size_t i = pairs.size(); i > 1; --i) {
        std::swap(pairs[i - 1], pairs[random.below(static_cast<std::uint32_t>(i))]);
    }
    return pairs;
}

// Memory that ends where an unreadable page begins.
class GuardedAllocator {
public:
    Allocator hook() { return {&allocate, &deallocate, this}; }

private:
    static void* allocate(std::size_t bytes, std::size_t alignment, void* user) noexcept {
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        auto& pages = static_cast<GuardedAllocator*>(user)->pages_;
        pages.push_back(std::make_unique<GuardedPages>(rounded));
        return static_cast<char*>(pages.back()->end()) - rounded;
    }
    // Pages stay until the allocator ends.
    static void deallocate(void*, std::size_t, std::size_t, void*) noexcept {}

    std::vector<std::unique_ptr<GuardedPages>> pages_;
};

}  // namespace

TEST_CASE("a sort of pairs writes nothing past the end of its buffers") {
    for_each_isa([](Isa) {
        Random random(16);
        for (std::uint32_t count = 1; count < 200; ++count) {
            GuardedAllocator allocator;
            AlignedArray<std::byte> scratch(allocator.hook());
            PairBuffer pairs(allocator.hook());
            REQUIRE(pairs.resize(count));
            for (IndexPair& pair : pairs) pair = {random.below(50), random.below(9)};
            std::vector<IndexPair> expected(pairs.begin(), pairs.end());
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            REQUIRE(broadphase::sort_unique_pairs(pairs, scratch));
            REQUIRE(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
            scratch.release();
            std::vector<IndexPair> in_place(expected.rbegin(), expected.rend());
            REQUIRE(broadphase::sort_pairs(in_place, 50, 9, scratch));
            REQUIRE((in_place == expected));
        }
    });
}

TEST_CASE("rows with any range of first indices are sorted into another buffer") {
    Random random(18);
    for (int bits = 0; bits <= 32; ++bits) {
        for (const std::uint32_t count : {0u, 1u, 2u, 3u, 7u, 64u, 500u}) {
            CAPTURE(bits);
            CAPTURE(count);
            const std::uint32_t last = bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1;
            const std::uint32_t begin = 0xFFFFFFFFu - last;
            GuardedAllocator allocator;
            PairBuffer sorted(allocator.hook());
            AlignedArray<std::uint32_t> buckets(allocator.hook());
            REQUIRE(sorted.resize(count));
            REQUIRE(buckets.resize(broadphase::range_bucket_count(count)));
            std::vector<IndexPair> pairs(count);
            // The ends of the range, few rows of many pairs, and some pairs twice.
            for (IndexPair& pair : pairs) {
                const std::uint32_t row =
                    random.below(3) == 0 ? random.below(2) * last : random.below(0xFFFFFFFFu) & last;
                pair = {begin + row, random.below(4) == 0 ? 0xFFFFFFFFu : random.below(9)};
            }
            broadphase::sort_range(pairs, {begin, bits}, buckets.data(), sorted.data());
            std::sort(pairs.begin(), pairs.end());
            REQUIRE(std::equal(sorted.begin(), sorted.end(), pairs.begin(), pairs.end()));
        }
    }
}

TEST_CASE("rows of every length, mixed, are sorted, and nothing is written behind them") {
    for_each_isa([](Isa) {
        Random random(17);
        AlignedArray<std::byte> scratch;
        for (std::uint32_t length = 0; length < 140; ++length) {
            for (const std::uint32_t every : {1u, 3u, 40u}) {
                CAPTURE(length);
                CAPTURE(every);
                std::vector<IndexPair> expected;
                for (std::uint32_t first = 0; first < 300; ++first) {
                    // Many equal indices, and gaps that differ.
                    const std::uint32_t count = first % every == 0 ? length : first % 4;
                    for (std::uint32_t k = 0; k < count; ++k) expected.push_back({first, 7 * k + first % 7});
                }
                std::vector<IndexPair> shuffled = expected;
                for (std::size_t i = shuffled.size(); i > 1; --i)
                    std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
                GuardedAllocator allocator;
                PairBuffer pairs(allocator.hook());
                REQUIRE(pairs.resize(expected.size()));
                std::copy(shuffled.begin(), shuffled.end(), pairs.begin());
                REQUIRE(broadphase::sort_pairs({pairs.data(), pairs.size()}, 300, 1000, scratch));
                REQUIRE(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
            }
        }
    });
}

TEST_CASE("sorting the same pairs repeatedly uses no more memory than sorting them once") {
    Random random(15);
    AlignedArray<std::byte> scratch;
    for (const Case& scene : kCases) {
        CAPTURE(scene.name);
        const std::vector<IndexPair> found = make_pairs(scene, random);
        std::size_t bytes = 0;
        for (int round = 0; round < 5; ++round) {
            std::vector<IndexPair> in_place = found;
            REQUIRE(broadphase::sort_pairs(in_place, scene.first_count, scene.second_count, scratch));
            REQUIRE(std::is_sorted(in_place.begin(), in_place.end()));
            if (round == 0) bytes = scratch.capacity_bytes();
            REQUIRE(scratch.capacity_bytes() == bytes);
        }
    }
}

TEST_CASE("pairs in any order are sorted in place, and on their way to any output" * kLong) {
    for_each_isa([](Isa) {
        Random random(14);
        AlignedArray<std::byte> scratch;
        PairBuffer scratch_list;
        for (const Case& scene : kCases) {
            CAPTURE(scene.name);
            const std::vector<IndexPair> found = make_pairs(scene, random);
            REQUIRE((found.empty() == (scene.row_count == 0)));
            std::vector<IndexPair> expected = found;
            std::sort(expected.begin(), expected.end());

            std::vector<IndexPair> in_place = found;
            REQUIRE(broadphase::sort_pairs(in_place, scene.first_count, scene.second_count, scratch));
            REQUIRE((in_place == expected));

            for (const std::uint32_t workers : {1u, 2u, 8u}) {
                CAPTURE(workers);
                const ShuffledRunner shuffled(workers, workers);
                const TaskRunner* const runner = workers == 1 ? nullptr : shuffled.runner();
                const auto sorted_to = [&](const PairOutput& output) {
                    broadphase::PairWriter writer(output, nullptr);
                    const auto find = [&](broadphase::PairWriter& collector) {
                        // In blocks of any size.
                        for (std::size_t begin = 0; begin < found.size();) {
                            const std::size_t count =
                                std::min<std::size_t>(found.size() - begin, random.below(3000));
                            REQUIRE(collector.write({found.data() + begin, count}) == Status::ok);
                            begin += count;
                        }
                        return Status::ok;
                    };
                    REQUIRE(broadphase::find_sorted(scene.first_count, scene.second_count, runner,
                                                    scratch_list, scratch, writer, find) == Status::ok);
                    REQUIRE(writer.required() == expected.size());
                };
                PairBuffer buffer;
                sorted_to(buffer);
                REQUIRE(buffer.size() == expected.size());
                REQUIRE(std::equal(buffer.begin(), buffer.end(), expected.begin()));

                // The pairs that fit, and nothing behind them.
                std::vector<IndexPair> part(expected.size() * 2 / 3 + 1, IndexPair{7, 3});
                sorted_to(std::span(part.data(), part.size() - 1));
                REQUIRE(std::equal(part.begin(), part.end() - 1, expected.begin()));
                REQUIRE(part.back() == IndexPair{7, 3});

                std::vector<IndexPair> streamed;
                sorted_to(PairSink{[](void* user, std::span<const IndexPair> pairs) noexcept {
                                       auto& list = *static_cast<std::vector<IndexPair>*>(user);
                                       list.insert(list.end(), pairs.begin(), pairs.end());
                                       return true;
                                   },
                                   &streamed});
                REQUIRE((streamed == expected));
            }
        }
    });
}
