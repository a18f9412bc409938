// The boxes of a region grown anew, those that left their grown boxes, and the candidates of both.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace broadside::broadphase {
namespace {

// Few of a region have moved since they were grown: they are looked up one by one, and what is known of the
// others stays.
constexpr std::size_t kMembersPerStale = 5;
constexpr std::size_t kRowsAhead = 8;
// Boxes are looked up in tasks from two such on, with room for so many candidates a box in each.
constexpr std::size_t kLookUpsPerTask = 64;
constexpr std::size_t kLookUpTasks = 16;
constexpr std::size_t kRoomPerLookUp = 24;

}  // namespace

// Swept along its last step for as long as it is to last.
Aabb StaggeredPairs::grown_box(std::uint32_t box) const noexcept {
    const Aabb now = box_in_row(next_rows_.data()[box]);
    const CellRecord& before = rows_.data()[box];
    const Vec3 step = is_box(before) ? now.min - box_in_row(before).min : Vec3{0, 0, 0};
    const float s = growth_.slack;
    // Without branches: which way a box goes is a coin toss.
    const auto ahead = [&](float length) {
        const float by = length * growth_.calls;
        return absolute(length) <= growth_.limit ? max_keep(min_keep(by, growth_.limit), -growth_.limit)
                                                 : 0.0f;
    };
    const Vec3 way = {ahead(step.x), ahead(step.y), ahead(step.z)};
    const Vec3 below = {(way.x - absolute(way.x)) * 0.5f - s, (way.y - absolute(way.y)) * 0.5f - s,
                        (way.z - absolute(way.z)) * 0.5f - s};
    const Vec3 above = {(way.x + absolute(way.x)) * 0.5f + s, (way.y + absolute(way.y)) * 0.5f + s,
                        (way.z + absolute(way.z)) * 0.5f + s};
    return {now.min + below, now.max + above};
}

bool StaggeredPairs::is_large(const Aabb& grown) const noexcept {
    const Vec3 extent = size(grown);
    return !(max_keep(extent.x, max_keep(extent.y, extent.z)) <= growth_.large);
}

bool StaggeredPairs::keep(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key) noexcept {
    NewCandidate candidate;
    return !is_candidate(call, a, b, key, candidate) || new_candidates_.push_back(candidate);
}

bool StaggeredPairs::is_candidate(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key,
                                  NewCandidate& out_candidate) noexcept {
    out_candidate = {{a < b ? a : b, a < b ? b : a}, key};
    const IndexPair& pair = out_candidate.pair;
    return call.may_pair == nullptr || call.may_pair(call.user, pair.first, pair.second);
}

// All that its grown box meets, with the region of the other one as the key, or this one. Of two that have
// moved in the region in which all such are looked up, it is the lower one that finds the pair.
template <class Keep>
void StaggeredPairs::look_up(const LookUp& what, std::uint32_t box, std::uint32_t question,
                             Keep&& keep) const noexcept {
    const std::uint32_t key = what.by_own_region ? regions_.region_of(box) : GrownRegions::kNone;
    regions_.for_each_meeting(
        *simd::active_kernels<PairCacheKernels>(), box_in_row(regions_.rows()[box]),
        [&](std::uint32_t position, std::uint32_t at) {
            const std::uint32_t other = regions_.box_at(position);
            if (other == box) return;
            if (other < box && at == what.region && has_bit(stale_bits_, other)) return;
            keep(box, other, key == GrownRegions::kNone ? at : key);
        },
        question);
}

