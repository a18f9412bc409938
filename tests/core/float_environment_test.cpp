// FloatEnvironment: arithmetic inside it, and the thread's own environment afterwards.
#include "tests/support/foreign_environment.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/float_environment.hpp>
#include <broadside/run_tasks.hpp>

#include <cfenv>

using namespace broadside;
using namespace broadside::test;

namespace {

// Numbers that the compiler does not fold.
float hidden(float number) {
    volatile float stored = number;
    return stored;
}
struct Probe {
    float sum = 0;
    float difference = 0;
    float product = 0;
    bool is_less = false;
    double quotient = 0;
};
// Results that every mode changes: a rounded sum and quotient, a denormal result, denormal operands.
__attribute__((noinline)) Probe probe() {
    Probe result;
    result.sum = hidden(1.0f) + hidden(0x1p-24f) + hidden(0x1p-30f);
    result.difference = hidden(-1.0f) - hidden(0x1p-25f);
    result.product = hidden(0x1p-100f) * hidden(0x1p-30f);
    result.is_less = hidden(0x1p-149f) < hidden(0x1p-148f);
    result.quotient = static_cast<double>(hidden(1.0f)) / static_cast<double>(hidden(5.0f));
    return result;
}
bool is_same(const Probe& a, const Probe& b) {
    return a.sum == b.sum && a.difference == b.difference && a.product == b.product &&
           a.is_less == b.is_less && a.quotient == b.quotient;
}

}  // namespace

TEST_CASE(
    "arithmetic inside a FloatEnvironment is that of the default environment; outside nothing changes") {
    const Probe expected = probe();
    CHECK(expected.is_less);
    CHECK(expected.product == 0x1p-130f);
    std::size_t other_count = 0;
    for (const Environment& environment : all_environments()) {
        const bool traps = environment.name.find("traps") != std::string::npos;
        Probe inside;
        Probe outside = expected;
        bool is_default = false;
        bool is_unchanged = false;
        {
            const ForeignEnvironment foreign(environment);
            {
                const FloatEnvironment scope;
                inside = probe();
                is_default = (control_word() & kControlBits) == kDefaultControlBits;
                const FloatEnvironment nested;
                is_default = is_default && (control_word() & kControlBits) == kDefaultControlBits;
            }
            is_unchanged = foreign.is_unchanged();
            if (!traps) outside = probe();
        }
        INFO(environment.name);
        CHECK(is_same(inside, expected));
        CHECK(is_default);
        CHECK(is_unchanged);
        other_count += is_same(outside, expected) ? 0 : 1;
    }
    // A check of the test: the probe tells the environments apart, except for the bit that AArch64 has for
    // NaN. If denormal numbers cannot be lost, only the rounding directions differ.
    CHECK(other_count >= (kFlushesToZero != 0 ? 14 : 12));
}

TEST_CASE("arguments passed by value are computed with inside") {
    struct Sum {
        __attribute__((noinline)) static float inside(float a, float b) {
            const FloatEnvironment scope(a, b);
            return FloatEnvironment::result(a + b);
        }
    };
    for (const Environment& environment : all_environments()) {
        const float a = hidden(1.0f);
        const float b = hidden(0x1p-24f);
        float sum = 0;
        {
            const ForeignEnvironment foreign(environment);
            sum = Sum::inside(a, b);
        }
        INFO(environment.name);
        CHECK(sum == 1.0f);
    }
}

TEST_CASE("an exception flag raised inside traps nothing once the caller's traps are restored") {
    for (const Environment& environment : all_environments()) {
        if (environment.name.find("traps") == std::string::npos) continue;
        bool is_unchanged = false;
        {
            const ForeignEnvironment foreign(environment);
            {
                const FloatEnvironment scope;
                volatile float infinite = 1.0f / hidden(0.0f);
                volatile float none = infinite - infinite;
                (void)none;
            }
            is_unchanged = foreign.is_unchanged();
        }
        CHECK(is_unchanged);
    }
    std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_CASE("a runner's task runs in the FloatEnvironment, and its thread has its own back afterwards") {
    for (const Environment& environment : all_environments()) {
        ForeignRunner workers(environment);
        std::vector<unsigned char> is_default(40, 0);
        run_tasks(workers.runner(), 40, [&](std::uint32_t index) {
            is_default[index] = (control_word() & kControlBits) == kDefaultControlBits;
        });
        INFO(environment.name);
        CHECK(workers.is_unchanged());
        CHECK(is_default == std::vector<unsigned char>(40, 1));
    }
}

TEST_CASE("a callback in the caller's environment computes as the caller does, and the library as before") {
    const Probe expected = probe();
    std::size_t other_count = 0;
    for (const Environment& environment : all_environments()) {
        if (environment.name.find("traps") != std::string::npos) continue;
        Probe of_caller;
        Probe called_back;
        Probe inside_again;
        bool is_default = false;
        bool is_unchanged = false;
        {
            const ForeignEnvironment foreign(environment);
            const auto word = control_word() & kControlBits;
            of_caller = probe();
            auto visit = in_caller_environment([](int) { return probe(); });
            {
                const FloatEnvironment scope;
                called_back = visit(1);
                inside_again = probe();
                is_default = (control_word() & kControlBits) == kDefaultControlBits;
            }
            is_unchanged = (control_word() & kControlBits) == word;
        }
        INFO(environment.name);
        CHECK(is_same(called_back, of_caller));
        CHECK(is_same(inside_again, expected));
        CHECK((is_default && is_unchanged));
        other_count += is_same(of_caller, expected) ? 0u : 1u;
    }
    CHECK(other_count > 0);
}

TEST_CASE("doubles are rounded outwards in any environment of the caller") {
    const double row[6] = {0.1, -0.1, 1e-60, 0.3, 1e300, 1e-50};
    const auto view = ExactBoxView<double>::rows(row, 1, 3);
    BoxSoa expected;
    REQUIRE(expected.assign_outwards(view) == Status::ok);
    for (const Environment& environment : all_environments()) {
        BoxSoa boxes;
        Status status = Status::ok;
        {
            const ForeignEnvironment foreign(environment);
            status = boxes.assign_outwards(view);
        }
        INFO(environment.name);
        REQUIRE(status == Status::ok);
        CHECK(boxes[0] == expected[0]);
    }
}
