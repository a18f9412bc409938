// Replays as small JSON files, and the differences between two of them.
#include "extras/recording/replay_file.hpp"

#include "extras/support/hash.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace broadside::recording {
namespace {

using Json = nlohmann::ordered_json;

// The number changes when the meaning of a hash does.
constexpr const char* kFormat = "broadside-replay 1";

std::uint64_t hash_from(const Json& json) {
    const std::string text = json.get<std::string>();
    std::uint64_t hash = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != 16) {
        throw std::runtime_error("expected 16 hexadecimal digits, found '" + text + "'");
    }
    return hash;
}

template <class Call>
void for_each_path(const ReplaySettings& settings, Call&& call) {
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        if (settings.is_run[path]) call(path, replay_path_name(static_cast<ReplayPath>(path)));
    }
}

ReplayReport report_of(const Json& json) {
    if (json.at("format") != kFormat) {
        throw std::runtime_error(std::string("expected the format '") + kFormat + "'");
    }
    ReplayReport report;
    report.config = json.at("config").get<std::string>();
    report.isa = json.at("isa").get<std::string>();
    report.thread_count = json.at("threads").get<std::uint32_t>();
    report.settings.fixed_objects_pair = json.at("static_pairs_in_world").get<bool>();
    report.settings.is_run = {};
    for (const Json& name : json.at("paths")) {
        for (std::size_t path = 0; path < kReplayPathCount; ++path) {
            if (name == replay_path_name(static_cast<ReplayPath>(path))) report.settings.is_run[path] = true;
        }
    }
    for (const Json& row : json.at("frames")) {
        ReplayFrame& frame = report.frames.emplace_back();
        frame.box_count = row.at("boxes").get<std::size_t>();
        frame.input_hash = hash_from(row.at("input"));
        for_each_path(report.settings, [&](std::size_t path, const char* name) {
            const Json& answer = row.at(name);
            frame.answers[path] = {answer.at("pairs").get<std::size_t>(), hash_from(answer.at("hash"))};
        });
    }
    return report;
}

// The first index at which `differs`, and how many there are.
struct Difference {
    std::size_t first = 0;
    std::size_t count = 0;
};

template <class Differs>
std::optional<Difference> find_difference(std::size_t frame_count, Differs&& differs) {
    Difference found;
    for (std::size_t index = frame_count; index-- > 0;) {
        if (!differs(index)) continue;
        found.first = index;
        ++found.count;
    }
    if (found.count == 0) return std::nullopt;
    return found;
}

std::string described(const Difference& difference, std::size_t frame_count, const std::string& a,
                      const std::string& b) {
    return "frame " + std::to_string(difference.first) + " is the first of " +
           std::to_string(difference.count) + " that differ, of " + std::to_string(frame_count) + ": " + a +
           " against " + b;
}

std::string described(std::size_t count, const char* noun, std::uint64_t hash) {
    return std::to_string(count) + " " + noun + " with hash " + extras::hash_text(hash);
}

}  // namespace

std::string make_replay_json(const ReplayReport& report) {
    Json json;
    json["format"] = kFormat;
    json["config"] = report.config;
    json["isa"] = report.isa;
    json["threads"] = report.thread_count;
    json["algorithm"] = pair_algorithm_name(report.settings.algorithm);
    json["static_pairs_in_world"] = report.settings.fixed_objects_pair;
    json["paths"] = Json::array();
    for_each_path(report.settings, [&](std::size_t, const char* name) { json["paths"].push_back(name); });
    json["frames"] = Json::array();
    for (const ReplayFrame& frame : report.frames) {
        Json row = {{"boxes", frame.box_count}, {"input", extras::hash_text(frame.input_hash)}};
        for_each_path(report.settings, [&](std::size_t path, const char* name) {
            const PathAnswer& answer = frame.answers[path];
            row[name] = {{"pairs", answer.pair_count}, {"hash", extras::hash_text(answer.hash)}};
        });
        json["frames"].push_back(std::move(row));
    }
    return json.dump(1) + "\n";
}

scene_io::Result<ReplayReport> read_replay(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return scene_io::Error{path + ": cannot be opened"};
    try {
        return report_of(Json::parse(file));
    } catch (const std::exception& error) {
        return scene_io::Error{path + ": is not a replay (" + error.what() + ")"};
    }
}

ReplayComparison compare(const ReplayReport& a, const ReplayReport& b) {
    ReplayComparison comparison;
    const std::size_t count = std::min(a.frames.size(), b.frames.size());
    comparison.frame_count = count;
    if (a.frames.size() != b.frames.size()) {
        comparison.differences.push_back("input: " + std::to_string(a.frames.size()) + " frames against " +
                                         std::to_string(b.frames.size()));
    }
    const auto input_differs = [&](std::size_t i) {
        return a.frames[i].input_hash != b.frames[i].input_hash;
    };
    if (const auto found = find_difference(count, input_differs)) {
        const ReplayFrame& in_a = a.frames[found->first];
        const ReplayFrame& in_b = b.frames[found->first];
        comparison.differences.push_back(
            "input: " + described(*found, count, described(in_a.box_count, "boxes", in_a.input_hash),
                                  described(in_b.box_count, "boxes", in_b.input_hash)));
    }
    for_each_path(a.settings, [&](std::size_t path, const char* name) {
        const bool is_same_question = static_cast<ReplayPath>(path) != ReplayPath::world ||
                                      a.settings.fixed_objects_pair == b.settings.fixed_objects_pair;
        if (!b.settings.is_run[path] || !is_same_question) return;
        comparison.paths.push_back(static_cast<ReplayPath>(path));
        const auto differs = [&](std::size_t i) {
            return !(a.frames[i].answers[path] == b.frames[i].answers[path]);
        };
        if (const auto found = find_difference(count, differs)) {
            const PathAnswer& in_a = a.frames[found->first].answers[path];
            const PathAnswer& in_b = b.frames[found->first].answers[path];
            comparison.differences.push_back(std::string(name) + ": " +
                                             described(*found, count,
                                                       described(in_a.pair_count, "pairs", in_a.hash),
                                                       described(in_b.pair_count, "pairs", in_b.hash)));
        }
    });
    return comparison;
}

}  // namespace broadside::recording
