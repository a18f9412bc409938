// Structs that grow from version to version, distinguished by their size field. Reads fill in defaults for
// fields that the caller does not know; writes stop at the caller's size.
#pragma once

#include <broadside.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace broadside::c {

/// Larger than any struct will ever be; catches a size that was never set.
inline constexpr std::size_t kMaxStructBytes = 4096;

/// A size that some version of the struct may have: none cuts a field.
template <class Struct>
bool is_struct_size(std::size_t bytes) {
    return bytes >= 2 * sizeof(std::uint32_t) && bytes <= kMaxStructBytes && bytes % alignof(Struct) == 0;
}

/// Copies the part of a struct that the caller has; the rest is zero, which is the default. False for an
/// illegal size and for unknown fields that are not zero.
template <class Struct>
bool read_struct(const Struct* given, Struct& out_known) {
    out_known = Struct{};
    out_known.size = sizeof(Struct);
    if (given == nullptr) return true;
    const std::size_t bytes = given->size;
    if (!is_struct_size<Struct>(bytes)) return false;
    const std::size_t known_bytes = bytes < sizeof(Struct) ? bytes : sizeof(Struct);
    std::memcpy(&out_known, given, known_bytes);
    out_known.size = sizeof(Struct);
    const unsigned char* const all = reinterpret_cast<const unsigned char*>(given);
    for (std::size_t index = known_bytes; index < bytes; ++index) {
        if (all[index] != 0) return false;
    }
    return true;
}

/// True if a result can be written, or is null and not wanted.
template <class Struct>
bool is_writable(const Struct* given) {
    return given == nullptr || is_struct_size<Struct>(given->size);
}

/// Writes the part of a result that the caller knows. Fields that this library does not know become zero.
template <class Struct>
void write_struct(Struct* out_given, const Struct& known) {
    if (out_given == nullptr) return;
    const std::uint32_t bytes = out_given->size;
    const std::size_t known_bytes = bytes < sizeof(Struct) ? bytes : sizeof(Struct);
    unsigned char* const all = reinterpret_cast<unsigned char*>(out_given);
    std::memcpy(all, &known, known_bytes);
    std::memset(all + known_bytes, 0, bytes - known_bytes);
    out_given->size = bytes;
}

}  // namespace broadside::c
