// Cuts space by a sample, and puts boxes into regions and leaves.
#include "broadphase/src/candidates/grown_regions.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace broadside::broadphase {
namespace {

constexpr std::size_t kCutSampleMax = 1024;
// Leaves are no shorter than this many mean extents of a sample.
constexpr double kLeafExtents = 1;
// A box longer than this many mean extents of a sample is loose, because each query searches that far around.
constexpr double kReachMax = 2.5;
constexpr std::size_t kReachSampleMax = 64;
constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};
// Boxes whose regions are found side by side.
constexpr std::size_t kBoxesPerFind = 256;
constexpr std::uint32_t kPutTasks = 8;

void set_component(Vec3& state_v, int axis, float value) {
    (axis == 0 ? state_v.x : axis == 1 ? state_v.y : state_v.z) = value;
}

// No box leaves a grown box that does not exist yet.
CellRecord everywhere() { return {{-INFINITY, -INFINITY, -INFINITY}, 0, {INFINITY, INFINITY, INFINITY}, 0}; }

bool is_finite_center(const Vec3& v) {
    return absolute(v.x) < INFINITY && absolute(v.y) < INFINITY && absolute(v.z) < INFINITY;
}

}  // namespace

std::uint32_t GrownRegions::region_at(const Vec3& middle) const noexcept {
    const float at[3] = {middle.x, middle.y, middle.z};
    std::uint32_t node = 0;
    while (node < region_count_ - 1)
        node = 2 * node + 1 + (at[cuts_[node].axis] >= cuts_[node].position ? 1u : 0u);
    return node - (region_count_ - 1);
}

// Level by level for many boxes, because each level waits for the one before. An invalid box gets any region.
void GrownRegions::find_regions(const BoxSoaView& boxes, std::uint32_t* out_regions) const noexcept {
    float at[kBoxesPerFind][3];
    for (std::size_t i = 0; i < boxes.count; ++i) {
        const Vec3 middle = center(boxes[i]);
        at[i][0] = middle.x;
        at[i][1] = middle.y;
        at[i][2] = middle.z;
        out_regions[i] = 0;
    }
    const Cut* const cuts = cuts_;
    for (std::uint32_t nodes = 1; nodes < region_count_; nodes *= 2) {
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const std::uint32_t node = out_regions[i];
            out_regions[i] = 2 * node + 1 + (at[i][cuts[node].axis] >= cuts[node].position ? 1u : 0u);
        }
    }
    for (std::size_t i = 0; i < boxes.count; ++i) out_regions[i] -= region_count_ - 1;
}

// Halves the sample along its longest axis, again and again.
void GrownRegions::cut(const BoxSoaView& boxes) noexcept {
    Vec3 sample[kCutSampleMax];
    std::size_t sample_count = 0;
    const std::size_t wanted = kCutSampleMax / kRegionMax * region_count_;
    for_each_sampled_box({boxes}, wanted, [&](const Aabb& box) {
        sample[sample_count] = center(box);
        sample_count += is_finite_center(sample[sample_count]) ? 1u : 0u;
    });
    std::size_t ends[2 * kRegionMax] = {sample_count};
    std::size_t begins[2 * kRegionMax] = {0};
    Aabb spaces[2 * kRegionMax];
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    spaces[0] = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (std::uint32_t node = 0; node < region_count_ - 1; ++node) {
        Vec3* const begin = sample + begins[node];
        Vec3* const end = sample + ends[node];
        Aabb bounds = Aabb::empty();
        for (const Vec3* at = begin; at != end; ++at) bounds = include(bounds, *at);
        const Vec3 extent = size(bounds);
        const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
        Vec3* const middle = begin + (end - begin) / 2;
        if (begin != end) {
            std::nth_element(begin, middle, end, [axis](const Vec3& a, const Vec3& b) {
                return component(a, axis) < component(b, axis);
            });
        }
        cuts_[node] = {axis, begin != end ? component(*middle, axis) : 0.0f};
        const std::size_t at = static_cast<std::size_t>(middle - sample);
        begins[2 * node + 1] = begins[node];
        ends[2 * node + 1] = begins[2 * node + 2] = at;
        ends[2 * node + 2] = ends[node];
        spaces[2 * node + 1] = spaces[2 * node + 2] = spaces[node];
        set_component(spaces[2 * node + 1].max, axis, cuts_[node].position);
        set_component(spaces[2 * node + 2].min, axis, cuts_[node].position);
    }
    std::copy_n(spaces + region_count_ - 1, region_count_, spaces_);
}

