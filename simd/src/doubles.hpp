// DoubleW and Vec3DoubleW: half as many lanes of twice the precision, for kernels whose result must not
// depend on scale or cancellation.
#pragma once

#include "simd/src/arch.hpp"
#include "simd/src/native/native.hpp"

#include <broadside/box_view.hpp>

#include <cstddef>

namespace broadside::simd {

/// Doubles in a register.
template <class Arch>
inline constexpr std::uint32_t kDoubleLanes = Arch::kLanes / 2;

/// A truth value per double lane.
template <class Arch>
struct DoubleMaskW {
    xsimd::batch_bool<double, typename Arch::Xsimd> value;
};

template <class Arch>
struct DoubleW {
    xsimd::batch<double, typename Arch::Xsimd> value;
};

template <class Arch>
struct Vec3DoubleW {
    DoubleW<Arch> x;
    DoubleW<Arch> y;
    DoubleW<Arch> z;
};

// Construction and moves of values.

template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> broadcast_double(double value) {
    return {xsimd::batch<double, typename Arch::Xsimd>(value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> load_doubles_unaligned(const double* source) {
    return {xsimd::batch<double, typename Arch::Xsimd>::load_unaligned(source)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE void store_doubles_unaligned(double* target, DoubleW<Arch> source) {
    source.value.store_unaligned(target);
}
/// The vector, widened exactly, in every lane.
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> broadcast_double(const Vec3& value) {
    return {broadcast_double<Arch>(static_cast<double>(value.x)),
            broadcast_double<Arch>(static_cast<double>(value.y)),
            broadcast_double<Arch>(static_cast<double>(value.z))};
}
/// kDoubleLanes floats, each widened exactly.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> load_widened(const float* source) {
    using Register = typename xsimd::batch<double, typename Arch::Xsimd>::register_type;
    return {native::load_widened(source, Register{})};
}
/// kDoubleLanes floats, each rounded to nearest.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, DoubleW<Arch> source) {
    native::store_narrowed(target, source.value);
}

// Arithmetic: exactly the IEEE operation, nothing contracted.

template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> operator+(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value + b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> operator-(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value - b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> operator*(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value * b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> operator/(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {native::divide(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> square_root(DoubleW<Arch> a) {
    return {native::square_root(a.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> absolute(DoubleW<Arch> a) {
    return {xsimd::abs(a.value)};
}
/// a < b ? a : b.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> min_keep(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {native::min_keep(a.value, b.value)};
}
/// a > b ? a : b.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> max_keep(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {native::max_keep(a.value, b.value)};
}
/// The nearest float, as a double.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> round_to_float(DoubleW<Arch> a) {
    return {native::round_to_float(a.value)};
}

// Comparisons (false if either side is NaN) and masks.

template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator<(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value < b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator<=(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value <= b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator>(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {b.value < a.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator>=(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {b.value <= a.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator==(DoubleW<Arch> a, DoubleW<Arch> b) {
    return {a.value == b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator&(DoubleMaskW<Arch> a, DoubleMaskW<Arch> b) {
    return {a.value & b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> operator|(DoubleMaskW<Arch> a, DoubleMaskW<Arch> b) {
    return {a.value | b.value};
}
/// Lane i in bit i.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t bits(DoubleMaskW<Arch> mask) {
    return static_cast<std::uint32_t>(mask.value.mask());
}
/// mask ? if_true : if_false, lane by lane; both sides are evaluated.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> select(DoubleMaskW<Arch> mask, DoubleW<Arch> if_true,
                                            DoubleW<Arch> if_false) {
    return {xsimd::select(mask.value, if_true.value, if_false.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> select(DoubleMaskW<Arch> mask, Vec3DoubleW<Arch> if_true,
                                                Vec3DoubleW<Arch> if_false) {
    return {select(mask, if_true.x, if_false.x), select(mask, if_true.y, if_false.y),
            select(mask, if_true.z, if_false.z)};
}
/// |a| <= FLT_MAX: false for NaN, the infinities and doubles beyond the range of floats.
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> is_finite_float(DoubleW<Arch> a) {
    return absolute(a) <= broadcast_double<Arch>(static_cast<double>(FLT_MAX));
}

// Vectors, in the order of operations of core's Vec3.

template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> operator+(Vec3DoubleW<Arch> a, Vec3DoubleW<Arch> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> operator-(Vec3DoubleW<Arch> a, Vec3DoubleW<Arch> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> operator*(Vec3DoubleW<Arch> a, DoubleW<Arch> s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleW<Arch> dot(Vec3DoubleW<Arch> a, Vec3DoubleW<Arch> b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> cross(Vec3DoubleW<Arch> a, Vec3DoubleW<Arch> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Arch>
BROADSIDE_FORCE_INLINE DoubleMaskW<Arch> is_finite_float(Vec3DoubleW<Arch> a) {
    return is_finite_float(a.x) & is_finite_float(a.y) & is_finite_float(a.z);
}

// Groups of kDoubleLanes items; see groups.hpp.

/// kDoubleLanes items, all present.
template <class Arch>
struct FullDoubleGroup {
    static constexpr std::uint32_t count = kDoubleLanes<Arch>;
    BROADSIDE_FORCE_INLINE DoubleW<Arch> load(const float* source, float) const {
        return load_widened<Arch>(source);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, DoubleW<Arch> value) const {
        store_narrowed(target, value);
    }
};

/// The last `count` items, fewer than kDoubleLanes; the fill value is in the lanes behind.
template <class Arch>
struct TailDoubleGroup {
    std::uint32_t count;
    BROADSIDE_FORCE_INLINE DoubleW<Arch> load(const float* source, float fill) const {
        float lanes[kDoubleLanes<Arch>];
        for (std::uint32_t lane = 0; lane < kDoubleLanes<Arch>; ++lane) {
            lanes[lane] = lane < count ? source[lane] : fill;
        }
        return load_widened<Arch>(lanes);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, DoubleW<Arch> value) const {
        float lanes[kDoubleLanes<Arch>];
        store_narrowed(lanes, value);
        for (std::uint32_t lane = 0; lane < count; ++lane) target[lane] = lanes[lane];
    }
};

/// Calls `body(first_item, group)` for every group of `count` items.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_double_group(std::size_t count, Body&& body) {
    constexpr std::size_t kLanes = kDoubleLanes<Arch>;
    std::size_t item = 0;
    for (; item + kLanes <= count; item += kLanes) body(item, FullDoubleGroup<Arch>{});
    if (kLanes > 1 && item < count)
        body(item, TailDoubleGroup<Arch>{static_cast<std::uint32_t>(count - item)});
}

/// The vectors from `first` on; NaN in the lanes past the end.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE Vec3DoubleW<Arch> load_double_vectors(const Vec3SoaView& vectors, std::size_t first,
                                                             Group group) {
    constexpr float kNoVector = __builtin_nanf("");
    return {group.load(vectors.x + first, kNoVector), group.load(vectors.y + first, kNoVector),
            group.load(vectors.z + first, kNoVector)};
}

}  // namespace broadside::simd

#include "simd/src/doubles_one.hpp"
