// The check of a list of meshes, shared by stages and movers.
#pragma once

#include "core/src/argument.hpp"

#include <broadside/mesh.hpp>

#include <span>

namespace broadside::stage {

inline bool check_meshes(std::span<const TriangleMesh* const> meshes) noexcept {
    if (!check_readable(meshes)) return false;
    bool has_all = true;
    for (const TriangleMesh* mesh : meshes) has_all = has_all && mesh != nullptr;
    return BROADSIDE_ARGUMENT(has_all, "meshes: one is null");
}

}  // namespace broadside::stage
