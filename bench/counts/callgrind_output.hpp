// What callgrind writes, as far as the guard reads it.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace broadside::counts {

/// One dump of callgrind.
struct CallgrindDump {
    /// The text with which the program asked for the dump; empty for the last one, which nobody asked for.
    std::string name;
    /// Instructions of the program's own code. What it called in shared libraries is left out: the C library
    /// picks its copies and fills by processor, so their counts are the machine's.
    std::uint64_t instruction_count = 0;
};

/// Reads a dump written with --compress-strings=no. `program` is the path that callgrind saw.
CallgrindDump read_callgrind_dump(std::istream& stream, const std::string& program);

}  // namespace broadside::counts
