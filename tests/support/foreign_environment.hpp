// Threads whose floating-point control word is not the default: its values, tests that run in it, and the
// check that results do not depend on it.
#pragma once

#include "tests/support/alternating_runner.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/result_bytes.hpp"

#include <broadside/task_runner.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace broadside::test {

/// The bits of a control word that affect arithmetic, and names for their effects.
struct Environment {
    std::uint64_t bits;
    std::string name;
};

#if defined(__SSE2__)
inline constexpr std::uint64_t kControlBits = 0xFFC0;
inline constexpr std::uint64_t kDefaultControlBits = 0x1F80;
inline std::uint64_t control_word() {
    std::uint32_t word;
    asm volatile("stmxcsr %0" : "=m"(word));
    return word;
}
inline void set_control_word(std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    asm volatile("ldmxcsr %0" : : "m"(word) : "memory");
}
inline constexpr std::uint64_t kFlushesToZero = 0x8000;
inline constexpr std::uint64_t kDenormalsAreZeros = 0x0040;
inline constexpr std::uint64_t kRoundsDown = 0x2000;
inline constexpr std::uint64_t kRoundsUp = 0x4000;
// Masks: an exception traps if its bit is zero.
inline constexpr std::uint64_t kTraps = 0x1F80;
#elif defined(__aarch64__)
inline constexpr std::uint64_t kControlBits = 0x03C09F07;
inline constexpr std::uint64_t kDefaultControlBits = 0;
inline std::uint64_t control_word() {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
inline void set_control_word(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits) : "memory"); }
// One bit for both; default NaN replaces the second.
inline constexpr std::uint64_t kFlushesToZero = 0x01000000;
inline constexpr std::uint64_t kDenormalsAreZeros = 0x02000000;
inline constexpr std::uint64_t kRoundsDown = 0x00800000;
inline constexpr std::uint64_t kRoundsUp = 0x00400000;
// Processors need not have traps; the bits then stay zero.
inline constexpr std::uint64_t kTraps = 0x9F00;
#elif defined(__riscv_flen)
inline constexpr std::uint64_t kControlBits = 7;
inline constexpr std::uint64_t kDefaultControlBits = 0;
inline std::uint64_t control_word() {
    std::uint64_t word;
    asm volatile("frrm %0" : "=r"(word));
    return word;
}
inline void set_control_word(std::uint64_t bits) { asm volatile("fsrm %0" : : "r"(bits) : "memory"); }
// Denormal numbers cannot be lost, and nothing traps. Directions are numbers here: to zero 1, down 2, up 3.
inline constexpr std::uint64_t kFlushesToZero = 0;
inline constexpr std::uint64_t kDenormalsAreZeros = 0;
inline constexpr std::uint64_t kRoundsDown = 2;
inline constexpr std::uint64_t kRoundsUp = 1;
inline constexpr std::uint64_t kTraps = 0;
#elif defined(__s390x__)
inline constexpr std::uint64_t kControlBits = 0xF8000007;
inline constexpr std::uint64_t kDefaultControlBits = 0;
inline std::uint64_t control_word() {
    std::uint32_t word;
    asm volatile("efpc %0" : "=d"(word));
    return word;
}
inline void set_control_word(std::uint64_t bits) {
    asm volatile("sfpc %0" : : "d"(static_cast<std::uint32_t>(bits)) : "memory");
}
// Denormal numbers cannot be lost. Directions are numbers here: to zero 1, up 2, down 3.
inline constexpr std::uint64_t kFlushesToZero = 0;
inline constexpr std::uint64_t kDenormalsAreZeros = 0;
inline constexpr std::uint64_t kRoundsDown = 1;
inline constexpr std::uint64_t kRoundsUp = 2;
inline constexpr std::uint64_t kTraps = 0xF8000000;
#endif

/// All of them: both ways to lose denormal numbers, four directions, with and without traps; the default is
/// among them. Traps come last.
inline std::vector<Environment> all_environments() {
    std::vector<Environment> environments;
    for (const bool traps : {false, true}) {
        for (const bool flushes : {false, true}) {
            for (const bool reads_zeros : {false, true}) {
                for (const unsigned direction : {0u, 1u, 2u, 3u}) {
                    static const char* const kDirections[] = {"", " down", " up", " to zero"};
                    const std::uint64_t changed =
                        (flushes ? kFlushesToZero : 0) | (reads_zeros ? kDenormalsAreZeros : 0) |
                        ((direction & 1) != 0 ? kRoundsDown : 0) | ((direction & 2) != 0 ? kRoundsUp : 0) |
                        (traps ? kTraps : 0);
                    environments.push_back({kDefaultControlBits ^ changed,
                                            std::string("environment:") + (flushes ? " FTZ" : "") +
                                                (reads_zeros ? " DAZ" : "") + kDirections[direction] +
                                                (traps ? " traps" : "")});
                }
            }
        }
    }
    return environments;
}

