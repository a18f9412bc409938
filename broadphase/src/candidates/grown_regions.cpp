// Cuts through a sample, boxes put into regions and leaves.
#include "broadphase/src/candidates/grown_regions.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/box_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace broadside::broadphase {
namespace {

constexpr std::size_t kCutSampleMax = 1024;
// Boxes a leaf: a question looks at the bounds of all leaves, and at the boxes of some.
constexpr std::size_t kBoxesPerLeaf = 32;
// Room for boxes that come: one for so many, and a few.
constexpr std::uint32_t kBoxesPerSpare = 3;
constexpr std::uint32_t kRegionSpareMin = 32;
constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};

// Meets nothing, not even all of space.
Aabb no_box() {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    return {{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}};
}

void set_component(Vec3& state_v, int axis, float value) {
    (axis == 0 ? state_v.x : axis == 1 ? state_v.y : state_v.z) = value;
}

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

// The sample in halves along the axis on which it is longest, again and again.
void GrownRegions::cut(const BoxSoaView& boxes) noexcept {
    Vec3 sample[kCutSampleMax];
    std::size_t sample_count = 0;
    for_each_sampled_box({boxes}, kCutSampleMax, [&](const Aabb& box) {
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

bool GrownRegions::start(const BoxSoaView& boxes, std::uint32_t region_count) noexcept {
    region_count_ = region_count;
    position_of_.clear();
    if (!resize(boxes.count)) return false;
    cut(boxes);
    std::uint32_t counts[kRegionMax] = {};
    for (std::size_t i = 0; i < boxes.count; ++i) {
        if (!is_valid(boxes[i])) continue;
        // Until it has one.
        position_of_.data()[i] = region_at(center(boxes[i]));
        ++counts[position_of_.data()[i]];
    }
    const std::uint32_t largest = *std::max_element(counts, counts + region_count);
    // The same for all cuts of one set that are about as even as a sample makes them.
    const auto mean = static_cast<std::uint32_t>(boxes.count / region_count);
    region_capacity_ = std::max(largest + largest / kBoxesPerSpare, 2 * mean) + kRegionSpareMin;
    for (std::uint32_t r = 0; r < region_count; ++r) regions_[r] = {r * region_capacity_, 0};
    leaf_count_ = static_cast<std::uint32_t>(region_capacity_ / kBoxesPerLeaf) + 2;
    const std::size_t leaf_total = std::size_t{region_count} * leaf_count_;
    if (!reserve_arrays(memory_,
                        [&](Arena& arena) {
                            reserve_gathered(arena, std::size_t{region_count} * region_capacity_, grown_);
                            reserve_gathered(arena, leaf_total, bounds_);
                            leaves_ = arena.reserve<Leaf>(leaf_total);
                        }) ||
        !bits_.resize(bit_word_count(leaf_count_) + bit_word_count(region_capacity_)) ||
        !keys_.reserve(region_capacity_)) {
        return false;
    }
    for (std::uint32_t r = 0; r < region_count; ++r) empty_leaves(r);
    // Nothing leaves a box that is not grown yet.
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const CellRecord everywhere = {
        {-kInfinity, -kInfinity, -kInfinity}, 0, {kInfinity, kInfinity, kInfinity}, 0};
    for (std::uint32_t i = 0; i < boxes.count; ++i) {
        const std::uint32_t r = position_of_.data()[i];
        if (r == kNone) continue;
        rows_.data()[i] = everywhere;
        const std::uint32_t position = regions_[r].begin + regions_[r].count++;
        write(position, no_box());
        grown_.ids[position] = i;
        position_of_.data()[i] = position;
    }
    // In no leaf yet: what is moved to the last one comes behind them.
    for (std::uint32_t r = 0; r < region_count; ++r)
        leaves_[last_leaf(r)].begin = regions_[r].begin + regions_[r].count;
    return true;
}

void GrownRegions::empty_leaves(std::uint32_t region) noexcept {
    const Aabb empty = Aabb::empty();
    const float corners[6] = {empty.min.x, empty.min.y, empty.min.z, empty.max.x, empty.max.y, empty.max.z};
    const std::size_t first = std::size_t{region} * leaf_count_;
    for (int column = 0; column < 6; ++column) {
        std::fill_n(bounds_.columns[column] + first, leaf_count_, corners[column]);
        region_columns_[column][region] = corners[column];
    }
    std::fill_n(leaves_ + first, leaf_count_, Leaf{regions_[region].begin, 0});
}

void GrownRegions::write(std::uint32_t position, const Aabb& grown) noexcept {
    const float corners[6] = {grown.min.x, grown.min.y, grown.min.z, grown.max.x, grown.max.y, grown.max.z};
    for (int column = 0; column < 6; ++column) grown_.columns[column][position] = corners[column];
}

// The bounds of a leaf and of its region.
void GrownRegions::include_in(std::uint32_t region, std::size_t leaf, const Aabb& grown) noexcept {
    const float corners[6] = {grown.min.x, grown.min.y, grown.min.z, grown.max.x, grown.max.y, grown.max.z};
    for (int column = 0; column < 6; ++column) {
        for (float* const bound : {&bounds_.columns[column][leaf], &region_columns_[column][region]}) {
            *bound = column < 3 ? min_keep(corners[column], *bound) : max_keep(corners[column], *bound);
        }
    }
}

// All boxes of a leaf.
void GrownRegions::include_leaf(std::uint32_t region, std::size_t leaf) noexcept {
    const Leaf boxes = leaves_[leaf];
    Aabb bounds = Aabb::empty();
    for (std::uint32_t position = boxes.begin; position < boxes.begin + boxes.count; ++position) {
        const Aabb grown = grown_at(position);
        bounds = {min_keep(grown.min, bounds.min), max_keep(grown.max, bounds.max)};
    }
    include_in(region, leaf, bounds);
}

// At the end of a leaf.
void GrownRegions::store(std::uint32_t region, std::uint32_t position, std::uint32_t box, const Aabb& grown,
                         std::size_t leaf) noexcept {
    write(position, grown);
    include_in(region, leaf, grown);
    grown_.ids[position] = box;
    position_of_.data()[box] = position;
    ++leaves_[leaf].count;
}

std::size_t GrownRegions::list(std::uint32_t region, std::uint32_t* out_boxes) const noexcept {
    const Region& of = regions_[region];
    std::size_t count = 0;
    for (std::uint32_t position = of.begin; position < of.begin + of.count; ++position) {
        const std::uint32_t box = grown_.ids[position];
        out_boxes[count] = box;
        count += box != kNone ? 1u : 0u;
    }
    return count;
}

void GrownRegions::empty(std::uint32_t region) noexcept {
    regions_[region].count = 0;
    empty_leaves(region);
}

std::uint32_t GrownRegions::LeafGrid::leaf(const Vec3& at) const noexcept {
    const auto cell = [](float cells_from_origin, std::uint32_t cell_count) {
        const float last = static_cast<float>(cell_count - 1);
        return static_cast<std::uint32_t>(min_keep(cells_from_origin > 0 ? cells_from_origin : 0.0f, last));
    };
    const std::uint32_t x = cell((at.x - origin.x) * scale.x, cells[0]);
    const std::uint32_t y = cell((at.y - origin.y) * scale.y, cells[1]);
    const std::uint32_t z = cell((at.z - origin.z) * scale.z, cells[2]);
    return (z * cells[1] + y) * cells[0] + x;
}

// As many leaves as are wanted, as long as wide as high as far as the region allows it.
GrownRegions::LeafGrid GrownRegions::plan_leaves(const Aabb& bounds, std::size_t count) const noexcept {
    double extents[3];
    double longest = 1e-30;
    for (int axis = 0; axis < 3; ++axis) {
        extents[axis] = static_cast<double>(component(bounds.max, axis)) -
                        static_cast<double>(component(bounds.min, axis));
        longest = std::max(longest, extents[axis]);
    }
    for (double& extent : extents) extent = std::max(extent, longest * 1e-3);
    int order[3] = {0, 1, 2};
    std::sort(order, order + 3, [&](int a, int b) { return extents[a] < extents[b]; });
    LeafGrid grid = {bounds.min, {0, 0, 0}, {1, 1, 1}};
    auto left = static_cast<double>(
        std::min<std::size_t>(leaf_count_ - 1, std::max<std::size_t>(count / kBoxesPerLeaf, 1)));
    double product = extents[0] * extents[1] * extents[2];
    for (int i = 0; i < 3; ++i) {
        const double edge = std::pow(product / left, 1.0 / (3 - i));
        const double cells = std::clamp(std::floor(extents[order[i]] / edge), 1.0, std::floor(left));
        grid.cells[order[i]] = static_cast<std::uint32_t>(cells);
        left = std::max(left / cells, 1.0);
        product /= extents[order[i]];
    }
    grid.scale = {static_cast<float>(grid.cells[0] / extents[0]),
                  static_cast<float>(grid.cells[1] / extents[1]),
                  static_cast<float>(grid.cells[2] / extents[2])};
    return grid;
}

bool GrownRegions::put(std::uint32_t region, const GatheredBoxes& boxes, const Aabb& bounds) noexcept {
    if (!keys_.resize(boxes.count)) return false;
    std::uint32_t* const keys = keys_.data();
    const BoxSoaView grown = boxes.view();
    const Aabb space = spaces_[region];
    const Aabb inside = {max_keep(space.min, bounds.min), min_keep(space.max, bounds.max)};
    const LeafGrid grid = plan_leaves(inside, boxes.count);
    const std::size_t first_leaf = std::size_t{region} * leaf_count_;
    std::size_t count = 0;
    bool has_room = true;
    for (std::size_t i = 0; i < boxes.count; ++i) {
        const Vec3 at = center(grown[i]);
        // Where region_at would put it.
        const bool is_here = (space.min.x <= at.x) & (at.x < space.max.x) & (space.min.y <= at.y) &
                             (at.y < space.max.y) & (space.min.z <= at.z) & (at.z < space.max.z);
        if (!is_here) {
            keys[i] = kElsewhere;
            forget(boxes.ids[i]);
            if (region_at(at) != region) {
                has_room = move(boxes.ids[i], grown[i]) && has_room;
                continue;
            }
        }
        keys[i] = grid.leaf(at);
        ++leaves_[first_leaf + keys[i]].count;
        ++count;
    }
    std::uint32_t begins_left = regions_[region].begin;
    if (regions_[region].count + count > region_capacity_) return false;
    for (std::uint32_t leaf = 0; leaf < leaf_count_; ++leaf) {
        Leaf& state_leaf = leaves_[first_leaf + leaf];
        state_leaf.begin = begins_left;
        begins_left += state_leaf.count;
        state_leaf.count = 0;
    }
    for (std::size_t i = 0; i < boxes.count; ++i) {
        if (keys[i] == kElsewhere) continue;
        Leaf& leaf = leaves_[first_leaf + keys[i]];
        const std::uint32_t position = leaf.begin + leaf.count++;
        write(position, grown[i]);
        grown_.ids[position] = boxes.ids[i];
        position_of_.data()[boxes.ids[i]] = position;
    }
    for (std::uint32_t leaf = 0; leaf < leaf_count_; ++leaf) {
        if (leaves_[first_leaf + leaf].count != 0) include_leaf(region, first_leaf + leaf);
    }
    regions_[region].count = static_cast<std::uint32_t>(count);
    return has_room;
}

bool GrownRegions::move(std::uint32_t box, const Aabb& grown) noexcept {
    const std::uint32_t position = position_of_.data()[box];
    if (position != kNone && overlap(view()[position], grown)) {
        const std::uint32_t here = region_of(box);
        const std::size_t first = std::size_t{here} * leaf_count_;
        const Leaf* const behind =
            std::upper_bound(leaves_ + first, leaves_ + first + leaf_count_, position,
                             [](std::uint32_t at, const Leaf& leaf) { return at < leaf.begin; });
        write(position, grown);
        include_in(here, static_cast<std::size_t>(behind - leaves_) - 1, grown);
        return true;
    }
    const std::uint32_t region = region_at(center(grown));
    Region& to = regions_[region];
    drop(box);
    if (to.count == region_capacity_) return false;
    store(region, to.begin + to.count++, box, grown, last_leaf(region));
    return true;
}

void GrownRegions::drop(std::uint32_t box) noexcept {
    const std::uint32_t position = position_of_.data()[box];
    if (position == kNone) return;
    for (float* const column : grown_.columns) column[position] = no_box().min.x;
    grown_.ids[position] = kNone;
    position_of_.data()[box] = kNone;
}

}  // namespace broadside::broadphase
