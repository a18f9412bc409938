// BoxTree: rebuilds a tree that changes have degraded, without a call that takes long. Each change pays for
// some of the work; queries use the old tree until the new one is as current, and then the new one.
#include "broadphase/src/tree/renewal.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"

#include <broadside/bits.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace broadside::broadphase {
namespace {

// The new tree is built while this share of the boxes joins.
constexpr double kRenewedShare = 0.3;
// A tree whose leaves have too many lanes is renewed when this share of its boxes has joined or left.
constexpr double kWornByLanesShare = 0.125;
// A tree is also renewed when its arrays are nearly full, and would have to be copied to larger ones in one
// call. While leaves are as full as they were built, some 40 joining boxes make a family of nodes, later 140.
constexpr double kJoinsOfFamilyAtFirst = 32.0;
constexpr double kJoinsOfFamily = 128.0;
constexpr double kFirstJoinsShare = 0.2;

// Between updates, which refit: the growth of leaves at which the new tree should be ready, and the least
// number of updates that share the work.
constexpr float kWantedGrowth = 1.2f;
constexpr float kUpdatesOfRenewal = 6.0f;

// Costs of work in units; a unit is a look at one record.
constexpr std::int64_t kUnitsOfReserve = 1000;
constexpr std::int64_t kUnitsOfSample = 16;
constexpr std::int64_t kUnitsOfCopy = 6;
constexpr std::int64_t kUnitsOfLayOut = 6;
constexpr std::int64_t kUnitsOfClose = 40;
// Nodes of a family that are closed at a time.
constexpr std::uint32_t kPartNodes = 4;
constexpr std::uint32_t kPartsOfFamily = kNodeWidth / kPartNodes;
constexpr std::int64_t kUnitsOfFollow = 150;
constexpr std::int64_t kUnitsOfStep = 24;
constexpr std::int64_t kUnitsOfSplit = 150;
// Units of work at any change.
constexpr std::int64_t kUnitsOfChange = 16;
// The estimate of a whole renewal may be short by a few such shares. At least one share counts as left, so
// that the rest is not done unit by unit.
constexpr std::int64_t kShareOfEstimate = 16;
// Boxes that are prefetched ahead when they are copied: each is in a leaf of its own.
constexpr std::uint32_t kCopiedAhead = 8;

// Rounds so that counts within a fourth of each other need the same memory. A varying number of boxes then
// causes no allocations.
std::size_t rounded_count(std::size_t count) {
    const std::size_t step = std::max<std::size_t>(256, std::bit_floor(count) / 4);
    return (count + step - 1) / step * step;
}

bool has_too_many_lanes(std::uint32_t leaf_count, std::size_t member_count) {
    const auto lane_count = static_cast<float>(leaf_count) * static_cast<float>(kNodeWidth);
    return lane_count > thresholds().trees.lanes_per_box_max * static_cast<float>(member_count) +
                            thresholds().trees.spare_lanes;
}

bool is_inside(const Aabb& box, const Aabb& other) {
    return (box.min.x > other.min.x) & (box.min.y > other.min.y) & (box.min.z > other.min.z) &
           (box.max.x < other.max.x) & (box.max.y < other.max.y) & (box.max.z < other.max.z);
}

}  // namespace

