// The ISA that a tool's user names.
#pragma once

#include <broadside/isa.hpp>

#include <string>

namespace broadside::extras {

/// Makes the ISA of that name the active one and returns it; an empty name means BROADSIDE_ISA or else the
/// best of this machine. Throws std::runtime_error with one line that lists the supported ones.
Isa choose_isa(const std::string& name);

}  // namespace broadside::extras
