// Spatial queries of a World, which return the objects' handles.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/export.hpp>
#include <broadside/world.hpp>

#include <cstdint>
#include <limits>
#include <span>

// For the sources of the library; a shared library does not export them.
namespace broadside::broadphase {
class WorldTrees;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

/// The bit of a kind of object in WorldQuerySettings::kinds.
constexpr std::uint32_t kind_bit(ObjectKind kind) noexcept { return 1u << static_cast<std::uint32_t>(kind); }
/// Moving, resting and fixed.
inline constexpr std::uint32_t kAllKinds = 7;

/// Rules for the objects that a query may find, and how it runs. Groups and layer rules are for pairs only.
struct WorldQuerySettings {
    /// Default: objects of every kind. Trees of other kinds are not searched.
    std::uint32_t kinds = kAllKinds;
    /// The layers (ObjectFilter::layer) of the objects to find, as bits. Default: any. Layers from 64 on have
    /// no bit: their objects are found if all bits are set.
    std::uint64_t layers = ~std::uint64_t{0};
    /// One per query: an object must have one of these categories (ObjectFilter::category). Left out: no
    /// condition. A span of another length is an invalid_argument.
    std::span<const std::uint64_t> masks = {};
    /// Called with the layer of an object that passes the rules above and is met: only objects of layers for
    /// which it returns true are found. For any of the kLayerCount layers. It must always return the same for
    /// a layer: a call remembers what it returned, and asks again only if layers that differ by a multiple of
    /// 64 take turns. With a runner it is called on the runner's threads, several at once. No exception may
    /// leave it; see Visitor.
    bool (*accepts_layer)(void* user, std::uint32_t layer) noexcept = nullptr;
    /// Called for an object that passes the other rules and is met, before it counts; if it returns false, a
    /// search for the closest goes on. See TreeQuerySettings::accepts.
    bool (*accepts)(void* user, std::uint32_t query_index, ObjectHandle object) noexcept = nullptr;
    /// For both functions.
    void* user = nullptr;
    /// Default null: the caller's thread does everything. No result depends on it.
    const TaskRunner* runner = nullptr;
    /// Default canonical: ascending by query, then in the world's order. by_algorithm leaves the objects of a
    /// query in an order that is a function of the world's history. Only for queries that return lists, and
    /// for visit_hits; see TreeQuerySettings.
    PairOrder order = PairOrder::canonical;
};

/// A hit on an object's box.
using WorldHit = BoxHit<ObjectHandle>;
/// An object near a point or box.
using ClosestObject = Closest<ObjectHandle>;
/// An object within reach of a point or box.
using CloseObject = Close<ObjectHandle>;

/// Visitors of what one query finds; see Visitor.
using ObjectHitVisitor = Visitor<WorldHit, float>;
using ObjectVisitor = Visitor<ObjectHandle, bool>;

/// The outputs for lists of a World's queries.
using WorldOverlapOutput = ListOutput<Listed<ObjectHandle>>;
using WorldHitOutput = ListOutput<Listed<WorldHit>>;

/// Takes close objects one by one; see ClosePairVisitor.
using CloseObjectVisitor = Visitor<CloseObject, float>;

/// The queries of a World, from World::queries. Refers to the world and is valid until that changes or
/// updates. Several threads may use it at once, each with its own scratch.
///
/// It sees the objects as they are: every change made before World::queries counts, whether an update has
/// seen it or not. Boxes are the objects' own, without margin and displacement. Objects whose box is invalid
/// (quarantined) are never found.
///
/// Every query is that of BoxTree by the same name, in meaning and in its bits. Lists are sorted by query,
/// then in the world's order (WorldSettings::order: by slot, or by user data and then slot). Among objects
/// that are met at the same time, or are equally near, the one at the smaller slot comes first. Calls return
/// what BoxTree's do, and the status of World::queries if that was not ok; a list for which memory does not
/// suffice is empty.
class WorldQueries {
public:
    WorldQueries() noexcept = default;

