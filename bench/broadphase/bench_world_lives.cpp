// World in lives that are not steady, beside a plain find_pairs of the same boxes in canonical order and their
// setting: the worst frame in units of that, frame by frame, and median, 99th percentile and maximum.
#include "bench/broadphase/world_frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/scenes/scene_random.hpp>
#include <broadside/world.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::bench {
namespace {

constexpr int kFrameCount = 500;
constexpr std::size_t kSubsetDivisor = 6;

enum class Kind { teleports, random_movers, spawns, wake, fast, projectiles, jitter };

struct LifeSpec {
    const char* name;
    Kind kind;
    // Of all objects, in a frame.
    float share;
};

constexpr LifeSpec kLives[] = {
    {"teleports_1_percent", Kind::teleports, 0.01f},
    {"teleports_all", Kind::teleports, 1},
    {"random_movers_0.1_percent", Kind::random_movers, 0.001f},
    {"random_movers_1_percent", Kind::random_movers, 0.01f},
    {"random_movers_5_percent", Kind::random_movers, 0.05f},
    {"random_movers_30_percent", Kind::random_movers, 0.3f},
    {"spawns_1_percent", Kind::spawns, 0.01f},
    {"sudden_wake", Kind::wake, 1},
    {"fast_motion", Kind::fast, 1},
    {"projectiles", Kind::projectiles, 1},
    {"jitter", Kind::jitter, 1},
};

// Sides of a swept box as a World has them, rounded outwards. Sums of these coordinates and steps are exact as doubles.
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

// All that a frame does to the objects, in a scene as dense as `uniform`.
class UnsteadyLife {
public:
    UnsteadyLife(const LifeSpec& spec, std::size_t count)
        : spec_(spec), random_(7), side_(1.26f * std::cbrt(static_cast<float>(count))) {
        const bool has_projectiles = spec.kind == Kind::projectiles;
        fixed_count_ = has_projectiles ? count - count / kSubsetDivisor : 0;
        const float speed = has_projectiles ? 3 : spec.kind == Kind::fast ? 0.3f : 0.05f;
        boxes_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            boxes_[i] = anywhere(i);
            steps_.push_back(random_.in_cube(speed));
            handles_.push_back(world_.add(description(i)));
        }
        if (world_.update().status != Status::ok) std::abort();
    }
    double frame() {
        moved_.clear();
        gone_.clear();
        come_.clear();
        come_index_.clear();
        moved_boxes_.clear();
        for (std::size_t i = fixed_count_; i < boxes_.size(); ++i) live(i);
        ++frame_;
        std::vector<ObjectHandle> handles(come_.size());
        const BoxSoa boxes = soa_of(moved_boxes_);
        const double seconds = seconds_of([&] {
            if (!gone_.empty()) {
                if (world_.remove(gone_).status != Status::ok) std::abort();
                if (world_.add(come_, handles).status != Status::ok) std::abort();
            }
            if (world_.set_boxes(moved_, boxes).status != Status::ok) std::abort();
            if (world_.update().status != Status::ok) std::abort();
        });
        for (std::size_t k = 0; k < come_index_.size(); ++k) handles_[come_index_[k]] = handles[k];
        return seconds;
    }
    /// The same by a search that remembers nothing; its pairs are compared with the world's by number.
    double plain_frame(const std::string& name) {
        std::vector<Aabb> swept_boxes = boxes_;
        for (std::size_t i = fixed_count_; i < boxes_.size() && fixed_count_ != 0; ++i)
            swept_boxes[i] = swept_outwards(boxes_[i], steps_[i]);
        FindPairsSettings settings;
        std::vector<std::uint64_t> movers(bit_word_count(boxes_.size()));
        for (std::size_t i = fixed_count_; i < boxes_.size(); ++i)
            movers[i / 64] |= std::uint64_t{1} << i % 64;
        if (fixed_count_ != 0) settings.filter.subset_bits = movers;
        const double seconds = seconds_of([&] {
            for (std::size_t i = 0; i < swept_boxes.size(); ++i) plain_.set(i, swept_boxes[i]);
            if (find_pairs(plain_.view(), settings, scratch_, found_).status != Status::ok) std::abort();
        });
        require_same(found_.size() == world_.pair_count(), name);
        return seconds;
    }
    void start_plain() {
        if (plain_.resize(boxes_.size()) != Status::ok) std::abort();
    }

private:
    ObjectDescription description(std::size_t i) const {
        ObjectDescription description;
        description.box = boxes_[i];
        description.kind = i < fixed_count_ ? ObjectKind::fixed : ObjectKind::moving;
        if (fixed_count_ != 0 && i >= fixed_count_) description.displacement = steps_[i];
        return description;
    }
    Aabb anywhere(std::size_t i) {
        const float half = side_ / 2;
        const Vec3 min = random_.in_cube(half) + Vec3{half, half, half};
        const Vec3 by = random_.in_cube(0.5f);
        const Vec3 extent =
            i >= fixed_count_ && fixed_count_ != 0 ? Vec3{0.1f, 0.1f, 0.1f} : Vec3{1, 1, 1} + by;
        return {min, min + extent};
    }
    bool is_chosen() { return random_.in_cube(1).x * 0.5f + 0.5f < spec_.share; }
    void move(std::size_t i, Vec3 by) {
        boxes_[i] = {boxes_[i].min + by, boxes_[i].max + by};
        note(i);
    }
    void note(std::size_t i) {
        moved_.push_back(handles_[i]);
        moved_boxes_.push_back(boxes_[i]);
    }
    void live(std::size_t i) {
        switch (spec_.kind) {
            case Kind::teleports:
                if (!is_chosen()) return move(i, steps_[i]);
                boxes_[i] = anywhere(i);
                return note(i);
            case Kind::random_movers:
                if (is_chosen()) move(i, random_.in_cube(0.1f));
                return;
            case Kind::spawns:
                if (!is_chosen()) return move(i, steps_[i]);
                boxes_[i] = anywhere(i);
                gone_.push_back(handles_[i]);
                come_.push_back(description(i));
                come_index_.push_back(i);
                return;
            case Kind::wake:
                // Twenty frames of a handful, twenty of all.
                if (frame_ / 20 % 2 == 1 || i < 3) move(i, steps_[i]);
                return;
            case Kind::jitter:
                return move(i, random_.in_cube(0.001f));
            case Kind::fast:
                return move(i, steps_[i]);
            case Kind::projectiles: {
                move(i, steps_[i]);
                const Vec3 at = boxes_[i].min;
                const bool is_in =
                    at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x <= side_ && at.y <= side_ && at.z <= side_;
                if (is_in) return;
                boxes_[i] = anywhere(i);
                moved_boxes_.back() = boxes_[i];
                return;
            }
        }
    }

