// Conversion of numbers in memory to little-endian bytes, which machines of either byte order read.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace broadside {

/// Number of bytes of each number of a record, in order. A record of equal numbers may name one of them.
/// Bytes and text are numbers of one byte.
template <class Number>
inline constexpr std::uint8_t kNumberBytes[1] = {sizeof(Number)};

/// Converts records to little-endian bytes, or such bytes to records; the operation is the same. On a
/// little-endian machine a plain copy.
template <std::endian Machine = std::endian::native>
void copy_little_endian(void* to, const void* from, std::size_t byte_count,
                        std::span<const std::uint8_t> number_bytes) {
    if (byte_count == 0) return;
    std::memcpy(to, from, byte_count);
    if constexpr (Machine != std::endian::little) {
        std::byte* number = static_cast<std::byte*>(to);
        const std::byte* const end = number + byte_count;
        while (number != end) {
            for (const std::uint8_t bytes : number_bytes) {
                std::reverse(number, number + bytes);
                number += bytes;
            }
        }
    }
}

}  // namespace broadside
