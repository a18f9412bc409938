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
    /// Which ones: slots of one word of bits. A world that nobody asks keeps nothing, and slots that are new
    /// since it was asked are looked at anyway.
    void mark(std::size_t word, std::uint64_t bits) noexcept {
        if (bits == 0 || word >= marks_.size()) return;
        if (marks_.data()[word] == 0)
            marked_words_.data()[marked_word_count_++] = static_cast<std::uint32_t>(word);
        marks_.data()[word] |= bits;
    }

    /// Brings the trees up to date, object by object where few have changed, so that nothing is paid for the
    /// others; where many have, trees are refitted or built as a whole. Nothing but a look at a flag when
    /// nothing has changed. After a failure the next call does everything anew.
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
    /// The kind of a slot without an object.
    static constexpr std::uint8_t kNoKind = kKindCount;

    Status grow(const WorldData& world) noexcept;
    std::size_t marked_count() const noexcept;
    template <class Look>
    void look_at_marked(Look&& look) noexcept;
    Status change_trees(const WorldData& world, std::uint32_t slot) noexcept;
    void note_needs(const WorldData& world, std::uint32_t slot) noexcept;
    Status make_whole(const WorldData& world, const TaskRunner* runner) noexcept;
    Status build_kind(std::uint32_t kind, const TaskRunner* runner) noexcept;

    BoxTree trees_[kKindCount];
    // Of the whole trees, while they are looked at as such.
    Need needs_[kKindCount] = {Need::nothing, Need::nothing, Need::nothing};
    BoxSoa boxes_;
    // By slot, the tree that it is in.
    AlignedArray<std::uint8_t> kinds_;
    AlignedArray<std::uint64_t> categories_;
    // Slots to look at, and the words in which there are some.
    AlignedArray<std::uint64_t> marks_;
    AlignedArray<std::uint32_t> marked_words_;
    std::size_t marked_word_count_ = 0;
    AlignedArray<std::uint64_t> members_;
    bool is_current_ = false;
    bool looks_at_all_ = true;
};

}  // namespace broadside::broadphase
