// The kernels of moving boxes as function pointers.
#pragma once

#include <broadside/moving_aabb.hpp>
#include <broadside/moving_aabb_rows.hpp>

namespace broadside::narrowphase {

/// `out_faces` may be null.
struct MovingAabbKernels {
    void (*streams)(const MovingBoxes& a, const MovingBoxes& b, Touch touch, float* out_toi, Face* out_faces);
    void (*pairs)(const MovingBoxes& a, const MovingBoxes& b, const IndexPair* pairs, std::size_t pair_count,
                  Touch touch, float* out_toi, Face* out_faces);

    static const MovingAabbKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Rows are written in whole groups: `out_rows` has room for the box count rounded up to kRowGroup.
inline constexpr std::size_t kRowGroup = 16;

/// `out_faces` may be null.
struct MovingAabbRowsKernels {
    void (*prepare_resting)(const BoxSoaView& boxes, RestingBoxRow* out_rows);
    void (*prepare_movers)(const MovingBoxes& movers, Touch touch, MovingBoxRow* out_rows);
    void (*prepare_bodies)(const MovingBoxes& bodies, BodyBoxRow* out_rows);
    void (*pairs)(const RestingBoxRow* resting, const MovingBoxRow* movers, const IndexPair* pairs,
                  std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces);
    void (*body_pairs)(const BodyBoxRow* a, const BodyBoxRow* b, const IndexPair* pairs,
                       std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces);

    static const MovingAabbRowsKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

struct OneMoverKernels {
    /// `out_faces` may be null.
    void (*boxes)(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting, Touch touch,
                  float* out_toi, Face* out_faces);

    static const OneMoverKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
