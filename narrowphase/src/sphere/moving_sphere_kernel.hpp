// Times of impact of moving spheres over lanes of doubles, one lane included. moving_sphere_scalar.hpp
// explains the formula, serves single calls and is the witness.
#pragma once

#include "narrowphase/src/batch/shape_sources.hpp"
#include "narrowphase/src/sphere/closest_point_lanes.hpp"
#include "narrowphase/src/sphere/kernels.hpp"

namespace broadside::narrowphase {

template <class Arch>
struct MovingSphereW {
    SphereDoubleW<Arch> sphere;
    simd::Vec3DoubleW<Arch> displacement;
};
struct MovingSphere {
    Sphere sphere;
    Vec3 displacement;
};

/// One lane: sphere_impact_scalar for one pair. The root and the division are skipped if no lane needs them.
/// Otherwise all lanes compute them; lanes with an early result may get NaN, which is not selected.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleW<Arch> sphere_impact_lanes(const MovingSphereW<Arch>& a,
                                                               const MovingSphereW<Arch>& b) {
    using namespace simd;
    const DoubleW<Arch> zero = broadcast_double<Arch>(0.0);
    const DoubleW<Arch> no_impact = broadcast_double<Arch>(static_cast<double>(kNoIntersection));
    const Vec3DoubleW<Arch> e = a.sphere.center - b.sphere.center;
    const Vec3DoubleW<Arch> d = b.displacement - a.displacement;
    const DoubleW<Arch> radius_sum = a.sphere.radius + b.sphere.radius;
    const DoubleW<Arch> beyond_touch = dot(e, e) - radius_sum * radius_sum;
    const DoubleW<Arch> approach = dot(e, d);
    const Vec3DoubleW<Arch> across = cross(e, d);
    const DoubleW<Arch> discriminant = dot(d, d) * (radius_sum * radius_sum) - dot(across, across);
    const DoubleMaskW<Arch> is_legal = is_valid(a.sphere) & is_valid(b.sphere) &
                                       is_finite_float(a.displacement) & is_finite_float(b.displacement);
    // beyond_touch <= 0 ? 0
    const DoubleMaskW<Arch> touches = beyond_touch <= zero;
    const DoubleW<Arch> early = select(is_legal & touches, zero, no_impact);
    if (fails_alone((beyond_touch > zero) & (approach > zero))) return early;
    // !(approach <= 0) && !(discriminant < 0)
    const DoubleMaskW<Arch> approaches =
        is_legal & (beyond_touch > zero) & (approach > zero) & (discriminant >= zero);
    if (bits(approaches) == 0) return early;
    const DoubleW<Arch> t = beyond_touch / (approach + square_root(discriminant));
    // t <= 1 ? t : none
    return select(approaches & (t <= broadcast_double<Arch>(1.0)), t, early);
}

// Sources, as in shape_sources.hpp.

struct OneMovingSphere {
    MovingSphere mover;

    BROADSIDE_FORCE_INLINE const MovingSphere& operator[](std::size_t) const { return mover; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE MovingSphereW<Arch> lanes(std::size_t, Group) const {
        return {broadcast_item<Arch>(mover.sphere), broadcast_item<Arch>(mover.displacement)};
    }
};

struct ManyMovingSpheres {
    const MovingSpheres& movers;

    BROADSIDE_FORCE_INLINE MovingSphere operator[](std::size_t index) const {
        const bool is_moving = movers.displacements.count != 0;
        return {movers.shapes[index], is_moving ? movers.displacements[index] : Vec3{}};
    }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE MovingSphereW<Arch> lanes(std::size_t first, Group group) const {
        const SphereDoubleW<Arch> spheres = ManySpheres{movers.shapes}.template lanes<Arch>(first, group);
        if (movers.displacements.count == 0) return {spheres, broadcast_item<Arch>(Vec3{})};
        return {spheres, simd::load_double_vectors<Arch>(movers.displacements, first, group)};
    }
};

/// The spheres of one side of a list of pairs, fetched one by one.
struct ListedMovingSpheres {
    const MovingSpheres& movers;
    const IndexPair* pairs;
    bool takes_second;

    BROADSIDE_FORCE_INLINE std::uint32_t index_of(std::size_t place) const {
        return takes_second ? pairs[place].second : pairs[place].first;
    }
    BROADSIDE_FORCE_INLINE MovingSphere operator[](std::size_t place) const {
        return ManyMovingSpheres{movers}[index_of(place)];
    }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE MovingSphereW<Arch> lanes(std::size_t first, Group group) const {
        constexpr std::uint32_t kLanes = simd::kDoubleLanes<Arch>;
        float columns[7][kLanes];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            // Lanes without a pair repeat the first one.
            const MovingSphere mover = (*this)[first + (lane < group.count ? lane : 0)];
            columns[0][lane] = mover.sphere.center.x;
            columns[1][lane] = mover.sphere.center.y;
            columns[2][lane] = mover.sphere.center.z;
            columns[3][lane] = mover.sphere.radius;
            columns[4][lane] = mover.displacement.x;
            columns[5][lane] = mover.displacement.y;
            columns[6][lane] = mover.displacement.z;
        }
        using simd::load_widened;
        return {
            {{load_widened<Arch>(columns[0]), load_widened<Arch>(columns[1]), load_widened<Arch>(columns[2])},
             load_widened<Arch>(columns[3])},
            {load_widened<Arch>(columns[4]), load_widened<Arch>(columns[5]), load_widened<Arch>(columns[6])}};
    }
};

template <class Arch, class SourceA, class SourceB>
BROADSIDE_FORCE_INLINE void sphere_impacts_over(const SourceA& a, const SourceB& b, std::size_t count,
                                                float* out_toi) {
    simd::for_each_double_group<Arch>(count, [&](std::size_t first, auto group) {
        group.store(out_toi + first, sphere_impact_lanes<Arch>(a.template lanes<Arch>(first, group),
                                                               b.template lanes<Arch>(first, group)));
    });
}

template <class Arch>
void sphere_impacts_of_one_kernel(const Sphere& sphere, Vec3 displacement, const MovingSpheres& others,
                                  float* out_toi) {
    sphere_impacts_over<Arch>(OneMovingSphere{{sphere, displacement}}, ManyMovingSpheres{others},
                              others.shapes.count, out_toi);
}
template <class Arch>
void sphere_impacts_kernel(const MovingSpheres& a, const MovingSpheres& b, float* out_toi) {
    sphere_impacts_over<Arch>(ManyMovingSpheres{a}, ManyMovingSpheres{b}, a.shapes.count, out_toi);
}
template <class Arch>
void sphere_impacts_of_pairs_kernel(const MovingSpheres& a, const MovingSpheres& b, const IndexPair* pairs,
                                    std::size_t pair_count, float* out_toi) {
    sphere_impacts_over<Arch>(ListedMovingSpheres{a, pairs, false}, ListedMovingSpheres{b, pairs, true},
                              pair_count, out_toi);
}

}  // namespace broadside::narrowphase
