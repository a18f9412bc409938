// BoxSoa over its six arrays.
#include "core/src/argument.hpp"
#include "core/src/round_columns.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/float_environment.hpp>

#include <algorithm>
#include <cfloat>
#include <cstring>

namespace broadside {
Status BoxSoa::resize(std::size_t count) noexcept {
    const std::size_t old_count = arrays_.count();
    if (const Status status = arrays_.resize(count); status != Status::ok) return status;
    for (std::size_t index = old_count; index < count; ++index) set(index, Aabb::empty());
    return Status::ok;
}

Status BoxSoa::assign(const BoxAosView& boxes) noexcept {
    if (!check_readable(boxes)) return Status::invalid_argument;
    if (const Status status = arrays_.resize(boxes.count); status != Status::ok) return status;
    for (std::size_t index = 0; index < boxes.count; ++index) set(index, boxes[index]);
    return Status::ok;
}

Status BoxSoa::assign(const BoxSoaView& boxes) noexcept {
    if (!check_readable(boxes)) return Status::invalid_argument;
    if (const Status status = arrays_.resize(boxes.count); status != Status::ok) return status;
    if (boxes.count == 0) return Status::ok;
    const float* const sides[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                   boxes.max_x, boxes.max_y, boxes.max_z};
    for (std::size_t side = 0; side < 6; ++side) {
        std::memcpy(arrays_.array(side), sides[side], boxes.count * sizeof(float));
    }
    return Status::ok;
}

Status BoxSoa::assign_outwards(const ExactBoxView<double>& boxes) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(boxes)) return Status::invalid_argument;
    if (const Status status = arrays_.resize(boxes.count); status != Status::ok) return status;
    float* columns[6];
    for (std::size_t side = 0; side < 6; ++side) columns[side] = arrays_.array(side);
    round_columns(boxes, 0, boxes.count, columns);
    return Status::ok;
}

Status BoxSoa::push_back(const Aabb& box) noexcept {
    if (const Status status = arrays_.append(); status != Status::ok) return status;
    set(arrays_.count() - 1, box);
    return Status::ok;
}

void BoxSoa::set(std::size_t index, const Aabb& box) noexcept {
    BROADSIDE_ASSERT(index < arrays_.count(), "index: at or past the count");
    min_x()[index] = box.min.x;
    min_y()[index] = box.min.y;
    min_z()[index] = box.min.z;
    max_x()[index] = box.max.x;
    max_y()[index] = box.max.y;
    max_z()[index] = box.max.z;
}

BoxSoaView BoxSoa::view() const noexcept {
    if (arrays_.count() == 0) return {};
    return {arrays_.array(0), arrays_.array(1), arrays_.array(2), arrays_.array(3),
            arrays_.array(4), arrays_.array(5), arrays_.count()};
}

namespace {

// True if any of the boxes is not is_valid. Compilers vectorise the loops.
bool has_invalid_box(const BoxSoaView& boxes, std::size_t begin, std::size_t end) noexcept {
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    std::uint32_t invalid = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float* const min = mins[axis];
        const float* const max = maxs[axis];
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_ordered = (min[i] <= max[i]) & (min[i] <= FLT_MAX) & (max[i] >= -FLT_MAX);
            invalid |= is_ordered ? 0u : 1u;
        }
    }
    return invalid != 0;
}

}  // namespace

std::size_t find_invalid_box(const BoxSoaView& boxes, std::size_t begin) noexcept {
    const FloatEnvironment environment;
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t end; begin < boxes.count; begin = end) {
        end = std::min(begin + kAtOnce, boxes.count);
        if (!has_invalid_box(boxes, begin, end)) continue;
        while (is_valid(boxes[begin])) ++begin;
        return begin;
    }
    return kNoIndex;
}

}  // namespace broadside
