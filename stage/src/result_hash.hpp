// FNV-1a over numbers, so that results can be compared across builds and machines by one word.
#pragma once

#include <cstdint>
#include <cstring>

namespace broadside::stage {

/// Fowler, Noll, Vo: 64-bit FNV-1a, fed with 32-bit words in little-endian byte order whatever the machine's.
class ResultHash {
public:
    void add(std::uint32_t word) noexcept {
        for (int byte = 0; byte < 4; ++byte) {
            state_ = (state_ ^ ((word >> (8 * byte)) & 0xFFu)) * 0x100000001B3u;
        }
    }
    void add(float number) noexcept {
        std::uint32_t pattern;
        std::memcpy(&pattern, &number, sizeof pattern);
        add(pattern);
    }
    std::uint64_t value() const noexcept { return state_; }

private:
    std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace broadside::stage
