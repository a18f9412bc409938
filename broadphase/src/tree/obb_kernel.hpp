// The boxes that an oriented box overlaps. See core/src/geometry/obb_box_scalar.hpp.
#pragma once

#include "broadphase/src/tree/walk.hpp"
#include "core/src/geometry/obb_box_scalar.hpp"
#include "simd/src/doubles.hpp"

namespace broadside::broadphase {

/// Nodes are asked for the faces only, leaves for everything; each lane is `meets`. The box around the query,
/// in floats, saves most groups of doubles.
template <class Arch>
class ObbShape {
public:
    explicit BROADSIDE_FORCE_INLINE ObbShape(const ObbQuery& query)
        : query_(query), around_(BoxQuery(query.around)) {}

    template <bool kIsLeaf>
    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        constexpr std::uint32_t kLanes = simd::kDoubleLanes<Arch>;
        constexpr std::uint32_t kGroupBits = (1u << kLanes) - 1;
        const std::uint32_t near_mask = around_.test(node);
        std::uint32_t mask = 0;
        for (std::uint32_t first = 0; first < kNodeWidth; first += kLanes) {
            if ((near_mask >> first & kGroupBits) == 0) continue;
            mask |= test_group<kIsLeaf>(node + first) << first;
        }
        return mask;
    }

private:
    template <bool kIsLeaf>
    BROADSIDE_FORCE_INLINE std::uint32_t test_group(const float* at) const {
        using namespace simd;
        using Lanes = DoubleW<Arch>;
        Lanes sides[kSideCount];
        for (std::uint32_t i = 0; i < 3; ++i) {
            const Lanes center = broadcast_double<Arch>(query_.center[i]);
            sides[i] = max_keep(load_widened<Arch>(at + (kMinX + i) * kNodeWidth) - center,
                                broadcast_double<Arch>(-kBeyondFloats));
            sides[i + 3] = min_keep(load_widened<Arch>(at + (kMaxX + i) * kNodeWidth) - center,
                                    broadcast_double<Arch>(kBeyondFloats));
        }
        const auto is_within = [](Lanes low, Lanes high, double radius) {
            return (low <= broadcast_double<Arch>(radius)) & (broadcast_double<Arch>(-radius) <= high);
        };
        DoubleMaskW<Arch> is_met = is_within(sides[0], sides[3], query_.reach[0]) &
                                   is_within(sides[1], sides[4], query_.reach[1]) &
                                   is_within(sides[2], sides[5], query_.reach[2]);
        for (const ObbQueryAxis& axis : query_.faces) {
            const Lanes x = broadcast_double<Arch>(axis.along[0]);
            const Lanes y = broadcast_double<Arch>(axis.along[1]);
            const Lanes z = broadcast_double<Arch>(axis.along[2]);
            const auto end = [&](const std::uint32_t* side) {
                return (x * sides[side[0]] + y * sides[side[1]]) + z * sides[side[2]];
            };
            is_met = is_met & is_within(end(axis.low_side), end(axis.high_side), axis.radius);
        }
        if constexpr (kIsLeaf) {
            if (bits(is_met) == 0) return 0;
            for (const ObbQueryAxis& axis : query_.edges) {
                const Lanes u = broadcast_double<Arch>(axis.along[0]);
                const Lanes v = broadcast_double<Arch>(axis.along[1]);
                const auto end = [&](const std::uint32_t* side) {
                    return u * sides[side[0]] + v * sides[side[1]];
                };
                is_met = is_met & is_within(end(axis.low_side), end(axis.high_side), axis.radius);
            }
        }
        return bits(is_met);
    }

    const ObbQuery& query_;
    BoxShape<Arch> around_;
};
template <>
class ObbShape<simd::Scalar> {
public:
    explicit BROADSIDE_FORCE_INLINE ObbShape(const ObbQuery& query) : query_(query) {}

    template <bool kIsLeaf>
    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb box = lane_box(node, lane);
            double sides[kSideCount];
            measure_sides(query_, box, sides);
            const bool is_met = kIsLeaf ? meets(query_, box) : meets_faces(query_, sides);
            mask |= (is_met ? 1u : 0u) << lane;
        }
        return mask;
    }

private:
    const ObbQuery& query_;
};

template <class Arch>
void all_obbs_kernel(const TreeView& tree, const ObbQuery& query, HitBlock<std::uint32_t>& state_block) {
    const ObbShape<Arch> shape(query);
    walk<Arch>(
        tree, [&](std::uint32_t node) { return shape.template test<false>(tree.node(node)); },
        [&](std::uint32_t leaf) {
            if (!state_block.has_room() && !state_block.take(state_block)) return false;
            state_block.next += store_lanes<Arch>(state_block.next, first_slot(leaf),
                                                  shape.template test<true>(tree.node(leaf)));
            return true;
        });
}

}  // namespace broadside::broadphase
