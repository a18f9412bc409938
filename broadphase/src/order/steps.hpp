// The sorting that a tree is built by, a little at a time.
#pragma once

#include "broadphase/src/order/ranges.hpp"

namespace broadside::broadphase {

/// Memory that may hold anything at the beginning.
struct OrderMemory {
    // Each level has some ranges that wait for their turn, fewer than a node has parts.
    static constexpr std::uint32_t kWaitingMax = 16 * kNodeWidth;
    ordering::Range waiting[kWaitingMax];
    ordering::BoxesBounds bins[ordering::kCutBinCount];
};

/// Puts records into the order of the leaves as order_boxes does, but for the order within a leaf, which is
/// any, and records keep their corners. Work is counted in units: what one record costs when it is looked at,
/// some two nanoseconds.
class OrderSteps {
public:
    /// `usual_count` records of usual boxes first, then those of the others; `levels` are zero. Not empty.
    void begin(BoxRecord* records, std::uint8_t* levels, OrderMemory& memory, std::size_t usual_count,
               std::size_t count);
    /// Uses units up, a few more than there are perhaps. True when the order stands.
    bool advance(std::int64_t& state_units);
    /// About the units of a whole sorting.
    static std::int64_t units_of(std::size_t count);

private:
    enum class Phase : std::uint8_t { measure, next, bins, partition, select, measure_parts };
    void begin_next(std::int64_t& state_units);
    void begin_select(std::size_t wanted_count);
    void begin_pass(Phase phase);
    void end_bins(std::int64_t& state_units);
    void end_select_pass();
    void push(const ordering::Range& behind);
    std::size_t steps_to(std::size_t end, std::int64_t& state_units, std::size_t steps_of_unit = 1);

    BoxRecord* records_ = nullptr;
    std::uint8_t* levels_ = nullptr;
    std::uint32_t height_ = 0;
    Phase phase_ = Phase::next;
    int axis_ = 0;
    // Of the range that is being cut: the record that is next, and the first of those above the cut.
    std::size_t cursor_ = 0;
    std::size_t others_ = 0;
    ordering::BinOf bin_of_;
    ordering::BinCut best_;
    ordering::BoxesBounds* bins_ = nullptr;
    // The record at `cut_` is looked for among those from `low_` to `high_`.
    std::size_t cut_ = 0;
    std::size_t low_ = 0;
    std::size_t high_ = 0;
    BoxRecord pivot_ = {};
    ordering::Bounds centers_before_;
    ordering::Bounds centers_behind_;
    std::uint32_t waiting_count_ = 0;
    ordering::Range* waiting_ = nullptr;
};

}  // namespace broadside::broadphase
