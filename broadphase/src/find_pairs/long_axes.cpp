// The judgement from the sample, and the parts.
#include "broadphase/src/find_pairs/long_axes.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// A box is long on an axis if it takes more than this share of the range of the others.
constexpr double kLongShare = 1.0 / 16;
// Boxes of the sample that are compared with each other.
constexpr std::size_t kComparedCount = 128;

bool meet(const SampleBox& a, const SampleBox& b, int axis) {
    return (a.min[axis] <= b.min[axis] + b.extent[axis]) & (b.min[axis] <= a.min[axis] + a.extent[axis]);
}

std::size_t part_of(const LongAxes& long_axes, const SampleBox& box) {
    return long_axes.part_of(box.extent[0], box.extent[1], box.extent[2]);
}

double met_share(const LongAxes& long_axes, std::span<const SampleBox> sample) {
    // For each two parts and each axis.
    std::uint32_t met_counts[kBoxPartCountMax][kBoxPartCountMax][3] = {};
    const std::size_t step = sample.size() / kComparedCount + 1;
    double compared = 0;
    for (std::size_t i = 0; i < sample.size(); i += step) {
        const std::size_t part = part_of(long_axes, sample[i]);
        for (std::size_t j = 0; j < i; j += step) {
            const std::size_t other = part_of(long_axes, sample[j]);
            auto& counts = met_counts[std::min(part, other)][std::max(part, other)];
            for (int axis = 0; axis < 3; ++axis) counts[axis] += meet(sample[i], sample[j], axis) ? 1u : 0u;
            ++compared;
        }
    }
    double met = 0;
    for (const auto& row : met_counts)
        for (const auto& counts : row) met += std::min({counts[0], counts[1], counts[2]});
    return compared > 0 ? met / compared : 1;
}

// Calls `visit(index, part)` for every valid box, and notes the others.
template <class Visit>
void for_each_part(const BoxSoaView& boxes, const LongAxes& long_axes, InvalidBoxes& out_invalid,
                   Visit&& visit) {
    out_invalid = {};
    for (std::size_t i = 0; i < boxes.count; ++i) {
        const Aabb box = boxes[i];
        if (is_valid(box)) {
            const Vec3 extent = box.max - box.min;
            visit(i, long_axes.part_of(extent.x, extent.y, extent.z));
        } else if (out_invalid.count++ == 0) {
            out_invalid.first_index = i;
        }
    }
}

void count_parts(const BoxSoaView& boxes, const LongAxes& long_axes,
                 std::size_t (&out_counts)[kBoxPartCountMax]) {
    std::fill_n(out_counts, kBoxPartCountMax, std::size_t{0});
    InvalidBoxes invalid;
    for_each_part(boxes, long_axes, invalid, [&](std::size_t, std::size_t part) { ++out_counts[part]; });
}

}  // namespace

LongAxes find_long_axes(const BoxSurvey& survey) noexcept {
    BROADSIDE_ZONE("find_pairs/long axes");
    LongAxes long_axes;
    for (int axis = 0; axis < 3; ++axis)
        long_axes.extents_max[axis] = static_cast<float>(kLongShare * survey.axis(axis).length);
    // Until the sets of few boxes are known, each has its own part.
    for (std::uint8_t set = 0; set < kBoxPartCountMax; ++set) long_axes.part_of_set[set] = set;
    const std::span<const SampleBox> sample = survey.sample();
    std::size_t counts[kBoxPartCountMax] = {};
    for (const SampleBox& box : sample) ++counts[part_of(long_axes, box)];
    for (std::uint8_t set = 0; set < kBoxPartCountMax; ++set) {
        const bool is_part = counts[set] * thresholds().cells.boxes_per_parted >= sample.size();
        long_axes.part_of_set[set] = is_part ? set : std::uint8_t{0};
        long_axes.part_count += is_part ? 1u : 0u;
    }
    if (long_axes.part_count > 1) long_axes.met_share = met_share(long_axes, sample);
    return long_axes;
}

bool part_boxes(const BoxSets& sets, const std::uint32_t* indices, const LongAxes& long_axes,
                AlignedArray<std::byte>& memory, BoxParts& out_a, BoxParts& out_b) noexcept {
    BROADSIDE_ZONE("find_pairs/part boxes");
    std::size_t counts_a[kBoxPartCountMax];
    std::size_t counts_b[kBoxPartCountMax] = {};
    count_parts(sets.a, long_axes, counts_a);
    if (!sets.is_one()) count_parts(*sets.b, long_axes, counts_b);
    const bool has_memory = reserve_arrays(memory, [&](Arena& arena) {
        for (std::size_t part = 0; part < kBoxPartCountMax; ++part) {
            reserve_gathered(arena, counts_a[part], out_a.parts[part]);
            reserve_gathered(arena, counts_b[part], out_b.parts[part]);
        }
    });
    if (!has_memory) return false;
    const auto take = [&](const BoxSoaView& boxes, BoxParts& out) {
        for_each_part(boxes, long_axes, out.invalid,
                      [&](std::size_t index, std::size_t part) { gather(boxes, index, out.parts[part]); });
    };
    take(sets.a, out_a);
    if (!sets.is_one()) take(*sets.b, out_b);
    if (indices == nullptr) return true;
    for (const GatheredBoxes& part : out_a.parts)
        for (std::size_t i = 0; i < part.count; ++i) part.ids[i] = indices[part.ids[i]];
    return true;
}

}  // namespace broadside::broadphase
