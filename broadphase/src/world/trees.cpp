// What has changed since the trees were asked, and what that means for each of them.
#include "broadphase/src/world/trees.hpp"

#include "broadphase/src/world/data.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

// Where one object in this many has changed, or more, a look at all boxes costs less than one at each of them.
constexpr std::size_t kFewOfAll = 16;
// Below this count a whole tree costs next to nothing.
constexpr std::size_t kFewAlways = 4;

Aabb box_of(const WorldData& world, std::uint32_t slot) {
    return world.generations[slot] % 2 == 1 ? world.body_at(slot).box : Aabb::empty();
}

}  // namespace

WorldTrees::WorldTrees(const Allocator& allocator) noexcept
    : trees_{BoxTree(allocator), BoxTree(allocator), BoxTree(allocator)},
      boxes_(allocator),
      kinds_(allocator),
      categories_(allocator),
      marks_(allocator),
      marked_words_(allocator),
      members_(allocator) {}

// To the slots that there are now; new ones are in no tree, and marked.
Status WorldTrees::grow(const WorldData& world) noexcept {
    const std::size_t slot_count = world.generations.size();
    const std::size_t before = kinds_.size();
    const std::size_t word_count = bit_word_count(slot_count);
    const std::size_t words_before = marks_.size();
    const bool needs_categories = world.ruled_count != 0 || !categories_.is_empty();
    const bool has_memory =
        marked_words_.reserve_to_append(word_count - words_before) &&
        marks_.reserve_to_append(word_count - words_before) &&
        members_.reserve_to_append(word_count - words_before) &&
        kinds_.reserve_to_append(slot_count - before) &&
        (!needs_categories || categories_.reserve_to_append(slot_count - categories_.size()));
    if (!has_memory) return Status::out_of_memory;
    // One by one, which makes room for more.
    while (boxes_.count() < slot_count) {
        if (boxes_.push_back(Aabb::empty()) != Status::ok) return Status::out_of_memory;
    }
    // Within the room that there is now.
    (void)marked_words_.resize(word_count);
    (void)marks_.resize(word_count);
    (void)members_.resize(word_count);
    (void)kinds_.resize(slot_count);
    for (std::size_t word = words_before; word < word_count; ++word) marks_[word] = 0;
    for (std::size_t slot = before; slot < slot_count; ++slot) {
        kinds_[slot] = kNoKind;
        mark(slot / 64, std::uint64_t{1} << slot % 64);
    }
    if (!needs_categories) return Status::ok;
    const std::size_t categories_before = categories_.size();
    (void)categories_.resize(slot_count);
    for (std::size_t slot = categories_before; slot < slot_count; ++slot) {
        categories_[slot] = world.rules[slot].category;
    }
    return Status::ok;
}

std::size_t WorldTrees::marked_count() const noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < marked_word_count_; ++i) {
        count += static_cast<std::size_t>(std::popcount(marks_[marked_words_[i]]));
    }
    return count;
}

