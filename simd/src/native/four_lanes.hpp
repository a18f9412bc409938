// Rows of eight floats in two registers of four lanes, for every ISA with such registers.
#pragma once

#include "simd/src/native/operations.hpp"

namespace broadside::simd::native {

template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row(const float* source) requires(Arch::kLanes == 4) {
    return load_row_halves<Arch>(source, source + 4);
}
template <class Arch, class RowAt, unsigned kCount>
BROADSIDE_FORCE_INLINE void turn_rows(RowAt&& row_at,
                                      Columns<Arch, kCount>& out) requires(Arch::kLanes == 4) {
    const Row8<Arch> a = row_at(0);
    const Row8<Arch> b = row_at(1);
    const Row8<Arch> c = row_at(2);
    const Row8<Arch> d = row_at(3);
    turn4(a.low, b.low, c.low, d.low, out.value, kCount == 7 ? out.value + 6 : nullptr);
    turn4(a.high, b.high, c.high, d.high, out.value + 3, nullptr);
}
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE void turn_vectors(RowAt&& row_at, Columns<Arch, 3>& out) requires(Arch::kLanes == 4) {
    const Row8<Arch> ac = row_at(0, 2);
    const Row8<Arch> bd = row_at(1, 3);
    turn4(ac.low, bd.low, ac.high, bd.high, out.value, nullptr);
}

}  // namespace broadside::simd::native
