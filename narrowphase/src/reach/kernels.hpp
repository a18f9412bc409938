// The kernel that tells what a moving body may come near to, as a function pointer.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/triangle_mesh.hpp>

namespace broadside::narrowphase {

/// A body that moves, and how near is near. All numbers are finite.
struct ReachQuery {
    /// Only triangles whose boxes meet it count.
    Aabb box = {};
    /// The middle of the body at the start, and its way.
    Vec3 center = {};
    Vec3 way = {};
    /// A sphere or a capsule, and no box along the axes of the world.
    bool is_round = false;
    /// Of a box; else zero.
    Vec3 half_extent = {};
    /// Of a round body, else zero: from its center to the end of its segment, and around that.
    Vec3 half_axis = {};
    float radius = 0.0f;
    /// Triangles whose gap is certainly wider than this all the way are left out.
    float limit = 0.0f;
};

struct ReachKernels {
    /// A bit for each triangle that is not left out.
    void (*near_bits)(const ReachQuery& query, const TriangleSoaView& triangles, std::uint64_t* out_bits);

    static const ReachKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