// In tasks where there are many: each has room for so many candidates, and where that is not enough, one thread
// does all.
bool StaggeredPairs::look_up_each(const Call& call, const LookUp& what,
                                  std::span<const std::uint32_t> boxes) noexcept {
    const std::size_t begin = new_candidates_.size();
    const auto task_count =
        static_cast<std::uint32_t>(std::min(boxes.size() / kLookUpsPerTask, kLookUpTasks));
    const std::size_t room = task_count == 0 ? 0 : (boxes.size() / task_count + 1) * kRoomPerLookUp;
    if (worker_count(call.runner) > 1 && task_count > 1 && regions_.reserve_questions(task_count) &&
        resize_amply(new_candidates_, begin + task_count * room)) {
        std::size_t counts[kLookUpTasks];
        run_tasks(call.runner, task_count, [&](std::uint32_t task) {
            BROADSIDE_ZONE("world/look up task");
            NewCandidate* const out_candidates = new_candidates_.data() + begin + task * room;
            std::size_t count = 0;
            for (std::size_t i = boxes.size() * task / task_count; i < boxes.size() * (task + 1) / task_count;
                 ++i) {
                look_up(what, boxes[i], task, [&](std::uint32_t box, std::uint32_t other, std::uint32_t key) {
                    NewCandidate candidate;
                    if (!is_candidate(call, box, other, key, candidate)) return;
                    if (count < room) out_candidates[count] = candidate;
                    ++count;
                });
            }
            counts[task] = count;
        });
        std::size_t end = begin;
        bool is_whole = true;
        for (std::uint32_t task = 0; task < task_count; ++task) {
            is_whole &= counts[task] <= room;
            if (!is_whole) break;
            std::memmove(new_candidates_.data() + end, new_candidates_.data() + begin + task * room,
                         counts[task] * sizeof(NewCandidate));
            end += counts[task];
        }
        (void)new_candidates_.resize(is_whole ? end : begin);
        if (is_whole) return true;
    }
    bool has_memory = true;
    for (const std::uint32_t each : boxes) {
        look_up(what, each, 0, [&](std::uint32_t box, std::uint32_t other, std::uint32_t key) {
            has_memory = keep(call, box, other, key) && has_memory;
        });
        if (!has_memory) return false;
    }
    return true;
}

// What has left its grown box gets a new one, and its candidates.
bool StaggeredPairs::regrow_escaped(const Call& call, std::uint32_t due) noexcept {
    if (escaped_count_ == 0) return !is_incomplete_;
    BROADSIDE_ZONE("world/keep up with movers");
    if (!resize_amply(members_, 2 * escaped_count_)) return false;
    std::uint32_t* const escaped = members_.data();
    std::size_t count = 0;
    for_each_bit(
        escaped_bits_.size(), [&](std::size_t word) { return escaped_bits_.data()[word]; },
        [&](std::size_t box) {
            escaped[count++] = static_cast<std::uint32_t>(box);
            regions_.prefetch_position(static_cast<std::uint32_t>(box));
        });
    std::size_t ends[GrownRegions::kRegionMax + 1] = {};
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t box = escaped[i];
        const std::uint32_t ahead = escaped[std::min(i + kRowsAhead, count - 1)];
        regions_.prefetch(ahead);
        __builtin_prefetch(rows_.data() + ahead);
        if (regions_.region_of(box) == due) continue;
        const Aabb grown = grown_box(box);
        regions_.set_row(box, cache_row(grown, true));
        set_bit(stale_bits_, box, false);
        if (!regions_.move(box, grown)) return false;
        escaped[kept++] = box;
        ++ends[regions_.region_of(box) + 1];
    }
    // One region after the other, whose boxes are near in memory.
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) ends[r + 1] += ends[r];
    std::uint32_t* const by_region = escaped + escaped_count_;
    for (std::size_t i = 0; i < kept; ++i) by_region[ends[regions_.region_of(escaped[i])]++] = escaped[i];
    return look_up_each(call, {true, GrownRegions::kNone}, {by_region, kept}) && append_to_tails() &&
           !is_incomplete_;
}

// Where few have moved since they were grown, those are looked up, and the candidates of the others stay; else
// all are grown, and one search finds theirs.
bool StaggeredPairs::renew(const Call& call, std::uint32_t region) noexcept {
    BROADSIDE_ZONE("world/renew");
    new_candidates_.clear();
    stale_.clear();
    if (!list_members(region) || !reserve_amply(stale_, members_.size())) return false;
    for (const std::uint32_t box : members_) {
        if (has_bit(stale_bits_, box)) (void)stale_.push_back(box);
    }
    const bool are_few = stale_.size() * kMembersPerStale <= members_.size();
    const bool is_good = are_few ? renew_few(call, region) : renew_all(call, region);
    for (const std::uint32_t box : stale_) set_bit(stale_bits_, box, false);
    return is_good && write_new_list(region);
}

