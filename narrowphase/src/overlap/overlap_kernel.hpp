// Static overlap of boxes over lanes. The specification is `overlap(a, b)` in core's aabb.hpp.
#pragma once

#include "simd/src/geometry.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

/// One lane: does one box of the batch overlap `box`? Source: source_rules.md A1-A3, in the accept form of
/// G4, so that NaN gives no. Touching counts; zero extent, infinite sides and -0 are ordinary; inverted boxes
/// give no because both boxes are checked for validity.
///
/// A valid box begins below +infinity and ends above -infinity. `box` is cut to that range, so that the test
/// whether intervals meet checks this for the other box too: nine comparisons instead of fifteen.
template <class Arch>
void overlap_boxes_kernel(const Aabb& box, const BoxSoaView& boxes, std::uint64_t* out_bits) {
    if constexpr (simd::is_scalar<Arch>) {
        simd::BitWriter writer(out_bits);
        for (std::size_t i = 0; i < boxes.count; ++i) writer.write(i, overlap(box, boxes[i]) ? 1u : 0u, 1);
        writer.finish();
    } else {
        using namespace simd;
        const MaskW<Arch> box_is_valid = broadcast_mask<Arch>(is_valid(box));
        const FloatW<Arch> lowest = broadcast<Arch>(-FLT_MAX);
        const FloatW<Arch> highest = broadcast<Arch>(FLT_MAX);
        BoxW<Arch> cut = broadcast<Arch>(box);
        cut.min = {max_keep(cut.min.x, lowest), max_keep(cut.min.y, lowest), max_keep(cut.min.z, lowest)};
        cut.max = {min_keep(cut.max.x, highest), min_keep(cut.max.y, highest), min_keep(cut.max.z, highest)};
        write_group_bits<Arch>(boxes.count, out_bits, [&](std::size_t first, auto group) {
            const BoxW<Arch> other = load_boxes<Arch>(boxes, first, group);
            // is_valid(a) && is_valid(b) && intervals meet
            const MaskW<Arch> hit = box_is_valid & (other.min.x <= other.max.x) &
                                    (other.min.y <= other.max.y) & (other.min.z <= other.max.z) &
                                    intervals_meet(cut, other);
            return bits(hit);
        });
    }
}

/// As above for pairs by index; every lane fetches its own two boxes.
template <class Arch>
void overlap_pairs_kernel(const BoxSoaView& a, const BoxSoaView& b, const IndexPair* pairs,
                          std::size_t pair_count, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            writer.write(i, overlap(a[pairs[i].first], b[pairs[i].second]) ? 1u : 0u, 1);
        }
    } else {
        using namespace simd;
        for_each_group<Arch>(pair_count, [&](std::size_t first, auto group) {
            const PairIndices<Arch> indices = load_pair_indices<Arch>(pairs + first, group.count);
            const BoxW<Arch> box_a = load_boxes_indexed<Arch>(a, indices.first);
            const BoxW<Arch> box_b = load_boxes_indexed<Arch>(b, indices.second);
            const MaskW<Arch> hit = is_valid(box_a) & is_valid(box_b) & intervals_meet(box_a, box_b);
            writer.write(first, bits(hit), group.count);
        });
    }
    writer.finish();
}

}  // namespace broadside::narrowphase
