// Text for logs and messages. broadside.hpp leaves this header out, because std::string takes long to compile.
#pragma once

#include <broadside/export.hpp>

#include <string>

namespace BROADSIDE_API broadside {

/// Version, compiler, built ISAs, active ISA and whether asserts are on, for logs and bug reports, for
/// example "broadside 0.1.0, gcc 12.2.0, isas: scalar sse2 avx2 avx512, active: avx512, asserts: off". A
/// build with profiling zones ends in ", zones: trace" or ", zones: tracy".
std::string config_string();

/// The reason why `active_isa()` is nothing, as one readable line; empty if there is an active ISA.
std::string isa_error();

}  // namespace broadside
