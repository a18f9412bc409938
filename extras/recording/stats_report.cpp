// The numbers of a recording, for a person and for a program.
#include "extras/recording/stats_report.hpp"

#include "extras/support/text_builder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace broadside::recording {
namespace {

struct Column {
    const char* label;
    const char* key;
    std::size_t (*value)(const FrameStats&);
};

constexpr std::array<Column, 10> kColumns = {{
    {"boxes", "boxes", [](const FrameStats& f) { return f.box_count; }},
    {"static", "static", [](const FrameStats& f) { return f.kind_counts[0]; }},
    {"kinematic", "kinematic", [](const FrameStats& f) { return f.kind_counts[1]; }},
    {"dynamic", "dynamic", [](const FrameStats& f) { return f.kind_counts[2]; }},
    {"added", "added", [](const FrameStats& f) { return f.added_count; }},
    {"removed", "removed", [](const FrameStats& f) { return f.removed_count; }},
    {"kind changed", "kind_changed", [](const FrameStats& f) { return f.kind_change_count; }},
    {"moved", "moved", [](const FrameStats& f) { return f.moved_count; }},
    {"pairs", "pairs", [](const FrameStats& f) { return f.pair_count; }},
    {"not static-static", "pairs_without_static",
     [](const FrameStats& f) { return f.pair_count_without_static; }},
}};

void add_spread(extras::TextBuilder& state_text, const char* label, const Spread& spread) {
    state_text.add("%-32s %12.6g %12.6g %12.6g %12.6g %12.6g\n", label, spread.min, spread.median, spread.p90,
                   spread.p99, spread.max);
}

nlohmann::ordered_json json_of(const Spread& spread) {
    return {{"count", spread.count}, {"min", spread.min}, {"median", spread.median},
            {"p90", spread.p90},     {"p99", spread.p99}, {"max", spread.max}};
}

nlohmann::ordered_json json_of(Vec3 v) { return {v.x, v.y, v.z}; }

}  // namespace

std::string make_stats_table(const RecordingStats& stats, const std::string& title, bool has_frames) {
    extras::TextBuilder text;
    text.add_plain(title + "\n");
    text.add("frames %zu, objects %zu\n", stats.frames.size(), stats.object_count);
    if (is_valid(stats.bounds)) {
        const Aabb& all = stats.bounds;
        text.add("bounds (%g %g %g) to (%g %g %g)\n", static_cast<double>(all.min.x),
                 static_cast<double>(all.min.y), static_cast<double>(all.min.z),
                 static_cast<double>(all.max.x), static_cast<double>(all.max.y),
                 static_cast<double>(all.max.z));
    }
    text.add("\n%-18s %12s %12s %12s %12s %12s\n", "per frame", "first", "last", "min", "median", "max");
    for (const Column& column : kColumns) {
        if (stats.frames.empty()) break;
        std::vector<double> values;
        for (const FrameStats& frame : stats.frames)
            values.push_back(static_cast<double>(column.value(frame)));
        const Spread spread = spread_of(values);
        text.add("%-18s %12.0f %12.0f %12.0f %12.0f %12.0f\n", column.label, values.front(), values.back(),
                 spread.min, spread.median, spread.max);
    }
    text.add("\n%-32s %12s %12s %12s %12s %12s\n", "per box", "min", "median", "90 %", "99 %", "max");
    add_spread(text, "longest side", stats.longest_side);
    add_spread(text, "motion of those that moved", stats.motion);
    add_spread(text, "motion in own longest sides", stats.relative_motion);
    if (!has_frames) return text.take();
    text.add("\n%8s", "frame");
    for (const Column& column : kColumns) text.add(" %17s", column.label);
    for (std::size_t i = 0; i < stats.frames.size(); ++i) {
        text.add("\n%8zu", i);
        for (const Column& column : kColumns) text.add(" %17zu", column.value(stats.frames[i]));
    }
    text.add("\n");
    return text.take();
}

std::string make_stats_json(const RecordingStats& stats, const std::string& title) {
    nlohmann::ordered_json json;
    json["recording"] = title;
    json["frame_count"] = stats.frames.size();
    json["object_count"] = stats.object_count;
    if (is_valid(stats.bounds)) {
        json["bounds"] = {{"min", json_of(stats.bounds.min)}, {"max", json_of(stats.bounds.max)}};
    }
    json["longest_side"] = json_of(stats.longest_side);
    json["motion"] = json_of(stats.motion);
    json["motion_in_longest_sides"] = json_of(stats.relative_motion);
    json["frames"] = nlohmann::ordered_json::array();
    for (const FrameStats& frame : stats.frames) {
        nlohmann::ordered_json& row = json["frames"].emplace_back();
        for (const Column& column : kColumns) row[column.key] = column.value(frame);
    }
    return json.dump(1) + "\n";
}

}  // namespace broadside::recording
