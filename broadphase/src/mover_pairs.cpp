// Movers looked at one by one, their candidates tested, and those who left looked up.
#include "broadphase/src/mover_pairs.hpp"

#include "broadphase/src/canonical_order.hpp"
#include "broadphase/src/kernel_table.hpp"
#include "broadphase/src/movers.hpp"
#include "broadphase/src/scratch_access.hpp"

#include <broadside/float_ops.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cfloat>

namespace broadside::broadphase {
namespace {

// Movers for one that has left, below which candidates are found anew: looking one up costs as much as some ten tests.
constexpr std::size_t kMoversPerEscaped = 12;
constexpr std::size_t kEscapedMin = 8;
// Finding candidates costs about what two calls with them save.
constexpr std::uint32_t kWorthwhileUseCount = 2;
constexpr std::uint32_t kBypassCountMax = 32;
// A box is grown to where it will be after this many calls, or fewer where that would make it larger by more than this
// share of the mean extent: from there on there are more candidates to test than finding them less often saves.
constexpr float kCallsAheadMax = 16;
constexpr float kExtentsAhead = 0.25f;
// To all sides, in mean steps: who turns round should not be out at once.
constexpr float kStepsOfSlack = 0.5f;
// No single box is grown by more than this many mean extents.
constexpr float kExtentsAheadMax = 1;

// Tasks of the look through, at whole words of bits, and of the test.
constexpr std::size_t kMoversPerTask = 2048;
constexpr std::size_t kPairsPerTask = 8192;

std::size_t count_bits(const std::uint64_t* bits, std::size_t word_count) {
    std::size_t count = 0;
    for (std::size_t word = 0; word < word_count; ++word) {
        count += static_cast<std::size_t>(std::popcount(bits[word]));
    }
    return count;
}

// Zero for what is no number.
float clamped(float value, float limit) {
    if (value >= limit) return limit;
    if (value <= -limit) return -limit;
    return value == value ? value : 0;
}

Vec3 min_corner(const CellRecord& row) { return {row.min[0], row.min[1], row.min[2]}; }

const std::uint64_t* mover_bits_of(const RestingBoxes& resting) {
    return RestingAccess::state(resting).mover_bits;
}

CellsMemory cells_memory(FindPairsScratch& scratch) {
    return {ScratchAccess::boxes(scratch),      ScratchAccess::copies(scratch),
            ScratchAccess::blocks(scratch),     ScratchAccess::inner(scratch),
            ScratchAccess::deferred(scratch),   ScratchAccess::large(scratch),
            ScratchAccess::large_home(scratch), ScratchAccess::large_copies(scratch)};
}

// The pairs of movers with what rests; a mover's record there is void.
Status find_pairs_beside(const GatheredBoxes& boxes, const RestingBoxes& resting, const TaskRunner* runner,
                         const Kernels& kernels, FindPairsScratch& scratch, PairBuffer& out_pairs) {
    const Movers movers = {boxes, nullptr, false, false};
    PairFilter without_movers({}, {});
    without_movers.exclude_both(mover_bits_of(resting));
    PairWriter writer(out_pairs, &without_movers);
    FindPairsPlan plan;
    return find_pairs_with_resting(movers, RestingAccess::state(resting), runner, kernels.cells,
                                   cells_memory(scratch), writer, plan);
}

}  // namespace

std::size_t MoverPairs::capacity_bytes() const noexcept {
    std::size_t bytes = kept_memory_.capacity() + numbers_.capacity_bytes() + escaped_memory_.capacity() +
                        resting_grown_.capacity_bytes();
    bytes += rows_.capacity_bytes() + kept_bits_.capacity_bytes() + candidates_kept_.capacity_bytes();
    for (const PairBuffer* buffer : {&candidates_, &escaped_pairs_, &among_}) {
        bytes += buffer->capacity() * sizeof(IndexPair);
    }
    return bytes;
}

Status MoverPairs::find(const Call& call, PairBuffer& out_pairs) noexcept {
    if (!has_rows_ || rows_.size() != call.boxes.count) {
        const Status status = remember_all(call);
        return status == Status::ok ? find_plainly(call, out_pairs) : status;
    }
    if (bypass_left_ != 0) {
        const Status status = --bypass_left_ == 0 ? remember_movers(call) : Status::ok;
        return status == Status::ok ? find_plainly(call, out_pairs) : status;
    }
    look_through(call);
    const bool is_kept = has_candidates_ && escaped_count_ + newcomer_count_ <=
                                                std::max(kept_.grown.count / kMoversPerEscaped, kEscapedMin);
    if (!is_kept && has_candidates_ && use_count_ < kWorthwhileUseCount) {
        bypass_count_ = std::min(2 * bypass_count_ + 1, kBypassCountMax);
        bypass_left_ = bypass_count_;
        has_candidates_ = false;
        return find_plainly(call, out_pairs);
    }
    if (!is_kept) {
        if (has_candidates_) bypass_count_ = 0;
        const Status status = find_anew(call);
        if (status != Status::ok) return status;
    }
    ++use_count_;
    return write(call, out_pairs);
}

Status MoverPairs::find_plainly(const Call& call, PairBuffer& out_pairs) noexcept {
    FindPairsSettings settings;
    settings.runner = call.runner;
    settings.filter.subset_bits = call.changed_bits;
    settings.resting = &call.resting;
    return find_pairs(call.boxes, settings, call.scratch, out_pairs).status;
}

// Where every box is now; the next call knows by how far the movers have moved.
Status MoverPairs::remember_all(const Call& call) noexcept {
    const std::size_t count = call.boxes.count;
    has_rows_ = false;
    if (!rows_.resize(count) || !kept_bits_.resize(bit_word_count(count))) return Status::out_of_memory;
    for (std::size_t i = 0; i < count; ++i) rows_[i] = cache_row(call.boxes[i], is_valid(call.boxes[i]));
    bypass_left_ = 0;
    const Status status = keep_movers(mover_bits_of(call.resting));
    has_rows_ = status == Status::ok;
    return status;
}

Status MoverPairs::remember_movers(const Call& call) noexcept {
    const Status status = keep_movers(mover_bits_of(call.resting));
    for (std::size_t k = 0; k < kept_.grown.count; ++k) {
        const Aabb box = call.boxes[kept_.grown.ids[k]];
        rows_[kept_.grown.ids[k]] = cache_row(box, is_valid(box));
    }
    return status;
}

// Takes the movers as those to be kept; what was known of those before is gone.
Status MoverPairs::keep_movers(const std::uint64_t* mover_bits) noexcept {
    has_candidates_ = false;
    const std::size_t count = count_bits(mover_bits, kept_bits_.size());
    kept_ = {};
    if (!place_in(kept_memory_, [&](Arena& arena) {
            place_gathered(arena, count, kept_.grown);
            kept_.before = arena.take<Vec3>(count);
            kept_.escaped_bits = arena.take<std::uint64_t>(bit_word_count(count));
        })) {
        has_rows_ = false;
        return Status::out_of_memory;
    }
    std::copy(mover_bits, mover_bits + kept_bits_.size(), kept_bits_.data());
    for_each_bit(
        kept_bits_.size(), [&](std::size_t word) { return mover_bits[word]; },
        [&](std::size_t place) { kept_.grown.ids[kept_.grown.count++] = static_cast<std::uint32_t>(place); });
    return Status::ok;
}

template <class Visit>
void MoverPairs::for_each_newcomer(const Call& call, Visit&& visit) const noexcept {
    if (newcomer_count_ == 0) return;
    const std::uint64_t* const mover_bits = mover_bits_of(call.resting);
    for_each_bit(
        kept_bits_.size(), [&](std::size_t word) { return mover_bits[word] & ~kept_bits_.data()[word]; },
        visit);
}

void MoverPairs::look_through(const Call& call) noexcept {
    run_chunks(call.runner, kept_.grown.count, kMoversPerTask,
               [&](std::size_t begin, std::size_t end) { look_at(call, begin, end); });
    escaped_count_ = count_bits(kept_.escaped_bits, bit_word_count(kept_.grown.count));
    newcomer_count_ = count_bits(mover_bits_of(call.resting), kept_bits_.size()) - kept_.grown.count;
}

// Boxes of kept movers into their rows, and whether they are within the grown ones.
void MoverPairs::look_at(const Call& call, std::size_t begin, std::size_t end) noexcept {
    CellRecord* const rows = rows_.data();
    const Kept kept = kept_;
    const BoxSoaView grown = kept.grown.view();
    const BoxSoaView boxes = call.boxes;
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
        std::uint64_t escaped = 0;
        for (std::size_t k = word * 64; k < end && k < word * 64 + 64; ++k) {
            const std::uint32_t place = kept.grown.ids[k];
            const Aabb box = boxes[place];
            CellRecord& row = rows[place];
            kept.before[k] = min_corner(row);
            const bool is_valid_box = is_valid(box);
            const bool is_within = (grown.min_x[k] <= box.min.x) & (box.max.x <= grown.max_x[k]) &
                                   (grown.min_y[k] <= box.min.y) & (box.max.y <= grown.max_y[k]) &
                                   (grown.min_z[k] <= box.min.z) & (box.max.z <= grown.max_z[k]);
            escaped |= std::uint64_t{is_valid_box & !is_within ? 1u : 0u} << k % 64;
            row = cache_row(box, is_valid_box);
        }
        kept.escaped_bits[word] = escaped;
    }
}