// Called after a change of a tree that had `leaf_count` leaves.
void TreeData::note_change(std::uint32_t box_index, float wear, std::uint32_t leaf_count) noexcept {
    // Long work takes turns: leaves that are split or removed, the work that those deferred, and the renewal.
    const std::int64_t spent = nodes_.shape_.leaf_count != leaf_count ? kUnitsOfSplit : nodes_.tidy();
    upkeep_.wear += static_cast<double>(wear);
    if (member_count() == 0) return drop_renewal();
    TreeRenewal* const renewal = upkeep_.renewal;
    if (renewal == nullptr) {
        const auto count = static_cast<double>(member_count());
        const bool is_worn =
            upkeep_.wear > thresholds().trees.worn_share * count + thresholds().trees.worn_min ||
            (upkeep_.wear > kWornByLanesShare * count + thresholds().trees.worn_min &&
             has_too_many_lanes(nodes_.shape_.leaf_count, member_count())) ||
            (upkeep_.wear > thresholds().trees.worn_min && joins_left() < kRenewedShare * count);
        if (is_worn) begin_renewal();
        return;
    }
    if (box_index >= renewal->noted.limit) return drop_renewal();
    if (!renewal->is_yet_to_be_copied(box_index)) renewal->noted.note(box_index);
    renewal->wear += static_cast<double>(wear);
    // The next update takes the new tree, so only many boxes set before it are a reason to follow all.
    if (renewal->phase == TreeRenewal::Phase::follow && renewal->sets_since_refit != 0 &&
        ++renewal->sets_since_refit > member_count() / thresholds().trees.boxes_per_set_between)
        note_all();
    const std::int64_t units_left =
        renewal->units_left + static_cast<std::int64_t>(renewal->noted.count) * kUnitsOfFollow;
    // Must be done before the arrays are full; if that is urgent, nothing is deferred.
    const double units_in_time = static_cast<double>(units_left) / (joins_left() + 1.0);
    const bool is_urgent = units_in_time > static_cast<double>(renewal->units_of_wear);
    const double units_of_join = std::max(static_cast<double>(renewal->units_of_wear), units_in_time);
    // A change that is noted now must be followed, besides the rest.
    const bool is_followed = renewal->phase == TreeRenewal::Phase::follow;
    const std::int64_t units_of_note = is_followed ? (wear == 1.0f ? kUnitsOfFollow : kUnitsOfStep) : 0;
    const std::int64_t units_of_change =
        kUnitsOfChange + units_of_note + static_cast<std::int64_t>(static_cast<double>(wear) * units_of_join);
    renewal->units_owed += units_of_change;
    if (renewal->units_owed <= 0) return;
    const std::int64_t share = std::max(renewal->units_owed / thresholds().trees.calls_that_share,
                                        thresholds().trees.units_of_call_min) -
                               spent;
    const std::int64_t units =
        std::min(renewal->units_owed, is_urgent ? std::max(share, units_of_change) : share);
    if (units <= 0) return;
    renewal->units_owed -= units;
    advance_renewal(units);
}

void TreeData::note_all_changed() noexcept {
    if (upkeep_.renewal != nullptr) upkeep_.renewal->sets_since_refit = 1;
}

// Notes all boxes, which are then followed one by one.
void TreeData::note_all() noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    renewal.sets_since_refit = 0;
    renewal.noted.note_all(box_count());
}

// Gives up the renewal. Without memory for it the tree is as correct as before, and does not retry soon.
void TreeData::drop_renewal() noexcept { upkeep_ = {}; }

void TreeData::begin_renewal() noexcept {
    const std::size_t count = rounded_count(member_count());
    const std::size_t limit = rounded_count(box_count() + box_count() / 2);
    TreeRenewal* renewal = nullptr;
    BoxRecord* records = nullptr;
    std::uint8_t* levels = nullptr;
    OrderMemory* order_memory = nullptr;
    std::uint64_t* noted = nullptr;
    std::uint64_t* noted_groups = nullptr;
    const bool has_memory = reserve_arrays(renewal_memory_, [&](Arena& arena) {
        renewal = reinterpret_cast<TreeRenewal*>(arena.reserve<std::byte>(sizeof(TreeRenewal)));
        records = arena.reserve<BoxRecord>(count);
        levels = arena.reserve<std::uint8_t>(count);
        order_memory = reinterpret_cast<OrderMemory*>(arena.reserve<std::byte>(sizeof(OrderMemory)));
        noted = arena.reserve<std::uint64_t>(bit_word_count(limit));
        noted_groups = arena.reserve<std::uint64_t>(bit_word_count(limit) / 64 + 1);
    });
    if (!has_memory) return drop_renewal();
    renewal = new (renewal) TreeRenewal;
    renewal->box_count = box_count();
    // With room for boxes that join meanwhile.
    renewal->family_count = family_count_max(count) * 5 / 2;
    renewal->record_capacity = member_count();
    renewal->records = records;
    renewal->levels = levels;
    renewal->order_memory = order_memory;
    renewal->noted.bits = noted;
    renewal->noted.groups = noted_groups;
    renewal->noted.limit = limit;
    renewal->noted.begin(box_count());
    next_.forget();
    const auto members = static_cast<std::int64_t>(member_count());
    renewal->units_left =
        OrderSteps::units_of(member_count()) +
        static_cast<std::int64_t>(TreeNodes::kArrayCount) * kUnitsOfReserve +
        members * (kUnitsOfCopy + 1 + kUnitsOfLayOut) +
        static_cast<std::int64_t>(nodes_.shape_.family_count * kPartsOfFamily) * kUnitsOfClose;
    renewal->units_left_min = renewal->units_left / kShareOfEstimate;
    const double joining = std::min(kRenewedShare * static_cast<double>(members), joins_left()) + 1.0;
    renewal->units_of_wear =
        static_cast<std::int64_t>(static_cast<double>(renewal->units_left) / joining) + kUnitsOfFollow;
    upkeep_.renewal = renewal;
}

