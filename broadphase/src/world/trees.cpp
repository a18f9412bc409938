// What has changed since the trees were asked, and what that means for each of them.
#include "broadphase/src/world/trees.hpp"

#include "broadphase/src/world/data.hpp"
#include "core/src/zones.hpp"

#include <bit>

namespace broadside::broadphase {
namespace {

// New words are empty.
bool grow_words(AlignedArray<std::uint64_t>& state_words, std::size_t count) {
    const std::size_t before = state_words.size();
    if (before >= count) return true;
    if (!state_words.resize(count)) return false;
    for (std::size_t word = before; word < count; ++word) state_words[word] = 0;
    return true;
}

}  // namespace

WorldTrees::WorldTrees(const Allocator& allocator) noexcept
    : trees_{BoxTree(allocator), BoxTree(allocator), BoxTree(allocator)},
      members_{AlignedArray<std::uint64_t>(allocator), AlignedArray<std::uint64_t>(allocator),
               AlignedArray<std::uint64_t>(allocator)},
      boxes_(allocator),
      categories_(allocator),
      marks_(allocator) {}

void WorldTrees::keep_marks(std::span<const std::uint64_t> changed_bits) noexcept {
    // A world that nobody asks keeps nothing.
    if (!is_in_use_ || looks_at_all_) return;
    if (!grow_words(marks_, changed_bits.size())) {
        looks_at_all_ = true;
        return;
    }
    for (std::size_t word = 0; word < changed_bits.size(); ++word) marks_[word] |= changed_bits[word];
}

// One slot: its box, and the tree that it is in. A removed object stays a member, with an empty box, until
// the tree is built again.
void WorldTrees::look_at(const WorldData& world, std::uint32_t slot) noexcept {
    const bool is_alive = world.generations[slot] % 2 == 1;
    const Aabb box = is_alive ? world.body_at(slot).box : Aabb::empty();
    const bool is_moved = !is_same(box, boxes_.view()[slot]);
    if (is_moved) boxes_.set(slot, box);
    const auto kind = static_cast<std::uint32_t>(world.rules[slot].kind);
    for (std::uint32_t i = 0; i < kKindCount; ++i) {
        const bool was_member = has_bit(members_[i], slot);
        const bool is_member = is_alive ? i == kind : was_member;
        if (was_member != is_member) {
            set_bit(members_[i], slot, is_member);
            needs_[i] = Need::build;
        } else if (is_member && is_moved && needs_[i] == Need::nothing) {
            needs_[i] = Need::refit;
        }
    }
    if (!categories_.is_empty()) categories_[slot] = world.rules[slot].category;
}

Status WorldTrees::look_at_categories(const WorldData& world) noexcept {
    const std::size_t slot_count = world.generations.size();
    const std::size_t before = categories_.size();
    if (world.ruled_count == 0) {
        categories_.clear();
        return Status::ok;
    }
    if (!categories_.resize(slot_count)) return Status::out_of_memory;
    for (std::size_t slot = before; slot < slot_count; ++slot) {
        categories_[slot] = world.rules[slot].category;
    }
    return Status::ok;
}

Status WorldTrees::look_at_changes(const WorldData& world) noexcept {
    const std::size_t slot_count = world.generations.size();
    const std::size_t before = boxes_.count();
    const std::size_t word_count = bit_word_count(slot_count);
    bool has_memory = grow_words(marks_, word_count);
    for (AlignedArray<std::uint64_t>& members : members_)
        has_memory = has_memory && grow_words(members, word_count);
    if (!has_memory || boxes_.resize(slot_count) != Status::ok) return Status::out_of_memory;
    for (std::size_t slot = before; slot < slot_count; ++slot) boxes_.set(slot, Aabb::empty());
    if (const Status status = look_at_categories(world); status != Status::ok) return status;
    for (std::size_t word = 0; word < word_count; ++word) {
        std::uint64_t bits = looks_at_all_ ? ~std::uint64_t{0} : marks_[word] | world.changed_bits[word];
        for (; bits != 0; bits &= bits - 1) {
            const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            if (slot >= slot_count) break;
            look_at(world, static_cast<std::uint32_t>(slot));
        }
    }
    for (std::uint64_t& word : marks_) word = 0;
    looks_at_all_ = false;
    return Status::ok;
}

void WorldTrees::drop_dead(const WorldData& world, std::uint32_t kind) noexcept {
    for (std::size_t word = 0; word < members_[kind].size(); ++word) {
        for (std::uint64_t bits = members_[kind][word]; bits != 0; bits &= bits - 1) {
            const std::uint64_t bit = bits & -bits;
            const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            if (world.generations[slot] % 2 == 0) members_[kind][word] &= ~bit;
        }
    }
}

Status WorldTrees::make_current(const WorldData& world, const TaskRunner* runner) noexcept {
    if (is_current_) return Status::ok;
    BROADSIDE_ZONE("world/trees");
    is_in_use_ = true;
    if (const Status status = look_at_changes(world); status != Status::ok) {
        looks_at_all_ = true;
        return status;
    }
    const BoxSoaView boxes = boxes_.view();
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        BoxTree& tree = trees_[kind];
        Status status = Status::ok;
        if (needs_[kind] == Need::build) {
            drop_dead(world, kind);
            const std::span<const std::uint64_t> members = {members_[kind].data(),
                                                            bit_word_count(boxes.count)};
            status = tree.build_subset(boxes, members, runner);
        } else if (needs_[kind] == Need::refit) {
            // The tree knows the slots that there were when it was built; it has none of the later ones.
            status = tree.update(boxes.part(0, tree.box_count()), runner);
        }
        if (status != Status::ok) return status;
        needs_[kind] = Need::nothing;
    }
    is_current_ = true;
    return Status::ok;
}

std::size_t WorldTrees::capacity_bytes() const noexcept {
    std::size_t bytes =
        boxes_.count() * sizeof(Aabb) + categories_.capacity_bytes() + marks_.capacity_bytes();
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        bytes += trees_[kind].capacity_bytes() + members_[kind].capacity_bytes();
    }
    return bytes;
}

}  // namespace broadside::broadphase