struct MoverPairs::Growth {
    float calls_ahead;
    float slack;
    float limit;
};

MoverPairs::Growth MoverPairs::plan_growth(const Call& call) const noexcept {
    double steps = 0;
    double extents = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < kept_.grown.count; ++k) {
        const Aabb box = call.boxes[kept_.grown.ids[k]];
        const Vec3 extent = size(box);
        const Vec3 step = box.min - kept_.before[k];
        const float extent_sum = extent.x + extent.y + extent.z;
        const float step_sum = absolute(step.x) + absolute(step.y) + absolute(step.z);
        // Neither a huge box nor a teleport says anything about the others.
        if (!(extent_sum < FLT_MAX) || !(step_sum <= extent_sum)) continue;
        steps += static_cast<double>(step_sum);
        extents += static_cast<double>(extent_sum);
        ++count;
    }
    if (count == 0) return {0, 0, 0};
    const auto step = static_cast<float>(steps / static_cast<double>(3 * count));
    const auto extent = static_cast<float>(extents / static_cast<double>(3 * count));
    const float room = extent * kExtentsAhead;
    const float calls_ahead = step * kCallsAheadMax <= room ? kCallsAheadMax : room / step;
    return {calls_ahead, step * kStepsOfSlack, extent * kExtentsAheadMax};
}