// Estimates how many boxes may join before the arrays have to grow.
double TreeData::joins_left() const noexcept {
    const bool is_new = upkeep_.wear < kFirstJoinsShare * static_cast<double>(member_count());
    return nodes_.joins_left(is_new ? kJoinsOfFamilyAtFirst : kJoinsOfFamily);
}
double TreeNodes::joins_left(double joins_of_family) const noexcept {
    // Counts what every joining box may need.
    const std::size_t families_left =
        used_bits_.capacity() - std::min(used_bits_.capacity(), families_needed(1));
    return std::min(joins_of_family * static_cast<double>(families_left),
                    static_cast<double>(slots_.capacity() - shape_.box_count));
}

void TreeData::reserve_next(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    for (; state_units > 0 && renewal.cursor < TreeNodes::kArrayCount; ++renewal.cursor) {
        state_units -= kUnitsOfReserve;
        if (!next_.reserve_array(renewal.cursor, renewal.family_count, renewal.noted.limit))
            return drop_renewal();
    }
    if (renewal.cursor < TreeNodes::kArrayCount) return;
    (void)next_.slots_.resize(renewal.noted.limit);
    renewal.cursor = 0;
    renewal.phase = TreeRenewal::Phase::sample;
}

// Work beyond the units is left out later.
void TreeData::advance_renewal(std::int64_t units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    renewal.units_left = std::max(renewal.units_left - units, renewal.units_left_min);
    const TreeRenewal::Phase first_phase = renewal.phase;
    // The next phase begins with memory that has not been read for long, and so in a call of its own.
    while (units > 0 && upkeep_.renewal != nullptr && renewal.phase == first_phase) {
        switch (renewal.phase) {
            case TreeRenewal::Phase::reserve:
                reserve_next(units);
                break;
            case TreeRenewal::Phase::sample:
                sample_members(units);
                break;
            case TreeRenewal::Phase::copy:
                copy_members(units);
                break;
            case TreeRenewal::Phase::order:
                if (!renewal.order.advance(units)) break;
                renewal.phase = TreeRenewal::Phase::count;
                renewal.layout = {};
                renewal.cursor = 0;
                break;
            case TreeRenewal::Phase::count:
                count_nodes(units);
                break;
            case TreeRenewal::Phase::lay_out:
                lay_out_next(units);
                break;
            case TreeRenewal::Phase::close:
                close_next(units);
                break;
            case TreeRenewal::Phase::follow:
                if (renewal.noted.count == 0) {
                    // Boxes that a refit has changed are filled in by the next one.
                    if (renewal.sets_since_refit == 0) end_renewal();
                    return;
                }
                follow_changes(units);
                if (upkeep_.renewal == nullptr || renewal.noted.count == 0) break;
                renewal.units_owed += units;
                return;
        }
    }
    if (upkeep_.renewal != nullptr) renewal.units_owed += units;
}

