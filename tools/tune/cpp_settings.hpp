// A candidate as C++ to be pasted into an engine.
#pragma once

#include "tools/tune/candidate.hpp"

namespace broadside::tune {

/// A function body's worth of declarations and statements; what it takes from around it is `boxes`, a view,
/// and where `has_movers`, `mover_bits`, a bit for each box that is not static.
std::string cpp_settings(const Candidate& candidate, bool has_movers);

}  // namespace broadside::tune
