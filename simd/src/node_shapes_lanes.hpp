// The tests of a query on all lanes of a node at once, as masks of kNodeWidth bits. Lines have a specification
// of their own in node_shapes_scalar.hpp.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"
#include "simd/src/geometry.hpp"
#include "simd/src/int_ops.hpp"

namespace broadside::nodes {

/// A value for every lane of a node, in as many registers as it takes.
template <class Arch>
struct NodeFloats {
    static constexpr std::uint32_t kGroups = kNodeWidth / Arch::kLanes;
    simd::FloatW<Arch> group[kGroups];
};

template <class Arch>
BROADSIDE_FORCE_INLINE float key_in(const NodeFloats<Arch>& keys, std::uint32_t lane) {
    float key;
    __builtin_memcpy(&key, reinterpret_cast<const char*>(&keys) + lane * sizeof key, sizeof key);
    return key;
}

/// The lanes whose key is at most `limit`.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_within(const NodeFloats<Arch>& keys, float limit) {
    std::uint32_t mask = 0;
    const simd::FloatW<Arch> limit_w = simd::broadcast<Arch>(limit);
    for (std::uint32_t group = 0; group < NodeFloats<Arch>::kGroups; ++group) {
        mask |= bits(keys.group[group] <= limit_w) << group * Arch::kLanes;
    }
    return mask;
}

/// Calls `take(first_lane)` for the groups of a node, at one lane only for those in the mask.
template <class Arch, class Take>
BROADSIDE_FORCE_INLINE void for_groups_of(std::uint32_t mask, Take&& take) {
    if constexpr (Arch::kLanes == 1) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            take(static_cast<std::uint32_t>(__builtin_ctz(rest)));
    } else {
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) take(first);
    }
}

/// Stores `first` + lane for every set lane, in lane order, and returns how many. May write a register past
/// the last one.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint32_t* target, std::uint32_t first,
                                                 std::uint32_t mask) {
    using namespace simd;
    std::uint32_t count = 0;
    auto* place = reinterpret_cast<std::int32_t*>(target);
    constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
    for_groups_of<Arch>(mask, [&](std::uint32_t lane) {
        const IntW<Arch> numbers =
            broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
        count += compress_store(place + count, numbers, mask >> lane & kGroupBits);
    });
    return count;
}

/// The same, with the key of each lane.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint64_t* target, std::uint32_t first,
                                                 std::uint32_t mask, const NodeFloats<Arch>& keys) {
    using namespace simd;
    std::uint32_t count = 0;
    constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
    for_groups_of<Arch>(mask, [&](std::uint32_t lane) {
        const IntW<Arch> numbers =
            broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
        auto* place = reinterpret_cast<std::int32_t*>(target + count);
        count += compress_store_interleaved(place, numbers, as_int(keys.group[lane / Arch::kLanes]),
                                            mask >> lane & kGroupBits);
    });
    return count;
}

/// A key and its lane as one number that sorts by key: floats that are not negative sort as their bits do.
/// The lane replaces the last bits, so keys a millionth apart count as equal.
inline constexpr std::uint32_t kLaneBits = kNodeWidth - 1;

/// The lane with the smallest key, to within those bits, among the lanes of a mask that is not zero. The same
/// one on every ISA.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t nearest_lane(const NodeFloats<Arch>& keys, std::uint32_t mask) {
    using namespace simd;
    IntW<Arch> nearest = broadcast_int<Arch>(0x7FFFFFFF);
    for_groups_of<Arch>(mask, [&](std::uint32_t first) {
        const IntW<Arch> entry = (as_int(keys.group[first / Arch::kLanes]) &
                                  broadcast_int<Arch>(~static_cast<std::int32_t>(kLaneBits))) |
                                 (lane_index<Arch>() + broadcast_int<Arch>(static_cast<std::int32_t>(first)));
        nearest = min(select(lanes_of<Arch>(mask >> first), entry, broadcast_int<Arch>(0x7FFFFFFF)), nearest);
    });
    return static_cast<std::uint32_t>(smallest(nearest)) & kLaneBits;
}

/// Calls `test(first_lane)`, which returns the mask of a group, for every group of the node, and joins the
/// masks.
template <class Arch, class Test>
BROADSIDE_FORCE_INLINE std::uint32_t join_groups(Test&& test) {
    std::uint32_t mask = 0;
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        mask |= bits(test(first)) << first;
    }
    return mask;
}

