// The kernels that round boxes, against AxisMap::rounded.
#include "broadphase/src/exact/axis_map.hpp"
#include "broadphase/src/exact/exact_view.hpp"
#include "broadphase/src/exact/kernels.hpp"
#include "simd/src/dispatch.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"

using namespace broadside;
using namespace broadside::broadphase;
using namespace broadside::test;

namespace {

// Numbers of all sizes, the least and the largest among them.
template <class Number>
Number random_number(Random& random) {
    if constexpr (std::is_floating_point_v<Number>) {
        if (random.chance(4)) return static_cast<Number>(special_float(random));
        if (random.chance(40)) return std::numeric_limits<Number>::max();
        const Number size = std::ldexp(Number{1}, static_cast<int>(random.below(40)) - 20);
        return size * static_cast<Number>(random.next() >> 11) * Number{0x1p-53} *
               (random.chance(2) ? 1 : -1);
    } else {
        using Limits = std::numeric_limits<Number>;
        const auto few = static_cast<Number>(random.below(3));
        if (random.chance(4))
            return static_cast<Number>(random.chance(2) ? Limits::max() - few : Limits::min() + few);
        using Unsigned = std::make_unsigned_t<Number>;
        constexpr int kBits = std::numeric_limits<Unsigned>::digits;
        const auto size = static_cast<Unsigned>(random.next() >> (64 - kBits)) >>
                          random.below(static_cast<std::uint32_t>(kBits));
        // Beside powers of two, where floats and doubles of whole numbers end.
        const auto power =
            static_cast<Unsigned>(Unsigned{1} << random.below(static_cast<std::uint32_t>(kBits)));
        const auto number = random.chance(3) ? static_cast<Unsigned>(power - random.below(2)) : size;
        return static_cast<Number>(random.chance(2) ? number : Unsigned{0} - number);
    }
}

template <class Number>
void check_sides(const RoundingKernel<Number>& kernel, Random& random) {
    constexpr std::size_t kStrides[] = {1, 2, 6};
    const std::size_t stride = kStrides[random.below(3)];
    const std::size_t count = 1 + random.below(random.chance(2) ? 2 : 20);
    const bool is_narrow = random.chance(2);
    const Number offset = random.chance(2) ? Number{0} : random_number<Number>(random);
    std::vector<Number> min(count * stride);
    std::vector<Number> max(count * stride);
    const auto number = [&] {
        // Else every block has a number that only one by one can be rounded.
        return is_narrow ? static_cast<Number>(random.below(1000)) / Number{3}
                         : random_number<Number>(random);
    };
    for (std::size_t i = 0; i < count * stride; ++i) {
        min[i] = number();
        max[i] = number();
        if (min[i] > max[i] && !random.chance(20)) std::swap(min[i], max[i]);
    }
    AxisMap<Number> map;
    map.offset = std::isfinite(static_cast<double>(offset)) ? offset : Number{0};
    std::vector<float> out_min(count);
    std::vector<float> out_max(count);
    const RoundingMarks marks =
        kernel.round({min.data(), max.data(), stride, count}, map.offset, out_min.data(), out_max.data());
    bool is_lossy = false;
    bool has_invalid = false;
    bool is_cautious = false;
    // A zero with a sign, and whole numbers beyond 2^53, count as lossy, which costs time only.
    const auto may_count_as_lossy = [&](Number side) {
        return side == 0 ||
               !(std::fabs(static_cast<double>(side) - static_cast<double>(map.offset)) < 0x1p52);
    };
    for (std::size_t i = 0; i < count; ++i) {
        has_invalid |= !is_valid_side(min[i * stride], max[i * stride]);
        is_cautious |= may_count_as_lossy(min[i * stride]) || may_count_as_lossy(max[i * stride]);
        const float expected_min = map.rounded(min[i * stride], is_lossy);
        const float expected_max = map.rounded(max[i * stride], is_lossy);
        if (marks.is_beyond) continue;
        CHECK(__builtin_bit_cast(std::uint32_t, out_min[i]) ==
              __builtin_bit_cast(std::uint32_t, expected_min));
        CHECK(__builtin_bit_cast(std::uint32_t, out_max[i]) ==
              __builtin_bit_cast(std::uint32_t, expected_max));
    }
    CHECK(marks.has_invalid == has_invalid);
    if (is_narrow && map.offset == 0) CHECK(!marks.is_beyond);
    if (marks.is_beyond) return;
    if (!is_cautious) CHECK(marks.is_lossy == is_lossy);
    if (is_lossy) CHECK(marks.is_lossy);
}

}  // namespace

TEST_CASE_TEMPLATE("rounding kernels return what the specification does, or that they cannot", Number, float,
                   double, std::int32_t, std::int64_t) {
    for_each_isa([](Isa isa) {
        Random random(31);
        const RoundingKernels& kernels = *simd::kernels_of<RoundingKernels>(isa);
        for (int round = 0; round < 3000; ++round) check_sides<Number>(kernels, random);
    });
}
