// The lists of entry points are complete: they have every span and every runner that public headers name. That they
// have every function that computes is checked by tests/guards/float_environment_test.cpp.
#include "tests/entry_points/entry_points.hpp"
#include "tests/guards/source_tree.hpp"

#include <broadside/volume_box.hpp>

#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

// The declarations of the public headers, by function or field.
struct Declared {
    // Parameters of types that hold one span count at the type's constructor.
    std::map<std::string, std::size_t> spans;
    // Functions that take a runner or settings with one.
    std::set<std::string> with_runner;
};

// `take(owner, statement)` for each public statement of the public headers, without comments and defaults.
template <class Take>
void for_each_statement(Take&& take) {
    static const std::regex comment("//[^\n]*");
    static const std::regex type(R"(^(?:class|struct) (?:\[\[\w+\]\] )?(?:BROADSIDE_API )?(\w+)[^;]*$)");
    static const std::regex empty_default(R"( = \{\})");
    for (const SourceFile& file : source_files({"core", "broadphase", "narrowphase", "stage"}, {".hpp"})) {
        if (!file.is_public_header()) continue;
        std::istringstream lines(std::regex_replace(file.text, comment, ""));
        std::string owner;
        std::string statement;
        bool is_private = false;
        for (std::string line; std::getline(lines, line);) {
            std::smatch match;
            if (std::regex_match(line, match, type)) owner = std::string(match[1]) + "::";
            if (line.rfind("};", 0) == 0) owner.clear();
            if (line == "private:" || line == "public:" || owner.empty()) is_private = line == "private:";
            statement += std::regex_replace(line, empty_default, "");
            if (line.empty() || std::string(";{}:").find(line.back()) == std::string::npos) continue;
            const std::string whole = std::exchange(statement, {});
            if (!is_private) take(owner, whole);
        }
    }
}

Declared read_headers() {
    static const std::regex call(R"((\w+)\(([^;{}]*)\))");
    static const std::regex span(
        R"(std::span<|\bQueryList<|\b(?:Overlap|Hit|Near)Queries&|\bMesh(?:Shapes|Rays|Casts|HitQueries)&)");
    static const std::regex field(R"(std::span<.*> (\w*[^\W_]);)");
    std::string runners = R"(TaskRunner\* runner)";
    for_each_statement([&](const std::string& owner, const std::string& whole) {
        if (owner.ends_with("Settings::") && whole.find("TaskRunner* runner = nullptr;") != std::string::npos)
            runners += "|\\b" + owner.substr(0, owner.size() - 2) + "& settings";
    });
    const std::regex runner(runners);
    Declared declared;
    for_each_statement([&](const std::string& owner, const std::string& whole) {
        std::smatch match;
        for (std::sregex_iterator each(whole.begin(), whole.end(), call), end; each != end; ++each) {
            const std::string name = owner + std::string((*each)[1]);
            const std::string arguments = (*each)[2];
            const auto count = std::distance(std::sregex_iterator(arguments.begin(), arguments.end(), span),
                                             std::sregex_iterator());
            if (count != 0) declared.spans[name] += static_cast<std::size_t>(count);
            if (std::regex_search(arguments, runner)) declared.with_runner.insert(name);
        }
        if (std::regex_search(whole, match, field) && whole.find('(') == std::string::npos)
            ++declared.spans[owner + std::string(match[1])];
    });
    return declared;
}

struct Exception {
    const char* name;
    const char* reason;
};
const Exception kExceptions[] = {
    {"SidedQueries::SidedQueries", "makes a list"},
    {"ConvexVolume::planes", "part of a shape, which is invalid then; see below"},
    {"RestingBoxes::find_moved_box", "has no status; tests/broadphase/refused_arguments_test.cpp"},
    {"RestingBoxes::count_drift", "has no status; tests/broadphase/refused_arguments_test.cpp"},
};
const Exception kWithoutRunner[] = {
    {"worker_count", "reads the runner only"},
    {"is_valid_runner", "reads the runner only"},
    {"run_tasks", "runs the tasks of all others"},
    {"run_chunks", "runs the tasks of all others"},
    {"run_each_task", "runs the tasks of all others"},
    {"BoxTree::closest_box", "inline: closest_boxes of one point"},
    {"WorldQueries::closest_object", "inline: closest_objects of one point"},
};

}  // namespace

TEST_CASE("every span that a public header names is in an entry point") {
    std::map<std::string, std::size_t> listed;
    for (const EntryPoint& entry : small_list().entries()) {
        if (!entry.is_repeated()) listed[entry.function()] += entry.span_count;
    }
    std::map<std::string, std::size_t> declared = read_headers().spans;
    for (const Exception& exception : kExceptions) {
        INFO(std::string(exception.name));
        CHECK(declared.erase(exception.name) == 1);
    }
    // Three kinds of list are given here, by one constructor.
    declared["ListOutput::ListOutput"] += 2;
    for (const auto& [name, count] : declared) {
        INFO(name);
        CHECK(listed[name] == count);
    }
    CHECK(declared.size() > 90);
}

TEST_CASE(
    "every public function with a runner, or settings with one, is an entry point that is called with "
    "runners") {
    std::set<std::string> listed;
    for (const EntryPoint& entry : small_list().entries()) {
        Call probe;
        (void)entry.run(probe);
        if (probe.has_runner()) listed.insert(entry.function());
    }
    std::set<std::string> declared = read_headers().with_runner;
    CHECK(declared.size() > 50);
    for (const Exception& exception : kWithoutRunner) {
        INFO(std::string(exception.name));
        CHECK(declared.erase(exception.name) == 1);
    }
    for (const std::string& name : declared) {
        INFO(name);
        CHECK(listed.count(name) == 1);
    }
}

TEST_CASE("a volume with null planes and a count is no valid shape, and finds nothing") {
    const ConvexVolume volume = {std::span<const Plane>(static_cast<const Plane*>(nullptr), 4)};
    CHECK_FALSE(is_valid(volume));
    CHECK(is_valid(ConvexVolume{}));
    BoxSoa boxes;
    REQUIRE(boxes.push_back({{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    BoxTree tree;
    REQUIRE(tree.build(boxes) == Status::ok);
    CHECK_FALSE(tree.any_overlap(volume));
    CHECK(tree.any_overlap(ConvexVolume{}));
    CHECK_FALSE(overlap(volume, boxes[0]));
}
