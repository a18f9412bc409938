// Oriented boxes over lanes: from arrays, from one box, and from the caller's structs by index.
#pragma once

#include "simd/src/geometry.hpp"
#include "simd/src/transpose.hpp"

#include <broadside/obb_soa.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

template <class Arch>
struct ObbW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> axis_x;
    simd::Vec3W<Arch> axis_y;
    simd::Vec3W<Arch> axis_z;
    simd::Vec3W<Arch> half_extent;
};

template <class Arch>
BROADSIDE_FORCE_INLINE ObbW<Arch> broadcast_obb(const Obb& obb) {
    using simd::broadcast;
    return {broadcast<Arch>(obb.center), broadcast<Arch>(obb.axis_x), broadcast<Arch>(obb.axis_y),
            broadcast<Arch>(obb.axis_z), broadcast<Arch>(obb.half_extent)};
}

/// The boxes from `first` on. Lanes without a box hold zeros; their results are not stored.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE ObbW<Arch> load_obbs(const ObbSoaView& obbs, std::size_t first, Group group) {
    using simd::load_vectors;
    return {load_vectors<Arch>(obbs.center, first, group), load_vectors<Arch>(obbs.axis_x, first, group),
            load_vectors<Arch>(obbs.axis_y, first, group), load_vectors<Arch>(obbs.axis_z, first, group),
            load_vectors<Arch>(obbs.half_extent, first, group)};
}

/// Each lane holds the box at index_of(lane).
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE ObbW<Arch> load_obbs_indexed(const Obb* obbs, IndexOf index_of) {
    static_assert(sizeof(Obb) == 15 * sizeof(float));
    if constexpr (simd::is_scalar<Arch>) {
        return broadcast_obb<Arch>(obbs[index_of(0)]);
    } else {
        simd::FloatW<Arch> c[15];
        simd::load_rows<Arch>([=](std::uint32_t lane) { return &obbs[index_of(lane)].center.x; }, c);
        return {{c[0], c[1], c[2]},
                {c[3], c[4], c[5]},
                {c[6], c[7], c[8]},
                {c[9], c[10], c[11]},
                {c[12], c[13], c[14]}};
    }
}

/// Each lane holds the vector at index_of(lane).
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> load_vec3_indexed(const Vec3* vectors, IndexOf index_of) {
    static_assert(sizeof(Vec3) == 3 * sizeof(float));
    simd::FloatW<Arch> c[3];
    simd::load_rows<Arch>([=](std::uint32_t lane) { return &vectors[index_of(lane)].x; }, c);
    return {c[0], c[1], c[2]};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> vector_in_box(const ObbW<Arch>& obb, simd::Vec3W<Arch> vector) {
    return {dot(obb.axis_x, vector), dot(obb.axis_y, vector), dot(obb.axis_z, vector)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> flush_denormals(simd::Vec3W<Arch> a) {
    using simd::flush_denormal;
    return {flush_denormal(a.x), flush_denormal(a.y), flush_denormal(a.z)};
}

}  // namespace broadside::narrowphase
