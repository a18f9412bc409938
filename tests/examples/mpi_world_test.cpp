// The example's MpiWorld beside one World: random operations on any number of ranks, every event and pair of
// every frame.
//
//   mpirun -n 4 broadside_mpi_tests [--objects N] [--frames N] [--seed N]
#include "examples/mpi_world/mpi_world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <thread>

using namespace broadside;
using namespace mpi_example;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Options {
    std::uint64_t object_count = 3000;
    std::uint64_t frame_count = 120;
    std::uint64_t seed = 1;
};

// Numbers derived from their purpose, so that each rank and the one World draw the same.
class Draws {
public:
    Draws(std::uint64_t seed, std::uint64_t frame, std::uint64_t id)
        : state_(seed * 0x9E3779B97F4A7C15u ^ frame * 0xC2B2AE3D27D4EB4Fu ^ id * 0x165667B19E3779F9u) {
        below(2);
    }
    std::uint64_t bits() {
        std::uint64_t bits = state_ += 0x9E3779B97F4A7C15u;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
        return bits ^ (bits >> 31);
    }
    std::uint64_t below(std::uint64_t end) { return bits() % end; }
    float number(float min, float max) {
        return min + (max - min) * (static_cast<float>(bits() >> 40) * 0x1p-24f);
    }

private:
    std::uint64_t state_;
};

// The operation on each object in each frame: a function of frame, id and box, and of the cuts.
class Life {
public:
    explicit Life(const Options& options)
        : options_(options), side_(std::cbrt(static_cast<float>(options.object_count))) {}

    std::uint64_t birth_count(std::uint64_t frame) const {
        if (frame == 0) return options_.object_count;
        // All from one rank, in some frames many.
        return options_.object_count / (frame % 13 == 5 ? 10 : 200);
    }
    // The first new id of a frame.
    std::uint64_t first_id(std::uint64_t frame) const {
        std::uint64_t id = 0;
        for (std::uint64_t before = 0; before < frame; ++before) id += birth_count(before);
        return id;
    }
    Aabb birth(std::uint64_t frame, std::uint64_t id) const {
        Draws draws(options_.seed, frame, id);
        return anywhere(draws, frame, id);
    }

    std::optional<Aabb> next(std::uint64_t frame, std::uint64_t id, const Aabb& box,
                             std::span<const float> cuts) const {
        Draws draws(options_.seed, frame, id);
        const float x_size = box.max.x - box.min.x;
        // Large and invalid boxes are few at a time.
        const bool is_odd = !(x_size < 3) || !is_valid(box);
        if (is_odd && draws.below(4) == 0) return anywhere(draws, frame, id);
        if (draws.below(2 * options_.object_count) == 0) return huge(draws);
        // In one frame of ten a third of all goes to one spot.
        if (frame % 10 == 7 && draws.below(3) == 0) return anywhere(draws, frame, id);
        const std::uint64_t chance = draws.below(1000);
        if (chance < 500) return box;
        if (chance < 505) return std::nullopt;
        if (chance < 520) return anywhere(draws, frame, id);
        if (is_odd) return box;
        if (chance < 550) return on_a_cut(draws, box, cuts);
        if (chance < 553) return invalid(draws, box);
        if (chance < 556) {
            Aabb wide = box;
            wide.max.x += draws.number(0.2f, 0.7f) * side_;
            return wide;
        }
        // From box to box and from slab to slab, objects with even ids by quarters.
        const float most = id % 2 == 0 ? 0.1f : 0.4f;
        const Vec3 step = {rounded(id, draws.number(-most, most)), rounded(id, draws.number(-most, most)),
                           rounded(id, draws.number(-most, most))};
        return Aabb{box.min + step, box.max + step};
    }

private:
    static float rounded(std::uint64_t id, float x) { return id % 2 == 0 ? x : std::round(4 * x) / 4; }