bool GrownRegions::resize(std::size_t box_count) noexcept {
    const std::size_t before = position_of_.size();
    if (box_count == before) return true;
    if (!rows_.resize(box_count + kCacheRowPadding) || !position_of_.resize(box_count)) return false;
    for (std::size_t i = before; i < rows_.size(); ++i) rows_.data()[i] = cache_row(Aabb::empty(), false);
    for (std::size_t i = before; i < box_count; ++i) position_of_.data()[i] = kNone;
    return true;
}

void GrownRegions::start(std::uint32_t region_count) noexcept {
    region_count_ = region_count;
    step_ = Step::cut;
    placed_count_ = 0;
    std::fill_n(placed_counts_, region_count, 0u);
}

bool GrownRegions::place(const BoxSoaView& boxes, std::size_t count) noexcept {
    if (step_ == Step::cut) {
        cut(boxes);
        step_ = Step::find_regions;
        return true;
    }
    if (placed_count_ == boxes.count) {
        step_ = Step::placed;
        return make_positions(boxes);
    }
    const std::size_t place_end = std::min(placed_count_ + count, boxes.count);
    for (std::size_t begin = placed_count_; begin < place_end; begin += kBoxesPerFind) {
        const std::size_t end = std::min(begin + kBoxesPerFind, place_end);
        // Holds the regions until the boxes have positions.
        find_regions(boxes.part(begin, end - begin), position_of_.data() + begin);
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_valid_box = is_valid(boxes[i]);
            rows_.data()[i] = is_valid_box ? everywhere() : cache_row(Aabb::empty(), false);
            std::uint32_t& region = position_of_.data()[i];
            placed_counts_[region] += is_valid_box ? 1u : 0u;
            region = is_valid_box ? region : kNone;
        }
    }
    placed_count_ = place_end;
    return true;
}

bool GrownRegions::make_positions(const BoxSoaView& boxes) noexcept {
    // Boxes that have come since those in their slots were examined.
    for (std::size_t i = 0; i < boxes.count; ++i) {
        if (position_of_.data()[i] != kNone || !is_valid(boxes[i])) continue;
        rows_.data()[i] = everywhere();
        position_of_.data()[i] = region_at(center(boxes[i]));
        ++placed_counts_[position_of_.data()[i]];
    }
    const std::uint32_t largest = *std::max_element(placed_counts_, placed_counts_ + region_count_);
    // The same for all cuts of one set that are about as even as a sample makes them.
    const auto mean = static_cast<std::uint32_t>(box_count() / region_count_);
    region_capacity_ = std::max(largest + largest / thresholds().regions.boxes_per_spare, 2 * mean) +
                       thresholds().regions.spare_min;
    leaf_max_ = static_cast<std::uint32_t>(region_capacity_ / thresholds().regions.boxes_per_leaf) + 1;
    if (!reserve_arrays(memory_,
                        [&](Arena& arena) {
                            const std::size_t positions = std::size_t{region_count_} * region_capacity_;
                            reserve_gathered(arena, positions + kCacheRowPadding, grown_);
                        }) ||
        !leaf_begins_.resize(std::size_t{region_count_} * (leaf_max_ + 1)) || !reserve_questions(1) ||
        !keys_.reserve(region_capacity_)) {
        return false;
    }
    for (std::uint32_t r = 0; r < region_count_; ++r) {
        regions_[r].begin = r * region_capacity_;
        empty(r);
    }
    for (std::uint32_t i = 0; i < box_count(); ++i) {
        const std::uint32_t r = position_of_.data()[i];
        if (r == kNone) continue;
        const std::uint32_t position = regions_[r].end++;
        grown_.ids[position] = i;
        position_of_.data()[i] = position;
    }
    // Queries read only boxes that are moved behind these.
    for (std::uint32_t r = 0; r < region_count_; ++r)
        regions_[r].loose_begin = regions_[r].loose_put_end = regions_[r].end;
    return true;
}

