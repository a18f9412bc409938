// Every operation on lanes against plain floats, on every ISA and for every pair of adversarial values.
#include "tests/simd/lane_probe.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"

#include <algorithm>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

const LaneProbe* probe_of(Isa isa) {
    switch (isa) {
        case Isa::scalar:
            return lane_probe_scalar();
#if BROADSIDE_BUILT_SSE2
        case Isa::sse2:
            return lane_probe_sse2();
#endif
#if BROADSIDE_BUILT_AVX2
        case Isa::avx2:
            return lane_probe_avx2();
#endif
#if BROADSIDE_BUILT_AVX512
        case Isa::avx512:
            return lane_probe_avx512();
#endif
#if BROADSIDE_BUILT_NEON64
        case Isa::neon64:
            return lane_probe_neon64();
#endif
        default:
            return nullptr;
    }
}

template <class Body>
void for_each_probe(Body&& body) {
    std::size_t probe_count = 0;
    for (const Isa isa : supported_isas()) {
        const LaneProbe* probe = probe_of(isa);
        if (probe == nullptr) continue;
        INFO("ISA " << std::string(isa_name(isa)));
        CHECK(std::string(probe->isa) == isa_name(isa));
        body(*probe);
        ++probe_count;
    }
    REQUIRE(probe_count == supported_isas().size());
}

// Lane l of group g is pair (special[g], special[(g + l·7) % n]), so that all pairs come up in all lanes.
template <class Check>
void for_each_special_group(const LaneProbe& probe, Check&& check) {
    const std::vector<float>& values = special_floats();
    std::vector<float> a(probe.lane_count), b(probe.lane_count), c(probe.lane_count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t shift = 0; shift < values.size(); ++shift) {
            for (std::size_t lane = 0; lane < probe.lane_count; ++lane) {
                a[lane] = values[(i + lane) % values.size()];
                b[lane] = values[(i + lane * 7 + shift) % values.size()];
                c[lane] = values[(i * 3 + lane + shift) % values.size()];
            }
            check(a, b, c);
        }
    }
}

