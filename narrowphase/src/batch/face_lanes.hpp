// Faces of boxes in lanes: codes as in face.hpp.
#pragma once

#include "simd/src/groups.hpp"

#include <broadside/face.hpp>

namespace broadside::narrowphase {

/// The code of `face` in every lane.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> broadcast_face(Face face) {
    return simd::broadcast_int<Arch>(static_cast<std::int32_t>(face));
}

}  // namespace broadside::narrowphase
