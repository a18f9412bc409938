// The sample, the size classes and the interleaving of bits.
#include "broadphase/src/morton_code.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// Quantiles of a few hundred boxes are within a tenth of the true ones, which is all that a step needs.
constexpr std::size_t kSampleCountMax = 256;
// Share of the sample that is left outside at each end, and by how much of the rest the range is prolonged.
constexpr std::size_t kTailDivisor = 32;
constexpr double kOverhang = 1.0 / 16;
constexpr float kLastStep = 1023.0f;
// A class holds sides up to this many times the median. A class per factor of four would leave thin classes
// whose leaves are as wide as the boxes are far apart.
constexpr float kClassFactors[3] = {4.0f, 32.0f, 256.0f};

float component(const Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// In halves: the sum of two large numbers would overflow. NaN for a box that is infinite on both sides.
float center(const Aabb& box, int axis) { return 0.5f * component(box.min, axis) + 0.5f * component(box.max, axis); }

float longest_side(const Aabb& box) {
    const Vec3 size = box.max - box.min;
    return max_keep(size.x, max_keep(size.y, size.z));
}

// Every third bit.
std::uint32_t spread(std::uint32_t ten_bits) {
    std::uint32_t x = ten_bits;
    x = (x | x << 16) & 0x030000FFu;
    x = (x | x << 8) & 0x0300F00Fu;
    x = (x | x << 4) & 0x030C30C3u;
    return (x | x << 2) & 0x09249249u;
}

}  // namespace

MortonBounds sample_morton_bounds(const BoxSoaView& a, const BoxSoaView* b) noexcept {
    float centers[3][kSampleCountMax];
    float sizes[kSampleCountMax];
    std::size_t counts[3] = {};
    std::size_t size_count = 0;
    const std::size_t total = a.count + (b != nullptr ? b->count : 0);
    const std::size_t wanted = std::min(total, kSampleCountMax);
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uint64_t begin = total * i / wanted;
        const std::uint64_t end = total * (i + 1) / wanted;
        // Multiples of the golden ratio, modulo one, so that no period of the input is met.
        const std::uint32_t fraction = static_cast<std::uint32_t>(i) * 0x9E3779B9u;
        const std::uint64_t index = begin + ((end - begin) * fraction >> 32);
        const Aabb box = index < a.count ? a[index] : (*b)[index - a.count];
        if (!is_valid(box)) continue;
        sizes[size_count++] = longest_side(box);
        for (int axis = 0; axis < 3; ++axis) {
            const float middle = center(box, axis);
            if (is_finite(middle)) centers[axis][counts[axis]++] = middle;
        }
    }
    MortonBounds bounds = {{0, 0, 0}, {1, 1, 1}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    if (size_count != 0) {
        std::nth_element(sizes, sizes + size_count / 2, sizes + size_count);
        for (int i = 0; i < 3; ++i) bounds.size_max[i] = kClassFactors[i] * sizes[size_count / 2];
    }
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t count = counts[axis];
        if (count == 0) continue;
        std::sort(centers[axis], centers[axis] + count);
        const double low = centers[axis][count / kTailDivisor];
        const double high = centers[axis][count - 1 - count / kTailDivisor];
        const double range = std::max((high - low) * (1 + 2 * kOverhang), 1e-30);
        bounds.origin[axis] = static_cast<float>(std::max(low - (high - low) * kOverhang, -double{FLT_MAX}));
        bounds.scale[axis] = static_cast<float>(double{kLastStep} / range);
    }
    return bounds;
}

std::uint32_t morton_key(const Aabb& box, const MortonBounds& bounds) noexcept {
    std::uint32_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float position = (center(box, axis) - bounds.origin[axis]) * bounds.scale[axis];
        // NaN takes the first step.
        const float step = min_keep(position > 0.0f ? position : 0.0f, kLastStep);
        code |= spread(static_cast<std::uint32_t>(step)) << axis;
    }
    const float size = longest_side(box);
    std::uint32_t size_class = 0;
    for (const float size_max : bounds.size_max) size_class += size > size_max ? 1u : 0u;
    return size_class << 30 | code;
}

}  // namespace broadside::broadphase
