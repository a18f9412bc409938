// Random lives of worlds against a brute-force model: every operation, in any order, on every ISA.
#include <broadside/world.hpp>

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world_model.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// A world and its model, driven by the same random numbers.
class Life {
public:
    Life(const WorldSettings& settings, std::uint64_t seed, std::size_t object_count)
        : world(settings), model_(settings), random_(seed), wanted_count_(object_count) {}

    World world;
    std::size_t operation_count = 0;

    void live(int update_count, const TaskRunner* runner) {
        for (int update = 0; update < update_count; ++update) {
            const std::uint32_t count = random_.chance(4) ? 0 : random_.below(12);
            for (std::uint32_t k = 0; k < count; ++k) operate();
            check(runner);
        }
    }

private:
    ObjectHandle any() {
        auto it = model_.objects.begin();
        std::advance(it, random_.below(static_cast<std::uint32_t>(model_.objects.size())));
        return it->first;
    }
    Aabb any_box() {
        if (random_.chance(20)) return adversarial_box(random_);
        if (random_.chance(30)) return infinite_box(random_, 0, wanted_count_);
        if (random_.chance(4)) return lattice_box(random_, 0, 0);
        return uniform_box(random_, 0, wanted_count_);
    }
    ObjectFilter any_filter() {
        if (random_.chance(2)) return {};
        const std::uint64_t category = std::uint64_t{1} << random_.below(3);
        const std::uint64_t mask = random_.below(8);
        const auto group = static_cast<std::int32_t>(random_.below(5)) - 2;
        return {category, mask, random_.chance(3) ? group : 0, static_cast<std::uint8_t>(random_.below(4))};
    }
    ObjectDescription any_description() {
        ObjectDescription description;
        description.box = any_box();
        description.kind = static_cast<ObjectKind>(random_.below(3));
        description.filter = any_filter();
        description.user_data = random_.below(1000);
        if (random_.chance(4)) description.margin = random_.uniform(0, 0.5f);
        if (random_.chance(4)) description.displacement = random_vec3(random_, -2, 2);
        return description;
    }

    void add() {
        const std::size_t count = 1 + random_.below(5);
        std::vector<ObjectDescription> descriptions;
        for (std::size_t i = 0; i < count; ++i) descriptions.push_back(any_description());
        std::vector<ObjectHandle> handles(count);
        REQUIRE(world.add(descriptions, handles).status == Status::ok);
        for (std::size_t i = 0; i < count; ++i) {
            REQUIRE(model_.objects.emplace(handles[i], descriptions[i]).second);
            REQUIRE(ever_.insert(handles[i]).second);
        }
    }

    void operate() {
        ++operation_count;
        if (model_.objects.empty() || (model_.objects.size() < wanted_count_ && random_.chance(2)))
            return add();
        const ObjectHandle handle = any();
        ObjectDescription& known = model_.objects.at(handle);
        const std::span<const ObjectHandle> one(&handle, 1);
        switch (random_.below(11)) {
            case 0:
                REQUIRE(world.remove(handle) == Status::ok);
                model_.objects.erase(handle);
                REQUIRE(world.remove(handle) == Status::invalid_argument);
                break;
            case 1:  // Removed and added again at once, where it was or elsewhere.
            {
                const ObjectDescription same = known;
                REQUIRE(world.remove(handle) == Status::ok);
                model_.objects.erase(handle);
                const ObjectHandle again = world.add(same);
                REQUIRE(ever_.insert(again).second);
                model_.objects[again] = same;
                break;
            }
            case 2:
            case 3: {
                known.box = {known.box.min + Vec3{0.1f, 0, -0.1f}, known.box.max + Vec3{0.1f, 0, -0.1f}};
                REQUIRE(world.set_box(handle, known.box) == Status::ok);
                break;
            }
            case 4: {
                known.box = any_box();
                const GuardedBoxes boxes(std::vector<Aabb>{known.box});
                REQUIRE(world.set_boxes(one, boxes.view()).status == Status::ok);
                break;
            }
            case 5:
                known.kind = static_cast<ObjectKind>(random_.below(3));
                REQUIRE(world.set_kind(one, known.kind).status == Status::ok);
                break;
            case 6:
                known.filter = any_filter();
                REQUIRE(world.set_filter(one, known.filter).status == Status::ok);
                break;
            case 7: {
                known.displacement = random_vec3(random_, -3, 3);
                const Vec3SoaView view = {&known.displacement.x, &known.displacement.y, &known.displacement.z,
                                          1};
                REQUIRE(world.set_displacements(one, view).status == Status::ok);
                break;
            }
            case 8:
                known.margin = random_.uniform(0, 1);
                REQUIRE(world.set_margin(one, known.margin).status == Status::ok);
                break;
            case 9:
                known.user_data = random_.below(1000);
                REQUIRE(world.set_user_data(one, known.user_data).status == Status::ok);
                break;
            default:
                rarely();
                break;
        }
    }

