// The default allocator: aligned operator new and delete.
#include <broadside/allocator.hpp>

#include <cstdint>
#include <new>

namespace broadside {
namespace {

void* allocate_with_new(std::size_t bytes, std::size_t alignment, void*) noexcept {
    // Libraries whose operator new rounds the size up to the alignment (MinGW's) return a few bytes for 2^64 - 64.
    if (bytes > PTRDIFF_MAX) { return nullptr; }
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
}
void deallocate_with_delete(void* memory, std::size_t, std::size_t alignment, void*) noexcept {
    ::operator delete (memory, std::align_val_t{alignment});
}

}  // namespace

Allocator default_allocator() noexcept { return {&allocate_with_new, &deallocate_with_delete, nullptr}; }

}  // namespace broadside
