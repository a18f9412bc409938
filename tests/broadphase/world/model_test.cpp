// Random operations on worlds against a brute-force model: every operation, in any order, on every ISA; and
// queries after each operation, with and without an update in between.
#include "tests/broadphase/world/life.hpp"
#include "tests/broadphase/world/questions.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

using PairKey = std::pair<std::uint64_t, std::uint64_t>;
PairKey key_of(const WorldPair& pair) {
    return {std::min(pair.a.value, pair.b.value), std::max(pair.a.value, pair.b.value)};
}
bool is_same_pairs(std::span<const WorldPair> a, const std::vector<WorldPair>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

class CheckedLife {
public:
    CheckedLife(const WorldSettings& settings, std::uint64_t seed, std::size_t object_count)
        : random_(seed),
          life_(settings, random_, object_count),
          settings_(settings),
          is_inquisitive_(random_.chance(2)) {}

    void live(int update_count, const TaskRunner* runner) {
        for (int update = 0; update < update_count; ++update) {
            const std::uint32_t count = random_.chance(4) ? 0 : random_.below(12);
            for (std::uint32_t k = 0; k < count; ++k) {
                life_.operate();
                check_state();
                // Not after each, so that the effects of several combine too.
                if (is_inquisitive_ && random_.chance(2)) ask(6, 2, nullptr);
            }
            check_update(runner);
            if (random_.chance(25)) is_inquisitive_ = !is_inquisitive_;
            if (is_inquisitive_) ask(6, 2, nullptr);
            if (random_.chance(25)) ask(20, WorldInquiry::kSubjectCount, runner);
        }
    }
    /// The same, with every query after each operation.
    void live_asked(int update_count) {
        for (int update = 0; update < update_count; ++update) {
            for (std::uint32_t k = random_.below(4); k > 0; --k) {
                life_.operate();
                check_state();
                ask(3, WorldInquiry::kSubjectCount, nullptr);
            }
            check_update(nullptr);
            ask(3, WorldInquiry::kSubjectCount, nullptr);
        }
    }
    std::uint64_t hash() const { return life_.world.pairs_hash(); }
    std::size_t operation_count() const { return life_.operation_count; }
    std::size_t question_count() const { return question_count_; }
    /// Updates with more pairs than the settings allow.
    std::size_t refusal_count() const { return refusal_count_; }

private:
    const WorldModel& model() const { return life_.model; }

    // Around the last changes, and some objects beside them.
    void ask(std::size_t count, std::uint32_t subject_count, const TaskRunner* runner) {
        std::vector<Aabb> scene = life_.touched_boxes;
        for (int i = 0; i < 3 && !model().objects().empty(); ++i) {
            scene.push_back(model().at(life_.any_object()).box);
        }
        const WorldQuestions questions = make_world_questions(scene, count, random_);
        WorldInquiry inquiry(life_.world, model().objects(), settings_.order, questions, runner);
        const std::uint32_t first = random_.below(WorldInquiry::kSubjectCount);
        for (std::uint32_t i = 0; i < subject_count; ++i) {
            inquiry.ask((first + i) % WorldInquiry::kSubjectCount);
        }
        question_count_ += subject_count;
    }

    // The accessors, at any time; the lists are those of the last update.
    void check_state() {
        World& world = life_.world;
        REQUIRE(world.object_count() == model().objects().size());
        REQUIRE(world.slot_count() == model().slot_count());
        for (const auto& [handle, known] : model().objects()) {
            const bool is_known = world.is_alive(handle) && is_same_object(world.description(handle), known);
            if (!is_known) REQUIRE(is_known);
        }
        if (!life_.dead.empty()) {
            const ObjectHandle dead =
                life_.dead[random_.below(static_cast<std::uint32_t>(life_.dead.size()))];
            REQUIRE_FALSE(world.is_alive(dead));
            REQUIRE(is_same_object(world.description(dead), {}));
        }
        REQUIRE((world.bounds() == model().bounds()));
        const std::vector<ObjectHandle> quarantined = model().quarantined();
        std::vector<ObjectHandle> named(quarantined.size());
        REQUIRE(world.quarantined_objects(named) == quarantined.size());
        REQUIRE((named == quarantined));
        if (!model().objects().empty()) {
            const ObjectHandle a = life_.any_object();
            const ObjectHandle b = life_.any_object();
            REQUIRE(world.boxes_overlap(a, b) == overlap(model().at(a).box, model().at(b).box));
            REQUIRE(world.user_data(a) == model().at(a).user_data);
        }
        static constexpr std::uint32_t kLayers[] = {0, 1, 63, 64, 1000, 65535};
        const std::uint32_t layer_a = kLayers[random_.below(std::size(kLayers))];
        const std::uint32_t layer_b = kLayers[random_.below(std::size(kLayers))];
        REQUIRE(world.layers_pair(layer_a, layer_b) == model().layers_pair(layer_a, layer_b));
        check_lists();
        if (random_.chance(20)) check_pairs_of();
        check_lists();
        REQUIRE(world.pairs_hash() == hash_);
    }

    void check_lists() {
        World& world = life_.world;
        const WorldModel::Lists& expected = model().lists();
        REQUIRE(world.pair_count() == expected.all.size());
        REQUIRE(is_same_pairs(world.begun(), expected.begun));
        REQUIRE(is_same_pairs(world.persisting(), expected.persisting));
        REQUIRE(is_same_pairs(world.pairs(), expected.all));
        REQUIRE(world.ended().size() == expected.ended.size());
        for (std::size_t i = 0; i < expected.ended.size(); ++i) {
            const EndedPair& ended = world.ended()[i];
            const bool is_expected = WorldPair{ended.a, ended.b} == expected.ended[i] &&
                                     ended.value == values_before_.at(key_of(expected.ended[i]));
            if (!is_expected) REQUIRE(is_expected);
        }
        if (!expected.all.empty()) {
            const auto any = random_.below(static_cast<std::uint32_t>(expected.all.size()));
            const WorldPair pair = expected.all[any];
            REQUIRE(*world.pair_value(pair.b, pair.a) == values_.at(key_of(pair)));
        }
    }

    // Pairs of an object known to the last update, and of one that is not.
    void check_pairs_of() {
        const std::vector<WorldPair>& all = model().lists().all;
        std::vector<ObjectHandle> asked;
        if (!all.empty()) asked.push_back(all[random_.below(static_cast<std::uint32_t>(all.size()))].b);
        if (!model().objects().empty()) asked.push_back(life_.any_object());
        if (!life_.dead.empty()) asked.push_back(life_.dead.back());
        for (const ObjectHandle handle : asked) {
            // In the order of the list, in which pairs with it as second come before the others.
            std::vector<ObjectHandle> expected;
            for (const WorldPair& pair : all) {
                if (pair.b == handle) expected.push_back(pair.a);
            }
            for (const WorldPair& pair : all) {
                if (pair.a == handle) expected.push_back(pair.b);
            }
            const std::span<const ObjectHandle> others = life_.world.pairs_of(handle);
            REQUIRE(std::equal(others.begin(), others.end(), expected.begin(), expected.end()));
        }
    }

    void check_update(const TaskRunner* runner) {
        World& world = life_.world;
        const std::size_t changed_count = model().changed_count();
        const bool fits = life_.model.update();
        const WorldModel::Lists& expected = model().lists();
        const UpdateResult result = world.update(runner);
        REQUIRE(result.changed_count == changed_count);
        if (!fits) {
            ++refusal_count_;
            REQUIRE(result.status == Status::capacity_exceeded);
            REQUIRE(result.pair_count == expected.all.size());
            return check_state();
        }
        REQUIRE(result.status == Status::ok);
        REQUIRE((result.path == UpdatePath::nothing) == (changed_count == 0));
        REQUIRE(result.begun_count == expected.begun.size());
        REQUIRE(result.ended_count == expected.ended.size());
        REQUIRE(result.pair_count == expected.all.size());
        REQUIRE(world.is_consistent());
        hash_ = world.pairs_hash();
        values_before_ = std::exchange(values_, {});
        for (const WorldPair& pair : expected.all) {
            std::uint64_t* const value = world.pair_value(pair.b, pair.a);
            const auto before = values_before_.find(key_of(pair));
            const bool is_kept =
                value != nullptr && *value == (before == values_before_.end() ? 0 : before->second);
            if (!is_kept) REQUIRE(is_kept);
            *value = random_.below(1u << 30);
            values_[key_of(pair)] = *value;
        }
        check_state();
        if (!random_.chance(10)) return;
        std::vector<std::byte> bytes(world.snapshot_bytes());
        World twin;
        REQUIRE(world.save(bytes) == Status::ok);
        REQUIRE(twin.restore(bytes) == Status::ok);
        REQUIRE(twin.pairs_hash() == hash_);
    }

    Random random_;
    WorldLife life_;
    WorldSettings settings_;
    bool is_inquisitive_;
    std::size_t question_count_ = 0;
    std::size_t refusal_count_ = 0;
    std::uint64_t hash_ = 0;
    // Values by pair: at the last update, and at the one before.
    std::map<PairKey, std::uint64_t> values_;
    std::map<PairKey, std::uint64_t> values_before_;
};

}  // namespace

