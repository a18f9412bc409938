// Least significant digit first: every pass is a stable distribution by one byte.
#include "broadphase/src/lists/radix_sort.hpp"

#include <utility>

namespace broadside::broadphase {
namespace {

constexpr std::uint32_t kDigitCount = 4;
constexpr std::uint32_t kBinCount = 256;

std::uint32_t digit_of(std::uint32_t key, std::uint32_t digit) { return key >> (8 * digit) & 0xFFu; }

}  // namespace

SortItem* radix_sort(SortItem* items, SortItem* spare, std::size_t count) noexcept {
    std::uint32_t bins[kDigitCount][kBinCount] = {};
    for (std::size_t i = 0; i < count; ++i) {
        for (std::uint32_t digit = 0; digit < kDigitCount; ++digit) {
            ++bins[digit][digit_of(items[i].key, digit)];
        }
    }
    for (std::uint32_t digit = 0; digit < kDigitCount; ++digit) {
        if (count == 0 || bins[digit][digit_of(items[0].key, digit)] == count) continue;
        std::uint32_t begin = 0;
        for (std::uint32_t& bin : bins[digit]) {
            const std::uint32_t bin_count = bin;
            bin = begin;
            begin += bin_count;
        }
        for (std::size_t i = 0; i < count; ++i) {
            spare[bins[digit][digit_of(items[i].key, digit)]++] = items[i];
        }
        std::swap(items, spare);
    }
    return items;
}

}  // namespace broadside::broadphase
