// Grown boxes in regions of space, which are renewed one at a time.
#pragma once

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "broadphase/src/thresholds.hpp"

#include <broadside/aabb.hpp>
#include <broadside/task_runner.hpp>

#include <algorithm>
#include <span>

namespace broadside::broadphase {

/// Space is cut into regions with equally many boxes of a sample each. A box belongs to the region that its
/// grown box was in when it was put there. Within a region, boxes are stored by small leaves of space, a grid
/// of them, so that a query reads few. Boxes that reach too far from their leaf, or find no room in it, are
/// loose and stored behind the leaves.
class GrownRegions {
public:
    static constexpr std::uint32_t kRegionMax = 64;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit GrownRegions(const Allocator& allocator) noexcept
        : rows_(allocator),
          position_of_(allocator),
          memory_(allocator),
          leaf_begins_(allocator),
          keys_(allocator),
          put_ends_(allocator),
          ranges_(allocator),
          met_(allocator) {}

    /// Starts anew with a power of two of regions.
    void start(std::uint32_t region_count) noexcept;
    /// A step towards all valid boxes being in a region, and none grown yet. The first cuts space, those after
    /// it find the regions of `count` boxes more, and the last one makes positions. `resize` must have noted
    /// how many there are. Returns false if out of memory.
    [[nodiscard]] bool place(const BoxSoaView& boxes, std::size_t count) noexcept;
    /// All steps are done. Until then only `start`, `place`, `resize` and `reserve` may be called.
    bool are_placed() const noexcept { return step_ == Step::placed; }
    /// Sets the number of boxes; new ones are in no region.
    [[nodiscard]] bool resize(std::size_t box_count) noexcept;
    /// Reserves room for this many boxes.
    [[nodiscard]] bool reserve(std::size_t box_count) noexcept {
        return rows_.reserve(box_count + kCacheRowPadding) && position_of_.reserve(box_count);
    }
    std::uint32_t region_count() const noexcept { return region_count_; }
    /// Most positions of a region.
    std::uint32_t region_capacity() const noexcept { return region_capacity_; }
    std::size_t box_count() const noexcept { return position_of_.size(); }
    /// The region of a box, or kNone.
    std::uint32_t region_of(std::uint32_t box) const noexcept {
        const std::uint32_t position = position_of_.data()[box];
        return position == kNone ? kNone : position / region_capacity_;
    }
    /// The grown boxes as rows by box, NaN if there is none.
    const CellRecord* rows() const noexcept { return rows_.data(); }
    void set_row(std::uint32_t box, const CellRecord& row) noexcept { rows_.data()[box] = row; }

    /// The box around all grown boxes of a region.
    Aabb bounds(std::uint32_t region) const noexcept { return region_bounds()[region]; }
    /// Positions in use in a region; at least as many as it has boxes.
    std::size_t position_count(std::uint32_t region) const noexcept {
        return regions_[region].end - regions_[region].begin;
    }
    /// Whether many loose boxes were moved there one by one.
    bool is_worn(std::uint32_t region) const noexcept {
        const Region& of = regions_[region];
        return (of.end - of.loose_put_end) * thresholds().regions.positions_per_moved > of.end - of.begin;
    }
    /// Lists the boxes at some of the positions of a region, below position_count(region), and returns their
    /// count. `out_boxes` has room for one at each.
    std::size_t list(std::uint32_t region, std::size_t begin, std::size_t end,
                     std::uint32_t* out_boxes) const noexcept;
    /// Empties the region: each box that it had must be put, moved or forgotten before any query.
    void empty(std::uint32_t region) noexcept;
    /// Puts the boxes whose grown box is in this region, which is empty, into leaves, and moves the others
    /// one by one to theirs. `bounds` holds them all. Returns false if a region is full.
    [[nodiscard]] bool put(std::uint32_t region, const GatheredBoxes& boxes, const Aabb& bounds,
                           const TaskRunner* runner) noexcept;
    /// The boxes of the last `put`, by their index there, that are in other regions.
    std::span<const std::uint32_t> put_elsewhere() const noexcept { return {keys_.data(), elsewhere_count_}; }
    /// Moves one box, whose row may be anything, to where it belongs. Returns false if its region is full.
    [[nodiscard]] bool move(std::uint32_t box, const Aabb& grown) noexcept {
        return move(box, grown, region_for(grown));
    }
    /// The same for a known region. Boxes in it or in none may be moved to different regions at once.
    [[nodiscard]] bool move(std::uint32_t box, const Aabb& grown, std::uint32_t region) noexcept;
    /// The region to which `move` moves a box.
    std::uint32_t region_for(const Aabb& grown) const noexcept { return region_at(center(grown)); }
    /// Takes a box out of its region, unless it is this one.
    void leave(std::uint32_t box, std::uint32_t region) noexcept {
        const std::uint32_t begin = regions_[region].begin;
        const std::uint32_t position = position_of_.data()[box];
        if (position < begin || position >= begin + region_capacity_) drop(box);
    }
    /// Takes a box out of its region.
    void drop(std::uint32_t box) noexcept;
    /// Notes that a box has no position any more.
    void forget(std::uint32_t box) noexcept { position_of_.data()[box] = kNone; }
    void prefetch(std::uint32_t box) const noexcept {
        const std::uint32_t position = position_of_.data()[box];
        __builtin_prefetch(rows_.data() + box, 1);
        if (position == kNone) return;
        for (const float* const column : grown_.columns) __builtin_prefetch(column + position, 1);
    }
    void prefetch_position(std::uint32_t box) const noexcept {
        __builtin_prefetch(position_of_.data() + box);
    }

