// Conversion of placed meshes from C handles.
#pragma once

#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

namespace broadside::c {

inline PlacedMesh placed_mesh(const broadside_placed_mesh& given) {
    return {.mesh = given.mesh == nullptr ? nullptr : &given.mesh->mesh,
            .world_from_mesh = value_of<Transform>(given.world_from_mesh)};
}

inline bool place_all(const broadside_placed_mesh* given, std::size_t count,
                      AlignedArray<PlacedMesh>& out_placed) {
    if (!out_placed.resize(count)) return false;
    for (std::size_t index = 0; index < count; ++index) out_placed.data()[index] = placed_mesh(given[index]);
    return true;
}

static_assert(sizeof(Transform) == sizeof(broadside_transform));

}  // namespace broadside::c
