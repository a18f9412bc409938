// One World per rank: objects of many processes, and all their pairs, each on one rank. README.md explains
// how it works.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/world.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

// In mpi.h this is a type of this name, or an integer.
#include <mpi.h>

namespace mpi_example {

/// An object as ranks send it to each other. A host adds the other data of its bodies, which travel along.
struct Object {
    /// Never used a second time, on any rank.
    std::uint64_t id = 0;
    broadside::Aabb box = {};
    /// The box of the last update; empty if the object is new.
    broadside::Aabb previous_box = broadside::Aabb::empty();
};

/// Two objects, the smaller id first.
struct IdPair {
    std::uint64_t a = 0;
    std::uint64_t b = 0;

    friend constexpr bool operator==(const IdPair&, const IdPair&) = default;
    friend constexpr auto operator<=>(const IdPair&, const IdPair&) = default;
};

/// Results of an update of this rank.
struct UpdateCounts {
    /// Objects that live on this rank, objects of other ranks that reach into its slab or did before, and
    /// objects sent.
    std::size_t own_count = 0;
    std::size_t ghost_count = 0;
    std::size_t sent_count = 0;
    /// Whether the slabs were cut again; the same on all ranks.
    bool is_cut_again = false;
    /// Seconds in World::update; the rest is the exchange and the work of this class.
    double world_seconds = 0;
};

/// The pairs and events of all ranks together are those of one World with all objects. Space is cut along an
/// axis into a slab for each rank. An object lives on the rank whose slab contains its min corner. A pair is
/// reported by the rank whose slab contains the larger of its two min corners. A failure aborts the
/// communicator's processes.
class MpiWorld {
public:
    /// Call on all ranks of the communicator, which must outlive the object, as must MPI. `axis` is 0, 1 or
    /// 2.
    explicit MpiWorld(MPI_Comm communicator, int axis = 0);
    MpiWorld(const MpiWorld&) = delete;
    MpiWorld& operator=(const MpiWorld&) = delete;
    ~MpiWorld();

    /// Call on any one rank; the next update takes the object to its home.
    void add(std::uint64_t id, const broadside::Aabb& box);

    /// Calls `next_box(id, box)` for each object that lives on this rank, once between two updates. It
    /// returns the box of the next update, or nothing to remove the object.
    template <class NextBox>
    void move(NextBox&& next_box) {
        for (Local& local : locals_) {
            if (local.role != Role::own) continue;
            if (const std::optional<broadside::Aabb> box = next_box(local.id, local.box)) {
                local.box = *box;
            } else {
                local.role = Role::gone;
                --own_count_;
            }
        }
    }

    /// Brings the pairs up to date. All ranks call it, and none returns before all have called.
    UpdateCounts update(const broadside::TaskRunner* runner = nullptr);

    /// The reports of this rank for the last update, unordered; valid until the next one. `pairs` is valid
    /// until the next `add` or `move`.
    std::span<const IdPair> begun() const { return begun_; }
    std::span<const IdPair> ended() const { return ended_; }
    std::vector<IdPair> pairs() const;

    /// Slab `rank` is from cuts()[rank] up to, and without, cuts()[rank + 1]. The same on all ranks.
    std::span<const float> cuts() const { return cuts_; }

private:
    // A gone object overlaps nothing in this update and leaves the World after it: until then handles of
    // ended pairs name it.
    enum class Role : std::uint8_t { none, own, ghost, gone };
    struct Local : Object {
        broadside::ObjectHandle handle;
        // For a ghost: the update in which it was last sent.
        std::uint64_t update = 0;
        Role role = Role::none;
    };
    // No slabs by default.
    struct Slabs {
        int first = -1;
        int last = -2;

        bool is_none() const { return last < first; }
        bool hold(int rank) const { return first <= rank && rank <= last; }
    };

    float along_axis(const broadside::Vec3& corner) const;
    static int slab_of(const std::vector<float>& cuts, float x);
    Slabs reach(const std::vector<float>& cuts, const broadside::Aabb& box) const;
    bool reports(const std::vector<float>& cuts, const broadside::Aabb& a, const broadside::Aabb& b) const;

    Local& add_local(const Object& object, Role role);
    bool cut_again_if_uneven();
    std::vector<float> cuts_of_samples() const;
    std::size_t send_own();
    std::span<const Object> exchange();
    void receive(std::span<const Object> objects);
    void end_ghosts();
    void set_box(const Local& local);
    void list_events();
    void end_update();

    MPI_Comm communicator_;
    MPI_Datatype object_type_;
    int axis_;
    int rank_ = 0;
    int rank_count_ = 1;
    std::uint64_t update_ = 0;
    std::vector<float> cuts_;
    std::vector<float> old_cuts_;
    broadside::World world_;
    // By slot of the world's handles.
    std::vector<Local> locals_;
    std::size_t own_count_ = 0;
    std::unordered_map<std::uint64_t, broadside::ObjectHandle> ghosts_;
    std::vector<std::vector<Object>> outgoing_;
    std::vector<Object> sent_;
    std::vector<Object> received_;
    // Of this update: objects with changed boxes, those boxes (of own objects in their slots), objects to
    // remove.
    std::vector<broadside::ObjectHandle> changed_;
    broadside::BoxSoa boxes_;
    std::vector<broadside::ObjectHandle> gone_;
    std::vector<IdPair> begun_;
    std::vector<IdPair> ended_;
};

}  // namespace mpi_example
