// Little-endian integers in bytes, on any machine. Private to the scene library.
#pragma once

#include <cstddef>
#include <string>

namespace broadside::scene_io {

/// The unsigned integer of the bytes at `bytes`, at any alignment.
template <class Unsigned>
Unsigned little_endian(const char* bytes) noexcept {
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        const auto byte = static_cast<Unsigned>(static_cast<unsigned char>(bytes[i]));
        value = static_cast<Unsigned>(value | static_cast<Unsigned>(byte << (8 * i)));
    }
    return value;
}

/// Appends the bytes of `value`.
template <class Unsigned>
void append_little_endian(Unsigned value, std::string& out_bytes) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        out_bytes.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
    }
}

}  // namespace broadside::scene_io
