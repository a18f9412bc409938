// The data of a World: its objects, the pairs alive, the finders of pairs, and the trees of its queries.
#pragma once

#include "broadphase/src/world/finders/few.hpp"
#include "broadphase/src/world/finders/rest.hpp"
#include "broadphase/src/world/objects/object_table.hpp"
#include "broadphase/src/world/pairs/pair_lookup.hpp"
#include "broadphase/src/world/pairs/pair_store.hpp"
#include "broadphase/src/world/policy.hpp"
#include "broadphase/src/world/queries/tree_copies.hpp"

#include <broadside/world_view.hpp>

#include <mutex>
#include <utility>

namespace broadside::broadphase {

/// A view that one thread sets and any thread may copy.
class PublishedView {
public:
    /// The caller releases the view before, outside of the lock.
    void set(WorldView view) noexcept {
        const std::lock_guard lock(mutex_);
        std::swap(view_, view);
    }
    WorldView get() const noexcept {
        const std::lock_guard lock(mutex_);
        return view_;
    }

private:
    mutable std::mutex mutex_;
    WorldView view_;
};

class WorldData {
public:
    WorldData(const WorldSettings& settings, const Allocator& world_allocator) noexcept
        : allocator(world_allocator),
          objects(settings, allocator),
          trees(allocator),
          pairs(objects, scratch_, allocator),
          lookup(objects, pairs, allocator),
          scratch_(allocator),
          found_(allocator),
          rest_(objects, allocator),
          few_(objects, pairs, trees, rest_, scratch_, allocator) {}
    WorldData(const WorldData&) = delete;
    WorldData& operator=(const WorldData&) = delete;

    UpdateResult update(const TaskRunner* runner) noexcept;

    // snapshot.cpp
    std::size_t snapshot_bytes() const noexcept;
    /// Returns ok or out_of_memory.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Restores into a new, empty world; invalid_argument if the bytes are not a world.
    Status restore(std::span<const std::byte> bytes) noexcept;

    bool is_consistent() const noexcept {
        return objects.is_sound() && pairs.is_sound() && pairs.are_complete();
    }
    std::size_t capacity_bytes() const noexcept {
        return sizeof(WorldData) + objects.capacity_bytes() + trees.capacity_bytes() +
               pairs.capacity_bytes() + lookup.capacity_bytes() + scratch_.capacity_bytes() +
               found_.capacity_bytes() + rest_.capacity_bytes() + few_.capacity_bytes();
    }
    void shrink() noexcept;

    Allocator allocator;
    ObjectTable objects;
    /// For queries.
    TreeCopies trees;
    PublishedView published;
    PairStore pairs;
    /// For readers, any number at once; has a lock of its own.
    mutable PairLookup lookup;

private:
    Status update_changed(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status update_few(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status find(const UpdateCounts& counts, const TaskRunner* runner, UpdateResult& state_result,
                Found& out_kind) noexcept;
    Status search(const StaggeredPairs::Call& call, const UpdateCounts& counts, UpdateResult& state_result,
                  Found& out_kind) noexcept;
    Status find_all(const TaskRunner* runner, bool& out_are_parted) noexcept;
    void settle() noexcept;
    Status restore_bodies(const std::byte* bodies) noexcept;

    // Working memory of updates.
    BoxScratch scratch_;
    PairBuffer found_;
    RestFinder rest_;
    FewFinder few_;
    bool is_settled_ = false;
};

}  // namespace broadside::broadphase
