// Memory of arrays: how it grows.
#include <broadside/aligned_array.hpp>

#include <cstring>

namespace broadside {
namespace {

constexpr std::size_t kAlignment = AlignedArray<std::byte>::kAlignment;

}  // namespace

bool ArrayMemory::grow(std::size_t count, std::size_t element_bytes) noexcept {
    const std::size_t count_max = static_cast<std::size_t>(-1) / 2 / element_bytes;
    if (count > count_max) return false;
    const auto allocate = [&](std::size_t element_count) {
        return allocator_.allocate(element_count * element_bytes, kAlignment, allocator_.user);
    };
    const std::size_t ample = capacity_ + capacity_ / 4;
    void* memory = nullptr;
    if (count < ample && ample <= count_max) memory = allocate(ample);
    const std::size_t new_capacity = memory != nullptr ? ample : count;
    if (memory == nullptr) memory = allocate(count);
    if (memory == nullptr) return false;
    if (size_ != 0) std::memcpy(memory, data_, size_ * element_bytes);
    if (data_ != nullptr) free(element_bytes);
    data_ = memory;
    capacity_ = new_capacity;
    return true;
}

bool ArrayMemory::grow_to_append(std::size_t count, std::size_t element_bytes) noexcept {
    if (count > static_cast<std::size_t>(-1) - size_) return false;
    const std::size_t grown = capacity_ + capacity_ / 2 + 16;
    const std::size_t needed = size_ + count > grown ? size_ + count : grown;
    return needed <= capacity_ || grow(needed, element_bytes);
}

void ArrayMemory::free(std::size_t element_bytes) noexcept {
    allocator_.deallocate(data_, capacity_ * element_bytes, kAlignment, allocator_.user);
}

}  // namespace broadside
