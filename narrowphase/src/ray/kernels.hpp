// The kernels of rays as function pointers.
#pragma once

#include <broadside/ray_box.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_sphere.hpp>

namespace broadside::narrowphase {

/// RayOutputs as plain pointers, null if not wanted.
struct RayBoxTargets {
    float* t_enter;
    float* t_exit;
    Face* face;
    std::uint64_t* hit_bits;
};

struct RayBoxKernels {
    void (*hits)(const PreparedRay& ray, const BoxSoaView& boxes, std::uint64_t* out_bits);
    void (*boxes)(const PreparedRay& ray, const BoxSoaView& boxes, const RayBoxTargets& out_results);
    void (*boxes_with_face)(const PreparedRay& ray, const BoxSoaView& boxes,
                            const RayBoxTargets& out_results);
    void (*pairs)(const Ray* rays, const BoxSoaView& boxes, const IndexPair* pairs, std::size_t pair_count,
                  const RaySettings& settings, const RayBoxTargets& out_results);
    void (*many_hits)(const Ray* rays, std::size_t ray_count, const BoxSoaView& boxes,
                      const RaySettings& settings, std::uint64_t* out_bits);
    void (*closest)(const Ray* rays, std::size_t ray_count, const BoxSoaView& boxes,
                    const RaySettings& settings, TreeHit* out_closest);

    static const RayBoxKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// RayOutputs as plain pointers, null if not wanted.
struct RaySphereTargets {
    float* t_enter;
    float* t_exit;
    std::uint64_t* hit_bits;
};

struct RaySphereKernels {
    void (*spheres)(const Ray& ray, const SphereSoaView& spheres, Inside inside,
                    const RaySphereTargets& out_results);
    void (*closest)(const Ray* rays, std::size_t ray_count, const SphereSoaView& spheres, Inside inside,
                    TreeHit* out_closest);

    static const RaySphereKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Four lanes wide on every ISA, because the result is a Mask4. The AVX ISAs use sse2, because their 128-bit
/// code would be the same. `out_t_enter` may be null.
struct RayBox4Kernels {
    void (*nodes)(const PreparedRay& ray, const Box4* nodes, std::size_t node_count, Mask4* out_hits,
                  float* out_t_enter);
    void (*packet)(const Ray4& rays, const BoxSoaView& boxes, Mask4* out_hits, float* out_t_enter);

    static const RayBox4Kernels scalar, sse2, neon64, wasm128;
    static const RayBox4Kernels& avx2;
    static const RayBox4Kernels& avx512;
};
inline constexpr const RayBox4Kernels& RayBox4Kernels::avx2 = RayBox4Kernels::sse2;
inline constexpr const RayBox4Kernels& RayBox4Kernels::avx512 = RayBox4Kernels::sse2;

}  // namespace broadside::narrowphase
