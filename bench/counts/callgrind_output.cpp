// The few kinds of lines that matter, after "Callgrind Format Specification" in valgrind's manual.
#include "bench/counts/callgrind_output.hpp"

#include <cctype>

namespace broadside::counts {
namespace {

bool begins_with(const std::string& line, const char* text) { return line.rfind(text, 0) == 0; }

// "<position> <count>".
std::uint64_t cost_of(const std::string& line) {
    const std::size_t space = line.find(' ');
    return space == std::string::npos ? 0 : std::stoull(line.substr(space + 1));
}

}  // namespace

CallgrindDump read_callgrind_dump(std::istream& stream, const std::string& program) {
    const std::string trigger = "desc: Trigger: Client Request: ";
    CallgrindDump dump;
    bool is_own = false;
    bool is_cost_of_call = false;
    for (std::string line; std::getline(stream, line);) {
        if (begins_with(line, trigger.c_str())) dump.name = line.substr(trigger.size());
        if (begins_with(line, "ob=")) is_own = line.substr(3) == program;
        if (line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) == 0) {
            // The line after a call is the callee's cost, which the callee lists too.
            is_cost_of_call = begins_with(line, "calls=");
            continue;
        }
        if (is_own && !is_cost_of_call) dump.instruction_count += cost_of(line);
        is_cost_of_call = false;
    }
    return dump;
}

}  // namespace broadside::counts
