// Reader of `.boxrec` and `.boxrec.gz`.
#include "boxrec_format.hpp"
#include "byte_source.hpp"
#include "little_endian.hpp"
#include "messages.hpp"

#include <algorithm>
#include <bit>

namespace broadside::scene_io {
namespace {

// 64 KiB: how much is read, and by how much memory may run ahead of the bytes that bear it out.
constexpr std::size_t kChunkRecordCount = 2048;

float float_at(const char* bytes) { return std::bit_cast<float>(little_endian<std::uint32_t>(bytes)); }

BoxRecord decoded(const char* bytes) {
    BoxRecord record;
    record.id = little_endian<std::uint32_t>(bytes);
    record.kind = static_cast<BoxKind>(little_endian<std::uint32_t>(bytes + kBoxrecKindOffset));
    const char* box = bytes + kBoxrecBoxOffset;
    record.box.min = {float_at(box), float_at(box + 4), float_at(box + 8)};
    record.box.max = {float_at(box + 12), float_at(box + 16), float_at(box + 20)};
    return record;
}

}  // namespace

struct BoxrecReader::State {
    State(ByteSource source_, std::string name_, const BoxrecLimits& limits_)
        : source(std::move(source_)), name(std::move(name_)), limits(limits_) {}

    // The stream ended `found_bytes` into an item of `item_bytes` that began at `begin`.
    Error error_at_end(std::uint64_t begin, const std::string& item, std::size_t item_bytes,
                       std::size_t found_bytes) const {
        if (!source.fault().empty()) {
            return error_at_byte(name, source.offset(),
                                 text_of("expected ", item, ", found ", source.fault()));
        }
        return error_at_byte(name, begin,
                             text_of("expected ", item, " (", counted(item_bytes, "byte"),
                                     "), found the end of the file after ", found_bytes));
    }

    std::optional<Error> read_header();
    Result<FrameRead> read_end();
    Result<FrameRead> read_frame(std::vector<BoxRecord>& out_records);
    std::optional<Error> read_records(std::uint32_t box_count, std::vector<BoxRecord>& out_records);

