// Grown boxes in regions of space, which are renewed one at a time.
#pragma once

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"

#include <broadside/aabb.hpp>

#include <bit>
#include <span>

namespace broadside::broadphase {

/// Space is cut into regions with equally many boxes of a sample each. A box belongs to the region that its
/// grown box was in when it was put there. Within a region boxes lie side by side by small leaves of space, so
/// that a question looks at few of them; what was put there one by one lies in a last leaf.
class GrownRegions {
public:
    static constexpr std::uint32_t kRegionMax = 64;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit GrownRegions(const Allocator& allocator) noexcept
        : rows_(allocator), position_of_(allocator), memory_(allocator), keys_(allocator), bits_(allocator) {}

    /// Cuts space anew, into a power of two of regions. All valid boxes are in one, none is grown yet. False
    /// when there is no memory.
    [[nodiscard]] bool start(const BoxSoaView& boxes, std::uint32_t region_count) noexcept;
    /// Boxes in all; new ones are in no region.
    [[nodiscard]] bool resize(std::size_t box_count) noexcept;
    std::uint32_t region_count() const noexcept { return region_count_; }
    std::size_t box_count() const noexcept { return position_of_.size(); }
    /// kNone for a box that is in none.
    std::uint32_t region_of(std::uint32_t box) const noexcept {
        const std::uint32_t position = position_of_.data()[box];
        return position == kNone ? kNone : position / region_capacity_;
    }
    /// The grown boxes as rows by box, NaN where there is none.
    const CellRecord* rows() const noexcept { return rows_.data(); }
    void set_row(std::uint32_t box, const CellRecord& row) noexcept { rows_.data()[box] = row; }

    /// Of all grown boxes in it.
    Aabb bounds(std::uint32_t region) const noexcept { return region_bounds()[region]; }
    std::size_t count(std::uint32_t region) const noexcept { return regions_[region].count; }
    /// The boxes of a region; `out_boxes` has room for count(region).
    std::size_t list(std::uint32_t region, std::uint32_t* out_boxes) const noexcept;
    /// The region has none then: each that it had is put, moved or forgotten before anything else is asked.
    void empty(std::uint32_t region) noexcept;
    /// Those of `boxes`, which are in no region, whose grown box is in this one, which is empty, in leaves; the
    /// others one by one to theirs. `bounds` holds them all. False when a region is full.
    [[nodiscard]] bool put(std::uint32_t region, const GatheredBoxes& boxes, const Aabb& bounds) noexcept;
    /// One box, whose row may be anything: where it was when that is near, else where it belongs.
    [[nodiscard]] bool move(std::uint32_t box, const Aabb& grown) noexcept;
    /// In no region then.
    void drop(std::uint32_t box) noexcept;
    /// One that was taken.
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

    /// `visit(position, region)` of every grown box that meets this one.
    template <class Visit>
    void for_each_meeting(const PairCacheKernels& kernels, const Aabb& box, Visit&& visit) const noexcept;
    std::uint32_t box_at(std::uint32_t position) const noexcept { return grown_.ids[position]; }
    Aabb grown_at(std::uint32_t position) const noexcept { return view()[position]; }

    std::size_t capacity_bytes() const noexcept {
        return rows_.capacity_bytes() + position_of_.capacity_bytes() + memory_.capacity_bytes() +
               keys_.capacity_bytes() + bits_.capacity_bytes();
    }

private:
    struct Region {
        std::uint32_t begin;
        std::uint32_t count;
    };
    struct Leaf {
        std::uint32_t begin;
        std::uint32_t count;
    };
    // Where a region is cut in two.
    struct Cut {
        int axis;
        float position;
    };
    // Leaves of a region by small boxes of space.
    struct LeafGrid {
        Vec3 origin;
        Vec3 scale;
        std::uint32_t cells[3];

        std::uint32_t leaf(const Vec3& at) const noexcept;
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
    std::uint32_t region_at(const Vec3& center) const noexcept;
    LeafGrid plan_leaves(const Aabb& bounds, std::size_t count) const noexcept;
    void write(std::uint32_t position, const Aabb& grown) noexcept;
    void include_in(std::uint32_t region, std::size_t leaf, const Aabb& grown) noexcept;
    void include_leaf(std::uint32_t region, std::size_t leaf) noexcept;
    void store(std::uint32_t region, std::uint32_t position, std::uint32_t box, const Aabb& grown,
               std::size_t leaf) noexcept;
    void empty_leaves(std::uint32_t region) noexcept;
    std::size_t last_leaf(std::uint32_t region) const noexcept {
        return (std::size_t{region} + 1) * leaf_count_ - 1;
    }

    // By box.
    AlignedArray<CellRecord> rows_;
    AlignedArray<std::uint32_t> position_of_;
    // By position: the grown boxes of all regions; by leaf: bounds.
    AlignedArray<std::byte> memory_;
    GatheredBoxes grown_;
    GatheredBoxes bounds_;
    Leaf* leaves_ = nullptr;
    AlignedArray<std::uint32_t> keys_;
    // What meets a question: of leaves, then of the boxes of one.
    mutable AlignedArray<std::uint64_t> bits_;
    std::uint32_t region_capacity_ = 1;
    std::uint32_t region_count_ = 0;
    std::uint32_t leaf_count_ = 0;
    Cut cuts_[kRegionMax];
    // The space of each region, within its cuts.
    Aabb spaces_[kRegionMax];
    Region regions_[kRegionMax];
    alignas(64) float region_columns_[6][kRegionMax];
};

template <class Visit>
void GrownRegions::for_each_meeting(const PairCacheKernels& kernels, const Aabb& box,
                                    Visit&& visit) const noexcept {
    std::uint64_t* const leaf_bits = bits_.data();
    std::uint64_t* const box_bits = leaf_bits + bit_word_count(leaf_count_);
    BoxSoaView bounds = bounds_.view();
    bounds.count = std::size_t{region_count_} * leaf_count_;
    static_assert(kRegionMax == 64, "regions are bits of one word");
    std::uint64_t region_bits = 0;
    kernels.mark_meeting(region_bounds(), box, &region_bits);
    for (; region_bits != 0; region_bits &= region_bits - 1) {
        const auto region = static_cast<std::uint32_t>(std::countr_zero(region_bits));
        const std::size_t first = std::size_t{region} * leaf_count_;
        kernels.mark_meeting(bounds.part(first, leaf_count_), box, leaf_bits);
        for_each_bit(
            bit_word_count(leaf_count_), [&](std::size_t word) { return leaf_bits[word]; },
            [&](std::size_t index) {
                const Leaf leaf = leaves_[first + index];
                kernels.mark_meeting(view().part(leaf.begin, leaf.count), box, box_bits);
                for_each_bit(
                    bit_word_count(leaf.count), [&](std::size_t word) { return box_bits[word]; },
                    [&](std::size_t k) { visit(leaf.begin + static_cast<std::uint32_t>(k), region); });
            });
    }
}

}  // namespace broadside::broadphase
