// The same lists on every ISA and for any number of workers, and, by user data, for any order of insertion.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <map>
#include <numeric>

using namespace broadside;
using namespace broadside::test;

namespace {

using DataPair = std::pair<std::uint64_t, std::uint64_t>;

// All results of a frame, by user data.
struct FrameLists {
    std::vector<DataPair> begun;
    std::vector<DataPair> ended;
    std::vector<DataPair> persisting;
    std::vector<DataPair> pairs;
    std::uint64_t hash;

    friend bool operator==(const FrameLists&, const FrameLists&) = default;
};

// A sequence with objects whose user data is their number, added to the world in the order of `insertion`.
class NumberedWorld {
public:
    NumberedWorld(WorldOrder order, std::vector<std::size_t> insertion, const std::vector<Aabb>& boxes)
        : world_(make_settings(order)), insertion_(std::move(insertion)), handles_(boxes.size()) {
        for (const std::size_t number : insertion_) add(number, boxes[number]);
    }

    void add(std::size_t number, const Aabb& box) {
        ObjectDescription description = described(box, static_cast<ObjectKind>(number % 3));
        // Distinct, and not ascending with the number.
        description.user_data = number * 0x9E3779B97F4A7C15u;
        description.margin = number % 11 == 0 ? 0.25f : 0;
        handles_[number] = world_.add(description);
        data_.emplace(handles_[number].value, description.user_data);
    }
    void replace(std::size_t number, const Aabb& box) {
        REQUIRE(world_.remove(handles_[number]) == Status::ok);
        replaced_.push_back({number, box});
    }
    void move(const std::vector<Aabb>& boxes, std::size_t one_in) {
        for (const std::size_t number : insertion_) {
            if (number % one_in == 0) REQUIRE(world_.set_box(handles_[number], boxes[number]) == Status::ok);
        }
    }
    FrameLists step(const TaskRunner* runner) {
        for (const auto& [number, box] : replaced_) add(number, box);
        replaced_.clear();
        update(world_, runner);
        REQUIRE(world_.is_consistent());
        const auto data_of = [&](const auto& pairs) {
            std::vector<DataPair> list;
            for (const auto& pair : pairs) list.push_back({data_.at(pair.a.value), data_.at(pair.b.value)});
            return list;
        };
        return {data_of(world_.begun()), data_of(world_.ended()), data_of(world_.persisting()),
                data_of(world_.pairs()), world_.pairs_hash()};
    }

private:
    static WorldSettings make_settings(WorldOrder order) {
        WorldSettings settings;
        settings.order = order;
        return settings;
    }
    World world_;
    std::vector<std::size_t> insertion_;
    std::vector<ObjectHandle> handles_;
    std::vector<std::pair<std::size_t, Aabb>> replaced_;
    // User data, also of removed objects.
    std::map<std::uint64_t, std::uint64_t> data_;
};

std::vector<FrameLists> life(WorldOrder order, const std::vector<std::size_t>& insertion,
                             const TaskRunner* runner) {
    const std::size_t count = insertion.size();
    const std::vector<Aabb> first = make_scene(pair_scenes()[0], count, 1);
    NumberedWorld world(order, insertion, first);
    std::vector<FrameLists> frames = {world.step(runner)};
    for (std::size_t frame = 0; frame < 9; ++frame) {
        const std::vector<Aabb> boxes = make_scene(pair_scenes()[frame % 2 == 0 ? 0 : 8], count, frame);
        world.move(boxes, frame % 3 == 0 ? 1 : frame % 3 == 1 ? 15 : 50);
        for (std::size_t number = frame; number < count; number += 40) world.replace(number, boxes[number]);
        frames.push_back(world.step(runner));
    }
    return frames;
}

std::vector<std::size_t> ascending(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

}  // namespace

TEST_CASE("in user_data order, lists and hash do not depend on the order of insertion") {
    for_each_isa([](Isa) {
        std::vector<std::size_t> order = ascending(600);
        const std::vector<FrameLists> expected = life(WorldOrder::user_data, order, nullptr);
        REQUIRE(expected.back().pairs.size() > 200);
        std::reverse(order.begin(), order.end());
        REQUIRE(life(WorldOrder::user_data, order, nullptr) == expected);
        Random random(2);
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 1; i < order.size(); ++i) {
                std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i + 1))]);
            }
            REQUIRE(life(WorldOrder::user_data, order, nullptr) == expected);
        }
    });
}

TEST_CASE("in user_data order, lists ascend by user data") {
    const std::vector<FrameLists> frames = life(WorldOrder::user_data, ascending(300), nullptr);
    for (const FrameLists& frame : frames) {
        for (const auto* list : {&frame.begun, &frame.ended, &frame.persisting, &frame.pairs}) {
            REQUIRE(std::is_sorted(list->begin(), list->end()));
            for (const DataPair& pair : *list) REQUIRE(pair.first < pair.second);
        }
    }
}

TEST_CASE("lists and hash are the same on every ISA, for 1 to 8 workers in any order of tasks" * kLong) {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        const std::vector<std::size_t> insertion = ascending(1500);
        std::vector<FrameLists> expected;
        for_each_isa([&](Isa isa) {
            if (isa == Isa::scalar) expected = life(order, insertion, nullptr);
            REQUIRE(life(order, insertion, nullptr) == expected);
            for (std::uint32_t workers = 1; workers <= 8; ++workers) {
                ShuffledRunner runner(workers, workers);
                REQUIRE(life(order, insertion, runner.runner()) == expected);
            }
        });
    }
}

TEST_CASE("real threads give the lists of one thread, in a world large enough to be split" * kLong) {
    constexpr std::size_t kCount = 20000;
    const std::vector<std::size_t> insertion = ascending(kCount);
    const std::vector<FrameLists> expected = life(WorldOrder::slot, insertion, nullptr);
    for (const std::uint32_t workers : {1u, 2u}) {
        Threads runner(workers);
        REQUIRE(life(WorldOrder::slot, insertion, runner.runner()) == expected);
    }
    ShuffledRunner shuffled(5, 5);
    REQUIRE(life(WorldOrder::slot, insertion, shuffled.runner()) == expected);
    REQUIRE(shuffled.task_count() > 10);
}

TEST_CASE("a change of user data under living pairs changes their order and the hash, and has no event") {
    WorldSettings settings;
    settings.order = WorldOrder::user_data;
    World world(settings);
    std::vector<ObjectHandle> handles;
    for (std::uint64_t number = 0; number < 3; ++number) {
        ObjectDescription description = described(cube_at({0, 0, 0}));
        description.user_data = number;
        handles.push_back(world.add(description));
    }
    update(world);
    const std::uint64_t hash = world.pairs_hash();
    REQUIRE(world.pairs()[0] == WorldPair{handles[0], handles[1]});
    REQUIRE(world.set_user_data(std::span(handles).first(1), 9).status == Status::ok);
    const UpdateResult result = update(world);
    REQUIRE(result.begun_count + result.ended_count == 0);
    REQUIRE(world.pairs()[0] == WorldPair{handles[1], handles[2]});
    REQUIRE(world.pairs()[2] == WorldPair{handles[2], handles[0]});
    REQUIRE(world.pairs_hash() != hash);
    REQUIRE(world.set_user_data(std::span(handles).first(1), 0).status == Status::ok);
    update(world);
    REQUIRE(world.pairs_hash() == hash);
}
