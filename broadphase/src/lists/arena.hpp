// Cuts one block of memory into arrays; the same code first measures, with a null base, and then cuts.
#pragma once

#include <broadside/aligned_array.hpp>

#include <cstdint>

namespace broadside::broadphase {

class Arena {
public:
    explicit Arena(std::byte* base) noexcept : base_(base) {}

    /// `count` uninitialised items on a cache line of their own; null while measuring.
    template <class T>
    T* reserve(std::uint64_t count) noexcept {
        static_assert(std::is_trivially_copyable_v<T>);
        constexpr std::size_t kAlignment = AlignedArray<std::byte>::kAlignment;
        T* items =
            base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + static_cast<std::size_t>(used_bytes_));
        used_bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return items;
    }
    std::uint64_t used_bytes() const noexcept { return used_bytes_; }

private:
    std::byte* base_;
    std::uint64_t used_bytes_ = 0;  // 64 bits, because a measure may exceed 32-bit addresses
};

/// Calls `lay_out(arena)` twice: to measure the memory, and to cut it into arrays. Returns false if out of
/// memory. The contents of `memory` are lost.
template <class LayOut>
[[nodiscard]] bool reserve_arrays(AlignedArray<std::byte>& memory, LayOut&& lay_out) noexcept {
    Arena measure(nullptr);
    lay_out(measure);
    const auto needed = static_cast<std::size_t>(measure.used_bytes());
    if (needed != measure.used_bytes() || !memory.reserve(needed)) return false;
    Arena arena(memory.data());
    lay_out(arena);
    BROADSIDE_ASSERT(arena.used_bytes() == measure.used_bytes(),
                     "arena: what was cut is not what was measured");
    return true;
}

}  // namespace broadside::broadphase
