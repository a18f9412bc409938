// The test of whether a moving shape meets any triangle of a mesh.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"

#include <broadside/cast.hpp>

namespace broadside::narrowphase {

bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const ObbCast& cast);
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const SphereCast& cast);
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const CapsuleCast& cast);

}  // namespace broadside::narrowphase
