// Queries of a World at one moment, for threads that query while it goes on.
#pragma once

#include <broadside/export.hpp>
#include <broadside/world_query.hpp>

#include <utility>

namespace BROADSIDE_API broadside {

/// The queries of World::queries, as of the moment of World::view: objects may be set, added and removed,
/// updates may run, the world may end, and the results stay the same, bit for bit those of a world that was
/// left alone.
///
/// Threads. The thread that changes the world makes a view. Any thread may copy, query, move and release it,
/// and any number may query it at once, each with its own scratch; none waits for another or for the world. A
/// WorldView variable itself is like a std::shared_ptr: while one thread assigns it, no other may read it;
/// give each thread a copy.
///
/// Cost. Copying or releasing a view is one atomic addition. A held view keeps a copy of what queries walk:
/// about 170 bytes an object, 450 if there are but a thousand of three kinds, and twice that once changes
/// have degraded its trees and others were made beside them. The world makes a copy only if the current one
/// is held and something has changed, and keeps it for later views. So there are at most as many copies as
/// views of different states were held at once, and one more; no further copy is made then. A change is made
/// once in every copy, when that is next used: with one view a frame, held until the next one is there, each
/// change is made twice, and a view costs what World::queries costs. A copy that was held for long has missed
/// more. The memory of copies in use is given back when the world and the last view are gone, by the thread
/// that lets go of it last: the world's Allocator must be callable from there.
class WorldView {
public:
    /// A view of no world: its status is out_of_memory, and it finds nothing.
    WorldView() noexcept = default;
    WorldView(const WorldView& other) noexcept;
    WorldView(WorldView&& other) noexcept : queries_(std::exchange(other.queries_, WorldQueries())) {}
    WorldView& operator=(WorldView other) noexcept {
        std::swap(queries_, other.queries_);
        return *this;
    }
    ~WorldView();

    /// ok, or the status of World::queries: then no query is possible, and nothing is held.
    Status status() const noexcept { return queries_.status(); }
    /// The queries, valid for as long as the view is held.
    const WorldQueries& queries() const noexcept { return queries_; }
    /// For `view->closest_hit(ray)`.
    const WorldQueries* operator->() const noexcept { return &queries_; }

    // Properties of an object, as they were.

    bool is_alive(ObjectHandle handle) const noexcept;
    /// The object's own box, as it was set, valid or not; Aabb::empty() if the handle named nothing then.
    Aabb box(ObjectHandle handle) const noexcept;
    /// Zero if the handle named nothing then.
    std::uint64_t user_data(ObjectHandle handle) const noexcept;

    /// Becomes a view of no world.
    void release() noexcept { *this = WorldView(); }

private:
    friend class World;

    explicit WorldView(const WorldQueries& queries) noexcept;

    WorldQueries queries_;
};

}  // namespace broadside
