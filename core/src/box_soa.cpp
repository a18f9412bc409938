// BoxSoa: one allocation, six arrays at a common stride.
#include <broadside/box_soa.hpp>

#include <cstring>

namespace broadside {
namespace {

// Floats per cache line: every array starts on one.
constexpr std::size_t kStrideStep = AlignedArray<float>::kAlignment / sizeof(float);

}  // namespace

Status BoxSoa::reserve(std::size_t count) noexcept {
    if (count <= stride_) return Status::ok;
    if (count > static_cast<std::size_t>(-1) / 64) return Status::out_of_memory;
    const std::size_t stride = (count + kStrideStep - 1) / kStrideStep * kStrideStep;
    // The old arrays stand at another stride, so they are copied one by one rather than by the array's own growth.
    AlignedArray<float> grown = storage_.make_empty();
    if (!grown.resize(6 * stride)) return Status::out_of_memory;
    for (std::size_t side = 0; side < 6; ++side) {
        if (count_ != 0) {
            std::memcpy(grown.data() + side * stride, storage_.data() + side * stride_,
                        count_ * sizeof(float));
        }
    }
    storage_ = static_cast<AlignedArray<float>&&>(grown);
    stride_ = stride;
    return Status::ok;
}

Status BoxSoa::resize(std::size_t count) noexcept {
    if (const Status status = reserve(count); status != Status::ok) return status;
    const std::size_t old_count = count_;
    count_ = count;
    for (std::size_t index = old_count; index < count; ++index) set(index, Aabb::empty());
    return Status::ok;
}

Status BoxSoa::assign(const BoxAosView& boxes) noexcept {
    if (boxes.count != 0 && boxes.data == nullptr) return Status::invalid_argument;
    if (const Status status = reserve(boxes.count); status != Status::ok) return status;
    count_ = boxes.count;
    for (std::size_t index = 0; index < count_; ++index) set(index, boxes[index]);
    return Status::ok;
}

Status BoxSoa::assign(const BoxSoaView& boxes) noexcept {
    if (!boxes.is_readable()) return Status::invalid_argument;
    if (const Status status = reserve(boxes.count); status != Status::ok) return status;
    count_ = boxes.count;
    if (count_ == 0) return Status::ok;
    const float* const sides[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                   boxes.max_x, boxes.max_y, boxes.max_z};
    for (std::size_t side = 0; side < 6; ++side) {
        std::memcpy(storage_.data() + side * stride_, sides[side], count_ * sizeof(float));
    }
    return Status::ok;
}

Status BoxSoa::push_back(const Aabb& box) noexcept {
    if (count_ == stride_) {
        if (const Status status = reserve(stride_ + stride_ / 2 + kStrideStep); status != Status::ok)
            return status;
    }
    set(count_++, box);
    return Status::ok;
}

void BoxSoa::set(std::size_t index, const Aabb& box) noexcept {
    BROADSIDE_ASSERT(index < stride_, "index past the end");
    min_x()[index] = box.min.x;
    min_y()[index] = box.min.y;
    min_z()[index] = box.min.z;
    max_x()[index] = box.max.x;
    max_y()[index] = box.max.y;
    max_z()[index] = box.max.z;
}

BoxSoaView BoxSoa::view() const noexcept {
    if (count_ == 0) return {};
    const float* data = storage_.data();
    return {
        data,  data + stride_, data + 2 * stride_, data + 3 * stride_, data + 4 * stride_, data + 5 * stride_,
        count_};
}

std::size_t find_invalid_box(const BoxSoaView& boxes, std::size_t begin) noexcept {
    for (std::size_t index = begin; index < boxes.count; ++index) {
        if (!is_valid(boxes[index])) return index;
    }
    return kNoIndex;
}

}  // namespace broadside
