// An update: finds the pairs of changed objects, and replaces the pairs alive.
#include "broadphase/src/world/data.hpp"
#include "broadphase/src/world/stopwatch.hpp"
#include "core/src/zones.hpp"

#include <broadside/isa.hpp>

#include <utility>

namespace broadside::broadphase {

UpdateResult WorldData::update(const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("World::update");
    UpdateResult result;
    result.changed_count = objects.changes.count();
    result.pair_count = pairs.count();
    const bool has_order_changed = objects.changes.has_order_changed();
    // The hash is computed anew from the pairs; no update leaves them as bits of candidates then.
    if (has_order_changed && !pairs.leave_candidates()) {
        result.status = Status::out_of_memory;
        return result;
    }
    if (result.changed_count == 0) {
        pairs.forget_events();
    } else {
        result.status = update_changed(runner, result);
    }
    if (result.status != Status::ok) return result;
    objects.settle();
    if (has_order_changed) pairs.rehash();
    return result;
}

Status WorldData::update_changed(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    objects.changes.begin_attempt();
    const UpdateCounts counts = {objects.object_count, objects.slot_count(), state_result.changed_count,
                                 pairs.count()};
    if (counts.are_small(pairs.are_candidates())) runner = nullptr;
    if (counts.are_few(few_.is_going_on()) && few_.prepare(counts, runner, state_result))
        return update_few(runner, state_result);
    if (!few_.leave()) return Status::out_of_memory;
    Found kind = Found::nothing;
    Status status = find(counts, runner, state_result, kind);
    if (status != Status::ok) return status;
    const Stopwatch watch;
    status = pairs.replace(kind, runner, found_, state_result);
    if (status == Status::ok && kind == Found::difference) settle();
    state_result.compare_nanoseconds = watch.nanoseconds();
    return status;
}

Status WorldData::update_few(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/by objects");
    const Stopwatch watch;
    state_result.path = UpdatePath::movers;
    Status status = few_.find(runner, found_);
    state_result.find_nanoseconds = watch.nanoseconds();
    if (status != Status::ok) return status;
    status = pairs.replace_of(few_.slots(), {found_.data(), found_.size()}, runner, state_result);
    state_result.compare_nanoseconds = watch.nanoseconds() - state_result.find_nanoseconds;
    return status;
}

// Finds pairs by candidates, if they are known; else by a search.
Status WorldData::find(const UpdateCounts& counts, const TaskRunner* runner, UpdateResult& state_result,
                       Found& out_kind) noexcept {
    BROADSIDE_ZONE("world/find");
    if (!active_isa()) return Status::unsupported_isa;
    Changes& changes = objects.changes;
    StaggeredPairs::Call call = {
        objects.boxes(true), changes.bits(), counts.changed, nullptr, nullptr, nullptr, &objects,
        counts.pairs,        runner,         scratch_};
    if (!changes.find_reborn(call.reborn_bits, call.reruled_bits)) return Status::out_of_memory;
    if (objects.ruled_count != 0 || (!objects.settings.fixed_objects_pair && objects.has_fixed_object())) {
        call.may_pair = [](const void* of, std::uint32_t a, std::uint32_t b) noexcept {
            return static_cast<const ObjectTable*>(of)->may_pair_now(a, b);
        };
    }
    state_result.path = counts.are_some() ? UpdatePath::movers : UpdatePath::complete;
    const Stopwatch watch;
    const Status status = pairs.find(call, found_, out_kind);
    state_result.find_nanoseconds = watch.nanoseconds();
    if (status != Status::ok) return status;
    if (out_kind == Found::nothing) return search(call, counts, state_result, out_kind);
    rest_.clear();
    return status;
}

Status WorldData::search(const StaggeredPairs::Call& call, const UpdateCounts& counts,
                         UpdateResult& state_result, Found& out_kind) noexcept {
    const Stopwatch rest_watch;
    rest_.follow();
    // With so few changes objects will be looked up one by one, so candidates are not worth beginning.
    const bool are_few = counts.are_few(false);
    Status status = Status::ok;
    const bool by_movers = counts.are_some() &&
                           rest_.prepare(pairs.is_starting(call) && !are_few, call.runner, scratch_, status);
    state_result.rest_nanoseconds = rest_watch.nanoseconds();
    if (status != Status::ok) return status;
    state_result.path = by_movers ? UpdatePath::movers : UpdatePath::complete;
    out_kind = Found::all;
    const Stopwatch watch;
    bool are_parted = false;
    status = by_movers ? rest_.find(call.runner, scratch_, found_) : find_all(call.runner, are_parted);
    if (status != Status::ok) return status;
    // Nor are regions of boxes that are long on different axes, each of which would reach into most others.
    pairs.follow(call, !are_few && !are_parted);
    // A complete search has left out pairs of fixed objects.
    const bool is_fixed_out = objects.settings.fixed_objects_pair || !by_movers || !rest_.has_fixed_mover();
    const bool has_memory =
        pairs.drop_forbidden(is_fixed_out, call.runner, found_) && (!by_movers || pairs.add_lasting(found_));
    state_result.find_nanoseconds += watch.nanoseconds();
    return has_memory ? Status::ok : Status::out_of_memory;
}

// Also tells whether the boxes were searched in parts.
Status WorldData::find_all(const TaskRunner* runner, bool& out_are_parted) noexcept {
    FindPairsSettings settings;
    settings.runner = runner;
    // The rule for fixed objects, as a subset.
    if (!objects.settings.fixed_objects_pair && objects.has_fixed_object())
        settings.filter.subset_bits = {objects.mobile_bits.data(), objects.mobile_bits.size()};
    const FindPairsResult result = find_pairs(objects.boxes(true), settings, scratch_, found_);
    out_are_parted = result.plan.part_count != 0;
    return result.status;
}

// Once per world, releases the memory of the first searches, because bits of candidates need little of it. A
// world that searches for everything again keeps that memory.
void WorldData::settle() noexcept {
    if (std::exchange(is_settled_, true)) return;
    rest_.release();
    scratch_.release();
    found_.release();
    pairs.release_lists();
}

// Data that the next update or query rebuilds is dropped; the rest moves to memory of its size.
void WorldData::shrink() noexcept {
    (void)few_.leave();
    pairs.shrink();
    few_.release(allocator);
    const auto release = [](auto&... parts) { (parts.release(), ...); };
    release(rest_, scratch_, found_, trees, lookup);
    objects.shrink();
}

}  // namespace broadside::broadphase
