// An allocator that counts, and that can be made to fail.
#pragma once

#include <broadside/allocator.hpp>

#include <cstddef>
#include <mutex>

namespace broadside::test {

/// Counts live bytes and calls; refuses from the `fail_after`-th allocation on. Several threads may call it,
/// as for a scratch.
class CountingAllocator {
public:
    std::size_t allocation_count = 0;
    std::size_t live_bytes = 0;
    std::size_t fail_after = static_cast<std::size_t>(-1);

    Allocator hook() { return {&allocate, &deallocate, this}; }

private:
    static void* allocate(std::size_t bytes, std::size_t alignment, void* user) noexcept {
        auto& self = *static_cast<CountingAllocator*>(user);
        const std::lock_guard lock(self.mutex_);
        if (self.allocation_count >= self.fail_after) return nullptr;
        const Allocator base = default_allocator();
        void* memory = base.allocate(bytes, alignment, base.user);
        if (memory == nullptr) return nullptr;
        ++self.allocation_count;
        self.live_bytes += bytes;
        return memory;
    }
    static void deallocate(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept {
        auto& self = *static_cast<CountingAllocator*>(user);
        const std::lock_guard lock(self.mutex_);
        self.live_bytes -= bytes;
        const Allocator base = default_allocator();
        base.deallocate(memory, bytes, alignment, base.user);
    }

    std::mutex mutex_;
};

}  // namespace broadside::test
