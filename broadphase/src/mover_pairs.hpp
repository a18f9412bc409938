// The pairs of a World's movers, kept from one update to the next.
#pragma once

#include "broadphase/src/cells_types.hpp"
#include "broadphase/src/gathered_boxes.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

struct Kernels;

/// Candidates: the pairs of movers whose boxes were grown to where they will be in the calls to come if they go on as
/// they did. As long as a mover stays within its grown box, its pairs are among those, and a call only tests them, in
/// an order that is canonical already. The few that left, or began to move since, are looked up one by one. When those
/// are too many, as when most have come to the end of their grown boxes, candidates are found anew, which costs about
/// as much as two calls without them. Where movers do not go on as they did that does not pay; it is noticed, and calls
/// are made without for a while.
///
/// Movers are what RestingState::mover_bits names. Results do not depend on what was kept.
class MoverPairs {
public:
    explicit MoverPairs(const Allocator& allocator) noexcept
        : rows_(allocator),
          kept_bits_(allocator),
          kept_memory_(allocator),
          candidates_(allocator),
          candidates_kept_(allocator),
          escaped_memory_(allocator),
          escaped_pairs_(allocator),
          among_(allocator),
          resting_grown_(allocator),
          numbers_(allocator) {}

    /// One call: a set of boxes, of which `resting` was built.
    struct Call {
        BoxSoaView boxes;
        const RestingBoxes& resting;
        /// What has moved since the call before; RestingBoxes::take_out has been called with them.
        std::span<const std::uint64_t> changed_bits;
        const TaskRunner* runner;
        FindPairsScratch& scratch;
    };

    /// Every pair of a changed box, and of others only such as were pairs before; in canonical order. As find_pairs.
    Status find(const Call& call, PairBuffer& out_pairs) noexcept;
    /// Forgets everything: for when `resting` has been built anew. The memory stays.
    void clear() noexcept { has_rows_ = false; }
    std::size_t capacity_bytes() const noexcept;

private:
    // The movers that are kept, in the order of their places.
    struct Kept {
        GatheredBoxes grown;
        // Lower corners at the call before the last one that was looked at.
        Vec3* before;
        // Those that are not within their grown boxes, as bits.
        std::uint64_t* escaped_bits;
    };
    struct Growth;

    Status find_plainly(const Call& call, PairBuffer& out_pairs) noexcept;
    Status remember_all(const Call& call) noexcept;
    Status remember_movers(const Call& call) noexcept;
    Status keep_movers(const std::uint64_t* mover_bits) noexcept;
    void look_through(const Call& call) noexcept;
    void look_at(const Call& call, std::size_t begin, std::size_t end) noexcept;
    Growth plan_growth(const Call& call) const noexcept;
    void grow(const Call& call, const Growth& growth) noexcept;
    Status keep_newcomers(const Call& call) noexcept;
    Status find_anew(const Call& call) noexcept;
    Status write(const Call& call, PairBuffer& out_pairs) noexcept;
    Status test_candidates(const Call& call, const Kernels& kernels, PairBuffer& out_pairs) noexcept;
    bool gather_escaped(const Call& call, GatheredBoxes& out_escaped) noexcept;
    Status find_escaped(const Call& call, const Kernels& kernels) noexcept;
    Status add_pairs_with_kept(const GatheredBoxes& escaped, const Call& call,
                               const Kernels& kernels) noexcept;
    Status add_pairs_among(const GatheredBoxes& boxes, const Call& call, PairBuffer& state_pairs) noexcept;
    Status merge_escaped(PairBuffer& state_pairs) noexcept;
    template <class Visit>
    void for_each_newcomer(const Call& call, Visit&& visit) const noexcept;
    bool is_escaped(std::size_t kept) const noexcept {
        return (kept_.escaped_bits[kept / 64] >> kept % 64 & 1) != 0;
    }

    // By box: where it was at the last call, as the test of a pair reads it.
    AlignedArray<CellRecord> rows_;
    AlignedArray<std::uint64_t> kept_bits_;
    AlignedArray<std::byte> kept_memory_;
    Kept kept_ = {};
    PairBuffer candidates_;
    AlignedArray<std::size_t> candidates_kept_;
    AlignedArray<std::byte> escaped_memory_;
    PairBuffer escaped_pairs_;
    PairBuffer among_;
    // The grown boxes, for those who left; built when the first one has.
    RestingBoxes resting_grown_;
    AlignedArray<std::uint32_t> numbers_;
    std::size_t escaped_count_ = 0;
    // Movers that are not kept.
    std::size_t newcomer_count_ = 0;
    bool has_rows_ = false;
    bool has_candidates_ = false;
    // Calls since candidates were found; calls to make without, and how many of those are left.
    std::uint32_t use_count_ = 0;
    std::uint32_t bypass_count_ = 0;
    std::uint32_t bypass_left_ = 0;
};

}  // namespace broadside::broadphase
