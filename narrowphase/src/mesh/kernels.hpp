// The kernels of meshes as function pointers.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"

#include <broadside/ray.hpp>
#include <broadside/sphere.hpp>

namespace broadside::narrowphase {

/// What is handed out of a walk, hit by hit; see MeshKernels::all.
struct SlotSink {
    std::uint32_t* begin;
    std::uint32_t count;
    std::uint32_t capacity;
    /// Makes room for one more; false ends the walk.
    bool (*grow)(SlotSink& self);
};
BROADSIDE_FORCE_INLINE bool take(SlotSink& state_sink, std::uint32_t slot) {
    if (state_sink.count == state_sink.capacity && !state_sink.grow(state_sink)) return false;
    state_sink.begin[state_sink.count++] = slot;
    return true;
}

struct MeshKernels {
    /// Whole answers for `count` rays. The mesh is not empty.
    void (*closest)(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest);
    /// The bits of up to 64 rays.
    std::uint64_t (*any)(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides);
    /// The slots of all triangles that a ray hits, in no particular order.
    void (*all)(const MeshView& mesh, const Ray& ray, Sides sides, SlotSink& state_sink);
    /// How often the line crosses the surface ahead of its origin; see crossing().
    std::uint32_t (*crossings)(const MeshView& mesh, const Ray& ray);
    /// The slot of the closest triangle within a distance, kNoMeshSlot where there is none. Of finite points.
    void (*closest_slots)(const MeshView& mesh, const Vec3* points, std::size_t count, double max_distance,
                          std::uint32_t* out_slots);
    /// The slots of the triangles that a valid sphere overlaps.
    void (*sphere_slots)(const MeshView& mesh, const Sphere& sphere, SlotSink& state_sink);
    /// The names of the leaves whose boxes a valid box overlaps.
    void (*leaves)(const MeshView& mesh, const Aabb& box, SlotSink& state_sink);

    static const MeshKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
