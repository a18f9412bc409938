// Moves of the arrays and the owners over them.
#include "tests/support/check_moves.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/pair_buffer.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("moves: AlignedArray") {
    check_moves<AlignedArray<std::uint32_t>>(
        [](const Allocator& allocator) { return AlignedArray<std::uint32_t>(allocator); },
        [](AlignedArray<std::uint32_t>& array) {
            array.clear();
            for (std::uint32_t i = 0; i < 100; ++i) REQUIRE(array.push_back(i * i));
        },
        [](const AlignedArray<std::uint32_t>& array) {
            Answers answers;
            answers.add(array.is_empty());
            answers.add(array.data() == nullptr);
            answers.add(array.capacity());
            answers.add(array.capacity_bytes());
            answers.add(array.make_empty().capacity());
            answers.add_all(array, [&](std::uint32_t item) { answers.add(item); });
            return answers;
        });
}

TEST_CASE("moves: SoaArrays") {
    check_moves<SoaArrays>([](const Allocator& allocator) { return SoaArrays(3, allocator); },
                           [](SoaArrays& arrays) {
                               arrays.clear();
                               for (std::size_t i = 0; i < 40; ++i) {
                                   REQUIRE(arrays.append() == Status::ok);
                                   for (std::size_t array = 0; array < 3; ++array)
                                       arrays.array(array)[i] = static_cast<float>(3 * i + array);
                               }
                           },
                           [](const SoaArrays& arrays) {
                               Answers answers;
                               answers.add(arrays.count());
                               answers.add(arrays.capacity());
                               for (std::size_t i = 0; i < arrays.count(); ++i) {
                                   for (std::size_t array = 0; array < 3; ++array)
                                       answers.add(arrays.array(array)[i]);
                               }
                               return answers;
                           });
}

TEST_CASE("moves: BoxSoa") {
    check_moves<BoxSoa>([](const Allocator& allocator) { return BoxSoa(allocator); },
                        [](BoxSoa& boxes) {
                            Random random(1);
                            boxes.clear();
                            REQUIRE(boxes.resize(20) == Status::ok);
                            for (std::size_t i = 0; i < 20; ++i) boxes.set(i, grid_box(random));
                            REQUIRE(boxes.push_back(grid_box(random)) == Status::ok);
                        },
                        [](const BoxSoa& boxes) {
                            Answers answers;
                            answers.add(boxes.capacity());
                            answers.add(boxes.count());
                            answers.add(boxes.view().count);
                            answers.add(boxes.view().min_x == nullptr);
                            answers.add(find_invalid_box(boxes));
                            for (std::size_t i = 0; i < boxes.count(); ++i) answers.add(boxes[i]);
                            return answers;
                        });
}

TEST_CASE("moves: ObbSoa") {
    check_moves<ObbSoa>([](const Allocator& allocator) { return ObbSoa(allocator); },
                        [](ObbSoa& obbs) {
                            Obb obb;
                            obb.center = {1, 2, 3};
                            const std::vector<Obb> list(20, obb);
                            REQUIRE(obbs.assign(list) == Status::ok);
                            REQUIRE(obbs.resize(21) == Status::ok);
                        },
                        [](const ObbSoa& obbs) {
                            Answers answers;
                            answers.add(obbs.capacity());
                            answers.add(obbs.count());
                            answers.add(obbs.view().count());
                            answers.add(obbs.view().is_readable());
                            answers.add(obbs.view().center.x == nullptr);
                            for (std::size_t i = 0; i < obbs.count(); ++i) answers.add(obbs[i].center);
                            return answers;
                        });
}

TEST_CASE("moves: PairBuffer") {
    check_moves<PairBuffer>([](const Allocator& allocator) { return PairBuffer(allocator); },
                            [](PairBuffer& pairs) {
                                pairs.clear();
                                for (std::uint32_t i = 0; i < 50; ++i) REQUIRE(pairs.push_back({i, i + 1}));
                            },
                            [](const PairBuffer& pairs) {
                                Answers answers;
                                answers.add(pairs.is_empty());
                                answers.add(pairs.capacity());
                                answers.add_pairs(pairs);
                                return answers;
                            });
}
