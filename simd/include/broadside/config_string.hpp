// The configuration of this build of the library, in one line.
#pragma once

#include <broadside/export.hpp>

#include <string>

namespace BROADSIDE_API broadside {

/// Version, compiler, built ISAs, active ISA and whether asserts are on, for logs and bug reports, for
/// example "broadside 0.1.0, gcc 12.2.0, isas: scalar sse2 avx2 avx512, active: avx512, asserts: off". A
/// build with profiling zones ends in ", zones: trace" or ", zones: tracy".
std::string config_string();

}  // namespace broadside
