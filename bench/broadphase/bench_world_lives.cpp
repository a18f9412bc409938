// World under sequences of any kind beside a flat stage: find_pairs of all boxes in each frame, in canonical
// order, merged with the previous list into begun and ended pairs. Both run the same sequence in one process,
// frame by frame in turn.
#include "bench/broadphase/world_life.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/world.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace broadside::bench {
namespace {

constexpr std::size_t kLifeFrames = 600;
// Equal runs; the least time of each frame counts, without disturbances by other programs.
constexpr int kEqualLives = 3;
// These frames touch memory for the first time; their worst frame is a counter of its own.
constexpr std::size_t kFirstFrames = 2;

// Sides of a swept box as in a World, rounded outwards. Sums of these coordinates and steps are exact as
// doubles.
float swept_min(float side, float step) {
    const double exact = side + std::min(double{step}, 0.0);
    const auto rounded = static_cast<float>(exact);
    return rounded > exact ? next_down(rounded) : rounded;
}
float swept_max(float side, float step) { return -swept_min(-side, -step); }
Aabb swept_outwards(const Aabb& box, Vec3 step) {
    return {{swept_min(box.min.x, step.x), swept_min(box.min.y, step.y), swept_min(box.min.z, step.z)},
            {swept_max(box.max.x, step.x), swept_max(box.max.y, step.y), swept_max(box.max.z, step.z)}};
}

// The code of a host without a World: no handles, no filters, no values.
class Flat {
public:
    explicit Flat(const Life& life) : life_(life), mover_bits_(bit_word_count(life.boxes.size())) {
        if (boxes_.resize(life.boxes.size()) != Status::ok) std::abort();
        for (std::size_t i = 0; i < life.boxes.size(); ++i) boxes_.set(i, kNowhere);
    }
    double frame() {
        changed_.clear();
        for (const std::uint32_t i : life_.removed) changed_.push_back({i, kNowhere});
        for (const auto* list : {&life_.added, &life_.moved}) {
            for (const std::uint32_t i : *list) {
                const bool is_swept = !life_.displacements.empty();
                const Aabb& box = life_.boxes[i];
                changed_.push_back({i, is_swept ? swept_outwards(box, life_.displacements[i]) : box});
            }
        }
        for (const std::uint32_t i : life_.added) {
            const std::uint64_t bit = std::uint64_t{1} << i % 64;
            mover_bits_[i / 64] = life_.are_fixed[i] ? mover_bits_[i / 64] & ~bit : mover_bits_[i / 64] | bit;
        }
        FindPairsSettings settings;
        if (std::find(life_.are_fixed.begin(), life_.are_fixed.end(), true) != life_.are_fixed.end())
            settings.filter.subset_bits = mover_bits_;
        std::swap(pairs_, before_);
        return seconds_of([&] {
            for (const auto& [index, box] : changed_) boxes_.set(index, box);
            if (find_pairs(boxes_.view(), settings, scratch_, pairs_).status != Status::ok) std::abort();
            merge();
        });
    }
    std::size_t pair_count() const { return pairs_.size(); }
    std::size_t begun_count() const { return begun_.size(); }
    std::size_t ended_count() const { return ended_.size(); }

private:
    static constexpr Aabb kNowhere = {{1, 1, 1}, {0, 0, 0}};

    void merge() {
        begun_.clear();
        ended_.clear();
        const IndexPair* now = pairs_.begin();
        for (const IndexPair& before : before_) {
            while (now != pairs_.end() && *now < before) begun_.push_back(*now++);
            if (now != pairs_.end() && *now == before)
                ++now;
            else
                ended_.push_back(before);
        }
        begun_.insert(begun_.end(), now, static_cast<const IndexPair*>(pairs_.end()));
    }