// Finds the size from which on boxes are set apart from usual ones.
void TreeData::sample_members(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    const std::size_t step = renewal.box_count / TreeRenewal::kSampleCount + 1;
    for (; state_units > 0 && renewal.cursor < renewal.box_count; renewal.cursor += step) {
        state_units -= kUnitsOfSample;
        const std::uint32_t slot = nodes_.slot_of_box(static_cast<std::uint32_t>(renewal.cursor));
        if (slot == kNoSlot) continue;
        const Aabb box = slot_box(view(), slot);
        if (is_empty(box)) continue;
        // Inserted in order at once, so that the last sample leaves no sorting to do.
        const float size = ordering::longest_edge(box);
        float* const end = renewal.sampled_sizes + renewal.sampled_count++;
        float* const place = std::upper_bound(renewal.sampled_sizes, end, size);
        std::copy_backward(place, end, end + 1);
        *place = size;
    }
    if (renewal.cursor < renewal.box_count) return;
    const float middle = renewal.sampled_sizes[renewal.sampled_count / 2];
    renewal.size_limit = renewal.sampled_count != 0 ? middle * ordering::kLargeFactor : FLT_MAX;
    renewal.cursor = 0;
    renewal.phase = TreeRenewal::Phase::copy;
}

// Copies usual boxes from the front on, others from the back.
void TreeData::copy_members(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    BoxRecord* const records = renewal.records;
    const auto prefetch_box = [&](std::uint32_t slot) {
        if (slot == kNoSlot) return;
        const float* const at = nodes_.planes_.data() + std::size_t{slot / kNodeWidth} * kNodeFloats;
        for (std::size_t row = 0; row < 6; ++row) __builtin_prefetch(at + row * kNodeWidth);
    };
    for (; state_units > 0 && renewal.cursor < renewal.box_count; ++renewal.cursor) {
        const auto index = static_cast<std::uint32_t>(renewal.cursor);
        --state_units;
        if (index % 64 == 0 && index / 64 != renewal.box_count / 64) renewal.noted.bits[index / 64] = 0;
        next_.slots_.data()[index] = kNoSlot;
        const std::uint32_t slot = nodes_.slot_of_box(index);
        prefetch_box(nodes_.slot_of_box(index + kCopiedAhead));
        if (slot == kNoSlot) continue;
        if (renewal.record_count() == renewal.record_capacity) {
            // Other boxes have joined meanwhile.
            renewal.noted.note(index);
            continue;
        }
        state_units -= kUnitsOfCopy - 1;
        const Aabb box = slot_box(view(), slot);
        renewal.levels[renewal.record_count()] = 0;
        if (!is_empty(box) && ordering::longest_edge(box) <= renewal.size_limit) {
            records[renewal.usual_count++] = ordering::record_of(box, index);
        } else {
            records[renewal.record_capacity - ++renewal.other_count] =
                ordering::record_of(is_empty(box) ? Aabb{} : box, index);
        }
    }
    if (renewal.cursor < renewal.box_count) return;
    if (renewal.record_count() == 0) return drop_renewal();
    // Boxes that were removed before they were copied leave a gap.
    const std::size_t gap = renewal.record_capacity - renewal.record_count();
    std::copy_n(records + renewal.record_capacity - std::min(gap, renewal.other_count),
                std::min(gap, renewal.other_count), records + renewal.usual_count);
    renewal.order.begin(records, renewal.levels, *renewal.order_memory, renewal.usual_count,
                        renewal.record_count());
    renewal.phase = TreeRenewal::Phase::order;
}

void TreeData::count_nodes(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    const std::size_t rest = renewal.record_count() - renewal.cursor;
    const std::size_t count = std::min(rest, static_cast<std::size_t>(state_units));
    for (const std::size_t end = renewal.cursor + count; renewal.cursor != end; ++renewal.cursor) {
        for (std::uint32_t level = 0; level < begun_count(renewal.levels[renewal.cursor]); ++level)
            ++renewal.layout.node_counts[level];
    }
    state_units -= static_cast<std::int64_t>(count);
    if (count != rest) return;
    renewal.layout.level_count = begun_count(renewal.levels[0]);
    std::size_t family_count = 2;
    for (std::uint32_t level = 1; level < renewal.layout.level_count; ++level)
        family_count += renewal.layout.node_counts[level];
    if (family_count > next_.used_bits_.capacity()) return drop_renewal();
    next_.begin_layout(renewal.box_count, renewal.record_count(), renewal.layout);
    renewal.cursor = 0;
    renewal.phase = TreeRenewal::Phase::lay_out;
}

