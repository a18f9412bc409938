// Options whose values have names.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace broadside::tools {

/// For CLI::Option::transform: takes the names of the map and no other, and lists them in the help.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
    std::string names;
    for (const auto& [name, value] : values) names += (names.empty() ? "" : "|") + name;
    return CLI::CheckedTransformer(values).description(names);
}

}  // namespace broadside::tools