// The boxes of all kept movers, grown. Whose last step is not known, because it has just begun to move, escapes soon.
void MoverPairs::grow(const Call& call, const Growth& growth) noexcept {
    GatheredBoxes& grown = kept_.grown;
    const float s = growth.slack;
    const auto ahead = [&](float step) { return clamped(step * growth.calls_ahead, growth.limit); };
    for (std::size_t k = 0; k < grown.count; ++k) {
        const Aabb box = call.boxes[grown.ids[k]];
        const Vec3 step = box.min - kept_.before[k];
        const Vec3 way = {ahead(step.x), ahead(step.y), ahead(step.z)};
        const Aabb swept = {{box.min.x + min_keep(way.x, 0.0f) - s, box.min.y + min_keep(way.y, 0.0f) - s,
                             box.min.z + min_keep(way.z, 0.0f) - s},
                            {box.max.x + max_keep(way.x, 0.0f) + s, box.max.y + max_keep(way.y, 0.0f) + s,
                             box.max.z + max_keep(way.z, 0.0f) + s}};
        const Aabb kept = is_valid(box) ? swept : Aabb::empty();
        const float corners[6] = {kept.min.x, kept.min.y, kept.min.z, kept.max.x, kept.max.y, kept.max.z};
        for (int column = 0; column < 6; ++column) grown.columns[column][k] = corners[column];
    }
}

// Those that began to move are kept from now on. The steps of the others are in the rows meanwhile.
Status MoverPairs::keep_newcomers(const Call& call) noexcept {
    for (std::size_t k = 0; k < kept_.grown.count; ++k) {
        const Vec3 before = kept_.before[k];
        float* const min = rows_[kept_.grown.ids[k]].min;
        min[0] = before.x;
        min[1] = before.y;
        min[2] = before.z;
    }
    const Status status = keep_movers(mover_bits_of(call.resting));
    if (status == Status::ok) look_at(call, 0, kept_.grown.count);
    newcomer_count_ = 0;
    return status;
}

