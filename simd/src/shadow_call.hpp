// Runs a kernel's call twice, by the tested kernels and by their scalar specification, and compares the
// results.
#pragma once

#include "simd/src/dispatch.hpp"
#include "simd/src/shadow_operands.hpp"

#include <tuple>
#include <utility>

namespace broadside::simd::shadow {

/// The arguments of one call of a kernel with these parameters. The room that has calls defines it.
template <class... Args>
class ShadowRoles;

template <class Family, class Answer, class... Args>
Family family_of(Answer (*Family::*)(Args...));
template <class Family, class Answer, class... Args>
ShadowRoles<Args...> roles_of(Answer (*Family::*)(Args...));

/// A kernel and the names of its arguments.
template <auto Member>
struct ShadowCall {
    using Family = decltype(family_of(Member));
    std::string_view text;
};
/// Describes a kernel, by a text such as "pairs(a, b, pairs, out_bits)".
template <auto Member>
consteval ShadowCall<Member> shadow_call(std::string_view text) {
    // No constant expression, so that it does not compile.
    if (!decltype(roles_of(Member))::are_named_by(text)) __builtin_trap();
    return {text};
}

/// The kernels of a family with their descriptions. The room that has them specialises it, with a `list` that
/// is a tuple of ShadowCall.
template <class Kernels>
struct ShadowCalls;

/// The descriptions of one family.
template <class Family, class Call>
consteval auto call_if_of(const Call& call) {
    if constexpr (std::is_same_v<typename Call::Family, Family>)
        return std::tuple{call};
    else
        return std::tuple{};
}
template <class Family, class... Call>
consteval auto calls_of(const std::tuple<Call...>& calls) {
    return std::tuple_cat(call_if_of<Family>(std::get<Call>(calls))...);
}

/// The position at which two results differ.
struct AnswerDifference {
    std::string output;
    std::size_t index = 0;
    /// The item of the call.
    std::size_t item = 0;
    std::string expected;
    std::string found;

    explicit operator bool() const { return !output.empty(); }
};

/// The first element of an output in which `found` differs from the specification, which wrote to its own
/// memory. Each of `item_count` items has equally many elements.
inline AnswerDifference first_difference(const ShadowOutput& expected, const std::byte* found,
                                         std::size_t item_count) {
    const std::size_t stride = expected.item_bytes;
    const std::size_t bytes = expected.value_bytes;
    for (std::size_t i = 0; i < expected.item_count; ++i) {
        const std::byte* const right = expected.memory.data() + i * stride;
        const std::byte* const value = found + i * stride;
        if (std::memcmp(right, value, bytes) == 0) continue;
        std::size_t item = i * item_count / expected.item_count;
        if (expected.is_bits) {
            std::uint64_t words[2];
            std::memcpy(&words[0], right, sizeof words[0]);
            std::memcpy(&words[1], value, sizeof words[1]);
            item = i * 64 + static_cast<std::size_t>(__builtin_ctzll(words[0] ^ words[1]));
        }
        return {expected.name, i, item, words_of(right, bytes), words_of(value, bytes)};
    }
    return {};
}

/// One entry of a family and its description.
template <auto Member, class Kernels, class Answer, class... Args>
class VerifiedCall {
public:
    /// Calls `tested` for the caller, and the specification on its own memory. Calls `report(text)` with the
    /// first difference.
    template <class Report>
    static Answer run(const Kernels& tested, Isa isa, Report&& report, Args... args) {
        Values values(args...);
        ShadowOperands operands = ShadowOperands::redirect();
        describe(operands, values);
        Result<Answer> expected = called(Kernels::scalar, values);
        Result<Answer> found;
        if constexpr (std::is_void_v<Answer>)
            (tested.*Member)(args...);
        else
            found.value = (tested.*Member)(args...);

        AnswerDifference difference = compared(expected, found);
        for (const ShadowOutput& output : operands.outputs()) {
            if (!difference) difference = first_difference(output, output.original, operands.item_count());
        }
        compare_references(difference, std::index_sequence_for<Args...>(), values, args...);
        if (difference) report(describe_difference(tested, isa, difference, Values(args...)));
        return static_cast<Answer>(found);
    }

    /// True if two kernels return the same result. Writes nothing of the caller's.
    static bool agree(const Kernels& tested, Args... args) { return !difference_of(tested, Values(args...)); }

private:
    using Values = typename ShadowRoles<Args...>::Values;
    static constexpr std::string_view kText = std::get<ShadowCall<Member>>(ShadowCalls<Kernels>::list).text;

    template <class T>
    struct Result {
        T value = {};
        explicit operator T() const { return value; }
    };
    template <class T>
    requires std::is_void_v<T>
    struct Result<T> {
        explicit operator T() const {}
    };

    // "narrowphase::OverlapKernels::pairs"
    static std::string name() {
        const std::string_view family = type_name<Kernels>().substr(std::strlen("broadside::"));
        return std::string(family) + "::" + std::string(kText.substr(0, kText.find('(')));
    }
    static void describe(ShadowOperands& state_operands, Values& state_values) {
        ShadowRoles<Args...>::describe(kText, state_operands, state_values);
    }
    static Result<Answer> called(const Kernels& kernels, Values& state_values) {
        Result<Answer> result;
        std::apply(
            [&](auto&... value) {
                if constexpr (std::is_void_v<Answer>)
                    (kernels.*Member)(value...);
                else
                    result.value = (kernels.*Member)(value...);
            },
            state_values);
        return result;
    }

