// Records zones and writes them as JSON. Part of the library only if it is built with BROADSIDE_ZONES=TRACE.
#include "core/src/argument.hpp"

#include <broadside/zone_trace.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>

namespace broadside {
namespace {

// Number of records that a thread takes at once, so that threads share nothing while they record.
constexpr std::size_t kBlockRecordCount = 512;

std::uint64_t now_nanoseconds() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// The trace that records: global state that only such a build has.
constinit std::atomic<ZoneTrace*> recording = nullptr;
constinit std::atomic<std::uint64_t> last_serial = 0;

// The next record of a thread, and the end of its block.
struct ThreadPlace {
    std::uint64_t serial;
    std::uint32_t thread;
    std::size_t next;
    std::size_t end;
};
constinit thread_local ThreadPlace place = {};

// Integers only, because the decimal point of a float depends on the locale.
bool write_microseconds(std::FILE* file, const char* key, std::uint64_t nanoseconds) {
    return std::fprintf(file, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, nanoseconds / 1000, nanoseconds % 1000) >
           0;
}

bool write_zone(std::FILE* file, const char* name, std::uint64_t begin, std::uint64_t end,
                std::uint32_t thread, std::uint32_t process_id) {
    return std::fprintf(file,
                        ",\n{\"name\":\"%s\",\"cat\":\"broadside\",\"ph\":\"X\",\"pid\":%" PRIu32
                        ",\"tid\":%" PRIu32,
                        name, process_id, thread) > 0 &&
           write_microseconds(file, "ts", begin) && write_microseconds(file, "dur", end - begin) &&
           std::fputc('}', file) != EOF;
}

}  // namespace

Zone::Zone(Name name) noexcept {
    ZoneTrace* const trace = recording.load(std::memory_order_acquire);
    if (trace == nullptr) return;
    ZoneTrace::Record* const record = trace->next_record();
    if (record == nullptr) return;
    origin_ = trace->origin_;
    *record = {name.text(), now_nanoseconds() - origin_, ZoneTrace::Record::kIsOpen};
    end_ = &record->end;
}

Zone::~Zone() {
    if (end_ != nullptr) *end_ = now_nanoseconds() - origin_;
}

ZoneTrace::ZoneTrace(const Allocator& allocator) noexcept : records_(allocator), block_threads_(allocator) {}

ZoneTrace::~ZoneTrace() { stop(); }

Status ZoneTrace::start(std::size_t zone_count_max) noexcept {
    ZoneTrace* const other = recording.load();
    if (!BROADSIDE_ARGUMENT(other == nullptr || other == this, "trace: another one records"))
        return Status::invalid_argument;
    const std::size_t block_count =
        zone_count_max / kBlockRecordCount + (zone_count_max % kBlockRecordCount != 0);
    if (!records_.reserve(block_count * kBlockRecordCount) || !block_threads_.reserve(block_count)) {
        return Status::out_of_memory;
    }
    // Reserved above, so these calls cannot fail.
    (void)records_.resize(block_count * kBlockRecordCount);
    (void)block_threads_.resize(block_count);
    std::fill(records_.begin(), records_.end(), Record{nullptr, 0, Record::kIsOpen});
    next_block_ = 0;
    lost_count_ = 0;
    thread_count_ = 0;
    serial_ = ++last_serial;
    origin_ = now_nanoseconds();
    recording.store(this);
    return Status::ok;
}

void ZoneTrace::stop() noexcept {
    ZoneTrace* expected = this;
    recording.compare_exchange_strong(expected, nullptr);
}

bool ZoneTrace::is_recording() const noexcept { return recording.load() == this; }

ZoneTrace::Record* ZoneTrace::next_record() noexcept {
    if (place.serial != serial_) place = {serial_, thread_count_.fetch_add(1) + 1, 0, 0};
    if (place.next == place.end && !take_block()) {
        lost_count_.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    return records_.data() + place.next++;
}

bool ZoneTrace::take_block() noexcept {
    if (next_block_.load(std::memory_order_relaxed) >= block_threads_.size()) return false;
    const std::size_t block = next_block_.fetch_add(1);
    if (block >= block_threads_.size()) return false;
    block_threads_[block] = place.thread;
    place.next = block * kBlockRecordCount;
    place.end = place.next + kBlockRecordCount;
    return true;
}

std::size_t ZoneTrace::zone_count() const noexcept {
    return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(),
                                                  [](const Record& record) { return record.is_complete(); }));
}

bool ZoneTrace::write_json(std::FILE* file, std::uint32_t process_id) const noexcept {
    bool is_written =
        std::fprintf(file,
                     "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost_zones\":%zu},\n"
                     "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32
                     ",\"args\":{\"name\":\"broadside\"}}",
                     lost_count(), process_id) > 0;
    for (std::size_t i = 0; i < records_.size() && is_written; ++i) {
        const Record& record = records_[i];
        if (!record.is_complete()) continue;
        is_written = write_zone(file, record.name, record.begin, record.end,
                                block_threads_[i / kBlockRecordCount], process_id);
    }
    return is_written && std::fputs("\n]}\n", file) >= 0 && std::fflush(file) == 0;
}

}  // namespace broadside
