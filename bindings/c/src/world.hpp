// The handle of a World.
#pragma once

#include "bindings/c/src/handles.hpp"

#include <broadside/world.hpp>

struct broadside_world {
    broadside_world(const broadside_allocator& hooks, const broadside::WorldSettings& settings)
        : memory(hooks), world(settings, memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::World world;
};
