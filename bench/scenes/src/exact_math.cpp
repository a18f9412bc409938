// The few functions that the scenes need beyond + - * / and sqrt.
#include <broadside/scenes/exact_math.hpp>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace broadside::scenes {

// x87 arithmetic rounds twice; a scene made with it would differ.
static_assert(FLT_EVAL_METHOD == 0, "scenes need float and double arithmetic without excess precision");

double sine_of_turns(double turns) noexcept {
    // floor is exact, and so is the reduction if `turns` is exact.
    double reduced = turns - std::floor(turns + 0.5);
    if (reduced > 0.25) reduced = 0.5 - reduced;
    if (reduced < -0.25) reduced = -0.5 - reduced;
    constexpr double kTwoPi = 6.283185307179586477;
    const double x = reduced * kTwoPi;
    const double x_sq = x * x;
    // Taylor: the first term left out, x^21 / 21!, is below 3e-16 at a quarter turn.
    double sum = 1.0;
    for (int n = 19; n >= 3; n -= 2) sum = 1.0 - sum * x_sq / (n * (n - 1));
    return x * sum;
}

double cosine_of_turns(double turns) noexcept { return sine_of_turns(turns + 0.25); }

double power_of_two(double exponent) noexcept {
    const double whole = std::floor(exponent + 0.5);
    constexpr double kLnTwo = 0.693147180559945309;
    const double y = (exponent - whole) * kLnTwo;
    double sum = 1.0;
    // y is at most 0.35, so that y^15 / 15! is below 1e-19.
    for (int n = 15; n >= 1; --n) sum = 1.0 + sum * y / n;
    const auto biased = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023);
    return sum * std::bit_cast<double>(biased << 52);
}

double cube_root(double value) noexcept {
    if (!(value > 0.0)) return 0.0;
    double root = value > 1.0 ? value : 1.0;
    // From above, each step removes at least a third until the last few, which double the digits: 1e15 needs
    // 63.
    for (int step = 0; step < 72; ++step) root = (2.0 * root + value / (root * root)) / 3.0;
    return root;
}

}  // namespace broadside::scenes
