// Grows the boxes of a region anew, and boxes that left their grown boxes, and finds the candidates of both.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
namespace {

constexpr std::size_t kRowsAhead = 8;
// Words of bits in which kept candidates are marked at a time.
constexpr std::size_t kKeptWords = 64;

}  // namespace

// The box swept along its last step over the updates that it should last.
Aabb StaggeredPairs::grown_box(std::uint32_t box) const noexcept {
    const Aabb now = box_in_row(next_rows_.data()[box]);
    const CellRecord& before = rows_.data()[box];
    const Vec3 step = is_box(before) ? now.min - box_in_row(before).min : Vec3{0, 0, 0};
    const bool is_known = is_box(before) && absolute(step.x) <= growth_.limit &&
                          absolute(step.y) <= growth_.limit && absolute(step.z) <= growth_.limit;
    const float s = is_known ? growth_.slack : growth_.unknown;
    // Without branches: the direction of a box is a coin toss.
    const auto ahead = [&](float length) {
        const float by = length * growth_.calls;
        return is_known ? max_keep(min_keep(by, growth_.limit), -growth_.limit) : 0.0f;
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

bool StaggeredPairs::is_candidate(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key,
                                  NewCandidates::Candidate& out_candidate) noexcept {
    out_candidate = {{a < b ? a : b, a < b ? b : a}, key};
    const IndexPair& pair = out_candidate.pair;
    return call.may_pair == nullptr || call.may_pair(call.user, pair.first, pair.second);
}

// Finds all boxes whose grown box meets this one's, with their region as the key, or this box's region.
// Of two moved boxes in the region in which all such are looked up, the lower one finds the pair.
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

// In tasks if there are many. Each has room for `room` candidates; a task that needs more runs again.
bool StaggeredPairs::look_up_each(const Call& call, const LookUp& what,
                                  std::span<const std::uint32_t> boxes) noexcept {
    if (boxes.empty()) return true;
    const auto most = static_cast<std::uint32_t>(
        std::min<std::size_t>(boxes.size() / thresholds().tasks.look_ups_per_task, std::size_t{kStepTasks}));
    const bool is_shared = worker_count(call.runner) > 1 && most > 1 && regions_.reserve_questions(most);
    const std::uint32_t task_count = is_shared ? most : 1;
    // Uses all present memory, because what was needed before is likely to be needed again.
    const std::size_t room = std::max((boxes.size() / task_count + 1) * thresholds().tasks.room_per_look_up,
                                      new_candidates_.spare_capacity() / task_count);
    NewCandidates::List* const lists = new_candidates_.open(task_count, task_count * room);
    if (lists == nullptr) return false;
    const auto run = [&](std::uint32_t task, std::size_t room_there) {
        NewCandidates::List& found = lists[task];
        found.count = 0;
        const std::size_t end = part_begin(boxes.size(), task + 1, task_count);
        for (std::size_t i = part_begin(boxes.size(), task, task_count); i < end; ++i) {
            look_up(what, boxes[i], task, [&](std::uint32_t box, std::uint32_t other, std::uint32_t key) {
                NewCandidates::Candidate candidate;
                if (!is_candidate(call, box, other, key, candidate)) return;
                // With one task, the list at the end grows.
                if (found.count == room_there && task_count == 1 &&
                    new_candidates_.grow(found.begin + 2 * room_there)) {
                    room_there *= 2;
                }
                if (found.count < room_there) new_candidates_.begin_of(found)[found.count] = candidate;
                ++found.count;
            });
        }
        return found.count <= room_there;
    };
    bool are_whole[kStepTasks];
    run_tasks(call.runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/look up task");
        are_whole[task] = run(task, room);
    });
    std::uint32_t again[kStepTasks];
    std::uint32_t again_count = 0;
    for (std::uint32_t task = 0; task < task_count; ++task) {
        if (are_whole[task]) continue;
        again[again_count++] = task;
        lists[task].begin = new_candidates_.size();
        if (!new_candidates_.grow(new_candidates_.size() + lists[task].count)) return false;
    }
    run_tasks(call.runner, again_count, [&](std::uint32_t k) {
        BROADSIDE_ZONE("world/look up task");
        (void)run(again[k], lists[again[k]].count);
    });
    return true;
}

// Grows boxes anew and puts them where they belong, one region after the other. The candidates of a box are
// written in one place, once an update: those of regions that are due in this update are left to the renewal.
// Boxes in a due region stay as they are; boxes that come there are put there, still to be renewed. The list
// of the others is at the end of `boxes`, which has room for three times `count`. False if a region is full.
bool StaggeredPairs::regrow(const Call& call, std::uint64_t due, std::uint32_t* boxes, std::size_t count,
                            std::span<const std::uint32_t>& out_grown) noexcept {
    const auto is_due = [&](std::uint32_t box) {
        const std::uint32_t region = regions_.region_of(box);
        return region != GrownRegions::kNone && (due >> region & 1) != 0;
    };
    // The target region of each box; none for those that are left out.
    std::uint32_t* const targets = boxes + count;
    const std::uint32_t task_count = step_tasks(call.runner, count, thresholds().tasks.boxes_per_regrow_task);
    run_tasks(call.runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        const std::size_t end = part_begin(count, task + 1, task_count);
        for (std::size_t i = part_begin(count, task, task_count); i < end; ++i) {
            const std::uint32_t box = boxes[i];
            const std::uint32_t ahead = boxes[std::min(i + kRowsAhead, end - 1)];
            regions_.prefetch(ahead);
            __builtin_prefetch(rows_.data() + ahead);
            targets[i] = GrownRegions::kNone;
            if (is_due(box) || !is_box(next_rows_.data()[box])) continue;
            const Aabb grown = grown_box(box);
            regions_.set_row(box, cache_row(grown, true));
            targets[i] = regions_.region_for(grown);
        }
    });
    const std::uint32_t regions = regions_.region_count();
    std::size_t ends[GrownRegions::kRegionMax + 1] = {};
    for (std::size_t i = 0; i < count; ++i) {
        if (targets[i] == GrownRegions::kNone) continue;
        // No box is then in the way of those of another region.
        regions_.leave(boxes[i], targets[i]);
        ++ends[targets[i] + 1];
    }
    for (std::uint32_t r = 0; r < regions; ++r) ends[r + 1] += ends[r];
    std::uint32_t* const by_region = targets + count;
    const std::size_t moved_count = ends[regions];
    for (std::size_t i = 0; i < count; ++i)
        if (targets[i] != GrownRegions::kNone) by_region[ends[targets[i]]++] = boxes[i];
    bool are_in[GrownRegions::kRegionMax];
    run_tasks(task_count > 1 ? call.runner : nullptr, regions, [&](std::uint32_t r) {
        BROADSIDE_ZONE("world/renew task");
        are_in[r] = true;
        for (std::size_t i = r == 0 ? 0 : ends[r - 1]; i < ends[r]; ++i) {
            are_in[r] =
                regions_.move(by_region[i], box_in_row(regions_.rows()[by_region[i]]), r) && are_in[r];
        }
    });
    if (std::find(are_in, are_in + regions, false) != are_in + regions) return false;
    out_grown = {by_region, static_cast<std::size_t>(
                                std::remove_if(by_region, by_region + moved_count, is_due) - by_region)};
    return true;
}

