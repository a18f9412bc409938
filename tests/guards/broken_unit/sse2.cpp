// The second half of the broken unit: the same function as in the first, compiled for another ISA.
#include "tests/guards/broken_unit/shared.hpp"

int call_sse2(int (*)(int));

int use_sse2() { return call_sse2(shared_between_scalar_and_sse2); }
