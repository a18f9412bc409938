// The trees that a World's queries walk: one for each kind of object, made when they are first asked for.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/object.hpp>

namespace broadside::broadphase {

class WorldData;

inline constexpr std::uint32_t kKindCount = 3;

/// Holds a copy of the boxes, without margin and displacement, so that it can tell what is another one.
class WorldTrees {
public:
    explicit WorldTrees(const Allocator& allocator) noexcept;
    WorldTrees(const WorldTrees&) = delete;
    WorldTrees& operator=(const WorldTrees&) = delete;

    /// Notes that some object has changed.
    void note_change() noexcept { is_current_ = false; }
    /// Keeps the slots that are marked, which the world is about to forget.
    void keep_marks(std::span<const std::uint64_t> changed_bits) noexcept;

    /// Brings the trees up to date: refits those in which boxes moved, builds those that objects came to or
    /// left. Nothing but a look at a flag when nothing has changed. After a failure the next call does
    /// everything anew.
    Status make_current(const WorldData& world, const TaskRunner* runner) noexcept;

    const BoxTree& tree(std::uint32_t kind) const noexcept { return trees_[kind]; }
    /// The boxes by slot that the trees were made of.
    BoxSoaView boxes() const noexcept { return boxes_.view(); }
    /// Categories by slot, or none when every object has all.
    std::span<const std::uint64_t> categories() const noexcept {
        return {categories_.data(), categories_.size()};
    }
    std::size_t capacity_bytes() const noexcept;

private:
    enum class Need : std::uint8_t { nothing, refit, build };

    Status look_at_changes(const WorldData& world) noexcept;
    void look_at(const WorldData& world, std::uint32_t slot) noexcept;
    Status look_at_categories(const WorldData& world) noexcept;
    void drop_dead(const WorldData& world, std::uint32_t kind) noexcept;

    BoxTree trees_[kKindCount];
    // The slots in each tree, as bits, and what has to be done to it.
    AlignedArray<std::uint64_t> members_[kKindCount];
    Need needs_[kKindCount] = {Need::build, Need::build, Need::build};
    BoxSoa boxes_;
    AlignedArray<std::uint64_t> categories_;
    // Slots to look at beside those that the world has marked.
    AlignedArray<std::uint64_t> marks_;
    bool is_in_use_ = false;
    bool is_current_ = false;
    bool looks_at_all_ = true;
};

}  // namespace broadside::broadphase
