// Statistics over the frames, as text and as JSON.
#include "extras/demo/demo_report.hpp"

#include "extras/demo/demo_phases.hpp"
#include "extras/support/hash.hpp"
#include "extras/support/text_builder.hpp"

#include <broadside/config_string.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace broadside::demo {
namespace {

constexpr Phase kTotal = {"total", "whole step", [](const StageTimes& t) { return t.total_seconds(); }};

struct Percentiles {
    double median_ms = 0;
    double p99_ms = 0;
};

Percentiles percentiles(const RunReport& report, const Phase& phase) {
    std::vector<double> values;
    for (const FrameRecord& frame : report.frames) values.push_back(1e3 * phase.seconds(frame.times));
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    // Nearest rank: with 120 frames the 99th percentile is the second largest.
    return {values[(values.size() - 1) / 2], values[(values.size() * 99 + 99) / 100 - 1]};
}

}  // namespace

std::string make_subtitle(const RunReport& report, const RunOptions& options) {
    extras::TextBuilder line;
    const char* comma = "";
    const auto add_count = [&](std::size_t count, const char* what) {
        if (count == 0) return;
        line.add("%s%zu %s", comma, count, what);
        comma = ", ";
    };
    add_count(report.body_count, "boxes");
    add_count(report.ray_count, "rays");
    add_count(report.obb_count, "oriented boxes");
    add_count(report.triangle_count, "triangles");
    add_count(report.mover_count, "movers");
    line.add(" · %.2f ms a frame (median), %s, %u thread%s", percentiles(report, kTotal).median_ms,
             isa_name(options.isa), options.thread_count, options.thread_count == 1 ? "" : "s");
    line.add(" · %zu of %zu frames have the bits of the scalar code", report.same_frame_count(),
             report.frames.size());
    return line.take();
}

std::string make_table(const RunReport& report, const RunOptions& options, const std::string& title) {
    const FrameRecord last = report.frames.empty() ? FrameRecord{} : report.frames.back();
    extras::TextBuilder table;
    table.add("%s\n", title.c_str());
    table.add("%zu boxes, %zu rays, %zu oriented boxes, %zu triangles, %zu movers, %zu frames\n",
              report.body_count, report.ray_count, report.obb_count, report.triangle_count,
              report.mover_count, report.frames.size());
    table.add("ISA %s, %u thread%s\n\n", isa_name(options.isa), options.thread_count,
              options.thread_count == 1 ? "" : "s");
    table.add("%-18s %12s %12s\n", "phase", "median ms", "p99 ms");
    const auto add_phase = [&](const Phase& phase) {
        const Percentiles p = percentiles(report, phase);
        table.add("%-18s %12.3f %12.3f\n", phase.label, p.median_ms, p.p99_ms);
    };
    for (const Phase& phase : kPhases) add_phase(phase);
    add_phase(kTotal);
    table.add("\n%-18s %12s\n", "last frame", "count");
    table.add("%-18s %12zu\n", "candidate pairs", last.pair_count);
    table.add("%-18s %12zu\n", "impacts", last.impact_count);
    table.add("%-18s %12zu\n", "ray hits", last.ray_hit_count);
    table.add("%-18s %12zu\n", "OBB contacts", last.contact_count);
    table.add("%-18s %12zu\n", "mesh hits of rays", last.mesh_hit_count);
    table.add("%-18s %12zu\n", "OBBs on the mesh", last.mesh_impact_count);
    table.add("%-18s %12zu\n", "movers on ground", last.grounded_count);
    table.add("%-18s %12zu\n", "movers at a wall", last.walled_count);
    std::size_t stepped_count = 0;
    for (const FrameRecord& frame : report.frames) stepped_count += frame.stepped_count;
    table.add("%-18s %12zu\n", "steps, all frames", stepped_count);
    if (report.result.invalid_box_count != 0)
        table.add("%-18s %12zu\n", "invalid boxes", report.result.invalid_box_count);
    const bool is_same = report.same_frame_count() == report.frames.size();
    table.add("\n%zu of %zu frames have the scalar ISA's result hash%s\n", report.same_frame_count(),
              report.frames.size(), is_same ? "" : ": THE RESULTS DIFFER");
    table.add("hash of the last frame: %s\n", extras::hash_text(last.hash).c_str());
    return table.take();
}

std::string make_json(const RunReport& report, const RunOptions& options, const std::string& title) {
    nlohmann::ordered_json json;
    json["config"] = config_string();
    json["scene"] = title;
    json["isa"] = isa_name(options.isa);
    json["threads"] = options.thread_count;
    json["frames"] = report.frames.size();
    json["input"] = {{"boxes", report.body_count},   {"rays", report.ray_count},
                     {"obbs", report.obb_count},     {"triangles", report.triangle_count},
                     {"movers", report.mover_count}, {"invalid_boxes", report.result.invalid_box_count}};
    const auto add_phase = [&](const Phase& phase) {
        const Percentiles p = percentiles(report, phase);
        json["phases_ms"][phase.key] = {{"median", p.median_ms}, {"p99", p.p99_ms}};
    };
    for (const Phase& phase : kPhases) add_phase(phase);
    add_phase(kTotal);
    json["frames_same_as_scalar"] = report.same_frame_count();
    json["per_frame"] = nlohmann::ordered_json::array();
    for (const FrameRecord& frame : report.frames) {
        json["per_frame"].push_back({{"pairs", frame.pair_count},
                                     {"impacts", frame.impact_count},
                                     {"ray_hits", frame.ray_hit_count},
                                     {"contacts", frame.contact_count},
                                     {"mesh_hits", frame.mesh_hit_count},
                                     {"mesh_impacts", frame.mesh_impact_count},
                                     {"movers_on_ground", frame.grounded_count},
                                     {"movers_that_stepped", frame.stepped_count},
                                     {"movers_at_a_wall", frame.walled_count},
                                     {"hash", extras::hash_text(frame.hash)}});
    }
    return json.dump(2) + "\n";
}

}  // namespace broadside::demo
