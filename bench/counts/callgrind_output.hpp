// The output of callgrind, as far as the guard reads it.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace broadside::counts {

/// One dump of callgrind.
struct CallgrindDump {
    /// The text with which the program requested the dump; empty for the last one, at termination.
    std::string name;
    /// Instructions of the program's own code. Calls into shared libraries are left out: the C library
    /// chooses its copies and fills by processor, so their counts depend on the machine.
    std::uint64_t instruction_count = 0;
};

/// Reads a dump written with --compress-strings=no. `program` is the path that callgrind saw.
CallgrindDump read_callgrind_dump(std::istream& stream, const std::string& program);

}  // namespace broadside::counts
