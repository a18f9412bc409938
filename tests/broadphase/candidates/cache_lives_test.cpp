// Kept pairs and resting sets after random operations, beside loops over all boxes.
#include <broadside/pair_cache.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

void set_bit(Bits& state_bits, std::size_t index) {
    state_bits[index / 64] |= std::uint64_t{1} << index % 64;
}

/// Boxes that move, some or all, a little or anywhere, and queries about them.
class MovingBoxes {
public:
    MovingBoxes(std::uint64_t seed, std::size_t count)
        : random_(seed), runner_(seed, 4), categories_(count), masks_(count), groups_(count) {
        for (std::size_t i = 0; i < count; ++i) {
            boxes_.push_back(any_box());
            categories_[i] = std::uint64_t{1} << random_.below(3);
            masks_[i] = random_.below(8);
            groups_[i] = random_.below(4);
        }
    }

protected:
    std::size_t count() const { return boxes_.size(); }

    Aabb any_box() {
        if (random_.chance(20)) return infinite_box(random_, 0, 60);
        if (random_.chance(20)) return adversarial_box(random_);
        return random_.chance(3) ? lattice_box(random_, 0, 0) : uniform_box(random_, 0, 60);
    }
    void move() {
        static constexpr std::uint32_t kShares[] = {1, 1, 4, 20, 60};
        const std::uint32_t share = kShares[random_.below(5)];
        const float step = random_.chance(3) ? 0.3f : 0.01f;
        for (Aabb& box : boxes_) {
            if (!random_.chance(share)) continue;
            const Vec3 by = random_vec3(random_, -step, step);
            box = random_.chance(40) ? any_box() : Aabb{box.min + by, box.max + by};
        }
    }
    // Sometimes with a filter, workers or an order.
    FindPairsSettings any_settings() {
        FindPairsSettings settings;
        if (random_.chance(2)) settings.runner = runner_.runner();
        settings.filter = filter_;
        return settings;
    }
    void choose_filter() {
        filter_ = {};
        if (random_.chance(2)) return;
        if (random_.chance(2)) filter_.categories = categories_;
        if (random_.chance(2)) filter_.masks = masks_;
        if (random_.chance(2)) filter_.groups = groups_;
    }
    std::vector<IndexPair> expected_pairs(const Bits* subset) const {
        std::vector<IndexPair> pairs = oracle_pairs(boxes_);
        std::erase_if(pairs, [&](const IndexPair& pair) { return !may_pair(pair, subset); });
        return pairs;
    }
    bool may_pair(const IndexPair& pair, const Bits* subset) const {
        const auto [a, b] = pair;
        const auto category = [&](std::uint32_t i) {
            return filter_.categories.empty() ? ~0ull : categories_[i];
        };
        const auto mask = [&](std::uint32_t i) { return filter_.masks.empty() ? ~0ull : masks_[i]; };
        const bool are_of_one_group = !filter_.groups.empty() && groups_[a] == groups_[b] && groups_[a] != 0;
        return (category(a) & mask(b)) != 0 && (category(b) & mask(a)) != 0 && !are_of_one_group &&
               (subset == nullptr || has_bit(*subset, a) || has_bit(*subset, b));
    }
    // A call, sometimes without memory at first.
    template <class Call>
    auto ask(const Call& call) {
        if (random_.chance(6)) {
            memory_.fail_first = memory_.request_count + random_.below(4);
            memory_.fail_count = 1 + random_.below(4);
        }
        const std::size_t refused_before = memory_.refused_count;
        auto result = call();
        memory_.fail_first = ~std::size_t{0};
        if (status_of(result) == Status::out_of_memory) {
            REQUIRE(memory_.refused_count != refused_before);
            result = call();
        }
        REQUIRE(status_of(result) == Status::ok);
        return result;
    }
    static Status status_of(Status status) { return status; }
    static Status status_of(const FindPairsResult& result) { return result.status; }
    void check_invalid(const FindPairsResult& result) const {
        std::size_t invalid_count = 0;
        for (const Aabb& box : boxes_) invalid_count += is_valid(box) ? 0u : 1u;
        REQUIRE(result.invalid.count == invalid_count);
    }

    Random random_;
    ShuffledRunner runner_;
    FaultyAllocator memory_;
    std::vector<Aabb> boxes_;
    Bits categories_;
    Bits masks_;
    std::vector<std::uint32_t> groups_;
    BoxFilter filter_;
    BoxScratch scratch_{memory_.hook()};
    PairBuffer pairs_{memory_.hook()};
};

class CacheLife : MovingBoxes {
public:
    CacheLife(std::uint64_t seed, std::size_t count)
        : MovingBoxes(seed, count), is_stable_(random_.chance(2)) {
        cache_.set_stable_filter(is_stable_);
        choose_filter();
    }
    void live() {
        static constexpr float kMargins[] = {0, -1, 0.05f, 0.05f, 0.5f, kInfinity};
        if (random_.chance(3)) move();
        if (random_.chance(30)) cache_.set_margin(kMargins[random_.below(6)]);
        if (random_.chance(30)) cache_.clear();
        if (random_.chance(60)) cache_ = PairCache(0.1f, memory_.hook());
        if (random_.chance(is_stable_ ? 40 : 4)) {
            choose_filter();
            cache_.set_stable_filter(is_stable_);
        }
        const GuardedBoxes boxes(boxes_);
        const FindPairsSettings settings = any_settings();
        const FindPairsResult result =
            ask([&] { return cache_.find_pairs(boxes.view(), settings, scratch_, pairs_); });
        const std::vector<IndexPair> expected = expected_pairs(nullptr);
        REQUIRE(std::equal(pairs_.begin(), pairs_.end(), expected.begin(), expected.end()));
        check_invalid(result);
        reused_count += result.plan.cache_use == CacheUse::reused ? 1u : 0u;
    }
    std::size_t reused_count = 0;

private:
    bool is_stable_;
    PairCache cache_{0.05f, memory_.hook()};
};