/// The lanes that hold a box.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t filled_lanes(const float* node) {
    return join_groups<Arch>([&](std::uint32_t first) {
        return simd::load_aligned<Arch>(node + kMinX * kNodeWidth + first) <=
               simd::load_aligned<Arch>(node + kMaxX * kNodeWidth + first);
    });
}

// A shape is made from a query once; `test` then tests node after node. `limit` is the largest key of
// interest. Shapes without a key ignore it.

/// overlap(query, box) if both are valid; false for an empty lane.
template <class Arch>
class BoxShape {
public:
    explicit BROADSIDE_FORCE_INLINE BoxShape(const BoxQuery& query)
        : box_(simd::broadcast<Arch>(query.box)) {}

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        using namespace simd;
        return join_groups<Arch>([&](std::uint32_t first) {
            const float* at = node + first;
            const auto row = [&](NodeRow index) { return load_aligned<Arch>(at + index * kNodeWidth); };
            return (row(kMinX) <= box_.max.x) & (row(kMinY) <= box_.max.y) & (row(kMinZ) <= box_.max.z) &
                   (box_.min.x <= row(kMaxX)) & (box_.min.y <= row(kMaxY)) & (box_.min.z <= row(kMaxZ));
        });
    }

private:
    simd::BoxW<Arch> box_;
};

/// With one query, the choice of near and far planes is a choice of rows. Refers to the query, whose numbers
/// are broadcast as they are loaded. `kIsSphere` makes the key the lower bound of a SphereQuery.
template <class Arch, bool kIsSphere>
class SlabLanes {
public:
    explicit BROADSIDE_FORCE_INLINE SlabLanes(const SlabQuery& query) : query_(query) {}

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node, float limit,
                                              NodeFloats<Arch>& out_keys) const {
        using namespace simd;
        const FloatW<Arch> limit_w = broadcast<Arch>(limit);
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        const std::uint32_t mask = join_groups<Arch>([&](std::uint32_t first) {
            const float* at = node + first;
            const auto plane_t = [&](std::uint32_t row, float origin, float inv) {
                return (load_aligned<Arch>(at + row) - broadcast<Arch>(origin)) * broadcast<Arch>(inv);
            };
            const Vec3 inv = query_.inv_direction;
            const Vec3 inv_far = query_.inv_direction_far;
            const FloatW<Arch> near_x = plane_t(query_.near_row[0], query_.near_origin.x, inv.x);
            const FloatW<Arch> near_y = plane_t(query_.near_row[1], query_.near_origin.y, inv.y);
            const FloatW<Arch> near_z = plane_t(query_.near_row[2], query_.near_origin.z, inv.z);
            const FloatW<Arch> far_x = plane_t(query_.far_row[0], query_.far_origin.x, inv_far.x);
            const FloatW<Arch> far_y = plane_t(query_.far_row[1], query_.far_origin.y, inv_far.y);
            const FloatW<Arch> far_z = plane_t(query_.far_row[2], query_.far_origin.z, inv_far.z);
            FloatW<Arch> t_enter = max_keep(near_z, max_keep(near_y, max_keep(near_x, zero)));
            const FloatW<Arch> t_exit = min_keep(far_z, min_keep(far_y, min_keep(far_x, limit_w)));
            if constexpr (kIsSphere) {
                t_enter = max_keep(t_enter * broadcast<Arch>(kTimeSlack) - broadcast<Arch>(FLT_MIN), zero);
            }
            out_keys.group[first / Arch::kLanes] = t_enter;
            return t_enter <= t_exit;
        });
        return query_.is_unbounded ? mask & filled_lanes<Arch>(node) : mask;
    }

private:
    const SlabQuery& query_;
};
template <class Arch>
class SlabShape : public SlabLanes<Arch, false> {
    using SlabLanes<Arch, false>::SlabLanes;
};
template <class Arch>
class SphereShape : public SlabLanes<Arch, true> {
public:
    explicit BROADSIDE_FORCE_INLINE SphereShape(const SphereQuery& query)
        : SlabLanes<Arch, true>(query.slabs) {}
};

