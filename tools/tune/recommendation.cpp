// What follows from a race.
#include "tools/tune/recommendation.hpp"

#include <array>
#include <optional>
#include <tuple>

namespace broadside::tune {
namespace {

constexpr std::array<Wish, 4> kWishes = {{
    {"canonical order, one thread", true, false},
    {"canonical order, threads", true, true},
    {"any order, one thread", false, false},
    {"any order, threads", false, true},
}};

bool fulfils(const Entry& entry, const Wish& wish) {
    if (entry.is_wrong || entry.seconds.empty()) return false;
    if (wish.wants_canonical_order && entry.candidate.order != PairOrder::canonical) return false;
    return wish.has_threads || entry.candidate.thread_count == 1;
}

std::optional<Recommendation> recommend(const std::vector<Entry>& entries, const Wish& wish,
                                        const MeasuredRatio& twins) {
    Recommendation answer = {wish, kNoIndex, kNoIndex, {}, {}};
    // The last one is the default's twin.
    const std::size_t count = entries.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
        if (!fulfils(entries[i], wish)) continue;
        const bool is_first = answer.fastest_index == kNoIndex;
        if (is_first || median_of(entries[i].seconds) < median_of(entries[answer.fastest_index].seconds)) {
            answer.fastest_index = i;
        }
    }
    if (answer.fastest_index == kNoIndex) return std::nullopt;
    const Entry& fastest = entries[answer.fastest_index];
    // Fewer settings first, then fewer threads, then less time.
    const auto cost = [](const Entry& entry) {
        return std::make_tuple(setting_count(entry.candidate), entry.candidate.thread_count,
                               median_of(entry.seconds));
    };
    for (std::size_t i = 0; i < count; ++i) {
        // Whoever dropped out was left behind.
        const bool is_in_time =
            fulfils(entries[i], wish) && entries[i].seconds.size() >= fastest.seconds.size();
        if (!is_in_time) continue;
        const MeasuredRatio loss = ratio_of(entries[i].seconds, fastest.seconds);
        if (i != answer.fastest_index && !loss.is_within_noise(twins)) continue;
        if (answer.index == kNoIndex || cost(entries[i]) < cost(entries[answer.index])) {
            answer.index = i;
            answer.loss = loss;
        }
    }
    answer.gain = ratio_of(entries.front().seconds, entries[answer.index].seconds);
    return answer;
}

}  // namespace

Verdict judge(const std::vector<Entry>& entries) {
    Verdict verdict;
    verdict.twins = ratio_of(entries.front().seconds, entries.back().seconds);
    for (const Wish& wish : kWishes) {
        const std::optional<Recommendation> recommendation = recommend(entries, wish, verdict.twins);
        if (!recommendation) continue;
        const bool repeats = wish.has_threads && entries[recommendation->index].candidate.thread_count == 1;
        if (!repeats) verdict.recommendations.push_back(*recommendation);
    }
    return verdict;
}

}  // namespace broadside::tune
