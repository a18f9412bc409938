// The data of a BoxTree.
#pragma once

#include "broadphase/src/tree/renewal.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/reset_on_move.hpp>

namespace broadside::broadphase {

/// A tree apart from its arrays.
struct TreeShape {
    std::uint32_t root = 0xFFFFFFFFu;
    std::uint32_t top = 0;
    std::uint32_t family_count = 0;
    std::uint32_t leaf_count = 0;
    std::uint32_t level_count = 0;
    // The first free family; each free family stores the next one as its parent.
    std::uint32_t free_family = 0xFFFFFFFFu;
    // Unchanged since the build, so that the levels are consecutive rows of nodes, leaves first.
    bool is_as_built = true;
    // Boxes are in the leaves of their neighbours, except for motion since the build.
    bool is_sorted = true;
    std::size_t box_count = 0;
    std::size_t member_count = 0;
    // Members at the build.
    std::size_t built_count = 0;
    float growth = 1.0f;
    // Edge of a typical leaf at the build.
    float leaf_edge = 0.0f;
    InvalidBoxes invalid = {};
    // The node being split, its new sibling, and the lanes still to move there.
    std::uint32_t split_node = 0;
    std::uint32_t split_sibling = 0;
    std::uint32_t split_lanes = 0;
    // A box of a leaf whose family is to be split, and one of a leaf that is to be dissolved.
    std::uint32_t crowded_box = 0xFFFFFFFFu;
    std::uint32_t sparse_box = 0xFFFFFFFFu;
};

/// Nodes and leaves with the boxes in them.
class TreeNodes {
    friend class TreeData;

    explicit TreeNodes(const Allocator& allocator) noexcept;

    TreeView view() const noexcept {
        return {planes_.data(),      links_.data(), parents_.data(), used_bits_.data(),
                shape_.family_count, shape_.root,   shape_.top,      shape_.leaf_edge};
    }
    std::uint32_t slot_of_box(std::uint32_t box_index) const noexcept {
        return box_index < shape_.box_count && shape_.root != kNoLink ? slots_.data()[box_index] : kNoSlot;
    }
    std::size_t capacity_bytes() const noexcept;

