// A grow-only, 64-byte aligned array of plain data; the only container that the library's hot paths use.
#pragma once

#include <broadside/allocator.hpp>
#include <broadside/assert.hpp>
#include <broadside/compiler.hpp>
#include <broadside/export.hpp>

#include <cstddef>
#include <type_traits>

namespace BROADSIDE_API broadside {

/// AlignedArray::reserve beyond the capacity, compiled once for all types of elements. Moves `size` elements
/// and returns their new memory, or null and changes nothing.
void* grow_array(const Allocator& allocator, void* data, std::size_t size, std::size_t element_bytes,
                 std::size_t count, std::size_t& state_capacity) noexcept;

}  // namespace broadside

namespace broadside {

/// Owns memory from an Allocator. Movable, not copyable. Never shrinks, so a warmed-up frame does not
/// allocate. New elements are uninitialised: write them before reading.
template <class T>
class AlignedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "elements are moved by memcpy and never destroyed");

public:
    /// One cache line, which is also the widest register.
    static constexpr std::size_t kAlignment = 64;

    explicit AlignedArray(const Allocator& allocator = default_allocator()) noexcept
        : allocator_(allocator) {}
    AlignedArray(AlignedArray&& other) noexcept
        : allocator_(other.allocator_), data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
        other.forget();
    }
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        if (this != &other) {
            release();
            allocator_ = other.allocator_;
            data_ = other.data_;
            size_ = other.size_;
            capacity_ = other.capacity_;
            other.forget();
        }
        return *this;
    }
    AlignedArray(const AlignedArray&) = delete;
    AlignedArray& operator=(const AlignedArray&) = delete;
    ~AlignedArray() { release(); }

    /// An empty array with the same allocator.
    AlignedArray make_empty() const noexcept { return AlignedArray(allocator_); }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t capacity_bytes() const noexcept { return capacity_ * kElementBytes; }
    bool is_empty() const noexcept { return size_ == 0; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    // Force-inlined: only the library's own Debug build has the assert, and the linker must not pick one
    // version for all.
    BROADSIDE_FORCE_INLINE T& operator[](std::size_t index) noexcept {
        BROADSIDE_ASSERT(index < size_, "index: at or past the size");
        return data_[index];
    }
    BROADSIDE_FORCE_INLINE const T& operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < size_, "index: at or past the size");
        return data_[index];
    }

    void clear() noexcept { size_ = 0; }

    /// Makes room for `count` elements. If the allocator has no memory, returns false and changes nothing. An
    /// array without memory gets exactly that room. An array that has memory grows by at least a quarter if
    /// it can, because counts vary from frame to frame.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        if (count <= capacity_) return true;
        void* const memory = grow_array(allocator_, data_, size_, kElementBytes, count, capacity_);
        if (memory != nullptr) data_ = static_cast<T*>(memory);
        return memory != nullptr;
    }

    /// As `reserve`, but grows by at least half, so that each append costs amortised O(1).
    [[nodiscard]] bool reserve_to_append(std::size_t count) noexcept {
        if (count <= capacity_ - size_) return true;
        if (count > static_cast<std::size_t>(-1) - size_) return false;
        const std::size_t grown = capacity_ + capacity_ / 2 + 16;
        return reserve(size_ + count > grown ? size_ + count : grown);
    }

    /// Sets the size. New elements are uninitialised. False if out of memory.
    [[nodiscard]] bool resize(std::size_t count) noexcept {
        if (!reserve(count)) return false;
        size_ = count;
        return true;
    }

    /// Appends `count` uninitialised elements. False if out of memory.
    [[nodiscard]] bool append(std::size_t count) noexcept {
        if (!reserve_to_append(count)) return false;
        size_ += count;
        return true;
    }

    [[nodiscard]] bool push_back(const T& value) noexcept {
        const T copy = value;  // `value` may live in this array, which is about to move.
        if (!reserve_to_append(1)) return false;
        data_[size_++] = copy;
        return true;
    }

    /// Frees the memory. The array is as new.
    void release() noexcept {
        release_memory();
        forget();
    }

private:
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer.
    static constexpr std::size_t kElementBytes = sizeof(T);

    void release_memory() noexcept {
        if (data_ != nullptr) {
            allocator_.deallocate(data_, capacity_ * kElementBytes, kAlignment, allocator_.user);
        }
    }
    void forget() noexcept {
        data_ = nullptr;
        size_ = 0;
        capacity_ = 0;
    }

    Allocator allocator_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace broadside
