// The kernels of spheres and of closest points as function pointers.
#pragma once

#include <broadside/closest_point.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

namespace broadside::narrowphase {

/// ClosestPointOutputs as plain pointers, null if not wanted.
struct ClosestPointTargets {
    float* x;
    float* y;
    float* z;
    float* distance_sq;
};

struct ClosestPointKernels {
    void (*of_box)(const Aabb& box, const Vec3SoaView& points, const ClosestPointTargets& out);
    void (*of_obb)(const Obb& obb, const Vec3SoaView& points, const ClosestPointTargets& out);
    void (*of_triangle)(const Triangle& triangle, const Vec3SoaView& points, const ClosestPointTargets& out);
    void (*on_boxes)(Vec3 point, const BoxSoaView& boxes, const ClosestPointTargets& out);
    void (*on_obbs)(Vec3 point, const Obb* obbs, std::size_t obb_count, const ClosestPointTargets& out);
    void (*on_triangles)(Vec3 point, const TriangleSoaView& triangles, const ClosestPointTargets& out);

    static const ClosestPointKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

struct SphereOverlapKernels {
    void (*spheres)(const Sphere& sphere, const SphereSoaView& spheres, std::uint64_t* out_bits);
    void (*boxes)(const Sphere& sphere, const BoxSoaView& boxes, std::uint64_t* out_bits);
    void (*obbs)(const Sphere& sphere, const Obb* obbs, std::size_t obb_count, std::uint64_t* out_bits);
    void (*triangles)(const Sphere& sphere, const TriangleSoaView& triangles, std::uint64_t* out_bits);
    void (*of_box)(const Aabb& box, const SphereSoaView& spheres, std::uint64_t* out_bits);
    void (*of_obb)(const Obb& obb, const SphereSoaView& spheres, std::uint64_t* out_bits);
    void (*of_triangle)(const Triangle& triangle, const SphereSoaView& spheres, std::uint64_t* out_bits);

    static const SphereOverlapKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Displacements are null if all spheres rest.
struct MovingSphereKernels {
    void (*one)(const Sphere& sphere, Vec3 displacement, const MovingSpheres& others, float* out_toi);
    void (*streams)(const MovingSpheres& a, const MovingSpheres& b, float* out_toi);
    void (*pairs)(const MovingSpheres& a, const MovingSpheres& b, const IndexPair* pairs,
                  std::size_t pair_count, float* out_toi);

    static const MovingSphereKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
