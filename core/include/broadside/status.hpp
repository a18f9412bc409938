// The status that every call that can fail returns; the only error channel of the library.
#pragma once

#include <broadside/export.hpp>

#include <cstddef>
#include <cstdint>

namespace BROADSIDE_API broadside {

/// The outcome of a call. Only `ok` is zero.
enum class [[nodiscard]] Status : std::uint8_t{
    ok = 0,
    /// The caller's output was too small, or a cap was reached. What fits was written; `required` is the size
    /// of the whole result.
    capacity_exceeded,
    /// The allocator returned null. The call's documentation says what the outputs hold; inputs are
    /// unchanged.
    out_of_memory,
    /// An argument contradicts the documentation (a null pointer with a count, spans of different lengths).
    invalid_argument,
    /// No ISA is active: `BROADSIDE_ISA` names one that is unknown or that this machine lacks. `isa_error()`
    /// says which.
    unsupported_isa,
    /// The caller's sink returned false and received no more of the list.
    stopped,
};

/// A short text such as "capacity exceeded", in static storage.
const char* status_name(Status status) noexcept;

/// The index for "none" wherever an index is reported.
inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

/// The result of a batch call that writes one result per item.
struct [[nodiscard]] BatchResult {
    /// `ok`, or why nothing was written: a batch call checks its arguments before it touches an output.
    Status status = Status::ok;
    /// The first item that made the arguments invalid (a pair whose index is out of range), else kNoIndex.
    std::size_t bad_index = kNoIndex;
};

/// The result of a batch call that writes a list.
struct [[nodiscard]] WriteResult {
    /// `ok`, or why the list is incomplete.
    Status status = Status::ok;
    /// Number of items written to the output, always a prefix of the complete list.
    std::size_t written = 0;
    /// Number of items in the complete list. Equals `written` if the status is ok; meaningless under
    /// out_of_memory, invalid_argument, unsupported_isa and stopped.
    std::size_t required = 0;
};

}  // namespace broadside
