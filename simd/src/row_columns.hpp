// Rows turned into lanes: what lies side by side in memory for one item, fetched by index, becomes a column
// per component. Arithmetic on whole rows before the turn saves columns that would have to be turned too.
#pragma once

#include "simd/src/geometry.hpp"
#include "simd/src/native/rows.hpp"

namespace broadside::simd {

/// The eight floats of one item: two vectors of x, y, z and a fourth that is not looked at.
template <class Arch>
struct Row8 {
    native::Row8<Arch> value;
};

template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_aligned(const float* source) {
    return {native::load_row<Arch>(source)};
}
/// Two vectors from two places, each of four floats and aligned to 16 bytes.
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves_aligned(const float* first, const float* second) {
    return {native::load_row_halves<Arch>(first, second)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> operator-(Row8<Arch> a, Row8<Arch> b) {
    return {native::subtract(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> operator*(Row8<Arch> a, Row8<Arch> b) {
    return {native::multiply(a.value, b.value)};
}

/// The two vectors of each lane's row.
template <class Arch>
struct Vec3PairW {
    Vec3W<Arch> first;
    Vec3W<Arch> second;
};
/// `row_at(lane)` is the Row8 of a lane. Five shuffles for two lanes on AVX2 and AVX-512, seven on SSE2.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3PairW<Arch> columns_of_rows(RowAt&& row_at) {
    native::Columns<Arch, 6> columns;
    native::turn_rows<Arch>([&](std::uint32_t lane) { return row_at(lane).value; }, columns);
    return {{{columns.value[0]}, {columns.value[1]}, {columns.value[2]}},
            {{columns.value[3]}, {columns.value[4]}, {columns.value[5]}}};
}
/// As above with the fourth float of each lane's first vector in `out_fourth`.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3PairW<Arch> columns_of_rows(RowAt&& row_at, FloatW<Arch>& out_fourth) {
    native::Columns<Arch, 7> columns;
    native::turn_rows<Arch>([&](std::uint32_t lane) { return row_at(lane).value; }, columns);
    out_fourth = {columns.value[6]};
    return {{{columns.value[0]}, {columns.value[1]}, {columns.value[2]}},
            {{columns.value[3]}, {columns.value[4]}, {columns.value[5]}}};
}

/// One vector per lane. `row_at(lane, other_lane)` is the Row8 that holds the vectors of both lanes.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3W<Arch> columns_of_vectors(RowAt&& row_at) {
    native::Columns<Arch, 3> columns;
    native::turn_vectors<Arch>(
        [&](std::uint32_t lane, std::uint32_t other_lane) { return row_at(lane, other_lane).value; },
        columns);
    return {{columns.value[0]}, {columns.value[1]}, {columns.value[2]}};
}

}  // namespace broadside::simd