    void rarely() {
        if (random_.chance(3)) {
            const std::uint32_t a = random_.below(4);
            const std::uint32_t b = random_.below(4);
            const bool may_pair = random_.chance(2);
            REQUIRE(world.set_layers_pair(a, b, may_pair) == Status::ok);
            if (may_pair) {
                model_.forbidden_layers.erase({std::min(a, b), std::max(a, b)});
            } else {
                model_.forbidden_layers.insert({std::min(a, b), std::max(a, b)});
            }
        } else if (random_.chance(3)) {
            const Vec3 offset = random_vec3(random_, -3, 3);
            REQUIRE(world.shift_origin(offset) == Status::ok);
            for (auto& [handle, known] : model_.objects) {
                known.box = {known.box.min - offset, known.box.max - offset};
            }
        } else {
            std::vector<std::byte> bytes(world.snapshot_bytes());
            REQUIRE(world.save(bytes) == Status::ok);
            World other;
            REQUIRE(other.restore(bytes) == Status::ok);
            std::vector<std::byte> again(other.snapshot_bytes());
            REQUIRE(other.save(again) == Status::ok);
            REQUIRE(bytes == again);
            world = std::move(other);
        }
    }

    void check(const TaskRunner* runner) {
        const std::map<WorldPairKey, std::uint64_t> values_before = values_;
        const WorldModel::Lists expected = model_.update();
        const UpdateResult result = world.update(runner);
        REQUIRE(result.status == Status::ok);
        REQUIRE(std::equal(world.begun().begin(), world.begun().end(), expected.begun.begin(),
                           expected.begun.end()));
        REQUIRE(
            std::equal(world.pairs().begin(), world.pairs().end(), expected.all.begin(), expected.all.end()));
        REQUIRE(std::equal(world.persisting().begin(), world.persisting().end(), expected.persisting.begin(),
                           expected.persisting.end()));
        REQUIRE(world.ended().size() == expected.ended.size());
        for (std::size_t i = 0; i < expected.ended.size(); ++i) {
            const EndedPair& ended = world.ended()[i];
            REQUIRE(WorldPair{ended.a, ended.b} == expected.ended[i]);
            REQUIRE(ended.value == values_before.at(key_of(expected.ended[i])));
        }
        REQUIRE(result.begun_count == expected.begun.size());
        REQUIRE(result.ended_count == expected.ended.size());
        REQUIRE(result.pair_count == expected.all.size());
        REQUIRE(world.object_count() == model_.objects.size());
        REQUIRE(world.is_consistent());
        values_.clear();
        for (const WorldPair& pair : expected.all) {
            std::uint64_t* const value = world.pair_value(pair.b, pair.a);
            REQUIRE(value != nullptr);
            const auto before = values_before.find(key_of(pair));
            REQUIRE(*value == (before == values_before.end() ? 0 : before->second));
            *value = random_.below(1u << 30);
            values_[key_of(pair)] = *value;
        }
        std::size_t quarantined = 0;
        for (const auto& [handle, known] : model_.objects) {
            REQUIRE(world.is_alive(handle));
            const Vec3 d = known.displacement;
            quarantined += is_valid(known.box) && std::isfinite(d.x + d.y + d.z) ? 0u : 1u;
        }
        REQUIRE(world.quarantined_objects({}) == quarantined);
        World twin;
        std::vector<std::byte> bytes(world.snapshot_bytes());
        if (random_.chance(10)) {
            REQUIRE(world.save(bytes) == Status::ok);
            REQUIRE(twin.restore(bytes) == Status::ok);
            REQUIRE(twin.pairs_hash() == world.pairs_hash());
        }
    }

    using WorldPairKey = std::pair<std::uint64_t, std::uint64_t>;
    static WorldPairKey key_of(const WorldPair& pair) {
        return {std::min(pair.a.value, pair.b.value), std::max(pair.a.value, pair.b.value)};
    }

    WorldModel model_;
    Random random_;
    std::size_t wanted_count_;
    std::set<ObjectHandle> ever_;
    std::map<WorldPairKey, std::uint64_t> values_;
};

}  // namespace

TEST_CASE("worlds of any life agree with the model at every update, on every ISA, in both orders") {
    std::size_t operations = 0;
    for (const WorldOrder order : {WorldOrder::place, WorldOrder::user_data}) {
        for (const bool fixed_objects_pair : {false, true}) {
            WorldSettings settings;
            settings.order = order;
            settings.fixed_objects_pair = fixed_objects_pair;
            for (const std::size_t object_count : {5u, 40u, 150u}) {
                for (int round = 0; round < test_scale(); ++round) {
                    const std::uint64_t seed = object_count + 1000 * static_cast<std::uint64_t>(round);
                    std::uint64_t scalar_hash = 0;
                    for_each_isa([&](Isa isa) {
                        Life life(settings, seed, object_count);
                        life.live(object_count > 100 ? 120 : 300, nullptr);
                        if (isa == Isa::scalar) scalar_hash = life.world.pairs_hash();
                        REQUIRE(life.world.pairs_hash() == scalar_hash);
                        operations += life.operation_count;
                    });
                }
            }
        }
    }
    MESSAGE("operations: ", operations);
}

TEST_CASE("the number of workers changes no list of a world, on any ISA") {
    std::size_t operations = 0;
    for_each_isa([&](Isa) {
        for (std::uint32_t workers = 1; workers <= 8; ++workers) {
            ShuffledRunner runner(workers, workers);
            for (int round = 0; round < test_scale(); ++round) {
                Life life({}, 77 + static_cast<std::uint64_t>(round), 120);
                life.live(40, runner.runner());
                operations += life.operation_count;
            }
        }
    });
    MESSAGE("operations: ", operations);
}
