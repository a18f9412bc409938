// Sizes and rules of the `.boxrec` format that reader and writer share. Private to the scene library.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace broadside::scene_io {

inline constexpr std::string_view kBoxrecMagic = "BOXREC01";
inline constexpr std::size_t kBoxrecHeaderBytes = 12;
inline constexpr std::size_t kBoxrecRecordBytes = 32;
inline constexpr std::size_t kBoxrecKindOffset = 4;
inline constexpr std::size_t kBoxrecBoxOffset = 8;

/// What is wrong with a record, and at which of its bytes.
struct RecordFault {
    std::size_t offset = 0;
    std::string text;
};

/// Checks kind, finiteness, min <= max, and that the id is above `previous_id` (null for the first of a
/// frame).
std::optional<RecordFault> find_record_fault(const BoxRecord& record, const std::uint32_t* previous_id);

}  // namespace broadside::scene_io
