// A trace as its reader sees it: the output of ZoneTrace, parsed by another JSON parser.
#pragma once

#include <broadside/zone_trace.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace broadside::test {

struct TraceEvent {
    std::string name;
    std::uint32_t process;
    std::uint32_t thread;
    /// Nanoseconds.
    std::int64_t begin;
    std::int64_t end;

    bool contains(const TraceEvent& other) const { return begin <= other.begin && other.end <= end; }
};

struct TraceFile {
    std::vector<TraceEvent> events;
    std::size_t lost_count = 0;

    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const TraceEvent& event : events) all.insert(event.name);
        return all;
    }
    std::set<std::uint32_t> threads_of(const std::string& name) const {
        std::set<std::uint32_t> threads;
        for (const TraceEvent& event : events) {
            if (event.name == name) threads.insert(event.thread);
        }
        return threads;
    }
};

inline std::string json_of(const ZoneTrace& trace, std::uint32_t process_id) {
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    REQUIRE(trace.write_json(file, process_id));
    std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
    std::fclose(file);
    return text;
}

/// Every member that Chrome's format requires of an event is there and of its type, or parsing throws.
inline TraceFile read_trace(const ZoneTrace& trace, std::uint32_t process_id = 1) {
    const nlohmann::json json = nlohmann::json::parse(json_of(trace, process_id));
    TraceFile file;
    file.lost_count = json.at("otherData").at("lost_zones").get<std::size_t>();
    const auto nanoseconds = [](const nlohmann::json& value) {
        return static_cast<std::int64_t>(std::llround(value.get<double>() * 1000));
    };
    for (const nlohmann::json& event : json.at("traceEvents")) {
        CHECK(event.at("pid").get<std::uint32_t>() == process_id);
        if (event.at("ph") == "M") continue;
        CHECK(event.at("ph") == "X");
        CHECK(event.at("cat") == "broadside");
        const std::int64_t begin = nanoseconds(event.at("ts"));
        const std::int64_t duration = nanoseconds(event.at("dur"));
        CHECK(begin >= 0);
        CHECK(duration >= 0);
        file.events.push_back({event.at("name").get<std::string>(), event.at("pid").get<std::uint32_t>(),
                               event.at("tid").get<std::uint32_t>(), begin, begin + duration});
    }
    return file;
}

/// True if on every thread, two zones are separate or one is inside the other.
inline bool nests_properly(const TraceFile& file) {
    std::map<std::uint32_t, std::vector<TraceEvent>> by_thread;
    for (const TraceEvent& event : file.events) by_thread[event.thread].push_back(event);
    for (auto& [thread, events] : by_thread) {
        std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::vector<TraceEvent> open;
        for (const TraceEvent& event : events) {
            while (!open.empty() && open.back().end <= event.begin) open.pop_back();
            if (!open.empty() && !open.back().contains(event)) return false;
            open.push_back(event);
        }
    }
    return true;
}

}  // namespace broadside::test