void GrownRegions::write(std::uint32_t position, const Aabb& grown) noexcept {
    const float corners[6] = {grown.min.x, grown.min.y, grown.min.z, grown.max.x, grown.max.y, grown.max.z};
    for (int column = 0; column < 6; ++column) grown_.columns[column][position] = corners[column];
}

void GrownRegions::clear_position(std::uint32_t position) noexcept {
    // Such a position meets nothing, not even all of space.
    grown_.columns[0][position] = std::numeric_limits<float>::quiet_NaN();
    grown_.ids[position] = kNone;
}

void GrownRegions::store(std::uint32_t position, std::uint32_t box, const Aabb& grown) noexcept {
    write(position, grown);
    grown_.ids[position] = box;
    position_of_.data()[box] = position;
}

void GrownRegions::include_in(std::uint32_t region, const Aabb& grown) noexcept {
    const float corners[6] = {grown.min.x, grown.min.y, grown.min.z, grown.max.x, grown.max.y, grown.max.z};
    for (int column = 0; column < 6; ++column) {
        float& bound = region_columns_[column][region];
        bound = column < 3 ? min_keep(corners[column], bound) : max_keep(corners[column], bound);
    }
}

std::size_t GrownRegions::list(std::uint32_t region, std::size_t begin, std::size_t end,
                               std::uint32_t* out_boxes) const noexcept {
    const std::uint32_t* const ids = grown_.ids + regions_[region].begin;
    std::size_t count = 0;
    for (std::size_t position = begin; position < end; ++position) {
        const std::uint32_t box = ids[position];
        out_boxes[count] = box;
        count += box != kNone ? 1u : 0u;
    }
    return count;
}

void GrownRegions::empty(std::uint32_t region) noexcept {
    Region& of = regions_[region];
    of.loose_begin = of.loose_put_end = of.end = of.begin;
    of.grid = {};
    const Aabb none = Aabb::empty();
    const float corners[6] = {none.min.x, none.min.y, none.min.z, none.max.x, none.max.y, none.max.z};
    for (int column = 0; column < 6; ++column) region_columns_[column][region] = corners[column];
}

