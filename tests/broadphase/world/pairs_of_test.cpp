// Queries of the pairs between updates, by threads at once, in every form in which they are kept: each result
// beside a loop over the boxes, and later updates unaffected. Made for ThreadSanitizer, too.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <map>
#include <thread>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kThreads = 3;

struct Answers {
    std::map<std::uint64_t, std::vector<ObjectHandle>> of_objects;
    std::vector<WorldPair> pairs;
};

// Results from the boxes alone: no rules, no margins.
Answers answers_by_loop(const World& world, const std::vector<ObjectHandle>& handles, WorldOrder order) {
    const auto key = [&](ObjectHandle handle) {
        return std::pair(order == WorldOrder::slot ? 0 : world.user_data(handle), handle.slot());
    };
    std::vector<ObjectHandle> sorted = handles;
    std::sort(sorted.begin(), sorted.end(), [&](ObjectHandle a, ObjectHandle b) { return key(a) < key(b); });
    std::vector<Aabb> boxes;
    for (const ObjectHandle handle : sorted) boxes.push_back(world.description(handle).box);
    Answers answers;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (std::size_t j = 0; j < sorted.size(); ++j) {
            if (i == j || !overlap(boxes[i], boxes[j])) continue;
            answers.of_objects[sorted[i].value].push_back(sorted[j]);
            if (i < j) answers.pairs.push_back({sorted[i], sorted[j]});
        }
    }
    return answers;
}

bool are_right(const World& world, const Answers& expected, const std::vector<ObjectHandle>& handles) {
    const std::span<const WorldPair> pairs = world.pairs();
    const std::span<const WorldPair> persisting = world.persisting();
    bool are = std::equal(pairs.begin(), pairs.end(), expected.pairs.begin(), expected.pairs.end()) &&
               persisting.size() == pairs.size() - world.begun().size();
    for (const WorldPair& pair : persisting)
        are = are && std::find(world.begun().begin(), world.begun().end(), pair) == world.begun().end();
    for (const ObjectHandle handle : handles) {
        const std::span<const ObjectHandle> others = world.pairs_of(handle);
        const auto found = expected.of_objects.find(handle.value);
        const std::vector<ObjectHandle> none;
        const std::vector<ObjectHandle>& wanted = found == expected.of_objects.end() ? none : found->second;
        are = are && std::equal(others.begin(), others.end(), wanted.begin(), wanted.end());
    }
    return are;
}

// Phases of many, few and all movers, newcomers and changed user data.
class PairsLife {
public:
    PairsLife(std::uint64_t seed, WorldOrder order)
        : random_(seed), asked_(WorldSettings{.order = order}), left_alone_(WorldSettings{.order = order}) {
        for (std::size_t i = 0; i < 60; ++i) add();
    }

    void step() {
        if (random_.chance(6)) phase_ = random_.below(5);
        const std::size_t count = phase_ == 0 ? 1 : phase_ == 1 ? 5 : phase_ == 2 ? handles_.size() : 0;
        for (std::size_t k = 0; k < count; ++k) {
            const ObjectHandle handle = count == handles_.size() ? handles_[k] : any();
            Aabb box = asked_.description(handle).box;
            const Vec3 way = random_vec3(random_, -0.2f, 0.2f);
            box = {box.min + way, box.max + way};
            for_both([&](World& world) { return world.set_box(handle, box); });
        }
        if (phase_ == 3 || random_.chance(8)) {
            const std::size_t place = random_.below(static_cast<std::uint32_t>(handles_.size()));
            for_both([&](World& world) { return world.remove(handles_[place]); });
            handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(place));
            add();
        }
        if (random_.chance(10)) {
            const ObjectHandle handle = any();
            const std::uint64_t data = random_.below(20);
            for_both([&](World& world) { return world.set_user_data(handle, data); });
        }
        const GoodUpdate one = update(asked_);
        const GoodUpdate other = update(left_alone_);
        REQUIRE(one.path == other.path);
        REQUIRE(copy_of(asked_.begun()) == copy_of(left_alone_.begun()));
        REQUIRE(asked_.pairs_hash() == left_alone_.pairs_hash());
    }

    /// After some updates, not after each, and by some threads at once.
    void ask(WorldOrder order) {
        if (random_.chance(4)) return;
        const Answers expected = answers_by_loop(asked_, handles_, order);
        bool are_good[kThreads] = {};
        std::vector<std::thread> threads;
        for (bool& is_good : are_good)
            threads.emplace_back([&] { is_good = are_right(asked_, expected, handles_); });
        for (std::thread& thread : threads) thread.join();
        for (const bool is_good : are_good) REQUIRE(is_good);
    }

private:
    template <class Call>
    void for_both(Call&& call) {
        REQUIRE(call(asked_) == Status::ok);
        REQUIRE(call(left_alone_) == Status::ok);
    }
    void add() {
        ObjectDescription description = described(random_box(random_, 5, 1));
        description.user_data = random_.below(20);
        const ObjectHandle handle = asked_.add(description);
        REQUIRE(left_alone_.add(description) == handle);
        handles_.push_back(handle);
    }
    ObjectHandle any() { return handles_[random_.below(static_cast<std::uint32_t>(handles_.size()))]; }

    Random random_;
    World asked_;
    World left_alone_;
    std::vector<ObjectHandle> handles_;
    std::uint32_t phase_ = 2;
};

}  // namespace

TEST_CASE("threads query a World's pairs at once, and later updates are unaffected" * kLong) {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        for (std::uint64_t seed = 1; seed <= 6 * static_cast<std::uint64_t>(test_scale()); ++seed) {
            const DrawnThresholds thresholds(seed);
            CAPTURE(seed);
            PairsLife life(seed, order);
            for (std::size_t frame = 0; frame < 60; ++frame) {
                life.step();
                life.ask(order);
            }
        }
    }
}
