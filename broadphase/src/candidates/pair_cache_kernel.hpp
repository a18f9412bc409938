// A kept list over lanes. The specification of kept pairs is pair_cache_scalar.hpp; that of rows and regions is
// the text here at one lane, which tests compare with every box in turn.
#pragma once

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "simd/src/bytes.hpp"
#include "simd/src/geometry.hpp"
#include "simd/src/groups.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

template <class Arch>
void refresh_kernel(const BoxSoaView& boxes, const BoxSoaView& grown, CellRecord* out_rows,
                    std::uint64_t* out_invalid_bits, std::uint64_t* out_escaped_bits) {
    simd::BitWriter invalid_writer(out_invalid_bits);
    simd::BitWriter escaped_writer(out_escaped_bits);
    using namespace simd;
    const FloatW<Arch> nan = broadcast<Arch>(__builtin_nanf(""));
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    for_each_group<Arch>(boxes.count, [&](std::size_t first, auto group) {
        const BoxW<Arch> box = load_boxes<Arch>(boxes, first, group);
        const BoxW<Arch> outer = load_boxes<Arch>(grown, first, group);
        const MaskW<Arch> valid = is_valid(box);
        // contains(outer, box)
        const MaskW<Arch> kept = valid & (outer.min.x <= box.min.x) & (box.max.x <= outer.max.x) &
                                 (outer.min.y <= box.min.y) & (box.max.y <= outer.max.y) &
                                 (outer.min.z <= box.min.z) & (box.max.z <= outer.max.z);
        store_rows_aligned<Arch>(out_rows[first].min, select(kept, box.min.x, nan),
                                 select(kept, box.min.y, nan), select(kept, box.min.z, nan), zero,
                                 select(kept, box.max.x, nan), select(kept, box.max.y, nan),
                                 select(kept, box.max.z, nan), zero);
        const std::uint32_t valid_bits = bits(valid);
        invalid_writer.write(first, ~valid_bits, group.count);
        escaped_writer.write(first, valid_bits & ~bits(kept), group.count);
    });
    invalid_writer.finish();
    escaped_writer.finish();
}

template <class Arch>
void refresh_rows_kernel(const BoxSoaView& boxes, const CellRecord* grown, CellRecord* out_rows,
                         std::uint64_t* out_escaped_bits) {
    using namespace simd;
    const FloatW<Arch> nan = broadcast<Arch>(__builtin_nanf(""));
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    write_group_bits<Arch>(boxes.count, out_escaped_bits, [&](std::size_t first, auto group) {
        const BoxW<Arch> box = load_boxes<Arch>(boxes, first, group);
        const MaskW<Arch> valid = is_valid(box);
        store_rows_aligned<Arch>(out_rows[first].min, select(valid, box.min.x, nan),
                                 select(valid, box.min.y, nan), select(valid, box.min.z, nan), zero,
                                 select(valid, box.max.x, nan), select(valid, box.max.y, nan),
                                 select(valid, box.max.z, nan), zero);
        FloatW<Arch> outer[8];
        load_rows<Arch>([&](std::uint32_t lane) { return grown[first + lane].min; }, outer);
        // is_within
        const MaskW<Arch> within = (outer[0] <= box.min.x) & (box.max.x <= outer[4]) &
                                   (outer[1] <= box.min.y) & (box.max.y <= outer[5]) &
                                   (outer[2] <= box.min.z) & (box.max.z <= outer[6]);
        return bits(valid) & ~bits(within);
    });
}

