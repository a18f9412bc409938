// Guard over the public headers: parameters of every function come in one order.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>

using namespace broadside::test;

namespace {

// The role of a parameter, by its name; a callback and an allocator may be anywhere.
enum class Role { input, setting, scratch, output, free };

Role role_of(const std::string& name) {
    const auto ends_with = [&](const std::string& end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (name.rfind("out_", 0) == 0) return Role::output;
    if (name.rfind("state_", 0) == 0 || ends_with("scratch")) return Role::scratch;
    if (ends_with("settings") || name == "runner" || name == "quality") return Role::setting;
    return name == "function" || name == "visit" || ends_with("allocator") ? Role::free : Role::input;
}

// The names of a list of parameters, without types, template arguments and defaults.
std::vector<std::string> names_of(std::string parameters) {
    static const std::regex template_arguments("<[^<>]*>");
    static const std::regex name(R"((\w+)\s*(?:=[^,]*)?(?:,|$))");
    parameters = std::regex_replace(parameters, template_arguments, "");
    std::vector<std::string> names;
    for (std::sregex_iterator match(parameters.begin(), parameters.end(), name), end; match != end; ++match) {
        names.push_back((*match)[1]);
    }
    return names;
}

bool are_in_order(const std::vector<std::string>& names) {
    Role last = Role::input;
    for (const std::string& name : names) {
        const Role role = role_of(name);
        if (role == Role::free) continue;
        if (role < last) return false;
        last = role;
    }
    return true;
}

}  // namespace

TEST_CASE("parameters come in one order: inputs, settings or runner, scratch, outputs") {
    CHECK(are_in_order(names_of("const BoxSoaView& a, const Settings& settings = {}, Scratch& scratch")));
    CHECK_FALSE(are_in_order(names_of("const Settings& settings, std::span<int, 3> points")));
    CHECK_FALSE(are_in_order(names_of("const BoxSoaView& a, PairOutput& out_pairs, Scratch& scratch")));
    static const std::regex function(R"((\w+)\(([^()]*)\)\s*(?:const\s+)?noexcept)");
    std::size_t function_count = 0;
    for (const SourceFile& file : source_files({"core", "broadphase", "narrowphase", "stage"})) {
        // There the runner is the subject of the call.
        if (!file.is_public_header() || file.name() == "run_tasks.hpp") continue;
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), function), end; match != end;
             ++match) {
            INFO(file.path << ": " << match->str());
            CHECK(are_in_order(names_of((*match)[2])));
            ++function_count;
        }
    }
    CHECK(function_count > 200);
}