// Calls `look(slot)` for the slots that are marked, of which none is afterwards.
template <class Look>
void WorldTrees::look_at_marked(Look&& look) noexcept {
    for (std::size_t i = 0; i < marked_word_count_; ++i) {
        const std::uint32_t word = marked_words_[i];
        for (std::uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1) {
            look(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
        marks_[word] = 0;
    }
    marked_word_count_ = 0;
}

// One object, where it is in a tree and where it should be.
Status WorldTrees::change_trees(const WorldData& world, std::uint32_t slot) noexcept {
    const PairRules& rule = world.rules[slot];
    const bool is_alive = world.generations[slot] % 2 == 1;
    const std::uint8_t kind = is_alive ? static_cast<std::uint8_t>(rule.kind) : kNoKind;
    const std::uint8_t kind_before = kinds_[slot];
    const Aabb box = box_of(world, slot);
    if (!categories_.is_empty()) categories_[slot] = rule.category;
    if (kind != kind_before && kind_before != kNoKind) {
        if (const Status status = trees_[kind_before].remove_box(slot); status != Status::ok) return status;
        kinds_[slot] = kNoKind;
    }
    boxes_.set(slot, box);
    if (kind == kNoKind) return Status::ok;
    // Which is nothing where it is there already.
    const Status status = trees_[kind].set_box(slot, box);
    if (status == Status::ok) kinds_[slot] = kind;
    return status;
}

// The same where many have changed: what the trees need.
void WorldTrees::note_needs(const WorldData& world, std::uint32_t slot) noexcept {
    const PairRules& rule = world.rules[slot];
    const bool is_alive = world.generations[slot] % 2 == 1;
    const std::uint8_t kind = is_alive ? static_cast<std::uint8_t>(rule.kind) : kNoKind;
    const Aabb box = box_of(world, slot);
    if (!categories_.is_empty()) categories_[slot] = rule.category;
    for (const std::uint8_t changed : {kinds_[slot], kind}) {
        if (changed == kNoKind) continue;
        if (kinds_[slot] != kind) {
            needs_[changed] = Need::build;
        } else if (needs_[changed] == Need::nothing && !is_same(box, boxes_.view()[slot])) {
            needs_[changed] = Need::refit;
        }
    }
    kinds_[slot] = kind;
    boxes_.set(slot, box);
}

Status WorldTrees::build_kind(std::uint32_t kind, const TaskRunner* runner) noexcept {
    for (std::uint64_t& word : members_) word = 0;
    for (std::size_t slot = 0; slot < kinds_.size(); ++slot) {
        members_[slot / 64] |= std::uint64_t{kinds_[slot] == kind ? 1u : 0u} << slot % 64;
    }
    return trees_[kind].build_subset(boxes_.view(), {members_.data(), members_.size()}, runner);
}

Status WorldTrees::make_whole(const WorldData& world, const TaskRunner* runner) noexcept {
    look_at_marked([&](std::uint32_t slot) { note_needs(world, slot); });
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        Status status = Status::ok;
        if (needs_[kind] == Need::build) {
            status = build_kind(kind, runner);
        } else if (needs_[kind] == Need::refit) {
            // The tree knows the slots that it has ever been given; it has none of the later ones.
            status = trees_[kind].update(boxes_.view().part(0, trees_[kind].box_count()), runner);
        }
        if (status != Status::ok) return status;
        needs_[kind] = Need::nothing;
    }
    return Status::ok;
}

Status WorldTrees::make_current(const WorldData& world, const TaskRunner* runner) noexcept {
    if (is_current_) return Status::ok;
    BROADSIDE_ZONE("world/trees");
    Status status = grow(world);
    if (status != Status::ok) return status;
    if (looks_at_all_) {
        for (std::size_t word = 0; word < marks_.size(); ++word) {
            const std::size_t rest = kinds_.size() - word * 64;
            mark(word, rest < 64 ? (std::uint64_t{1} << rest) - 1 : ~std::uint64_t{0});
        }
        for (Need& need : needs_) need = Need::build;
    }
    const std::size_t count = marked_count();
    if (looks_at_all_ || (count > kFewAlways && count * kFewOfAll > world.object_count)) {
        status = make_whole(world, runner);
    } else {
        look_at_marked([&](std::uint32_t slot) {
            if (status == Status::ok) status = change_trees(world, slot);
        });
    }
    looks_at_all_ = status != Status::ok;
    is_current_ = status == Status::ok;
    return status;
}

std::size_t WorldTrees::capacity_bytes() const noexcept {
    std::size_t bytes = boxes_.count() * sizeof(Aabb) + kinds_.capacity_bytes() +
                        categories_.capacity_bytes() + marks_.capacity_bytes() +
                        marked_words_.capacity_bytes() + members_.capacity_bytes();
    for (const BoxTree& tree : trees_) bytes += tree.capacity_bytes();
    return bytes;
}

}  // namespace broadside::broadphase
