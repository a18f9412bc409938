// Finds the pairs of changed objects with all resting ones, which stay sorted from update to update.
#pragma once

#include "broadphase/src/world/objects/object_table.hpp"

#include <broadside/resting_boxes.hpp>

namespace broadside::broadphase {

/// For updates in which some objects change, mostly the same ones.
class RestFinder {
public:
    RestFinder(const ObjectTable& objects, const Allocator& allocator) noexcept
        : objects_(objects), cells_(allocator), changed_before_bits_(allocator) {}

    /// Whether the cells hold nearly all objects that have not changed.
    bool is_good() const noexcept;
    /// An object that changes now may rest in the updates to come, but not where it was.
    void follow() noexcept;
    /// Called after `follow`. Returns false if a complete search is better, as it is while candidates are
    /// about to replace both.
    bool prepare(bool are_candidates_starting, const TaskRunner* runner, BoxScratch& state_scratch,
                 Status& out_status) noexcept;
    Status find(const TaskRunner* runner, BoxScratch& state_scratch, PairBuffer& out_found) noexcept;
    /// Whether a fixed object is among those whose pairs were found.
    bool has_fixed_mover() const noexcept;
    /// Forgets the cells, because pairs are found another way.
    void clear() noexcept { cells_.clear(); }
    void release() noexcept {
        cells_.release();
        changed_before_bits_.release();
    }
    std::size_t capacity_bytes() const noexcept {
        return cells_.capacity_bytes() + changed_before_bits_.capacity_bytes();
    }

private:
    bool is_current() const noexcept;
    bool is_lasting() noexcept;

    const ObjectTable& objects_;
    RestingBoxes cells_;
    // The update attempt whose changes the cells know.
    std::uint64_t known_attempt_ = 0;
    // The changes of the last update in which few had changed.
    AlignedArray<std::uint64_t> changed_before_bits_;
};

}  // namespace broadside::broadphase