// Grows the movers' boxes and finds the pairs of those.
Status MoverPairs::find_anew(const Call& call) noexcept {
    const Kernels* const kernels = active_kernels();
    if (kernels == nullptr) return Status::unsupported_isa;
    has_candidates_ = false;
    Status status = newcomer_count_ == 0 ? Status::ok : keep_newcomers(call);
    if (status != Status::ok) return status;
    grow(call, plan_growth(call));
    status = find_pairs_beside(kept_.grown, call.resting, call.runner, *kernels, call.scratch, candidates_);
    if (status == Status::ok) status = add_pairs_among(kept_.grown, call, candidates_);
    if (status != Status::ok) return status;
    AlignedArray<IndexPair>& pairs = candidates_.storage();
    if (!sort_pairs({pairs.data(), pairs.size()}, call.boxes.count, call.boxes.count,
                    ScratchAccess::order(call.scratch))) {
        return Status::out_of_memory;
    }
    std::memset(kept_.escaped_bits, 0, bit_word_count(kept_.grown.count) * sizeof(std::uint64_t));
    escaped_count_ = 0;
    resting_grown_.clear();
    has_candidates_ = true;
    use_count_ = 0;
    return Status::ok;
}

Status MoverPairs::write(const Call& call, PairBuffer& out_pairs) noexcept {
    const Kernels* const kernels = active_kernels();
    if (kernels == nullptr) return Status::unsupported_isa;
    for_each_newcomer(call, [&](std::size_t place) {
        rows_[place] = cache_row(call.boxes[place], is_valid(call.boxes[place]));
    });
    Status status = test_candidates(call, *kernels, out_pairs);
    if (status != Status::ok || escaped_count_ + newcomer_count_ == 0) return status;
    status = find_escaped(call, *kernels);
    return status == Status::ok ? merge_escaped(out_pairs) : status;
}

Status MoverPairs::test_candidates(const Call& call, const Kernels& kernels, PairBuffer& out_pairs) noexcept {
    AlignedArray<IndexPair>& out = out_pairs.storage();
    const std::size_t count = candidates_.size();
    const std::size_t task_count = (count + kPairsPerTask - 1) / kPairsPerTask;
    if (!out.resize(count) || !candidates_kept_.resize(task_count)) return Status::out_of_memory;
    run_chunks(call.runner, count, kPairsPerTask, [&](std::size_t begin, std::size_t end) {
        candidates_kept_.data()[begin / kPairsPerTask] = kernels.pair_cache.keep_meeting(
            rows_.data(), candidates_.data() + begin, end - begin, out.data() + begin);
    });
    std::size_t kept = 0;
    for (std::size_t task = 0; task < task_count; ++task) {
        if (kept != task * kPairsPerTask) {
            std::memmove(out.data() + kept, out.data() + task * kPairsPerTask,
                         candidates_kept_[task] * sizeof(IndexPair));
        }
        kept += candidates_kept_[task];
    }
    (void)out.resize(kept);
    return Status::ok;
}

// Movers that left their grown boxes, then those that are not kept yet.
bool MoverPairs::gather_escaped(const Call& call, GatheredBoxes& out_escaped) noexcept {
    if (!place_in(escaped_memory_, [&](Arena& arena) {
            place_gathered(arena, escaped_count_ + newcomer_count_, out_escaped);
        })) {
        return false;
    }
    for_each_bit(
        bit_word_count(kept_.grown.count), [&](std::size_t word) { return kept_.escaped_bits[word]; },
        [&](std::size_t k) { gather(call.boxes, kept_.grown.ids[k], out_escaped); });
    for_each_newcomer(call, [&](std::size_t place) { gather(call.boxes, place, out_escaped); });
    return true;
}

