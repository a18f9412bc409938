// The broadphase with a memory: objects come, move and go, and every update says which pairs began, persist
// and ended.
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

// For the sources of the library; a shared one does not show them.
namespace broadside::broadphase {
class WorldData;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

class PreparedObjects;
class WorldQueries;
class WorldView;

/// Two objects, in the order of the result that they are in.
struct WorldPair {
    ObjectHandle a;
    ObjectHandle b;

    friend constexpr bool operator==(const WorldPair&, const WorldPair&) = default;
};

/// A pair that is no more, with what its value was.
struct EndedPair {
    ObjectHandle a;
    ObjectHandle b;
    std::uint64_t value;
};

/// The user data of the objects of a pair.
struct PairUserData {
    std::uint64_t a;
    std::uint64_t b;

    friend constexpr bool operator==(const PairUserData&, const PairUserData&) = default;
};

/// The canonical order of pairs; ties cannot occur in either.
enum class WorldOrder : std::uint8_t {
    /// By the slots of the handles, which depend on the order of insertion.
    slot,
    /// By user data, the smaller one of a pair first, then by slot: with distinct user data the results and
    /// the hash do not depend on the order of insertion. Costs a sort of what is read.
    user_data,
};

/// Rules of a World that stay for its life.
struct WorldSettings {
    /// Default slot, which costs nothing.
    WorldOrder order = WorldOrder::slot;
    /// Default false: two fixed objects never pair.
    bool fixed_objects_pair = false;
    /// Most objects at a time; `add` answers capacity_exceeded. At most 2^31, the default.
    std::size_t max_object_count = std::size_t{1} << 31;
    /// Most pairs alive; `update` answers capacity_exceeded and changes nothing. At most 2^32 - 1 whatever this says,
    /// and by default.
    std::size_t max_pair_count = ~std::size_t{0};
};

/// How an update found its pairs; the results do not depend on it.
enum class UpdatePath : std::uint8_t {
    /// Nothing had changed.
    nothing,
    /// Changed objects against each other and against all that rest.
    movers,
    /// All objects.
    complete,
};

/// What an update has found.
struct [[nodiscard]] UpdateResult {
    /// ok; out_of_memory, capacity_exceeded (max_pair_count), unsupported_isa or invalid_argument (a runner
    /// without a function): then the pairs are those of the update before, and the next update makes up for
    /// it.
    Status status = Status::ok;
    /// What it had to look at.
    UpdatePath path = UpdatePath::nothing;
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    std::size_t pair_count = 0;
    /// Objects that were added, removed, or whose box, displacement, margin, kind or filter was set to
    /// something else since the update before, and those of the two layers of a rule that was. An object counts
    /// once, and together with the one that took its slot.
    std::size_t changed_count = 0;
    /// Nanoseconds spent on finding pairs, on sorting what rests, and on telling old from new.
    std::uint64_t find_nanoseconds = 0;
    std::uint64_t rest_nanoseconds = 0;
    std::uint64_t compare_nanoseconds = 0;
};

/// Objects with boxes, and the pairs of them that overlap: closed intervals, exactly, of the boxes swept by
/// their displacements and grown by their margins. No bounds of the world, no tuning. Changes of any kind are
/// legal at any time between updates and take effect at the next one; the lists that an update left stay as
/// they are until then.
///
/// The results and their order are the same on every ISA and for any number of workers. Movable, not
/// copyable. Not for two threads at once; any number may read while none changes it.
class World {
public:
    /// Without objects. Allocates nothing.
    explicit World(const WorldSettings& settings = {},
                   const Allocator& allocator = default_allocator()) noexcept;
    World(World&& other) noexcept;
    World& operator=(World&& other) noexcept;
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    // Objects. A batch is checked whole before anything changes: with another status than ok, nothing has,
    // and bad_index is the first item that is to blame (a handle that names nothing, twice the same for `remove`, a
    // description or displacement that is refused), or kNoIndex where no item is: a margin, a kind or a description
    // that all have in common. Boxes may be anything; of margins and displacements ObjectDescription says what is legal.

