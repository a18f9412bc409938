// Names of the status values.
#include <broadside/status.hpp>

namespace broadside {

const char* status_name(Status status) noexcept {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::capacity_exceeded:
            return "capacity exceeded";
        case Status::out_of_memory:
            return "out of memory";
        case Status::invalid_argument:
            return "invalid argument";
        case Status::stopped:
            return "stopped";
        case Status::unsupported_isa:
            return "unsupported ISA";
    }
    return "unknown status";
}

}  // namespace broadside
