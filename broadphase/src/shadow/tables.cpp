// The kernels of the broad phase under shadow verification are those of the active ISA. Their output depends
// on the room in their lists, so whole searches are verified instead (find_pairs/shadow.cpp).
#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/exact/kernels.hpp"
#include "broadphase/src/lists/kernels.hpp"
#include "broadphase/src/sweep/kernels.hpp"
#include "broadphase/src/tree/kernels.hpp"
#include "simd/src/shadow_call.hpp"

#if BROADSIDE_HAS_SHADOW

namespace broadside::simd::shadow {

template const broadphase::CellsKernels* verified_kernels(Isa) noexcept;
template const broadphase::OrderKernels* verified_kernels(Isa) noexcept;
template const broadphase::PairCacheKernels* verified_kernels(Isa) noexcept;
template const broadphase::RoundingKernels* verified_kernels(Isa) noexcept;
template const broadphase::ScanKernels* verified_kernels(Isa) noexcept;
template const broadphase::TreeKernels* verified_kernels(Isa) noexcept;
template const broadphase::TreeLineKernels* verified_kernels(Isa) noexcept;
template const broadphase::TreeNearKernels* verified_kernels(Isa) noexcept;
template const broadphase::TreeShapeKernels* verified_kernels(Isa) noexcept;

}  // namespace broadside::simd::shadow

#endif
