// What follows from a race.
#include "tools/tune/recommendation.hpp"

#include <array>
#include <tuple>

namespace broadside::tune {
namespace {

constexpr std::array<Wish, 4> kWishes = {{
    {"canonical order, one thread", true, false},
    {"canonical order, threads", true, true},
    {"any order, one thread", false, false},
    {"any order, threads", false, true},
}};

// Whoever dropped out was left behind.
bool fulfils(const Entry& entry, const Wish& wish, std::size_t round_count) {
    if (entry.is_wrong || entry.seconds.size() < round_count) return false;
    if (wish.wants_canonical_order && entry.candidate.order != PairOrder::canonical) return false;
    return wish.has_threads || entry.candidate.thread_count == 1;
}

// The default fulfils every wish.
Recommendation recommend(const std::vector<Entry>& entries, const Wish& wish, const MeasuredRatio& twins) {
    const std::size_t round_count = entries.front().seconds.size();
    Recommendation answer;
    answer.wish = wish;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_faster = entries[i].gain().median > entries[answer.fastest_index].gain().median;
        if (fulfils(entries[i], wish, round_count) && is_faster) answer.fastest_index = i;
    }
    const Entry& fastest = entries[answer.fastest_index];
    answer.index = answer.fastest_index;
    // Fewer settings first, then fewer threads, then the greater gain.
    const auto cost = [](const Entry& entry) {
        return std::make_tuple(setting_count(entry.candidate), entry.candidate.thread_count,
                               -entry.gain().median);
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!fulfils(entries[i], wish, round_count) || cost(entries[i]) >= cost(entries[answer.index]))
            continue;
        // The default was measured beside the fastest; others are compared by way of the default, and are no
        // answer where they gain nothing over it.
        const MeasuredRatio loss = i == 0 ? fastest.gain() : entries[i].loss_to(fastest);
        const bool is_worth_saying = i == 0 || !entries[i].gain().is_within_noise(twins);
        if (is_worth_saying && loss.is_within_noise(twins)) answer.index = i;
    }
    answer.gain = entries[answer.index].gain();
    answer.loss = entries[answer.index].loss_to(fastest);
    return answer;
}

}  // namespace

Verdict judge(const std::vector<Entry>& entries) {
    Verdict verdict;
    verdict.twins = entries.front().gain();
    for (const Wish& wish : kWishes) {
        const Recommendation recommendation = recommend(entries, wish, verdict.twins);
        const bool repeats = wish.has_threads && entries[recommendation.index].candidate.thread_count == 1;
        if (!repeats) verdict.recommendations.push_back(recommendation);
    }
    return verdict;
}

}  // namespace broadside::tune
