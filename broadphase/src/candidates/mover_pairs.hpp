// The pairs of a World's movers, kept from one update to the next.
#pragma once

#include "broadphase/src/cells/types.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

struct Kernels;

/// Candidates: the pairs of movers whose boxes were grown to where they will be in the calls to come if they
/// go on as they did. As long as a mover stays within its grown box, its pairs are among those, and a call
/// only tests them, in an order that is canonical already. Those who left, or began to move since, get a new
/// grown box, and its candidates are added. When those are many, as when most come to the end of their grown
/// boxes, candidates are found anew for all, which costs about as much as two calls without them. Where
/// movers do not go on as they did that does not pay; it is noticed, and calls are made without for a while.
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
          regrown_memory_(allocator),
          found_(allocator),
          added_(allocator),
          added_places_(allocator),
          resting_grown_(allocator) {}
    MoverPairs(const MoverPairs&) = delete;
    MoverPairs& operator=(const MoverPairs&) = delete;

    /// One call: a set of boxes, of which `resting` was built.
    struct Call {
        BoxSoaView boxes;
        const RestingBoxes& resting;
        /// What has moved since the call before; RestingBoxes::take_out has been called with them.
        std::span<const std::uint64_t> changed_bits;
        const TaskRunner* runner;
        FindPairsScratch& scratch;
    };

    /// Every pair of a changed box, and of others only such as were pairs before; in canonical order. As
    /// find_pairs.
    Status find(const Call& call, PairBuffer& out_pairs) noexcept;
    /// Forgets everything: for when `resting` has been built anew. The memory stays.
    void clear() noexcept { has_rows_ = false; }
    std::size_t capacity_bytes() const noexcept;

private:
    // The movers that are kept; those that came later behind the others.
    struct Kept {
        GatheredBoxes grown;
        std::size_t capacity;
        // Lower corners at the call before.
        Vec3* before;
        // Those that are not within their grown boxes, as bits; and those that have been grown again, which
        // the grown boxes at rest do not know, also as a list.
        std::uint64_t* escaped_bits;
        std::uint64_t* regrown_bits;
        std::uint32_t* regrown;
        std::size_t regrown_count;
    };
    // How boxes are grown: how many calls ahead, how far to all sides, and no further than `limit`.
    struct Growth {
        float calls_ahead;
        float slack;
        float limit;
    };
    // Grown boxes whose candidates are to be added: the last ones of those that were grown again.
    struct Regrown {
        GatheredBoxes boxes;
        std::uint32_t* numbers;
        std::size_t first_new;
    };

    Status find_plainly(const Call& call, PairBuffer& out_pairs) noexcept;
    Status remember_all(const Call& call) noexcept;
    Status remember_movers(const Call& call) noexcept;
    Status keep_movers(const std::uint64_t* mover_bits) noexcept;
    void look_through(const Call& call) noexcept;
    void look_at(const Call& call, std::size_t begin, std::size_t end) noexcept;
    bool is_worth_keeping() const noexcept;
    Growth plan_growth(const Call& call) const noexcept;
    void grow(const Call& call, std::size_t kept) noexcept;
    Status find_anew(const Call& call, const Kernels& kernels) noexcept;
    Status keep_newcomers(const Call& call) noexcept;
    Status keep_up(const Call& call, const Kernels& kernels) noexcept;
    void append_newcomers(const Call& call) noexcept;
    bool regrow(const Call& call, Regrown& out_regrown) noexcept;
    Status add_beside(const GatheredBoxes& boxes, const Call& call, const Kernels& kernels) noexcept;
    Status add_with_kept(const Regrown& regrown, const Call& call, const Kernels& kernels) noexcept;
    Status add_among(const GatheredBoxes& boxes, std::size_t first_new, const Call& call) noexcept;
    Status merge_added() noexcept;
    template <class Visit>
    void for_each_newcomer(const Call& call, Visit&& visit) const noexcept;
    Status test_candidates(const Call& call, const Kernels& kernels, PairBuffer& out_pairs) noexcept;

    // By box: where it was at the last call, as the test of a pair reads it.
    AlignedArray<CellRecord> rows_;
    AlignedArray<std::uint64_t> kept_bits_;
    AlignedArray<std::byte> kept_memory_;
    Kept kept_ = {};
    Growth growth_ = {};
    PairBuffer candidates_;
    AlignedArray<std::size_t> candidates_kept_;
    AlignedArray<std::byte> regrown_memory_;
    // Pairs as they are found, and candidates to be added.
    PairBuffer found_;
    PairBuffer added_;
    AlignedArray<std::size_t> added_places_;
    // The grown boxes as they were when candidates were found anew; built when the first one is grown again.
    RestingBoxes resting_grown_;
    std::size_t escaped_count_ = 0;
    // Movers that are not kept.
    std::size_t newcomer_count_ = 0;
    // Candidates when they were found anew.
    std::size_t first_candidate_count_ = 0;
    bool has_rows_ = false;
    bool has_candidates_ = false;
    // Calls since candidates were found; calls to make without, and how many of those are left.
    std::uint32_t use_count_ = 0;
    std::uint32_t bypass_count_ = 0;
    std::uint32_t bypass_left_ = 0;
};

}  // namespace broadside::broadphase
