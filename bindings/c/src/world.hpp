// The handle of a World.
#pragma once

#include "bindings/c/src/handles.hpp"

#include <broadside/world.hpp>
#include <broadside/world_view.hpp>

#include <atomic>

struct broadside_world {
    broadside_world(const broadside_allocator& hooks, const broadside::WorldSettings& settings)
        : memory(hooks), world(settings, memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::World world;
    // One for the caller, until it destroys the world, and one for each view, whose memory is freed through
    // `memory`.
    std::atomic<std::uint32_t> holder_count = 1;
};

struct broadside_world_view {
    broadside_world_view(const broadside_allocator& hooks, broadside_world* of_world)
        : memory(hooks), world(of_world) {
        world->holder_count.fetch_add(1, std::memory_order_relaxed);
    }

    broadside::c::Memory memory;
    broadside::WorldView view;
    broadside_world* world;
};

namespace broadside::c {

inline void release(broadside_world* world) {
    if (world->holder_count.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(world);
}

}  // namespace broadside::c