    ByteSource source;
    std::string name;
    BoxrecLimits limits;
    std::uint32_t frame_count = 0;
    std::uint32_t read_frame_count = 0;
    std::string chunk;
    std::optional<Error> error;
};

std::optional<Error> BoxrecReader::State::read_header() {
    std::array<char, kBoxrecHeaderBytes> header;
    const std::size_t count = source.read(header.size(), header.data());
    const std::string_view magic(header.data(), std::min(count, kBoxrecMagic.size()));
    if (magic != kBoxrecMagic) {
        if (!source.fault().empty()) return error_at_end(0, "'BOXREC01'", kBoxrecMagic.size(), count);
        return error_at_byte(
            name, 0,
            text_of("expected 'BOXREC01', found ", (magic.empty() ? "an empty file" : in_quotes(magic))));
    }
    if (count < header.size()) return error_at_end(8, "the frame count", 4, count - 8);
    frame_count = little_endian<std::uint32_t>(header.data() + 8);
    return std::nullopt;
}

Result<FrameRead> BoxrecReader::State::read_end() {
    const std::uint64_t end = source.offset();
    char byte = 0;
    if (source.read(1, &byte) != 0) {
        return error_at_byte(name, end,
                             text_of("expected the end of the file after ", counted(frame_count, "frame"),
                                     ", found more bytes"));
    }
    if (!source.fault().empty()) {
        return error_at_byte(name, end,
                             text_of("expected the end of the file after ", counted(frame_count, "frame"),
                                     ", found ", source.fault()));
    }
    return FrameRead::end;
}

Result<FrameRead> BoxrecReader::State::read_frame(std::vector<BoxRecord>& out_records) {
    const std::uint64_t begin = source.offset();
    std::array<char, 4> bytes;
    const std::size_t count = source.read(bytes.size(), bytes.data());
    if (count < bytes.size()) {
        const std::string item = text_of("the box count of frame ", read_frame_count, " of ", frame_count);
        return error_at_end(begin, item, bytes.size(), count);
    }
    const auto box_count = little_endian<std::uint32_t>(bytes.data());
    if (box_count > limits.max_frame_box_count) {
        return error_at_byte(name, begin,
                             text_of("expected at most ", limits.max_frame_box_count, " boxes in frame ",
                                     read_frame_count, ", found ", box_count));
    }
    if (auto fault = read_records(box_count, out_records)) return *std::move(fault);
    ++read_frame_count;
    return FrameRead::frame;
}

std::optional<Error> BoxrecReader::State::read_records(std::uint32_t box_count,
                                                       std::vector<BoxRecord>& out_records) {
    chunk.resize(kChunkRecordCount * kBoxrecRecordBytes);
    const auto place = [&](std::size_t record_index) {
        return text_of("box ", record_index, " of ", box_count, " in frame ", read_frame_count);
    };
    while (out_records.size() < box_count) {
        const std::uint64_t begin = source.offset();
        const std::size_t wanted = std::min<std::size_t>(box_count - out_records.size(), kChunkRecordCount);
        const std::size_t bytes = source.read(wanted * kBoxrecRecordBytes, chunk.data());
        for (std::size_t i = 0; i < bytes / kBoxrecRecordBytes; ++i) {
            const BoxRecord record = decoded(chunk.data() + i * kBoxrecRecordBytes);
            const std::uint32_t* previous_id = out_records.empty() ? nullptr : &out_records.back().id;
            if (const auto fault = find_record_fault(record, previous_id)) {
                return error_at_byte(name, begin + i * kBoxrecRecordBytes + fault->offset,
                                     text_of(fault->text, " (", place(out_records.size()), ")"));
            }
            out_records.push_back(record);
        }
        if (bytes < wanted * kBoxrecRecordBytes) {
            const std::size_t found = bytes % kBoxrecRecordBytes;
            return error_at_end(begin + bytes - found, place(out_records.size()), kBoxrecRecordBytes, found);
        }
    }
    return std::nullopt;
}

BoxrecReader::BoxrecReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
BoxrecReader::BoxrecReader(BoxrecReader&&) noexcept = default;
BoxrecReader& BoxrecReader::operator=(BoxrecReader&&) noexcept = default;
BoxrecReader::~BoxrecReader() = default;

Result<BoxrecReader> BoxrecReader::start(std::unique_ptr<State> state) {
    if (auto error = state->read_header()) return *std::move(error);
    return BoxrecReader(std::move(state));
}

Result<BoxrecReader> BoxrecReader::open(const std::filesystem::path& path, const BoxrecLimits& limits) {
    Result<ByteSource> source = ByteSource::open(path);
    if (!source) return source.error();
    return start(std::make_unique<State>(*std::move(source), path.string(), limits));
}

Result<BoxrecReader> BoxrecReader::from_bytes(std::string bytes, std::string_view name,
                                              const BoxrecLimits& limits) {
    return start(
        std::make_unique<State>(ByteSource::from_bytes(std::move(bytes)), std::string(name), limits));
}

std::uint32_t BoxrecReader::frame_count() const noexcept { return state_->frame_count; }
std::uint32_t BoxrecReader::read_frame_count() const noexcept { return state_->read_frame_count; }

Result<FrameRead> BoxrecReader::next_frame(std::vector<BoxRecord>& out_records) {
    out_records.clear();
    if (state_->error) return *state_->error;
    Result<FrameRead> frame = state_->read_frame_count == state_->frame_count
                                  ? state_->read_end()
                                  : state_->read_frame(out_records);
    if (!frame) {
        out_records.clear();
        state_->error = frame.error();
    }
    return frame;
}

namespace {

Result<Recording> read_all(Result<BoxrecReader> opened, std::string_view name, const BoxrecLimits& limits) {
    if (!opened) return opened.error();
    BoxrecReader& reader = *opened;
    Recording recording;
    std::uint64_t total_count = 0;
    std::vector<BoxRecord> records;
    for (;;) {
        const Result<FrameRead> frame = reader.next_frame(records);
        if (!frame) return frame.error();
        if (*frame == FrameRead::end) return recording;
        total_count += 1 + records.size();
        if (total_count > limits.max_total_count) {
            return error_in_file(name,
                                 text_of("frame ", reader.read_frame_count() - 1, ": expected at most ",
                                         limits.max_total_count, " boxes and frames in all, found more"));
        }
        recording.frames.push_back(records);
    }
}

}  // namespace

Result<Recording> read_boxrec(const std::filesystem::path& path, const BoxrecLimits& limits) {
    return read_all(BoxrecReader::open(path, limits), path.string(), limits);
}

Result<Recording> parse_boxrec(std::string bytes, std::string_view name, const BoxrecLimits& limits) {
    return read_all(BoxrecReader::from_bytes(std::move(bytes), name, limits), name, limits);
}

}  // namespace broadside::scene_io
