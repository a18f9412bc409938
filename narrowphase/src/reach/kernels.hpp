// The kernel that finds the triangles a moving body may come near to, as a function pointer.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/triangle_mesh.hpp>

namespace broadside::narrowphase {

/// A moving body, and the distance that counts as near. All numbers are finite.
struct ReachQuery {
    /// Only triangles whose boxes meet it count.
    Aabb box = {};
    /// The center of the body at the start, and its displacement.
    Vec3 center = {};
    Vec3 way = {};
    /// True for a sphere or a capsule, false for a box along the axes of the world.
    bool is_round = false;
    /// Half size of a box; else zero.
    Vec3 half_extent = {};
    /// Of a round body, else zero: from its center to the end of its segment, and the radius around it.
    Vec3 half_axis = {};
    float radius = 0.0f;
    /// Triangles whose gap is certainly wider than this all the way are skipped.
    float limit = 0.0f;
};

struct ReachKernels {
    /// Sets a bit for each triangle that is not skipped.
    void (*near_bits)(const ReachQuery& query, const TriangleSoaView& triangles, std::uint64_t* out_bits);

    static const ReachKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