// Gives boxes that have left their grown box a new one, and finds its candidates.
bool StaggeredPairs::regrow_escaped(const Call& call, std::uint64_t due) noexcept {
    if (escaped_count_ == 0) return !is_incomplete_;
    BROADSIDE_ZONE("world/keep up with movers");
    if (!resize_amply(work_.members, 3 * escaped_count_)) return false;
    std::uint32_t* const escaped = work_.members.data();
    std::size_t count = 0;
    for_each_bit(
        escaped_bits_.size(), [&](std::size_t word) { return escaped_bits_.data()[word]; },
        [&](std::size_t box) {
            escaped[count++] = static_cast<std::uint32_t>(box);
            regions_.prefetch_position(static_cast<std::uint32_t>(box));
        });
    std::span<const std::uint32_t> grown;
    if (!regrow(call, due, escaped, count, grown)) return false;
    for (const std::uint32_t box : grown) set_bit(stale_bits_, box, false);
    const bool has_memory = look_up_each(call, {true, GrownRegions::kNone}, grown) &&
                            lists_.append_to_tails(new_candidates_, call.runner);
    if (has_memory) new_candidates_.clear();
    return has_memory && !is_incomplete_;
}

// If few boxes have moved since they were grown, looks those up, and keeps the candidates of the others. Else
// grows all boxes, and finds their candidates by one search.
bool StaggeredPairs::renew(const Call& call, std::uint32_t region) noexcept {
    BROADSIDE_ZONE("world/renew");
    new_candidates_.clear();
    if (!list_members(region, call.runner)) return false;
    const bool are_few =
        work_.stale.size() * thresholds().candidates.members_per_stale <= work_.members.size();
    const bool is_good = are_few ? renew_few(call, region) : renew_all(call, region);
    for (const std::uint32_t box : work_.stale) set_bit(stale_bits_, box, false);
    return is_good && lists_.write_new_list(region, new_candidates_, call.runner);
}

