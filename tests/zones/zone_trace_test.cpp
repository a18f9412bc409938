// The built-in collector: its records, zones that do not fit, zones of threads, and the file that it writes.
#include "tests/support/counting_allocator.hpp"
#include "tests/support/refusals.hpp"
#include "tests/zones/trace_reader.hpp"

#include <thread>

using namespace broadside;
using namespace broadside::test;

namespace {

void pass(std::size_t zone_count) {
    for (std::size_t i = 0; i < zone_count; ++i) const Zone zone("short");
}

}  // namespace

TEST_CASE("zones are recorded between start and stop, with their names, and nowhere else") {
    ZoneTrace trace;
    pass(3);
    REQUIRE(trace.start() == Status::ok);
    CHECK(trace.is_recording());
    {
        const Zone outer("outer zone");
        const Zone inner("inner zone");
    }
    trace.stop();
    CHECK_FALSE(trace.is_recording());
    pass(3);
    CHECK(trace.zone_count() == 2);
    CHECK(trace.lost_count() == 0);
    CHECK(trace.thread_count() == 1);
    const TraceFile file = read_trace(trace);
    REQUIRE(file.events.size() == 2);
    CHECK(file.events[0].name == "outer zone");
    CHECK(file.events[1].name == "inner zone");
    CHECK(file.events[0].contains(file.events[1]));
    CHECK(nests_properly(file));
}

TEST_CASE("the reader of traces finds zones that cross") {
    TraceFile file;
    file.events = {{"a", 1, 1, 0, 10}, {"b", 1, 2, 5, 15}};
    CHECK(nests_properly(file));
    file.events[1].thread = 1;
    CHECK_FALSE(nests_properly(file));
}

TEST_CASE("a trace that was not started is an empty file with everything that a reader needs") {
    const ZoneTrace trace;
    const TraceFile file = read_trace(trace);
    CHECK(file.events.empty());
    CHECK(file.lost_count == 0);
}

TEST_CASE("the process id is the caller's, so that traces of several processes can be shown together") {
    ZoneTrace trace;
    REQUIRE(trace.start() == Status::ok);
    pass(1);
    trace.stop();
    CHECK(read_trace(trace, 4711).events.at(0).process == 4711);
}

TEST_CASE("zones that do not fit are counted, the first are kept, and recording allocates nothing") {
    CountingAllocator allocator;
    {
        ZoneTrace trace(allocator.hook());
        REQUIRE(trace.start(600) == Status::ok);
        const std::size_t allocation_count = allocator.allocation_count;
        {
            const Zone first("first");
            pass(1500);
        }
        trace.stop();
        CHECK(allocator.allocation_count == allocation_count);
        // Whole blocks of 512.
        CHECK(trace.zone_count() == 1024);
        CHECK(trace.lost_count() == 1501 - 1024);
        const TraceFile file = read_trace(trace);
        CHECK(file.lost_count == 1501 - 1024);
        CHECK(file.names() == std::set<std::string>{"first", "short"});

        REQUIRE(trace.start(600) == Status::ok);
        CHECK(allocator.allocation_count == allocation_count);
        CHECK(trace.zone_count() == 0);
        CHECK(trace.lost_count() == 0);
        pass(1);
        CHECK(trace.zone_count() == 1);

        REQUIRE(trace.start(0) == Status::ok);
        pass(2);
        CHECK(trace.zone_count() == 0);
        CHECK(trace.lost_count() == 2);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("a trace without memory does not start, and reports it") {
    CountingAllocator allocator;
    for (const std::size_t fail_after : {0u, 1u}) {
        allocator.allocation_count = 0;
        allocator.fail_after = fail_after;
        ZoneTrace trace(allocator.hook());
        CHECK(trace.start() == Status::out_of_memory);
        CHECK_FALSE(trace.is_recording());
        pass(1);
        CHECK(trace.zone_count() == 0);
        CHECK(trace.start(~std::size_t{0}) == Status::out_of_memory);
    }
}

TEST_CASE("one trace records at a time, until it stops or is destroyed") {
    ZoneTrace second;
    {
        ZoneTrace first;
        REQUIRE(first.start() == Status::ok);
        check_refused({{"trace: another one records", [&] { return second.start(); }}});
        second.stop();
        CHECK(first.is_recording());
        pass(1);
        CHECK(first.zone_count() == 1);
    }
    CHECK(second.zone_count() == 0);
    REQUIRE(second.start() == Status::ok);
    pass(1);
    CHECK(second.zone_count() == 1);
}

TEST_CASE("threads are told apart, in the order of their first zones, and do not disturb each other") {
    constexpr std::size_t kThreadCount = 4;
    constexpr std::size_t kZonesPerThread = 2000;
    ZoneTrace trace;
    for (int round = 0; round < 2; ++round) {
        REQUIRE(trace.start() == Status::ok);
        {
            const Zone zone("main");
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < kThreadCount; ++i) {
                threads.emplace_back([] {
                    const Zone outer("worker");
                    pass(kZonesPerThread);
                });
            }
            for (std::thread& thread : threads) thread.join();
        }
        trace.stop();
        CHECK(trace.thread_count() == kThreadCount + 1);
        const TraceFile file = read_trace(trace);
        CHECK(file.events.size() == 1 + kThreadCount * (kZonesPerThread + 1));
        CHECK(file.threads_of("main") == std::set<std::uint32_t>{1});
        CHECK(file.threads_of("worker") == std::set<std::uint32_t>{2, 3, 4, 5});
        CHECK(nests_properly(file));
    }
}

TEST_CASE("a file that cannot be written is reported") {
    ZoneTrace trace;
    REQUIRE(trace.start() == Status::ok);
    pass(10);
    trace.stop();
    std::FILE* const full = std::fopen("/dev/full", "w");
    REQUIRE(full != nullptr);
    CHECK_FALSE(trace.write_json(full));
    std::fclose(full);
}
