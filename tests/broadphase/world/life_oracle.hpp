// What a World must answer after each change of a life, by a complete search of every update and a merge of sorted
// lists: fast enough for ten thousand objects.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/world.hpp>

#include <set>
#include <utility>
#include <vector>

namespace broadside::test {

/// Bit for bit, so that a box that is no number is the same as itself.
bool is_same_body(const ObjectDescription& a, const ObjectDescription& b);

class LifeOracle {
public:
    explicit LifeOracle(const WorldSettings& settings) : settings_(settings) {}

    /// False when the handle is none that a world may give now.
    bool add(ObjectHandle handle, const ObjectDescription& description);
    void remove(ObjectHandle handle);
    void set(ObjectHandle handle, const ObjectDescription& description);
    void set_layers_pair(std::uint32_t a, std::uint32_t b, bool may_pair);

    /// Finds what the next update must; false when there are more pairs than the settings allow.
    bool find_next();
    /// It becomes what is known.
    void commit();

    /// By slot, null handles where nothing lives.
    const std::vector<ObjectHandle>& handles() const { return handles_; }
    const ObjectDescription& at(std::uint32_t slot) const { return objects_[slot]; }
    std::size_t object_count() const { return object_count_; }
    /// What UpdateResult::changed_count will be.
    std::size_t changed_count() const { return changed_count_; }

    struct Events {
        std::vector<IndexPair> begun_pairs;
        std::vector<WorldPair> begun;
        std::vector<EndedPair> ended;
        std::vector<PairUserData> ended_user_data;
    };

    // As of find_next.
    const Events& next_events() const { return next_events_; }
    std::size_t next_pair_count() const { return next_pairs_.size(); }

    // As of the last update.
    const Events& events() const { return events_; }
    std::size_t pair_count() const { return pairs_.size(); }
    /// The caller's values of them, in the order of `pair`.
    std::vector<std::uint64_t>& values() { return values_; }
    WorldPair pair(std::size_t index) const { return named(pairs_[index], known_handles_, known_data_); }
    /// All pairs in the world's order, or those of them that had not begun.
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
    // By slot; a dead object's generation is the handle's of `last_handles_`.
    Handles handles_;
    Handles last_handles_;
    std::vector<ObjectDescription> objects_;
    std::vector<float> columns_[6];
    std::vector<bool> is_changed_;
    std::size_t object_count_ = 0;
    std::size_t changed_count_ = 0;
    // As of the last update.
    Handles known_handles_;
    Data known_data_;
    std::vector<IndexPair> pairs_;
    std::vector<std::uint64_t> values_;
    Events events_;
    // Of the next one.
    std::vector<IndexPair> next_pairs_;
    std::vector<std::uint64_t> next_values_;
    Events next_events_;
    PairBuffer found_;
    FindPairsScratch scratch_;
};

}  // namespace broadside::test
