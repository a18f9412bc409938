// Guards over the size of the library: the numbers may only fall. A change that must raise one edits it here,
// and says why in its commit.
#include "tests/guards/source_tree.hpp"
#include "tests/guards/struct_fields.hpp"

#include <doctest/doctest.h>

#include <map>
#include <regex>

using namespace broadside::test;

namespace {

const std::vector<std::string> kRooms = {"core", "simd", "broadphase", "narrowphase", "stage"};

constexpr std::size_t kMostFields = 25;
// In hundreds.
const std::map<std::string, std::size_t> kLinesOfRooms = {
    {"core", 63}, {"simd", 45}, {"broadphase", 262}, {"narrowphase", 189}, {"stage", 36},
};

constexpr std::size_t kPublicTypes = 150;
// Tests of code for lanes whether it is the scalar form.
constexpr std::size_t kScalarBranches = 50;
// Named numbers in the sources of the broadphase, outside of thresholds.hpp.
constexpr std::size_t kConstants = 282;

// A number that has fallen by a fiftieth is written down.
void check_size(std::size_t size, std::size_t most) {
    CHECK(size <= most);
    CHECK(size + most / 50 >= most);
}

bool is_of_library(const SourceFile& file) {
    return file.is_public_header() || file.path.find("/src/") != std::string::npos;
}

std::vector<SourceFile> library_files() {
    std::vector<SourceFile> files;
    for (SourceFile& file : source_files(kRooms)) {
        if (is_of_library(file)) files.push_back(std::move(file));
    }
    return files;
}

std::size_t count_of(const std::string& text, const std::regex& wanted) {
    return static_cast<std::size_t>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), std::sregex_iterator()));
}

// The text between the brace that opens at `begin` and the one that closes it.
std::string body_at(const std::string& text, std::size_t begin) {
    std::size_t depth = 1;
    std::size_t end = begin + 1;
    for (; end < text.size() && depth != 0; ++end) {
        if (text[end] == '{') ++depth;
        if (text[end] == '}') --depth;
    }
    return text.substr(begin + 1, end - begin - 2);
}

}  // namespace

TEST_CASE("no class has more than 25 fields") {
    static const std::regex head(
        R"(\n *(?:class|struct) (?:\[\[nodiscard\]\] |alignas\([\w:]+\) )*(\w+)[^;{}()]*\{)");
    std::size_t count = 0;
    for (const SourceFile& file : library_files()) {
        const std::string text = without_comments(file.text);
        for (std::sregex_iterator match(text.begin(), text.end(), head), end; match != end; ++match) {
            ++count;
            const std::string name = (*match)[1];
            std::size_t fields = 0;
            const auto brace = static_cast<std::size_t>(match->position() + match->length()) - 1;
            for (const std::string& statement : statements_of(body_at(text, brace))) {
                const std::string declaration =
                    std::regex_replace(statement, std::regex("^((public|private|protected) ?: ?)+"), "");
                if (!declaration.empty() && declaration.rfind("class ", 0) != 0 && is_field(declaration))
                    ++fields;
            }
            INFO(file.path << ": " << name << " has " << fields);
            CHECK(fields <= kMostFields);
        }
    }
    CHECK(count > 300);
}

TEST_CASE("the library has no more lines than its limit") {
    std::map<std::string, std::size_t> lines;
    for (const SourceFile& file : library_files()) {
        lines[file.folder()] +=
            static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
    }
    for (const auto& [room, count] : lines) {
        INFO(room << " has " << count);
        REQUIRE(kLinesOfRooms.contains(room));
        check_size((count + 99) / 100, kLinesOfRooms.at(room));
    }
}

TEST_CASE("the library has no more public types, scalar branches and constants than their limits") {
    static const std::regex type(
        R"(\n(?:class|struct|enum class) (?:\[\[nodiscard\]\] |alignas\([\w:]+\) )*\w+[^;{}()]*\{)");
    static const std::regex constant(R"(\bconstexpr [\w:]+ k[A-Z]\w* =)");
    std::size_t types = 0, branches = 0, constants = 0;
    for (const SourceFile& file : library_files()) {
        const std::string text = without_comments(file.text);
        if (file.is_public_header()) types += count_of(text, type);
        branches += count_of(text, std::regex(R"(if constexpr \([^)]*\bis_scalar)"));
        if (file.path.rfind("broadphase/src/", 0) == 0) constants += count_of(text, constant);
    }
    INFO(types << " types, " << branches << " branches, " << constants << " constants");
    check_size(types, kPublicTypes);
    check_size(branches, kScalarBranches);
    check_size(constants, kConstants);
}
