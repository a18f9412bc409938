// The built-in profiler: records the time of the library's calls as a file for chrome://tracing and Perfetto.
// Its functions exist only in a library built with BROADSIDE_ZONES=TRACE; without it, using them fails to
// link.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/export.hpp>
#include <broadside/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace BROADSIDE_API broadside {

/// A named span of time, from construction to destruction, on one thread. The library puts zones around its
/// phases and tasks; a caller may add its own to the same trace. Costs one atomic read while nothing is
/// recorded, else two readings of the clock.
class Zone {
public:
    /// The name: a literal, which needs no escape in JSON and never dies. Anything else does not compile.
    class Name {
    public:
        /// Converts implicitly from the literal.
        template <std::size_t kSize>
        consteval Name(const char (&literal)[kSize]) noexcept : text_(literal) {
            for (std::size_t i = 0; i + 1 < kSize; ++i) {
                if (literal[i] < ' ' || literal[i] > '~' || literal[i] == '"' || literal[i] == '\\')
                    a_zone_name_is_plain_text();
            }
        }
        /// The literal.
        const char* text() const noexcept { return text_; }

    private:
        static void a_zone_name_is_plain_text();

        const char* text_;
    };

    /// Begins the zone.
    explicit Zone(Name name) noexcept;
    ~Zone();
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

private:
    // The end in the record; null if the zone is not recorded.
    std::uint64_t* end_ = nullptr;
    std::uint64_t origin_ = 0;
};

/// Collects zones of all threads between `start` and `stop`. Owned by the caller. A build with traces has one
/// global state, the trace that records. No function may run while a call of the library runs or a zone is
/// open.
class ZoneTrace {
public:
    /// 6 MB: more than a thousand calls of find_pairs by eight workers, at some 150 zones each.
    static constexpr std::size_t kDefaultZoneCountMax = 1 << 18;

    explicit ZoneTrace(const Allocator& allocator = default_allocator()) noexcept;
    /// Stops the recording.
    ~ZoneTrace();
    ZoneTrace(const ZoneTrace&) = delete;
    ZoneTrace& operator=(const ZoneTrace&) = delete;

    /// Discards the old recording and starts a new one of up to `zone_count_max` zones of all threads
    /// together (rounded up to whole blocks of 512, each of one thread). Allocates and touches all memory
    /// here, none while recording. Returns invalid_argument if another trace records; then, and if out of
    /// memory, nothing has changed.
    Status start(std::size_t zone_count_max = kDefaultZoneCountMax) noexcept;
    /// Ends the recording, if there is one.
    void stop() noexcept;

    /// True between `start` and `stop`.
    bool is_recording() const noexcept;
    /// Number of zones recorded, and of zones that did not fit. The first ones are kept: a full trace shows
    /// how it began.
    std::size_t zone_count() const noexcept;
    std::size_t lost_count() const noexcept { return lost_count_.load(std::memory_order_relaxed); }
    /// Number of threads that had a zone.
    std::size_t thread_count() const noexcept { return thread_count_.load(std::memory_order_relaxed); }

    /// Writes everything recorded in Chrome's trace format: an "X" event for each zone, with `process_id` as
    /// pid, the number of the thread as tid (0 is the first one that had a zone), and ts and dur in
    /// microseconds. The number of lost zones stands under "otherData". False if writing to the file fails.
    bool write_json(std::FILE* file, std::uint32_t process_id = 1) const noexcept;

private:
    friend class Zone;

    // Times in nanoseconds since the trace began.
    struct Record {
        static constexpr std::uint64_t kIsOpen = ~std::uint64_t{0};

        bool is_complete() const { return name != nullptr && end != kIsOpen; }

        // Null if no zone has been recorded.
        const char* name;
        std::uint64_t begin;
        // kIsOpen until the zone has ended.
        std::uint64_t end;
    };

    Record* next_record() noexcept;
    bool take_block() noexcept;

    AlignedArray<Record> records_;
    // The thread of each block of records.
    AlignedArray<std::uint32_t> block_threads_;
    std::uint64_t origin_ = 0;
    // Tells the threads, which cache their block, that this is a new recording.
    std::uint64_t serial_ = 0;
    std::atomic<std::size_t> next_block_ = 0;
    std::atomic<std::size_t> lost_count_ = 0;
    std::atomic<std::uint32_t> thread_count_ = 0;
};

}  // namespace broadside
