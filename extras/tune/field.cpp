// The candidates that take part.
#include "extras/tune/field.hpp"

#include "extras/recording/recording_boxes.hpp"

#include <algorithm>
#include <cmath>

namespace broadside::tune {
namespace {

// Brute force takes part up to this count: some 8 million tests a frame.
constexpr std::size_t kMaxBruteForceCount = 4000;
// Leaders of each order in the final.
constexpr std::size_t kLeaderCount = 3;

// The planned number of cells for the scene, and about half and twice as many.
std::vector<CellCounts> cell_counts_to_try(const TuneFrame& frame) {
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(frame.boxes, settings, pairs);
    recording::require_ok(result.status);
    const CellCounts planned = result.plan.cell_counts;
    std::vector<CellCounts> counts = {{}};
    for (const double factor : {0.7, 1.4}) {
        const auto scaled = [&](std::uint32_t count) {
            return std::max(1u, static_cast<std::uint32_t>(std::lround(count * factor)));
        };
        const CellCounts tried = {scaled(planned.x), scaled(planned.y), scaled(planned.z)};
        const bool is_other = tried.x != planned.x || tried.y != planned.y || tried.z != planned.z;
        const bool is_legal = std::uint64_t{tried.x} * tried.y * tried.z <= kMaxCellCount;
        if (planned.x != 0 && is_other && is_legal) counts.push_back(tried);
    }
    return counts;
}

// A few, some tens and about a hundred frames' motion of the fastest tenth, as long as boxes do not drown in
// it.
std::vector<float> margins_to_try(const TuneScene& scene) {
    const double side = scene.longest_side().median;
    const double motion = scene.motion().count != 0 ? scene.motion().p90 : 0.01 * side;
    std::vector<float> margins;
    for (const double factor : {3.0, 12.0, 50.0}) {
        const double raw = factor * motion;
        // The smallest one is always tried, so that the user sees its cost.
        if (!(raw > 0) || (raw > side && !margins.empty())) continue;
        // Two digits: a margin is a rule of thumb, and is pasted.
        const double unit = std::pow(10.0, std::floor(std::log10(raw)) - 1);
        margins.push_back(static_cast<float>(std::round(raw / unit) * unit));
    }
    return margins;
}

void add(std::vector<Entry>& state_entries, const Candidate& candidate, bool is_anchor) {
    for (Entry& entry : state_entries) {
        if (!is_same(entry.candidate, candidate)) continue;
        entry.is_anchor = entry.is_anchor || is_anchor;
        return;
    }
    state_entries.push_back({candidate, is_anchor, false, {}, {}});
}

void add_plain(const TuneScene& scene, Candidate candidate, std::vector<Entry>& state_entries) {
    const TuneFrame& frame = scene.frame(0);
    const bool is_default_order = candidate.order == PairOrder::canonical;
    add(state_entries, candidate, is_default_order);
    if (frame.records.size() <= kMaxBruteForceCount) {
        candidate.algorithm = PairAlgorithm::brute_force;
        add(state_entries, candidate, false);
    }
    candidate.algorithm = PairAlgorithm::sweep_and_prune;
    for (const SweepAxis axis : {SweepAxis::automatic, SweepAxis::x, SweepAxis::y, SweepAxis::z}) {
        candidate.sweep_axis = axis;
        add(state_entries, candidate, false);
    }
    candidate.sweep_axis = SweepAxis::automatic;
    candidate.algorithm = PairAlgorithm::cells;
    for (const CellCounts& counts : cell_counts_to_try(frame)) {
        candidate.cell_counts = counts;
        add(state_entries, candidate, false);
    }
}

bool is_group_of(const Candidate& candidate, Method method, PairOrder order) {
    return candidate.method == method && candidate.order == order;
}

}  // namespace

std::vector<Entry> first_field(const TuneScene& scene, Isa isa) {
    std::vector<Entry> entries;
    Candidate candidate;
    candidate.isa = isa;
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        candidate.order = order;
        add_plain(scene, candidate, entries);
        candidate.method = Method::resting;
        if (scene.has_movers()) add(entries, candidate, false);
        candidate.method = Method::plain;
    }
    // With one frame, nothing can be kept from frame to frame.
    if (scene.frame_count() < 2) return entries;
    candidate.order = PairOrder::canonical;
    candidate.method = Method::cache;
    for (const float margin : margins_to_try(scene)) {
        candidate.margin = margin;
        add(entries, candidate, false);
    }
    candidate.margin = 0;
    candidate.method = Method::world;
    add(entries, candidate, true);
    return entries;
}

std::vector<Entry> final_field(const std::vector<Entry>& raced, const FieldSettings& settings) {
    std::vector<const Entry*> by_gain;
    for (const Entry& entry : raced) {
        if (!entry.is_wrong) by_gain.push_back(&entry);
    }
    std::sort(by_gain.begin(), by_gain.end(),
              [](const Entry* a, const Entry* b) { return median_of(a->seconds) < median_of(b->seconds); });
    std::vector<Entry> entries;
    if (raced.empty()) return entries;
    std::vector<Candidate> leaders = {raced.front().candidate};
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        std::size_t leader_count = 0;
        for (const Entry* entry : by_gain) {
            if (entry->candidate.order != order) continue;
            if (leader_count++ == kLeaderCount) break;
            leaders.push_back(entry->candidate);
        }
        for (const Method method : {Method::resting, Method::cache, Method::world}) {
            const auto best = std::find_if(by_gain.begin(), by_gain.end(), [&](const Entry* entry) {
                return is_group_of(entry->candidate, method, order);
            });
            if (best != by_gain.end()) leaders.push_back((*best)->candidate);
        }
    }
    for (const Candidate& leader : leaders) {
        // The default, and a World, which returns more than pairs: its cost is of interest.
        const bool is_anchor = &leader == &leaders.front() || leader.method == Method::world;
        add(entries, leader, is_anchor);
    }
    for (Candidate leader : leaders) {
        for (std::size_t i = 1; i < settings.isas.size(); ++i) {
            leader.isa = settings.isas[i];
            add(entries, leader, false);
        }
        leader.isa = settings.isas.front();
        for (const std::uint32_t thread_count : settings.thread_counts) {
            leader.thread_count = thread_count;
            add(entries, leader, false);
        }
    }
    return entries;
}

}  // namespace broadside::tune
