// Which triangles of a mesh hang together: those that share a corner, by its index or by its place.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/vec3.hpp>

#include <cstdint>
#include <span>

namespace broadside::narrowphase {

/// Finds components step by step, so that the steps that take memory are the caller's and the others may be tasks.
/// O(n).
class MeshComponents {
public:
    /// The mesh need live as long as this.
    MeshComponents(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                   const AlignedArray<std::uint32_t>& memory) noexcept;

    /// False when there is no memory, as all that reserve it.
    bool reserve_for_indices() noexcept;
    /// Joins corners that triangles share by index.
    void join_indices() noexcept;
    bool reserve_for_places() noexcept;
    /// Joins those that are at one place.
    void join_places() noexcept;
    /// The first triangle of each component, ascending; an empty array goes in.
    bool write(AlignedArray<std::uint32_t>& out_first_triangles) noexcept;

private:
    std::span<const Vec3> vertices_;
    std::span<const std::uint32_t> indices_;
    // Sets of vertices, each named by its lowest one.
    AlignedArray<std::uint32_t> lower_;
    // Vertices by their places, and then the first triangle of each set.
    AlignedArray<std::uint32_t> table_;
    std::uint32_t count_ = 0;
    // Usually all triangles hang together by their indices.
    bool is_one_ = true;
};

}  // namespace broadside::narrowphase
