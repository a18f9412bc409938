// Handed over by shadow verification. clang-format off
#include "tests/support/shadow_case.hpp"

using namespace broadside;
using namespace broadside::test;

TEST_CASE("find_pairs finds the pairs of brute force") {
    const auto boxes_0 = items<float>(
        {0x00000000, 0x3f800000, 0x40000000, 0x40400000, 0x40800000});
    const auto boxes_1 = items<float>(
        {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000});
    const auto boxes_2 = items<float>(
        {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000});
    const auto boxes_3 = items<float>(
        {0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000});
    const auto boxes_4 = items<float>(
        {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000});
    const auto boxes_5 = items<float>(
        {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000});
    const auto categories = items<std::uint64_t>(
        {0x00000001, 0x00000000, 0x00000002, 0x00000000, 0x00000004, 0x00000000, 0x00000008, 0x00000000,
         0x00000010, 0x00000000});
    FindPairsSettings settings;
    settings.algorithm = static_cast<PairAlgorithm>(0);
    settings.filter.categories = categories;
    CHECK(finds_the_pairs(settings, BoxSoaView{boxes_0.data(), boxes_1.data(), boxes_2.data(), boxes_3.data(), boxes_4.data(), boxes_5.data(), 5}));
}
