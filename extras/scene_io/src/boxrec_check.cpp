// The checker of `.boxrec` and `.boxrec.gz`.
#include <broadside/scene_io/boxrec_check.hpp>

#include "boxrec_scan.hpp"

namespace broadside::scene_io {
namespace {

BoxrecCheck check(BoxrecScan scan) {
    BoxrecCheck answer;
    std::vector<BoxRecord> records;
    bool goes_on = scan.read_header();
    while (goes_on && scan.read_frame_count() < scan.frame_count()) {
        goes_on = scan.read_frame(records);
        answer.box_count += records.size();
    }
    if (goes_on) scan.read_end();
    answer.faults = scan.faults();
    answer.fault_count = scan.fault_count();
    answer.frame_count = scan.frame_count();
    answer.read_frame_count = scan.read_frame_count();
    answer.byte_count = scan.byte_count();
    return answer;
}

}  // namespace

Result<BoxrecCheck> check_boxrec(const std::filesystem::path& path, std::size_t max_listed_count,
                                 const BoxrecLimits& limits) {
    Result<ByteSource> source = ByteSource::open(path);
    if (!source) return source.error();
    return check({*std::move(source), limits, max_listed_count});
}

BoxrecCheck check_boxrec_bytes(std::string bytes, std::size_t max_listed_count, const BoxrecLimits& limits) {
    return check({ByteSource::from_bytes(std::move(bytes)), limits, max_listed_count});
}

}  // namespace broadside::scene_io