/// The thread's control word for a scope. The test's own arithmetic belongs outside.
class ForeignEnvironment {
public:
    explicit ForeignEnvironment(const Environment& environment) : before_(control_word()) {
        set_control_word(environment.bits);
        entered_ = control_word() & kControlBits;
    }
    ~ForeignEnvironment() { set_control_word(before_); }
    ForeignEnvironment(const ForeignEnvironment&) = delete;
    ForeignEnvironment& operator=(const ForeignEnvironment&) = delete;

    /// True if it is as it was set; a processor may lack some bits.
    bool is_unchanged() const { return (control_word() & kControlBits) == entered_; }

private:
    std::uint64_t before_;
    std::uint64_t entered_;
};

/// A TaskRunner of two threads; the one that is not the caller's has this environment.
class ForeignRunner {
public:
    explicit ForeignRunner(const Environment& environment) : word_(environment.bits) {
        in_worker([](ForeignRunner& self) {
            set_control_word(self.word_);
            self.word_ = control_word() & kControlBits;
        });
    }
    ForeignRunner(const ForeignRunner&) = delete;
    ForeignRunner& operator=(const ForeignRunner&) = delete;

    const TaskRunner* runner() const { return threads_.runner(); }
    /// No task has changed the environment of the thread that ran it.
    bool is_unchanged() {
        in_worker(
            [](ForeignRunner& self) { self.is_unchanged_ = (control_word() & kControlBits) == self.word_; });
        return is_unchanged_;
    }

private:
    using Work = void (*)(ForeignRunner&);
    void in_worker(Work work) {
        work_ = work;
        const auto task = [](void* self, std::uint32_t index) noexcept {
            // The worker takes the odd tasks.
            if (index == 1) static_cast<ForeignRunner*>(self)->work_(*static_cast<ForeignRunner*>(self));
        };
        threads_.runner()->parallel_for(threads_.runner()->user, 2, task, this);
    }

    std::uint64_t word_;
    bool is_unchanged_ = false;
    Work work_ = nullptr;
    AlternatingRunner threads_;
};

/// A query of the library. Its arguments are made before; it computes nothing itself, since it runs in any
/// environment.
struct EnvironmentCall {
    std::string name;
    std::function<void(const TaskRunner*, ResultBytes&)> ask;
    bool has_runner = false;
};

/// Runs all queries in every environment, on every ISA, alternately alone and with workers whose threads have
/// yet another environment, and compares with the results of `scalar` in the default one.
inline void check_in_every_environment(const std::vector<EnvironmentCall>& calls,
                                       const std::vector<Environment>& environments) {
    std::vector<ResultBytes> expected(calls.size());
    {
        const ScopedIsa scalar(Isa::scalar);
        REQUIRE((control_word() & kControlBits) == kDefaultControlBits);
        for (std::size_t i = 0; i < calls.size(); ++i) calls[i].ask(nullptr, expected[i]);
    }
    std::vector<std::optional<ForeignRunner>> workers(environments.size());
    for (std::size_t e = 0; e < environments.size(); ++e)
        workers[e].emplace(environments[(5 * e + 3) % environments.size()]);
    std::size_t isa_number = 0;
    for_each_isa([&](Isa) {
        ++isa_number;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const EnvironmentCall& call = calls[i];
            CHECK(!expected[i].bytes().empty());
            std::string other_answers;
            std::string other_environments;
            for (std::size_t e = 0; e < environments.size(); ++e) {
                const bool has_workers = call.has_runner && (e + i + isa_number) % 2 == 0;
                const std::string where = environments[e].name + (has_workers ? " (workers);" : ";");
                ResultBytes answers;
                bool is_unchanged = false;
                {
                    const ForeignEnvironment environment(environments[e]);
                    call.ask(has_workers ? workers[e]->runner() : nullptr, answers);
                    is_unchanged = environment.is_unchanged();
                }
                if (has_workers) is_unchanged = workers[e]->is_unchanged() && is_unchanged;
                if (answers.bytes() != expected[i].bytes()) other_answers += where;
                if (!is_unchanged) other_environments += where;
            }
            INFO(call.name);
            CHECK(other_answers == "");
            CHECK(other_environments == "");
        }
    });
}

}  // namespace broadside::test
