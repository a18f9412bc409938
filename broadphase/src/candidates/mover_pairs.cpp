// Movers looked at one by one, their candidates tested, and those who left looked up.
#include "broadphase/src/candidates/mover_pairs.hpp"

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/candidates/movers.hpp"
#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/float_ops.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cfloat>

namespace broadside::broadphase {
namespace {

// Movers for one that left its grown box, or came, in one call, below which candidates are found anew; and
// for one that did since they were found.
constexpr std::size_t kMoversPerEscaped = 12;
constexpr std::size_t kMoversPerRegrown = 6;
constexpr std::size_t kEscapedMin = 8;
// Room for movers that come later, one for so many.
constexpr std::size_t kMoversPerNewcomer = 8;
// Finding candidates costs about what two calls with them save.
constexpr std::uint32_t kCandidateUseCountMin = 2;
constexpr std::uint32_t kCandidateBypassCountMax = 32;
// A box is grown to where it will be after this many calls, or fewer where that would make it larger by more
// than this share of the mean extent: from there on there are more candidates to test than finding them less
// often saves.
constexpr float kCallsAheadMax = 16;
constexpr float kExtentsAhead = 0.4f;
// To all sides, in mean steps: who turns round should not be out at once.
constexpr float kStepsOfSlack = 0.5f;
// No single box is grown by more than this many mean extents.
constexpr float kExtentsAheadMax = 1;

// Tasks of the look through, at whole words of bits, and of the test.
constexpr std::size_t kMoversPerTask = 2048;
constexpr std::size_t kCandidatesPerTask = 8192;

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

// The first place from `begin` on whose pair is not below; in steps that double, for it is not far.
std::size_t first_not_below(std::span<const IndexPair> pairs, std::size_t begin, const IndexPair& pair) {
    std::size_t step = 8;
    while (begin + step < pairs.size() && pairs[begin + step] < pair) {
        begin += step;
        step *= 2;
    }
    const IndexPair* const from = pairs.data() + begin;
    const IndexPair* const to = pairs.data() + std::min(begin + step, pairs.size());
    return static_cast<std::size_t>(std::lower_bound(from, to, pair) - pairs.data());
}

bool push_pair(PairBuffer& state_pairs, std::uint32_t a, std::uint32_t b) {
    return state_pairs.storage().push_back({a < b ? a : b, a < b ? b : a});
}

}  // namespace

std::size_t MoverPairs::capacity_bytes() const noexcept {
    std::size_t bytes =
        kept_memory_.capacity() + regrown_memory_.capacity() + resting_grown_.capacity_bytes();
    bytes += rows_.capacity_bytes() + kept_bits_.capacity_bytes() + added_places_.capacity_bytes() +
             candidates_kept_.capacity_bytes();
    for (const PairBuffer* buffer : {&candidates_, &found_, &added_}) bytes += buffer->capacity_bytes();
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
    if (!active_isa()) return Status::unsupported_isa;
    look_through(call);
    Status status = Status::ok;
    if (has_candidates_ && is_worth_keeping()) {
        if (escaped_count_ + newcomer_count_ != 0) status = keep_up(call);
    } else if (has_candidates_ && use_count_ < kCandidateUseCountMin) {
        bypass_count_ = std::min(2 * bypass_count_ + 1, kCandidateBypassCountMax);
        bypass_left_ = bypass_count_;
        has_candidates_ = false;
        return find_plainly(call, out_pairs);
    } else {
        if (has_candidates_) bypass_count_ = 0;
        status = find_anew(call);
    }
    has_candidates_ = status == Status::ok;
    ++use_count_;
    return has_candidates_ ? test_candidates(call, out_pairs) : status;
}

bool MoverPairs::is_worth_keeping() const noexcept {
    const std::size_t left = escaped_count_ + newcomer_count_;
    const std::size_t count = kept_.grown.count;
    return left <= std::max(count / kMoversPerEscaped, kEscapedMin) &&
           left + kept_.regrown_count <= std::max(count / kMoversPerRegrown, kEscapedMin) &&
           count + newcomer_count_ <= kept_.capacity &&
           candidates_.size() <= 2 * first_candidate_count_ + count;
}

Status MoverPairs::find_plainly(const Call& call, PairBuffer& out_pairs) noexcept {
    FindPairsSettings settings;
    settings.runner = call.runner;
    settings.filter.subset_bits = call.changed_bits;
    return call.resting.find_pairs(call.boxes, settings, call.scratch, out_pairs).status;
}

// Where every box is now; the next call knows by how far the movers have moved.
Status MoverPairs::remember_all(const Call& call) noexcept {
    const std::size_t count = call.boxes.count;
    has_rows_ = false;
    if (!rows_.resize(count) || !kept_bits_.resize(bit_word_count(count))) return Status::out_of_memory;
    for (std::size_t i = 0; i < count; ++i) rows_[i] = cache_row(call.boxes[i], is_valid(call.boxes[i]));
    bypass_left_ = 0;
    const Status status = keep_movers(call.resting.mover_bits().data());
    has_rows_ = status == Status::ok;
    return status;
}

Status MoverPairs::remember_movers(const Call& call) noexcept {
    const Status status = keep_movers(call.resting.mover_bits().data());
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
    const std::size_t capacity = count + count / kMoversPerNewcomer + kEscapedMin;
    kept_ = {};
    if (!reserve_arrays(kept_memory_, [&](Arena& arena) {
            reserve_gathered(arena, capacity, kept_.grown);
            kept_.before = arena.reserve<Vec3>(capacity);
            kept_.escaped_bits = arena.reserve<std::uint64_t>(bit_word_count(capacity));
            kept_.regrown_bits = arena.reserve<std::uint64_t>(bit_word_count(capacity));
            kept_.regrown = arena.reserve<std::uint32_t>(capacity);
        })) {
        has_rows_ = false;
        return Status::out_of_memory;
    }
    kept_.capacity = capacity;
    newcomer_count_ = 0;
    std::copy(mover_bits, mover_bits + kept_bits_.size(), kept_bits_.data());
    for_each_bit(
        kept_bits_.size(), [&](std::size_t word) { return mover_bits[word]; },
        [&](std::size_t place) { kept_.grown.ids[kept_.grown.count++] = static_cast<std::uint32_t>(place); });
    // Nothing is within them until they are grown.
    const Aabb empty = Aabb::empty();
    const float corners[6] = {empty.min.x, empty.min.y, empty.min.z, empty.max.x, empty.max.y, empty.max.z};
    for (int column = 0; column < 6; ++column) {
        std::fill_n(kept_.grown.columns[column], kept_.grown.count, corners[column]);
    }
    return Status::ok;
}

template <class Visit>
void MoverPairs::for_each_newcomer(const Call& call, Visit&& visit) const noexcept {
    if (newcomer_count_ == 0) return;
    const std::uint64_t* const mover_bits = call.resting.mover_bits().data();
    for_each_bit(
        kept_bits_.size(), [&](std::size_t word) { return mover_bits[word] & ~kept_bits_.data()[word]; },
        visit);
}

void MoverPairs::look_through(const Call& call) noexcept {
    BROADSIDE_ZONE("world/look at movers");
    run_chunks(call.runner, kept_.grown.count, kMoversPerTask, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/look task");
        look_at(call, begin, end);
    });
    escaped_count_ = count_bits(kept_.escaped_bits, bit_word_count(kept_.grown.count));
    const std::uint64_t* const mover_bits = call.resting.mover_bits().data();
    std::uint64_t newcomers = 0;
    for (std::size_t word = 0; word < kept_bits_.size(); ++word) {
        newcomers |= mover_bits[word] & ~kept_bits_.data()[word];
    }
    newcomer_count_ = newcomers == 0 ? 0 : count_bits(mover_bits, kept_bits_.size()) - kept_.grown.count;
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
            const bool has_left = is_valid_box & !is_within;
            escaped |= std::uint64_t{has_left ? 1u : 0u} << k % 64;
            row = cache_row(box, is_valid_box);
        }
        kept.escaped_bits[word] = escaped;
    }
}

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

