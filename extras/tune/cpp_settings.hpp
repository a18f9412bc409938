// A candidate as C++ to be pasted into an engine.
#pragma once

#include "extras/tune/candidate.hpp"

namespace broadside::tune {

/// Declarations and statements for a function body. They use `boxes`, a view, and, if `has_movers`,
/// `mover_bits`, a bit for each box that is not static.
std::string cpp_settings(const Candidate& candidate, bool has_movers);

}  // namespace broadside::tune