// As many leaves as wanted, with edges as equal as the region allows.
GrownRegions::LeafGrid GrownRegions::plan_leaves(const Aabb& bounds,
                                                 const GatheredBoxes& boxes) const noexcept {
    double extents[3];
    double longest = 1e-30;
    for (int axis = 0; axis < 3; ++axis) {
        // A number even for infinite bounds.
        extents[axis] = std::min(1e39, static_cast<double>(component(bounds.max, axis)) -
                                           static_cast<double>(component(bounds.min, axis)));
        longest = std::max(longest, extents[axis]);
    }
    for (double& extent : extents) extent = std::max(extent, longest * 1e-3);
    double usual[3] = {};
    Vec3 largest = {0, 0, 0};
    std::size_t sample_count = 0;
    for_each_sampled_box({boxes.view()}, kReachSampleMax, [&](const Aabb& box) {
        const Vec3 extent = size(box);
        for (int axis = 0; axis < 3; ++axis) usual[axis] += static_cast<double>(component(extent, axis));
        largest = max_keep(extent, largest);
        ++sample_count;
    });
    for (double& extent : usual) extent /= static_cast<double>(std::max<std::size_t>(sample_count, 1));
    int order[3] = {0, 1, 2};
    for (const int k : {0, 1, 0}) {
        if (extents[order[k + 1]] < extents[order[k]]) std::swap(order[k], order[k + 1]);
    }
    LeafGrid grid = {bounds.min, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
    auto left = static_cast<double>(std::min<std::size_t>(
        leaf_max_, std::max<std::size_t>(boxes.count / thresholds().regions.boxes_per_leaf, 1)));
    double product = extents[0] * extents[1] * extents[2];
    for (int i = 0; i < 3; ++i) {
        const double edge = std::pow(product / left, 1.0 / (3 - i));
        const double cells =
            std::clamp(std::floor(extents[order[i]] / std::max(edge, usual[order[i]] * kLeafExtents)), 1.0,
                       std::floor(left));
        grid.leaves[order[i]] = static_cast<std::uint32_t>(cells);
        left = std::max(left / cells, 1.0);
        product /= extents[order[i]];
    }
    grid.scale = {static_cast<float>(grid.leaves[0] / extents[0]),
                  static_cast<float>(grid.leaves[1] / extents[1]),
                  static_cast<float>(grid.leaves[2] / extents[2])};
    for (int axis = 0; axis < 3; ++axis) {
        const double extent =
            std::min(usual[axis] * kReachMax, static_cast<double>(component(largest, axis)));
        // A single leaf is searched anyway.
        set_component(grid.reach, axis,
                      static_cast<float>(grid.leaves[axis] == 1 ? std::numeric_limits<double>::infinity()
                                                                : extent * 0.5));
    }
    return grid;
}

// Counts boxes by leaf, and writes each to where those before it end.
bool GrownRegions::put(std::uint32_t region, const GatheredBoxes& boxes, const Aabb& bounds,
                       const TaskRunner* runner) noexcept {
    struct Part {
        Aabb placed;
        std::uint32_t elsewhere_count;
    };
    Part parts[kPutTasks];
    const auto most = static_cast<std::uint32_t>(
        std::min<std::size_t>(boxes.count / thresholds().tasks.items_per_task, kPutTasks));
    const std::uint32_t task_count = worker_count(runner) > 1 && most > 1 ? most : 1;
    // One key for each leaf, and one for loose boxes.
    const std::size_t key_count = std::size_t{leaf_max_} + 1;
    elsewhere_count_ = 0;
    if (!keys_.resize(boxes.count) || !put_ends_.resize(std::max(put_ends_.size(), task_count * key_count)))
        return false;
    std::uint32_t* const keys = keys_.data();
    const BoxSoaView grown = boxes.view();
    const Aabb space = spaces_[region];
    const Aabb inside = {max_keep(space.min, bounds.min), min_keep(space.max, bounds.max)};
    const LeafGrid grid = plan_leaves(inside, boxes);
    const std::uint32_t leaf_count = grid.leaf_count();
    const auto for_each_part = [&](auto&& visit) {
        run_tasks(runner, task_count, [&](std::uint32_t task) {
            BROADSIDE_ZONE("world/renew task");
            visit(put_ends_.data() + task * key_count, part_begin(boxes.count, task, task_count),
                  part_begin(boxes.count, task + 1, task_count), parts[task]);
        });
    };
    for_each_part([&](std::uint32_t* out_counts, std::size_t begin, std::size_t end, Part& out_part) {
        std::fill_n(out_counts, leaf_count + 1, 0u);
        Aabb placed = Aabb::empty();
        std::uint32_t elsewhere_count = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const Aabb box = grown[i];
            const Vec3 at = center(box);
            // A quick test whether region_at would return this region.
            const bool is_here = (space.min.x <= at.x) & (at.x < space.max.x) & (space.min.y <= at.y) &
                                 (at.y < space.max.y) & (space.min.z <= at.z) & (at.z < space.max.z);
            if (!is_here && region_at(at) != region) {
                keys[i] = kElsewhere;
                ++elsewhere_count;
                continue;
            }
            placed = {min_keep(box.min, placed.min), max_keep(box.max, placed.max)};
            keys[i] = grid.is_within_reach(box, at) ? grid.leaf(at) : leaf_count;
            ++out_counts[keys[i]];
        }
        out_part = {placed, elsewhere_count};
    });
    std::size_t elsewhere_count = 0;
    for (std::uint32_t task = 0; task < task_count; ++task) {
        include_in(region, parts[task].placed);
        elsewhere_count += parts[task].elsewhere_count;
    }
    const std::size_t count = boxes.count - elsewhere_count;
    if (count > region_capacity_) return false;
    Region& of = regions_[region];
    // Half of the free positions are for loose boxes to come.
    const auto spare = static_cast<std::uint32_t>(std::min<std::size_t>(
        (region_capacity_ - count) / 2 / leaf_count, thresholds().regions.leaf_spare_max));
    std::uint32_t* const begins = leaf_begins(region);
    std::uint32_t next = of.begin;
    const auto place = [&](std::uint32_t key) {
        for (std::uint32_t task = 0; task < task_count; ++task) {
            std::uint32_t& end = put_ends_.data()[task * key_count + key];
            const std::uint32_t boxes_there = end;
            end = next;
            next += boxes_there;
        }
    };
    for (std::uint32_t leaf = 0; leaf < leaf_count; ++leaf) {
        begins[leaf] = next;
        place(leaf);
        for (std::uint32_t k = 0; k < spare; ++k) clear_position(next++);
    }
    of.grid = grid;
    of.loose_begin = begins[leaf_count] = next;
    place(leaf_count);
    of.loose_put_end = of.end = next;
    for_each_part([&](std::uint32_t* state_ends, std::size_t begin, std::size_t end, const Part&) {
        for (std::size_t i = begin; i < end; ++i)
            if (keys[i] != kElsewhere) store(state_ends[keys[i]]++, boxes.ids[i], grown[i]);
    });
    bool has_room = true;
    for (std::size_t i = 0; elsewhere_count_ < elsewhere_count; ++i) {
        if (keys[i] != kElsewhere) continue;
        forget(boxes.ids[i]);
        has_room = move(boxes.ids[i], grown[i]) && has_room;
        keys[elsewhere_count_++] = static_cast<std::uint32_t>(i);
    }
    return has_room;
}

