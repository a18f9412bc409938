// The candidates that an update finds, until they are put into the lists.
#pragma once

#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"

#include <broadside/pair_buffer.hpp>
#include <broadside/task_runner.hpp>

namespace broadside::broadphase {

/// Most tasks of one step of an update.
inline constexpr std::uint32_t kStepTasks = 16;

/// Candidates in lists, one for each task that finds them, so that tasks share nothing.
class NewCandidates {
public:
    /// `key` is a region, or the number of regions.
    struct Candidate {
        IndexPair pair;
        std::uint32_t key;
    };
    struct List {
        std::size_t begin;
        std::size_t count;
    };
    /// A renewal has two steps.
    static constexpr std::uint32_t kListMax = 2 * kStepTasks;
    /// Counts of one list, by key.
    using KeyCounts = std::uint32_t[GrownRegions::kRegionMax + 1];

    explicit NewCandidates(const Allocator& allocator) noexcept : candidates_(allocator) {}

    void clear() noexcept;
    std::uint32_t list_count() const noexcept { return list_count_; }
    /// Number of candidates in all lists.
    std::size_t count() const noexcept;
    /// Opens lists for `list_count` tasks behind the present ones, with room for `room` candidates in equal
    /// shares. Returns the first; null if out of memory.
    List* open(std::uint32_t list_count, std::size_t room) noexcept;

    /// The memory of all lists, of which the last may grow. Candidates move when it does.
    std::size_t size() const noexcept { return candidates_.size(); }
    std::size_t spare_capacity() const noexcept { return candidates_.capacity() - candidates_.size(); }
    [[nodiscard]] bool grow(std::size_t size) noexcept { return resize_amply(candidates_, size); }
    [[nodiscard]] bool reserve(std::size_t size) noexcept { return candidates_.reserve(size); }
    Candidate* begin_of(const List& list) noexcept { return candidates_.data() + list.begin; }

    /// Counts the candidates of each list by their keys, which are below `key_count`.
    void count_keys(const TaskRunner* runner, std::uint32_t key_count, KeyCounts* out_counts) const noexcept;
    /// Stores each candidate in `out_pairs` behind `begins` of its key, at the next position of its list there.
    void put_by_key(const TaskRunner* runner, KeyCounts* state_positions, const std::size_t* begins,
                    IndexPair* out_pairs) const noexcept;

    std::size_t capacity_bytes() const noexcept { return candidates_.capacity_bytes(); }

private:
    AlignedArray<Candidate> candidates_;
    List lists_[kListMax] = {};
    std::uint32_t list_count_ = 0;
};

}  // namespace broadside::broadphase
