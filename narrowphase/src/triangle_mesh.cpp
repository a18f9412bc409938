// TriangleSoa: one allocation, nine arrays at a common stride; and the boxes of triangles.
#include <broadside/triangle_mesh.hpp>

#include <cstring>

namespace broadside {
namespace {

constexpr std::size_t kArrayCount = 9;
// Floats per cache line: every array starts on one.
constexpr std::size_t kStrideStep = AlignedArray<float>::kAlignment / sizeof(float);

}  // namespace

Status TriangleSoa::reserve(std::size_t count) noexcept {
    if (count <= stride_) return Status::ok;
    if (count > static_cast<std::size_t>(-1) / 64) return Status::out_of_memory;
    const std::size_t stride = (count + kStrideStep - 1) / kStrideStep * kStrideStep;
    // The old arrays stand at another stride, so they are copied one by one rather than by the array's own growth.
    AlignedArray<float> grown = storage_.make_empty();
    if (!grown.resize(kArrayCount * stride)) return Status::out_of_memory;
    for (std::size_t side = 0; side < kArrayCount; ++side) {
        if (count_ != 0) {
            std::memcpy(grown.data() + side * stride, storage_.data() + side * stride_,
                        count_ * sizeof(float));
        }
    }
    storage_ = static_cast<AlignedArray<float>&&>(grown);
    stride_ = stride;
    return Status::ok;
}

Status TriangleSoa::resize(std::size_t count) noexcept {
    if (const Status status = reserve(count); status != Status::ok) return status;
    const std::size_t old_count = count_;
    count_ = count;
    for (std::size_t index = old_count; index < count; ++index) set(index, Triangle{});
    return Status::ok;
}

BatchResult TriangleSoa::assign(std::span<const Vec3> positions,
                                std::span<const std::uint32_t> indices) noexcept {
    if (indices.size() % 3 != 0) return {Status::invalid_argument};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] >= positions.size()) return {Status::invalid_argument, i / 3};
    }
    if (const Status status = reserve(indices.size() / 3); status != Status::ok) return {status};
    count_ = indices.size() / 3;
    for (std::size_t index = 0; index < count_; ++index) {
        set(index, {positions[indices[3 * index]], positions[indices[3 * index + 1]],
                    positions[indices[3 * index + 2]]});
    }
    return {};
}

void TriangleSoa::set(std::size_t index, const Triangle& triangle) noexcept {
    BROADSIDE_ASSERT(index < count_, "index past the end");
    const float numbers[kArrayCount] = {triangle.a.x, triangle.a.y, triangle.a.z, triangle.b.x, triangle.b.y,
                                        triangle.b.z, triangle.c.x, triangle.c.y, triangle.c.z};
    for (std::size_t side = 0; side < kArrayCount; ++side) {
        storage_.data()[side * stride_ + index] = numbers[side];
    }
}

TriangleSoaView TriangleSoa::view() const noexcept {
    if (count_ == 0) return {};
    const auto array = [this](std::size_t side) { return storage_.data() + side * stride_; };
    return {array(0), array(1), array(2), array(3), array(4), array(5), array(6), array(7), array(8), count_};
}

Status triangle_bounds(const TriangleSoaView& triangles, BoxSoa& out_bounds) noexcept {
    if (!triangles.is_readable()) return Status::invalid_argument;
    if (const Status status = out_bounds.resize(triangles.count); status != Status::ok) return status;
    for (std::size_t index = 0; index < triangles.count; ++index) {
        out_bounds.set(index, bounds(triangles[index]));
    }
    return Status::ok;
}

}  // namespace broadside