    Aabb anywhere(Draws& draws, std::uint64_t frame, std::uint64_t id) const {
        float x = draws.number(0, side_);
        // Storms, and the frames with many new objects: all in one slab.
        if (frame % 10 == 7 || frame % 13 == 5)
            x = side_ * Draws(options_.seed, frame, 0).number(0, 0.95f) + draws.number(0, 0.05f * side_);
        const Vec3 min = {rounded(id, x), rounded(id, draws.number(0, side_)),
                          rounded(id, draws.number(0, side_))};
        const float most = 1.25f;
        return {min,
                {min.x + rounded(id, draws.number(0, most)), min.y + rounded(id, draws.number(0, most)),
                 min.z + rounded(id, draws.number(0, most))}};
    }

    Aabb huge(Draws& draws) const {
        const Aabb boxes[] = {
            {{-1, -1, -1}, {side_ + 1, side_ + 1, side_ + 1}},
            {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}},
            {{-kInfinity, 0, 0}, {side_ / 2, side_, side_}},
            {{side_ / 2, 0, 0}, {kInfinity, side_, side_}},
            {{-std::numeric_limits<float>::max(), 0, 0}, {std::numeric_limits<float>::max(), 1, side_}},
        };
        return boxes[draws.below(std::size(boxes))];
    }

    static Aabb invalid(Draws& draws, const Aabb& box) {
        const Aabb boxes[] = {
            {{kNan, box.min.y, box.min.z}, box.max},
            {box.min, {box.max.x, kNan, box.max.z}},
            {{box.max.x + 1, box.min.y, box.min.z}, box.max},
            {{kInfinity, box.min.y, box.min.z}, {kInfinity, box.max.y, box.max.z}},
        };
        return boxes[draws.below(std::size(boxes))];
    }

    // A box with one face, or both, on a cut.
    static Aabb on_a_cut(Draws& draws, const Aabb& box, std::span<const float> cuts) {
        const float cut = cuts[draws.below(cuts.size())];
        Aabb moved = box;
        const float x_size = box.max.x - box.min.x;
        if (!std::isfinite(cut)) return box;
        const std::uint64_t face = draws.below(4);
        moved.min.x = face == 1 ? cut - x_size : cut;
        moved.max.x = face == 0 ? cut + x_size : cut;
        if (face == 3) moved.max.x = std::nextafter(cut, kInfinity);
        return moved;
    }

    Options options_;
    float side_;
};

// Maps the x axis of the test to one of the ranks' worlds, and back.
Vec3 turned(Vec3 v, int axis) {
    return axis % 3 == 0 ? v : axis == 1 ? Vec3{v.z, v.x, v.y} : Vec3{v.y, v.z, v.x};
}
Aabb turned(const Aabb& box, int axis) { return {turned(box.min, axis), turned(box.max, axis)}; }

// The one World with all objects.
class Reference {
public:
    void add(std::uint64_t id, const Aabb& box) {
        objects_[id] = {world_.add({.box = box, .user_data = id}), box};
    }
    void move(const Life& life, std::uint64_t frame, std::span<const float> cuts) {
        for (auto object = objects_.begin(); object != objects_.end();) {
            const std::optional<Aabb> box = life.next(frame, object->first, object->second.box, cuts);
            if (box) {
                object->second.box = *box;
                is_ok_ &= world_.set_box(object->second.handle, *box) == Status::ok;
                ++object;
            } else {
                is_ok_ &= world_.remove(object->second.handle) == Status::ok;
                object = objects_.erase(object);
            }
        }
    }
    bool update() {
        is_ok_ &= world_.update().status == Status::ok;
        begun.clear();
        ended.clear();
        pairs.clear();
        const auto id_pair = [&](const WorldPair& pair) {
            return in_order(world_.user_data(pair.a), world_.user_data(pair.b));
        };
        for (const WorldPair& pair : world_.begun()) begun.push_back(id_pair(pair));
        for (const WorldPair& pair : world_.pairs()) pairs.push_back(id_pair(pair));
        for (const PairUserData& pair : world_.ended_user_data()) ended.push_back(in_order(pair.a, pair.b));
        return is_ok_;
    }

    std::vector<IdPair> begun, ended, pairs;

private:
    struct Object {
        ObjectHandle handle;
        Aabb box;
    };
    static IdPair in_order(std::uint64_t a, std::uint64_t b) { return {std::min(a, b), std::max(a, b)}; }

    World world_;
    std::map<std::uint64_t, Object> objects_;
    bool is_ok_ = true;
};

