// A file of the repository as bytes.
#pragma once

#include "tests/support/folders.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace broadside::test {

/// Empty if there is no such file; the path is relative to the repository.
inline std::vector<std::byte> file_bytes(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(source_folder() / path, std::ios::binary).rdbuf();
    const std::string characters = text.str();
    std::vector<std::byte> bytes(characters.size());
    if (!bytes.empty()) std::memcpy(bytes.data(), characters.data(), bytes.size());
    return bytes;
}

}  // namespace broadside::test
