// Connected components of a mesh: triangles are connected if they share a corner, by index or by coordinates.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/vec3.hpp>

#include <cstdint>
#include <span>

namespace broadside::narrowphase {

/// Finds components step by step. Steps that allocate run on the caller's thread, others may be tasks. O(n).
class MeshComponents {
public:
    /// The mesh must live as long as this.
    MeshComponents(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                   const AlignedArray<std::uint32_t>& memory) noexcept;

    /// Returns false without memory, as do all that reserve.
    bool reserve_for_indices() noexcept;
    /// Joins corners that share an index.
    void join_indices() noexcept;
    bool reserve_for_places() noexcept;
    /// Joins corners with equal coordinates.
    void join_places() noexcept;
    /// Writes the first triangle of each component, ascending. The array must be empty.
    bool write(AlignedArray<std::uint32_t>& out_first_triangles) noexcept;

private:
    std::span<const Vec3> vertices_;
    std::span<const std::uint32_t> indices_;
    // Sets of vertices, each named by its lowest one.
    AlignedArray<std::uint32_t> lower_;
    // A hash table of vertices by coordinates, and then the first triangle of each set.
    AlignedArray<std::uint32_t> table_;
    std::uint32_t count_ = 0;
    // Usually all triangles are connected by their indices.
    bool is_one_ = true;
};

}  // namespace broadside::narrowphase