// Lists the boxes of a region, and those of them that have moved since they were grown.
bool StaggeredPairs::list_members(std::uint32_t region, const TaskRunner* runner) noexcept {
    const std::size_t position_count = regions_.position_count(region);
    if (!resize_amply(work_.members, position_count) || !resize_amply(work_.stale, position_count))
        return false;
    const std::uint32_t task_count = step_tasks(runner, position_count, thresholds().tasks.items_per_task);
    std::size_t member_counts[kStepTasks];
    std::size_t stale_counts[kStepTasks];
    const auto begin_of = [&](std::uint32_t task) { return part_begin(position_count, task, task_count); };
    run_tasks(runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        std::uint32_t* const members = work_.members.data() + begin_of(task);
        std::uint32_t* const stale = work_.stale.data() + begin_of(task);
        member_counts[task] = regions_.list(region, begin_of(task), begin_of(task + 1), members);
        std::size_t stale_count = 0;
        for (std::size_t k = 0; k < member_counts[task]; ++k) {
            stale[stale_count] = members[k];
            stale_count += has_bit(stale_bits_.data(), members[k]) ? 1u : 0u;
        }
        stale_counts[task] = stale_count;
    });
    const auto close_up = [&](AlignedArray<std::uint32_t>& state_list, const std::size_t* counts) {
        std::uint32_t* end = state_list.data() + counts[0];
        for (std::uint32_t task = 1; task < task_count; ++task)
            end = std::copy_n(state_list.data() + begin_of(task), counts[task], end);
        return state_list.resize(static_cast<std::size_t>(end - state_list.data()));
    };
    return close_up(work_.members, member_counts) && close_up(work_.stale, stale_counts);
}

bool StaggeredPairs::renew_few(const Call& call, std::uint32_t region) noexcept {
    for (const std::uint32_t box : work_.stale) regions_.set_row(box, cache_row(Aabb::empty(), false));
    if (!keep_valid(call, region)) return false;
    // A box that has become invalid has a row that meets nothing.
    for (const std::uint32_t box : work_.stale)
        if (!is_box(next_rows_.data()[box])) regions_.drop(box);
    const std::size_t count = work_.stale.size();
    std::span<const std::uint32_t> grown;
    if (!resize_amply(work_.members, 3 * count)) return false;
    std::copy(work_.stale.begin(), work_.stale.end(), work_.members.begin());
    if (!regrow(call, 0, work_.members.data(), count, grown)) return false;
    if (regions_.is_worn(region)) {
        // This overwrites the list of `grown`.
        if (!repack(region, call.runner)) return false;
        grown = {work_.stale.data(), work_.stale.size()};
    }
    return look_up_each(call, {false, region}, grown);
}

// Keeps the members that are boxes: in front those to be put together, with their bounds, and behind those
// for which `is_apart(box, grown)` is true; it writes the grown box. Returns how many are in front.
template <class IsApart>
std::size_t StaggeredPairs::part_members(const TaskRunner* runner, Aabb& state_bounds,
                                         IsApart&& is_apart) noexcept {
    // The part of one task: boxes in front at its begin, the others at its end.
    struct Part {
        Aabb bounds;
        std::size_t begin;
        std::size_t front_end;
        std::size_t apart_begin;
        std::size_t end;
    };
    Part parts[kStepTasks];
    const std::uint32_t task_count =
        step_tasks(runner, work_.members.size(), thresholds().tasks.items_per_task);
    std::uint32_t* const members = work_.members.data();
    run_tasks(runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        const std::size_t begin = part_begin(work_.members.size(), task, task_count);
        const std::size_t end = part_begin(work_.members.size(), task + 1, task_count);
        std::size_t front_end = begin;
        std::size_t apart_begin = end;
        Aabb bounds = Aabb::empty();
        for (std::size_t i = begin; i < apart_begin; ++i) {
            const std::uint32_t box = members[i];
            // Prefetched, because rows are anywhere in memory.
            const std::uint32_t ahead = members[std::min(i + kRowsAhead, end - 1)];
            __builtin_prefetch(rows_.data() + ahead);
            __builtin_prefetch(next_rows_.data() + ahead);
            __builtin_prefetch(regions_.rows() + ahead, 1);
            Aabb grown;
            const bool is_alone = is_apart(box, grown);
            if (!is_box(next_rows_.data()[box])) {
                regions_.forget(box);
            } else if (is_alone) {
                std::swap(members[i--], members[--apart_begin]);
            } else {
                bounds = include(bounds, grown);
                members[front_end++] = box;
            }
        }
        parts[task] = {bounds, begin, front_end, apart_begin, end};
    });
    std::size_t front_end = 0;
    std::size_t end = 0;
    for (std::uint32_t task = 0; task < task_count; ++task) {
        const Part& part = parts[task];
        state_bounds = include(state_bounds, part.bounds);
        const auto append = [&](std::size_t begin, std::size_t part_end) {
            if (begin != end) std::copy(members + begin, members + part_end, members + end);
            end += part_end - begin;
        };
        const std::size_t apart_end = end;
        append(part.begin, part.front_end);
        std::rotate(members + front_end, members + apart_end, members + end);
        front_end += part.front_end - part.begin;
        append(part.apart_begin, part.end);
    }
    (void)work_.members.resize(end);
    return front_end;
}

