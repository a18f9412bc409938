// Faces of boxes in lanes: codes as in face.hpp, and their way to memory.
#pragma once

#include "simd/src/groups.hpp"

#include <broadside/face.hpp>

namespace broadside::narrowphase {

/// The code of `face` in every lane.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> broadcast_face(Face face) {
    return simd::broadcast_int<Arch>(static_cast<std::int32_t>(face));
}

/// Writes the first `count` lanes as one byte each, and no byte behind them.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_faces(Face* target, std::uint32_t count, simd::IntW<Arch> faces) {
    alignas(64) std::int32_t codes[Arch::kLanes];
    simd::store_unaligned(codes, faces);
    for (std::uint32_t lane = 0; lane < count; ++lane) target[lane] = static_cast<Face>(codes[lane]);
}

}  // namespace broadside::narrowphase
