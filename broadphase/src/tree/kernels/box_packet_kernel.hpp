// Overlaps of a few boxes that are close together: their common surroundings are copied from the tree once,
// sorted once, and then tested for each.
#pragma once

#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/walk.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::broadphase {

template <class Arch>
BROADSIDE_FORCE_INLINE void append_lanes(const float* leaf, const std::uint32_t* box_index,
                                         std::uint32_t mask, PacketBoxes& state_boxes) {
    using namespace simd;
    constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
    const auto* indices = reinterpret_cast<const std::int32_t*>(box_index);
    for_groups_of<Arch>(mask, [&](std::uint32_t first) {
        const std::uint32_t bits = mask >> first & kGroupBits;
        for (std::size_t row = 0; row < 6; ++row) {
            auto* const place = reinterpret_cast<std::int32_t*>(state_boxes.rows[row] + state_boxes.count);
            compress_store(place, as_int(load_aligned<Arch>(leaf + row * kNodeWidth + first)), bits);
        }
        state_boxes.count += compress_store(state_boxes.box_index + state_boxes.count,
                                            load_unaligned_int<Arch>(indices + first), bits);
    });
}

/// Fills the rows behind the last box, up to a whole node, with boxes that meet nothing.
BROADSIDE_FORCE_INLINE void close_packet(PacketBoxes& state_boxes) {
    for (std::uint32_t i = state_boxes.count; i % kNodeWidth != 0; ++i) {
        for (std::uint32_t row = 0; row < 6; ++row) {
            state_boxes.rows[row][i] = row < kMaxX ? __builtin_inff() : -__builtin_inff();
        }
        state_boxes.box_index[i] = 0x7FFFFFFF;
    }
}

/// Copies the boxes that meet `around`, in the order of the walk. Returns false if there are too many.
template <class Arch>
bool take_packet_kernel(const TreeView* trees, std::uint32_t tree_count, const BoxQuery& around,
                        PacketBoxes& out_boxes) {
    const BoxShape<Arch> shape(around);
    out_boxes.count = 0;
    bool has_room = true;
    for (const TreeView* tree = trees; tree != trees + tree_count && has_room; ++tree) {
        const auto test = [&](std::uint32_t node) { return shape.test(tree->node(node)); };
        walk<Arch>(*tree, test, [&](std::uint32_t leaf) {
            const std::uint32_t mask = test(leaf);
            const auto count = static_cast<std::uint32_t>(__builtin_popcount(mask));
            has_room = out_boxes.count + count <= PacketBoxes::kMax;
            if (has_room) append_lanes<Arch>(tree->node(leaf), tree->links_of(leaf), mask, out_boxes);
            return has_room;
        });
    }
    close_packet(out_boxes);
    return has_room;
}

/// Sorts the boxes by index: the position of each is the number of smaller indices.
template <class Arch>
void sort_packet_kernel(const PacketBoxes& boxes, PacketBoxes& out_sorted) {
    std::int32_t places[PacketBoxes::kRoom];
    using namespace simd;
    const IntW<Arch> one = broadcast_int<Arch>(1);
    const IntW<Arch> zero = broadcast_int<Arch>(0);
    for (std::uint32_t first = 0; first < boxes.count; first += Arch::kLanes) {
        const IntW<Arch> group = load_unaligned_int<Arch>(boxes.box_index + first);
        IntW<Arch> place = zero;
        for (std::uint32_t j = 0; j < boxes.count; ++j) {
            place = place + select(less(broadcast_int<Arch>(boxes.box_index[j]), group), one, zero);
        }
        store_unaligned(places + first, place);
    }
    for (std::uint32_t i = 0; i < boxes.count; ++i) {
        const std::int32_t place = places[i];
        for (std::uint32_t row = 0; row < 6; ++row) out_sorted.rows[row][place] = boxes.rows[row][i];
        out_sorted.box_index[place] = boxes.box_index[i];
    }
    out_sorted.count = boxes.count;
    close_packet(out_sorted);
}

/// Writes the pairs of one query with the packet's boxes, in order, and a register more. Returns how many.
template <class Arch>
std::uint32_t test_packet_kernel(const PacketBoxes& boxes, const BoxQuery& query, std::uint32_t query_index,
                                 IndexPair* out_pairs) {
    std::uint32_t count = 0;
    using namespace simd;
    const BoxW<Arch> wanted = broadcast<Arch>(query.box);
    const IntW<Arch> query_index_w = broadcast_int<Arch>(static_cast<std::int32_t>(query_index));
    for (std::uint32_t i = 0; i < boxes.count; i += Arch::kLanes) {
        const auto row = [&](NodeRow index) { return load_aligned<Arch>(boxes.rows[index] + i); };
        const MaskW<Arch> is_met = (row(kMinX) <= wanted.max.x) & (row(kMinY) <= wanted.max.y) &
                                   (row(kMinZ) <= wanted.max.z) & (wanted.min.x <= row(kMaxX)) &
                                   (wanted.min.y <= row(kMaxY)) & (wanted.min.z <= row(kMaxZ));
        count += compress_store_interleaved(reinterpret_cast<std::int32_t*>(out_pairs + count), query_index_w,
                                            load_unaligned_int<Arch>(boxes.box_index + i), bits(is_met));
    }
    return count;
}

}  // namespace broadside::broadphase
