// The recommendation of a race.
#include "extras/tune/recommendation.hpp"

#include <algorithm>
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

// The proposals tried for each wish on the frames held out.
constexpr std::size_t kProposalCount = 3;

// A candidate that dropped out fulfils no wish.
bool fulfils(const Entry& entry, const Wish& wish, std::size_t round_count) {
    if (entry.is_wrong || entry.seconds.size() < round_count || !entry.has_whole_cost()) return false;
    if (wish.wants_canonical_order && entry.candidate.order != PairOrder::canonical) return false;
    return wish.has_threads || entry.candidate.thread_count == 1;
}

bool gains(const Entry& entry, const MeasuredRatio& twins) {
    const MeasuredRatio gain = entry.gain();
    return gain.median > 1 && !gain.is_within_noise(twins);
}

// The default fulfils every wish.
Proposal propose(const std::vector<Entry>& raced, const Wish& wish) {
    const std::size_t round_count = raced.front().seconds.size();
    const MeasuredRatio twins = raced.front().gain();
    std::vector<std::size_t> by_gain;
    for (std::size_t i = 0; i < raced.size(); ++i) {
        if (i == 0 || fulfils(raced[i], wish, round_count)) by_gain.push_back(i);
    }
    std::stable_sort(by_gain.begin(), by_gain.end(), [&](std::size_t a, std::size_t b) {
        return raced[a].gain().median > raced[b].gain().median;
    });
    Proposal proposal = {wish, by_gain.front(), {}};
    const Entry& fastest = raced[proposal.fastest_index];
    std::size_t best = proposal.fastest_index;
    // Fewer settings first, then fewer threads, then the greater gain.
    const auto cost = [](const Entry& entry) {
        return std::make_tuple(setting_count(entry.candidate), entry.candidate.thread_count,
                               -entry.gain().median);
    };
    for (const std::size_t i : by_gain) {
        if (cost(raced[i]) >= cost(raced[best])) continue;
        // The default was measured beside the fastest; others are compared by way of the default, and are not
        // recommended unless they gain over it.
        const MeasuredRatio loss = i == 0 ? fastest.gain() : raced[i].loss_to(fastest);
        const bool is_worth_saying = i == 0 || !raced[i].gain().is_within_noise(twins);
        if (is_worth_saying && loss.is_within_noise(twins)) best = i;
    }
    if (best == 0) return proposal;
    by_gain.insert(by_gain.begin(), best);
    for (const std::size_t i : by_gain) {
        const bool is_new =
            std::find(proposal.indices.begin(), proposal.indices.end(), i) == proposal.indices.end();
        if (is_new && i != 0 && gains(raced[i], twins)) proposal.indices.push_back(i);
        if (proposal.indices.size() == kProposalCount) break;
    }
    return proposal;
}

Recommendation recommend(const std::vector<Entry>& raced, const Proposal& proposal,
                         const std::vector<Entry>& confirming) {
    Recommendation answer;
    answer.wish = proposal.wish;
    answer.fastest_index = proposal.fastest_index;
    answer.gain = (confirming.empty() ? raced : confirming).front().gain();
    if (!proposal.indices.empty())
        answer.ground = confirming.empty() ? Ground::no_frames : Ground::not_confirmed;
    for (const std::size_t i : proposal.indices) {
        const auto tried = std::find_if(confirming.begin(), confirming.end(), [&](const Entry& entry) {
            return is_same(entry.candidate, raced[i].candidate);
        });
        if (tried == confirming.end()) continue;
        const bool is_confirmed = fulfils(*tried, proposal.wish, confirming.front().seconds.size()) &&
                                  gains(*tried, confirming.front().gain());
        if (is_confirmed) {
            answer.ground = Ground::confirmed;
            answer.index = i;
            answer.gain = tried->gain();
            break;
        }
        if (!answer.refused_index)
            answer.refused_index = static_cast<std::size_t>(tried - confirming.begin());
    }
    answer.gain_where_chosen = raced[answer.index].gain();
    answer.loss = raced[answer.index].loss_to(raced[answer.fastest_index]);
    return answer;
}

}  // namespace

std::vector<Proposal> propose(const std::vector<Entry>& raced) {
    std::vector<Proposal> proposals;
    for (const Wish& wish : kWishes) proposals.push_back(propose(raced, wish));
    return proposals;
}

std::vector<Entry> confirming_field(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals) {
    std::vector<std::size_t> indices = {0};
    for (const Proposal& proposal : proposals) {
        for (const std::size_t i : proposal.indices) {
            if (std::find(indices.begin(), indices.end(), i) == indices.end()) indices.push_back(i);
        }
    }
    std::vector<Entry> field;
    for (const std::size_t i : indices) field.push_back({.candidate = raced[i].candidate, .is_anchor = true});
    return field;
}

Verdict judge(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals,
              const std::vector<Entry>& confirming) {
    Verdict verdict;
    verdict.twins = raced.front().gain();
    if (!confirming.empty()) verdict.held_out_twins = confirming.front().gain();
    for (const Proposal& proposal : proposals) {
        Recommendation recommendation = recommend(raced, proposal, confirming);
        const bool repeats =
            proposal.wish.has_threads && raced[recommendation.index].candidate.thread_count == 1;
        if (!repeats) verdict.recommendations.push_back(std::move(recommendation));
    }
    return verdict;
}

}  // namespace broadside::tune
