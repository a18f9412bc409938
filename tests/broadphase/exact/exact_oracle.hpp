// Boxes of any numbers, and rational arithmetic to judge by.
#pragma once

#include "tests/broadphase/exact/exact_scenes.hpp"

#include <broadside/exact_box_tree.hpp>

#include <gmpxx.h>

namespace broadside::test {

/// A number as a fraction; infinities are further than any number.
template <class Number>
mpq_class fraction(Number number) {
    if constexpr (std::is_integral_v<Number>) {
        // A GMP long may have 32 bits; a product of the upper bits and the remainder are exact in any.
        const auto wide = static_cast<std::int64_t>(number);
        const mpz_class upper = static_cast<long>(wide >> 32);
        return mpq_class(upper * mpz_class("4294967296") + static_cast<unsigned long>(wide & 0xffffffff));
    } else if (std::isinf(number)) {
        mpz_class far = 1;
        mpz_mul_2exp(far.get_mpz_t(), far.get_mpz_t(), 3000);
        return number < 0 ? mpq_class(-far) : mpq_class(far);
    } else {
        return mpq_class(static_cast<double>(number));
    }
}

/// Decides by fractions which boxes are valid, and which overlap.
template <class Number>
class ExactOracle {
public:
    explicit ExactOracle(const ExactBoxView<Number>& boxes) : axis_count_(boxes.axis_count) {
        for (std::size_t i = 0; i < boxes.count; ++i) boxes_.push_back(judged(boxes, i));
    }
    std::size_t invalid_count() const {
        std::size_t count = 0;
        for (const Box& box : boxes_) count += !box.is_valid;
        return count;
    }
    std::vector<IndexPair> pairs() const { return pairs_with(*this, true); }
    std::vector<IndexPair> pairs(const ExactOracle& b) const { return pairs_with(b, false); }

private:
    struct Box {
        bool is_valid = true;
        mpq_class min[3];
        mpq_class max[3];
    };
    Box judged(const ExactBoxView<Number>& boxes, std::size_t index) const {
        const Number* const mins[] = {boxes.min_x, boxes.min_y, boxes.min_z};
        const Number* const maxs[] = {boxes.max_x, boxes.max_y, boxes.max_z};
        Box box;
        for (std::uint32_t axis = 0; axis < axis_count_; ++axis) {
            const Number min = mins[axis][index * boxes.stride];
            const Number max = maxs[axis][index * boxes.stride];
            if constexpr (std::is_floating_point_v<Number>) {
                constexpr Number kFar = std::numeric_limits<Number>::infinity();
                if (std::isnan(min) || std::isnan(max) || min == kFar || max == -kFar) box.is_valid = false;
                if (!box.is_valid) return box;
            }
            box.min[axis] = fraction(min);
            box.max[axis] = fraction(max);
            if (box.min[axis] > box.max[axis]) box.is_valid = false;
        }
        return box;
    }
    std::vector<IndexPair> pairs_with(const ExactOracle& other, bool is_one_set) const {
        std::vector<IndexPair> pairs;
        for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
            for (std::uint32_t j = is_one_set ? i + 1 : 0; j < other.boxes_.size(); ++j) {
                const Box& a = boxes_[i];
                const Box& b = other.boxes_[j];
                bool does = a.is_valid && b.is_valid;
                for (std::uint32_t axis = 0; does && axis < axis_count_; ++axis)
                    does = a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis];
                if (does) pairs.push_back({i, j});
            }
        }
        return pairs;
    }

    std::uint32_t axis_count_;
    std::vector<Box> boxes_;
};

inline std::vector<IndexPair> listed(const PairBuffer& pairs) { return {pairs.begin(), pairs.end()}; }

}  // namespace broadside::test