class RestingLife : MovingBoxes {
public:
    RestingLife(std::uint64_t seed, std::size_t count) : MovingBoxes(seed, count) {}

    void live() {
        move();
        choose_filter();
        if (random_.chance(8)) build();
        if (random_.chance(100)) {
            resting_.release();
            is_built_ = false;
        }
        check_state();
        if (!is_built_) return;
        if (random_.chance(6)) {
            const Bits moved = any_bits(10);
            REQUIRE(resting_.remove(moved) == Status::ok);
            for (std::size_t i = 0; i < count(); ++i)
                if (has_bit(moved, i)) set_bit(movers_, i);
        }
        // All boxes moved since the build, and some others.
        Bits subset = any_bits(8);
        for (std::size_t i = 0; i < count(); ++i)
            if (!has_bit(movers_, i) && has_moved(i)) set_bit(subset, i);
        FindPairsSettings settings = any_settings();
        settings.filter.subset_bits = subset;
        if (random_.chance(3)) settings.order = PairOrder::by_algorithm;
        const GuardedBoxes boxes(boxes_);
        (void)ask([&] { return resting_.find_pairs(boxes.view(), settings, scratch_, pairs_); });
        std::vector<IndexPair> found(pairs_.begin(), pairs_.end());
        if (settings.order == PairOrder::by_algorithm) std::sort(found.begin(), found.end());
        REQUIRE(found == expected_pairs(&subset));
    }

private:
    // Garbage behind the last bit.
    Bits any_bits(std::uint32_t one_in) {
        Bits bits(bit_word_count(count()));
        for (std::size_t i = 0; i < bits.size() * 64; ++i)
            if (random_.chance(one_in)) set_bit(bits, i);
        return bits;
    }
    void build() {
        const Bits bits = any_bits(random_.chance(4) ? 1 : 5);
        const bool is_empty = random_.chance(3);
        const std::span<const std::uint64_t> given = is_empty ? std::span<const std::uint64_t>() : bits;
        const GuardedBoxes boxes(boxes_);
        const TaskRunner* const runner = any_settings().runner;
        const bool is_in_scratch = random_.chance(2);
        (void)ask([&] {
            return is_in_scratch ? resting_.build(boxes.view(), given, runner, scratch_)
                                 : resting_.build(boxes.view(), given, runner);
        });
        is_built_ = true;
        built_ = boxes_;
        left_out_ = movers_ = is_empty ? Bits(bits.size()) : bits;
    }
    // An invalid box may change freely.
    bool has_moved(std::size_t i) const {
        if (!is_valid(built_[i])) return is_valid(boxes_[i]);
        return std::memcmp(&built_[i], &boxes_[i], sizeof(Aabb)) != 0;
    }
    void check_state() {
        REQUIRE(resting_.is_built() == is_built_);
        REQUIRE(resting_.box_count() == (is_built_ ? count() : 0));
        const Bits bits = any_bits(12);
        const GuardedBoxes boxes(boxes_);
        std::size_t resting_count = 0;
        std::size_t drift = 0;
        std::size_t first_moved = kNoIndex;
        REQUIRE(resting_.mover_bits().size() == (is_built_ ? bits.size() : 0));
        for (std::size_t i = 0; is_built_ && i < count(); ++i) {
            const bool is_mover = has_bit(movers_, i);
            REQUIRE((resting_.mover_bits()[i / 64] >> i % 64 & 1) == (is_mover ? 1u : 0u));
            resting_count += has_bit(left_out_, i) ? 0u : 1u;
            drift += is_mover && !has_bit(bits, i) ? 1u : 0u;
            drift += is_mover && !has_bit(left_out_, i) ? 1u : 0u;
            if (!is_mover && !has_bit(bits, i) && has_moved(i)) first_moved = std::min(first_moved, i);
        }
        REQUIRE(resting_.resting_count() == resting_count);
        REQUIRE(resting_.count_drift(bits) == drift);
        REQUIRE(resting_.find_moved_box(boxes.view(), bits) == first_moved);
    }

    RestingBoxes resting_{memory_.hook()};
    bool is_built_ = false;
    std::vector<Aabb> built_;
    Bits left_out_;
    Bits movers_;
};

template <class Life>
std::size_t live(const auto& count_of_life) {
    std::size_t count = 0;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(40 * test_scale()); ++seed) {
        INFO("seed " << seed);
        const DrawnThresholds drawn(seed);
        for_each_isa([&](Isa) {
            Life life(seed, static_cast<std::size_t>(seed * 37 % 101));
            for (int step = 0; step < 100; ++step) life.live();
            count += count_of_life(life);
        });
    }
    return count;
}

}  // namespace

TEST_CASE(
    "a cache returns the pairs of brute force after random operations, whenever it is rebuilt, on every ISA" *
    kModel) {
    const std::size_t reused_count = live<CacheLife>([](const CacheLife& life) { return life.reused_count; });
    REQUIRE(reused_count > 1000);
}

TEST_CASE("resting sets return the pairs of brute force after random operations, on every ISA" * kModel) {
    (void)live<RestingLife>([](const RestingLife&) { return 0u; });
}
