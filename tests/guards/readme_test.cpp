// Guard: C++ and C in the README and on other pages are examples that are compiled and run, or parts of one.
#include "tests/guards/source_tree.hpp"
#include "tests/support/folders.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>

using namespace broadside::test;

namespace {

// The text between the fences of the blocks of a page in one language.
std::vector<std::string> blocks_in(const std::string& language, const std::string& page) {
    const std::string opening = "\n```" + language + "\n";
    std::vector<std::string> blocks;
    for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
        const std::size_t begin = at + opening.size();
        blocks.push_back(page.substr(begin, page.find("\n```", begin) + 1 - begin));
    }
    return blocks;
}

// Without the comment at the head of every file.
std::string program(const SourceFile& example) {
    const bool is_c = example.text.starts_with("/*");
    return example.text.substr(is_c ? example.text.find("*/\n") + 3 : example.text.find('\n') + 1);
}

// A page shows the body of a function without its indentation.
std::string without_indentation(const std::string& text) {
    return std::regex_replace("\n" + text, std::regex("\n +"), "\n");
}

// A block with a `main` is a whole example. Any other is some lines of one, and enough of them not to match
// by chance.
bool shows(const std::string& block, const SourceFile& example) {
    if (block.find("int main(") != std::string::npos) return block == program(example);
    return block.size() > 100 &&
           without_indentation(example.text).find(without_indentation(block)) != std::string::npos;
}

bool names(const std::string& text, const std::string& name) {
    const auto is_part = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        if (!is_part(at - 1) && !is_part(at + name.size())) return true;
    }
    return false;
}

// Pages about the repository itself are beside their subject.
std::vector<SourceFile> pages() {
    std::vector<SourceFile> files =
        source_files({"docs", "bench", "bindings", "examples", "extras", "tests", "tools"}, {".md"});
    for (const char* path : {"README.md", "CONTRIBUTING.md"}) files.push_back({path, file_text(path)});
    return files;
}

// Counts the blocks of the language, each of which must match a file with one of the endings.
std::size_t check_blocks(const std::string& language, const std::vector<std::string>& endings) {
    const std::vector<SourceFile> examples = source_files({"examples"}, endings);
    std::size_t block_count = 0;
    for (const SourceFile& page : pages()) {
        for (const std::string& block : blocks_in(language, page.text)) {
            ++block_count;
            const bool is_shown =
                std::any_of(examples.begin(), examples.end(),
                            [&](const SourceFile& example) { return shows(block, example); });
            INFO(page.path << ":\n" << block);
            CHECK(is_shown);
        }
    }
    return block_count;
}

}  // namespace

TEST_CASE("every C++ block of a page is one of the examples, or part of one") {
    CHECK(check_blocks("cpp", {".cpp", ".hpp"}) >= 14);
}

TEST_CASE("every C block of a page is one of the examples, or part of one") {
    CHECK(check_blocks("c", {".c"}) >= 1);
}

TEST_CASE("every file and folder named in docs/promises.md exists") {
    static const std::regex path(R"(\b((?:tests|tools|extras|docs)/[\w./]*\w))");
    const std::string page = file_text("docs/promises.md");
    std::size_t path_count = 0;
    for (std::sregex_iterator match(page.begin(), page.end(), path), end; match != end; ++match) {
        INFO((*match)[1].str());
        CHECK(std::filesystem::exists(source_folder() / (*match)[1].str()));
        ++path_count;
    }
    CHECK(path_count > 20);
}

TEST_CASE("every public class is used by an example") {
    // Each with the reason why no example names it.
    static const std::set<std::string> without = {
        "ListOutput",     // made implicitly of the list that a call is given
        "QueryList",      // made implicitly of the queries
        "Visitor",        // made implicitly of a function object
        "ResetOnMove",    // part of other classes
        "SoaArrays",      // part of other classes
        "TbbTaskRunner",  // needs oneTBB
    };
    static const std::regex definition(R"(\n(?:template <[^\n]*>\n)?class (?:BROADSIDE_API )?(\w+)[^;{]*\{)");
    std::string examples;
    for (const SourceFile& example : source_files({"examples"}, {".cpp", ".hpp", ".c"}))
        examples += example.text;
    const std::vector<SourceFile> headers = source_files(
        {"core/include", "simd/include", "broadphase/include", "narrowphase/include", "stage/include"});
    std::size_t class_count = 0;
    for (const SourceFile& header : headers) {
        for (std::sregex_iterator match(header.text.begin(), header.text.end(), definition), end;
             match != end; ++match) {
            const std::string name = (*match)[1].str();
            INFO(header.path << ": " << name);
            CHECK(names(examples, name) == (without.count(name) == 0));
            ++class_count;
        }
    }
    CHECK(class_count > 25);
}

TEST_CASE("every example is compiled") {
    for (const SourceFile& example : source_files({"examples"}, {".cpp", ".c"})) {
        const std::string name = example.name();
        const std::string folder = example.path.substr(0, example.path.rfind('/') + 1);
        const std::string build = file_text(folder + "CMakeLists.txt");
        INFO(name);
        CHECK(build.find(name.substr(0, name.rfind('.'))) != std::string::npos);
    }
}

// Lists give a script by its name without "_test.py", or with it.
TEST_CASE("every test is built or run") {
    int test_count = 0;
    for (const SourceFile& test : source_files({"tests"}, {".cpp", ".py", ".mjs"})) {
        const std::size_t name_end = test.path.rfind("_test.");
        if (name_end == std::string::npos) continue;
        INFO(test.path);
        const bool is_script = test.path.find(".cpp") == std::string::npos;
        const std::size_t end = is_script ? name_end : test.path.size();
        const std::size_t name_first = test.path.rfind('/') + 1;
        bool is_listed = names(file_text("tools/javascript.sh"), test.name());
        for (std::size_t i = test.path.find('/'); i != std::string::npos; i = test.path.find('/', i + 1)) {
            const std::string list = file_text(test.path.substr(0, i + 1) + "CMakeLists.txt");
            const std::size_t first = is_script ? name_first : i + 1;
            is_listed |= names(list, test.path.substr(first, end - first));
            is_listed |= is_script && names(list, test.name());
        }
        CHECK(is_listed);
        ++test_count;
    }
    CHECK(test_count > 200);
}
