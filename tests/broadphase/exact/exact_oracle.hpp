// Boxes of any numbers, made for the weak spots of a filter by floats, and rational arithmetic to judge by.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/exact_box_tree.hpp>

#include <gmpxx.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace broadside::test {

/// Boxes in rows of six numbers.
template <class Number>
struct ExactScene {
    std::string name;
    std::vector<Number> rows;

    std::size_t count() const { return rows.size() / 6; }
    ExactBoxView<Number> view() const { return ExactBoxView<Number>::rows(rows.data(), count(), 3); }
    /// The same without z.
    ExactBoxView<Number> flat() const {
        ExactBoxView<Number> view = this->view();
        view.axis_count = 2;
        view.min_z = nullptr;
        view.max_z = nullptr;
        return view;
    }
};

/// A box of `make(axis, is_max)`; its sides are put in order unless it may be invalid.
template <class Number, class Make>
ExactScene<Number> exact_scene(std::string name, std::size_t count, bool is_ordered, Make&& make) {
    ExactScene<Number> scene{std::move(name), {}};
    for (std::size_t i = 0; i < count; ++i) {
        Number box[6];
        for (int side = 0; side < 6; ++side) box[side] = make(side % 3, side >= 3);
        for (int axis = 0; is_ordered && axis < 3; ++axis) {
            if (box[axis + 3] < box[axis]) std::swap(box[axis], box[axis + 3]);
        }
        scene.rows.insert(scene.rows.end(), box, box + 6);
    }
    return scene;
}

/// One step up or down among the numbers of the type.
template <class Number>
Number beside(Number number, int steps) {
    if constexpr (std::is_floating_point_v<Number>) {
        constexpr Number kFar = std::numeric_limits<Number>::infinity();
        for (; steps > 0; --steps) number = std::nextafter(number, kFar);
        for (; steps < 0; ++steps) number = std::nextafter(number, -kFar);
        return number;
    } else {
        return static_cast<Number>(number + steps);
    }
}

template <class Number>
std::vector<ExactScene<Number>> exact_scenes(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<ExactScene<Number>> scenes;
    const auto add = [&](const char* name, bool is_ordered, auto&& make) {
        scenes.push_back(exact_scene<Number>(name, count, is_ordered, make));
    };
    const auto unit = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    const auto step = [&](int reach) {
        return static_cast<int>(random.below(static_cast<std::uint32_t>(2 * reach + 1))) - reach;
    };
    add("uniform", true, [&](int, bool) { return static_cast<Number>(1000 * unit()); });
    add("lattice", true, [&](int, bool) { return static_cast<Number>(random.below(6)); });
    add("one point", true, [&](int, bool) { return static_cast<Number>(7); });
    // Sides that differ by the smallest possible step.
    add("one step apart", true, [&](int, bool) {
        return beside(static_cast<Number>(1000001 * static_cast<int>(random.below(4))), step(1));
    });
    // Mostly boxes that floats tell apart, and a few that they do not: too few for a list of them to pay.
    const Number nearly = static_cast<Number>(123456789);
    int made = 0;
    add("a few one step apart", true, [&](int axis, bool) {
        const bool is_near = made++ / 6 % 20 == 0;
        if (!is_near) return static_cast<Number>(nearly - static_cast<Number>(9e7 * unit()));
        return axis == 0 ? beside(nearly, step(1)) : nearly;
    });
    if constexpr (sizeof(Number) == 8) {
        add("10^15 off", true, [&](int axis, bool) {
            const double offset = axis == 0 ? 1e15 : axis == 1 ? -1e15 : 0;
            return static_cast<Number>(offset + std::floor(30 * unit()));
        });
        add("2^53 + 1", true,
            [&](int, bool) { return beside(static_cast<Number>(std::int64_t{1} << 53), step(3)); });
        add("two clusters", true,
            [&](int, bool) { return beside(static_cast<Number>(random.chance(2) ? 0.0 : 1e15), step(4)); });
        add("many clusters", true, [&](int, bool) {
            return beside(static_cast<Number>(1e15 * static_cast<double>(random.below(40))), step(2));
        });
    }
    if constexpr (std::is_integral_v<Number>) {
        add("the ends of the range", true, [&](int, bool) {
            const Number end =
                random.chance(2) ? std::numeric_limits<Number>::max() : std::numeric_limits<Number>::min();
            const int from_end = static_cast<int>(random.below(4));
            return random.chance(6) ? Number{0} : beside(end, end < 0 ? from_end : -from_end);
        });
        add("any bits", true, [&](int, bool) { return static_cast<Number>(random.next()); });
        add("any bits and order", false, [&](int, bool) { return static_cast<Number>(random.next()); });
    } else {
        using Limits = std::numeric_limits<Number>;
        add("steps of 0.1", true,
            [&](int, bool) { return static_cast<Number>(0.1 * static_cast<double>(random.below(40))); });
        add("denormals", true, [&](int, bool) { return beside(Number{0}, step(9)); });
        add("beyond the floats", true, [&](int, bool) {
            const Number far = Limits::max() * static_cast<Number>(0.5 + 0.5 * unit());
            return random.chance(2) ? -far : far;
        });
        add("any bits", false, [&](int, bool) {
            if constexpr (sizeof(Number) == 8) {
                return std::bit_cast<Number>(random.next());
            } else {
                return std::bit_cast<Number>(static_cast<std::uint32_t>(random.next()));
            }
        });
        add("infinite, NaN and inverted", false, [&](int, bool is_max) {
            const Number special[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                      Limits::max(),      Limits::lowest(),    Number(-0.0)};
            if (random.chance(9)) return special[random.below(6)];
            if (random.chance(9)) return is_max ? Limits::infinity() : -Limits::infinity();
            return static_cast<Number>(is_max ? 5 + 5 * unit() : 6 * unit());
        });
    }
    return scenes;
}

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