// A changed box keeps the corners that it had when it was copied. An unchanged box takes its corners from the
// old tree if its record has none, because it is invalid or far away.
void TreeData::lay_out_next(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    const Aabb exact = {{-kCoordinateMax, -kCoordinateMax, -kCoordinateMax},
                        {kCoordinateMax, kCoordinateMax, kCoordinateMax}};
    for (; state_units > 0 && renewal.cursor < renewal.record_count(); ++renewal.cursor) {
        state_units -= kUnitsOfLayOut;
        const BoxRecord& record = renewal.records[renewal.cursor];
        const std::uint32_t index = record.index();
        const std::uint32_t slot = next_.lay_out(index, renewal.levels[renewal.cursor], renewal.layout);
        Aabb box = {{record.min[0], record.min[1], record.min[2]},
                    {record.max[0], record.max[1], record.max[2]}};
        const bool has_corners = renewal.cursor < renewal.usual_count && is_inside(box, exact);
        if (!has_corners && !renewal.is_noted(index)) box = slot_box(view(), nodes_.slot_of_box(index));
        set_lane_box(next_.planes_.data() + std::size_t{slot / kNodeWidth} * kNodeFloats, slot % kNodeWidth,
                     box);
    }
    if (renewal.cursor < renewal.record_count()) return;
    next_.end_layout(renewal.layout);
    renewal.cursor = 0;
    renewal.phase = TreeRenewal::Phase::close;
}

// Closes nodes from the leaves up, which is the order of the families; that of the top node is the last.
void TreeData::close_next(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    float* const planes = next_.planes_.data();
    const std::uint32_t* const parents = next_.parents_.data();
    const std::size_t leaf_family_count =
        renewal.layout.level_count > 1 ? renewal.layout.node_counts[1] : std::size_t{1};
    const std::size_t family_count = next_.shape_.family_count - std::size_t{1};
    for (; state_units > 0 && renewal.cursor < family_count * kPartsOfFamily; ++renewal.cursor) {
        // As laid out, the nodes of a family are the first of its indices.
        const auto first = static_cast<std::uint32_t>(renewal.cursor) * kPartNodes;
        const std::uint32_t family = family_of(first);
        const auto node_count = static_cast<std::uint32_t>(std::popcount(next_.used_bits_.data()[family]));
        const std::uint32_t begin = first % kNodeWidth;
        if (begin >= node_count) continue;
        state_units -= kUnitsOfClose;
        const std::uint32_t count = std::min(node_count - begin, kPartNodes);
        if (family < leaf_family_count) {
            renewal.valid_count += kernels.close_leaves(planes, next_.links_.data(), parents, first, count);
            next_.note_built(first, count);
        } else {
            kernels.close_nodes(planes, parents, first, count);
        }
    }
    if (renewal.cursor < family_count * kPartsOfFamily) return;
    next_.shape_.invalid.count = renewal.record_count() - renewal.valid_count;
    next_.note_leaf_edge(renewal.records[renewal.record_count() / 2].index());
    renewal.cursor = 0;
    renewal.phase = TreeRenewal::Phase::follow;
}

void TreeData::follow_changes(std::int64_t& state_units) noexcept {
    TreeRenewal& renewal = *upkeep_.renewal;
    // More than one change if there are units for it.
    for (std::int64_t least = 1; state_units >= least && renewal.noted.count != 0;) {
        std::uint64_t& group = renewal.noted.groups[renewal.cursor];
        if (group == 0) {
            renewal.cursor = renewal.cursor + 1 < renewal.noted.group_count() ? renewal.cursor + 1 : 0;
            --state_units;
            continue;
        }
        const std::size_t word_index =
            renewal.cursor * 64 + static_cast<std::size_t>(std::countr_zero(group));
        std::uint64_t& word = renewal.noted.bits[word_index];
        const std::uint64_t rest = word & (word - 1);
        if (rest == 0) group &= group - 1;
        if (word == 0) continue;
        const auto index =
            static_cast<std::uint32_t>(word_index * 64) + static_cast<std::uint32_t>(std::countr_zero(word));
        word = rest;
        --renewal.noted.count;
        least = kUnitsOfFollow;
        float wear = 0.0f;
        const std::uint32_t leaf_count = next_.shape_.leaf_count;
        if (!follow_change(index, wear)) return drop_renewal();
        state_units -= wear == 1.0f ? kUnitsOfFollow : kUnitsOfStep;
        state_units -= next_.shape_.leaf_count != leaf_count ? kUnitsOfSplit : next_.tidy();
    }
}