// NaN payloads may differ between ISAs; kernels never return one.
bool same_value(float a, float b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("arithmetic on lanes equals that of plain floats, bit for bit") {
    for_each_probe([](const LaneProbe& probe) {
        std::vector<float> out(probe.lane_count);
        for_each_special_group(probe, [&](const auto& a, const auto& b, const auto&) {
            const auto check = [&](LaneProbe::Binary operation, auto&& expected, bool exact_nan) {
                operation(a.data(), b.data(), out.data());
                for (std::size_t lane = 0; lane < out.size(); ++lane) {
                    const float want = expected(a[lane], b[lane]);
                    INFO("a " << a[lane] << " b " << b[lane] << " got " << out[lane] << " want " << want);
                    REQUIRE((exact_nan ? same_bits(out[lane], want) : same_value(out[lane], want)));
                }
            };
            check(
                probe.add, [](float x, float y) { return x + y; }, false);
            check(
                probe.subtract, [](float x, float y) { return x - y; }, false);
            check(
                probe.multiply, [](float x, float y) { return x * y; }, false);
            check(
                probe.divide, [](float x, float y) { return x / y; }, false);
            check(
                probe.min_keep, [](float x, float y) { return min_keep(x, y); }, true);
            check(
                probe.max_keep, [](float x, float y) { return max_keep(x, y); }, true);
            check(
                probe.flip_sign, [](float x, float y) { return std::signbit(y) ? -x : x; }, true);
            probe.negate(a.data(), out.data());
            for (std::size_t lane = 0; lane < out.size(); ++lane) REQUIRE(same_bits(out[lane], -a[lane]));
            probe.absolute(a.data(), out.data());
            for (std::size_t lane = 0; lane < out.size(); ++lane)
                REQUIRE(same_bits(out[lane], std::fabs(a[lane])));
            probe.inverse_power_of_two(a.data(), out.data());
            for (std::size_t lane = 0; lane < out.size(); ++lane)
                REQUIRE(same_bits(out[lane], inverse_power_of_two(a[lane])));
        });
    });
}

TEST_CASE("the inverse power of two scales a number into [1, 2), and stays finite for zeros and denormals") {
    for (int exponent = -126; exponent < 127; ++exponent) {
        for (const float mantissa : {1.0f, 1.5f, 2.0f - FLT_EPSILON}) {
            const float a = std::ldexp(mantissa, exponent);
            REQUIRE(a * inverse_power_of_two(a) == mantissa);
            REQUIRE(-a * inverse_power_of_two(-a) == -mantissa);
        }
    }
    for (const float a : {0.0f, -0.0f, 1e-40f, -1e-40f}) CHECK(inverse_power_of_two(a) == 0x1p127f);
}

TEST_CASE("a quotient of lanes is rounded once, as in IEEE 754, for numbers of all digits") {
    for_each_probe([](const LaneProbe& probe) {
        Random random(1);
        std::vector<float> a(probe.lane_count), b(probe.lane_count), out(probe.lane_count);
        for (int round = 0; round < 20000; ++round) {
            for (std::size_t lane = 0; lane < out.size(); ++lane) {
                a[lane] = round % 2 == 0 ? 1.0f : random.uniform(-10, 10);
                b[lane] = random.uniform(-10, 10);
            }
            probe.divide(a.data(), b.data(), out.data());
            for (std::size_t lane = 0; lane < out.size(); ++lane) {
                REQUIRE(same_value(out[lane], a[lane] / b[lane]));
            }
        }
    });
}

TEST_CASE("comparisons on lanes are false for NaN and treat the zeros as equal") {
    for_each_probe([](const LaneProbe& probe) {
        for_each_special_group(probe, [&](const auto& a, const auto& b, const auto&) {
            const std::uint32_t less = probe.less(a.data(), b.data());
            const std::uint32_t less_equal = probe.less_equal(a.data(), b.data());
            const std::uint32_t greater = probe.greater(a.data(), b.data());
            const std::uint32_t greater_equal = probe.greater_equal(a.data(), b.data());
            const std::uint32_t equal = probe.equal(a.data(), b.data());
            const std::uint32_t sign = probe.has_sign_bit(a.data());
            for (std::uint32_t lane = 0; lane < probe.lane_count; ++lane) {
                INFO("a " << a[lane] << " b " << b[lane]);
                REQUIRE((less >> lane & 1) == (a[lane] < b[lane] ? 1u : 0u));
                REQUIRE((less_equal >> lane & 1) == (a[lane] <= b[lane] ? 1u : 0u));
                REQUIRE((greater >> lane & 1) == (a[lane] > b[lane] ? 1u : 0u));
                REQUIRE((greater_equal >> lane & 1) == (a[lane] >= b[lane] ? 1u : 0u));
                REQUIRE((equal >> lane & 1) == (a[lane] == b[lane] ? 1u : 0u));
                REQUIRE((sign >> lane & 1) == (std::signbit(a[lane]) ? 1u : 0u));
            }
            const std::uint32_t all = less | less_equal | greater | greater_equal | equal;
            REQUIRE((all >> (probe.lane_count - 1) >> 1) == 0);
        });
    });
}

TEST_CASE("select and mask logic work lane by lane") {
    for_each_probe([](const LaneProbe& probe) {
        std::vector<float> out(probe.lane_count);
        for_each_special_group(probe, [&](const auto& a, const auto& b, const auto& c) {
            probe.select_less(a.data(), b.data(), c.data(), out.data());
            std::uint32_t logic[3];
            probe.mask_logic(a.data(), b.data(), c.data(), logic);
            for (std::uint32_t lane = 0; lane < probe.lane_count; ++lane) {
                REQUIRE(same_bits(out[lane], a[lane] < b[lane] ? a[lane] : c[lane]));
                const bool first = a[lane] < b[lane];
                const bool second = b[lane] < c[lane];
                REQUIRE((logic[0] >> lane & 1) == (first && second ? 1u : 0u));
                REQUIRE((logic[1] >> lane & 1) == (first || second ? 1u : 0u));
                REQUIRE((logic[2] >> lane & 1) == (first ? 0u : 1u));
            }
            REQUIRE((logic[2] >> (probe.lane_count - 1) >> 1) == 0);
        });
    });
}

TEST_CASE("tails read and write the first lanes and not a byte more") {
    for_each_probe([](const LaneProbe& probe) {
        for (std::uint32_t count = 0; count <= probe.lane_count; ++count) {
            GuardedArray<float> source(count);
            GuardedArray<float> target(count);
            for (std::uint32_t i = 0; i < count; ++i) source[i] = static_cast<float>(i + 1);
            std::vector<float> all(probe.lane_count);
            probe.copy_tail(source.data(), count, -5.0f, target.data(), all.data());
            for (std::uint32_t i = 0; i < probe.lane_count; ++i) {
                CHECK(all[i] == (i < count ? static_cast<float>(i + 1) : -5.0f));
                if (i < count) CHECK(target[i] == source[i]);
            }
        }
    });
}

TEST_CASE("compress_store keeps the chosen lanes in order for every mask") {
    for_each_probe([](const LaneProbe& probe) {
        for (std::uint32_t bits = 0; bits < (1u << probe.lane_count); ++bits) {
            GuardedArray<std::int32_t> target(probe.lane_count);
            const std::uint32_t stored = probe.compress(bits, 100, target.data());
            std::uint32_t expected = 0;
            for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(probe.lane_count); ++lane) {
                if ((bits >> lane & 1) != 0) REQUIRE(target[expected++] == 100 + lane);
            }
            REQUIRE(stored == expected);
        }
    });
}

