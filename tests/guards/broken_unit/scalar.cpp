// A unit that breaks the rules of ISA units on purpose; the guard's own test expects it to be reported.
#include "tests/guards/broken_unit/shared.hpp"

int run_time_value();
int call_scalar(int (*)(int));

[[gnu::noinline]] inline int untagged_inline(int x) { return x * run_time_value(); }
int untagged_global(int x) { return call_scalar(untagged_inline) + x; }

namespace {
const int runs_at_load = run_time_value();
}
int use_scalar() { return runs_at_load + call_scalar(shared_between_scalar_and_sse2); }
