// Guard: the program in the README is the example that is compiled and run.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(std::string(BROADSIDE_SOURCE_DIR) + "/" + path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("the README's first program is examples/first_pairs.cpp") {
    const std::string readme = read("README.md");
    const std::string opening = "```cpp\n";
    const std::size_t begin = readme.find(opening);
    REQUIRE(begin != std::string::npos);
    const std::size_t end = readme.find("```", begin + opening.size());
    REQUIRE(end != std::string::npos);
    const std::string example = read("examples/first_pairs.cpp");
    // The example's first line is the comment that every file opens with.
    CHECK(readme.substr(begin + opening.size(), end - begin - opening.size()) ==
          example.substr(example.find('\n') + 1));
}