// Swept along its last step for so many calls. Of one that has just begun to move, none is known.
void MoverPairs::grow(const Call& call, std::size_t kept) noexcept {
    const Aabb box = call.boxes[kept_.grown.ids[kept]];
    const Vec3 step = box.min - kept_.before[kept];
    const float s = growth_.slack;
    const auto way = [&](float length) { return clamped(length * growth_.calls_ahead, growth_.limit); };
    const Vec3 ahead = {way(step.x), way(step.y), way(step.z)};
    const Vec3 below = {min_keep(ahead.x, 0.0f) - s, min_keep(ahead.y, 0.0f) - s,
                        min_keep(ahead.z, 0.0f) - s};
    const Vec3 above = {max_keep(ahead.x, 0.0f) + s, max_keep(ahead.y, 0.0f) + s,
                        max_keep(ahead.z, 0.0f) + s};
    const Aabb grown = is_valid(box) ? Aabb{box.min + below, box.max + above} : Aabb::empty();
    const float corners[6] = {grown.min.x, grown.min.y, grown.min.z, grown.max.x, grown.max.y, grown.max.z};
    for (int column = 0; column < 6; ++column) kept_.grown.columns[column][kept] = corners[column];
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
    const Status status = keep_movers(call.resting.mover_bits().data());
    if (status == Status::ok) look_at(call, 0, kept_.grown.count);
    return status;
}

