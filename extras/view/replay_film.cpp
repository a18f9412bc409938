// Replays have hashes and counts of each frame and no boxes: a film of them is a chart with remarks.
#include "extras/view/replay_film.hpp"

#include "extras/support/hash.hpp"

#include <algorithm>

namespace broadside::view {
namespace {

using recording::kReplayPathCount;
using recording::ReplayFrame;
using recording::ReplayPath;
using recording::ReplayReport;

const char* name_of(std::size_t path) { return recording::replay_path_name(static_cast<ReplayPath>(path)); }

std::string described(const ReplayReport& report, const ReplayFrame& frame) {
    std::string text;
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        if (!report.settings.is_run[path]) continue;
        text += std::string(name_of(path)) + ": " + std::to_string(frame.answers[path].pair_count) +
                " pairs, " + extras::hash_text(frame.answers[path].hash) + "\n";
    }
    return text;
}

}  // namespace

viewer::Film make_replay_film(const std::string& title, const ReplayReport& report) {
    viewer::FilmInfo info{
        .title = title, .subtitle = report.config + " · ran on " + report.isa, .phase_unit = "pairs"};
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        if (report.settings.is_run[path]) info.phases.emplace_back(name_of(path));
    }
    viewer::Film film(std::move(info));
    for (const ReplayFrame& replayed : report.frames) {
        viewer::FilmFrame frame;
        for (std::size_t path = 0; path < kReplayPathCount; ++path) {
            if (!report.settings.is_run[path]) continue;
            frame.phase_ms.push_back(static_cast<float>(replayed.answers[path].pair_count));
        }
        frame.remark = described(report, replayed);
        film.add_frame(frame);
    }
    return film;
}

bool show_differences(const ReplayReport& a, const ReplayReport& b, viewer::Film& out_film) {
    const recording::ReplayComparison comparison = recording::compare(a, b);
    for (const std::string& line : comparison.differences) out_film.add_note(line + ".");
    if (comparison.differences.empty()) out_film.add_note("The replays are equal.");
    std::vector<std::uint32_t> differing;
    for (std::size_t i = 0; i < comparison.frame_count; ++i) {
        const ReplayFrame& in_a = a.frames[i];
        const ReplayFrame& in_b = b.frames[i];
        bool differs = in_a.input_hash != in_b.input_hash;
        for (const ReplayPath path : comparison.paths) {
            const auto at = static_cast<std::size_t>(path);
            differs |= !(in_a.answers[at] == in_b.answers[at]);
        }
        if (!differs) continue;
        differing.push_back(static_cast<std::uint32_t>(i));
        out_film.append_remark(
            i, "\nThe replays differ here. A:\n" + described(a, in_a) + "B:\n" + described(b, in_b));
    }
    out_film.set_differing_frames(std::move(differing));
    return !comparison.differences.empty();
}

}  // namespace broadside::view