    LifeSpec spec_;
    scenes::SceneRandom random_;
    float side_;
    std::size_t fixed_count_ = 0;
    int frame_ = 0;
    World world_;
    std::vector<ObjectHandle> handles_;
    std::vector<Aabb> boxes_;
    std::vector<Vec3> steps_;
    std::vector<ObjectHandle> moved_;
    std::vector<Aabb> moved_boxes_;
    std::vector<ObjectHandle> gone_;
    std::vector<ObjectDescription> come_;
    std::vector<std::size_t> come_index_;
    BoxSoa plain_;
    FindPairsScratch scratch_;
    PairBuffer found_;
};

void run(benchmark::State& state, const LifeSpec& spec, std::size_t count, const std::string& name) {
    UnsteadyLife life(spec, count);
    life.start_plain();
    std::vector<double> seconds;
    std::vector<double> plain_seconds;
    std::vector<double> ratios;
    for (auto _ : state) {
        seconds.push_back(life.frame());
        plain_seconds.push_back(life.plain_frame(name));
        ratios.push_back(seconds.back() / plain_seconds.back());
        state.SetIterationTime(seconds.back());
    }
    const auto at = [](std::vector<double>& list, double share) {
        std::sort(list.begin(), list.end());
        return list[static_cast<std::size_t>(share * static_cast<double>(list.size() - 1))];
    };
    state.counters["median_us"] = 1e6 * at(seconds, 0.5);
    state.counters["p99_us"] = 1e6 * at(seconds, 0.99);
    state.counters["max_us"] = 1e6 * at(seconds, 1);
    state.counters["plain_us"] = 1e6 * at(plain_seconds, 0.5);
    state.counters["median_ratio"] = at(ratios, 0.5);
    state.counters["p99_ratio"] = at(ratios, 0.99);
}

void register_rows() {
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
        for (const LifeSpec& spec : kLives) {
            for (const Isa isa : supported_isas()) {
                const std::string name = benchmark_name("broadphase/world_lives", spec.name, count, isa);
                benchmark::RegisterBenchmark(name.c_str(),
                                             [=](benchmark::State& state) {
                                                 use_isa(isa);
                                                 run(state, spec, count, name);
                                             })
                    ->Unit(benchmark::kMicrosecond)
                    ->UseManualTime()
                    ->Iterations(kFrameCount);
            }
        }
    }
}

const Suite suite("world_lives", &register_rows,
                  {"broadphase/world_lives/(spawns_1_percent|sudden_wake|projectiles)/10000/widest"});

}  // namespace

}  // namespace broadside::bench
