// BROADSIDE_ZONE("name"): a named span of time, from here to the end of the scope, for the profiler that the
// build supports (BROADSIDE_ZONES). Ordinary builds compile it to nothing, which guard_zones_cost_nothing
// checks. For sources only, never in a kernel or a public header, because other builds share their code.
#pragma once

// Private definitions of the library's own build, like BROADSIDE_ENABLE_ASSERTS.
#define BROADSIDE_ZONE_JOINED(a, b) a##b
#define BROADSIDE_ZONE_VARIABLE(line) BROADSIDE_ZONE_JOINED(broadside_zone_, line)

#if defined(BROADSIDE_ZONES_TRACE) && BROADSIDE_ZONES_TRACE
#include <broadside/zone_trace.hpp>
#define BROADSIDE_ZONE(name) const ::broadside::Zone BROADSIDE_ZONE_VARIABLE(__LINE__)(name)
#elif defined(BROADSIDE_ZONES_TRACY) && BROADSIDE_ZONES_TRACY
#include <tracy/Tracy.hpp>
#define BROADSIDE_ZONE(name) ZoneNamedN(BROADSIDE_ZONE_VARIABLE(__LINE__), name, true)
#else
#define BROADSIDE_ZONE(name) static_cast<void>(0)
#endif
