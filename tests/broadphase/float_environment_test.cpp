// Boxes that a thread without denormal numbers would take for one; tests/entry_points has all calls.
#include "tests/support/foreign_environment.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("separate boxes of denormal size do not pair on a thread that flushes denormal numbers") {
    BoxSoa boxes;
    for (int i = 0; i < 200; ++i) {
        const float begin = static_cast<float>(2 * i) * 0x1p-149f;
        const float end = static_cast<float>(2 * i + 1) * 0x1p-149f;
        REQUIRE(boxes.push_back({{begin, begin, begin}, {end, end, end}}) == Status::ok);
    }
    for_each_isa([&](Isa) {
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                              PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
            FindPairsSettings settings;
            settings.algorithm = algorithm;
            PairBuffer pairs;
            Status status;
            {
                const ForeignEnvironment environment(
                    {kDefaultControlBits | kFlushesToZero | kDenormalsAreZeros, "FTZ DAZ"});
                status = find_pairs(boxes, settings, pairs).status;
            }
            CHECK(status == Status::ok);
            CHECK(pairs.is_empty());
        }
    });
}
