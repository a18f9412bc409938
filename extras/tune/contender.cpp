// find_pairs with and without memory, and World, as contenders.
#include "extras/tune/contender.hpp"

#include "extras/recording/recording_boxes.hpp"
#include "extras/recording/world_follower.hpp"

#include <broadside/pair_cache.hpp>

#include <algorithm>
#include <chrono>

namespace broadside::tune {
namespace {

template <class Call>
double seconds_of(Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class FindPairsContender final : public Contender {
public:
    FindPairsContender(const Candidate& candidate, const TuneScene& scene, const TaskRunner* runner)
        : scene_(scene), method_(candidate.method), cache_(candidate.margin) {
        settings_.algorithm = candidate.algorithm;
        settings_.sweep_axis = candidate.sweep_axis;
        settings_.cell_counts = candidate.cell_counts;
        settings_.order = candidate.order;
        settings_.runner = runner;
        cache_.set_stable_filter(scene.has_movers());
    }

    double show(std::size_t frame_index) override {
        const TuneFrame& frame = scene_.frame(frame_index);
        if (scene_.has_movers()) settings_.filter.subset_bits = frame.mover_bits;
        const bool is_first = shown_index_ == kNoIndex;
        const bool has_new_objects = is_first || !scene_.has_same_objects(shown_index_, frame_index);
        const bool rests = !is_first && scene_.has_same_static_boxes(shown_index_, frame_index);
        shown_index_ = frame_index;
        return seconds_of([&] {
            if (method_ == Method::cache && has_new_objects) cache_.clear();
            if (method_ == Method::resting && !rests) {
                recording::require_ok(resting_.build(frame.boxes, frame.mover_bits, settings_.runner));
            }
            const FindPairsResult found = find(frame.boxes);
            recording::require_ok(found.status);
            cache_use_ = found.plan.cache_use;
        });
    }

    bool has_refilled() const override { return cache_use_ == CacheUse::found_anew; }

    std::vector<IndexPair> pairs() override { return {pairs_.begin(), pairs_.end()}; }

private:
    FindPairsResult find(const BoxSoaView& boxes) {
        if (method_ == Method::resting) return resting_.find_pairs(boxes, settings_, scratch_, pairs_);
        if (method_ == Method::cache) return cache_.find_pairs(boxes, settings_, scratch_, pairs_);
        return find_pairs(boxes, settings_, scratch_, pairs_);
    }

    const TuneScene& scene_;
    Method method_;
    FindPairsSettings settings_;
    RestingBoxes resting_;
    PairCache cache_;
    CacheUse cache_use_ = CacheUse::none;
    BoxScratch scratch_;
    PairBuffer pairs_;
    std::size_t shown_index_ = kNoIndex;
};

class WorldContender final : public Contender {
public:
    WorldContender(const TuneScene& scene, const TaskRunner* runner)
        : scene_(scene), follower_({.fixed_objects_pair = !scene.has_movers()}), runner_(runner) {}

    double show(std::size_t frame_index) override {
        shown_index_ = frame_index;
        follower_.prepare(scene_.frame(frame_index).records);
        return seconds_of([&] {
            (void)follower_.step(runner_);
            // Collected on demand.
            follower_.world().pairs();
        });
    }

    std::vector<IndexPair> pairs() override {
        const std::vector<scene_io::BoxRecord>& records = scene_.frame(shown_index_).records;
        const auto ids = follower_.ids();
        const auto index_of = [&](ObjectHandle handle) {
            const auto found = std::lower_bound(
                records.begin(), records.end(), ids.at(handle.value),
                [](const scene_io::BoxRecord& record, std::uint32_t id) { return record.id < id; });
            return static_cast<std::uint32_t>(found - records.begin());
        };
        std::vector<IndexPair> pairs;
        for (const WorldPair& pair : follower_.world().pairs()) {
            const std::uint32_t a = index_of(pair.a);
            const std::uint32_t b = index_of(pair.b);
            pairs.push_back({std::min(a, b), std::max(a, b)});
        }
        return pairs;
    }

private:
    const TuneScene& scene_;
    recording::WorldFollower follower_;
    const TaskRunner* runner_;
    std::size_t shown_index_ = 0;
};

}  // namespace

std::unique_ptr<Contender> make_contender(const Candidate& candidate, const TuneScene& scene,
                                          const TaskRunner* runner) {
    if (candidate.method == Method::world) return std::make_unique<WorldContender>(scene, runner);
    return std::make_unique<FindPairsContender>(candidate, scene, runner);
}

std::size_t frame_of_step(std::size_t step, std::size_t frame_count) {
    if (frame_count < 2) return 0;
    const std::size_t place = step % (2 * (frame_count - 1));
    return place < frame_count ? place : 2 * (frame_count - 1) - place;
}

bool is_right(Contender& contender, const TuneScene& scene, bool is_canonical) {
    const std::size_t step_count = scene.frame_count() == 1 ? 1 : 2 * scene.frame_count();
    for (std::size_t step = 0; step < step_count; ++step) {
        const std::size_t index = frame_of_step(step, scene.frame_count());
        contender.show(index);
        const std::vector<IndexPair> pairs = contender.pairs();
        if (is_canonical && !std::is_sorted(pairs.begin(), pairs.end())) return false;
        const TuneFrame& frame = scene.frame(index);
        if (pairs.size() != frame.pair_count || hash_of(pairs) != frame.pairs_hash) return false;
    }
    return true;
}

}  // namespace broadside::tune
