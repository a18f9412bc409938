// Cheap measures of a vector's size over lanes. See vec3_size.hpp.
#pragma once

#include "core/src/geometry/vec3_size.hpp"
#include "simd/src/geometry.hpp"

namespace broadside::narrowphase {

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> largest_component(simd::Vec3W<Arch> a) {
    return max_keep(max_keep(absolute(a.x), absolute(a.y)), absolute(a.z));
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> least_component(simd::Vec3W<Arch> a) {
    return min_keep(min_keep(a.x, a.y), a.z);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> component_sum(simd::Vec3W<Arch> a) {
    return (absolute(a.x) + absolute(a.y)) + absolute(a.z);
}

}  // namespace broadside::narrowphase
