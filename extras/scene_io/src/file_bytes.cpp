// Opening and reading files, with printable errors.
#include "file_bytes.hpp"

#include "messages.hpp"

#include <array>
#include <cerrno>
#include <system_error>

namespace broadside::scene_io {
namespace {

Error cannot(const std::filesystem::path& path, std::string_view verb, int error_number) {
    return error_in_file(
        path.string(), text_of("cannot be ", verb, " (", std::generic_category().message(error_number), ")"));
}

}  // namespace

Result<FileHandle> open_to_read(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::not_found) return cannot(path, "opened", ENOENT);
    if (code) return cannot(path, "opened", code.value());
    if (status.type() != fs::file_type::regular && status.type() != fs::file_type::fifo) {
        return error_in_file(path.string(), fs::is_directory(status) ? "expected a file, found a folder"
                                                                     : "expected a file, found a device");
    }
    FileHandle file(std::fopen(path.string().c_str(), "rb"));
    if (file == nullptr) return cannot(path, "opened", errno);
    return file;
}

Result<std::string> read_bytes(const std::filesystem::path& path) {
    Result<FileHandle> file = open_to_read(path);
    if (!file) return file.error();
    std::string bytes;
    std::array<char, 65536> chunk;
    for (;;) {
        const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file->get());
        bytes.append(chunk.data(), count);
        if (count < chunk.size()) break;
    }
    if (std::ferror(file->get()) != 0) return cannot(path, "read", errno);
    return bytes;
}

}  // namespace broadside::scene_io
