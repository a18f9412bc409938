// A peer's pairs against the exact set: its extra and its missing pairs are in its row.
#pragma once

#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace broadside::bench {

/// Every pair of overlapping boxes, closed, sorted. By brute force up to 20,000 boxes; beyond, by the sweep,
/// which the tests compare with brute force.
inline std::vector<IndexPair> exact_pairs(const std::vector<Aabb>& boxes) {
    constexpr std::size_t kBruteForceCountMax = 20000;
    BoxSoa soa;
    const BoxAosView view = {.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()};
    if (soa.assign(view) != Status::ok) std::abort();
    FindPairsSettings settings;
    settings.algorithm =
        boxes.size() <= kBruteForceCountMax ? PairAlgorithm::brute_force : PairAlgorithm::automatic;
    BoxScratch scratch;
    PairBuffer pairs;
    if (find_pairs(soa, settings, scratch, pairs).status != Status::ok) std::abort();
    return {pairs.begin(), pairs.end()};
}

inline IndexPair sorted_pair(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

struct PairDifference {
    std::size_t expected_count = 0;
    /// Listed without an overlap, or more than once.
    std::size_t extra_count = 0;
    std::size_t missing_count = 0;

    /// Adds the difference of another frame.
    PairDifference& operator+=(const PairDifference& other) {
        expected_count += other.expected_count;
        extra_count += other.extra_count;
        missing_count += other.missing_count;
        return *this;
    }
};

/// `found` in any order, the smaller index first; `expected` sorted.
inline PairDifference compare_pairs(std::vector<IndexPair> found, const std::vector<IndexPair>& expected) {
    std::sort(found.begin(), found.end());
    PairDifference difference = {expected.size(), 0, 0};
    std::size_t f = 0;
    for (const IndexPair& pair : expected) {
        for (; f < found.size() && found[f] < pair; ++f) ++difference.extra_count;
        const bool is_found = f < found.size() && found[f] == pair;
        f += is_found ? 1 : 0;
        difference.missing_count += is_found ? 0 : 1;
    }
    difference.extra_count += found.size() - f;
    return difference;
}

/// Writes to the row how the peer's list differs, if it does. Returns false, with an error in the row, if it
/// differs so much that it must be the result of another query.
inline bool report_difference(benchmark::State& state, const PairDifference& difference) {
    const std::size_t wrong_count = difference.extra_count + difference.missing_count;
    const std::string text = std::to_string(difference.extra_count) + " extra, " +
                             std::to_string(difference.missing_count) + " missing of " +
                             std::to_string(difference.expected_count) + " pairs";
    if (wrong_count * 20 > difference.expected_count) {
        state.SkipWithError(text.c_str());
        return false;
    }
    state.counters["checked_pairs"] = static_cast<double>(difference.expected_count);
    state.counters["extra_pairs"] = static_cast<double>(difference.extra_count);
    state.counters["missing_pairs"] = static_cast<double>(difference.missing_count);
    if (wrong_count != 0) state.SetLabel(text);
    return true;
}

/// The name of our row, with the peer in place of the ISA.
inline std::string peer_name(const std::string& algorithm, const std::string& scene, std::size_t count,
                             const char* peer) {
    return "broadphase/" + algorithm + "/" + scene + "/" + std::to_string(count) + "/" + peer;
}

}  // namespace broadside::bench
