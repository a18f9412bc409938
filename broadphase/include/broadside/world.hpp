// The broad phase with a memory: objects are added, moved and removed, and every update reports which pairs
// began, persist and ended.
#pragma once

#include <broadside/allocator.hpp>
#include <broadside/box_view.hpp>
#include <broadside/exact_box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/object.hpp>
#include <broadside/status.hpp>
#include <broadside/task_runner.hpp>

#include <cstddef>
#include <span>

// For the sources of the library; a shared library does not export them.
namespace broadside::broadphase {
class WorldData;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

class PreparedObjects;
class WorldQueries;
class WorldView;

/// One item for each of the two objects of a pair, in the order of the result that holds it.
template <class Item>
struct ObjectPair {
    Item a;
    Item b;

    friend constexpr bool operator==(const ObjectPair&, const ObjectPair&) = default;
};
/// Two objects.
using WorldPair = ObjectPair<ObjectHandle>;
/// The user data of two objects.
using PairUserData = ObjectPair<std::uint64_t>;

/// A pair that has ended, and its last value.
struct EndedPair {
    ObjectHandle a;
    ObjectHandle b;
    std::uint64_t value;
};

/// The canonical order of pairs; ties cannot occur in either.
enum class WorldOrder : std::uint8_t {
    /// By the slots of the handles, which depend on the order of insertion.
    slot,
    /// By user data, the smaller one of a pair first, then by slot. With distinct user data the results and
    /// the hash do not depend on the order of insertion. Costs a sort of the lists that are read.
    user_data,
};

/// Settings of a World that never change.
struct WorldSettings {
    /// Default slot, which costs nothing.
    WorldOrder order = WorldOrder::slot;
    /// Default false: two fixed objects never pair.
    bool fixed_objects_pair = false;
    /// Maximum number of objects; beyond it `add` returns capacity_exceeded. At most and by default 2^31.
    std::size_t max_object_count = std::size_t{1} << 31;
    /// Maximum number of pairs alive; beyond it `update` returns capacity_exceeded and changes nothing. At
    /// most 2^32 - 1, also by default.
    std::size_t max_pair_count = ~std::size_t{0};
};

/// How an update found its pairs; the results do not depend on it.
enum class UpdatePath : std::uint8_t {
    /// Nothing had changed.
    nothing,
    /// Changed objects against each other and against all resting ones.
    movers,
    /// All objects.
    complete,
};

/// The result of an update.
struct [[nodiscard]] UpdateResult {
    /// ok; out_of_memory, capacity_exceeded (max_pair_count), unsupported_isa or invalid_argument (a runner
    /// without a function): then the pairs are those of the update before, and the next update catches up.
    Status status = Status::ok;
    /// The objects that it compared.
    UpdatePath path = UpdatePath::nothing;
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    std::size_t pair_count = 0;
    /// Objects that were added or removed, or whose box, displacement, margin, kind or filter was set to
    /// something else since the update before, and the objects of both layers of a changed layer rule. An
    /// object counts once, and together with the one that took its slot.
    std::size_t changed_count = 0;
    /// Nanoseconds spent finding pairs, sorting resting objects, and comparing new pairs with old ones.
    std::uint64_t find_nanoseconds = 0;
    std::uint64_t rest_nanoseconds = 0;
    std::uint64_t compare_nanoseconds = 0;
};

/// Objects with boxes, and the pairs of them that overlap: closed intervals, exactly, of the boxes swept by
/// their displacements and grown by their margins. No bounds of the world, no tuning. Changes of any kind are
/// legal at any time between updates and take effect at the next; the lists of an update stay until then.
///
/// The results and their order are the same on every ISA and for any number of workers. Movable, not
/// copyable. Not for two threads at once; any number may read while none changes it.
class World {
public:
    /// An empty world. Allocates 20 KB; if they are refused, the first call that needs them tries again.
    explicit World(const WorldSettings& settings = {},
                   const Allocator& allocator = default_allocator()) noexcept;
    World(World&& other) noexcept;
    World& operator=(World&& other) noexcept;
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    // Objects. A batch is checked whole before anything changes: under any status but ok nothing has changed,
    // and bad_index is the first bad item (a handle that names nothing, the same handle twice for `remove`, a
    // refused description or displacement). It is kNoIndex if not an item is bad but a margin, kind or
    // description that all share. Boxes may be anything; ObjectDescription says which margins and
    // displacements are legal.

