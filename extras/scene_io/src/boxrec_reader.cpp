// Reader of `.boxrec` and `.boxrec.gz`: a scan that ends at its first fault.
#include "boxrec_scan.hpp"
#include "messages.hpp"

namespace broadside::scene_io {
namespace {

std::optional<Error> first_fault(const BoxrecScan& scan, std::string_view name) {
    if (scan.faults().empty()) return std::nullopt;
    return error_at_byte(name, scan.faults().front().byte, scan.faults().front().text);
}

}  // namespace

struct BoxrecReader::State {
    State(ByteSource source, std::string name_, const BoxrecLimits& limits)
        : scan(std::move(source), limits, 1), name(std::move(name_)) {}

    std::optional<Error> first_fault() const { return scene_io::first_fault(scan, name); }

    BoxrecScan scan;
    std::string name;
};

BoxrecReader::BoxrecReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
BoxrecReader::BoxrecReader(BoxrecReader&&) noexcept = default;
BoxrecReader& BoxrecReader::operator=(BoxrecReader&&) noexcept = default;
BoxrecReader::~BoxrecReader() = default;

Result<BoxrecReader> BoxrecReader::start(std::unique_ptr<State> state) {
    state->scan.read_header();
    if (auto error = state->first_fault()) return *std::move(error);
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

std::uint32_t BoxrecReader::frame_count() const noexcept { return state_->scan.frame_count(); }
std::uint32_t BoxrecReader::read_frame_count() const noexcept { return state_->scan.read_frame_count(); }

Result<FrameRead> BoxrecReader::next_frame(std::vector<BoxRecord>& out_records) {
    out_records.clear();
    if (auto error = state_->first_fault()) return *std::move(error);
    BoxrecScan& scan = state_->scan;
    const bool is_end = scan.read_frame_count() == scan.frame_count();
    if (is_end) {
        scan.read_end();
    } else {
        scan.read_frame(out_records);
    }
    if (auto error = state_->first_fault()) {
        out_records.clear();
        return *std::move(error);
    }
    return is_end ? FrameRead::end : FrameRead::frame;
}

namespace {

Result<Recording> read_all(Result<ByteSource> source, std::string_view name, const BoxrecLimits& limits) {
    if (!source) return source.error();
    BoxrecScan scan(*std::move(source), limits, 1);
    scan.count_kept_frames();
    Recording recording;
    bool goes_on = scan.read_header();
    while (goes_on && scan.read_frame_count() < scan.frame_count()) {
        std::vector<BoxRecord> records;
        goes_on = scan.read_frame(records) && scan.faults().empty();
        if (goes_on) recording.frames.push_back(std::move(records));
    }
    if (goes_on) scan.read_end();
    if (auto error = first_fault(scan, name)) return *std::move(error);
    return recording;
}

}  // namespace

Result<Recording> read_boxrec(const std::filesystem::path& path, const BoxrecLimits& limits) {
    return read_all(ByteSource::open(path), path.string(), limits);
}

Result<Recording> parse_boxrec(std::string bytes, std::string_view name, const BoxrecLimits& limits) {
    return read_all(ByteSource::from_bytes(std::move(bytes)), name, limits);
}

}  // namespace broadside::scene_io
