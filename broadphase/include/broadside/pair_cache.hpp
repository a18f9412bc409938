// The pairs of boxes that move little, kept from one search to the next.
#pragma once

#include <broadside/export.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/resting_boxes.hpp>

namespace BROADSIDE_API broadside {

/// Keeps the pairs of boxes that were grown by a margin. While a box stays within its grown box, its pairs
/// are among those, and a call only tests them, in an order that is already canonical. The few boxes that
/// left are looked up like movers among boxes at rest (see RestingBoxes). When one box in 32 has left,
/// everything is found anew. If boxes leave so fast that a cache is a loss, it notices that and skips up to
/// 32 calls in a row.
///
/// One cache serves one set of boxes, whose indices keep their meaning from call to call. A set of another
/// size starts anew; call `clear` after renumbering. Movable, not copyable, and not for two calls at once.
/// Memory: 56 bytes a box, 16 bytes a pair of grown boxes, and a RestingBoxes.
class PairCache {
public:
    /// `margin`, in units of length, is added on every side; negative or NaN counts as zero. A larger margin
    /// keeps boxes in longer and adds pairs to test: in a uniform scene, a twentieth of the extent of a box
    /// adds a third, a tenth two thirds. An infinite margin keeps and tests all pairs of valid boxes.
    explicit PairCache(float margin, const Allocator& allocator = default_allocator()) noexcept
        : margin_(margin > 0 ? margin : 0),
          columns_(allocator),
          rows_(allocator),
          candidates_(allocator),
          escaped_pairs_(allocator),
          resting_(allocator) {}

    /// Finds exactly the list of `broadside::find_pairs(boxes, settings, scratch, out_pairs)` in canonical
    /// order, whatever order the settings name. Algorithm, sweep axis and cell counts matter only when pairs
    /// are found anew.
    FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                               BoxScratch& scratch, const PairOutput& out_pairs) noexcept;

    /// The margin of the constructor, or the one set last.
    float margin() const noexcept { return margin_; }
    /// Sets the margin for the next time that everything is found anew.
    void set_margin(float margin) noexcept { margin_ = margin > 0 ? margin : 0; }

    /// True if the caller promises the same filter in every call until `clear`. The filter is then applied
    /// only when everything is found anew, and forbidden pairs are not tested again and again. A filter that
    /// changes nevertheless takes effect too late. Default false.
    bool has_stable_filter() const noexcept { return has_stable_filter_; }
    void set_stable_filter(bool is_stable) noexcept {
        has_stable_filter_ = is_stable;
        clear();
    }

    /// Forgets the boxes and keeps the memory.
    void clear() noexcept { memory_ = {}; }
    std::size_t capacity_bytes() const noexcept {
        return columns_.capacity() + rows_.capacity() + candidates_.capacity_bytes() +
               escaped_pairs_.capacity_bytes() + resting_.capacity_bytes();
    }

private:
    class Call;

    float margin_;
    bool has_stable_filter_ = false;
    // State that is kept from call to call.
    struct Memory {
        bool is_kept = false;
        std::size_t box_count = 0;
        // Calls since everything was found anew, calls to skip when that comes too soon, and those left.
        std::uint32_t use_count = 0;
        std::uint32_t bypass_count = 0;
        std::uint32_t bypass_left = 0;
    };
    ResetOnMove<Memory> memory_;
    // The grown boxes, and data of each box in the current call.
    AlignedArray<std::byte> columns_;
    AlignedArray<std::byte> rows_;
    PairBuffer candidates_;
    PairBuffer escaped_pairs_;
    RestingBoxes resting_;
};

}  // namespace broadside