    const Life& life_;
    std::vector<std::uint64_t> mover_bits_;
    std::vector<std::pair<std::uint32_t, Aabb>> changed_;
    BoxSoa boxes_;
    BoxScratch scratch_;
    PairBuffer pairs_;
    PairBuffer before_;
    std::vector<IndexPair> begun_;
    std::vector<IndexPair> ended_;
};

// The objects of a sequence in a World.
class Living {
public:
    explicit Living(const Life& life) : life_(life), handles_(life.boxes.size()) {}
    struct Seconds {
        double setting;
        double all;
    };
    Seconds frame() {
        removed_.clear();
        moved_.clear();
        moved_boxes_.clear();
        added_.clear();
        for (const std::uint32_t i : life_.removed) removed_.push_back(handles_[i]);
        for (const std::uint32_t i : life_.moved) {
            moved_.push_back(handles_[i]);
            moved_boxes_.push_back(life_.boxes[i]);
        }
        for (const std::uint32_t i : life_.added) {
            ObjectDescription& description = added_.emplace_back();
            description.box = life_.boxes[i];
            description.kind = life_.are_fixed[i] ? ObjectKind::fixed : ObjectKind::moving;
            if (!life_.displacements.empty()) description.displacement = life_.displacements[i];
        }
        const BoxSoa boxes = soa_of(moved_boxes_);
        added_handles_.resize(added_.size());
        Seconds seconds = {};
        seconds.setting = seconds_of([&] {
            if (world_.remove(removed_).status != Status::ok ||
                world_.set_boxes(moved_, boxes).status != Status::ok ||
                world_.add(added_, added_handles_).status != Status::ok)
                std::abort();
        });
        seconds.all = seconds.setting + seconds_of([&] {
                          result_ = world_.update();
                          if (result_.status != Status::ok) std::abort();
                      });
        for (std::size_t k = 0; k < added_.size(); ++k) handles_[life_.added[k]] = added_handles_[k];
        return seconds;
    }
    // For the pairs of a hundred objects.
    double ask() {
        std::size_t pair_count = 0;
        const double seconds = seconds_of([&] {
            for (std::size_t i = 0; i < handles_.size(); i += std::max<std::size_t>(1, handles_.size() / 100))
                pair_count += world_.pairs_of(handles_[i]).size();
        });
        benchmark::DoNotOptimize(pair_count);
        return seconds;
    }
    // A flat stage cannot tell an object from the previous one with its index, so it has fewer events.
    bool is_like(const Flat& flat) const {
        return world_.pair_count() == flat.pair_count() && result_.begun_count >= flat.begun_count() &&
               result_.begun_count - flat.begun_count() == result_.ended_count - flat.ended_count();
    }

private:
    const Life& life_;
    World world_;
    UpdateResult result_;
    std::vector<ObjectHandle> handles_;
    std::vector<ObjectHandle> removed_;
    std::vector<ObjectHandle> moved_;
    std::vector<Aabb> moved_boxes_;
    std::vector<ObjectDescription> added_;
    std::vector<ObjectHandle> added_handles_;
};

using MakeLife = std::function<std::unique_ptr<Life>()>;

double sum(const std::vector<double>& list, std::size_t first = 0) {
    return std::accumulate(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(), 0.0);
}

void run(benchmark::State& state, const MakeLife& make_life, const std::string& name) {
    // For each frame the least time of World and of flat, with the setting that both need.
    std::vector<double> world_seconds(kLifeFrames, 1e9);
    std::vector<double> flat_seconds(kLifeFrames, 1e9);
    for (auto _ : state) {
        for (int equal = 0; equal < kEqualLives; ++equal) {
            const std::unique_ptr<Life> life = make_life();
            Living living(*life);
            Flat flat(*life);
            for (std::size_t frame = 0; frame < kLifeFrames; ++frame) {
                life->step();
                const Living::Seconds seconds = living.frame();
                world_seconds[frame] = std::min(world_seconds[frame], seconds.all);
                flat_seconds[frame] = std::min(flat_seconds[frame], flat.frame() + seconds.setting);
                require_same(living.is_like(flat), name);
            }
        }
        state.SetIterationTime(sum(world_seconds) / kLifeFrames);
    }
    double worst_frame = 0;
    for (std::size_t frame = kFirstFrames; frame < kLifeFrames; ++frame)
        worst_frame = std::max(worst_frame, world_seconds[frame] / flat_seconds[frame]);
    const double first = sum(world_seconds, 0) - sum(world_seconds, 40);
    state.counters["first_40_ratio"] = first / (sum(flat_seconds, 0) - sum(flat_seconds, 40));
    state.counters["mean_ratio"] = sum(world_seconds, 0) / sum(flat_seconds, 0);
    state.counters["steady_ratio"] = sum(world_seconds, 40) / sum(flat_seconds, 40);
    state.counters["worst_frame_ratio"] = worst_frame;
    state.counters["worst_ratio"] = *std::max_element(world_seconds.begin(), world_seconds.end()) /
                                    *std::max_element(flat_seconds.begin(), flat_seconds.end());
    std::sort(world_seconds.begin(), world_seconds.end());
    state.counters["median_us"] = 1e6 * world_seconds[kLifeFrames / 2];
    state.counters["p99_us"] = 1e6 * world_seconds[kLifeFrames * 99 / 100];
    state.counters["max_us"] = 1e6 * world_seconds.back();
}

// Two worlds run the same sequence, and one of them is queried after each update.
void run_asked(benchmark::State& state, const MakeLife& make_life) {
    std::vector<double> alone_seconds(kLifeFrames, 1e9);
    std::vector<double> asked_seconds(kLifeFrames, 1e9);
    std::vector<double> ask_seconds(kLifeFrames, 1e9);
    for (auto _ : state) {
        for (int equal = 0; equal < kEqualLives; ++equal) {
            const std::unique_ptr<Life> life = make_life();
            Living alone(*life);
            Living asked(*life);
            for (std::size_t frame = 0; frame < kLifeFrames; ++frame) {
                life->step();
                alone_seconds[frame] = std::min(alone_seconds[frame], alone.frame().all);
                asked_seconds[frame] = std::min(asked_seconds[frame], asked.frame().all);
                ask_seconds[frame] = std::min(ask_seconds[frame], asked.ask());
            }
        }
        state.SetIterationTime(sum(ask_seconds) / kLifeFrames);
    }
    state.counters["frame_ratio"] = sum(asked_seconds) / sum(alone_seconds);
    state.counters["frame_us"] = 1e6 * sum(alone_seconds) / kLifeFrames;
    std::sort(ask_seconds.begin(), ask_seconds.end());
    state.counters["median_us"] = 1e6 * ask_seconds[kLifeFrames / 2];
    state.counters["max_us"] = 1e6 * ask_seconds.back();
}

template <class Run>
void add_row(const std::string& row, Run&& run_row, Isa isa) {
    benchmark::RegisterBenchmark(row.c_str(),
                                 [isa, run_row](benchmark::State& state) {
                                     use_isa(isa);
                                     run_row(state);
                                 })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime()
        ->Iterations(1);
}

void add_row(const std::string& scene, std::size_t count, Isa isa, const MakeLife& make_life) {
    const std::string name = benchmark_name("broadphase/world_lives", scene, count, isa);
    add_row(
        name, [=](benchmark::State& state) { run(state, make_life, name); }, isa);
}

void register_rows() {
    for (const Isa isa : supported_isas()) {
        for (const std::size_t count : {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000}}) {
            for (const WorldScene& scene : kWorldScenes)
                add_row(scene.name, count, isa, [=] { return std::make_unique<SceneLife>(scene, count); });
            for (const LifeSpec& spec : kLives)
                add_row(spec.name, count, isa, [=] { return std::make_unique<UnsteadyLife>(spec, count); });
            for (const WorldScene& scene : kWorldScenes) {
                const auto make = [=] { return std::make_unique<SceneLife>(scene, count); };
                add_row(
                    benchmark_name("broadphase/world_asked", scene.name, count, isa),
                    [=](benchmark::State& state) { run_asked(state, make); }, isa);
            }
        }
        for (const FileScene& file : file_scenes()) {
            if (file.frames.size() < 2) continue;
            add_row(file.name, file.box_count(), isa,
                    [&file] { return std::make_unique<RecordedLife>(file); });
        }
    }
}

const Suite suite(
    "world_lives", &register_rows,
    {"broadphase/world_lives/(spawns_1_percent|sudden_wake|projectiles|uniform_moving)/1000/widest"});

}  // namespace

}  // namespace broadside::bench
