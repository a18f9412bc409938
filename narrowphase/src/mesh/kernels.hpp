// The kernels of meshes as function pointers.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"
#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/obb/group_filter.hpp"

#include <broadside/ray.hpp>
#include <broadside/sphere.hpp>

namespace broadside::narrowphase {

/// Receives the hits of a walk, one by one; see MeshKernels::all.
struct SlotSink {
    std::uint32_t* begin;
    std::uint32_t count;
    std::uint32_t capacity;
    /// Makes room for one more; false ends the walk.
    bool (*grow)(SlotSink& self);
    /// If not null, later hits of a ray do not matter; may fall in `grow`.
    const float* t_max = nullptr;
};
BROADSIDE_FORCE_INLINE bool take(SlotSink& state_sink, std::uint32_t slot) {
    if (state_sink.count == state_sink.capacity && !state_sink.grow(state_sink)) return false;
    state_sink.begin[state_sink.count++] = slot;
    return true;
}

/// Visits the triangles that a moving box may meet; see MeshKernels::cast.
struct CastVisitor {
    /// Visits the triangles of a leaf whose bits are set. Returns the time up to which others matter.
    float (*visit)(CastVisitor& self, const MeshLeaf& leaf, std::uint32_t lanes, float limit);
};

/// At most eight lanes wide: on a Zen 4, sixteen make rays that part 5 to 15 % slower, and nothing faster by as
/// much.
struct MeshKernels {
    /// Complete results for `count` rays. The mesh is not empty.
    void (*closest)(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest);
    /// As above, as bits: i % 64 of word i / 64. Writes whole words.
    void (*any)(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                std::uint64_t* out_bits);
    /// The slots of all triangles that a ray hits, unordered.
    void (*all)(const MeshView& mesh, const Ray& ray, Sides sides, SlotSink& state_sink);
    /// How often the line crosses the surface ahead of its origin; see crossing().
    std::uint32_t (*crossings)(const MeshView& mesh, const Ray& ray);
    /// The slot of the closest triangle within a distance; kNoMeshSlot if there is none. Points are finite.
    void (*closest_slots)(const MeshView& mesh, const Vec3* points, std::size_t count, double max_distance,
                          std::uint32_t* out_slots);
    /// The slots of the triangles that a valid sphere overlaps.
    void (*sphere_slots)(const MeshView& mesh, const Sphere& sphere, SlotSink& state_sink);
    /// The codes of the leaves whose triangles an oriented box may meet.
    void (*leaves)(const MeshView& mesh, const GroupFilter& filter, SlotSink& state_sink);
    /// The slots of the triangles whose boxes a valid box overlaps.
    void (*box_slots)(const MeshView& mesh, const Aabb& box, SlotSink& state_sink);
    /// Visits the triangles whose boxes a moving box meets, mostly early ones first.
    void (*cast)(const MeshView& mesh, const nodes::SphereQuery& box, CastVisitor& state_visitor);

    static const MeshKernels scalar, sse2, avx2, neon64, wasm128;
    static const MeshKernels& avx512;
};
inline constexpr const MeshKernels& MeshKernels::avx512 = MeshKernels::avx2;

}  // namespace broadside::narrowphase
