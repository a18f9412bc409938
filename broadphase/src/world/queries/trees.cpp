// Changes since the last query, and what they mean for each tree.
#include "broadphase/src/world/queries/trees.hpp"

#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/tree_data.hpp"
#include "broadphase/src/world/objects/object_table.hpp"

#include <cmath>
#include <new>

namespace broadside::broadphase {
namespace {

Aabb box_of(const ObjectTable& objects, std::uint32_t slot) {
    return objects.is_alive(slot) ? objects.body_at(slot).box : Aabb::empty();
}

// Whether a box has moved further than a typical leaf's edge. NaN counts as moved.
bool has_leapt(const Aabb& before, const Aabb& now, float leaf_edge) {
    const Vec3 way = now.min - before.min;
    return !(std::abs(way.x) <= leaf_edge && std::abs(way.y) <= leaf_edge && std::abs(way.z) <= leaf_edge);
}

}  // namespace

WorldTrees::WorldTrees(const Allocator& allocator) noexcept
    : allocator_(allocator),
      trees_{BoxTree(allocator), BoxTree(allocator), BoxTree(allocator)},
      boxes_(allocator),
      kinds_(allocator),
      layers_(allocator),
      generations_(allocator),
      user_data_(allocator),
      categories_(allocator),
      missed_(allocator),
      members_(allocator) {}

WorldTrees* WorldTrees::make(const Allocator& allocator) noexcept {
    void* const memory = allocator.allocate(sizeof(WorldTrees), alignof(WorldTrees), allocator.user);
    return memory == nullptr ? nullptr : new (memory) WorldTrees(allocator);
}

void WorldTrees::release() const noexcept {
    // All reads of other owners happen before the last one frees the memory.
    if (reference_count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const Allocator allocator = allocator_;
    auto* const self = const_cast<WorldTrees*>(this);
    self->~WorldTrees();
    allocator.deallocate(self, sizeof(WorldTrees), alignof(WorldTrees), allocator.user);
}

KindViews WorldTrees::views(std::uint32_t kinds) const noexcept {
    KindViews views;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        const BoxTree& tree = trees_[kind];
        if ((kinds >> kind & 1) == 0 || tree.member_count() == 0) continue;
        views.trees[views.count] = view_of(tree);
        views.leaf_edge = max_keep(views.trees[views.count++].leaf_edge, views.leaf_edge);
    }
    return views;
}

// Grows to the present slots; new ones are in no tree, and missed.
Status WorldTrees::grow(const ObjectTable& objects) noexcept {
    const std::size_t slot_count = objects.slot_count();
    const std::size_t before = kinds_.size();
    const std::size_t word_count = bit_word_count(slot_count);
    const bool needs_categories = objects.ruled_count != 0 || !categories_.is_empty();
    if (slot_count == before && categories_.size() == (needs_categories ? slot_count : 0)) return Status::ok;
    const std::size_t new_count = slot_count - before;
    const bool has_memory =
        missed_.grow(word_count) && members_.reserve_to_append(word_count - members_.size()) &&
        kinds_.reserve_to_append(new_count) && layers_.reserve_to_append(new_count) &&
        generations_.reserve_to_append(new_count) && user_data_.reserve_to_append(new_count) &&
        (!needs_categories || categories_.reserve_to_append(slot_count - categories_.size()));
    if (!has_memory) return Status::out_of_memory;
    // One by one, which makes room for more.
    while (boxes_.count() < slot_count) {
        if (boxes_.push_back(Aabb::empty()) != Status::ok) return Status::out_of_memory;
    }
    // Within the reserved room.
    (void)members_.resize(word_count);
    (void)kinds_.resize(slot_count);
    (void)layers_.resize(slot_count);
    (void)generations_.resize(slot_count);
    (void)user_data_.resize(slot_count);
    for (std::size_t slot = before; slot < slot_count; ++slot) {
        kinds_[slot] = kNoKind;
        missed_.mark(static_cast<std::uint32_t>(slot));
    }
    while (needs_categories && categories_.size() < slot_count)
        (void)categories_.push_back(objects.rules[categories_.size()].category);
    return Status::ok;
}

// Copies what results tell of an object besides its box.
void WorldTrees::copy_object(const ObjectTable& objects, std::uint32_t slot) noexcept {
    const PairRules& rule = objects.rules.data()[slot];
    if (!categories_.is_empty()) categories_.data()[slot] = rule.category;
    layers_.data()[slot] = rule.layer;
    generations_.data()[slot] = objects.generations.data()[slot];
    user_data_.data()[slot] = objects.user_data.data()[slot];
}

std::uint8_t WorldTrees::kind_of(const ObjectTable& objects, std::uint32_t slot) noexcept {
    return objects.is_alive(slot) ? static_cast<std::uint8_t>(objects.rules[slot].kind) : kNoKind;
}

// Moves one object from the tree that it is in to the one where it should be.
Status WorldTrees::change_trees(const ObjectTable& objects, std::uint32_t slot) noexcept {
    const std::uint8_t kind = kind_of(objects, slot);
    const std::uint8_t kind_before = kinds_[slot];
    const Aabb box = box_of(objects, slot);
    copy_object(objects, slot);
    if (kind != kind_before && kind_before != kNoKind) {
        if (const Status status = trees_[kind_before].remove_box(slot); status != Status::ok) return status;
        kinds_[slot] = kNoKind;
    }
    boxes_.set(slot, box);
    if (kind == kNoKind) return Status::ok;
    // A no-op if it is there already.
    const Status status = trees_[kind].set_box(slot, box);
    if (status == Status::ok) kinds_[slot] = kind;
    return status;
}

// Notes what the trees need for an object that has changed, and what results tell of it.
void WorldTrees::note_needs(const ObjectTable& objects, std::uint32_t slot, std::uint8_t kind,
                            const Aabb& box) noexcept {
    copy_object(objects, slot);
    if (kinds_[slot] != kind) {
        for (const std::uint8_t changed : {kinds_[slot], kind})
            if (changed != kNoKind) needs_[changed] = Need::build;
    } else if (kind != kNoKind && needs_[kind] == Need::nothing && !is_same(box, boxes_.view()[slot])) {
        needs_[kind] = Need::refit;
    }
    kinds_[slot] = kind;
    boxes_.set(slot, box);
}

Status WorldTrees::build_kind(std::uint32_t kind, const TaskRunner* runner) noexcept {
    for (std::uint64_t& word : members_) word = 0;
    for (std::size_t slot = 0; slot < kinds_.size(); ++slot)
        members_[slot / 64] |= std::uint64_t{kinds_[slot] == kind ? 1u : 0u} << slot % 64;
    return trees_[kind].build_subset(boxes_.view(), {members_.data(), members_.size()}, runner);
}

Status WorldTrees::make_whole(const ObjectTable& objects, const SlotMarks& changes,
                              const TaskRunner* runner) noexcept {
    changes.for_each([&](std::uint32_t slot) {
        const std::uint8_t kind = kind_of(objects, slot);
        const Aabb box = box_of(objects, slot);
        // A refitted leaf with it would be as large as its way. Empty before, missed_ holds such objects.
        const bool is_elsewhere =
            kind != kinds_[slot] ||
            (kind != kNoKind && has_leapt(boxes_.view()[slot], box, leaf_edge_of(trees_[kind])));
        if (is_elsewhere && !looks_at_all_) {
            missed_.mark(slot);
        } else {
            note_needs(objects, slot, kind, box);
        }
    });
    const bool are_few =
        missed_.count() * thresholds().query_trees.objects_per_change <= objects.object_count;
    Status status = Status::ok;
    missed_.for_each([&](std::uint32_t slot) {
        if (!are_few) note_needs(objects, slot, kind_of(objects, slot), box_of(objects, slot));
        if (are_few && status == Status::ok) status = change_trees(objects, slot);
    });
    missed_.clear();
    if (status != Status::ok) return status;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        if (needs_[kind] == Need::build) {
            status = build_kind(kind, runner);
        } else if (needs_[kind] == Need::refit) {
            // The tree knows all slots that it was ever given, and no later ones.
            status = trees_[kind].update(boxes_.view().part(0, trees_[kind].box_count()), runner);
        }
        if (status != Status::ok) return status;
        needs_[kind] = Need::nothing;
    }
    return Status::ok;
}