    /// Allows this many queries at the same time. Returns false if out of memory.
    [[nodiscard]] bool reserve_questions(std::uint32_t count) noexcept {
        return ranges_.resize(std::max(ranges_.size(), std::size_t{count} * question_ranges())) &&
               met_.resize(std::max(met_.size(), std::size_t{count} * question_places()));
    }
    /// Calls `visit(position, region)` for every grown box that meets this one. `question` is the number of
    /// this query among those at the same time.
    template <class Visit>
    void for_each_meeting(const PairCacheKernels& kernels, const Aabb& box, Visit&& visit,
                          std::uint32_t question = 0) const noexcept;
    std::uint32_t box_at(std::uint32_t position) const noexcept { return grown_.ids[position]; }
    Aabb grown_at(std::uint32_t position) const noexcept { return view()[position]; }

    std::size_t capacity_bytes() const noexcept {
        return rows_.capacity_bytes() + position_of_.capacity_bytes() + memory_.capacity_bytes() +
               leaf_begins_.capacity_bytes() + keys_.capacity_bytes() + put_ends_.capacity_bytes() +
               ranges_.capacity_bytes() + met_.capacity_bytes();
    }

private:
    // A grid of leaves, which are small boxes of space. A box is in the leaf of its center if it reaches no
    // further from there than `reach`.
    struct LeafGrid {
        Vec3 origin;
        Vec3 scale;
        Vec3 reach;
        std::uint32_t leaves[3];

        // Never falls when x rises, whatever is rounded; therefore a query may leave leaves out.
        static std::uint32_t index(float x, float origin, float scale, std::uint32_t count) noexcept {
            const float last = static_cast<float>(count - 1);
            const float leaves_from_origin = (x - origin) * scale;
            return static_cast<std::uint32_t>(
                min_keep(leaves_from_origin > 0 ? leaves_from_origin : 0.0f, last));
        }
        std::uint32_t x(float at) const noexcept { return index(at, origin.x, scale.x, leaves[0]); }
        std::uint32_t y(float at) const noexcept { return index(at, origin.y, scale.y, leaves[1]); }
        std::uint32_t z(float at) const noexcept { return index(at, origin.z, scale.z, leaves[2]); }
        std::uint32_t leaf(const Vec3& at) const noexcept {
            return (z(at.z) * leaves[1] + y(at.y)) * leaves[0] + x(at.x);
        }
        bool is_within_reach(const Aabb& box, const Vec3& at) const noexcept {
            const Vec3 low = box.max - reach;
            const Vec3 high = box.min + reach;
            return (low.x <= at.x) & (low.y <= at.y) & (low.z <= at.z) & (at.x <= high.x) & (at.y <= high.y) &
                   (at.z <= high.z);
        }
        std::uint32_t leaf_count() const noexcept { return leaves[0] * leaves[1] * leaves[2]; }
    };
    struct Region {
        std::uint32_t begin;
        std::uint32_t loose_begin;
        // End of the loose boxes that were put there together.
        std::uint32_t loose_put_end;
        std::uint32_t end;
        // Has no leaves before boxes were put there.
        LeafGrid grid;
    };
    // A cut of a region in two.
    struct Cut {
        int axis;
        float position;
    };

