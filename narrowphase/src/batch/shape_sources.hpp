// Sources of the shapes of a batch for a kernel: one for all items, or one per item, in scalar and in lanes.
#pragma once

#include "simd/src/transpose.hpp"

#include <broadside/obb.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle_mesh.hpp>

// Every source has `source[i]`, the item for the specification, and `source.lanes<Arch>(first, group)`, the
// items from `first` on in lanes of doubles. Lanes without an item hold NaN, which every kernel refuses.
namespace broadside::narrowphase {

template <class Arch>
struct BoxDoubleW {
    simd::Vec3DoubleW<Arch> min;
    simd::Vec3DoubleW<Arch> max;
};
template <class Arch>
struct ObbDoubleW {
    simd::Vec3DoubleW<Arch> center;
    simd::Vec3DoubleW<Arch> axis_x;
    simd::Vec3DoubleW<Arch> axis_y;
    simd::Vec3DoubleW<Arch> axis_z;
    simd::Vec3DoubleW<Arch> half_extent;
};
template <class Arch>
struct TriangleDoubleW {
    simd::Vec3DoubleW<Arch> a;
    simd::Vec3DoubleW<Arch> b;
    simd::Vec3DoubleW<Arch> c;
};
template <class Arch>
struct SphereDoubleW {
    simd::Vec3DoubleW<Arch> center;
    simd::DoubleW<Arch> radius;
};

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3DoubleW<Arch> broadcast_item(const Vec3& point) {
    return simd::broadcast_double<Arch>(point);
}
template <class Arch>
BROADSIDE_FORCE_INLINE BoxDoubleW<Arch> broadcast_item(const Aabb& box) {
    return {broadcast_item<Arch>(box.min), broadcast_item<Arch>(box.max)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE ObbDoubleW<Arch> broadcast_item(const Obb& obb) {
    return {broadcast_item<Arch>(obb.center), broadcast_item<Arch>(obb.axis_x),
            broadcast_item<Arch>(obb.axis_y), broadcast_item<Arch>(obb.axis_z),
            broadcast_item<Arch>(obb.half_extent)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE TriangleDoubleW<Arch> broadcast_item(const Triangle& triangle) {
    return {broadcast_item<Arch>(triangle.a), broadcast_item<Arch>(triangle.b),
            broadcast_item<Arch>(triangle.c)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE SphereDoubleW<Arch> broadcast_item(const Sphere& sphere) {
    return {broadcast_item<Arch>(sphere.center),
            simd::broadcast_double<Arch>(static_cast<double>(sphere.radius))};
}

/// The same item at every index.
template <class Item>
struct OneItem {
    // By value: a copy that no store through the outputs can alias stays in registers.
    Item item;

    BROADSIDE_FORCE_INLINE const Item& operator[](std::size_t) const { return item; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE auto lanes(std::size_t, Group) const {
        return broadcast_item<Arch>(item);
    }
};

struct ManyPoints {
    const Vec3SoaView& points;

    BROADSIDE_FORCE_INLINE Vec3 operator[](std::size_t index) const { return points[index]; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE simd::Vec3DoubleW<Arch> lanes(std::size_t first, Group group) const {
        return simd::load_double_vectors<Arch>(points, first, group);
    }
};

struct ManyBoxes {
    const BoxSoaView& boxes;

    BROADSIDE_FORCE_INLINE Aabb operator[](std::size_t index) const { return boxes[index]; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE BoxDoubleW<Arch> lanes(std::size_t first, Group group) const {
        const Vec3SoaView min = {boxes.min_x, boxes.min_y, boxes.min_z, boxes.count};
        const Vec3SoaView max = {boxes.max_x, boxes.max_y, boxes.max_z, boxes.count};
        return {simd::load_double_vectors<Arch>(min, first, group),
                simd::load_double_vectors<Arch>(max, first, group)};
    }
};

struct ManyTriangles {
    const TriangleSoaView& triangles;

    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const { return triangles[index]; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE TriangleDoubleW<Arch> lanes(std::size_t first, Group group) const {
        const TriangleSoaView& t = triangles;
        const Vec3SoaView a = {t.a_x, t.a_y, t.a_z, t.count};
        const Vec3SoaView b = {t.b_x, t.b_y, t.b_z, t.count};
        const Vec3SoaView c = {t.c_x, t.c_y, t.c_z, t.count};
        return {simd::load_double_vectors<Arch>(a, first, group),
                simd::load_double_vectors<Arch>(b, first, group),
                simd::load_double_vectors<Arch>(c, first, group)};
    }
};

struct ManySpheres {
    const SphereSoaView& spheres;

    BROADSIDE_FORCE_INLINE Sphere operator[](std::size_t index) const { return spheres[index]; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE SphereDoubleW<Arch> lanes(std::size_t first, Group group) const {
        const Vec3SoaView center = {spheres.center_x, spheres.center_y, spheres.center_z, spheres.count};
        return {simd::load_double_vectors<Arch>(center, first, group),
                group.load(spheres.radius + first, __builtin_nanf(""))};
    }
};

/// Oriented boxes lie in memory as structs of fifteen floats, which are transposed group by group.
struct ManyObbs {
    const Obb* obbs;

    BROADSIDE_FORCE_INLINE const Obb& operator[](std::size_t index) const { return obbs[index]; }
    template <class Arch, class Group>
    BROADSIDE_FORCE_INLINE ObbDoubleW<Arch> lanes(std::size_t first, Group group) const {
        constexpr std::uint32_t kLanes = simd::kDoubleLanes<Arch>;
        static_assert(sizeof(Obb) == 15 * sizeof(float));
        const float* rows[kLanes];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            // Lanes without an item repeat the first one; their results are not stored.
            rows[lane] = &obbs[first + (lane < group.count ? lane : 0)].center.x;
        }
        simd::DoubleW<Arch> c[15];
        simd::load_columns<Arch>(rows, c);
        return {{c[0], c[1], c[2]},
                {c[3], c[4], c[5]},
                {c[6], c[7], c[8]},
                {c[9], c[10], c[11]},
                {c[12], c[13], c[14]}};
    }
};

}  // namespace broadside::narrowphase