TEST_CASE("worlds match the model after random operations, on every ISA, in both orders" * kLongModel) {
    std::size_t operations = 0;
    std::size_t questions = 0;
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        for (const bool fixed_objects_pair : {false, true}) {
            WorldSettings settings;
            settings.order = order;
            settings.fixed_objects_pair = fixed_objects_pair;
            for (const std::size_t object_count : {5u, 40u, 100u}) {
                for (int round = 0; round < test_scale(); ++round) {
                    const std::uint64_t seed = object_count + 1000 * static_cast<std::uint64_t>(round);
                    INFO("objects " << object_count << ", seed " << seed);
                    const DrawnThresholds drawn(seed);
                    std::uint64_t scalar_hash = 0;
                    for_each_isa([&](Isa isa) {
                        CheckedLife life(settings, seed, object_count);
                        life.live(object_count > 50 ? 150 : 300, nullptr);
                        if (isa == Isa::scalar) scalar_hash = life.hash();
                        REQUIRE(life.hash() == scalar_hash);
                        operations += life.operation_count();
                        questions += life.question_count();
                    });
                }
            }
        }
    }
    MESSAGE("operations: ", operations, ", questions: ", questions);
}

TEST_CASE("every query matches the model after each random operation, on every ISA" * kModel) {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        WorldSettings settings;
        settings.order = order;
        for (int round = 0; round < test_scale(); ++round) {
            const std::uint64_t seed = 77 + static_cast<std::uint64_t>(round);
            INFO("seed " << seed);
            const DrawnThresholds drawn(seed);
            for_each_isa([&](Isa) {
                CheckedLife life(settings, seed, 60);
                life.live_asked(80);
                REQUIRE(life.question_count() > 100 * WorldInquiry::kSubjectCount);
            });
        }
    }
}

