// A World's answers that stay, for threads that ask while it goes on.
#pragma once

#include <broadside/export.hpp>
#include <broadside/world_query.hpp>

#include <utility>

namespace BROADSIDE_API broadside {

/// What World::queries answers, as of the moment at which World::view was called: objects may be set, added and
/// removed, updates may run, the world may end, and the answers stay the same, bit for bit those of a world that
/// was left alone.
///
/// Threads. A view is made by the thread that changes the world. It may be copied, asked, moved and released by
/// any thread, and any number may ask it at once, each with a scratch of its own; none waits for another or for
/// the world. A WorldView variable itself is like a std::shared_ptr: what one thread assigns another may not read
/// meanwhile; give each thread a copy.
///
/// Cost. Copying and releasing is one atomic addition. A held view keeps a copy of what questions walk: about 160
/// bytes an object, 440 where there are but a thousand of three kinds, and twice that once changes have worn its trees
/// and others were made beside them. The world makes a copy only when the current
/// one is held and something has changed, and keeps it for later views, so there are at most as many as views of
/// different states were held at once, and one more; no further copy is made then. A change is made once in
/// every copy, when that is next used: with one view a frame, held until the next one is there, each change is made
/// twice, and a view costs what World::queries costs. A copy that was held for long has missed more. The memory of
/// copies in use is given back when the world and the last view are gone, by the thread that lets go of it last: the
/// world's Allocator must be callable from there.
class WorldView {
public:
    /// Of no world: whose status is out_of_memory, and which finds nothing.
    WorldView() noexcept = default;
    WorldView(const WorldView& other) noexcept;
    WorldView(WorldView&& other) noexcept : queries_(std::exchange(other.queries_, WorldQueries())) {}
    WorldView& operator=(WorldView other) noexcept {
        std::swap(queries_, other.queries_);
        return *this;
    }
    ~WorldView();

    /// ok; what World::queries answers: then nothing can be asked, and nothing is held.
    Status status() const noexcept { return queries_.status(); }
    /// The questions, for as long as the view is held.
    const WorldQueries& queries() const noexcept { return queries_; }
    /// `view->closest_hit(ray)` asks.
    const WorldQueries* operator->() const noexcept { return &queries_; }

    // What World says of an object, as it was.

    bool is_alive(ObjectHandle handle) const noexcept;
    /// The object's own box, as it was set, valid or not; Aabb::empty() when the handle names nothing then.
    Aabb box(ObjectHandle handle) const noexcept;
    /// Zero when the handle names nothing then.
    std::uint64_t user_data(ObjectHandle handle) const noexcept;

    /// As if it had been made by the default constructor.
    void release() noexcept { *this = WorldView(); }

private:
    friend class World;

    explicit WorldView(const WorldQueries& queries) noexcept;

    WorldQueries queries_;
};

}  // namespace broadside
