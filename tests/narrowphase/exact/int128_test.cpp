// 128-bit numbers in two words, for machines without such a type, against the compiler's.
#include "narrowphase/src/exact/int128.hpp"

#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::narrowphase;
using namespace broadside::test;

#if defined(__SIZEOF_INT128__)
namespace {

bool is_same(TwoWordInt128 a, Int128 b) {
    return static_cast<std::uint64_t>(a) == static_cast<std::uint64_t>(b) &&
           static_cast<std::uint64_t>(a >> 64) == static_cast<std::uint64_t>(b >> 64);
}

std::uint64_t pattern_of(double number) { return std::bit_cast<std::uint64_t>(number); }

// A word of any length, with runs of equal bits.
std::uint64_t any_word(Random& random) {
    const std::uint64_t word = random.next() << 32 ^ random.next();
    const std::uint32_t distance = random.below(64);
    switch (random.below(6)) {
        case 0:
            return word >> distance;
        case 1:
            return ~(word >> distance);
        case 2:
            return ~std::uint64_t{0} << distance;
        case 3:
            return (std::uint64_t{1} << distance) + random.below(3) - 1;
        default:
            return word;
    }
}

}  // namespace

TEST_CASE("128-bit numbers in two words match those of the compiler") {
    Random random(1717);
    for (int i = 0; i < 200000; ++i) {
        const std::uint64_t p = any_word(random), q = any_word(random);
        const auto p_signed = static_cast<std::int64_t>(p), q_signed = static_cast<std::int64_t>(q);
        INFO(p << " " << q);
        const Int128 a = static_cast<Int128>(p_signed) * q_signed;
        const TwoWordInt128 two_a = static_cast<TwoWordInt128>(p_signed) * q_signed;
        REQUIRE(is_same(two_a, a));
        const UInt128 u = static_cast<UInt128>(p) * q;
        const TwoWordUInt128 two_u = static_cast<TwoWordUInt128>(p) * q;
        REQUIRE(is_same(static_cast<TwoWordInt128>(two_u), static_cast<Int128>(u)));
        UInt128 carry = u;
        TwoWordUInt128 two_carry = two_u;
        carry >>= 64;
        two_carry >>= 64;
        carry += u;
        two_carry += two_u;
        REQUIRE(is_same(static_cast<TwoWordInt128>(two_carry), static_cast<Int128>(carry)));

        // Any sign and length, as two words.
        const auto b = static_cast<Int128>(static_cast<UInt128>(p) << 64 | q);
        const TwoWordInt128 two_b(TwoWords(q, p));
        REQUIRE(is_same(two_b, b));
        REQUIRE(is_same(two_b >> 64, b >> 64));
        REQUIRE(is_same(~two_b, ~b));
        REQUIRE((two_b < 0) == (b < 0));
        REQUIRE((two_b > 0) == (b > 0));
        const auto sum = static_cast<Int128>(static_cast<UInt128>(a) + static_cast<UInt128>(b));
        const auto difference = static_cast<Int128>(static_cast<UInt128>(a) - static_cast<UInt128>(b));
        REQUIRE(is_same(two_a + two_b, sum));
        REQUIRE(is_same(two_a - two_b, difference));
        REQUIRE(is_same(-two_a, -a));
        REQUIRE(pattern_of(static_cast<double>(two_a)) == pattern_of(static_cast<double>(a)));
        if (p != std::uint64_t{1} << 63) {
            REQUIRE(pattern_of(static_cast<double>(two_b)) == pattern_of(static_cast<double>(b)));
        }
    }
}
#endif