/// Corners are compared alone: an invalid box meets nothing, Aabb::empty() may meet a box that is not finite.
template <class Arch>
std::size_t find_meeting_kernel(BoxSoaView boxes, const BoxRange* ranges, std::size_t range_count,
                                const Aabb& box, std::uint32_t* out_indices) {
    std::uint32_t* out = out_indices;
    using namespace simd;
    const BoxW<Arch> other = broadcast<Arch>(box);
    for (const BoxRange* range = ranges; range != ranges + range_count; ++range) {
        for (std::uint32_t i = range->begin; i < range->end; i += Arch::kLanes) {
            const BoxW<Arch> candidate = load_boxes<Arch>(boxes, i, FullGroup<Arch>{});
            const MaskW<Arch> met_x = (candidate.min.x <= other.max.x) & (other.min.x <= candidate.max.x);
            if (fails_alone(met_x)) continue;
            std::uint32_t met =
                bits(met_x & (candidate.min.y <= other.max.y) & (other.min.y <= candidate.max.y) &
                     (candidate.min.z <= other.max.z) & (other.min.z <= candidate.max.z));
            const std::uint32_t left = range->end - i;
            if (left < Arch::kLanes) met &= (1u << left) - 1;
            // Without a branch: few of them meet, and which is a coin toss.
            out +=
                compress_store(reinterpret_cast<std::int32_t*>(out),
                               broadcast_int<Arch>(static_cast<std::int32_t>(i)) + lane_index<Arch>(), met);
        }
    }
    return static_cast<std::size_t>(out - out_indices);
}

template <class Arch>
std::size_t keep_overlapping_kernel(const CellRecord* rows, const IndexPair* pairs, std::size_t pair_count,
                                    IndexPair* out_pairs) {
    if constexpr (simd::is_scalar<Arch>) {
        return keep_overlapping(rows, pairs, pair_count, out_pairs, boxes_meet);
    } else {
        return keep_overlapping(rows, pairs, pair_count, out_pairs,
                                [](const CellRecord& a, const CellRecord& b) {
                                    return simd::corners_at_most<Arch>(a.min, b.max, b.min, a.max);
                                });
    }
}

/// Every bit twice: a pair is two words.
BROADSIDE_FORCE_INLINE std::uint32_t doubled_bits(std::uint32_t bits) {
    bits = (bits | bits << 4) & 0x0F0Fu;
    bits = (bits | bits << 2) & 0x3333u;
    bits = (bits | bits << 1) & 0x5555u;
    return bits | bits << 1;
}

template <class Arch>
std::size_t keep_marked_kernel(const IndexPair* pairs, std::size_t pair_count, const std::uint64_t* bits,
                               IndexPair* out_pairs) {
    std::size_t done = 0;
    std::size_t kept = 0;
    if constexpr (!simd::is_scalar<Arch>) {
        // As many pairs as fill a register. The excess stays within what was read, so there is room for it.
        constexpr std::size_t kPairs = Arch::kLanes / 2;
        for (; done + kPairs <= pair_count; done += kPairs) {
            const auto group =
                static_cast<std::uint32_t>(bits[done / 64] >> done % 64) & ((1u << kPairs) - 1);
            const auto* const words = reinterpret_cast<const std::int32_t*>(pairs + done);
            auto* const target = reinterpret_cast<std::int32_t*>(out_pairs + kept);
            kept += simd::compress_store<Arch>(target, simd::load_unaligned_int<Arch>(words),
                                               doubled_bits(group)) /
                    2;
        }
    }
    return kept + keep_marked(pairs, done, pair_count, bits, out_pairs + kept);
}

template <class Arch>
void mark_overlapping_kernel(const CellRecord* rows, const IndexPair* pairs, std::size_t pair_count,
                             bool are_far, std::uint64_t* out_bits) {
    mark_overlapping(rows, pairs, pair_count, are_far, out_bits, [&](const IndexPair* eight) {
        if constexpr (simd::is_scalar<Arch>) {
            std::uint32_t bits = 0;
            for (std::uint32_t k = 0; k < 8; ++k)
                bits |= (boxes_meet(rows[eight[k].first], rows[eight[k].second]) ? 1u : 0u) << k;
            return bits;
        } else {
            return simd::crossing_bits<Arch>([&](std::uint32_t k) { return rows[eight[k].first].min; },
                                             [&](std::uint32_t k) { return rows[eight[k].second].min; });
        }
    });
}

}  // namespace broadside::broadphase
