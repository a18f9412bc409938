// An allocator that fails at given requests, and then works again.
#pragma once

#include <broadside/allocator.hpp>

#include <cstddef>
#include <mutex>

namespace broadside::test {

/// Refuses `fail_count` requests from `fail_first` on. Several threads may call it at once.
class FaultyAllocator {
public:
    std::size_t fail_first = ~std::size_t{0};
    std::size_t fail_count = 1;
    /// Requests so far, granted or not.
    std::size_t request_count = 0;
    std::size_t refused_count = 0;
    std::size_t live_bytes = 0;
    /// Requests are granted and not counted.
    bool is_resting = false;

    Allocator hook() { return {&allocate, &deallocate, this}; }

private:
    std::mutex mutex_;

    static void* allocate(std::size_t bytes, std::size_t alignment, void* user) noexcept {
        auto& self = *static_cast<FaultyAllocator*>(user);
        const std::lock_guard lock(self.mutex_);
        const std::size_t request = self.is_resting ? 0 : self.request_count++;
        if (!self.is_resting && request >= self.fail_first && request - self.fail_first < self.fail_count) {
            ++self.refused_count;
            return nullptr;
        }
        const Allocator base = default_allocator();
        void* const memory = base.allocate(bytes, alignment, base.user);
        if (memory != nullptr) self.live_bytes += bytes;
        return memory;
    }
    static void deallocate(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept {
        auto& self = *static_cast<FaultyAllocator*>(user);
        const std::lock_guard lock(self.mutex_);
        self.live_bytes -= bytes;
        const Allocator base = default_allocator();
        base.deallocate(memory, bytes, alignment, base.user);
    }
};

}  // namespace broadside::test