bool StaggeredPairs::list_members(std::uint32_t region) noexcept {
    return resize_amply(members_, regions_.position_count(region)) &&
           members_.resize(regions_.list(region, members_.data()));
}

bool StaggeredPairs::renew_few(const Call& call, std::uint32_t region) noexcept {
    for (const std::uint32_t box : stale_) regions_.set_row(box, cache_row(Aabb::empty(), false));
    if (!keep_valid(region)) return false;
    for (const std::uint32_t box : stale_) {
        if (!is_box(next_rows_.data()[box])) {
            regions_.drop(box);
            continue;
        }
        const Aabb grown = grown_box(box);
        regions_.set_row(box, cache_row(grown, true));
        if (!regions_.move(box, grown)) return false;
    }
    if (regions_.is_worn(region) && !repack(region)) return false;
    // What is no box any more has a row that meets nothing.
    return look_up_each(call, {false, region}, {stale_.data(), stale_.size()});
}

// The members that are boxes: in front those to be put together, with their bounds, and behind those that are
// `is_apart(box, grown)`, which writes the grown box. Answers how many are in front.
template <class IsApart>
std::size_t StaggeredPairs::part_members(Aabb& state_bounds, IsApart&& is_apart) noexcept {
    std::size_t count = 0;
    std::size_t apart_begin = members_.size();
    std::size_t end = members_.size();
    for (std::size_t i = 0; i < apart_begin; ++i) {
        const std::uint32_t box = members_[i];
        // Rows are anywhere in memory.
        const std::uint32_t ahead = members_[std::min(i + kRowsAhead, members_.size() - 1)];
        __builtin_prefetch(rows_.data() + ahead);
        __builtin_prefetch(next_rows_.data() + ahead);
        __builtin_prefetch(regions_.rows() + ahead, 1);
        Aabb grown;
        const bool is_alone = is_apart(box, grown);
        if (!is_box(next_rows_.data()[box])) {
            regions_.forget(box);
        } else if (is_alone) {
            std::swap(members_[i--], members_[--apart_begin]);
        } else {
            state_bounds = include(state_bounds, grown);
            members_[count++] = box;
        }
    }
    std::copy(members_.begin() + apart_begin, members_.begin() + end, members_.begin() + count);
    (void)members_.resize(count + end - apart_begin);
    return count;
}

// What is moved one by one leaves its leaves large, and holes behind.
bool StaggeredPairs::repack(std::uint32_t region) noexcept {
    if (!list_members(region)) return false;
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = box_in_row(regions_.rows()[box]);
        return is_large(out_grown);
    });
    near_.clear();
    GatheredBoxes boxes;
    return gather_members(count, boxes) && regions_.put(region, boxes, bounds) && move_members_from(count);
}

bool StaggeredPairs::renew_all(const Call& call, std::uint32_t region) noexcept {
    const Aabb place = regions_.bounds(region);
    // When they are grown for the first time, they are anywhere in the space of the region.
    const bool has_place = is_known_;
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = grown_box(box);
        regions_.set_row(box, cache_row(out_grown, is_box(next_rows_.data()[box])));
        return is_large(out_grown) || (has_place && !overlap(place, out_grown));
    });
    near_.clear();
    bool is_good = true;
    regions_.for_each_meeting(
        *simd::active_kernels<PairCacheKernels>(), bounds,
        [&](std::uint32_t position, std::uint32_t) { is_good = near_.push_back(position) && is_good; });
    GatheredBoxes boxes;
    if (!is_good || !gather_members(count, boxes)) return false;
    GatheredBoxes members = boxes;
    members.count = count;
    if (!regions_.put(region, members, bounds) || !move_members_from(count) || !search(call, boxes, count))
        return false;
    return look_up_each(call, {false, GrownRegions::kNone},
                        {members_.data() + count, members_.size() - count});
}

