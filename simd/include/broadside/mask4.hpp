// The result of four lanes as four bits, and subsets of the lanes.
#pragma once

#include <broadside/compiler.hpp>

#include <cstdint>

namespace broadside {

/// One bit per lane, lane 0 in bit 0: the form in which a mask leaves a kernel. Bits past the fourth are
/// zero.
struct Mask4 {
    /// Bit i is lane i.
    std::uint8_t bits = 0;

    friend constexpr bool operator==(Mask4, Mask4) = default;
};

/// Lanes x, y and z. Lane w is padding, and its bit is ignored.
inline constexpr Mask4 kMaskXyz{0b0111};
/// All four lanes.
inline constexpr Mask4 kMaskXyzw{0b1111};

/// Bitwise operations by lane.
BROADSIDE_FORCE_INLINE constexpr Mask4 operator&(Mask4 a, Mask4 b) noexcept {
    return {static_cast<std::uint8_t>(a.bits & b.bits)};
}
BROADSIDE_FORCE_INLINE constexpr Mask4 operator|(Mask4 a, Mask4 b) noexcept {
    return {static_cast<std::uint8_t>(a.bits | b.bits)};
}
BROADSIDE_FORCE_INLINE constexpr Mask4 operator~(Mask4 a) noexcept {
    return {static_cast<std::uint8_t>(~a.bits & kMaskXyzw.bits)};
}

/// True if any of `lanes` is set.
BROADSIDE_FORCE_INLINE constexpr bool any(Mask4 mask, Mask4 lanes = kMaskXyzw) noexcept {
    return (mask.bits & lanes.bits) != 0;
}
/// True if all of `lanes` are set.
BROADSIDE_FORCE_INLINE constexpr bool all(Mask4 mask, Mask4 lanes = kMaskXyzw) noexcept {
    return (mask.bits & lanes.bits) == lanes.bits;
}
/// True if none of `lanes` is set.
BROADSIDE_FORCE_INLINE constexpr bool none(Mask4 mask, Mask4 lanes = kMaskXyzw) noexcept {
    return (mask.bits & lanes.bits) == 0;
}
/// True if lane `lane`, 0 to 3, is set.
BROADSIDE_FORCE_INLINE constexpr bool has_lane(Mask4 mask, unsigned lane) noexcept {
    return ((static_cast<unsigned>(mask.bits) >> lane) & 1u) != 0;
}

}  // namespace broadside
