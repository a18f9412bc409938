// Moving boxes laid out for pairs by index: prepared once a frame, then tested for as many pairs as a
// broadphase finds. Results and rules are those of moving_aabb.hpp; only the layout of the inputs differs.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/export.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/reset_on_move.hpp>

// For the sources of the library; a shared library does not export them.
namespace broadside::narrowphase {
struct RestingBoxRow;
struct MovingBoxRow;
struct BodyBoxRow;
}  // namespace broadside::narrowphase

namespace BROADSIDE_API broadside {

/// Owns the rows of boxes at rest. Grow-only: a warmed-up frame does not allocate. Movable, not copyable.
class RestingBoxRows {
public:
    explicit RestingBoxRows(const Allocator& allocator = default_allocator()) noexcept : rows_(allocator) {}

    /// Replaces the rows by those of `boxes`, which are not needed afterwards. Row i is box i. out_of_memory,
    /// invalid_argument and unsupported_isa leave no rows. O(boxes).
    Status prepare(const BoxSoaView& boxes) noexcept;

    std::size_t count() const noexcept { return rows_.size() / 32; }
    /// For the sources of the library.
    const narrowphase::RestingBoxRow* data() const noexcept {
        return reinterpret_cast<const narrowphase::RestingBoxRow*>(rows_.data());
    }

private:
    AlignedArray<std::byte> rows_;
};

/// Owns the rows of moving boxes. As RestingBoxRows.
class MovingBoxRows {
public:
    explicit MovingBoxRows(const Allocator& allocator = default_allocator()) noexcept : rows_(allocator) {}

    /// As RestingBoxRows::prepare. The displacements are relative to the resting boxes and are divided here
    /// once for all pairs. The rows hold for this touch policy only.
    Status prepare(const MovingBoxes& movers, Touch touch = Touch::closed) noexcept;

    std::size_t count() const noexcept { return rows_.size() / 64; }
    /// The touch policy of the rows.
    Touch touch() const noexcept { return policy_.touch; }
    /// For the sources of the library.
    const narrowphase::MovingBoxRow* data() const noexcept {
        return reinterpret_cast<const narrowphase::MovingBoxRow*>(rows_.data());
    }

private:
    AlignedArray<std::byte> rows_;
    struct Policy {
        Touch touch = Touch::closed;
    };
    ResetOnMove<Policy> policy_;
};

/// Owns the rows of boxes that may rest or move, on either side of a pair. As RestingBoxRows.
class BodyBoxRows {
public:
    explicit BodyBoxRows(const Allocator& allocator = default_allocator()) noexcept : rows_(allocator) {}

    /// As RestingBoxRows::prepare.
    Status prepare(const MovingBoxes& bodies) noexcept;

    std::size_t count() const noexcept { return rows_.size() / 64; }
    /// For the sources of the library.
    const narrowphase::BodyBoxRow* data() const noexcept {
        return reinterpret_cast<const narrowphase::BodyBoxRow*>(rows_.data());
    }

private:
    AlignedArray<std::byte> rows_;
};

/// Item i is the impact of the box `pairs[i].first` at rest with the moving box `pairs[i].second`, bit for
/// bit that of `first_impact` under the policy of `movers`. Outputs and errors as in the form without rows
/// (moving_aabb.hpp). Pairs sorted by either index are read fastest. O(pairs).
BatchResult times_of_impact(const RestingBoxRows& resting, const MovingBoxRows& movers,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<Face> out_faces = {}) noexcept;

/// As above if both boxes may move: `first_impact(a, b, displacement_b - displacement_a, touch)`. The
/// relative displacement costs three divisions for each group of pairs. `a` and `b` may be the same object.
BatchResult times_of_impact(const BodyBoxRows& a, const BodyBoxRows& b, std::span<const IndexPair> pairs,
                            Touch touch, std::span<float> out_toi, std::span<Face> out_faces = {}) noexcept;

}  // namespace broadside
