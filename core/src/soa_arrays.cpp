// Growth of arrays that share a stride.
#include <broadside/soa_arrays.hpp>

#include <cstring>

namespace broadside {
namespace {

// Floats per cache line: every array starts on one.
constexpr std::size_t kStrideStep = AlignedArray<float>::kAlignment / sizeof(float);

}  // namespace

Status SoaArrays::reserve(std::size_t count) noexcept {
    if (count <= extent_.stride) return Status::ok;
    if (count > static_cast<std::size_t>(-1) / 64 / array_count_) return Status::out_of_memory;
    const std::size_t stride = (count + kStrideStep - 1) / kStrideStep * kStrideStep;
    // The old arrays have another stride, so each is copied by itself instead of growing the storage.
    AlignedArray<float> grown = storage_.make_empty();
    if (!grown.resize(array_count_ * stride)) return Status::out_of_memory;
    for (std::size_t index = 0; index < array_count_; ++index) {
        if (extent_.count != 0)
            std::memcpy(grown.data() + index * stride, array(index), extent_.count * sizeof(float));
    }
    storage_ = static_cast<AlignedArray<float>&&>(grown);
    extent_.stride = stride;
    return Status::ok;
}

Status SoaArrays::resize(std::size_t count) noexcept {
    if (const Status status = reserve(count); status != Status::ok) return status;
    extent_.count = count;
    return Status::ok;
}

Status SoaArrays::append() noexcept {
    if (extent_.count == extent_.stride) {
        const Status status = reserve(extent_.stride + extent_.stride / 2 + kStrideStep);
        if (status != Status::ok) return status;
    }
    ++extent_.count;
    return Status::ok;
}

}  // namespace broadside
