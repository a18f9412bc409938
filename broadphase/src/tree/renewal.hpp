// A tree that is built beside another one, a little at each change.
#pragma once

#include "broadphase/src/order/steps.hpp"
#include "broadphase/src/tree/view.hpp"

#include <broadside/bits.hpp>

namespace broadside::broadphase {

/// Boxes that have changed during a renewal. Words are cleared as they come into use, so that no call takes
/// long: those of copied boxes during the copy, others up to the last noted one.
struct NotedBoxes {
    /// A bit for each box; boxes past the limit cannot be noted.
    std::uint64_t* bits = nullptr;
    /// A bit for each word of `bits` that may not be zero.
    std::uint64_t* groups = nullptr;
    std::size_t limit = 0;
    std::size_t word_count = 0;
    std::size_t count = 0;

    std::size_t group_count() const { return word_count / 64 + 1; }
    bool has(std::uint32_t box_index) const { return (bits[box_index / 64] >> box_index % 64 & 1) != 0; }
    void begin(std::size_t box_count) {
        word_count = box_count / 64;
        for (std::size_t group = 0; group < group_count(); ++group) groups[group] = 0;
        use_words(word_count + 1);
    }
    void use_words(std::size_t used_count) {
        while (word_count < used_count) {
            bits[word_count++] = 0;
            if (word_count % 64 == 0) groups[word_count / 64] = 0;
        }
    }
    void note(std::uint32_t box_index) {
        use_words(box_index / 64 + 1);
        std::uint64_t& word = bits[box_index / 64];
        const std::uint64_t bit = std::uint64_t{1} << box_index % 64;
        count += (word & bit) == 0 ? 1u : 0u;
        word |= bit;
        groups[box_index / 4096] |= std::uint64_t{1} << box_index / 64 % 64;
    }
    void note_all(std::size_t box_count) {
        use_words(bit_word_count(box_count));
        for (std::size_t first = 0; first < box_count; first += 64) {
            const std::size_t rest = box_count - first;
            bits[first / 64] = rest < 64 ? (std::uint64_t{1} << rest) - 1 : ~std::uint64_t{0};
            groups[first / 4096] |= std::uint64_t{1} << first / 64 % 64;
        }
        count = box_count;
    }
};

/// The state of a renewal. Memory is reserved, an array at a time; the boxes are copied one after the other,
/// sorted, and laid out as nodes, while the old tree serves queries and changes. Changes after the copy are
/// noted and in the end repeated in the new tree, until that has caught up and replaces the old one.
struct TreeRenewal {
    enum class Phase : std::uint8_t { reserve, sample, copy, order, count, lay_out, close, follow };

    static constexpr std::uint32_t kSampleCount = 128;

    Phase phase = Phase::reserve;
    /// Zero, or one more than the number of boxes set one by one since the last refit, which changed all.
    std::uint32_t sets_since_refit = 0;
    /// The next sample, box, record, part of a family or group of noted boxes.
    std::size_t cursor = 0;
    /// Boxes when the copy began. At most record_capacity of them are copied.
    std::size_t box_count = 0;
    std::size_t family_count = 0;
    std::size_t record_capacity = 0;
    std::size_t usual_count = 0;
    std::size_t other_count = 0;
    std::size_t valid_count = 0;
    float size_limit = 0.0f;
    std::uint32_t sampled_count = 0;
    float sampled_sizes[kSampleCount];
    BoxRecord* records = nullptr;
    std::uint8_t* levels = nullptr;
    OrderMemory* order_memory = nullptr;
    NotedBoxes noted;
    /// Since the renewal began; as in BoxTree.
    double wear = 0.0;
    std::uint32_t update_count = 0;
    /// Units of work: those left by the estimate, and their minimum; those for as much wear as one joining
    /// box; and those that changes have called for but that are not done yet.
    std::int64_t units_left = 0;
    std::int64_t units_left_min = 0;
    std::int64_t units_of_wear = 0;
    std::int64_t units_owed = 0;
    OrderSteps order;
    TreeLayout layout;

    std::size_t record_count() const { return usual_count + other_count; }
    /// Such a box need not be noted: it will be copied as it is then.
    bool is_yet_to_be_copied(std::uint32_t box_index) const {
        return box_index < box_count &&
               (phase < Phase::copy || (phase == Phase::copy && box_index >= cursor));
    }
    bool is_noted(std::uint32_t box_index) const { return sets_since_refit != 0 || noted.has(box_index); }
};

}  // namespace broadside::broadphase
