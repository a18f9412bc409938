// A tree that is built beside another one, a little at each change.
#pragma once

#include "broadphase/src/order/steps.hpp"
#include "broadphase/src/tree/view.hpp"

namespace broadside::broadphase {

/// How far it is. The boxes are copied one after the other, put in order, and laid out as nodes, while the old
/// tree goes on answering and changing. What has changed since the copy began is noted, and in the end set in
/// the new tree, too, until that has caught up and takes the place of the old one.
struct TreeRenewal {
    enum class Phase : std::uint8_t { sample, copy, order, count, lay_out, close, follow };

    static constexpr std::uint32_t kSampleCount = 128;

    Phase phase = Phase::sample;
    /// Every box has a new place since, by a refit.
    bool has_all_changed = false;
    /// The next sample, box, record, family or word of `noted`.
    std::size_t cursor = 0;
    /// Boxes when the copy began, of which at most so many are copied.
    std::size_t box_count = 0;
    std::size_t record_capacity = 0;
    std::size_t usual_count = 0;
    std::size_t other_count = 0;
    std::size_t valid_count = 0;
    float size_limit = 0.0f;
    std::uint32_t sampled_count = 0;
    float sampled_sizes[kSampleCount];
    BoxRecord* records = nullptr;
    std::uint8_t* levels = nullptr;
    /// A bit for each box that has changed; boxes past the limit cannot be noted.
    std::uint64_t* noted = nullptr;
    std::size_t noted_limit = 0;
    std::size_t noted_count = 0;
    /// Since it began: as of BoxTree.
    double wear = 0.0;
    std::uint32_t update_count = 0;
    /// Units of work that are left, by the estimate; and those for as much wear as one box that joins.
    std::int64_t units_left = 0;
    std::int64_t units_of_wear = 0;
    OrderSteps order;
    TreeLayout layout;

    std::size_t record_count() const { return usual_count + other_count; }
    void note(std::uint32_t box_index) {
        std::uint64_t& word = noted[box_index / 64];
        const std::uint64_t bit = std::uint64_t{1} << box_index % 64;
        noted_count += (word & bit) == 0 ? 1u : 0u;
        word |= bit;
    }
    bool is_noted(std::uint32_t box_index) const {
        return has_all_changed || (noted[box_index / 64] >> box_index % 64 & 1) != 0;
    }
};

}  // namespace broadside::broadphase
