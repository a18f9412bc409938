// Expected results of a World after each change of a program, by a complete search in every update and a
// merge of sorted lists: fast enough for ten thousand objects.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/world.hpp>

#include <set>
#include <utility>
#include <vector>

namespace broadside::test {

/// Bit for bit, so that a NaN box equals itself.
bool is_same_body(const ObjectDescription& a, const ObjectDescription& b);

class LifeOracle {
public:
    explicit LifeOracle(const WorldSettings& settings) : settings_(settings) {}

    /// False if the world must not return this handle now.
    bool add(ObjectHandle handle, const ObjectDescription& description);
    void remove(ObjectHandle handle);
    void set(ObjectHandle handle, const ObjectDescription& description);
    void set_layers_pair(std::uint32_t a, std::uint32_t b, bool may_pair);

    /// Finds the expected results of the next update; false if there are more pairs than the settings allow.
    bool find_next();
    /// Makes them the results of the last update.
    void commit();

    /// Handles by slot; null for free slots.
    const std::vector<ObjectHandle>& handles() const { return handles_; }
    const ObjectDescription& at(std::uint32_t slot) const { return objects_[slot]; }
    std::size_t object_count() const { return object_count_; }
    /// The expected UpdateResult::changed_count.
    std::size_t changed_count() const { return changed_count_; }

    struct Events {
        std::vector<IndexPair> begun_pairs;
        std::vector<WorldPair> begun;
        std::vector<EndedPair> ended;
        std::vector<PairUserData> ended_user_data;
    };

    // Results of find_next.
    const Events& next_events() const { return next_events_; }
    std::size_t next_pair_count() const { return next_pairs_.size(); }

    // Results of the last update.
    const Events& events() const { return events_; }
    std::size_t pair_count() const { return pairs_.size(); }
    /// The caller's values of the pairs, in the order of `pair`.
    std::vector<std::uint64_t>& values() { return values_; }
    WorldPair pair(std::size_t index) const { return named(pairs_[index], known_handles_, known_data_); }
    /// All pairs in the world's order, or only the persisting ones.
    std::vector<WorldPair> listed_pairs(bool with_begun) const;
    std::vector<ObjectHandle> pairs_of(ObjectHandle handle) const;

private:
    using Handles = std::vector<ObjectHandle>;
    using Data = std::vector<std::uint64_t>;

    void mark(std::uint32_t slot);
    void set_grown_box(std::uint32_t slot, const Aabb& box);
    void search();
    bool may_pair(std::uint32_t a, std::uint32_t b) const;
    bool is_newcomer(std::uint32_t slot) const { return handles_[slot] != known_handles_[slot]; }
    void list_ended(const IndexPair& pair, std::uint64_t value);
    WorldPair named(const IndexPair& pair, const Handles& handles, const Data& data) const;
    template <class Pair>
    void sort(std::vector<Pair>& list, const Data& data) const;

    WorldSettings settings_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> forbidden_layers_;
    // Handles by slot; a dead object's generation is that of the handle in `last_handles_`.
    Handles handles_;
    Handles last_handles_;
    std::vector<ObjectDescription> objects_;
    std::vector<float> columns_[6];
    std::vector<bool> is_changed_;
    std::size_t object_count_ = 0;
    std::size_t changed_count_ = 0;
    // State at the last update.
    Handles known_handles_;
    Data known_data_;
    std::vector<IndexPair> pairs_;
    std::vector<std::uint64_t> values_;
    Events events_;
    // State at the next update.
    std::vector<IndexPair> next_pairs_;
    std::vector<std::uint64_t> next_values_;
    Events next_events_;
    PairBuffer found_;
    BoxScratch scratch_;
};

}  // namespace broadside::test
