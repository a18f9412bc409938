// The final report of broadside-tune.
#include "extras/tune/tune_report.hpp"

#include "extras/support/text_builder.hpp"
#include "extras/tune/cpp_settings.hpp"

#include <broadside/config_string.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::tune {
namespace {

using Json = nlohmann::ordered_json;

// The fastest rows of a race; clearly worse ones are left to --all.
constexpr std::size_t kShownCount = 10;

const char* question_text(const TuneScene& scene) {
    return scene.has_movers() ? "pairs that are not between two static boxes" : "all pairs";
}

template <class Value>
std::pair<std::size_t, std::size_t> range_of(const TuneScene& scene, Value&& value) {
    std::pair<std::size_t, std::size_t> range = {value(scene.frame(0)), value(scene.frame(0))};
    for (std::size_t i = 1; i < scene.frame_count(); ++i) {
        range.first = std::min(range.first, value(scene.frame(i)));
        range.second = std::max(range.second, value(scene.frame(i)));
    }
    return range;
}

double percentile(std::vector<double> values, std::size_t percent) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[(values.size() * percent + 99) / 100 - (percent == 0 ? 0 : 1)];
}

std::string ratio_text(const MeasuredRatio& ratio) {
    extras::TextBuilder text;
    text.add("%.2f", ratio.median);
    if (std::isfinite(ratio.high)) text.add(" (%.2f to %.2f)", ratio.low, ratio.high);
    return text.take();
}

std::string gain_text(const Entry& entry, const MeasuredRatio& twins) {
    const MeasuredRatio gain = entry.gain();
    // Too few rounds for bounds: it dropped out.
    if (!std::isfinite(gain.high)) return ratio_text(gain) + ", left behind";
    if (!entry.has_whole_cost()) return ratio_text(gain) + ", but never refilled";
    return ratio_text(gain) + (gain.is_within_noise(twins) ? ", within the noise" : "");
}

void add_race(extras::TextBuilder& state_text, const std::vector<Entry>& race, const MeasuredRatio& twins,
              bool has_all) {
    state_text.add("%-28s %-10s %-7s %7s %12s %21s  %s\n", "method", "order", "ISA", "threads", "us a frame",
                   "middle half", "times as fast as the default");
    std::vector<const Entry*> rows;
    for (const Entry& entry : race) rows.push_back(&entry);
    std::stable_sort(rows.begin(), rows.end(), [](const Entry* a, const Entry* b) {
        return a->is_wrong != b->is_wrong ? b->is_wrong : a->gain().median > b->gain().median;
    });
    std::size_t shown_count = 0;
    for (const Entry* entry : rows) {
        const Candidate& candidate = entry->candidate;
        const bool is_shown = has_all || entry->is_wrong || entry->is_anchor || shown_count < kShownCount;
        if (!is_shown) continue;
        ++shown_count;
        state_text.add("%-28s %-10s %-7s %7u ", method_text(candidate).c_str(), order_name(candidate.order),
                       isa_name(candidate.isa), candidate.thread_count);
        if (entry->is_wrong) {
            state_text.add("WRONG: its pairs differ from the reference\n");
            continue;
        }
        state_text.add("%12.4g %10.4g %10.4g  %s\n", 1e6 * median_of(entry->seconds),
                       1e6 * percentile(entry->seconds, 25), 1e6 * percentile(entry->seconds, 75),
                       entry == &race.front() ? "1, the default" : gain_text(*entry, twins).c_str());
    }
    if (shown_count < rows.size()) {
        state_text.add("and %zu slower ones, which --all shows\n", rows.size() - shown_count);
    }
}

std::string long_text(const Candidate& candidate) {
    extras::TextBuilder text;
    text.add("%s (%s, %s, threads: %u)", method_text(candidate).c_str(), order_name(candidate.order),
             isa_name(candidate.isa), candidate.thread_count);
    return text.take();
}

