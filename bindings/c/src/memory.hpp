// The first member of every handle of the C API: the caller's allocator, converted for the library. Also the
// creation and destruction of handles.
#pragma once

#include "bindings/c/src/structs.hpp"

#include <broadside/allocator.hpp>

#include <new>
#include <utility>

namespace broadside::c {

/// Keeps the caller's hooks at a stable address, because the objects in the handle call through it.
class Memory {
public:
    explicit Memory(const broadside_allocator& hooks) : hooks_(hooks) {}

    Allocator allocator() {
        if (hooks_.allocate == nullptr) return default_allocator();
        return {.allocate = &allocate, .deallocate = &deallocate, .user = this};
    }
    /// The hooks for the handle itself.
    const broadside_allocator& hooks() const { return hooks_; }

private:
    static void* allocate(std::size_t bytes, std::size_t alignment, void* user) noexcept {
        const broadside_allocator& hooks = static_cast<const Memory*>(user)->hooks_;
        return hooks.allocate(bytes, alignment, hooks.user);
    }
    static void deallocate(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept {
        const broadside_allocator& hooks = static_cast<const Memory*>(user)->hooks_;
        hooks.deallocate(memory, bytes, alignment, hooks.user);
    }

    broadside_allocator hooks_;
};

/// Makes a handle whose constructor takes its hooks, then `arguments`.
template <class Handle, class... Arguments>
broadside_status create(const broadside_allocator* given, Handle** out_handle,
                        const Arguments&... arguments) {
    if (out_handle == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    *out_handle = nullptr;
    broadside_allocator hooks;
    if (!read_struct(given, hooks)) return BROADSIDE_INVALID_ARGUMENT;
    if (given != nullptr && (hooks.allocate == nullptr || hooks.deallocate == nullptr))
        return BROADSIDE_INVALID_ARGUMENT;
    Memory memory(hooks);
    const Allocator allocator = memory.allocator();
    void* const place = allocator.allocate(sizeof(Handle), alignof(Handle), allocator.user);
    if (place == nullptr) return BROADSIDE_OUT_OF_MEMORY;
    *out_handle = new (place) Handle(hooks, arguments...);
    return BROADSIDE_OK;
}

template <class Handle>
void destroy(Handle* handle) {
    if (handle == nullptr) return;
    // A copy, because the hooks are destroyed with the handle.
    Memory memory(handle->memory.hooks());
    handle->~Handle();
    const Allocator allocator = memory.allocator();
    allocator.deallocate(handle, sizeof(Handle), alignof(Handle), allocator.user);
}

}  // namespace broadside::c
