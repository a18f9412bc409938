// The hash that the programs write beside results, and its text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace broadside::extras {

/// 64-bit FNV-1a over the bytes of numbers, the low byte first: the same on every platform. After G. Fowler,
/// L. Noll and K.-P. Vo.
class Hash {
public:
    void add(std::uint32_t number) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            value_ = (value_ ^ ((number >> shift) & 0xff)) * 0x100000001b3;
        }
    }
    void add(std::uint64_t number) {
        add(static_cast<std::uint32_t>(number));
        add(static_cast<std::uint32_t>(number >> 32));
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Sixteen hexadecimal digits.
inline std::string hash_text(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

}  // namespace broadside::extras
