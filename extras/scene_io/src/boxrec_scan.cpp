// One pass over a `.boxrec` stream that collects faults.
#include "boxrec_scan.hpp"

#include "boxrec_format.hpp"
#include "little_endian.hpp"
#include "messages.hpp"

#include <algorithm>

namespace broadside::scene_io {
namespace {

// 64 KiB: the size of a read, and the memory allocated ahead of the bytes that justify it.
constexpr std::size_t kChunkRecordCount = 2048;

// A frame in a list of frames that doubles: once in the old list, twice in the new one. The same on every
// machine, so that each accepts the same files.
constexpr std::uint64_t kKeptFrameBytes = 72;
static_assert(3 * sizeof(std::vector<BoxRecord>) <= kKeptFrameBytes &&
                  sizeof(BoxRecord) == kBoxrecRecordBytes,
              "boxrec.hpp says what boxes and frames take");

}  // namespace

void BoxrecScan::add_fault(std::uint64_t byte, std::string text) {
    ++fault_count_;
    if (faults_.size() < max_listed_count_) faults_.push_back({byte, std::move(text)});
}

// The stream ended `found_bytes` into an item of `item_bytes` that began at `begin`.
void BoxrecScan::add_end_fault(std::uint64_t begin, const std::string& item, std::size_t item_bytes,
                               std::size_t found_bytes) {
    if (!source_.fault().empty()) {
        add_fault(source_.offset(), text_of("expected ", item, ", found ", source_.fault()));
    } else {
        add_fault(begin, text_of("expected ", item, " (", counted(item_bytes, "byte"),
                                 "), found the end of the file after ", found_bytes));
    }
}

bool BoxrecScan::read_header() {
    std::array<char, kBoxrecHeaderBytes> header;
    const std::size_t count = source_.read(header.size(), header.data());
    const std::string_view magic(header.data(), std::min(count, kBoxrecMagic.size()));
    if (magic != kBoxrecMagic) {
        if (!source_.fault().empty()) {
            add_end_fault(0, "'BOXREC01'", kBoxrecMagic.size(), count);
        } else {
            add_fault(0, text_of("expected 'BOXREC01', found ",
                                 magic.empty() ? "an empty file" : in_quotes(magic)));
        }
        return false;
    }
    if (count < header.size()) {
        add_end_fault(8, "the frame count", 4, count - 8);
        return false;
    }
    frame_count_ = little_endian<std::uint32_t>(header.data() + 8);
    // All frames must be there at the end, so too many are refused before one of them is kept.
    const std::uint64_t max_frame_count = limits_.max_total_bytes / kKeptFrameBytes;
    if (keeps_frames_ && frame_count_ > max_frame_count) {
        add_fault(kBoxrecMagic.size(), text_of("expected at most ", max_frame_count, " frames (",
                                               limits_.max_total_bytes, " bytes), found ", frame_count_));
        return false;
    }
    return true;
}

bool BoxrecScan::count_frame(std::uint64_t begin, std::uint32_t box_count) {
    if (!keeps_frames_) return true;
    const std::uint64_t record_bytes = std::uint64_t{box_count} * sizeof(BoxRecord);
    kept_bytes_ += kKeptFrameBytes + record_bytes;
    // While its list grows, the records of this frame are there twice.
    if (kept_bytes_ + record_bytes <= limits_.max_total_bytes) return true;
    add_fault(begin, text_of("expected frames that need at most ", limits_.max_total_bytes,
                             " bytes of memory in all, found more in frame ", read_frame_count_));
    return false;
}

bool BoxrecScan::read_end() {
    const std::uint64_t end = source_.offset();
    const std::string expected =
        text_of("expected the end of the file after ", counted(frame_count_, "frame"), ", found ");
    char byte = 0;
    if (source_.read(1, &byte) != 0) {
        add_fault(end, expected + "more bytes");
        return false;
    }
    if (!source_.fault().empty()) {
        add_fault(end, expected + source_.fault());
        return false;
    }
    return true;
}

bool BoxrecScan::read_frame(std::vector<BoxRecord>& out_records) {
    out_records.clear();
    const std::uint64_t begin = source_.offset();
    std::array<char, 4> bytes;
    const std::size_t count = source_.read(bytes.size(), bytes.data());
    if (count < bytes.size()) {
        add_end_fault(begin, text_of("the box count of frame ", read_frame_count_, " of ", frame_count_),
                      bytes.size(), count);
        return false;
    }
    const auto box_count = little_endian<std::uint32_t>(bytes.data());
    if (box_count > limits_.max_frame_box_count) {
        add_fault(begin, text_of("expected at most ", limits_.max_frame_box_count, " boxes in frame ",
                                 read_frame_count_, ", found ", box_count));
        return false;
    }
    if (!count_frame(begin, box_count) || !read_records(box_count, out_records)) return false;
    ++read_frame_count_;
    return true;
}

bool BoxrecScan::read_records(std::uint32_t box_count, std::vector<BoxRecord>& out_records) {
    chunk_.resize(kChunkRecordCount * kBoxrecRecordBytes);
    const auto place = [&](std::size_t record_index) {
        return text_of("box ", record_index, " of ", box_count, " in frame ", read_frame_count_);
    };
    while (out_records.size() < box_count) {
        const std::uint64_t begin = source_.offset();
        const std::size_t wanted = std::min<std::size_t>(box_count - out_records.size(), kChunkRecordCount);
        const std::size_t bytes = source_.read(wanted * kBoxrecRecordBytes, chunk_.data());
        // Doubled, but to no more than the frame: the old list and the new one are less than two frames.
        const std::size_t needed = out_records.size() + bytes / kBoxrecRecordBytes;
        if (needed > out_records.capacity()) {
            out_records.reserve(
                std::min<std::size_t>(box_count, std::max(needed, 2 * out_records.capacity())));
        }
        for (std::size_t i = 0; i < bytes / kBoxrecRecordBytes; ++i) {
            const BoxRecord record = decoded_record(chunk_.data() + i * kBoxrecRecordBytes);
            // The id before it, wrong or not: one id out of order is one fault.
            const std::uint32_t* previous_id = out_records.empty() ? nullptr : &out_records.back().id;
            for (const RecordFault& fault : find_record_faults(record, previous_id)) {
                add_fault(begin + i * kBoxrecRecordBytes + fault.offset,
                          text_of(fault.text, " (", place(out_records.size()), ")"));
            }
            out_records.push_back(record);
        }
        if (bytes < wanted * kBoxrecRecordBytes) {
            const std::size_t found = bytes % kBoxrecRecordBytes;
            add_end_fault(begin + bytes - found, place(out_records.size()), kBoxrecRecordBytes, found);
            return false;
        }
    }
    return true;
}

}  // namespace broadside::scene_io
