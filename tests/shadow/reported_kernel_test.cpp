// Handed over by shadow verification. clang-format off
#include "tests/support/shadow_case.hpp"

using namespace broadside;
using namespace broadside::test;

TEST_CASE("narrowphase::OverlapKernels::boxes returns the same as its specification") {
    const auto box = value<broadside::Aabb>(
        {0x42840000, 0x00000000, 0x00000000, 0x42890000, 0x3f800000, 0x3f800000});
    const auto boxes_0 = items<float>(
        {0x42800000, 0x42820000, 0x42840000, 0x42860000, 0x42880000, 0x428a0000, 0x428c0000, 0x428e0000,
         0x42900000, 0x42920000, 0x42940000});
    const auto boxes_1 = items<float>(
        {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
         0x00000000, 0x00000000, 0x00000000});
    const auto boxes_2 = items<float>(
        {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
         0x00000000, 0x00000000, 0x00000000});
    const auto boxes_3 = items<float>(
        {0x42820000, 0x42840000, 0x42860000, 0x42880000, 0x428a0000, 0x428c0000, 0x428e0000, 0x42900000,
         0x42920000, 0x42940000, 0x42960000});
    const auto boxes_4 = items<float>(
        {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,
         0x3f800000, 0x3f800000, 0x3f800000});
    const auto boxes_5 = items<float>(
        {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,
         0x3f800000, 0x3f800000, 0x3f800000});
    std::vector<std::uint64_t> out_bits(1);
    CHECK(agree<&narrowphase::OverlapKernels::boxes>(box, BoxSoaView{boxes_0.data(), boxes_1.data(), boxes_2.data(), boxes_3.data(), boxes_4.data(), boxes_5.data(), 11}, out_bits.data()));
}
