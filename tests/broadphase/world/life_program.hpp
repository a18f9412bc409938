// Random operations on a World as data: they name objects by numbers of the program, so that each operation
// can be left out, shortened and printed.
#pragma once

#include <broadside/world.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace broadside::test {

enum class LifeAction : std::uint8_t {
    /// Objects that do not exist yet; `place`, `size` and `traits` describe them.
    add,
    remove,
    /// New boxes, by `motion`.
    move,
    /// The kind `number`, modulo three.
    set_kind,
    /// A filter by `seed`; the default one if `number` is zero.
    set_filter,
    /// Two layers by `seed`; they may pair unless `number` is zero.
    set_layers,
    /// The margin `size`.
    set_margin,
    /// Any directions, as long as `size`.
    set_displacements,
    /// Below `number`; if that is zero, the number of the object.
    set_user_data,
    /// Shifts by up to `size`.
    shift_origin,
    update,
    ask_pairs,
    ask_persisting,
    ask_pairs_of,
    /// Reads the values of one pair in `one_in`, and gives them new ones.
    ask_values,
    /// Boxes around objects that overlap others, and rays.
    ask_queries,
    /// Makes a view, which is held until two others are.
    hold_view,
    ask_views,
    drop_views,
    /// Saves the world and restores it into another one; both continue.
    save,
    /// Continues with one of the two: the restored one if `number` is not zero.
    keep_one,
    /// Moves it to another World, by construction or assignment.
    move_world,
    shrink,
    /// Refused calls, which change nothing.
    misuse,
    /// The allocator refuses some requests of the next operation, beginning with number `number`.
    refuse_memory,
};

/// The form of a call; an action without this form uses `batch`.
enum class LifeWay : std::uint8_t { batch, one_by_one, prepared, columns, twice };

/// Positions and sizes of objects.
enum class LifePlace : std::uint8_t { uniform, pile, wall, lattice, mixed, clusters, floor, point, any };

enum class LifeMotion : std::uint8_t {
    /// A step by the velocity of `seed` and the object, as long as `size`.
    step,
    /// A step by the velocity of `seed` and the object's cluster.
    together,
    /// A new position by `place`, in a room of `size`.
    jump,
    /// A position about as far away as `size`.
    far,
    /// An invalid box.
    spoil,
    /// Sizes change by up to the factor 1 + `size`.
    stretch,
    /// A step of one ulp.
    nudge,
    /// The present box.
    none,
};

/// Properties of an added object that differ from the default, as bits.
inline constexpr std::uint32_t kLifeKinds = 1;
inline constexpr std::uint32_t kLifeFilters = 2;
inline constexpr std::uint32_t kLifeMargins = 4;
inline constexpr std::uint32_t kLifeDisplacements = 8;
inline constexpr std::uint32_t kLifeUserData = 16;

/// Applies to `count` objects numbered from `first` on, of which `seed` picks one in `one_in`. The new values
/// of an object are a function of `seed` and its number, so that they stay the same if others are left out.
struct LifeOperation {
    LifeAction action = LifeAction::update;
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    std::uint32_t one_in = 1;
    std::uint32_t seed = 0;
    float size = 0;
    std::uint32_t number = 0;
    LifeWay way = LifeWay::batch;
    LifePlace place = LifePlace::uniform;
    LifeMotion motion = LifeMotion::step;
    std::uint32_t traits = 0;
    /// Workers of a runner; zero means none.
    std::uint32_t workers = 0;

    friend bool operator==(const LifeOperation&, const LifeOperation&) = default;
};

struct LifeProgram {
    WorldOrder order = WorldOrder::slot;
    bool fixed_objects_pair = false;
    std::size_t max_pair_count = ~std::size_t{0};
    /// For the thresholds of a world's mechanisms; zero leaves them unchanged.
    std::uint64_t thresholds_seed = 0;
    std::vector<LifeOperation> operations;
};

/// The outcome of a program.
struct LifeResult {
    /// Empty if everything was as expected.
    std::string failure;
    /// Operations begun.
    std::size_t operation_count = 0;
    std::size_t update_count = 0;
    /// Successful updates by UpdatePath.
    std::size_t path_counts[3] = {};
    /// Refused allocations, and updates with too many pairs.
    std::size_t refusal_count = 0;
    std::size_t capped_count = 0;
    std::size_t object_count_max = 0;
    std::size_t pair_count_max = 0;

    bool has_failed() const { return !failure.empty(); }
};

}  // namespace broadside::test