    BatchResult add(std::span<const ObjectDescription> descriptions,
                    std::span<ObjectHandle> out_handles) noexcept;
    /// Boxes that have all else in common; the box of `common` is not read.
    BatchResult add(const BoxSoaView& boxes, const ObjectDescription& common,
                    std::span<ObjectHandle> out_handles) noexcept;
    /// The second of two steps, of which the first, PreparedObjects::prepare, can be made by any thread. The same
    /// as adding the descriptions, handles too, at about two thirds of the cost (bench `world_add_prepared` beside
    /// `world_add`); include prepared_objects.hpp.
    BatchResult add(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept;
    /// A null handle when there is no room; the batch form says why.
    ObjectHandle add(const ObjectDescription& description) noexcept;
    /// The handles name nothing from now on. The next that are added take their slots in the order of the handles, so
    /// that who removes some and adds as many keeps the objects in the order that they had.
    BatchResult remove(std::span<const ObjectHandle> handles) noexcept;
    /// With a runner, tasks set many boxes whose handles ascend by slot; others one thread does.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const BoxSoaView& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// Boxes may stand inside the caller's structs, too.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const BoxAosView& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// Boxes of doubles are rounded outwards, as BoxSoa::assign_outwards rounds them.
    BatchResult set_boxes(std::span<const ObjectHandle> handles, const ExactBoxView<double>& boxes,
                          const TaskRunner* runner = nullptr) noexcept;
    /// The box of one object, from any thread: any number may call it at once, each for other objects, while nothing
    /// else is asked of the world or changes it. What follows is the same as by `set_box`, in whatever order threads
    /// came, and waits until they are done. invalid_argument when the handle names nothing. Costs up to four atomic
    /// operations more than `set_box`, one or two as a rule.
    Status set_box_shared(ObjectHandle handle, const Aabb& box) noexcept;
    /// All that objects are: box, margin, displacement, kind, filter and user data. One for each handle.
    BatchResult set(std::span<const ObjectHandle> handles,
                    std::span<const ObjectDescription> descriptions) noexcept;
    /// One for each handle.
    BatchResult set_displacements(std::span<const ObjectHandle> handles,
                                  const Vec3SoaView& displacements) noexcept;
    /// The same for all of them.
    BatchResult set_margin(std::span<const ObjectHandle> handles, float margin) noexcept;
    BatchResult set_kind(std::span<const ObjectHandle> handles, ObjectKind kind) noexcept;
    BatchResult set_filter(std::span<const ObjectHandle> handles, const ObjectFilter& filter) noexcept;
    /// Changes the order of the results where user data is the order, and no pair.
    BatchResult set_user_data(std::span<const ObjectHandle> handles, std::uint64_t user_data) noexcept;
    /// One object; invalid_argument when the handle names nothing.
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
    /// What is known of an object; a default one when the handle names nothing, which asserts.
    ObjectDescription description(ObjectHandle handle) const noexcept;
    /// The user data of an object, as `description` says it. O(1).
    std::uint64_t user_data(ObjectHandle handle) const noexcept;
    std::size_t object_count() const noexcept;
    /// Slots in use and free ones; no living handle's slot is at or above.
    std::size_t slot_count() const noexcept;
    /// Objects whose boxes are invalid now, ascending by slot; `out_handles` gets as many as fit.
    std::size_t quarantined_objects(std::span<ObjectHandle> out_handles) const noexcept;

    /// Whether objects of two layers, or of one, may pair, in both directions; all may by default. When that is
    /// something else than before, the objects of both layers count as changed: O(slots + rules).
    /// invalid_argument when a layer is not below kLayerCount. A layer that no rule forbids anything costs a look
    /// at a bit for each pair, a world without rules nothing.
    Status set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept;

    /// As it was set last; false when a layer is none, which asserts.
    bool layers_pair(std::uint32_t layer_a, std::uint32_t layer_b) const noexcept;

    /// The least box around the boxes of all objects, without margins and displacements; invalid ones are in no
    /// bounds. Aabb::empty() where there is none. O(slots).
    Aabb bounds() const noexcept;

    /// Subtracts `offset` from all boxes, which are rounded and looked at again; one that ends beyond FLT_MAX
    /// is quarantined. invalid_argument, and nothing has changed, when the offset is not finite.
    Status shift_origin(Vec3 offset) noexcept;

    // Pairs.

    /// Brings the pairs up to date. Where few objects have changed O(those and the pairs that they have, get
    /// or lose), once a tree for them is made, some of it in each of the first ten such updates; where more have,
    /// O(changed objects + what they meet + pairs), or of all objects; nothing but a look at a flag when none
    /// did. Allocates only to grow.
    UpdateResult update(const TaskRunner* runner = nullptr) noexcept;

    /// The lists of the last update, each complete and in canonical order: pairs that were not in the update
    /// before, pairs that were, pairs that were and are no more. Valid until the next update. A pair of an
    /// object that was removed has ended; an object that took its slot begins anew. `persisting` and `pairs`
    /// are put together when they are first asked for, O(pairs), by whichever thread that is, and empty when there is
    /// no memory for it. The next update costs the same whether they were or not.
    std::span<const WorldPair> begun() const noexcept;
    std::span<const EndedPair> ended() const noexcept;
    /// Of the pairs of `ended`, one for each: an object that was removed has it nowhere else. As it was set last, or,
    /// where user data is the order, as of the update before. That of living objects `user_data` says.
    std::span<const PairUserData> ended_user_data() const noexcept;
    /// Pairs of `begun` have one each, too, as user data is when this is first asked after an update. That call puts the
    /// list together, O(begun).
    std::span<const PairUserData> begun_user_data() const noexcept;
    std::span<const WorldPair> persisting() const noexcept;
    /// Begun and persisting ones together.
    std::span<const WorldPair> pairs() const noexcept;
    std::size_t pair_count() const noexcept;

    /// The caller's value of a pair that is alive, zero when it began; null when the pair is not alive. Valid
    /// until the next update, which moves it along with the pair. O(log pairs). Values are kept from the first
    /// one on that is asked for, which answers null too where there is no memory for them.
    std::uint64_t* pair_value(ObjectHandle a, ObjectHandle b) noexcept;
    /// This one only reads, for several threads at once. Null, too, while no values are kept.
    const std::uint64_t* pair_value(ObjectHandle a, ObjectHandle b) const noexcept;

    /// Rays, overlaps, casts and nearest objects: include world_query.hpp. Brings a tree for each kind of
    /// object up to date, which costs what has changed since the last time, O(log objects) for each that was
    /// added, removed or set, whether an update came between or not; where one in sixteen was, a look at all.
    /// The first call sorts all objects. Changes count at once, whether an update has seen them or not. What
    /// it returns is valid until the next change or update.
    WorldQueries queries(const TaskRunner* runner = nullptr) noexcept;

    /// The same, valid for as long as it is held, whatever becomes of the world: include world_view.hpp. Costs
    /// what `queries` costs, and what has changed since the copy of the world that it takes was asked last:
    /// where no view is held for longer than until the next but one, each change is made twice.
    WorldView view(const TaskRunner* runner = nullptr) noexcept;

    /// Makes `latest` the view that `view` would return now, for threads that have no view of their own. The world
    /// holds it until the next call, and so keeps a second copy of what has changed since; see WorldView. With another
    /// status than ok `latest` stays as it is.
    Status publish(const TaskRunner* runner = nullptr) noexcept;
    /// The view published last, or one of no world. From any thread and at any time, while the world changes, updates
    /// and publishes, too, but not while it is moved, restored or destroyed. Costs a lock that nobody holds for longer
    /// than it takes to copy a pointer.
    WorldView latest() const noexcept;

    /// Whether the boxes themselves overlap, without margin and displacement; false when a handle names
    /// nothing, which asserts.
    bool boxes_overlap(ObjectHandle a, ObjectHandle b) const noexcept;

    /// The objects that an object pairs with as of the last update, in canonical order; none when the handle
    /// named nothing then. Valid until the next update. O(1), but for the first call after an update, by whichever
    /// thread: that of the first update after which it is asked puts the pairs beside their objects, O(pairs), and of
    /// the next ones puts what began and ended there, up to one in eight of the pairs. The next update costs the same
    /// whether this was asked or not. Takes 20 bytes a pair and 32 an object from then on, and where pairs begin and
    /// end up to 32 a pair. Empty when there is no memory for it.
    std::span<const ObjectHandle> pairs_of(ObjectHandle handle) const noexcept;

    /// A hash of the set of pairs alive: equal sets, equal hashes. Of handles, or, where user data is the
    /// order, of user data. O(1).
    std::uint64_t pairs_hash() const noexcept;

    // The world as bytes.

    /// Bytes that `save` writes.
    std::size_t snapshot_bytes() const noexcept;
    /// Everything, changes since the last update too, in a format with a version and a checksum; the bytes are
    /// the same on every machine. capacity_exceeded when `out_bytes` is too small; out_of_memory.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Becomes the saved world, with the settings it had; until the next update nothing has begun or ended
    /// and every pair persists. invalid_argument when the bytes are not whole, damaged, of another version,
    /// or hold what `add` refuses; nothing has changed then. Pairs are not searched for: bytes that `save` did not
    /// write may lack some, which `is_consistent` tells.
    Status restore(std::span<const std::byte> bytes) noexcept;

    /// Checks what must hold between the arrays, and the pairs of objects that have not changed since the last update
    /// beside those of a plain `find_pairs`; for tests, and whoever suspects a defect. Takes a plain search and its
    /// memory; without that memory the pairs are not compared.
    bool is_consistent() const noexcept;

    /// In steady motion, when what the first updates took is given back, 320 bytes an object and 30 a pair, 70 where
    /// sizes differ much; 45 an object more where one has a margin or a displacement. In other lives up to twice
    /// that. The trees of queries take 150 an object, values 16 a pair, and events 56 each for the most there were.
    std::size_t capacity_bytes() const noexcept;
    /// Gives back all memory but that of the objects, the pairs, and the events of the last update: at most
    /// 84 bytes a slot, 124 where one has a margin or a displacement (an eighth more slots than there are, in steps,
    /// hold nothing), 8 a pair, 16 where values are kept, 40 an event, and 16 KB. Less memory is asked for to move things to, and where there is none, more
    /// stays. What `queries`, `pairs` and their like returned is not valid any more; views are. The next update,
    /// and the next query, take and cost what the first one did.
    void shrink() noexcept;

private:
    // Makes the data where there is none; null when there is no memory for it, which out_of_memory answers.
    broadphase::WorldData* data() noexcept;

    WorldSettings settings_;
    Allocator allocator_;
    // Null in an empty world that was moved from, or that there was no memory for so far.
    broadphase::WorldData* data_;
};

}  // namespace broadside