Status MoverPairs::find_anew(const Call& call) noexcept {
    BROADSIDE_ZONE("world/movers anew");
    Status status = newcomer_count_ == 0 ? Status::ok : keep_newcomers(call);
    if (status != Status::ok) return status;
    growth_ = plan_growth(call);
    for (std::size_t k = 0; k < kept_.grown.count; ++k) grow(call, k);
    std::memset(kept_.regrown_bits, 0, bit_word_count(kept_.capacity) * sizeof(std::uint64_t));
    kept_.regrown_count = 0;
    resting_grown_.clear();
    added_.clear();
    candidates_.clear();
    status = add_beside(kept_.grown, call);
    if (status == Status::ok) status = add_among(kept_.grown, 0, call);
    if (status != Status::ok) return status;
    std::swap(candidates_, added_);
    first_candidate_count_ = candidates_.size();
    use_count_ = 0;
    const bool is_sorted = sort_pairs({candidates_.data(), candidates_.size()}, call.boxes.count,
                                      call.boxes.count, call.scratch.order);
    return is_sorted ? Status::ok : Status::out_of_memory;
}

// New boxes for those who left theirs, and for those who came, and the candidates of those.
Status MoverPairs::keep_up(const Call& call) noexcept {
    BROADSIDE_ZONE("world/keep up with movers");
    if (!resting_grown_.is_built()) {
        const Status status = resting_grown_.build(kept_.grown.view(), {}, call.runner);
        if (status != Status::ok) return status;
    }
    append_newcomers(call);
    Regrown regrown = {};
    if (!regrow(call, regrown)) return Status::out_of_memory;
    added_.clear();
    Status status = add_with_kept(regrown, call);
    if (status == Status::ok) status = add_among(regrown.boxes, regrown.first_new, call);
    GatheredBoxes news = regrown.boxes;
    for (float*& column : news.columns) column += regrown.first_new;
    news.ids += regrown.first_new;
    news.count -= regrown.first_new;
    if (status == Status::ok) status = add_beside(news, call);
    if (status != Status::ok) return status;
    const bool is_sorted =
        sort_pairs({added_.data(), added_.size()}, call.boxes.count, call.boxes.count, call.scratch.order);
    return is_sorted ? merge_added() : Status::out_of_memory;
}

void MoverPairs::append_newcomers(const Call& call) noexcept {
    const std::size_t first = kept_.grown.count;
    for_each_newcomer(call, [&](std::size_t place) {
        kept_.grown.ids[kept_.grown.count++] = static_cast<std::uint32_t>(place);
    });
    for (std::size_t k = first; k < kept_.grown.count; ++k) {
        const std::uint32_t place = kept_.grown.ids[k];
        if (k % 64 == 0) kept_.escaped_bits[k / 64] = 0;
        set_bit(kept_.escaped_bits, k);
        set_bit(kept_bits_, place);
        kept_.before[k] = min_corner(rows_[place]);
        rows_[place] = cache_row(call.boxes[place], is_valid(call.boxes[place]));
    }
    newcomer_count_ = 0;
}

// Those that were grown again earlier and stayed, then those that are grown now.
bool MoverPairs::regrow(const Call& call, Regrown& out_regrown) noexcept {
    const std::size_t word_count = bit_word_count(kept_.grown.count);
    const std::size_t most = kept_.regrown_count + count_bits(kept_.escaped_bits, word_count);
    GatheredBoxes& boxes = out_regrown.boxes;
    if (!reserve_arrays(regrown_memory_, [&](Arena& arena) {
            reserve_gathered(arena, most, boxes);
            out_regrown.numbers = arena.reserve<std::uint32_t>(most);
        })) {
        return false;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < kept_.regrown_count; ++i) {
        const std::uint32_t k = kept_.regrown[i];
        if (!has_bit(kept_.escaped_bits, k)) kept_.regrown[count++] = k;
    }
    out_regrown.first_new = count;
    for_each_bit(
        word_count, [&](std::size_t word) { return kept_.escaped_bits[word]; },
        [&](std::size_t k) {
            grow(call, k);
            set_bit(kept_.regrown_bits, k);
            kept_.regrown[count++] = static_cast<std::uint32_t>(k);
        });
    kept_.regrown_count = count;
    for (std::size_t i = 0; i < count; ++i) {
        gather(kept_.grown.view(), kept_.regrown[i], boxes);
        boxes.ids[i] = kept_.grown.ids[kept_.regrown[i]];
    }
    return true;
}