// Boxes that were moved one by one have left their leaves large, and holes behind.
bool StaggeredPairs::repack(std::uint32_t region, const TaskRunner* runner) noexcept {
    const std::size_t position_count = regions_.position_count(region);
    if (!resize_amply(work_.members, position_count)) return false;
    (void)work_.members.resize(regions_.list(region, 0, position_count, work_.members.data()));
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(runner, bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = box_in_row(regions_.rows()[box]);
        return is_large(out_grown);
    });
    work_.near.clear();
    GatheredBoxes boxes;
    return gather_members(count, runner, boxes) && regions_.put(region, boxes, bounds, runner) &&
           move_members_from(count);
}

bool StaggeredPairs::renew_all(const Call& call, std::uint32_t region) noexcept {
    const Aabb place = regions_.bounds(region);
    // Boxes that are grown for the first time are anywhere in the space of the region.
    const bool has_place = is_known_;
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(call.runner, bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = grown_box(box);
        regions_.set_row(box, cache_row(out_grown, is_box(next_rows_.data()[box])));
        return is_large(out_grown) || (has_place && !overlap(place, out_grown));
    });
    work_.near.clear();
    if (!resize_amply(work_.gathered_regions, count)) return false;
    std::fill_n(work_.gathered_regions.data(), count, static_cast<std::uint8_t>(region));
    bool is_good = true;
    regions_.for_each_meeting(
        *simd::active_kernels<PairCacheKernels>(), bounds, [&](std::uint32_t position, std::uint32_t at) {
            is_good = work_.near.push_back(position) &&
                      work_.gathered_regions.push_back(static_cast<std::uint8_t>(at)) && is_good;
        });
    GatheredBoxes boxes;
    if (!is_good || !gather_members(count, call.runner, boxes)) return false;
    GatheredBoxes members = boxes;
    members.count = count;
    if (!regions_.put(region, members, bounds, call.runner)) return false;
    for (const std::uint32_t i : regions_.put_elsewhere())
        work_.gathered_regions[i] = static_cast<std::uint8_t>(regions_.region_of(work_.members[i]));
    return move_members_from(count) && search(call, boxes, count) &&
           look_up_each(call, {false, GrownRegions::kNone},
                        {work_.members.data() + count, work_.members.size() - count});
}

bool StaggeredPairs::move_members_from(std::size_t first) noexcept {
    bool is_good = true;
    for (std::size_t i = first; i < work_.members.size(); ++i) {
        regions_.forget(work_.members[i]);
        is_good = regions_.move(work_.members[i], box_in_row(regions_.rows()[work_.members[i]])) && is_good;
    }
    return is_good;
}

// Gathers the first members, and behind them the near boxes.
bool StaggeredPairs::gather_members(std::size_t member_count, const TaskRunner* runner,
                                    GatheredBoxes& out_boxes) noexcept {
    const std::size_t count = member_count + work_.near.size();
    if (count > work_.gathered_most) work_.gathered_most = count + count / 2;
    if (!reserve_arrays(work_.gathered_memory,
                        [&](Arena& arena) { reserve_gathered(arena, work_.gathered_most, out_boxes); })) {
        return false;
    }
    out_boxes.count = count;
    const auto put = [&](std::size_t i, std::uint32_t box, const Aabb& grown) {
        const float corners[6] = {grown.min.x, grown.min.y, grown.min.z,
                                  grown.max.x, grown.max.y, grown.max.z};
        for (int column = 0; column < 6; ++column) out_boxes.columns[column][i] = corners[column];
        out_boxes.ids[i] = box;
    };
    const std::uint32_t task_count = step_tasks(runner, count, thresholds().tasks.items_per_task);
    run_tasks(runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        const std::size_t end = part_begin(count, task + 1, task_count);
        std::size_t i = part_begin(count, task, task_count);
        for (; i < std::min(end, member_count); ++i)
            put(i, work_.members[i], box_in_row(regions_.rows()[work_.members[i]]));
        for (; i < end; ++i) {
            const std::uint32_t position = work_.near[i - member_count];
            put(i, regions_.box_at(position), regions_.grown_at(position));
        }
    });
    return true;
}