TEST_CASE("an update with too many pairs changes nothing, and a later one catches up" * kLongModel) {
    // Several sequences: in one, a rule for layers may leave few pairs for long.
    constexpr int kUpdateCount = 40;
    std::size_t updates = 0;
    std::size_t refusals = 0;
    for_each_isa([&](Isa) {
        for (int round = 0; round < 6 * test_scale(); ++round) {
            WorldSettings settings;
            settings.order = round % 2 == 0 ? WorldOrder::user_data : WorldOrder::slot;
            settings.max_pair_count = 45;
            CheckedLife life(settings, 31 + static_cast<std::uint64_t>(round), 40);
            life.live(kUpdateCount, nullptr);
            updates += kUpdateCount;
            refusals += life.refusal_count();
        }
    });
    REQUIRE(refusals > updates / 10);
    REQUIRE(refusals < updates - updates / 10);
    MESSAGE("refused: ", refusals, " of ", updates);
}

TEST_CASE("the number of workers changes no list and no query result of a world, on any ISA" * kLongModel) {
    std::size_t operations = 0;
    for_each_isa([&](Isa) {
        for (std::uint32_t workers = 1; workers <= 8; ++workers) {
            ShuffledRunner runner(workers, workers);
            for (int round = 0; round < test_scale(); ++round) {
                CheckedLife life({}, 77 + static_cast<std::uint64_t>(round), 100);
                life.live(40, runner.runner());
                operations += life.operation_count();
            }
        }
    });
    MESSAGE("operations: ", operations);
}
