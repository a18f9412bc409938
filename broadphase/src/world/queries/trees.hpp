// The data that queries of a World walk: a tree for each kind of object, and the properties of the objects.
#pragma once

#include "broadphase/src/tree/view.hpp"
#include "broadphase/src/world/objects/slot_marks.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/object.hpp>
#include <broadside/world.hpp>

#include <atomic>

namespace broadside::broadphase {

class ObjectTable;

inline constexpr std::uint32_t kKindCount = 3;

/// Trees that are walked as one: those of the given kinds that have objects.
struct KindViews {
    TreeView trees[kKindCount];
    std::uint32_t count = 0;
    /// The edge of the largest typical leaf.
    float leaf_edge = 0.0f;
};

/// Holds a copy of all that results are made of, so that it knows what has changed, and serves queries while
/// the world goes on. Lives as long as the world or a view refers to it.
class WorldTrees {
public:
    /// Returns null if out of memory. The one reference is the caller's.
    static WorldTrees* make(const Allocator& allocator) noexcept;
    WorldTrees(const WorldTrees&) = delete;
    WorldTrees& operator=(const WorldTrees&) = delete;

    // References, from any thread.

    void refer() const noexcept { reference_count_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept;
    /// Whether there are other references than the caller's.
    bool is_shared() const noexcept { return reference_count_.load(std::memory_order_acquire) != 1; }

    // For the world.

    /// Adds slots to examine when it is next brought up to date. No query reads them.
    void miss(const SlotMarks& marks) noexcept { missed_.mark(marks); }
    std::size_t missed_word_count() const noexcept { return missed_.used_word_count(); }
    /// Brings the trees up to date, while there are no other references: object by object if few changed;
    /// else refits or builds whole trees, once a few that have come, gone or leapt are changed one by one.
    /// `state_changes` are examined too, and cleared. After a failure the next call does everything anew.
    Status make_current(const ObjectTable& objects, SlotMarks& state_changes,
                        const TaskRunner* runner) noexcept;

    // For queries.

    const BoxTree& tree(std::uint32_t kind) const noexcept { return trees_[kind]; }
    /// The trees of the kinds whose bits are set.
    KindViews views(std::uint32_t kinds) const noexcept;
    const KindViews& all_views() const noexcept { return all_views_; }
    /// The boxes by slot that the trees were made of.
    const BoxSoaView& boxes() const noexcept { return box_view_; }
    /// Categories by slot, or none if every object has all.
    std::span<const std::uint64_t> categories() const noexcept {
        return {categories_.data(), categories_.size()};
    }
    ObjectHandle handle_at(std::uint32_t slot) const noexcept {
        return {std::uint64_t{generations_.data()[slot]} << 32 | slot};
    }
    bool is_alive(ObjectHandle handle) const noexcept {
        return handle.generation() % 2 == 1 && handle.slot() < generations_.size() &&
               handle_at(handle.slot()) == handle;
    }
    std::uint16_t layer_at(std::uint32_t slot) const noexcept { return layers_.data()[slot]; }
    std::uint64_t user_data_at(std::uint32_t slot) const noexcept { return user_data_.data()[slot]; }
    WorldOrder order() const noexcept { return order_; }
    std::size_t capacity_bytes() const noexcept;

private:
    enum class Need : std::uint8_t { nothing, refit, build };
    /// The kind of a slot without an object.
    static constexpr std::uint8_t kNoKind = kKindCount;

    explicit WorldTrees(const Allocator& allocator) noexcept;

    static std::uint8_t kind_of(const ObjectTable& objects, std::uint32_t slot) noexcept;
    Status grow(const ObjectTable& objects) noexcept;
    void copy_object(const ObjectTable& objects, std::uint32_t slot) noexcept;
    Status change_trees(const ObjectTable& objects, std::uint32_t slot) noexcept;
    void note_needs(const ObjectTable& objects, std::uint32_t slot, std::uint8_t kind,
                    const Aabb& box) noexcept;
    Status make_whole(const ObjectTable& objects, const SlotMarks& changes,
                      const TaskRunner* runner) noexcept;
    Status build_kind(std::uint32_t kind, const TaskRunner* runner) noexcept;

    mutable std::atomic<std::uint32_t> reference_count_{1};
    Allocator allocator_;
    WorldOrder order_ = WorldOrder::slot;
    BoxTree trees_[kKindCount];
    // Needs of the whole trees during make_whole.
    Need needs_[kKindCount] = {Need::nothing, Need::nothing, Need::nothing};
    BoxSoa boxes_;
    // Views of the present trees and boxes, so that no query has to assemble them.
    KindViews all_views_;
    BoxSoaView box_view_;
    // By slot, the tree that holds it.
    AlignedArray<std::uint8_t> kinds_;
    AlignedArray<std::uint16_t> layers_;
    AlignedArray<std::uint32_t> generations_;
    AlignedArray<std::uint64_t> user_data_;
    AlignedArray<std::uint64_t> categories_;
    SlotMarks missed_;
    AlignedArray<std::uint64_t> members_;
    bool looks_at_all_ = true;
};

}  // namespace broadside::broadphase
