// Extents and farthest points over lanes of doubles: with one lane, the specification. Witnesses: exact
// arithmetic and exhaustive search (tests/narrowphase/bounds/fit_test.cpp).
#pragma once

#include "narrowphase/src/bounds/fit_passes.hpp"
#include "simd/src/doubles.hpp"

namespace broadside::narrowphase {

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3DoubleW<Arch> broadcast_fit_vector(const Vec3Double& a) {
    return {simd::broadcast_double<Arch>(a.x), simd::broadcast_double<Arch>(a.y),
            simd::broadcast_double<Arch>(a.z)};
}

/// The largest number of each lane and its index, the first among equals. Indices travel as doubles, which
/// hold them exactly. Lanes without a number hold NaN, which is never larger.
template <class Arch>
struct LargestW {
    simd::DoubleW<Arch> value = simd::broadcast_double<Arch>(-__builtin_inf());
    simd::DoubleW<Arch> index = simd::broadcast_double<Arch>(0.0);

    BROADSIDE_FORCE_INLINE void include(simd::DoubleW<Arch> number, simd::DoubleW<Arch> place) {
        // if (number > value) value = number, index = place
        const simd::DoubleMaskW<Arch> is_larger = number > value;
        if (fails_alone(is_larger)) return;
        index = select(is_larger, place, index);
        value = max_keep(number, value);
    }
    /// Over all lanes: the largest, and its first index.
    BROADSIDE_FORCE_INLINE FarthestPoint reduced() const {
        constexpr std::uint32_t kLanes = simd::kDoubleLanes<Arch>;
        double values[kLanes];
        double places[kLanes];
        store_doubles_unaligned(values, value);
        store_doubles_unaligned(places, index);
        std::uint32_t best = 0;
        for (std::uint32_t lane = 1; lane < kLanes; ++lane) {
            const bool is_better =
                values[lane] > values[best] || (values[lane] == values[best] && places[lane] < places[best]);
            if (is_better) best = lane;
        }
        return {values[best], static_cast<std::size_t>(places[best])};
    }
};

/// Calls body(offset, place) for every group of points: offsets from `origin`, and indices.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_offset(const Vec3Double& origin, const Vec3SoaView& points,
                                            Body&& body) {
    using namespace simd;
    constexpr std::uint32_t kLanes = kDoubleLanes<Arch>;
    double places[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) places[lane] = static_cast<double>(lane);
    DoubleW<Arch> place = load_doubles_unaligned<Arch>(places);
    const Vec3DoubleW<Arch> origin_w = broadcast_fit_vector<Arch>(origin);
    for_each_double_group<Arch>(points.count, [&](std::size_t first, auto group) {
        body(load_double_vectors<Arch>(points, first, group) - origin_w, place);
        place = place + broadcast_double<Arch>(static_cast<double>(kLanes));
    });
}

template <class Arch>
void frame_extents_kernel(const FitFrame& frame, const Vec3SoaView& points, FrameExtents& out_extents) {
    using namespace simd;
    const DoubleW<Arch> minus_one = broadcast_double<Arch>(-1.0);
    const Vec3DoubleW<Arch> axis[3] = {broadcast_fit_vector<Arch>(frame.axis[0]),
                                       broadcast_fit_vector<Arch>(frame.axis[1]),
                                       broadcast_fit_vector<Arch>(frame.axis[2])};
    LargestW<Arch> largest[3];
    // The smallest is the largest of the negated numbers, which is exact.
    LargestW<Arch> largest_negated[3];
    for_each_offset<Arch>(frame.origin, points, [&](Vec3DoubleW<Arch> offset, DoubleW<Arch> place) {
        for (int i = 0; i < 3; ++i) {
            const DoubleW<Arch> along = dot(axis[i], offset);
            largest[i].include(along, place);
            largest_negated[i].include(along * minus_one, place);
        }
    });
    for (int i = 0; i < 3; ++i) {
        const FarthestPoint max = largest[i].reduced();
        const FarthestPoint min = largest_negated[i].reduced();
        out_extents.along[i] = {-min.distance_sq, max.distance_sq, min.index, max.index};
    }
}

template <class Arch>
void farthest_point_kernel(const Vec3Double& center, const Vec3SoaView& points, FarthestPoint& out_farthest) {
    using namespace simd;
    LargestW<Arch> largest;
    for_each_offset<Arch>(center, points, [&](Vec3DoubleW<Arch> offset, DoubleW<Arch> place) {
        largest.include(dot(offset, offset), place);
    });
    out_farthest = largest.reduced();
}

}  // namespace broadside::narrowphase