TEST_CASE(
    "compress_store_interleaved keeps the chosen couples in order for every mask, integers compare signed") {
    for_each_probe([](const LaneProbe& probe) {
        for (const std::int32_t pivot : {-7, 0, 2, 9, 0x7FFFFFFF}) {
            GuardedArray<std::int32_t> target(2 * probe.lane_count);
            for (std::uint32_t bits = 0; bits < (1u << probe.lane_count); ++bits) {
                const std::uint32_t stored = probe.compress_interleaved(bits, pivot, target.data());
                std::uint32_t expected = 0;
                for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(probe.lane_count); ++lane) {
                    if ((bits >> lane & 1) == 0) continue;
                    REQUIRE(target[2 * expected] == std::min(lane, pivot));
                    REQUIRE(target[2 * expected + 1] == std::max(lane, pivot));
                    ++expected;
                }
                REQUIRE(stored == expected);
            }
        }
    });
}

TEST_CASE("all and none tell a full, an empty and a mixed mask apart") {
    for_each_probe([](const LaneProbe& probe) {
        // A mask of one lane is never mixed.
        for (std::uint32_t lane = probe.lane_count == 1 ? 1 : 0; lane <= probe.lane_count; ++lane) {
            // All lanes below the limit, then none; in each case except one lane.
            std::vector<float> low(probe.lane_count, 0.0f);
            std::vector<float> high(probe.lane_count, 2.0f);
            const std::vector<float> limit(probe.lane_count, 1.0f);
            if (lane < probe.lane_count) std::swap(low[lane], high[lane]);
            const bool is_mixed = lane < probe.lane_count;
            CHECK(probe.all_none_less(low.data(), limit.data()) == (is_mixed ? 0u : 1u));
            CHECK(probe.all_none_less(high.data(), limit.data()) == (is_mixed ? 0u : 2u));
        }
    });
}

TEST_CASE("load_indexed fetches each lane's own element") {
    for_each_probe([](const LaneProbe& probe) {
        GuardedArray<float> source(50);
        for (std::uint32_t i = 0; i < 50; ++i) source[i] = static_cast<float>(i) * 0.5f;
        std::vector<std::uint32_t> indices(probe.lane_count);
        for (std::uint32_t lane = 0; lane < probe.lane_count; ++lane) indices[lane] = 49 - lane * 3;
        std::vector<float> out(probe.lane_count);
        probe.load_indexed(source.data(), indices.data(), out.data());
        for (std::uint32_t lane = 0; lane < probe.lane_count; ++lane)
            CHECK(out[lane] == source[indices[lane]]);
    });
}
