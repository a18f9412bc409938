// Passes over the records of a range that may stop at any of them: bins, then the partition; or, if bins do
// not help, the search for the record in the middle.
#include "broadphase/src/order/steps.hpp"

namespace broadside::broadphase {

using namespace ordering;

namespace {

// Few enough records to be searched at once.
constexpr std::size_t kSelectedAtOnce = 16;
// Costs apart from the records, in units.
constexpr std::int64_t kUnitsOfLeaf = 4;
constexpr std::int64_t kUnitsOfRange = 24;
constexpr std::int64_t kUnitsOfBins = 140;
// A record that is moved costs less than one that is measured.
constexpr std::size_t kMovedForUnit = 2;

}  // namespace

void OrderSteps::begin(BoxRecord* records, std::uint8_t* levels, OrderMemory& memory, std::size_t usual_count,
                       std::size_t count) {
    records_ = records;
    levels_ = levels;
    waiting_ = memory.waiting;
    bins_ = memory.bins;
    height_ = tree_height(count);
    waiting_count_ = 0;
    phase_ = Phase::next;
    if (height_ == 0) return;
    const WholeRanges whole = whole_ranges(usual_count, count);
    if (whole.others.count() != 0) push(whole.others);
    if (whole.usual.count() != 0) push(whole.usual);
    begin_pass(Phase::measure);
}

std::int64_t OrderSteps::units_of(std::size_t count) {
    constexpr auto kMoved = static_cast<std::int64_t>(kMovedForUnit);
    const auto records = static_cast<std::int64_t>(count);
    std::int64_t units = records * 2;
    for (std::size_t rest = count; rest > kNodeWidth; rest /= 2) units += records + records / kMoved;
    // A leaf has some eleven boxes.
    return units + (kUnitsOfRange + kUnitsOfBins + kUnitsOfLeaf) * (records / 11 + 1);
}

void OrderSteps::push(const Range& behind) {
    BROADSIDE_ASSERT(waiting_count_ < OrderMemory::kWaitingMax, "order: more ranges wait than levels have");
    waiting_[waiting_count_++] = behind;
}

void OrderSteps::begin_pass(Phase phase) {
    phase_ = phase;
    cursor_ = waiting_[waiting_count_ - 1].begin;
    others_ = cursor_;
    centers_before_ = {};
    centers_behind_ = {};
}

// The end of the steps for which the units suffice.
std::size_t OrderSteps::steps_to(std::size_t end, std::int64_t& state_units, std::size_t steps_of_unit) {
    const std::size_t count = std::min(end - cursor_, static_cast<std::size_t>(state_units) * steps_of_unit);
    state_units -= static_cast<std::int64_t>(count / steps_of_unit);
    return cursor_ + count;
}

void OrderSteps::begin_next(std::int64_t& state_units) {
    Range& range = waiting_[waiting_count_ - 1];
    if (!settle(range, levels_)) {
        --waiting_count_;
        state_units -= kUnitsOfLeaf;
        return;
    }
    state_units -= kUnitsOfRange;
    axis_ = longest_axis(range.centers);
    if (!BinOf::is_possible(range.centers, axis_)) return begin_select(range.count() / 2);
    bin_of_ = BinOf(range.centers, axis_);
    std::fill_n(bins_, kCutBinCount, BoxesBounds{});
    begin_pass(Phase::bins);
}

void OrderSteps::end_bins(std::int64_t& state_units) {
    state_units -= kUnitsOfBins;
    const Range& range = waiting_[waiting_count_ - 1];
    best_ = best_cut(bins_);
    if (best_.bin == 0) return begin_select(range.count() / 2);
    if (!fits(range, best_)) return begin_select(best_.below.count);
    begin_pass(Phase::partition);
}

void OrderSteps::begin_select(std::size_t wanted_count) {
    const Range& range = waiting_[waiting_count_ - 1];
    cut_ = full_parts_cut(range, wanted_count);
    low_ = range.begin;
    high_ = range.end;
    others_ = high_;
    end_select_pass();
}

// Of the records from `low_` to `high_`, those before `others_` come before the rest.
void OrderSteps::end_select_pass() {
    const CenterOrder order = {axis_};
    if (others_ <= cut_) {
        low_ = others_;
    } else {
        high_ = others_;
    }
    if (high_ - low_ <= kSelectedAtOnce) {
        std::nth_element(records_ + low_, records_ + cut_, records_ + high_, order);
        begin_pass(Phase::measure_parts);
        return;
    }
    // The middle one of three is not the first of all, so that some come before it. Not from the ends, where passes
    // leave the least and the greatest of records that came in descending order.
    const std::size_t quarter = (high_ - low_) / 4;
    const BoxRecord* a = records_ + low_ + quarter;
    const BoxRecord* b = a + quarter;
    const BoxRecord* c = b + quarter;
    if (order(*b, *a)) std::swap(a, b);
    if (order(*c, *b)) b = order(*c, *a) ? a : c;
    pivot_ = *b;
    phase_ = Phase::select;
    cursor_ = low_;
    others_ = low_;
}

bool OrderSteps::advance(std::int64_t& state_units) {
    while (state_units > 0) {
        if (waiting_count_ == 0) {
            levels_[0] = begun_levels(height_, height_);
            return true;
        }
        Range& range = waiting_[waiting_count_ - 1];
        switch (phase_) {
            case Phase::measure: {
                const std::size_t end = steps_to(range.end, state_units);
                measure(records_, cursor_, end, centers_before_);
                cursor_ = end;
                if (end != range.end) break;
                range.centers = centers_before_;
                // The other of the whole ranges.
                if (waiting_count_ == 2 && waiting_[0].centers.min[0] > waiting_[0].centers.max[0]) {
                    std::swap(waiting_[0], waiting_[1]);
                    begin_pass(Phase::measure);
                } else {
                    phase_ = Phase::next;
                }
                break;
            }
            case Phase::next:
                begin_next(state_units);
                break;
            case Phase::bins: {
                const std::size_t end = steps_to(range.end, state_units);
                fill_bins(records_, cursor_, end, bin_of_, bins_);
                cursor_ = end;
                if (end == range.end) end_bins(state_units);
                break;
            }
            case Phase::partition: {
                const std::size_t end = steps_to(range.end, state_units, kMovedForUnit);
                const auto bin_limit = static_cast<float>(best_.bin);
                others_ = partition(records_, others_, cursor_, end,
                                    [&](const BoxRecord& record) { return bin_of_(record) < bin_limit; });
                cursor_ = end;
                if (end != range.end) break;
                push(divide(range, others_, best_.below.centers, best_.above.centers));
                phase_ = Phase::next;
                break;
            }
            case Phase::select: {
                const std::size_t end = steps_to(high_, state_units);
                const CenterOrder order = {axis_};
                others_ = partition(records_, others_, cursor_, end,
                                    [&](const BoxRecord& record) { return order(record, pivot_); });
                cursor_ = end;
                if (end == high_) end_select_pass();
                break;
            }
            case Phase::measure_parts: {
                const std::size_t end = steps_to(range.end, state_units);
                if (cursor_ < cut_) measure(records_, cursor_, std::min(cut_, end), centers_before_);
                if (end > cut_) measure(records_, std::max(cut_, cursor_), end, centers_behind_);
                cursor_ = end;
                if (end != range.end) break;
                push(divide(range, cut_, centers_before_, centers_behind_));
                phase_ = Phase::next;
                break;
            }
        }
    }
    return false;
}

}  // namespace broadside::broadphase