    BatchResult add(std::span<const ObjectDescription> descriptions,
                    std::span<ObjectHandle> out_handles) noexcept;
    /// Adds objects that differ only in their boxes; the box of `common` is not read.
    BatchResult add(const BoxSoaView& boxes, const ObjectDescription& common,
                    std::span<ObjectHandle> out_handles) noexcept;
    /// Adds prepared objects; any thread can prepare them, by PreparedObjects::prepare. The same as adding
    /// the descriptions, handles too, at about two thirds of the cost (bench `world_add_prepared` beside
    /// `world_add`); include prepared_objects.hpp.
    BatchResult add(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept;
    /// Adds one object. Returns a null handle if there is no room; the batch form says why.
    ObjectHandle add(const ObjectDescription& description) noexcept;
    /// Removes objects; the handles name nothing from now on. The objects added next take their slots in the
    /// order of the handles, so a caller that removes some and adds as many keeps the order of the objects.
    BatchResult remove(std::span<const ObjectHandle> handles) noexcept;
    /// Sets a box for each handle. With a runner, tasks set many boxes whose handles ascend by slot;
    /// otherwise one thread does.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const BoxSoaView& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// Takes boxes inside the caller's structs, and otherwise does the same.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const BoxAosView& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// The same for boxes of doubles, which are rounded outwards like BoxSoa::assign_outwards rounds them.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const ExactBoxView<double>& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// Sets the box of one object, from any thread: any number may call it at once, each for other objects,
    /// while nothing else reads or changes the world. The world is then the same as by `set_box`, in whatever
    /// order threads came; use it again once they are done. invalid_argument if the handle names nothing.
    /// Costs up to four atomic operations more than `set_box`, one or two as a rule.
    Status set_box_shared(ObjectHandle handle, const Aabb& box) noexcept;
    /// Sets all properties, a description each: box, margin, displacement, kind, filter and user data.
    BatchResult set(std::span<const ObjectHandle> handles,
                    std::span<const ObjectDescription> descriptions) noexcept;
    /// Sets a displacement for each handle.
    BatchResult set_displacements(std::span<const ObjectHandle> handles,
                                  const Vec3SoaView& displacements) noexcept;
    /// Sets the same margin, kind or filter for all handles.
    BatchResult set_margin(std::span<const ObjectHandle> handles, float margin) noexcept;
    BatchResult set_kind(std::span<const ObjectHandle> handles, ObjectKind kind) noexcept;
    BatchResult set_filter(std::span<const ObjectHandle> handles, const ObjectFilter& filter) noexcept;
    /// Sets the same user data for all handles. Can change the order of the results, but no pair.
    BatchResult set_user_data(std::span<const ObjectHandle> handles, std::uint64_t user_data) noexcept;
    /// For one object; invalid_argument if the handle names nothing.
    Status remove(ObjectHandle handle) noexcept { return remove(std::span(&handle, 1)).status; }
    Status set_box(ObjectHandle handle, const Aabb& box) noexcept;
    Status set(ObjectHandle handle, const ObjectDescription& description) noexcept {
        return set(std::span(&handle, 1), std::span(&description, 1)).status;
    }
    Status set_margin(ObjectHandle handle, float margin) noexcept {
        return set_margin(std::span(&handle, 1), margin).status;
    }
    Status set_kind(ObjectHandle handle, ObjectKind kind) noexcept {
        return set_kind(std::span(&handle, 1), kind).status;
    }
    Status set_filter(ObjectHandle handle, const ObjectFilter& filter) noexcept {
        return set_filter(std::span(&handle, 1), filter).status;
    }
    Status set_user_data(ObjectHandle handle, std::uint64_t user_data) noexcept {
        return set_user_data(std::span(&handle, 1), user_data).status;
    }

    bool is_alive(ObjectHandle handle) const noexcept;
    /// The properties of an object; default ones if the handle names nothing, which asserts.
    ObjectDescription description(ObjectHandle handle) const noexcept;
    /// The user data of an object, the same as in `description`. O(1).
    std::uint64_t user_data(ObjectHandle handle) const noexcept;
    std::size_t object_count() const noexcept;
    /// Slots in use and free ones; every living handle's slot is below.
    std::size_t slot_count() const noexcept;
    /// Lists the objects whose boxes are invalid now, ascending by slot, and returns how many there are;
    /// `out_handles` gets as many as fit.
    std::size_t quarantined_objects(std::span<ObjectHandle> out_handles) const noexcept;

    /// Sets whether objects of two layers, or of one, may pair, in both directions; all may by default. If
    /// that is a change, the objects of both layers count as changed: O(slots + rules). invalid_argument if a
    /// layer is not below kLayerCount. A layer without a forbidding rule costs the test of a bit for each
    /// pair, a world without rules nothing.
    Status set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept;

    /// Whether two layers may pair, as set last; false for an invalid layer, which asserts.
    bool layers_pair(std::uint32_t layer_a, std::uint32_t layer_b) const noexcept;

    /// The smallest box around the boxes of all objects, without margins and displacements; invalid boxes do
    /// not count. Aabb::empty() if there is none. O(slots).
    Aabb bounds() const noexcept;

    /// Subtracts `offset` from all boxes, which are rounded and checked again; a box that holds no finite
    /// point then is quarantined. invalid_argument, and no change, if the offset is not finite.
    Status shift_origin(Vec3 offset) noexcept;

    // Pairs.

    /// Brings the pairs up to date. If few objects have changed, O(those and the pairs that they have, get or
    /// lose), once a tree for them is made, a part in each of the first ten such updates. If more have,
    /// O(changed objects + what they meet + pairs), or of all objects. If none has, the test of a flag.
    /// Allocates only to grow.
    UpdateResult update(const TaskRunner* runner = nullptr) noexcept;

    /// The lists of the last update, each complete and in canonical order: `begun` are the pairs that the
    /// update before did not have, `persisting` those that it had, and `ended` those that are gone. Valid
    /// until the next update. A pair of a removed object has ended; an object that took its slot begins anew.
    /// `persisting` and `pairs` are built at their first call, O(pairs), by whichever thread makes it, and
    /// are empty if there is no memory for it. The next update costs the same whether they were or not.
    std::span<const WorldPair> begun() const noexcept;
    std::span<const EndedPair> ended() const noexcept;
    /// User data of the pairs of `ended`, one for each, because a removed object has it nowhere else. As set
    /// last, or, if user data is the order, as of the update before. For living objects use `user_data`.
    std::span<const PairUserData> ended_user_data() const noexcept;
    /// User data of the pairs of `begun`, one for each, as it is at the first call after an update. That call
    /// builds the list, O(begun).
    std::span<const PairUserData> begun_user_data() const noexcept;
    std::span<const WorldPair> persisting() const noexcept;
    /// All pairs alive, begun and persisting.
    std::span<const WorldPair> pairs() const noexcept;
    std::size_t pair_count() const noexcept;

    /// The caller's value of a pair that is alive, zero when it began; null if the pair is not alive. Valid
    /// until the next update, which moves it along with the pair. O(log pairs). Values are kept from the
    /// first call for a pair alive on, which also returns null if there is no memory for them.
    std::uint64_t* pair_value(ObjectHandle a, ObjectHandle b) noexcept;
    /// Only reads, so that several threads may call it at once. Also null while no values are kept.
    const std::uint64_t* pair_value(ObjectHandle a, ObjectHandle b) const noexcept;

    /// Prepares queries: rays, overlaps, casts and nearest objects; include world_query.hpp. Brings a tree
    /// for each kind of object up to date, which costs what has changed since the last call: O(log objects)
    /// for each object that was added, removed or set, whether an update came between or not; a pass over all
    /// if one in sixteen was. The first call sorts all objects. Changes count at once, whether an update has
    /// seen them or not. The result is valid until the next change or update.
    WorldQueries queries(const TaskRunner* runner = nullptr) noexcept;

    /// The same, valid for as long as it is held, whatever becomes of the world: include world_view.hpp.
    /// Costs what `queries` costs, and the changes since the copy of the world that it takes was last used:
    /// if no view is held for longer than until the next but one, each change is made twice.
    WorldView view(const TaskRunner* runner = nullptr) noexcept;

    /// Makes `latest` return the view that `view` would return now, for threads that have no view of their
    /// own. The world holds it until the next call, and so keeps a second copy of what has changed since; see
    /// WorldView. Under any status but ok `latest` stays as it is.
    Status publish(const TaskRunner* runner = nullptr) noexcept;
    /// The view published last, or one of no world. Callable from any thread at any time, also while the
    /// world changes, updates and publishes, but not while it is moved, restored or destroyed. Costs a lock
    /// that is never held for longer than it takes to copy a pointer.
    WorldView latest() const noexcept;

    /// Whether the boxes themselves overlap, without margin and displacement; false if a handle names
    /// nothing, which asserts.
    bool boxes_overlap(ObjectHandle a, ObjectHandle b) const noexcept;

    /// The objects that an object pairs with as of the last update, in canonical order; none if the handle
    /// named nothing then. Valid until the next update. O(1), except for the first call after an update, by
    /// whichever thread: the very first lists the pairs of each object, O(pairs); later ones apply what began
    /// and ended, up to one in eight of the pairs. The next update costs the same whether this was called or
    /// not. Takes 20 bytes a pair and 32 an object from then on, and if pairs begin and end up to 32 a pair.
    /// Empty if there is no memory for it.
    std::span<const ObjectHandle> pairs_of(ObjectHandle handle) const noexcept;

    /// A hash of the set of pairs alive: equal sets have equal hashes. It hashes handles, or user data if
    /// that is the order. O(1).
    std::uint64_t pairs_hash() const noexcept;

    // The world as bytes.

    /// Bytes that `save` writes.
    std::size_t snapshot_bytes() const noexcept;
    /// Writes everything, changes since the last update too, in a format with a version and a checksum; the
    /// bytes are the same on every machine. capacity_exceeded if `out_bytes` is too small; out_of_memory.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Becomes the saved world, with its settings; until the next update nothing has begun or ended and every
    /// pair persists, and until the next `publish` there is no latest view. invalid_argument, and no change, if
    /// the bytes are incomplete, damaged, of another version, or hold what `add` refuses. Pairs are not searched
    /// for: bytes that `save` did not write may lack some, which `is_consistent` detects.
    Status restore(std::span<const std::byte> bytes) noexcept;

    /// Checks what must hold between the arrays, and compares the pairs of objects that have not changed
    /// since the last update with those of a plain `find_pairs`. For tests, and for callers that suspect a
    /// defect. Takes a plain search and its memory; without that memory the pairs are not compared.
    bool is_consistent() const noexcept;

    /// Bytes that the world holds. In steady motion, once the memory of the first updates is given back: 320
    /// bytes an object and 30 a pair, 70 if sizes differ much; 45 an object more if any has a margin or a
    /// displacement. In other use up to three times that. The trees of queries take 170 an object (450 of a
    /// thousand of three kinds), values 16 a pair, and events 56 each for the most there were.
    std::size_t capacity_bytes() const noexcept;
    /// Gives back all memory except that of the objects, the pairs, and the events of the last update: at
    /// most 84 bytes a slot, 124 if any has a margin or a displacement (an eighth more slots than there are,
    /// in steps, hold nothing), 8 a pair, 16 if values are kept, 40 an event, 4 a layer rule, and 32 KB. Data
    /// moves to smaller memory; if there is none, more stays. Results of `queries`, `pairs` and their like
    /// become invalid; views stay valid, and the world holds that of `latest` without counting its bytes. The
    /// next update, and the next query, take and cost what the first one did.
    void shrink() noexcept;

private:
    // Makes the data if there is none. Null if there is no memory for it, reported as out_of_memory.
    broadphase::WorldData* data() noexcept;

    WorldSettings settings_;
    Allocator allocator_;
    // Null in an empty world that was moved from, or that there was no memory for so far.
    broadphase::WorldData* data_;
};

}  // namespace broadside
