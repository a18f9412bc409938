// The checksum of everything that the library writes as bytes.
#pragma once

#include "core/src/byte_order.hpp"

namespace broadside {

/// Sum of products (Knuth 6.4 style multiplicative mixing) of little-endian words. A tail is padded with
/// zeros; its length is in the header. Every single flipped bit changes the sum.
inline std::uint64_t checksum_of(const std::byte* bytes, std::size_t count) {
    std::uint64_t sum = 0x9E3779B97F4A7C15u;
    for (std::size_t i = 0; i < count; i += 8) {
        std::byte eight[8] = {};
        std::memcpy(eight, bytes + i, count - i < 8 ? count - i : 8);
        std::uint64_t word;
        copy_little_endian(&word, eight, sizeof word, kNumberBytes<std::uint64_t>);
        sum = (sum ^ word) * 0xD6E8FEB86659FD93u;
        sum ^= sum >> 32;
    }
    return sum;
}

}  // namespace broadside
