// Cuts one block of memory into arrays; the same code first measures, with a null base, and then cuts.
#pragma once

#include <broadside/aligned_array.hpp>

namespace broadside::broadphase {

class Arena {
public:
    explicit Arena(std::byte* base) noexcept : base_(base) {}

    /// `count` uninitialised items on a cache line of their own; null while measuring.
    template <class T>
    T* reserve(std::size_t count) noexcept {
        static_assert(std::is_trivially_copyable_v<T>);
        constexpr std::size_t kAlignment = AlignedArray<std::byte>::kAlignment;
        T* items = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_bytes_);
        used_bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return items;
    }
    std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
    std::byte* base_;
    std::size_t used_bytes_ = 0;
};

/// Calls `lay_out(arena)` twice: to learn how much memory it needs, and to cut that much into arrays. False when
/// there is no memory. What `memory` held is lost.
template <class LayOut>
[[nodiscard]] bool reserve_arrays(AlignedArray<std::byte>& memory, LayOut&& lay_out) noexcept {
    Arena measure(nullptr);
    lay_out(measure);
    if (!memory.reserve(measure.used_bytes())) return false;
    Arena arena(memory.data());
    lay_out(arena);
    BROADSIDE_ASSERT(arena.used_bytes() == measure.used_bytes(),
                     "arena: what was cut is not what was measured");
    return true;
}

}  // namespace broadside::broadphase