    BoxSoaView view() const noexcept {
        BoxSoaView all = grown_.view();
        all.count = std::size_t{region_count_} * region_capacity_;
        return all;
    }
    BoxSoaView region_bounds() const noexcept {
        const auto& c = region_columns_;
        return {c[0], c[1], c[2], c[3], c[4], c[5], region_count_};
    }
    void cut(const BoxSoaView& boxes) noexcept;
    bool make_positions(const BoxSoaView& boxes) noexcept;
    std::uint32_t region_at(const Vec3& center) const noexcept;
    void find_regions(const BoxSoaView& boxes, std::uint32_t* out_regions) const noexcept;
    template <class Visit>
    void for_each_range(std::uint32_t region, const Aabb& box, Visit&& visit) const noexcept;
    LeafGrid plan_leaves(const Aabb& bounds, const GatheredBoxes& boxes) const noexcept;
    std::uint32_t* leaf_begins(std::uint32_t region) noexcept {
        return leaf_begins_.data() + std::size_t{region} * (leaf_max_ + 1);
    }
    const std::uint32_t* leaf_begins(std::uint32_t region) const noexcept {
        return leaf_begins_.data() + std::size_t{region} * (leaf_max_ + 1);
    }
    void write(std::uint32_t position, const Aabb& grown) noexcept;
    void clear_position(std::uint32_t position) noexcept;
    void store(std::uint32_t position, std::uint32_t box, const Aabb& grown) noexcept;
    void include_in(std::uint32_t region, const Aabb& grown) noexcept;

    // By box.
    AlignedArray<CellRecord> rows_;
    AlignedArray<std::uint32_t> position_of_;
    // By position: the grown boxes of all regions; NaN and kNone if there is none.
    AlignedArray<std::byte> memory_;
    GatheredBoxes grown_;
    // Begin of each leaf, by region and leaf, and the end of the last one of each region.
    AlignedArray<std::uint32_t> leaf_begins_;
    // Working memory of `put`: the leaves of boxes, and by task and leaf the position of the next box.
    AlignedArray<std::uint32_t> keys_;
    AlignedArray<std::uint32_t> put_ends_;
    std::size_t elsewhere_count_ = 0;
    std::size_t question_ranges() const noexcept { return std::size_t{leaf_max_} + 1; }
    std::size_t question_places() const noexcept { return std::size_t{region_capacity_} + kCacheRowPadding; }

    // Working memory of queries: the ranges that they read, and the boxes that they meet.
    mutable AlignedArray<BoxRange> ranges_;
    mutable AlignedArray<std::uint32_t> met_;
    std::uint32_t region_capacity_ = 1;
    std::uint32_t region_count_ = 0;
    std::uint32_t leaf_max_ = 0;
    enum class Step : std::uint8_t { cut, find_regions, placed };
    Step step_ = Step::cut;
    // While boxes are placed: those whose region is known, and how many are in each.
    std::size_t placed_count_ = 0;
    std::uint32_t placed_counts_[kRegionMax];
    Cut cuts_[kRegionMax];
    // The space of each region, within its cuts.
    Aabb spaces_[kRegionMax];
    Region regions_[kRegionMax];
    alignas(64) float region_columns_[6][kRegionMax];
};

template <class Visit>
void GrownRegions::for_each_meeting(const PairCacheKernels& kernels, const Aabb& box, Visit&& visit,
                                    std::uint32_t question) const noexcept {
    BoxRange* const ranges = ranges_.data() + question * question_ranges();
    std::uint32_t* const met = met_.data() + question * question_places();
    const BoxRange all_regions = {0, region_count_};
    std::uint32_t regions[kRegionMax + kCacheRowPadding];
    const std::size_t count = kernels.find_meeting(region_bounds(), &all_regions, 1, box, regions);
    for (std::size_t k = 0; k < count; ++k) {
        BoxRange* end = ranges;
        for_each_range(regions[k], box, [&](const BoxRange& range) { *end++ = range; });
        const auto range_count = static_cast<std::size_t>(end - ranges);
        const std::size_t met_count = kernels.find_meeting(view(), ranges, range_count, box, met);
        for (std::size_t i = 0; i < met_count; ++i) visit(met[i], regions[k]);
    }
}

// Visits consecutive leaves that may have boxes that meet this one, as ranges; then the loose boxes.
template <class Visit>
void GrownRegions::for_each_range(std::uint32_t region, const Aabb& box, Visit&& visit) const noexcept {
    const Region& of = regions_[region];
    const LeafGrid& grid = of.grid;
    if (grid.leaf_count() != 0) {
        const Vec3 low = box.min - grid.reach;
        const Vec3 high = box.max + grid.reach;
        const std::uint32_t first_x = grid.x(low.x);
        const std::uint32_t end_x = grid.x(high.x) + 1;
        const std::uint32_t first_y = grid.y(low.y);
        const std::uint32_t end_y = grid.y(high.y) + 1;
        const std::uint32_t end_z = grid.z(high.z) + 1;
        const std::uint32_t* const begins = leaf_begins(region);
        for (std::uint32_t z = grid.z(low.z); z < end_z; ++z) {
            for (std::uint32_t y = first_y; y < end_y; ++y) {
                const std::uint32_t* const row =
                    begins + (std::size_t{z} * grid.leaves[1] + y) * grid.leaves[0];
                visit(BoxRange{row[first_x], row[end_x]});
            }
        }
    }
    visit(BoxRange{of.loose_begin, of.end});
}

}  // namespace broadside::broadphase