// The reason why a proposal is not recommended, by its times on the frames held out.
std::string refusal_text(const Entry& entry, const MeasuredRatio& twins) {
    if (entry.is_wrong) return "its pairs are wrong there";
    if (!entry.has_whole_cost()) return "its cache was never refilled there, so its cost is unknown";
    return gain_text(entry, twins) + " times as fast there";
}

void add_recommendation(extras::TextBuilder& state_text, const TuneReport& report,
                        const Recommendation& recommendation, bool has_movers) {
    const Candidate& candidate = report.final_race[recommendation.index].candidate;
    state_text.add("\n%s: %s, %s, ", recommendation.wish.text, method_text(candidate).c_str(),
                   isa_name(candidate.isa));
    state_text.add("threads: %u\n", candidate.thread_count);
    switch (recommendation.ground) {
        case Ground::confirmed:
            state_text.add("  %s times as fast as the default on frames that it was not chosen by,\n",
                           ratio_text(recommendation.gain).c_str());
            state_text.add("  %s times on those that it was\n",
                           ratio_text(recommendation.gain_where_chosen).c_str());
            break;
        case Ground::nothing_is_faster:
            state_text.add("  the default; nothing is faster beyond the noise\n");
            break;
        case Ground::not_confirmed:
            state_text.add(
                "  the default; nothing else is faster beyond the noise on frames that it was not chosen "
                "by\n");
            break;
        case Ground::no_frames:
            state_text.add("  the default; a single frame leaves none to confirm another choice\n");
            break;
    }
    if (recommendation.refused_index) {
        const Entry& refused = report.confirming_race[*recommendation.refused_index];
        state_text.add("  not %s: %s\n", long_text(refused.candidate).c_str(),
                       refusal_text(refused, report.verdict.held_out_twins).c_str());
    } else if (recommendation.index != recommendation.fastest_index) {
        const Candidate& fastest = report.final_race[recommendation.fastest_index].candidate;
        state_text.add("  the greatest gain had %s%s\n", long_text(fastest).c_str(),
                       recommendation.ground == Ground::no_frames ? "" : ", but no more than the noise");
    }
    state_text.add("\n");
    state_text.add_plain(cpp_settings(candidate, has_movers));
}

const char* ground_name(Ground ground) {
    switch (ground) {
        case Ground::confirmed:
            return "confirmed";
        case Ground::nothing_is_faster:
            return "nothing_is_faster";
        case Ground::not_confirmed:
            return "not_confirmed";
        case Ground::no_frames:
            break;
    }
    return "no_frames";
}

Json json_of(const MeasuredRatio& ratio) {
    Json json = {{"median", ratio.median}};
    if (std::isfinite(ratio.high)) {
        json["low"] = ratio.low;
        json["high"] = ratio.high;
    }
    return json;
}

Json json_of(const Candidate& candidate) {
    return {{"method", method_text(candidate)},
            {"order", order_name(candidate.order)},
            {"isa", isa_name(candidate.isa)},
            {"threads", candidate.thread_count}};
}

