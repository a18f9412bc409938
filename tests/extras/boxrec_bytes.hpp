// Recordings laid out byte by byte, and files that remove themselves.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <bit>
#include <fstream>
#include <sstream>
#include <string>

namespace broadside::test {

template <class Unsigned>
void append(std::string& state_bytes, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) state_bytes += static_cast<char>(value >> (8 * i));
}

inline void append_record(std::string& state_bytes, std::uint32_t id, std::uint32_t kind, const Aabb& box) {
    append(state_bytes, id);
    append(state_bytes, kind);
    for (const float value : {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z}) {
        append(state_bytes, std::bit_cast<std::uint32_t>(value));
    }
}

inline constexpr Aabb kSmallBox = {{-1.0f, -2.0f, -3.0f}, {1.0f, 2.0f, 3.0f}};

/// Two frames, of two boxes and of one: 12 + (4 + 64) + (4 + 32) bytes.
inline std::string small_boxrec_bytes() {
    std::string bytes = "BOXREC01";
    append(bytes, std::uint32_t{2});
    append(bytes, std::uint32_t{2});
    append_record(bytes, 3, 0, kSmallBox);
    append_record(bytes, 7, 2, {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}});
    append(bytes, std::uint32_t{1});
    append_record(bytes, 7, 1, kSmallBox);
    return bytes;
}

/// `bytes` with one 32-bit word replaced.
inline std::string with_word(std::string bytes, std::size_t offset, std::uint32_t word) {
    std::string replacement;
    append(replacement, word);
    return bytes.replace(offset, 4, replacement);
}

inline std::string bytes_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

/// The path of a file in the temporary folder, which is removed at the end.
struct TemporaryFile {
    explicit TemporaryFile(const std::string& name) : path(std::filesystem::temp_directory_path() / name) {}
    TemporaryFile(const std::string& name, const std::string& bytes) : TemporaryFile(name) {
        std::ofstream(path, std::ios::binary) << bytes;
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
    std::filesystem::path path;
};

}  // namespace broadside::test