int rank_of_this() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
int rank_count_of_all() {
    int rank_count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    return rank_count;
}

// A pair, and the rank that reported it.
struct Report {
    IdPair pair;
    int rank = 0;
};

// The lists of all ranks, on the first one.
std::vector<Report> gathered(std::span<const IdPair> pairs) {
    const int rank = rank_of_this(), rank_count = rank_count_of_all();
    const int bytes = static_cast<int>(pairs.size_bytes());
    std::vector<int> counts(static_cast<std::size_t>(rank_count)),
        begins(static_cast<std::size_t>(rank_count));
    MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        begins[i] = total;
        total += counts[i];
    }
    std::vector<IdPair> all(rank == 0 ? static_cast<std::size_t>(total) / sizeof(IdPair) : 0);
    MPI_Gatherv(pairs.data(), bytes, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE, 0,
                MPI_COMM_WORLD);
    std::vector<Report> reports;
    for (std::size_t i = 0, from = 0; i < all.size(); ++i) {
        while (from + 1 < begins.size() && i * sizeof(IdPair) >= static_cast<std::size_t>(begins[from + 1]))
            ++from;
        reports.push_back({all[i], static_cast<int>(from)});
    }
    std::sort(reports.begin(), reports.end(),
              [](const Report& a, const Report& b) { return a.pair < b.pair; });
    return reports;
}

// The same pairs, each once.
bool agree(const char* what, std::uint64_t frame, std::span<const Report> reports,
           std::vector<IdPair>& expected) {
    std::sort(expected.begin(), expected.end());
    const std::size_t count = std::min(reports.size(), expected.size());
    for (std::size_t i = 0; i <= count; ++i) {
        if (i < count && reports[i].pair == expected[i]) continue;
        if (i == reports.size() && i == expected.size()) return true;
        std::printf("frame %llu, %s: %zu reported, %zu expected; ", static_cast<unsigned long long>(frame),
                    what, reports.size(), expected.size());
        if (i < reports.size())
            std::printf("rank %d says %llu and %llu; ", reports[i].rank,
                        static_cast<unsigned long long>(reports[i].pair.a),
                        static_cast<unsigned long long>(reports[i].pair.b));
        if (i < expected.size())
            std::printf("one World %llu and %llu", static_cast<unsigned long long>(expected[i].a),
                        static_cast<unsigned long long>(expected[i].b));
        std::printf("\n");
        return false;
    }
    return false;
}

// The least that a run must contain to be a test.
struct Witnesses {
    std::size_t begun_count = 0, ended_count = 0, pair_count = 0;
    // Pairs that another rank reports than in the frame before.
    std::size_t migrated_count = 0;
    std::size_t recut_count = 0;
    // The largest message of a frame, of any rank, as a multiple of the mean.
    double uneven = 0;
    double ghost_share = 0;

    bool suffice(int rank_count) const {
        return begun_count > 1000 && ended_count > 1000 &&
               (rank_count == 1 ||
                (migrated_count > 100 && recut_count > 2 && uneven > 1.5 && ghost_share > 0.005));
    }
};

void count_migrated(std::span<const Report> before, std::span<const Report> now, Witnesses& witnesses) {
    std::size_t at = 0;
    for (const Report& report : now) {
        while (at < before.size() && before[at].pair < report.pair) ++at;
        if (at < before.size() && before[at].pair == report.pair && before[at].rank != report.rank)
            ++witnesses.migrated_count;
    }
}

void note_messages(const UpdateCounts& counts, int rank_count, std::uint64_t frame, Witnesses& witnesses) {
    double sums[3] = {static_cast<double>(counts.own_count), static_cast<double>(counts.ghost_count),
                      static_cast<double>(counts.sent_count)};
    double most = sums[2];
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    witnesses.recut_count += std::size_t{counts.is_cut_again};
    // In the first frame everything is sent.
    if (frame == 0) return;
    if (sums[2] > 0) witnesses.uneven = std::max(witnesses.uneven, most * rank_count / sums[2]);
    if (sums[0] > 0) witnesses.ghost_share += sums[1] / sums[0];
}

// One run on all ranks, and with the one World on the first.
class Comparison {
public:
    explicit Comparison(const Options& options) : options_(options), life_(options) {}