// The pairs of those who left: with what rests, with the movers that are where they are expected, and with each other.
Status MoverPairs::find_escaped(const Call& call, const Kernels& kernels) noexcept {
    GatheredBoxes escaped;
    if (!gather_escaped(call, escaped)) return Status::out_of_memory;
    Status status = find_pairs_beside(escaped, call.resting, nullptr, kernels, call.scratch, escaped_pairs_);
    if (status == Status::ok) status = add_pairs_with_kept(escaped, call, kernels);
    if (status == Status::ok) status = add_pairs_among(escaped, call, escaped_pairs_);
    if (status != Status::ok) return status;
    AlignedArray<IndexPair>& pairs = escaped_pairs_.storage();
    const bool is_sorted = sort_pairs({pairs.data(), pairs.size()}, call.boxes.count, call.boxes.count,
                                      ScratchAccess::order(call.scratch));
    return is_sorted ? Status::ok : Status::out_of_memory;
}

Status MoverPairs::add_pairs_with_kept(const GatheredBoxes& escaped, const Call& call,
                                       const Kernels& kernels) noexcept {
    if (!resting_grown_.is_built()) {
        const Status status = resting_grown_.build(kept_.grown.view(), {}, call.runner);
        if (status != Status::ok) return status;
    }
    // In numbers of their own, above those of the kept ones.
    const std::size_t kept_count = kept_.grown.count;
    Movers numbered = {escaped, nullptr, false, false};
    if (!numbers_.resize(escaped.count)) return Status::out_of_memory;
    for (std::size_t i = 0; i < escaped.count; ++i) {
        numbers_[i] = static_cast<std::uint32_t>(kept_count + i);
    }
    numbered.boxes.ids = numbers_.data();
    PairWriter writer(among_, nullptr);
    FindPairsPlan plan;
    const Status status = find_pairs_with_resting(numbered, RestingAccess::state(resting_grown_), nullptr,
                                                  kernels.cells, cells_memory(call.scratch), writer, plan);
    if (status != Status::ok) return status;
    for (const IndexPair& pair : among_) {
        const std::uint32_t a = kept_.grown.ids[pair.first];
        const std::uint32_t b = escaped.ids[pair.second - kept_count];
        if (is_escaped(pair.first) || !overlap(call.boxes[a], call.boxes[b])) continue;
        if (!escaped_pairs_.storage().push_back({std::min(a, b), std::max(a, b)}))
            return Status::out_of_memory;
    }
    return Status::ok;
}

Status MoverPairs::add_pairs_among(const GatheredBoxes& boxes, const Call& call,
                                   PairBuffer& state_pairs) noexcept {
    const FindPairsSettings settings = {.order = PairOrder::by_algorithm, .runner = call.runner};
    const Status status = find_pairs(boxes.view(), settings, call.scratch, among_).status;
    if (status != Status::ok) return status;
    AlignedArray<IndexPair>& pairs = state_pairs.storage();
    for (const IndexPair& pair : among_) {
        const std::uint32_t a = boxes.ids[pair.first];
        const std::uint32_t b = boxes.ids[pair.second];
        if (!pairs.push_back({std::min(a, b), std::max(a, b)})) return Status::out_of_memory;
    }
    return Status::ok;
}

// From the end, in place. Some of the pairs were among the candidates.
Status MoverPairs::merge_escaped(PairBuffer& state_pairs) noexcept {
    AlignedArray<IndexPair>& pairs = state_pairs.storage();
    AlignedArray<IndexPair>& escaped = escaped_pairs_.storage();
    IndexPair* const news = std::remove_if(escaped.begin(), escaped.end(), [&](const IndexPair& pair) {
        return std::binary_search(pairs.begin(), pairs.end(), pair);
    });
    auto from_escaped = static_cast<std::size_t>(news - escaped.begin());
    std::size_t from_kept = pairs.size();
    if (!pairs.resize(from_kept + from_escaped)) return Status::out_of_memory;
    for (; from_escaped != 0; --from_escaped) {
        const IndexPair next = escaped[from_escaped - 1];
        const IndexPair* const behind = std::lower_bound(pairs.data(), pairs.data() + from_kept, next);
        const auto place = static_cast<std::size_t>(behind - pairs.data());
        std::memmove(pairs.data() + place + from_escaped, pairs.data() + place,
                     (from_kept - place) * sizeof(IndexPair));
        pairs[place + from_escaped - 1] = next;
        from_kept = place;
    }
    return Status::ok;
}

}  // namespace broadside::broadphase
