// The ISA that a tool's user names.
#include "extras/support/choose_isa.hpp"

#include <broadside/config_string.hpp>

#include <stdexcept>

namespace broadside::extras {

Isa choose_isa(const std::string& name) {
    if (name.empty()) {
        if (const std::optional<Isa> active = active_isa()) return *active;
        throw std::runtime_error(isa_error());
    }
    const std::optional<Isa> isa = find_isa(name.c_str());
    if (isa && set_active_isa(*isa) == Status::ok) return *isa;
    std::string supported;
    for (const Isa each : supported_isas()) supported += std::string(" ") + isa_name(each);
    throw std::runtime_error("--isa " + name + (isa ? " cannot run here" : " is not the name of an ISA") +
                             "; supported:" + supported);
}

}  // namespace broadside::extras