// Keeps, in its new list, the candidates of a region whose grown boxes still meet. Drops those of boxes
// without a row, and those that newcomers have from the objects before them. While regions are grown for the
// first time, drop_voids has removed the latter, and candidates of newcomers are of this update.
bool StaggeredPairs::keep_valid(const Call& call, std::uint32_t region) noexcept {
    const std::uint64_t* const reborn_bits = is_known_ ? call.reborn_bits : nullptr;
    Segment segments[2 * GrownRegions::kRegionMax + 1];
    std::size_t segment_count = 0;
    std::size_t candidate_count = 0;
    const auto add = [&](const Segment& segment) {
        segments[segment_count++] = segment;
        candidate_count += segment.count;
    };
    lists_.for_each_segment_with(region, add);
    const std::uint32_t task_count =
        step_tasks(call.runner, candidate_count, thresholds().tasks.items_per_task);
    NewCandidates::List* const lists = new_candidates_.open(task_count, candidate_count);
    if (lists == nullptr) return false;
    for (std::uint32_t task = 1; task < task_count; ++task) {
        lists[task].begin = lists[task - 1].begin;
        for (std::size_t k = 0; k < segment_count; ++k)
            lists[task].begin += CandidateLists::piece_of(segments[k], task - 1, task_count).count;
    }
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    run_tasks(call.runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        NewCandidates::Candidate* const out_candidates = new_candidates_.begin_of(lists[task]);
        std::size_t count = 0;
        for (std::size_t s = 0; s < segment_count; ++s) {
            const Segment piece = CandidateLists::piece_of(segments[s], task, task_count);
            for (std::size_t begin = 0; begin < piece.count; begin += kKeptWords * 64) {
                const IndexPair* const pairs = lists_.pairs_of(piece) + begin;
                const std::size_t pair_count = std::min(piece.count - begin, kKeptWords * 64);
                std::uint64_t bits[kKeptWords];
                kernels.mark_overlapping(regions_.rows(), pairs, pair_count, lists_.are_rows_far(), bits);
                for_each_bit(
                    bit_word_count(pair_count), [&](std::size_t word) { return bits[word]; },
                    [&](std::size_t k) {
                        if (reborn_bits != nullptr &&
                            (has_bit(reborn_bits, pairs[k].first) || has_bit(reborn_bits, pairs[k].second))) {
                            return;
                        }
                        const std::uint32_t first_region = regions_.region_of(pairs[k].first);
                        const std::uint32_t key =
                            first_region == region ? regions_.region_of(pairs[k].second) : first_region;
                        out_candidates[count++] = {pairs[k], key};
                    });
            }
        }
        lists[task].count = count;
    });
    return true;
}

// Finds the pairs of the first boxes with each other and with those behind.
bool StaggeredPairs::search(const Call& call, const GatheredBoxes& boxes, std::size_t member_count) noexcept {
    if (member_count == 0) return true;
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    settings.order = PairOrder::by_algorithm;
    settings.runner = call.runner;
    if (find_pairs(boxes.view(), settings, call.scratch, found_).status != Status::ok) return false;
    const std::size_t count = found_.size();
    const std::uint32_t task_count = step_tasks(call.runner, count, thresholds().tasks.items_per_task);
    NewCandidates::List* const lists = new_candidates_.open(task_count, count);
    if (lists == nullptr) return false;
    run_tasks(call.runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/renew task");
        NewCandidates::Candidate* const begin = new_candidates_.begin_of(lists[task]);
        NewCandidates::Candidate* out = begin;
        const std::uint8_t* const regions = work_.gathered_regions.data();
        const IndexPair* const found_end = found_.begin() + part_begin(count, task + 1, task_count);
        for (const IndexPair* found = found_.begin() + part_begin(count, task, task_count);
             found != found_end; ++found) {
            const std::uint32_t a = boxes.ids[found->first];
            const std::uint32_t b = boxes.ids[found->second];
            const IndexPair pair = {a < b ? a : b, a < b ? b : a};
            *out = {pair, regions[found->second]};
            const bool may_pair =
                call.may_pair == nullptr || call.may_pair(call.user, pair.first, pair.second);
            // Pairs of two boxes behind are known; dropping them costs less than not finding them.
            out += ((found->first < member_count) & may_pair) ? 1 : 0;
        }
        lists[task].count = static_cast<std::size_t>(out - begin);
    });
    return true;
}

}  // namespace broadside::broadphase
