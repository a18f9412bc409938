// Memory filled with garbage before the library gets it, so that a value that it forgets to write is not the
// one of an earlier call.
#pragma once

#include <broadside/allocator.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace broadside::test {

inline constexpr unsigned char kGarbageByte = 0xA5;
inline constexpr std::uint32_t kGarbage = 0xA5A5A5A5u;

/// The default allocator, with garbage in all memory that it returns.
inline Allocator garbage_allocator() {
    return {[](std::size_t bytes, std::size_t alignment, void*) noexcept -> void* {
                const Allocator base = default_allocator();
                void* const memory = base.allocate(bytes, alignment, base.user);
                if (memory != nullptr) std::memset(memory, kGarbageByte, bytes);
                return memory;
            },
            [](void* memory, std::size_t bytes, std::size_t alignment, void*) noexcept {
                const Allocator base = default_allocator();
                base.deallocate(memory, bytes, alignment, base.user);
            },
            nullptr};
}

/// Fills the part of the stack that the next call will use.
[[gnu::noinline]] inline void litter_stack() {
    volatile unsigned char rubbish[65536];
    for (volatile unsigned char& byte : rubbish) byte = kGarbageByte;
}

}  // namespace broadside::test
