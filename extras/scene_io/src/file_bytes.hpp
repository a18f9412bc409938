// Opening and reading files, with printable errors. Private to the scene library.
#pragma once

#include <broadside/scene_io/result.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace broadside::scene_io {

struct FileCloser {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

/// Opens for binary reading. Folders and devices are refused by name; regular files and pipes are read.
Result<FileHandle> open_to_read(const std::filesystem::path& path);

/// The whole file.
Result<std::string> read_bytes(const std::filesystem::path& path);

}  // namespace broadside::scene_io
