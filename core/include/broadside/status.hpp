// What every call that can fail answers; the only error channel of the library.
#pragma once

#include <broadside/export.hpp>

#include <cstddef>
#include <cstdint>

namespace BROADSIDE_API broadside {

/// The outcome of a call. `ok` is zero; nothing else is.
enum class [[nodiscard]] Status : std::uint8_t{
    ok = 0,
    /// The caller's output was too small, or a cap was reached: what fits was written, and `required` says
    /// how much room the whole answer needs.
    capacity_exceeded,
    /// The allocator returned null. Outputs hold what the call's documentation says, inputs are untouched.
    out_of_memory,
    /// An argument contradicts the documentation (a null pointer with a count, spans of different lengths).
    invalid_argument,
    /// No ISA is active: `BROADSIDE_ISA` names one that is unknown or that this machine lacks. `isa_error()`
    /// says which.
    unsupported_isa,
    /// The caller's sink returned false: it has what it wanted, and the rest of the list was not asked for.
    stopped,
};

/// A short text such as "capacity exceeded". Static storage.
const char* status_name(Status status) noexcept;

/// Index that stands for "none" wherever an index is reported.
inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

/// The answer of a batch call that writes one result per item.
struct [[nodiscard]] BatchResult {
    /// `ok`, or why nothing was written: a batch call checks its arguments before it touches an output.
    Status status = Status::ok;
    /// The first item that made the arguments invalid (a pair whose index is out of range), else kNoIndex.
    std::size_t bad_index = kNoIndex;
};

/// The answer of a batch call that writes a list.
struct [[nodiscard]] WriteResult {
    /// `ok`, or why the list is not complete.
    Status status = Status::ok;
    /// Items written to the output, always a prefix of the complete list.
    std::size_t written = 0;
    /// Items that the complete list has. Equals `written` when the status is ok; meaningless under
    /// out_of_memory, invalid_argument, unsupported_isa and stopped.
    std::size_t required = 0;
};

}  // namespace broadside
