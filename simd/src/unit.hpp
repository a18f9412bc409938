// The ISA that a unit is compiled for. The build defines BROADSIDE_UNIT_ARCH and BROADSIDE_UNIT_ISA, the tag
// and the name of the ISA, together with its flags. Only a `unit.cpp` includes this.
#pragma once

#include "simd/src/arch.hpp"

namespace broadside::simd {

using UnitArch = BROADSIDE_UNIT_ARCH;

}  // namespace broadside::simd
