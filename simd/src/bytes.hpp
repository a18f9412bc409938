// Thirty-two items at a time in bytes: the lanes of the broadphase's filter. They are as wide on every ISA,
// so that the order in which the filter finds candidates does not depend on the ISA.
#pragma once

#include "simd/src/native/native.hpp"

#include <cstddef>

namespace broadside::simd {

/// One byte for each of 32 items.
template <class Arch>
struct Bytes32W {
    native::Bytes32<Arch> value;
};
/// Four bytes for each of 32 items.
template <class Arch>
struct Quads32W {
    native::Quads32<Arch> value;
};

template <class Arch>
BROADSIDE_FORCE_INLINE Bytes32W<Arch> load_unaligned_bytes(const std::uint8_t* source) {
    Bytes32W<Arch> bytes;
    native::load(bytes.value, source);
    return bytes;
}
template <class Arch>
BROADSIDE_FORCE_INLINE Quads32W<Arch> load_unaligned_quads(const std::uint32_t* source) {
    Quads32W<Arch> quads;
    native::load(quads.value, source);
    return quads;
}

template <class Arch>
BROADSIDE_FORCE_INLINE Bytes32W<Arch> broadcast_bytes(std::uint8_t value) {
    Bytes32W<Arch> bytes;
    native::broadcast(bytes.value, value);
    return bytes;
}
template <class Arch>
BROADSIDE_FORCE_INLINE Quads32W<Arch> broadcast_quads(std::uint32_t value) {
    Quads32W<Arch> quads;
    native::broadcast(quads.value, value);
    return quads;
}

/// Bit k: a[k] <= b[k], unsigned.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32W<Arch>& a, const Bytes32W<Arch>& b) {
    return native::at_most_bits(a.value, b.value);
}
/// Bit k: each of the four bytes of a[k] is at most its counterpart in b[k], unsigned. One saturating
/// subtract.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32W<Arch>& a, const Quads32W<Arch>& b) {
    return native::all_at_most_bits(a.value, b.value);
}
/// The upper and the lower two bytes of each item exchanged, then all bits inverted.
template <class Arch>
BROADSIDE_FORCE_INLINE Quads32W<Arch> partner(Quads32W<Arch> quads) {
    native::partner(quads.value);
    return quads;
}

/// Stores base + k·2^shift for every set bit k, ascending and without gaps, and returns how many. May write
/// anything up to the 32nd code: `target` needs room for 32 codes however few bits are set.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t append_codes(std::uint16_t* target, std::uint32_t base, int shift,
                                                  std::uint32_t bits) {
    return native::append_codes<Arch>(target, base, shift, bits);
}

/// a[k] <= b[k] and c[k] <= d[k] for k = 0, 1, 2. Each points to four floats, 16-byte aligned, of which the
/// last is ignored. Compares the corners of two boxes in memory. Only here does a register hold x, y and z,
/// because gathering a candidate's corners into lanes costs more than the comparison.
template <class Arch>
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    return native::corners_at_most(a, b, c, d);
}
/// a[k] == b[k] or c[k] == d[k] for k = 0, 1 or 2, of floats as above.
template <class Arch>
BROADSIDE_FORCE_INLINE bool corners_touch(const float* a, const float* b, const float* c, const float* d) {
    return native::corners_touch(a, b, c, d);
}

/// Eight bits: bit k is set if the rows of eight floats a = row_a(k) and b = row_b(k), 32-byte aligned,
/// cross: a[i] <= b[i + 4] and b[i] <= a[i + 4] for i = 0, 1, 2. The other floats are ignored.
template <class Arch, class RowA, class RowB>
BROADSIDE_FORCE_INLINE std::uint32_t crossing_bits(RowA&& row_a, RowB&& row_b) {
    if constexpr (Arch::kLanes >= 8) {
        return native::crossing_bits(row_a, row_b);
    } else {
        std::uint32_t bits = 0;
        for (std::uint32_t k = 0; k < 8; ++k) {
            const float* const a = row_a(k);
            const float* const b = row_b(k);
            bits |= (native::corners_at_most(a, b + 4, b, a + 4) ? 1u : 0u) << k;
        }
        return bits;
    }
}

}  // namespace broadside::simd