    static AnswerDifference compared(const Result<Answer>& expected, const Result<Answer>& found) {
        if constexpr (!std::is_void_v<Answer>) {
            // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the promise is of bits.
            if (std::memcmp(&expected, &found, sizeof expected) != 0) {
                return {"answer", 0, 0, words_of(&expected, sizeof expected), words_of(&found, sizeof found)};
            }
        }
        return {};
    }
    // Outputs that are not arrays are passed by reference.
    template <std::size_t... Index>
    static void compare_references(AnswerDifference& state_difference, std::index_sequence<Index...>,
                                   const Values& expected, const std::remove_reference_t<Args>&... found) {
        const auto compare = [&]<class Arg>(std::type_identity<Arg>, const auto& right, const auto& value) {
            if constexpr (std::is_lvalue_reference_v<Arg> && !std::is_const_v<std::remove_reference_t<Arg>>) {
                // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the promise is of bits.
                if (!state_difference && std::memcmp(&right, &value, sizeof value) != 0) {
                    state_difference = {"answer", 0, 0, words_of(&right, sizeof right),
                                        words_of(&value, sizeof value)};
                }
            }
        };
        (compare(std::type_identity<Args>(), std::get<Index>(expected), found), ...);
    }

    static AnswerDifference difference_of(const Kernels& tested, const Values& values) {
        Values right = values;
        Values other = values;
        ShadowOperands right_operands = ShadowOperands::redirect();
        ShadowOperands other_operands = ShadowOperands::redirect();
        describe(right_operands, right);
        describe(other_operands, other);
        const Result<Answer> expected = called(Kernels::scalar, right);
        const Result<Answer> found = called(tested, other);
        AnswerDifference difference = compared(expected, found);
        for (std::size_t i = 0; i < right_operands.outputs().size() && !difference; ++i) {
            difference =
                first_difference(right_operands.outputs()[i], other_operands.outputs()[i].memory.data(),
                                 right_operands.item_count());
        }
        std::apply(
            [&](const auto&... value) {
                compare_references(difference, std::index_sequence_for<Args...>(), right, value...);
            },
            other);
        return difference;
    }

    // Includes 64 of the items around the difference if they reproduce it, else all.
    static ShadowDifference describe_difference(const Kernels& tested, Isa isa,
                                                const AnswerDifference& difference, const Values& values) {
        Values shown = values;
        bool is_reproduced = false;
        for (const bool is_whole : {false, true}) {
            shown = values;
            if (!is_whole) cut(difference.item, shown);
            is_reproduced = static_cast<bool>(difference_of(tested, shown));
            if (is_reproduced) break;
        }
        ShadowOperands operands = ShadowOperands::print();
        describe(operands, shown);
        return {name(),
                isa,
                difference.output,
                difference.index,
                difference.expected,
                difference.found,
                operands.declarations(),
                operands.arguments(),
                is_reproduced};
    }
    static void cut(std::size_t item, Values& state_values) {
        Values values = state_values;
        ShadowOperands redirected = ShadowOperands::redirect();
        describe(redirected, values);
        const std::size_t item_count = redirected.item_count();
        constexpr std::size_t kPart = 64;
        const std::size_t begin = item / kPart * kPart;
        if (begin >= item_count) return;
        ShadowOperands operands =
            ShadowOperands::cut(begin, item_count - begin < kPart ? item_count - begin : kPart);
        describe(operands, state_values);
    }
};

#if BROADSIDE_HAS_SHADOW

/// If not null, the kernels that are verified instead of the active ISA's: for tests of shadow verification.
template <class Kernels>
inline const Kernels* shadow_subject = nullptr;

/// The verifying entry of a table.
template <auto Member, class Kernels, class Answer, class... Args>
Answer verified_entry(Args... args) noexcept {
    const Isa isa = active_isa().value_or(Isa::scalar);
    const Kernels* const subject = shadow_subject<Kernels>;
    const Kernels& tested = subject != nullptr ? *subject : *kernels_of<Kernels>(isa);
    if ((isa == Isa::scalar && subject == nullptr) || !takes_turn()) return (tested.*Member)(args...);
    const auto report_difference = [](const ShadowDifference& difference) {
        const std::string text = text_of(difference);
        report({difference.call.c_str(), difference.isa, difference.output.c_str(), difference.index,
                text.c_str()});
    };
    return VerifiedCall<Member, Kernels, Answer, Args...>::run(tested, isa, report_difference, args...);
}
template <auto Member, class Kernels, class Answer, class... Args>
void set_verified_entry(Kernels& state_kernels, Answer (*Kernels::*)(Args...)) {
    state_kernels.*Member = &verified_entry<Member, Kernels, Answer, Args...>;
}

// Kernels without a description are not verified.
template <class Kernels>
const Kernels* verified_kernels(Isa isa) noexcept {
    if constexpr (!requires { ShadowCalls<Kernels>::list; }) {
        return kernels_of<Kernels>(isa);
    } else {
        struct Tables {
            Kernels of[kIsaCount];
        };
        static const Tables tables = [] {
            Tables made = {};
            for (const Isa built : built_isas()) {
                Kernels& kernels = made.of[static_cast<std::size_t>(built)];
                kernels = *kernels_of<Kernels>(built);
                std::apply(
                    [&]<auto... Member>(const ShadowCall<Member>&...) {
                        (set_verified_entry<Member>(kernels, Member), ...);
                    },
                    ShadowCalls<Kernels>::list);
            }
            return made;
        }();
        return &tables.of[static_cast<std::size_t>(isa)];
    }
}

#endif

}  // namespace broadside::simd::shadow