Json json_of(const std::vector<Entry>& race) {
    Json rows = Json::array();
    for (const Entry& entry : race) {
        Json row = json_of(entry.candidate);
        row["is_right"] = !entry.is_wrong;
        if (!entry.is_wrong) {
            row["rounds"] = entry.seconds.size();
            row["seconds_a_frame"] = {{"median", median_of(entry.seconds)},
                                      {"quarter", percentile(entry.seconds, 25)},
                                      {"three_quarters", percentile(entry.seconds, 75)}};
            row["times_as_fast_as_default"] = json_of(entry.gain());
            if (entry.candidate.method == Method::cache) row["refills"] = entry.refill_count;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::size_t TuneReport::wrong_count() const {
    const auto is_wrong = [](const Entry& entry) { return entry.is_wrong; };
    return static_cast<std::size_t>(std::count_if(first_race.begin(), first_race.end(), is_wrong) +
                                    std::count_if(final_race.begin(), final_race.end(), is_wrong) +
                                    std::count_if(confirming_race.begin(), confirming_race.end(), is_wrong));
}

std::string make_tune_table(const TuneReport& report, const TuneScene& scene, bool has_all) {
    const auto boxes = range_of(scene, [](const TuneFrame& frame) { return frame.records.size(); });
    const auto pairs = range_of(scene, [](const TuneFrame& frame) { return frame.pair_count; });
    const Verdict& verdict = report.verdict;
    extras::TextBuilder text;
    text.add_plain(config_string() + "\n" + report.title + "\n");
    text.add("chosen by frames %zu to %zu, boxes %zu to %zu, pairs %zu to %zu (%s)\n", scene.first_index(),
             scene.first_index() + scene.frame_count() - 1, boxes.first, boxes.second, pairs.first,
             pairs.second, question_text(scene));
    text.add("\nAll methods, on one instruction set and thread\n\n");
    add_race(text, report.first_race, verdict.twins, has_all);
    text.add("\nThe leaders, on all instruction sets and numbers of threads\n\n");
    add_race(text, report.final_race, verdict.twins, has_all);
    if (!report.confirming_race.empty()) {
        text.add("\nThe proposals, on frames %zu to %zu, which were not used to choose\n\n",
                 report.held_out.first, report.held_out.first + report.held_out.count - 1);
        add_race(text, report.confirming_race, verdict.held_out_twins, true);
    }
    text.add("\nMedians of %zu rounds; ratios, with 95 %% bounds, of consecutive turns.\n",
             report.final_race.front().seconds.size());
    text.add("The default against itself: %s", ratio_text(verdict.twins).c_str());
    if (!report.confirming_race.empty())
        text.add(", confirming %s", ratio_text(verdict.held_out_twins).c_str());
    text.add(". Ratios whose bounds reach as close to 1 are noise.\n");
    for (const Recommendation& recommendation : verdict.recommendations) {
        add_recommendation(text, report, recommendation, scene.has_movers());
    }
    if (report.wrong_count() != 0) text.add("\nWRONG RESULTS: %zu candidates\n", report.wrong_count());
    return text.take();
}

std::string make_tune_json(const TuneReport& report, const TuneScene& scene) {
    Json json;
    json["config"] = config_string();
    json["scene"] = report.title;
    json["question"] = question_text(scene);
    json["first_frame"] = scene.first_index();
    json["frame_count"] = scene.frame_count();
    for (std::size_t i = 0; i < scene.frame_count(); ++i) {
        json["boxes"].push_back(scene.frame(i).records.size());
        json["pairs"].push_back(scene.frame(i).pair_count);
    }
    json["default_against_itself"] = json_of(report.verdict.twins);
    json["first_race"] = json_of(report.first_race);
    json["final_race"] = json_of(report.final_race);
    json["held_out_first_frame"] = report.held_out.first;
    json["held_out_frame_count"] = report.held_out.count;
    json["confirming_race"] = json_of(report.confirming_race);
    json["recommendations"] = Json::array();
    for (const Recommendation& recommendation : report.verdict.recommendations) {
        const Candidate& candidate = report.final_race[recommendation.index].candidate;
        Json row = {{"wish", recommendation.wish.text}};
        row.update(json_of(candidate));
        row["is_default"] = is_same(candidate, report.final_race.front().candidate);
        row["ground"] = ground_name(recommendation.ground);
        row["times_as_fast_as_default"] = json_of(recommendation.gain);
        row["times_as_fast_where_chosen"] = json_of(recommendation.gain_where_chosen);
        row["times_as_slow_as_fastest"] = json_of(recommendation.loss);
        row["fastest"] = json_of(report.final_race[recommendation.fastest_index].candidate);
        if (recommendation.refused_index) {
            row["refused"] = json_of(report.confirming_race[*recommendation.refused_index].candidate);
        }
        row["cpp"] = cpp_settings(candidate, scene.has_movers());
        json["recommendations"].push_back(std::move(row));
    }
    return json.dump(1) + "\n";
}

}  // namespace broadside::tune
