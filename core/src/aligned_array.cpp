// Memory of arrays: how it grows.
#include <broadside/aligned_array.hpp>

#include <cstring>

namespace broadside {

void* grow_array(const Allocator& allocator, void* data, std::size_t size, std::size_t element_bytes,
                 std::size_t count, std::size_t& state_capacity) noexcept {
    constexpr std::size_t kAlignment = AlignedArray<std::byte>::kAlignment;
    const std::size_t count_max = static_cast<std::size_t>(-1) / 2 / element_bytes;
    if (count > count_max) return nullptr;
    const auto allocate = [&](std::size_t element_count) {
        return allocator.allocate(element_count * element_bytes, kAlignment, allocator.user);
    };
    const std::size_t ample = state_capacity + state_capacity / 4;
    void* memory = count < ample && ample <= count_max ? allocate(ample) : nullptr;
    const std::size_t new_capacity = memory != nullptr ? ample : count;
    if (memory == nullptr) memory = allocate(count);
    if (memory == nullptr) return nullptr;
    if (size != 0) std::memcpy(memory, data, size * element_bytes);
    if (data != nullptr)
        allocator.deallocate(data, state_capacity * element_bytes, kAlignment, allocator.user);
    state_capacity = new_capacity;
    return memory;
}

}  // namespace broadside
