// Guards over the sources: no call returns invalid_argument without a report to the assert handler, each
// cause has one message, and a test provokes it.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <regex>

using namespace broadside::test;

namespace {

// Exceptions that return invalid_argument without a check of an argument above: the file, the text of the
// line, and the reason.
struct Exception {
    const char* path;
    const char* text;
    const char* reason;
};
const Exception kExceptions[] = {
    {"core/src/status.cpp", "case Status::invalid_argument", "its name"},
    {"broadphase/src/world/snapshot.cpp", "Status::invalid_argument", "damaged bytes are data"},
    {"narrowphase/src/mesh/snapshot.cpp", "Status::invalid_argument", "damaged bytes are data"},
    {"broadphase/src/world/world.cpp", "if (!is_argument_legal)", "checked by each who calls it"},
    {"broadphase/src/world/world.cpp", "std::min(dead, illegal_item)", "checked by those who found them"},
};

bool is_exception(const std::string& path, const std::string& line) {
    for (const Exception& exception : kExceptions) {
        if (path == exception.path && line.find(exception.text) != std::string::npos) return true;
    }
    return false;
}

std::vector<SourceFile> library_sources() {
    std::vector<SourceFile> files;
    for (SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) files.push_back(std::move(file));
    }
    return files;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// The most lines between a check and the return that follows from it.
constexpr std::size_t kReach = 8;

bool has_check_above(const std::vector<std::string>& lines, std::size_t at, std::size_t reach) {
    static const std::regex check(R"(BROADSIDE_ARGUMENT\(|\bcheck_\w+\(|\blegal\()");
    for (std::size_t i = at < reach ? 0 : at - reach; i <= at; ++i) {
        if (std::regex_search(lines[i], check)) return true;
    }
    return false;
}

// A condition holds no text, so the first one is the message. Empty if the message is a variable.
std::vector<std::string> messages_of(const std::string& text) {
    static const std::regex message(R"re(BROADSIDE_ARGUMENT\([^"#;]*"([^"]*)")re");
    std::vector<std::string> messages;
    for (std::sregex_iterator match(text.begin(), text.end(), message), end; match != end; ++match) {
        messages.push_back((*match)[1]);
    }
    return messages;
}

}  // namespace

TEST_CASE("invalid_argument is returned after an argument check, and only checks report refused arguments") {
    static const std::regex rule(R"(\bis_valid_runner\(|\.is_readable\(\)|[> ]> (Inside|Touch)::)");
    std::size_t answer_count = 0;
    for (const SourceFile& file : library_sources()) {
        const std::vector<std::string> lines = lines_of(file.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            INFO(file.path << ":" << i + 1 << ": " << lines[i]);
            if (lines[i].find("Status::invalid_argument") != std::string::npos) {
                ++answer_count;
                CHECK((is_exception(file.path, lines[i]) || has_check_above(lines, i, kReach)));
            }
            if (std::regex_search(lines[i], rule))
                CHECK((is_exception(file.path, lines[i]) || has_check_above(lines, i, 1)));
        }
    }
    CHECK(answer_count > 30);
}

TEST_CASE("every cause has one message, which names the argument and is provoked by a test") {
    // "argument: the rule", as a part of a sentence.
    static const std::regex form(R"(^\w+: \w.*[^.]$)");
    std::string tests;
    for (const SourceFile& file : source_files({"tests"})) tests += file.text;
    std::map<std::string, std::string> known;
    for (const SourceFile& file : library_sources()) {
        for (const std::string& message : messages_of(file.text)) {
            INFO(file.path << ": " << message);
            CHECK(std::regex_match(message, form));
            CHECK(tests.find('"' + message + '"') != std::string::npos);
            // Two locations with the same message are one check, or two causes.
            const auto [place, is_new] = known.insert({message, file.path});
            INFO("also in " << place->second);
            CHECK(is_new);
        }
    }
    CHECK(known.size() > 40);
}