Status WorldTrees::make_current(const ObjectTable& objects, SlotMarks& state_changes,
                                const TaskRunner* runner) noexcept {
    order_ = objects.settings.order;
    Status status = grow(objects);
    if (status != Status::ok) return status;
    if (looks_at_all_) {
        state_changes.mark_all(kinds_.size());
        for (Need& need : needs_) need = Need::build;
    }
    state_changes.mark(missed_);
    missed_.clear();
    const std::size_t count = state_changes.count();
    if (looks_at_all_ || (count > thresholds().query_trees.few_changes &&
                          count * thresholds().query_trees.objects_per_change > objects.object_count)) {
        status = make_whole(objects, state_changes, runner);
    } else {
        state_changes.for_each([&](std::uint32_t slot) {
            if (status == Status::ok) status = change_trees(objects, slot);
        });
    }
    state_changes.clear();
    looks_at_all_ = status != Status::ok;
    all_views_ = views((1u << kKindCount) - 1);
    box_view_ = boxes_.view();
    return status;
}

std::size_t WorldTrees::capacity_bytes() const noexcept {
    std::size_t bytes = sizeof(WorldTrees) + boxes_.capacity() * sizeof(Aabb) + kinds_.capacity_bytes() +
                        layers_.capacity_bytes() + generations_.capacity_bytes() +
                        user_data_.capacity_bytes() + categories_.capacity_bytes() +
                        missed_.capacity_bytes() + members_.capacity_bytes();
    for (const BoxTree& tree : trees_) bytes += tree.capacity_bytes();
    return bytes;
}

}  // namespace broadside::broadphase
