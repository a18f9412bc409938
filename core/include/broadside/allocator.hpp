// The allocation hook that every object of the library takes.
#pragma once

#include <broadside/export.hpp>

#include <cstddef>

namespace BROADSIDE_API broadside {

/// Where an object gets its memory. Copied into the object, so `user` must outlive it. Calls come from the
/// thread that calls the library, and from workers only where a function's documentation says so. Throws nothing.
///
/// Objects that own memory can be moved at any time, without allocation, but not copied; a ZoneTrace stays
/// where it is. What was moved from is as good as new: empty, with the allocator and the settings that it
/// had. Moving an object to itself does nothing.
struct Allocator {
    /// Returns `bytes` aligned to `alignment` (a power of two, at most 64), or null, which the library
    /// answers with Status::out_of_memory.
    void* (*allocate)(std::size_t bytes, std::size_t alignment, void* user) noexcept = nullptr;
    /// Takes back what `allocate` gave, with the same numbers.
    void (*deallocate)(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept = nullptr;
    void* user = nullptr;
};

/// Aligned operator new and delete, without exceptions.
Allocator default_allocator() noexcept;

}  // namespace broadside