bool StaggeredPairs::move_members_from(std::size_t first) noexcept {
    bool is_good = true;
    for (std::size_t i = first; i < members_.size(); ++i) {
        regions_.forget(members_[i]);
        is_good = regions_.move(members_[i], box_in_row(regions_.rows()[members_[i]])) && is_good;
    }
    return is_good;
}

// The first ones of the members, and behind them what is near.
bool StaggeredPairs::gather_members(std::size_t member_count, GatheredBoxes& out_boxes) noexcept {
    const std::size_t count = member_count + near_.size();
    if (count > gathered_most_) gathered_most_ = count + count / 2;
    if (!reserve_arrays(gathered_memory_,
                        [&](Arena& arena) { reserve_gathered(arena, gathered_most_, out_boxes); })) {
        return false;
    }
    const auto append = [&](std::uint32_t box, const Aabb& grown) {
        const float corners[6] = {grown.min.x, grown.min.y, grown.min.z,
                                  grown.max.x, grown.max.y, grown.max.z};
        for (int column = 0; column < 6; ++column)
            out_boxes.columns[column][out_boxes.count] = corners[column];
        out_boxes.ids[out_boxes.count++] = box;
    };
    for (std::size_t i = 0; i < member_count; ++i)
        append(members_[i], box_in_row(regions_.rows()[members_[i]]));
    for (const std::uint32_t position : near_) append(regions_.box_at(position), regions_.grown_at(position));
    return true;
}

// The candidates of a region whose grown boxes still meet, for its new list. Those of boxes whose row is none
// are dropped.
bool StaggeredPairs::keep_valid(std::uint32_t region) noexcept {
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    bool has_memory = true;
    const auto keep_of = [&](const Segment& segment) {
        const std::size_t words = bit_word_count(segment.count);
        has_memory = has_memory && resize_amply(subset_bits_, words) &&
                     reserve_amply(new_candidates_, new_candidates_.size() + segment.count);
        if (!has_memory) return;
        const IndexPair* const pairs = candidates_.begin() + segment.begin;
        kernels.mark_overlapping(regions_.rows(), pairs, segment.count, are_far(), subset_bits_.data());
        for_each_bit(
            words, [&](std::size_t word) { return subset_bits_.data()[word]; },
            [&](std::size_t k) {
                const std::uint32_t first_region = regions_.region_of(pairs[k].first);
                const std::uint32_t key =
                    first_region == region ? regions_.region_of(pairs[k].second) : first_region;
                (void)new_candidates_.push_back({pairs[k], key});
            });
    };
    for_each_segment_of(slices_[region], keep_of);
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) {
        const std::uint32_t slice = slices_[r];
        if (r != region && (used_keys_[slice] >> region & 1) != 0) keep_of(list(slice)[region]);
    }
    return has_memory;
}

// The pairs of the first ones with each other and with those behind.
bool StaggeredPairs::search(const Call& call, const GatheredBoxes& boxes, std::size_t member_count) noexcept {
    if (member_count == 0) return true;
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    settings.order = PairOrder::by_algorithm;
    settings.runner = call.runner;
    if (find_pairs(boxes.view(), settings, call.scratch, found_).status != Status::ok) return false;
    const std::size_t before = new_candidates_.size();
    if (!resize_amply(new_candidates_, before + found_.size())) return false;
    NewCandidate* out = new_candidates_.data() + before;
    for (const IndexPair& found : found_) {
        const std::uint32_t a = boxes.ids[found.first];
        const std::uint32_t b = boxes.ids[found.second];
        const IndexPair pair = {a < b ? a : b, a < b ? b : a};
        *out = {pair, regions_.region_of(b)};
        // Pairs of two behind are known; to leave them out of the search costs more than to drop them.
        out += (found.first < member_count) &
                       (call.may_pair == nullptr || call.may_pair(call.user, pair.first, pair.second))
                   ? 1
                   : 0;
    }
    return new_candidates_.resize(static_cast<std::size_t>(out - new_candidates_.data()));
}

}  // namespace broadside::broadphase
