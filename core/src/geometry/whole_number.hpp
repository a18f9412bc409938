// Whole numbers of a fixed size that holds floats: exact sums and products, for the few decisions that
// doubles leave open.
#pragma once

#include <cstdint>

namespace broadside::geometry {

/// A finite float is a whole multiple of the smallest one, 2^-149, below 2^277 of it. Products are in powers
/// of that unit. There is room for sums of products of four floats, or of differences of floats.
class WholeNumber {
public:
    WholeNumber() = default;
    explicit WholeNumber(float value) {
        const std::uint32_t pattern = __builtin_bit_cast(std::uint32_t, value);
        const std::uint32_t exponent = pattern >> 23 & 0xFF;
        const std::uint64_t significand = (pattern & 0x7FFFFF) | (exponent != 0 ? 0x800000u : 0u);
        const std::uint32_t shift = exponent != 0 ? exponent - 1 : 0;
        const std::uint64_t shifted = significand << shift % 32;
        const std::uint32_t first = shift / 32;
        set(first, static_cast<std::uint32_t>(shifted));
        set(first + 1, static_cast<std::uint32_t>(shifted >> 32));
        count_ = first + 2;
        is_negative_ = pattern >> 31 != 0;
        trim();
    }
    /// The number 1 in units of 2^(-149·degree): a product with it raises the degree of a number by `degree`.
    static WholeNumber one_to(int degree) {
        WholeNumber one;
        const auto shift = static_cast<std::uint32_t>(149 * degree);
        one.set(shift / 32, 1u << shift % 32);
        one.count_ = shift / 32 + 1;
        return one;
    }

    int sign() const { return count_ == 0 ? 0 : is_negative_ ? -1 : 1; }
    WholeNumber operator-() const {
        WholeNumber negated = *this;
        negated.is_negative_ = !is_negative_;
        return negated;
    }

    friend WholeNumber operator+(const WholeNumber& a, const WholeNumber& b) {
        if (a.is_negative_ == b.is_negative_) return sum_of_sizes(a, b);
        return compare_sizes(a, b) >= 0 ? difference_of_sizes(a, b) : difference_of_sizes(b, a);
    }
    friend WholeNumber operator-(const WholeNumber& a, const WholeNumber& b) { return a + -b; }
    friend WholeNumber operator*(const WholeNumber& a, const WholeNumber& b) {
        WholeNumber product;
        for (std::uint32_t i = 0; i < a.count_; ++i) {
            std::uint64_t carry = 0;
            for (std::uint32_t k = 0; k < b.count_; ++k) {
                carry += std::uint64_t{a.words_[i]} * b.words_[k] + product.words_[i + k];
                product.words_[i + k] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            product.words_[i + b.count_] = static_cast<std::uint32_t>(carry);
        }
        product.count_ = a.count_ + b.count_;
        product.is_negative_ = a.is_negative_ != b.is_negative_;
        product.trim();
        return product;
    }
    /// Negative if a < b, positive if a > b.
    friend int compare(const WholeNumber& a, const WholeNumber& b) { return (a - b).sign(); }

private:
    // Products of four differences of floats take 1,112 bits, and sums of a few dozen such products six more.
    static constexpr std::uint32_t kWords = 36;

    void set(std::uint32_t index, std::uint32_t word) { words_[index] = word; }
    void trim() {
        while (count_ > 0 && words_[count_ - 1] == 0) --count_;
    }
    static int compare_sizes(const WholeNumber& a, const WholeNumber& b) {
        if (a.count_ != b.count_) return a.count_ < b.count_ ? -1 : 1;
        for (std::uint32_t i = a.count_; i-- > 0;) {
            if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i] ? -1 : 1;
        }
        return 0;
    }
    static WholeNumber sum_of_sizes(const WholeNumber& a, const WholeNumber& b) {
        WholeNumber sum;
        sum.count_ = (a.count_ > b.count_ ? a.count_ : b.count_) + 1;
        std::uint64_t carry = 0;
        for (std::uint32_t i = 0; i < sum.count_; ++i) {
            carry += std::uint64_t{a.words_[i]} + b.words_[i];
            sum.words_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        sum.is_negative_ = a.is_negative_;
        sum.trim();
        return sum;
    }
    // The first must not be smaller.
    static WholeNumber difference_of_sizes(const WholeNumber& a, const WholeNumber& b) {
        WholeNumber difference;
        difference.count_ = a.count_;
        std::uint64_t borrow = 0;
        for (std::uint32_t i = 0; i < a.count_; ++i) {
            const std::uint64_t rest = std::uint64_t{a.words_[i]} - b.words_[i] - borrow;
            difference.words_[i] = static_cast<std::uint32_t>(rest);
            borrow = rest >> 63;
        }
        difference.is_negative_ = a.is_negative_;
        difference.trim();
        return difference;
    }

    /// Lowest word first, zeros from `count_` on. One word more than `count_` ever reaches.
    std::uint32_t words_[kWords + 1] = {};
    std::uint32_t count_ = 0;
    bool is_negative_ = false;
};

}  // namespace broadside::geometry