// Sets or removes a changed box in the new tree. Returns false if out of memory.
bool TreeData::follow_change(std::uint32_t box_index, float& out_wear) noexcept {
    const std::uint32_t slot = nodes_.slot_of_box(box_index);
    out_wear = 0.0f;
    if (slot != kNoSlot) return next_.set_box(box_index, slot_box(view(), slot), out_wear) == Status::ok;
    const std::uint32_t next_slot = next_.slot_of_box(box_index);
    if (next_slot != kNoSlot) next_.remove_at(next_slot);
    return true;
}

void TreeData::end_renewal() noexcept {
    const TreeRenewal& renewal = *upkeep_.renewal;
    if (!next_.slots_.reserve(box_count())) return drop_renewal();
    next_.set_box_count(box_count());
    next_.shape_.built_count = member_count();
    upkeep_.wear = renewal.wear;
    upkeep_.update_count = renewal.update_count;
    upkeep_.renewal = nullptr;
    std::swap(nodes_, next_);
}

// Called before a refit, which sets all boxes: all that counts of noted boxes is whether they are members.
void TreeData::take_renewed() noexcept {
    TreeRenewal* const renewal = upkeep_.renewal;
    if (renewal == nullptr || renewal->phase != TreeRenewal::Phase::follow) return;
    for (std::size_t word = 0; word < renewal->noted.word_count; ++word) {
        for (std::uint64_t rest = renewal->noted.bits[word]; rest != 0; rest &= rest - 1) {
            const auto index =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
            if ((nodes_.slot_of_box(index) == kNoSlot) != (next_.slot_of_box(index) == kNoSlot)) continue;
            renewal->noted.bits[word] &= ~(rest & (0 - rest));
            --renewal->noted.count;
        }
    }
    // A few boxes that have joined or left since are little work beside the refit.
    if (renewal->noted.count <= member_count() / thresholds().trees.boxes_per_followed) {
        std::int64_t units = renewal->units_left + static_cast<std::int64_t>(box_count()) * kUnitsOfFollow;
        follow_changes(units);
    }
    if (upkeep_.renewal != nullptr && renewal->noted.count == 0) end_renewal();
}

// Called after an update that has refitted. If growth goes on as it has so far, it is known when it reaches
// kWantedGrowth: the new tree should be there by then, made in the last fourth of the time.
void TreeData::renew_between_updates() noexcept {
    ++upkeep_.update_count;
    const float grown = growth() - 1.0f;
    if (!(grown > 0.0f)) return;
    const auto update_count = static_cast<float>(upkeep_.update_count);
    const float updates_left = max_keep((kWantedGrowth - growth()) / grown * update_count, 0.0f);
    if (upkeep_.renewal == nullptr) {
        if (updates_left > max_keep(update_count / 3.0f, kUpdatesOfRenewal)) return;
        begin_renewal();
        if (upkeep_.renewal == nullptr) return;
    } else {
        ++upkeep_.renewal->update_count;
    }
    // Shared out over the updates that the renewal has left.
    const float renewed_count = static_cast<float>(upkeep_.renewal->update_count);
    const float share = max_keep(updates_left, kUpdatesOfRenewal - renewed_count);
    advance_renewal(
        static_cast<std::int64_t>(static_cast<float>(upkeep_.renewal->units_left) / max_keep(share, 1.0f)) +
        1);
}

bool TreeData::advance_update(std::int64_t calls) noexcept {
    if (is_made()) return true;
    if (upkeep_.renewal == nullptr) begin_renewal();
    TreeRenewal* const renewal = upkeep_.renewal;
    if (renewal == nullptr) return false;
    std::int64_t units = renewal->units_left_min * kShareOfEstimate / calls;
    while (units > 0 && upkeep_.renewal != nullptr) {
        renewal->units_owed = 0;
        const TreeRenewal::Phase phase = renewal->phase;
        advance_renewal(units);
        if (upkeep_.renewal == nullptr || renewal->phase == phase) break;
        units = renewal->units_owed;
    }
    return is_made();
}

}  // namespace broadside::broadphase
