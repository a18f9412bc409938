// Floating-point numbers with 113 bits of significand, for oracles.
#pragma once

#include <cfloat>

namespace broadside::test {

#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif
static_assert(sizeof(Quad) == 16);

}  // namespace broadside::test
