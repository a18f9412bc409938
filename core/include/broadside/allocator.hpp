// The allocation hook that every object of the library takes.
#pragma once

#include <broadside/export.hpp>

#include <cstddef>

namespace BROADSIDE_API broadside {

/// Source of an object's memory. Copied into the object, so `user` must outlive it. Called on the thread that
/// calls the library, and on workers only if a function's documentation says so. Must not throw.
///
/// Objects that own memory can be moved at any time, without allocation, but not copied; a ZoneTrace cannot
/// be moved. A moved-from object is as new: empty, with its allocator and settings. Self-move does nothing.
struct Allocator {
    /// Returns `bytes` aligned to `alignment` (a power of two, at most 64). A null result makes the call
    /// return Status::out_of_memory.
    void* (*allocate)(std::size_t bytes, std::size_t alignment, void* user) noexcept = nullptr;
    /// Frees what `allocate` returned. `bytes` and `alignment` are the same as then.
    void (*deallocate)(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept = nullptr;
    void* user = nullptr;
};

/// Aligned operator new and delete, without exceptions.
Allocator default_allocator() noexcept;

}  // namespace broadside