bool GrownRegions::move(std::uint32_t box, const Aabb& grown, std::uint32_t region) noexcept {
    const Vec3 at = center(grown);
    Region& to = regions_[region];
    const std::uint32_t position = position_of_.data()[box];
    include_in(region, grown);
    const auto move_to = [&](std::uint32_t place) {
        if (place != position) drop(box);
        store(place, box, grown);
        return true;
    };
    if (to.grid.leaf_count() != 0 && to.grid.is_within_reach(grown, at)) {
        const std::uint32_t* const begin = leaf_begins(region) + to.grid.leaf(at);
        if (begin[0] <= position && position < begin[1]) return move_to(position);
        for (std::uint32_t place = begin[0]; place < begin[1]; ++place)
            if (grown_.ids[place] == kNone) return move_to(place);
    }
    if (to.loose_begin <= position && position < to.end) return move_to(position);
    if (to.end - to.begin < region_capacity_) return move_to(to.end++);
    for (std::uint32_t place = to.loose_begin; place < to.end; ++place)
        if (grown_.ids[place] == kNone) return move_to(place);
    return false;
}

void GrownRegions::drop(std::uint32_t box) noexcept {
    const std::uint32_t position = position_of_.data()[box];
    if (position == kNone) return;
    clear_position(position);
    position_of_.data()[box] = kNone;
}

}  // namespace broadside::broadphase
