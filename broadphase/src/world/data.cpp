// How a World is made, and its memory.
#include "broadphase/src/world/data.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <memory>
#include <new>

namespace broadside::broadphase {

WorldData::WorldData(const WorldSettings& settings, const Allocator& world_allocator) noexcept
    : allocator(world_allocator),
      objects(settings, allocator),
      pairs(allocator),
      values(allocator),
      object_pairs(allocator),
      tracked(allocator),
      begun_pairs(allocator),
      begun(allocator),
      ended(allocator),
      ended_data(allocator),
      trees(allocator),
      scratch_(allocator),
      found_(allocator),
      resting_(allocator),
      changed_before_bits_(allocator),
      comparison_parts_(allocator),
      pair_tree_(allocator),
      tree_scratch_(allocator),
      few_slots_(allocator),
      few_boxes_(allocator),
      next_ended_pairs_(allocator),
      next_pairs_(allocator),
      next_values_(allocator),
      next_begun_pairs_(allocator),
      next_begun_(allocator),
      next_ended_(allocator),
      persisting_list_(allocator),
      pair_list_(allocator),
      pairs_of_list_(allocator) {}

std::size_t WorldData::capacity_bytes() const noexcept {
    std::size_t bytes = sizeof(WorldData);
    const auto add = [&](const auto&... parts) { bytes += (parts.capacity_bytes() + ...); };
    add(objects, scratch_, resting_, tracked, trees, found_, object_pairs, pair_tree_, tree_scratch_,
        changed_before_bits_, comparison_parts_, few_slots_, few_boxes_);
    add(pairs, values, begun_pairs, begun, ended, ended_data, next_ended_pairs_, next_pairs_, next_values_,
        next_begun_pairs_, next_begun_, next_ended_, persisting_list_, pair_list_, pairs_of_list_);
    return bytes;
}

// What the next update or question makes anew is made new; what stays moves to memory of its size.
void WorldData::shrink() noexcept {
    const auto renew = [&](auto& object) {
        using Object = std::remove_reference_t<decltype(object)>;
        std::destroy_at(&object);
        new (&object) Object(allocator);
    };
    if (!pairs_are_by_object || put_pairs_in_list()) renew(object_pairs);
    if (put_tracked_in_list()) renew(tracked);
    renew(pair_tree_);
    pair_tree_update_ = 0;
    meeting_trees_ = MeetingTrees::none;
    resting_.release();
    scratch_.release();
    tree_scratch_.release();
    found_.release();
    trees.release();
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(comparison_parts_, few_slots_, few_boxes_, next_ended_pairs_, next_pairs_, next_values_,
            next_begun_pairs_, next_begun_, next_ended_, persisting_list_, pair_list_, pairs_of_list_,
            changed_before_bits_);
    has_persisting_list_ = false;
    has_pair_list_ = false;
    const auto fit = [](auto&... arrays) { (shrink_to_fit(arrays), ...); };
    fit(pairs, values, begun_pairs, begun, ended, ended_data);
    objects.shrink();
}

}  // namespace broadside::broadphase
