// Sizes and rules of the `.boxrec` format that reader and writer share. Private to the scene library.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

inline constexpr std::string_view kBoxrecMagic = "BOXREC01";
inline constexpr std::size_t kBoxrecHeaderBytes = 12;
inline constexpr std::size_t kBoxrecRecordBytes = 32;
inline constexpr std::size_t kBoxrecKindOffset = 4;
inline constexpr std::size_t kBoxrecBoxOffset = 8;

/// A fault of a record, and its byte in the record.
struct RecordFault {
    std::size_t offset = 0;
    std::string text;
};

/// All faults of a record, by offset: an id not above `previous_id` (null for the first of a frame), an
/// unknown kind, numbers that are not finite, and min > max.
std::vector<RecordFault> find_record_faults(const BoxRecord& record, const std::uint32_t* previous_id);

/// The record of the kBoxrecRecordBytes at `bytes`, unchecked.
BoxRecord decoded_record(const char* bytes) noexcept;

}  // namespace broadside::scene_io