    // Building.
    void forget() noexcept;
    Status reserve(std::size_t box_count, std::size_t member_count) noexcept;
    bool reserve_families(std::size_t family_count) noexcept;
    bool reserve_array(std::size_t number, std::size_t family_count, std::size_t box_count) noexcept;
    void set_family_count(std::uint32_t family_count) noexcept;
    void begin_layout(std::size_t box_count, std::size_t member_count, TreeLayout& state_layout) noexcept;
    std::uint32_t lay_out(std::uint32_t box_index, std::uint8_t levels, TreeLayout& state_layout) noexcept;
    void begin_family(std::uint32_t level, std::uint32_t parent, TreeLayout& state_layout) noexcept;
    void end_layout(TreeLayout& state_layout) noexcept;
    void note_built(std::uint32_t first, std::uint32_t count) noexcept;
    void note_leaf_edge(std::uint32_t box_index) noexcept;
    void fill(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    void measure_growth() noexcept;

    // One box at a time; upkeep.cpp.
    Status set_box(std::uint32_t box_index, const Aabb& box, float& out_wear) noexcept;
    void remove_at(std::uint32_t slot) noexcept;
    void set_box_count(std::size_t box_count) noexcept;
    double joins_left(double joins_of_family) const noexcept;
    void note_validity(std::uint32_t box_index, bool was_invalid, bool is_invalid) noexcept;
    bool is_at_full_depth() const noexcept;

    std::size_t first_invalid_member(const BoxSoaView& boxes) const noexcept;
    void fill_built(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    void fill_changed(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    void close_below(std::uint32_t node) noexcept;
    void refit_up(std::uint32_t index) noexcept;
    Status reserve_split(std::uint32_t box_index) noexcept;
    void begin_tree() noexcept;
    Status insert_box(std::uint32_t box_index, const Aabb& box) noexcept;
    std::uint32_t leaf_for(const Aabb& box) noexcept;
    void put_box(std::uint32_t leaf, std::uint32_t box_index, const Aabb& box) noexcept;
    void remove_node(std::uint32_t index) noexcept;
    void shorten() noexcept;
    std::uint32_t new_family(std::uint32_t parent) noexcept;
    void free_family(std::uint32_t family) noexcept;
    void move_node(std::uint32_t from, std::uint32_t to) noexcept;
    std::uint32_t push_down_root() noexcept;
    std::uint32_t split(std::uint32_t node) noexcept;
    std::uint32_t new_sibling(std::uint32_t index) noexcept;
    void move_child(std::uint32_t index, std::uint32_t sibling, std::uint32_t lane) noexcept;

    // Deferred work; splits.cpp.
    std::int64_t tidy() noexcept;
    std::size_t families_needed(std::uint32_t join_count) const noexcept;
    std::uint32_t roomy_sibling(std::uint32_t leaf, const Aabb& box) noexcept;
    void note_sparse_leaf(const std::uint32_t* links, std::uint32_t used) noexcept;
    bool move_sparse_box() noexcept;
    bool begin_split() noexcept;
    std::int64_t go_on_with_split() noexcept;
    void end_split_of(std::uint32_t index) noexcept;

    static constexpr std::size_t kArrayCount = 5;
    // Nodes by index, and their families; see view.hpp.
    AlignedArray<float> planes_;
    AlignedArray<std::uint32_t> links_;
    AlignedArray<std::uint32_t> parents_;
    AlignedArray<std::uint32_t> used_bits_;
    // The box around each leaf when it was built.
    AlignedArray<Aabb> built_bounds_;
    // The slot of each box.
    AlignedArray<std::uint32_t> slots_;
    ResetOnMove<TreeShape> shape_;
};

/// The data that a BoxTree has from its first boxes on. The methods are those of the tree, with checked
/// arguments.
class TreeData {
public:
    explicit TreeData(const Allocator& allocator) noexcept;

    /// Null if the tree has none.
    static const TreeData* of(const BoxTree& tree) { return tree.data_; }
    /// Makes it if the tree has none; null if out of memory.
    static TreeData* made_of(BoxTree& tree) noexcept;
    /// Leaves the tree without.
    static void destroy(BoxTree& tree) noexcept;

    TreeView view() const noexcept { return nodes_.view(); }
    const TreeShape& shape() const noexcept { return nodes_.shape_; }
    std::size_t capacity_bytes() const noexcept;
    bool is_member(std::uint32_t index) const noexcept { return nodes_.slot_of_box(index) != kNoSlot; }
    Aabb box(std::uint32_t box_index) const noexcept;
    InvalidBoxes invalid_boxes() const noexcept;

    void clear() noexcept;
    // `list` writes the members; it is null if they are all boxes.
    template <class List>
    Status build_members(const BoxSoaView& boxes, std::size_t member_count, const List& list, bool is_sorted,
                         const TaskRunner* runner) noexcept;
    Status refit(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    // The rest of update, after a refit.
    Status keep_up(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    Status set_box(std::uint32_t box_index, const Aabb& box) noexcept;
    void remove_box(std::uint32_t box_index) noexcept;
    // Like update, but makes in several calls what update builds in one: in calls of advance_update and of
    // set_box. Queries work in the meantime, slowly.
    Status update_in_steps(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    // Goes on with that; returns whether it is done. Without memory it never is.
    bool advance_update(std::int64_t calls) noexcept;

private:
    std::size_t box_count() const noexcept { return nodes_.shape_.box_count; }
    std::size_t member_count() const noexcept { return nodes_.shape_.member_count; }
    float growth() const noexcept { return nodes_.shape_.growth; }
    bool is_made() const noexcept { return nodes_.shape_.is_sorted && growth() <= BoxTree::kMaxGrowth; }

    Status build_again(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    Status build_anew() noexcept;
    // renewal.cpp
    void note_change(std::uint32_t box_index, float wear, std::uint32_t leaf_count) noexcept;
    void note_all_changed() noexcept;
    void note_all() noexcept;
    void take_renewed() noexcept;
    void renew_between_updates() noexcept;
    void begin_renewal() noexcept;
    void advance_renewal(std::int64_t units) noexcept;
    double joins_left() const noexcept;
    void reserve_next(std::int64_t& state_units) noexcept;
    void sample_members(std::int64_t& state_units) noexcept;
    void copy_members(std::int64_t& state_units) noexcept;
    void count_nodes(std::int64_t& state_units) noexcept;
    void lay_out_next(std::int64_t& state_units) noexcept;
    void close_next(std::int64_t& state_units) noexcept;
    void follow_changes(std::int64_t& state_units) noexcept;
    bool follow_change(std::uint32_t box_index, float& out_wear) noexcept;
    void end_renewal() noexcept;
    void drop_renewal() noexcept;

    TreeNodes nodes_;
    // Working memory of building.
    AlignedArray<std::byte> build_memory_;
    // Boxes copied from the leaves by a tree that rebuilds itself in one call.
    AlignedArray<float> rebuilt_boxes_;
    // The tree that will replace this one, as far as it is built, and the memory to build it.
    TreeNodes next_;
    AlignedArray<std::byte> renewal_memory_;
    struct Upkeep {
        // In renewal_memory_; null while nothing is being built.
        TreeRenewal* renewal = nullptr;
        // Degradation since the build, in units of boxes that have joined.
        double wear = 0.0;
        // Calls of update since the build.
        std::uint32_t update_count = 0;
    } upkeep_;
};

/// Not inline, which keeps single queries short.
TreeView view_of(const BoxTree& tree) noexcept;
inline float leaf_edge_of(const BoxTree& tree) {
    const TreeData* const data = TreeData::of(tree);
    return data == nullptr ? 0.0f : data->shape().leaf_edge;
}

}  // namespace broadside::broadphase
