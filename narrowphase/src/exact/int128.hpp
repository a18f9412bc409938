// Integers of 128 bits: the compiler's type if it has one, else two words. Only the operations in use.
#pragma once

#include <bit>
#include <cstdint>

namespace broadside::narrowphase {

/// Two's complement in two words if a compiler has no such type: 32-bit targets and MSVC.
struct TwoWords {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr TwoWords() = default;
    constexpr TwoWords(std::uint64_t low_in, std::uint64_t high_in) : low(low_in), high(high_in) {}

    friend constexpr TwoWords operator+(TwoWords a, TwoWords b) {
        const std::uint64_t sum = a.low + b.low;
        return {sum, a.high + b.high + (sum < a.low ? 1 : 0)};
    }
    friend constexpr TwoWords operator-(TwoWords a) { return ~a + TwoWords(1, 0); }
    friend constexpr TwoWords operator~(TwoWords a) { return {~a.low, ~a.high}; }
    friend constexpr bool operator==(TwoWords a, TwoWords b) = default;

    /// All bits of the product.
    static constexpr TwoWords product(std::uint64_t a, std::uint64_t b) {
        const std::uint64_t a_low = a & 0xFFFFFFFF, a_high = a >> 32, b_low = b & 0xFFFFFFFF,
                            b_high = b >> 32;
        const std::uint64_t lowest = a_low * b_low;
        const std::uint64_t middle = a_high * b_low + (lowest >> 32);
        const std::uint64_t other_middle = a_low * b_high + (middle & 0xFFFFFFFF);
        return {other_middle << 32 | (lowest & 0xFFFFFFFF),
                a_high * b_high + (middle >> 32) + (other_middle >> 32)};
    }
};

class TwoWordUInt128 {
public:
    constexpr TwoWordUInt128(std::uint64_t a) : words_(a, 0) {}
    constexpr explicit TwoWordUInt128(TwoWords words) : words_(words) {}

    constexpr explicit operator std::uint64_t() const { return words_.low; }
    constexpr TwoWords words() const { return words_; }
    /// For numbers below 2^64.
    friend constexpr TwoWordUInt128 operator*(TwoWordUInt128 a, TwoWordUInt128 b) {
        return TwoWordUInt128(TwoWords::product(a.words_.low, b.words_.low));
    }
    friend constexpr TwoWordUInt128 operator+(TwoWordUInt128 a, TwoWordUInt128 b) {
        return TwoWordUInt128(a.words_ + b.words_);
    }
    constexpr TwoWordUInt128& operator+=(TwoWordUInt128 a) { return *this = *this + a; }
    /// By 64 only, the one shift in use.
    constexpr TwoWordUInt128& operator>>=(int) { return *this = TwoWordUInt128(words_.high); }

private:
    TwoWords words_;
};

class TwoWordInt128 {
public:
    constexpr TwoWordInt128(std::int64_t a)
        : words_(static_cast<std::uint64_t>(a), a < 0 ? ~std::uint64_t{0} : 0) {}
    constexpr explicit TwoWordInt128(TwoWordUInt128 a) : words_(a.words()) {}
    constexpr explicit TwoWordInt128(TwoWords words) : words_(words) {}

    constexpr explicit operator std::uint64_t() const { return words_.low; }
    constexpr explicit operator std::int64_t() const { return static_cast<std::int64_t>(words_.low); }
    /// Rounds to nearest even, as the compiler's type does.
    constexpr explicit operator double() const {
        if (is_negative()) return -static_cast<double>(-*this);
        if (words_.high == 0) return static_cast<double>(words_.low);
        // The highest 64 bits. The last one also stands for all lower bits: far below the bit that decides.
        const int empty = std::countl_zero(words_.high);
        const std::uint64_t top =
            empty == 0 ? words_.high : words_.high << empty | words_.low >> (64 - empty);
        const std::uint64_t rest = words_.low << empty;
        const double scale = __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + 64 - empty) << 52);
        return static_cast<double>(top | (rest != 0 ? 1 : 0)) * scale;
    }
    constexpr bool is_negative() const { return words_.high >> 63 != 0; }

    /// For signed numbers of 64 bits.
    friend constexpr TwoWordInt128 operator*(TwoWordInt128 a, TwoWordInt128 b) {
        const TwoWords product =
            TwoWords::product((a.is_negative() ? -a : a).words_.low, (b.is_negative() ? -b : b).words_.low);
        return TwoWordInt128(a.is_negative() != b.is_negative() ? -product : product);
    }
    friend constexpr TwoWordInt128 operator+(TwoWordInt128 a, TwoWordInt128 b) {
        return TwoWordInt128(a.words_ + b.words_);
    }
    friend constexpr TwoWordInt128 operator-(TwoWordInt128 a, TwoWordInt128 b) {
        return TwoWordInt128(a.words_ + -b.words_);
    }
    friend constexpr TwoWordInt128 operator-(TwoWordInt128 a) { return TwoWordInt128(-a.words_); }
    friend constexpr TwoWordInt128 operator~(TwoWordInt128 a) { return TwoWordInt128(~a.words_); }
    constexpr TwoWordInt128& operator+=(TwoWordInt128 a) { return *this = *this + a; }
    /// By 64 only, the one shift in use.
    friend constexpr TwoWordInt128 operator>>(TwoWordInt128 a, int) {
        return static_cast<std::int64_t>(a.words_.high);
    }
    friend constexpr bool operator==(TwoWordInt128 a, TwoWordInt128 b) = default;
    friend constexpr bool operator<(TwoWordInt128 a, TwoWordInt128 b) {
        if (a.is_negative() != b.is_negative()) return a.is_negative();
        return a.words_.high != b.words_.high ? a.words_.high < b.words_.high : a.words_.low < b.words_.low;
    }
    friend constexpr bool operator>(TwoWordInt128 a, TwoWordInt128 b) { return b < a; }

private:
    TwoWords words_;
};

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using): takes no __extension__
__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using)
#else
using Int128 = TwoWordInt128;
using UInt128 = TwoWordUInt128;
#endif

}  // namespace broadside::narrowphase
