// The kernels of oriented boxes against each other, compiled once for each ISA.
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_obb_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const ObbObbKernels ObbObbKernels::BROADSIDE_UNIT_ISA = {
    .overlap = &obb_obb_overlap_kernel<UnitArch>,
    .overlap_pairs = &obb_obb_overlap_pairs_kernel<UnitArch>,
    .contacts = &obb_obb_contacts_kernel<UnitArch>,
    .contact_pairs = &obb_obb_contact_pairs_kernel<UnitArch>,
    .impacts = &obb_obb_impacts_kernel<UnitArch>,
    .impact_pairs = &obb_obb_impact_pairs_kernel<UnitArch>,
};
constinit const ObbObbSingle ObbObbSingle::BROADSIDE_UNIT_ISA = obb_obb_single<UnitArch>();

}  // namespace broadside::narrowphase
