// The narrowphase kernels under shadow verification: each calls that of the active ISA and verifies it.
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh_pairs/kernels.hpp"
#include "narrowphase/src/reach/kernels.hpp"
#include "narrowphase/src/shadow/calls.hpp"

#if BROADSIDE_HAS_SHADOW

namespace broadside::simd::shadow {

// Tree walks have no description: the tests compare them with every triangle in turn.
template const narrowphase::MeshKernels* verified_kernels(Isa) noexcept;
template const narrowphase::MeshPairKernels* verified_kernels(Isa) noexcept;
template const narrowphase::ReachKernels* verified_kernels(Isa) noexcept;
template const narrowphase::PairRangeKernels* verified_kernels(Isa) noexcept;
template const narrowphase::OverlapKernels* verified_kernels(Isa) noexcept;
template const narrowphase::MovingAabbKernels* verified_kernels(Isa) noexcept;
template const narrowphase::MovingAabbRowsKernels* verified_kernels(Isa) noexcept;
template const narrowphase::OneMoverKernels* verified_kernels(Isa) noexcept;
template const narrowphase::BoundsKernels* verified_kernels(Isa) noexcept;
template const narrowphase::FitKernels* verified_kernels(Isa) noexcept;
template const narrowphase::RayBoxKernels* verified_kernels(Isa) noexcept;
template const narrowphase::RaySphereKernels* verified_kernels(Isa) noexcept;
template const narrowphase::RayBox4Kernels* verified_kernels(Isa) noexcept;
template const narrowphase::ClosestPointKernels* verified_kernels(Isa) noexcept;
template const narrowphase::SphereOverlapKernels* verified_kernels(Isa) noexcept;
template const narrowphase::MovingSphereKernels* verified_kernels(Isa) noexcept;
template const narrowphase::ObbObbKernels* verified_kernels(Isa) noexcept;
template const narrowphase::ObbTriangleKernels* verified_kernels(Isa) noexcept;
template const narrowphase::ListedTriangleKernels* verified_kernels(Isa) noexcept;

}  // namespace broadside::simd::shadow

#endif
