// The sample, the size classes and the interleaving of bits.
#include "broadphase/src/morton/code.hpp"

#include "broadphase/src/lists/box_sample.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// Quantiles of a few hundred boxes are within a tenth of the true ones, which is all that a step needs.
constexpr std::size_t kMortonSampleCountMax = 256;
// Share of the sample that is left outside at each end, and by how much of the rest the range is prolonged.
constexpr std::size_t kMortonTailDivisor = 32;
constexpr double kOverhang = 1.0 / 16;
constexpr std::uint32_t kCodeBits = 30;
constexpr std::uint32_t kAxisBitsMax = 24;
// A class holds sides up to this many times the median. A class per factor of four would leave thin classes
// whose leaves are as wide as the boxes are far apart.
constexpr float kClassFactors[3] = {4.0f, 32.0f, 256.0f};

// In halves: the sum of two large numbers would overflow. NaN for a box that is infinite on both sides.
float center(const Aabb& box, int axis) {
    return 0.5f * component(box.min, axis) + 0.5f * component(box.max, axis);
}

float longest_side(const Aabb& box) {
    const Vec3 size = box.max - box.min;
    return max_keep(size.x, max_keep(size.y, size.z));
}

}  // namespace

MortonCode::MortonCode(const BoxSets& sets) noexcept {
    float centers[3][kMortonSampleCountMax];
    float sizes[kMortonSampleCountMax];
    std::size_t counts[3] = {};
    std::size_t size_count = 0;
    for_each_sampled_box(sets, kMortonSampleCountMax, [&](const Aabb& box) {
        sizes[size_count++] = longest_side(box);
        for (int axis = 0; axis < 3; ++axis) {
            const float middle = center(box, axis);
            if (is_finite(middle)) centers[axis][counts[axis]++] = middle;
        }
    });
    std::nth_element(sizes, sizes + size_count / 2, sizes + size_count);
    const float median_size = size_count != 0 ? sizes[size_count / 2] : 0.0f;
    for (int i = 0; i < 3; ++i) size_max_[i] = kClassFactors[i] * median_size;
    double ranges[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t count = counts[axis];
        if (count == 0) continue;
        std::sort(centers[axis], centers[axis] + count);
        const double low = static_cast<double>(centers[axis][count / kMortonTailDivisor]);
        const double high = static_cast<double>(centers[axis][count - 1 - count / kMortonTailDivisor]);
        ranges[axis] = (high - low) * (1 + 2 * kOverhang);
        axes_[axis].origin =
            static_cast<float>(std::max(low - (high - low) * kOverhang, -static_cast<double>(FLT_MAX)));
    }
    take_bits(ranges);
}

void MortonCode::take_bits(const double (&ranges)[3]) noexcept {
    double left[3] = {ranges[0], ranges[1], ranges[2]};
    std::uint32_t counts[3] = {};
    int turns[kCodeBits];
    std::uint32_t turn_count = 0;
    for (; turn_count < kCodeBits; ++turn_count) {
        int longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            if (counts[axis] == kAxisBitsMax || !(left[axis] > 0)) continue;
            if (longest < 0 || left[axis] > left[longest]) longest = axis;
        }
        if (longest < 0) break;
        left[longest] *= 0.5;
        ++counts[longest];
        turns[turn_count] = longest;
    }
    std::uint32_t key_bits[3][kAxisBitsMax] = {};
    std::uint32_t taken[3] = {};
    for (std::uint32_t bit = 0; bit < turn_count; ++bit) {
        const int axis = turns[turn_count - 1 - bit];
        key_bits[axis][taken[axis]++] = std::uint32_t{1} << bit;
    }
    for (int axis = 0; axis < 3; ++axis) {
        Axis& steps = axes_[axis];
        const std::uint32_t count = counts[axis];
        if (count == 0) continue;
        // Below 2^24, so that a float holds every step; a range so narrow that the scale overflowed is one
        // step.
        steps.last_step = static_cast<float>((std::uint32_t{1} << count) - 1);
        steps.scale =
            static_cast<float>(static_cast<double>(steps.last_step) / std::max(ranges[axis], 1e-30));
        steps.byte_count = (count + 7) / 8;
        for (std::uint32_t byte = 0; byte < steps.byte_count; ++byte) {
            std::uint32_t(&bits)[256] = steps.bits_of_byte[byte];
            bits[0] = 0;
            for (std::uint32_t value = 1; value < 256; ++value) {
                bits[value] = bits[value & (value - 1)] |
                              key_bits[axis][8 * byte + static_cast<std::uint32_t>(__builtin_ctz(value))];
            }
        }
    }
}

std::uint32_t MortonCode::key(const Aabb& box) const noexcept {
    std::uint32_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const Axis& steps = axes_[axis];
        const float position = (center(box, axis) - steps.origin) * steps.scale;
        // NaN takes the first step.
        const float clamped = min_keep(position > 0.0f ? position : 0.0f, steps.last_step);
        std::uint32_t step = static_cast<std::uint32_t>(clamped);
        for (std::uint32_t byte = 0; byte < steps.byte_count; ++byte, step >>= 8) {
            code |= steps.bits_of_byte[byte][step & 0xFFu];
        }
    }
    const float size = longest_side(box);
    std::uint32_t size_class = 0;
    for (const float size_max : size_max_) size_class += size > size_max ? 1u : 0u;
    return size_class << kCodeBits | code;
}

}  // namespace broadside::broadphase
