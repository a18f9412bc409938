// Options with named values, and integers.
#pragma once

#include <broadside/isa.hpp>

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <type_traits>

namespace broadside::extras {

/// For CLI::Option::transform: accepts the names of the map and no other, and lists them in the help. CLI11's
/// own shows an enumerator of one byte as that character in its message.
template <class Enum>
CLI::Validator one_of(const std::map<std::string, Enum>& values) {
    std::string names;
    for (const auto& [name, value] : values) names += (names.empty() ? "" : "|") + name;
    const auto replace = [values, names](std::string& state_text) -> std::string {
        const auto found = values.find(state_text);
        if (found == values.end()) return "expected one of " + names + ", found '" + state_text + "'";
        state_text = std::to_string(static_cast<std::underlying_type_t<Enum>>(found->second));
        return {};
    };
    return CLI::Validator(replace, names);
}

/// For CLI::Option::check: the name of an ISA, even if this build or this machine does not have it.
inline CLI::Validator isa_names() {
    std::string names;
    for (std::size_t i = 0; i < kIsaCount; ++i) {
        names += std::string(names.empty() ? "" : "|") + isa_name(static_cast<Isa>(i));
    }
    const auto check = [names](std::string& text) -> std::string {
        if (text.empty() || find_isa(text.c_str())) return {};
        return text + " is not the name of an ISA; expected one of " + names;
    };
    return CLI::Validator(check, names);
}

/// For CLI::Option::check: CLI11 takes -1 for the largest number.
inline CLI::Validator whole_number(std::uint64_t min = 0) {
    const auto check = [min](std::string& text) -> std::string {
        std::uint64_t value = 0;
        if (text.find('-') == std::string::npos && CLI::detail::lexical_cast(text, value) && value >= min)
            return {};
        return std::string("expected a whole number") + (min > 0 ? " above 0" : "") + ", found '" + text +
               "'";
    };
    return CLI::Validator(check, min > 0 ? "POSITIVE" : "NONNEGATIVE");
}

}  // namespace broadside::extras
