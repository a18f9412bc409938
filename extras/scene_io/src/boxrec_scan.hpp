// One pass over a `.boxrec` stream that collects faults, used by reader and checker. Private to the scene
// library.
#pragma once

#include <broadside/scene_io/boxrec_check.hpp>

#include "byte_source.hpp"

namespace broadside::scene_io {

/// Header, then frames, then the end. Each step returns whether the stream can be read further; a wrong
/// record does not prevent that. Memory grows with the bytes read, never with a count that the file claims.
class BoxrecScan {
public:
    BoxrecScan(ByteSource source, const BoxrecLimits& limits, std::size_t max_listed_count)
        : source_(std::move(source)), limits_(limits), max_listed_count_(max_listed_count) {}

    /// From now on all frames count against `max_total_bytes`, because the caller keeps them.
    void count_kept_frames() noexcept { keeps_frames_ = true; }

    bool read_header();
    /// Replaces `out_records` by those of the next frame, wrong ones among them.
    bool read_frame(std::vector<BoxRecord>& out_records);
    bool read_end();

    std::uint32_t frame_count() const noexcept { return frame_count_; }
    std::uint32_t read_frame_count() const noexcept { return read_frame_count_; }
    std::uint64_t byte_count() const noexcept { return source_.offset(); }
    const std::vector<BoxrecFault>& faults() const noexcept { return faults_; }
    std::uint64_t fault_count() const noexcept { return fault_count_; }

private:
    void add_fault(std::uint64_t byte, std::string text);
    void add_end_fault(std::uint64_t begin, const std::string& item, std::size_t item_bytes,
                       std::size_t found_bytes);
    bool read_records(std::uint32_t box_count, std::vector<BoxRecord>& out_records);
    bool count_frame(std::uint64_t begin, std::uint32_t box_count);

    ByteSource source_;
    BoxrecLimits limits_;
    std::size_t max_listed_count_;
    bool keeps_frames_ = false;
    /// Memory of the frames that the caller keeps, without the current one.
    std::uint64_t kept_bytes_ = 0;
    std::uint32_t frame_count_ = 0;
    std::uint32_t read_frame_count_ = 0;
    std::string chunk_;
    std::vector<BoxrecFault> faults_;
    std::uint64_t fault_count_ = 0;
};

}  // namespace broadside::scene_io
