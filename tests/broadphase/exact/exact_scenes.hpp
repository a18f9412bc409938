// Boxes of any numbers, made for the weak spots of a filter by floats.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/exact_box_view.hpp>

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

}  // namespace broadside::test
