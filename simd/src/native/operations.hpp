// The meaning of each native operation. A port to another processor is one file beside this one, with all of them
// on its registers, and a line in native.hpp.
#pragma once

#include "simd/src/arch.hpp"

#include <broadside/compiler.hpp>

#include <cstddef>
#include <cstdint>

// The operations that xsimd lacks with the exact semantics that the kernels need, one overload a register type.
//
// Lanes of 32 bits
// divide and square_root are those of IEEE 754; xsimd's for 32-bit floats on AArch64 are refined estimates
// that are off in the last bits. min_keep and max_keep are "a < b ? a : b" and "a > b ? a : b". x86's min and
// max compute exactly that, including the second operand on NaN and on ties; AArch64's do not. select_by_sign
// is "has_sign_bit(sign) ? if_set : if_clear". stream writes a whole register past the caches, if the
// processor can, to an address aligned to its size; other threads see it after finish_streaming. load_first
// and store_first access `count` floats of memory and no byte more. compress moves the lanes whose bit is set
// to the front, in order; the lanes behind them are unspecified. compress_store_interleaved does so with two
// sources and stores them in turn, lane by lane; it writes two registers.
//
// Doubles
// load_widened reads as many floats as the register has doubles, each exactly; store_narrowed rounds to
// nearest. divide and square_root are the IEEE results; min_keep and max_keep are "a < b ? a : b" and "a > b
// ? a : b". A tag selects the register type of a load; its value is not used.
//
// Bytes: these implement the functions of bytes.hpp.
// corners_at_most: a[k] <= b[k] and c[k] <= d[k] for k = 0, 1, 2; reads a fourth float of each and ignores it.
// corners_touch: a[k] == b[k] or c[k] == d[k] for one k of them, read likewise.
// crossing_bits, for eight lanes and more: as crossing_bits of bytes.hpp.
//
// Rows
// turn_rows: columns 0 to 2 are x, y, z of the rows' first halves, 3 to 5 those of the second halves, and 6,
// if present, the first halves' w. turn_vectors: two lanes share a row.
// transpose4: rows of four within each 128-bit block become columns. store_rows: lane i of eight columns goes
// to the eight floats from row_at(i) on, those of lane 0 first. load_columns4: four floats of each row become
// columns; load_columns4_widened: the same for doubles, exactly.
// load_row<kCount>: three or four floats from `source` on, and nothing behind them; a fourth that is not read
// is zero. load_columns: four columns from `offset` on of the rows at row_of(lane). It calls row_of for one
// lane at a time: compilers turn an array of addresses into vectors, and getting those back costs more than
// the rows.
namespace broadside::simd::native {

/// 32 single bytes and 32 groups of four bytes, in as many registers as the architecture needs.
template <class Arch>
struct Bytes32;
template <class Arch>
struct Quads32;

/// Stores base + k·2^shift for every set bit k of `bits`, ascending and without gaps, and returns how many.
/// May write anything to all 32 slots. Four are always stored: the broadphase usually passes about two set
/// bits, and a branch on their number would be mispredicted.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t append_codes(std::uint16_t* target, std::uint32_t base, int shift,
                                                  std::uint32_t bits) {
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(bits));
    // The stop bit keeps the count of trailing zeros defined after the last bit.
    std::uint64_t rest = bits | std::uint64_t{1} << 32;
    const auto next_code = [&] {
        const auto place = static_cast<std::uint32_t>(__builtin_ctzll(rest));
        rest = (rest & (rest - 1)) | std::uint64_t{1} << 32;
        return static_cast<std::uint16_t>(base + (place << shift));
    };
    for (std::uint32_t k = 0; k < 4; ++k) target[k] = next_code();
    for (std::uint32_t k = 4; k < count; ++k) target[k] = next_code();
    return count;
}

template <class RowA, class RowB>
std::uint32_t crossing_bits(RowA&& row_a, RowB&& row_b);

/// Eight floats in as many registers as the architecture needs.
template <class Arch>
struct Row8;

/// One register per column.
template <class Arch, unsigned kCount>
struct Columns {
    typename xsimd::batch<float, typename Arch::Xsimd>::register_type value[kCount];
};

}  // namespace broadside::simd::native
