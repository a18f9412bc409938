// Times every operation of FCL's broad-phase managers and of broadside's, in turns, and compares their
// results.
#include "examples/fcl_manager/scenes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <new>
#include <string>

namespace {

using namespace fcl_example;

constexpr std::size_t kManagerCount = std::size(kManagerKinds);
// Rounds of all managers per operation.
constexpr int kRoundsMin = 3;
constexpr int kRoundsMax = 400;
// With more objects, managers that take seconds for a call are skipped.
constexpr std::size_t kQuadraticMost = 2000;

double median(std::vector<double> times) {
    if (times.empty()) return 0;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

// A stopwatch. Other programs do not count in a long turn; reading the processor time takes too long for a
// short one.
class Turn {
public:
    double microseconds() const {
        constexpr double kShort = 20;
        const double all = std::chrono::duration<double, std::micro>(Clock::now() - begin_).count();
        return all < kShort ? all : 1e6 * static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC;
    }

private:
    using Clock = std::chrono::steady_clock;
    std::clock_t clock_ = std::clock();
    Clock::time_point begin_ = Clock::now();
};

// The results of callbacks.
struct Found {
    std::size_t pairs = 0;
    // This many pairs end the call.
    std::size_t most = static_cast<std::size_t>(-1);
    double distance = std::numeric_limits<double>::max();
};
bool count_pair(Object*, Object*, void* user) {
    auto& found = *static_cast<Found*>(user);
    return ++found.pairs >= found.most;
}
// The distance of the boxes; that of the shapes takes a hundred times as long in all managers.
bool note_distance(Object* a, Object* b, void* user, double& distance) {
    auto& found = *static_cast<Found*>(user);
    ++found.pairs;
    found.distance = std::min(found.distance, a->getAABB().distance(b->getAABB()));
    distance = found.distance;
    return distance <= 0;
}

// Scenes, and managers that each hold the objects of one.
struct Held {
    Scene& scene;
    std::unique_ptr<Manager> managers[kManagerCount];

    bool is_used(ManagerKind kind) const {
        const bool is_quadratic =
            kind == ManagerKind::naive || kind == ManagerKind::sap || kind == ManagerKind::interval_tree;
        return !is_quadratic || scene.objects().size() <= kQuadraticMost;
    }
    explicit Held(Scene& scene_in) : scene(scene_in) {
        for (std::size_t m = 0; m < kManagerCount; ++m) {
            if (!is_used(kManagerKinds[m])) continue;
            managers[m] = make(m);
            managers[m]->registerObjects(scene.objects());
            managers[m]->setup();
        }
    }
    std::unique_ptr<Manager> make(std::size_t m) const {
        return make_manager(kManagerKinds[m], 1.1 * scene.extent() + scene.edge(), scene.edge());
    }
};

class Bench {
public:
    Bench(std::size_t count, double neighbours, double seconds, const char* only)
        : seconds_(seconds),
          only_(only),
          query_count_(std::min<std::size_t>(count, 100)),
          crowd_scene_(count, neighbours, 1),
          other_crowd_scene_(count, neighbours, 2),
          query_scene_(query_count_,
                       neighbours * static_cast<double>(query_count_) / static_cast<double>(count), 3),
          apart_scene_(count, 0, 4, Layout::even_cells),
          other_apart_scene_(count, 0, 5, Layout::odd_cells),
          crowd_(crowd_scene_),
          other_crowd_(other_crowd_scene_),
          apart_(apart_scene_),
          other_apart_(other_apart_scene_) {
        std::printf("\n%zu objects; microseconds a call, medians; ! has another result than broadside\n| |",
                    count);
        for (const ManagerKind kind : kManagerKinds) std::printf(" %s |", manager_name(kind));
        std::printf(" times as fast as the best |\n|---|");
        for (std::size_t m = 0; m < kManagerCount + 1; ++m) std::printf("---|");
        std::printf("\n");
    }

    void upkeep() {
        std::unique_ptr<Manager> fresh;
        // Other numbers in each round, because the branch predictor learns a sort that repeats.
        const auto move_all = [&] { crowd_scene_.move_all(); };
        const auto make_fresh = [&](std::size_t m) {
            fresh = crowd_.make(m);
            // So that the heap sorts freed blocks now, and not at the next request for a large block.
            ::operator delete(::operator new (std::size_t{1} << 16));
        };
        time(Kind::build, "register and setup", 1, move_all, make_fresh, [&](std::size_t) {
            fresh->registerObjects(crowd_scene_.objects());
            fresh->setup();
            return static_cast<double>(fresh->size());
        });
        time(Kind::build, "register one by one and setup", 1, move_all, make_fresh, [&](std::size_t) {
            for (Object* object : crowd_scene_.objects()) fresh->registerObject(object);
            fresh->setup();
            return static_cast<double>(fresh->size());
        });
        fresh.reset();
        const auto warm_up = [&](std::size_t) { warm(); };
        time(Kind::update, "update all", 1, move_all, warm_up, [&](std::size_t m) {
            crowd_.managers[m]->update();
            return 0.0;
        });
        std::vector<Object*> moved;
        const auto move_some = [&] {
            moved.clear();
            for (std::size_t i = 0; i < crowd_scene_.objects().size(); i += 10) {
                crowd_scene_.move(i);
                moved.push_back(crowd_scene_.objects()[i]);
            }
        };
        time(Kind::update, "update one in ten", 1, move_some, warm_up, [&](std::size_t m) {
            crowd_.managers[m]->update(moved);
            return 0.0;
        });
        std::size_t next = 0;
        const auto move_one = [&] {
            next = (next + 7) % crowd_scene_.objects().size();
            crowd_scene_.move(next);
        };
        time(Kind::update, "update one", 1, move_one, warm_up, [&](std::size_t m) {
            crowd_.managers[m]->update(crowd_scene_.objects()[next]);
            return 0.0;
        });
    }

    void collisions() {
        time(Kind::query, "self collide", 1, nothing, no_turn, [&](std::size_t m) {
            Found found;
            crowd_.managers[m]->collide(&found, &count_pair);
            return static_cast<double>(found.pairs);
        });
        time(Kind::query, "other manager collide", 1, nothing, no_turn, [&](std::size_t m) {
            Found found;
            crowd_.managers[m]->collide(other_crowd_.managers[m].get(), &found, &count_pair);
            return static_cast<double>(found.pairs);
        });
        time(Kind::query, "one object collide", query_count_, nothing, no_turn, [&](std::size_t m) {
            Found found;
            for (Object* object : query_scene_.objects())
                crowd_.managers[m]->collide(object, &found, &count_pair);
            // Naive calls back for all.
            return kManagerKinds[m] == ManagerKind::naive ? -1.0 : static_cast<double>(found.pairs);
        });
        const Moving moving(*this, crowd_scene_, crowd_);
        time(Kind::moved_query, "self, first contact", 1, moving.round, moving.turn, [&](std::size_t m) {
            Found found{0, 1};
            crowd_.managers[m]->collide(&found, &count_pair);
            return static_cast<double>(found.pairs);
        });
        time(Kind::moved_query, "other manager, first contact", 1, moving.round, moving.turn,
             [&](std::size_t m) {
                 Found found{0, 1};
                 crowd_.managers[m]->collide(other_crowd_.managers[m].get(), &found, &count_pair);
                 return static_cast<double>(found.pairs);
             });
    }

    void distances() {
        time(Kind::query, "one object distance", query_count_, nothing, no_turn, [&](std::size_t m) {
            double sum = 0;
            for (std::size_t i = 0; i < query_count_; ++i) {
                Found found;
                apart_.managers[m]->distance(other_apart_scene_.objects()[i], &found, &note_distance);
                sum += found.distance;
            }
            return sum;
        });
        const Moving moving(*this, apart_scene_, apart_);
        time(Kind::moved_query, "self distance", 1, moving.round, moving.turn, [&](std::size_t m) {
            Found found;
            apart_.managers[m]->distance(&found, &note_distance);
            return found.distance;
        });
        time(Kind::moved_query, "other manager distance", 1, moving.round, moving.turn, [&](std::size_t m) {
            Found found;
            apart_.managers[m]->distance(other_apart_.managers[m].get(), &found, &note_distance);
            return found.distance;
        });
        const Moving crowd(*this, crowd_scene_, crowd_);
        time(Kind::moved_query, "self distance of a crowd", 1, crowd.round, crowd.turn, [&](std::size_t m) {
            Found found;
            crowd_.managers[m]->distance(&found, &note_distance);
            return found.distance;
        });
    }

private:
    enum class Kind : std::uint8_t { build, update, query, moved_query };
    // Naive keeps a list of pointers, and updates nothing. SaP finds its pairs while it registers, and only
    // lists them in `collide`.
    static bool is_peer(Kind kind, ManagerKind manager) {
        return manager != ManagerKind::sap &&
               (manager != ManagerKind::naive || kind == Kind::query || kind == Kind::moved_query);
    }
    // Updates of FCL 0.7 leave two managers broken. SaP decides by the smaller corner alone which way a box
    // has moved. A box whose larger corner stays makes a ring of its list, and the next walk never ends.
    // IntervalTree crashes.
    bool can_run(Kind kind, ManagerKind manager) const {
        const bool is_broken = manager == ManagerKind::sap || manager == ManagerKind::interval_tree;
        return crowd_.is_used(manager) && (!is_broken || kind == Kind::build || kind == Kind::query);
    }

    // Queries of a scene that changes: all objects move in each round, and each manager is updated before its
    // turn.
    struct Moving {
        std::function<void()> round;
        std::function<void(std::size_t)> turn;

        Moving(const Bench& bench, Scene& scene, Held& held)
            : round([&scene] { scene.move_all(); }), turn([&bench, &held](std::size_t m) {
                  if (bench.can_run(Kind::update, kManagerKinds[m])) held.managers[m]->update();
              }) {}
    };

    static void nothing() {}
    static void no_turn(std::size_t) {}
    // All managers find the objects' boxes in the caches, not only the second one to read them.
    void warm() {
        double sum = 0;
        for (const Object* object : crowd_scene_.objects())
            sum += object->getAABB().min_[0] + object->getAABB().max_[2];
        if (sum == 0.5) std::printf(" ");
    }

    // `run(manager)` returns a value that all managers must agree on, or -1. The preparation of a round or a
    // turn is not timed.
    template <class BeginRound, class BeginTurn, class Run>
    void time(Kind kind, const char* name, std::size_t call_count, BeginRound&& begin_round,
              BeginTurn&& begin_turn, Run&& run) {
        using Clock = std::chrono::steady_clock;
        if (std::strstr(name, only_) == nullptr) return;
        std::vector<double> times[kManagerCount];
        double spent[kManagerCount] = {};
        bool differs[kManagerCount] = {};
        const auto begin = Clock::now();
        for (int round = 0; round < kRoundsMax; ++round) {
            if (round >= kRoundsMin && Clock::now() - begin > std::chrono::duration<double>(seconds_)) break;
            begin_round();
            double results[kManagerCount];
            std::fill(std::begin(results), std::end(results), -1.0);
            for (std::size_t k = 0; k < kManagerCount; ++k) {
                const std::size_t m = (k + static_cast<std::size_t>(round)) % kManagerCount;
                if (!can_run(kind, kManagerKinds[m])) continue;
                // A slow manager has had enough turns; all updates are made by all.
                if (spent[m] > 1e6 * seconds_ && kind != Kind::update) continue;
                begin_turn(m);
                const Turn turn;
                results[m] = run(m);
                const double time = turn.microseconds();
                times[m].push_back(time / static_cast<double>(call_count));
                spent[m] += time;
            }
            for (std::size_t m = 1; m < kManagerCount; ++m)
                differs[m] = differs[m] || (results[m] >= 0 && results[m] != results[0]);
        }
        print_row(kind, name, times, differs);
    }
    static void print_row(Kind kind, const char* name, std::vector<double> (&times)[kManagerCount],
                          const bool (&differs)[kManagerCount]) {
        std::printf("| %s |", name);
        double ours = 0;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t m = 0; m < kManagerCount; ++m) {
            if (times[m].empty()) {
                std::printf(" |");
                continue;
            }
            const double middle = median(times[m]);
            std::printf(" %.*f%s |", middle < 10 ? 2 : middle < 100 ? 1 : 0, middle, differs[m] ? " !" : "");
            if (kManagerKinds[m] == ManagerKind::broadside) {
                ours = middle;
            } else if (is_peer(kind, kManagerKinds[m])) {
                best = std::min(best, middle);
            }
        }
        std::printf(" %.2f |\n", best / ours);
        std::fflush(stdout);
    }

    double seconds_;
    const char* only_;
    std::size_t query_count_;
    Scene crowd_scene_;
    Scene other_crowd_scene_;
    Scene query_scene_;
    Scene apart_scene_;
    Scene other_apart_scene_;
    Held crowd_;
    Held other_crowd_;
    Held apart_;
    Held other_apart_;
};

}  // namespace

int main(int argument_count, char** arguments) {
    std::vector<std::size_t> counts = {100, 1000, 10000};
    double neighbours = 4;
    double seconds = 0.5;
    const char* only = "";
    for (int i = 1; i < argument_count; ++i) {
        const bool has_value = i + 1 < argument_count;
        if (std::strcmp(arguments[i], "--objects") == 0 && has_value) {
            counts = {static_cast<std::size_t>(std::atoi(arguments[++i]))};
        } else if (std::strcmp(arguments[i], "--neighbours") == 0 && has_value) {
            neighbours = std::atof(arguments[++i]);
        } else if (std::strcmp(arguments[i], "--seconds") == 0 && has_value) {
            seconds = std::atof(arguments[++i]);
        } else if (std::strcmp(arguments[i], "--only") == 0 && has_value) {
            only = arguments[++i];
        } else {
            std::fprintf(stderr, "usage: %s [--objects N] [--neighbours N] [--seconds N] [--only NAME]\n",
                         arguments[0]);
            return 2;
        }
    }
    for (const std::size_t count : counts) {
        if (count == 0 || !(neighbours > 0)) return 2;
        Bench bench(count, neighbours, seconds, only);
        bench.collisions();
        bench.distances();
        bench.upkeep();
    }
}
