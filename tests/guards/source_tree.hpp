// The files of the repository as text, for tests that guard how the code is built rather than what it
// computes.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace broadside::test {

struct SourceFile {
    /// Relative to the repository, with forward slashes.
    std::string path;
    std::string text;

    std::string folder() const { return path.substr(0, path.find('/')); }
    bool is_public_header() const { return path.find("/include/broadside/") != std::string::npos; }
};

/// All C++ sources and headers below the given folders of the repository.
inline std::vector<SourceFile> source_files(const std::vector<std::string>& folders) {
    const std::filesystem::path root = BROADSIDE_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (const std::string& folder : folders) {
        if (!std::filesystem::is_directory(root / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (!entry.is_regular_file() || (extension != ".hpp" && extension != ".cpp")) continue;
            std::ostringstream text;
            text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            files.push_back({std::filesystem::relative(entry.path(), root).generic_string(), text.str()});
        }
    }
    return files;
}

}  // namespace broadside::test
