// Conversion of movers and their meshes from C structs and handles.
#pragma once

#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <broadside/mover.hpp>

namespace broadside::c {

inline MoverSettings mover_settings(const broadside_mover_settings& given, const TaskRunner* runner) {
    MoverSettings settings;
    const Vec3 up = value_of<Vec3>(given.up);
    if (up.x != 0 || up.y != 0 || up.z != 0) settings.up = up;
    if (given.min_ground_cosine != 0) settings.min_ground_cosine = given.min_ground_cosine;
    settings.step_height = given.step_height;
    settings.stick_distance = given.stick_distance;
    if (given.contact_offset != 0) settings.contact_offset = given.contact_offset;
    if (given.max_iterations != 0) settings.max_iterations = given.max_iterations;
    settings.runner = runner;
    return settings;
}

/// Finds the meshes behind handles; bad_index is the first null one.
inline BatchResult name_meshes(const broadside_mesh* const* meshes, std::size_t count,
                               AlignedArray<const TriangleMesh*>& out_meshes) {
    if (!out_meshes.resize(count)) return {Status::out_of_memory, kNoIndex};
    for (std::size_t index = 0; index < count; ++index) {
        if (meshes[index] == nullptr) return {Status::invalid_argument, index};
        out_meshes.data()[index] = &meshes[index]->mesh;
    }
    return {};
}

}  // namespace broadside::c