    /// ok; out_of_memory or unsupported_isa: no query is possible.
    Status status() const noexcept { return status_; }
    /// For the sources of the library: the state of the world.
    const broadphase::WorldTrees* data() const noexcept { return data_; }

    /// The box around all objects that can be found; Aabb::empty() if there are none.
    Aabb bounds() const noexcept;

    /// Lists all objects that the shapes overlap.
    WriteResult find_overlaps(const OverlapQueries& shapes, const WorldQuerySettings& settings,
                              BoxScratch& scratch, const WorldOverlapOutput& out_overlaps) const noexcept;
    /// Tests whether each shape overlaps any object, as bits.
    BatchResult any_overlap(const OverlapQueries& shapes, const WorldQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// Finds the first shape of each motion of a body that overlaps an object; see BoxTree.
    BatchResult first_overlaps(const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                               const WorldQuerySettings& settings,
                               std::span<std::uint32_t> out_first) const noexcept;

    /// Finds for every query the object that it meets first.
    BatchResult closest_hits(const HitQueries& queries, const WorldQuerySettings& settings,
                             std::span<WorldHit> out_closest) const noexcept;
    /// Lists all objects that the queries meet.
    WriteResult find_hits(const HitQueries& queries, const WorldQuerySettings& settings, BoxScratch& scratch,
                          const WorldHitOutput& out_hits) const noexcept;
    /// Tests whether each query meets any object, as bits.
    BatchResult any_hit(const HitQueries& queries, const WorldQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;

    /// Maximum of box_settings.count; more is an invalid_argument.
    static constexpr std::uint32_t kClosestObjectsMax = 64;
    /// Finds for every point or box the objects nearest to it.
    BatchResult closest_objects(const NearQueries& queries, const ClosestBoxSettings& box_settings,
                                const WorldQuerySettings& settings,
                                std::span<ClosestObject> out_closest) const noexcept;

    // One query alone. Bad arguments find nothing.

    bool any_overlap(const OverlapQuery& shape, const WorldQuerySettings& settings = {}) const noexcept;
    bool any_hit(const HitQuery& query, const WorldQuerySettings& settings = {}) const noexcept;
    WorldHit closest_hit(const HitQuery& query, const WorldQuerySettings& settings = {}) const noexcept;
    ClosestObject closest_object(Vec3 point, const WorldQuerySettings& settings = {}) const noexcept {
        return closest_object(point, ClosestBoxSettings{}, settings);
    }
    /// Finds the closest object within a distance; box_settings.count is ignored.
    ClosestObject closest_object(Vec3 point, const ClosestBoxSettings& box_settings,
                                 const WorldQuerySettings& settings = {}) const noexcept {
        return closest_object(NearQuery(point), box_settings, settings);
    }
    ClosestObject closest_object(const NearQuery& query, const ClosestBoxSettings& box_settings = {},
                                 const WorldQuerySettings& settings = {}) const noexcept {
        ClosestObject nearest;
        (void)closest_objects(query, {.max_distance = box_settings.max_distance}, settings, {&nearest, 1});
        return nearest;
    }

    // Visitors get what one query finds, object by object; see BoxTree. Hits (unless by_algorithm) and close
    // objects are mostly near before far over all kinds of object together.

    Status visit_hits(const HitQuery& query, const WorldQuerySettings& settings,
                      ObjectHitVisitor visit) const noexcept;
    Status visit_overlaps(const OverlapQuery& shape, const WorldQuerySettings& settings,
                          ObjectVisitor visit) const noexcept;
    Status visit_close_objects(const NearQuery& query, const ClosestBoxSettings& box_settings,
                               const WorldQuerySettings& settings, CloseObjectVisitor visit) const noexcept;

private:
    friend class World;
    friend class WorldView;

    WorldQueries(const broadphase::WorldTrees* data, Status status) noexcept : data_(data), status_(status) {}

    const broadphase::WorldTrees* data_ = nullptr;
    Status status_ = Status::out_of_memory;
};

}  // namespace broadside
