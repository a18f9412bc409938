// A function whose name carries two tags, so that only the comparison between units can object to it.
#pragma once

inline int shared_between_scalar_and_sse2(int x) { return x + 1; }
