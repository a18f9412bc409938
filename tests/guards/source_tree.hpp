// The files of the repository as text, for tests of how the code is built rather than of its results.
#pragma once

#include "tests/support/folders.hpp"

#include <algorithm>
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
    std::string name() const { return path.substr(path.rfind('/') + 1); }
    bool is_public_header() const { return path.find("/include/broadside/") != std::string::npos; }
};

/// The text of one file; its path is relative to the repository.
inline std::string file_text(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(source_folder() / path, std::ios::binary).rdbuf();
    return text.str();
}

/// All files with these endings below the given folders of the repository: C++ sources and headers by
/// default.
inline std::vector<SourceFile> source_files(const std::vector<std::string>& folders,
                                            const std::vector<std::string>& extensions = {".hpp", ".cpp"}) {
    const std::filesystem::path& root = source_folder();
    const auto has_extension = [&](const std::filesystem::path& path) {
        return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
    };
    std::vector<SourceFile> files;
    for (const std::string& folder : folders) {
        if (!std::filesystem::is_directory(root / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (!entry.is_regular_file() || !has_extension(entry.path())) continue;
            const std::string path = std::filesystem::relative(entry.path(), root).generic_string();
            files.push_back({path, file_text(path)});
        }
    }
    return files;
}

}  // namespace broadside::test
