// Bounds over lanes, padded if requested, and empty if the item is invalid: with one lane, the specification.
#pragma once

#include "simd/src/geometry.hpp"
#include "simd/src/transpose.hpp"

#include <broadside/bounds.hpp>

// The pad. A side is a sum of at most four terms, three of them products: seven roundings, of which at most
// four are in line for any term, and the pad's own subtraction is the fifth. So the error is below 5·2^-24 of
// the sum of the magnitudes of the terms. `size` is that sum to the same relative error; 2^-21 is eight times
// 2^-24. Products below FLT_MIN lose up to 2^-150 each, whatever their size; 2^-147 covers that.
//
// Witnesses: core's single forms, to the bit, and the exact box (tests/narrowphase/bounds/bounds_test.cpp).
namespace broadside::narrowphase {

inline constexpr float kPadOfSize = 0x1p-21f;
inline constexpr float kPadOfDenormals = 0x1p-147f;

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> operator*(simd::Vec3W<Arch> a, simd::FloatW<Arch> s) {
    return {a.x * s, a.y * s, a.z * s};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> pad_of(simd::FloatW<Arch> size) {
    return size * simd::broadcast<Arch>(kPadOfSize) + simd::broadcast<Arch>(kPadOfDenormals);
}
/// A side that overflowed inwards (+infinity for a min, -infinity for a max) is clamped first, because the
/// pad of its infinite size would make it NaN.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> min_outward(simd::FloatW<Arch> min, simd::FloatW<Arch> size) {
    return min_keep(min, simd::broadcast<Arch>(FLT_MAX)) - pad_of(size);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> max_outward(simd::FloatW<Arch> max, simd::FloatW<Arch> size) {
    return max_keep(max, simd::broadcast<Arch>(-FLT_MAX)) + pad_of(size);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::BoxW<Arch> outward(const simd::BoxW<Arch>& box,
                                                const simd::Vec3W<Arch>& size_of_min,
                                                const simd::Vec3W<Arch>& size_of_max) {
    return {{min_outward(box.min.x, size_of_min.x), min_outward(box.min.y, size_of_min.y),
             min_outward(box.min.z, size_of_min.z)},
            {max_outward(box.max.x, size_of_max.x), max_outward(box.max.y, size_of_max.y),
             max_outward(box.max.z, size_of_max.z)}};
}
/// Empty if the item is not legal, or the box has a NaN.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_boxes(const BoxSoaSpan& out, std::size_t first, Group group,
                                        const simd::BoxW<Arch>& box, simd::MaskW<Arch> is_legal) {
    const simd::FloatW<Arch> above = simd::broadcast<Arch>(__builtin_inff());
    const simd::FloatW<Arch> below = simd::broadcast<Arch>(-__builtin_inff());
    const simd::MaskW<Arch> is_kept =
        is_legal & (box.min.x <= box.max.x) & (box.min.y <= box.max.y) & (box.min.z <= box.max.z);
    group.store(out.min_x + first, select(is_kept, box.min.x, above));
    group.store(out.min_y + first, select(is_kept, box.min.y, above));
    group.store(out.min_z + first, select(is_kept, box.min.z, above));
    group.store(out.max_x + first, select(is_kept, box.max.x, below));
    group.store(out.max_y + first, select(is_kept, box.max.y, below));
    group.store(out.max_z + first, select(is_kept, box.max.z, below));
}

template <class Arch>
void sphere_bounds_kernel(const SphereSoaView& spheres, Rounding rounding, const BoxSoaSpan& out_boxes) {
    const BoxSoaSpan out = out_boxes;
    using namespace simd;
    const Vec3SoaView centers = {spheres.center_x, spheres.center_y, spheres.center_z, spheres.count};
    for_each_group<Arch>(spheres.count, [&](std::size_t first, auto group) {
        const Vec3W<Arch> center = load_vectors<Arch>(centers, first, group);
        const FloatW<Arch> r = group.load(spheres.radius + first, 0.0f);
        const Vec3W<Arch> radius = {r, r, r};
        const MaskW<Arch> is_legal =
            is_finite(center) & (r >= broadcast<Arch>(0.0f)) & (r <= broadcast<Arch>(FLT_MAX));
        BoxW<Arch> box = {center - radius, center + radius};
        const Vec3W<Arch> size = absolute(center) + radius;
        if (rounding == Rounding::outward) box = outward(box, size, size);
        store_boxes(out, first, group, box, is_legal);
    });
}

/// The kFloats floats of each struct of the group, in lanes; lanes without a struct repeat the first.
template <class Arch, class Item, std::uint32_t kFloats, class Group>
BROADSIDE_FORCE_INLINE void load_structs(const Item* items, Group group,
                                         simd::FloatW<Arch> (&out_columns)[kFloats]) {
    static_assert(sizeof(Item) == kFloats * sizeof(float));
    const float* rows[Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        rows[lane] = reinterpret_cast<const float*>(items + (lane < group.count ? lane : 0));
    }
    simd::load_columns<Arch>(rows, out_columns);
}

template <class Arch>
void obb_bounds_kernel(const Obb* obbs, std::size_t obb_count, Rounding rounding,
                       const BoxSoaSpan& out_boxes) {
    const BoxSoaSpan out = out_boxes;
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    for_each_group<Arch>(obb_count, [&](std::size_t first, auto group) {
        FloatW<Arch> c[15];
        load_structs<Arch>(obbs + first, group, c);
        const Vec3W<Arch> center = {c[0], c[1], c[2]};
        const Vec3W<Arch> axis_x = {c[3], c[4], c[5]};
        const Vec3W<Arch> axis_y = {c[6], c[7], c[8]};
        const Vec3W<Arch> axis_z = {c[9], c[10], c[11]};
        const Vec3W<Arch> h = {c[12], c[13], c[14]};
        const MaskW<Arch> is_legal = is_finite(center) & is_finite(axis_x) & is_finite(axis_y) &
                                     is_finite(axis_z) & is_finite(h) & (h.x >= zero) & (h.y >= zero) &
                                     (h.z >= zero);
        const Vec3W<Arch> reach = absolute(axis_x) * h.x + absolute(axis_y) * h.y + absolute(axis_z) * h.z;
        BoxW<Arch> box = {center - reach, center + reach};
        const Vec3W<Arch> size = absolute(center) + reach;
        if (rounding == Rounding::outward) box = outward(box, size, size);
        store_boxes(out, first, group, box, is_legal);
    });
}

template <class Arch>
struct TransformW {
    simd::Vec3W<Arch> row_x;
    simd::Vec3W<Arch> row_y;
    simd::Vec3W<Arch> row_z;
    simd::Vec3W<Arch> translation;
};

/// One side of the interval of a row, and the sum of the magnitudes that went into it.
template <class Arch>
struct RowSideW {
    simd::FloatW<Arch> value;
    simd::FloatW<Arch> size;
};
/// Adds element·corner. A zero element adds nothing, so that 0·infinity cannot arise.
template <class Arch>
BROADSIDE_FORCE_INLINE void add_term(simd::FloatW<Arch> element, simd::FloatW<Arch> corner,
                                     RowSideW<Arch>& state) {
    // if (element != 0) value += term, size += |term|
    const simd::MaskW<Arch> is_zero = element == simd::broadcast<Arch>(0.0f);
    const simd::FloatW<Arch> term = element * corner;
    state.value = select(is_zero, state.value, state.value + term);
    state.size = select(is_zero, state.size, state.size + absolute(term));
}
/// The min of a row takes the min corner of each positive element and the max corner of each negative one;
/// the max the other way round (source_rules.md B18, B19), in the order of `transformed_bounds`.
template <class Arch>
BROADSIDE_FORCE_INLINE RowSideW<Arch> row_side(const simd::Vec3W<Arch>& row, simd::FloatW<Arch> translation,
                                               const simd::Vec3W<Arch>& corner_if_positive,
                                               const simd::Vec3W<Arch>& corner_if_negative) {
    const simd::FloatW<Arch> zero = simd::broadcast<Arch>(0.0f);
    RowSideW<Arch> side = {translation, absolute(translation)};
    add_term(row.x, select(row.x > zero, corner_if_positive.x, corner_if_negative.x), side);
    add_term(row.y, select(row.y > zero, corner_if_positive.y, corner_if_negative.y), side);
    add_term(row.z, select(row.z > zero, corner_if_positive.z, corner_if_negative.z), side);
    return side;
}

/// Padding lanes hold NaN boxes, or repeat the first; they are not stored.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_transformed(const BoxSoaSpan& out, std::size_t first, Group group,
                                              const TransformW<Arch>& t, const simd::BoxW<Arch>& box,
                                              Rounding rounding) {
    const simd::MaskW<Arch> is_legal = is_valid(box) & is_finite(t.row_x) & is_finite(t.row_y) &
                                       is_finite(t.row_z) & is_finite(t.translation);
    const RowSideW<Arch> min_x = row_side(t.row_x, t.translation.x, box.min, box.max);
    const RowSideW<Arch> min_y = row_side(t.row_y, t.translation.y, box.min, box.max);
    const RowSideW<Arch> min_z = row_side(t.row_z, t.translation.z, box.min, box.max);
    const RowSideW<Arch> max_x = row_side(t.row_x, t.translation.x, box.max, box.min);
    const RowSideW<Arch> max_y = row_side(t.row_y, t.translation.y, box.max, box.min);
    const RowSideW<Arch> max_z = row_side(t.row_z, t.translation.z, box.max, box.min);
    simd::BoxW<Arch> result = {{min_x.value, min_y.value, min_z.value},
                               {max_x.value, max_y.value, max_z.value}};
    if (rounding == Rounding::outward) {
        result =
            outward<Arch>(result, {min_x.size, min_y.size, min_z.size}, {max_x.size, max_y.size, max_z.size});
    }
    store_boxes(out, first, group, result, is_legal);
}

template <class Arch>
void transformed_boxes_kernel(const Transform& transform, const BoxSoaView& boxes, Rounding rounding,
                              const BoxSoaSpan& out_boxes) {
    const BoxSoaSpan out = out_boxes;
    using namespace simd;
    const TransformW<Arch> t = {broadcast<Arch>(transform.row_x), broadcast<Arch>(transform.row_y),
                                broadcast<Arch>(transform.row_z), broadcast<Arch>(transform.translation)};
    for_each_group<Arch>(boxes.count, [&](std::size_t first, auto group) {
        store_transformed(out, first, group, t, load_boxes<Arch>(boxes, first, group), rounding);
    });
}

template <class Arch>
void transformed_boxes_each_kernel(const Transform* transforms, const BoxSoaView& boxes, Rounding rounding,
                                   const BoxSoaSpan& out_boxes) {
    const BoxSoaSpan out = out_boxes;
    using namespace simd;
    for_each_group<Arch>(boxes.count, [&](std::size_t first, auto group) {
        FloatW<Arch> c[12];
        load_structs<Arch>(transforms + first, group, c);
        const TransformW<Arch> t = {
            {c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}, {c[9], c[10], c[11]}};
        store_transformed(out, first, group, t, load_boxes<Arch>(boxes, first, group), rounding);
    });
}

}  // namespace broadside::narrowphase