// With what rests, where a mover's record is void.
Status MoverPairs::add_beside(const GatheredBoxes& boxes, const Call& call) noexcept {
    PairFilter without_movers({}, {});
    without_movers.exclude_both(call.resting.mover_bits().data());
    PairWriter writer(found_, &without_movers);
    FindPairsResult unused;
    const Movers movers = {boxes, call.resting.mover_bits().data(), false, false};
    const Status status =
        find_pairs_with_resting(movers, call.resting.state(), call.runner, call.scratch, writer, unused);
    AlignedArray<IndexPair>& pairs = added_.storage();
    const std::size_t before = pairs.size();
    if (status != Status::ok || !pairs.resize(before + found_.size())) return Status::out_of_memory;
    std::copy(found_.begin(), found_.end(), pairs.data() + before);
    return Status::ok;
}

// Of those grown again now, with the movers whose grown boxes are those of the beginning.
Status MoverPairs::add_with_kept(const Regrown& regrown, const Call& call) noexcept {
    // In numbers above those of the kept ones.
    const auto first_number = static_cast<std::uint32_t>(kept_.grown.count);
    Movers movers = {regrown.boxes, kept_.regrown_bits, false, false};
    movers.boxes.count -= regrown.first_new;
    for (float*& column : movers.boxes.columns) column += regrown.first_new;
    movers.boxes.ids = regrown.numbers;
    for (std::uint32_t i = 0; i < movers.boxes.count; ++i) regrown.numbers[i] = first_number + i;
    PairWriter writer(found_, nullptr);
    FindPairsResult unused;
    const Status status =
        find_pairs_with_resting(movers, resting_grown_.state(), nullptr, call.scratch, writer, unused);
    if (status != Status::ok) return status;
    for (const IndexPair& pair : found_) {
        const std::uint32_t k = pair.first;
        if (has_bit(kept_.regrown_bits, k)) continue;
        const std::uint32_t other = regrown.boxes.ids[regrown.first_new + pair.second - first_number];
        if (!push_pair(added_, kept_.grown.ids[k], other)) return Status::out_of_memory;
    }
    return Status::ok;
}

// Of the boxes with each other, as far as one from `first_new` on is in it.
Status MoverPairs::add_among(const GatheredBoxes& boxes, std::size_t first_new, const Call& call) noexcept {
    const FindPairsSettings settings = {.order = PairOrder::by_algorithm, .runner = call.runner};
    const Status status = find_pairs(boxes.view(), settings, call.scratch, found_).status;
    if (status != Status::ok) return status;
    for (const IndexPair& pair : found_) {
        if (pair.second < first_new) continue;
        if (!push_pair(added_, boxes.ids[pair.first], boxes.ids[pair.second])) return Status::out_of_memory;
    }
    return Status::ok;
}

// Some are candidates already; the others are put where they belong, from the end, in place.
Status MoverPairs::merge_added() noexcept {
    AlignedArray<IndexPair>& pairs = candidates_.storage();
    AlignedArray<IndexPair>& added = added_.storage();
    if (!added_places_.resize(added.size())) return Status::out_of_memory;
    std::size_t left = 0;
    std::size_t place = 0;
    for (const IndexPair& pair : added) {
        place = first_not_below({pairs.data(), pairs.size()}, place, pair);
        added_places_[left] = place;
        added[left] = pair;
        left += place == pairs.size() || pairs[place] != pair ? 1u : 0u;
    }
    std::size_t end = pairs.size();
    if (!pairs.reserve_to_append(left) || !pairs.resize(end + left)) return Status::out_of_memory;
    for (; left != 0; --left) {
        const std::size_t begin = added_places_[left - 1];
        std::memmove(pairs.data() + begin + left, pairs.data() + begin, (end - begin) * sizeof(IndexPair));
        pairs[begin + left - 1] = added[left - 1];
        end = begin;
    }
    return Status::ok;
}

Status MoverPairs::test_candidates(const Call& call, PairBuffer& out_pairs) noexcept {
    BROADSIDE_ZONE("world/test candidates");
    AlignedArray<IndexPair>& out = out_pairs.storage();
    const std::size_t count = candidates_.size();
    const std::size_t task_count = (count + kCandidatesPerTask - 1) / kCandidatesPerTask;
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    if (!out.resize(count) || !candidates_kept_.resize(task_count)) return Status::out_of_memory;
    run_chunks(call.runner, count, kCandidatesPerTask, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/test task");
        candidates_kept_.data()[begin / kCandidatesPerTask] = kernels.keep_overlapping(
            rows_.data(), candidates_.data() + begin, end - begin, out.data() + begin);
    });
    std::size_t kept = 0;
    for (std::size_t task = 0; task < task_count; ++task) {
        if (kept != task * kCandidatesPerTask) {
            std::memmove(out.data() + kept, out.data() + task * kCandidatesPerTask,
                         candidates_kept_[task] * sizeof(IndexPair));
        }
        kept += candidates_kept_[task];
    }
    (void)out.resize(kept);
    return Status::ok;
}

}  // namespace broadside::broadphase