/// The key is a lower bound of the squared distance to the box as computed in double precision and rounded, at
/// most FLT_MAX. The code that takes the candidates computes the exact one. An empty lane is infinitely far
/// away on both sides of every axis. Its box says so if the key cannot.
template <class Arch>
class DistanceShape {
public:
    explicit BROADSIDE_FORCE_INLINE DistanceShape(const DistanceQuery& query)
        : box_(simd::broadcast<Arch>(query.box)) {}

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node, float limit,
                                              NodeFloats<Arch>& out_keys) const {
        using namespace simd;
        const FloatW<Arch> limit_w = broadcast<Arch>(limit);
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        return join_groups<Arch>([&](std::uint32_t first) {
            const float* at = node + first;
            const auto gap = [&](NodeRow min, NodeRow max, FloatW<Arch> query_min, FloatW<Arch> query_max) {
                return max_keep(max_keep(load_aligned<Arch>(at + min * kNodeWidth) - query_max,
                                         query_min - load_aligned<Arch>(at + max * kNodeWidth)),
                                zero);
            };
            const FloatW<Arch> x = gap(kMinX, kMaxX, box_.min.x, box_.max.x);
            const FloatW<Arch> y = gap(kMinY, kMaxY, box_.min.y, box_.max.y);
            const FloatW<Arch> z = gap(kMinZ, kMaxZ, box_.min.z, box_.max.z);
            const FloatW<Arch> distance_sq = min_keep((x * x + y * y) + z * z, broadcast<Arch>(FLT_MAX));
            const FloatW<Arch> key =
                max_keep(distance_sq * broadcast<Arch>(kDistanceSlack) - broadcast<Arch>(FLT_MIN), zero);
            out_keys.group[first / Arch::kLanes] = key;
            return (key <= limit_w) & (load_aligned<Arch>(at + kMinX * kNodeWidth) <=
                                       load_aligned<Arch>(at + kMaxX * kNodeWidth));
        });
    }

private:
    simd::BoxW<Arch> box_;
};

/// Lines with one lane: the scalar tests.
template <class Query>
class ScalarKeyedShape {
public:
    explicit BROADSIDE_FORCE_INLINE ScalarKeyedShape(const Query& query) : query_(query) {}
    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node, float limit,
                                              NodeFloats<simd::Scalar>& out_keys) const {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const KeyedTest answer = nodes::test(query_, lane_box(node, lane), limit);
            out_keys.group[lane].value = answer.key;
            mask |= (answer.meets ? 1u : 0u) << lane;
        }
        return mask;
    }

private:
    Query query_;
};
template <>
class SlabShape<simd::Scalar> : public ScalarKeyedShape<SlabQuery> {
    using ScalarKeyedShape::ScalarKeyedShape;
};
template <>
class SphereShape<simd::Scalar> : public ScalarKeyedShape<SphereQuery> {
    using ScalarKeyedShape::ScalarKeyedShape;
};

/// The corner that is furthest inside decides.
template <class Arch>
class PlanesShape {
public:
    explicit BROADSIDE_FORCE_INLINE PlanesShape(const PlanesQuery& query) : query_(query) {}

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        using namespace simd;
        return join_groups<Arch>([&](std::uint32_t first) {
            const float* at = node + first;
            const auto row = [&](std::size_t index) { return load_aligned<Arch>(at + index * kNodeWidth); };
            MaskW<Arch> is_kept = row(kMinX) <= row(kMaxX);
            const auto larger = [](FloatW<Arch> a, FloatW<Arch> b) {
                return max_keep(absolute(a), absolute(b));
            };
            const FloatW<Arch> size_x = larger(row(kMinX), row(kMaxX));
            const FloatW<Arch> size_y = larger(row(kMinY), row(kMaxY));
            const FloatW<Arch> size_z = larger(row(kMinZ), row(kMaxZ));
            const FloatW<Arch> size = max_keep(size_x, max_keep(size_y, size_z));
            for (std::uint32_t i = 0; i < query_.count; ++i) {
                const PlanesQuery::ScaledPlane& plane = query_.planes[i];
                const Vec3W<Arch> corner = {row(has_sign_bit(plane.normal.x) ? kMinX : kMaxX),
                                            row(has_sign_bit(plane.normal.y) ? kMinY : kMaxY),
                                            row(has_sign_bit(plane.normal.z) ? kMinZ : kMaxZ)};
                const FloatW<Arch> side =
                    (dot(broadcast<Arch>(plane.normal), corner) + broadcast<Arch>(plane.offset)) +
                    size * broadcast<Arch>(plane.slack);
                // if (side < 0) outside
                is_kept = is_kept & ~(side < broadcast<Arch>(0.0f));
                if (fails_alone(is_kept)) break;
            }
            return is_kept;
        });
    }

private:
    const PlanesQuery& query_;
};

}  // namespace broadside::nodes