    // True if everything matched the one World.
    bool run() {
        int is_right = 1;
        for (std::uint64_t frame = 0; frame < options_.frame_count && is_right != 0; ++frame) {
            move(frame);
            bear(frame);
            // One rank stalls, another one each time.
            if (frame % 8 == 3 && is_turn(frame / 8))
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            note_messages(world_.update(), rank_count_, frame, witnesses_);
            is_right = int{is_as_one_world(frame)};
            MPI_Bcast(&is_right, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        return is_right != 0 && (rank_ != 0 || has_seen_enough());
    }

private:
    bool is_turn(std::uint64_t number) const {
        return number % static_cast<std::uint64_t>(rank_count_) == static_cast<std::uint64_t>(rank_);
    }

    void move(std::uint64_t frame) {
        const std::vector<float> cuts(world_.cuts().begin(), world_.cuts().end());
        world_.move([&](std::uint64_t id, const Aabb& box) {
            std::optional<Aabb> next = life_.next(frame, id, turned(box, 3 - axis_), cuts);
            if (next) next = turned(*next, axis_);
            return next;
        });
        if (rank_ == 0) reference_.move(life_, frame, cuts);
    }

    // The new objects of a frame are added on one rank, wherever they lie.
    void bear(std::uint64_t frame) {
        const std::uint64_t first = life_.first_id(frame);
        for (std::uint64_t id = first; id < first + life_.birth_count(frame); ++id) {
            const Aabb box = life_.birth(frame, id);
            if (is_turn(frame)) world_.add(id, turned(box, axis_));
            if (rank_ == 0) reference_.add(id, box);
        }
    }

    // True on ranks other than the first.
    bool is_as_one_world(std::uint64_t frame) {
        const std::vector<Report> begun = gathered(world_.begun()), ended = gathered(world_.ended());
        std::vector<Report> pairs = gathered(world_.pairs());
        if (rank_ != 0) return true;
        witnesses_.begun_count += begun.size();
        witnesses_.ended_count += ended.size();
        witnesses_.pair_count = pairs.size();
        count_migrated(pairs_before_, pairs, witnesses_);
        const bool is_right = reference_.update() && agree("begun", frame, begun, reference_.begun) &&
                              agree("ended", frame, ended, reference_.ended) &&
                              agree("pairs", frame, pairs, reference_.pairs);
        pairs_before_ = std::move(pairs);
        return is_right;
    }

    bool has_seen_enough() {
        witnesses_.ghost_share /= static_cast<double>(options_.frame_count);
        std::printf(
            "%d ranks: %zu pairs began, %zu ended, %zu are left; %zu changed their rank, cut again %zu "
            "times, "
            "messages up to %.1f times the mean, ghosts %.1f %%\n",
            rank_count_, witnesses_.begun_count, witnesses_.ended_count, witnesses_.pair_count,
            witnesses_.migrated_count, witnesses_.recut_count, witnesses_.uneven,
            100 * witnesses_.ghost_share);
        if (!witnesses_.suffice(rank_count_)) std::printf("a life in which too little happens\n");
        return witnesses_.suffice(rank_count_);
    }

    Options options_;
    Life life_;
    int rank_ = rank_of_this();
    int rank_count_ = rank_count_of_all();
    // Another one for each number of ranks.
    int axis_ = rank_count_ % 3;
    MpiWorld world_{MPI_COMM_WORLD, axis_};
    Reference reference_;
    Witnesses witnesses_;
    std::vector<Report> pairs_before_;
};

}  // namespace

int main(int argument_count, char** arguments) {
    MPI_Init(&argument_count, &arguments);
    Options options;
    for (int i = 1; i + 1 < argument_count; i += 2) {
        const auto value = static_cast<std::uint64_t>(std::atoll(arguments[i + 1]));
        if (std::strcmp(arguments[i], "--objects") == 0) options.object_count = value;
        if (std::strcmp(arguments[i], "--frames") == 0) options.frame_count = value;
        if (std::strcmp(arguments[i], "--seed") == 0) options.seed = value;
    }
    const bool is_right = Comparison(options).run();
    MPI_Finalize();
    return is_right ? 0 : 1;
}
