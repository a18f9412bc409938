// All faults of a recording, not only the first one that a reader meets.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

namespace broadside::scene_io {

/// One fault of a recording.
struct BoxrecFault {
    /// Offset in the uncompressed stream, from 0.
    std::uint64_t byte = 0;
    /// "expected ..., found ...", in one line.
    std::string text;
};

struct BoxrecCheck {
    /// In the order of the stream; only the first ones if there are more than requested.
    std::vector<BoxrecFault> faults;
    /// Faults of the whole stream, as far as it could be read.
    std::uint64_t fault_count = 0;
    /// Frames that the header announces, and those that were read completely.
    std::uint32_t frame_count = 0;
    std::uint32_t read_frame_count = 0;
    /// Boxes and bytes of the uncompressed stream that were read.
    std::uint64_t box_count = 0;
    std::uint64_t byte_count = 0;
};

/// Reads a recording to its end and lists its faults. It continues after a wrong record. A fault that hides
/// the beginning of the next item ends the check: a first line that is not that of a recording, a count
/// beyond the limits, the end of the file within an item, damage to the compressed data. An error if the file
/// cannot be opened.
Result<BoxrecCheck> check_boxrec(const std::filesystem::path& path, std::size_t max_listed_count = 100,
                                 const BoxrecLimits& limits = {});
/// The same from memory.
BoxrecCheck check_boxrec_bytes(std::string bytes, std::size_t max_listed_count = 100,
                               const BoxrecLimits& limits = {});

}  // namespace broadside::scene_io
