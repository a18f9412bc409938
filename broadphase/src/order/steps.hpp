// The sorting that a tree is built by, a little at a time.
#pragma once

#include "broadphase/src/order/ranges.hpp"

namespace broadside::broadphase {

/// Memory whose initial content does not matter.
struct OrderMemory {
    // Each level has some ranges that wait for their turn, fewer than a node has parts.
    static constexpr std::uint32_t kWaitingMax = 16 * kNodeWidth;
    ordering::Range waiting[kWaitingMax];
    ordering::BoxesBounds bins[ordering::kCutBinCount];
};

/// Puts records into the order of the leaves like order_boxes, except that the order within a leaf is
/// arbitrary, and records keep their corners. Work is counted in units: the cost of a look at one record,
/// some two nanoseconds.
class OrderSteps {
public:
    /// Begins with `usual_count` records of usual boxes, then the others; `levels` are zero. Not empty.
    void begin(BoxRecord* records, std::uint8_t* levels, OrderMemory& memory, std::size_t usual_count,
               std::size_t count);
    /// Uses up the units, perhaps a few more. Returns true when the order is complete.
    bool advance(std::int64_t& state_units);
    /// Estimated units of a whole sorting.
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
    // In the range that is being cut: the next record, and the first of those above the cut.
    std::size_t cursor_ = 0;
    std::size_t others_ = 0;
    ordering::BinOf bin_of_;
    ordering::BinCut best_;
    ordering::BoxesBounds* bins_ = nullptr;
    // The record at `cut_` is searched among those from `low_` to `high_`.
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
