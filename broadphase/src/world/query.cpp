// Questions to a World: each is put to the trees of the kinds that are looked for, and the answers are
// joined.
#include <broadside/float_environment.hpp>
#include <broadside/world_query.hpp>

#include "broadphase/src/tree/near.hpp"
#include "broadphase/src/world/data.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {

namespace {

constexpr std::uint64_t kAllLayers = ~std::uint64_t{0};

// A run of the queries of a call, as the trees are asked.
class KindQueries {
public:
    KindQueries(const WorldData& world, const WorldQuerySettings& settings, std::size_t first,
                std::size_t count)
        : world_(world),
          settings_(settings),
          first_(static_cast<std::uint32_t>(first)),
          masks_(settings.masks.empty() ? settings.masks : settings.masks.subspan(first, count)) {}

    /// Calls `ask(tree, settings)` for every tree that may hold an answer.
    template <class Ask>
    void for_each_tree(Ask&& ask) const {
        for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
            const BoxTree& tree = world_.trees.tree(kind);
            if ((settings_.kinds >> kind & 1) == 0 || tree.member_count() == 0) continue;
            TreeQuerySettings tree_settings;
            const std::span<const std::uint64_t> categories = world_.trees.categories();
            tree_settings.filter.masks = masks_;
            if (!masks_.empty() && !categories.empty()) {
                tree_settings.filter.categories = categories.first(tree.box_count());
            }
            if (settings_.accepts != nullptr || settings_.layers != kAllLayers) {
                tree_settings.filter.accepts = &accepts;
                tree_settings.filter.user = const_cast<KindQueries*>(this);
            }
            ask(kind, tree, tree_settings);
        }
    }

private:
    static bool accepts(void* user, std::uint32_t query_index, std::uint32_t slot) noexcept {
        const auto& self = *static_cast<const KindQueries*>(user);
        const WorldQuerySettings& settings = self.settings_;
        if ((settings.layers >> self.world_.rules[slot].layer & 1) == 0) return false;
        return settings.accepts == nullptr ||
               settings.accepts(settings.user, self.first_ + query_index, self.world_.handle_at(slot));
    }

    const WorldData& world_;
    const WorldQuerySettings& settings_;
    std::uint32_t first_;
    std::span<const std::uint64_t> masks_;
};

Status check(const WorldQueries& queries, std::size_t query_count, const WorldQuerySettings& settings) {
    if (queries.status() != Status::ok) return queries.status();
    const bool is_valid = BROADSIDE_ARGUMENT(settings.kinds <= kAllKinds, "kinds: a bit that is no kind's") &&
                          check_query_count(query_count) && check_masks(settings.masks, query_count) &&
                          check_runner(settings.runner);
    return is_valid ? Status::ok : Status::invalid_argument;
}

// Queries of a task: whole words of bits.
constexpr std::size_t kObjectRun = 256;

// Of objects that are met at the same time, the one at the smaller slot.
bool is_closer(const ClosestHit& hit, const ClosestHit& than) {
    if (hit.box_index == kNoBox) return false;
    return than.box_index == kNoBox || hit.t < than.t || (hit.t == than.t && hit.box_index < than.box_index);
}

// `ask(tree, settings, queries, out)` puts a part of the queries to one tree.
template <class Query, class Ask>
BatchResult find_closest(const WorldQueries& queries, std::span<const Query> shapes,
                         const WorldQuerySettings& settings, std::span<ClosestObjectHit> out_closest,
                         const Ask& ask) {
    if (const Status status = check(queries, shapes.size(), settings); status != Status::ok) return {status};
    if (out_closest.size() < shapes.size()) return {Status::capacity_exceeded};
    const WorldData& world = *queries.data();
    run_chunks(settings.runner, shapes.size(), kObjectRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        const std::size_t count = end - begin;
        ClosestHit first[kObjectRun];
        std::fill_n(first, count, ClosestHit{});
        KindQueries(world, settings, begin, count)
            .for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
                ClosestHit found[kObjectRun];
                (void)ask(tree, tree_settings, shapes.subspan(begin, count), std::span(found, count));
                for (std::size_t i = 0; i < count; ++i) {
                    if (is_closer(found[i], first[i])) first[i] = found[i];
                }
            });
        for (std::size_t i = 0; i < count; ++i) {
            out_closest[begin + i] =
                first[i].box_index == kNoBox
                    ? ClosestObjectHit{}
                    : ClosestObjectHit{first[i].t, world.handle_at(first[i].box_index), first[i].face};
        }
    });
    return {};
}

// One query, without what a batch prepares. `ask(tree, query, settings)` puts it to one tree; each is asked
// for what is not behind that which the trees before have found.
template <class Query, class Ask>
ClosestObjectHit find_closest_alone(const WorldQueries& queries, Query query,
                                    const WorldQuerySettings& settings, const Ask& ask) {
    if (check(queries, 1, settings) != Status::ok) return {};
    ClosestHit closest;
    const KindQueries kinds(*queries.data(), settings, 0, 1);
    kinds.for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
        const ClosestHit found = ask(tree, query, tree_settings);
        if (is_closer(found, closest)) closest = found;
        if (closest.box_index != kNoBox && closest.t > 0.0f) query.t_max = min_keep(closest.t, query.t_max);
    });
    if (closest.box_index == kNoBox) return {};
    return {closest.t, queries.data()->handle_at(closest.box_index), closest.face};
}

// The hits of one query, tree after tree, each within the limit that the visitor has set by then.
template <class Query, class Ask>
Status visit_hits_of_trees(const WorldQueries& queries, Query query, const WorldQuerySettings& settings,
                           ObjectHitVisitor visit, const Ask& ask) {
    if (const Status status = check(queries, 1, settings); status != Status::ok) return status;
    const WorldData& world = *queries.data();
    float limit = kVisitAll;
    const KindQueries kinds(world, settings, 0, 1);
    kinds.for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
        if (limit == kVisitNoMore) return;
        if (limit > 0.0f) query.t_max = min_keep(limit, query.t_max);
        (void)ask(tree, query, tree_settings, [&](const TreeHit& hit) {
            if (hit.t > limit) return limit;
            const float answer = visit({0, world.handle_at(hit.box), hit.t, hit.face});
            limit = answer >= -FLT_MAX ? min_keep(answer, limit) : kVisitNoMore;
            return limit;
        });
    });
    return Status::ok;
}

template <class Shape>
Status visit_overlaps_of_trees(const WorldQueries& queries, const Shape& shape,
                               const WorldQuerySettings& settings, ObjectVisitor visit) {
    if (const Status status = check(queries, 1, settings); status != Status::ok) return status;
    const WorldData& world = *queries.data();
    bool goes_on = true;
    const KindQueries kinds(world, settings, 0, 1);
    kinds.for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
        if (!goes_on) return;
        (void)tree.visit_overlaps(shape, tree_settings, [&](std::uint32_t slot) {
            goes_on = visit(world.handle_at(slot));
            return goes_on;
        });
    });
    return Status::ok;
}

template <class Query, class Ask>
BatchResult find_any(const WorldQueries& queries, std::span<const Query> shapes,
                     const WorldQuerySettings& settings, std::span<std::uint64_t> out_bits, const Ask& ask) {
    if (const Status status = check(queries, shapes.size(), settings); status != Status::ok) return {status};
    if (out_bits.size() < bit_word_count(shapes.size())) return {Status::capacity_exceeded};
    run_chunks(settings.runner, shapes.size(), kObjectRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        const std::size_t word_count = bit_word_count(end - begin);
        std::uint64_t* const words = out_bits.data() + begin / 64;
        std::fill_n(words, word_count, 0);
        KindQueries(*queries.data(), settings, begin, end - begin)
            .for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
                std::uint64_t found[kObjectRun / 64];
                (void)ask(tree, tree_settings, shapes.subspan(begin, end - begin),
                          std::span(found, word_count));
                for (std::size_t word = 0; word < word_count; ++word) words[word] |= found[word];
            });
    });
    return {};
}

std::uint32_t query_of(const IndexPair& pair) { return pair.first; }
std::uint32_t slot_of(const IndexPair& pair) { return pair.second; }
std::uint32_t query_of(const TreeHit& hit) { return hit.query; }
std::uint32_t slot_of(const TreeHit& hit) { return hit.box; }

WorldOverlap answer_of(const WorldData& world, const IndexPair& pair) {
    return {pair.first, world.handle_at(pair.second)};
}
WorldHit answer_of(const WorldData& world, const TreeHit& hit) {
    return {hit.query, world.handle_at(hit.box), hit.t, hit.face};
}

// What the tree of one kind found.
template <class Item>
auto& list_of(WorldQueryScratch& scratch, std::uint32_t kind) {
    if constexpr (std::is_same_v<Item, IndexPair>) {
        return scratch.pairs[kind];
    } else {
        return scratch.hits[kind];
    }
}

// The lists of the trees, each by query and slot, as one.
template <class Item, class Answer>
Status join_lists(const WorldData& world, WorldQueryScratch& scratch, AlignedArray<Answer>& out_list) {
    const Item* next[kKindCount];
    const Item* ends[kKindCount];
    std::size_t count = 0;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        auto& list = list_of<Item>(scratch, kind);
        next[kind] = list.data();
        ends[kind] = list.data() + list.size();
        count += list.size();
    }
    if (!out_list.resize(count)) return Status::out_of_memory;
    const auto key = [](const Item& item) { return std::uint64_t{query_of(item)} << 32 | slot_of(item); };
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t first = kKindCount;
        for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
            if (next[kind] == ends[kind]) continue;
            if (first == kKindCount || key(*next[kind]) < key(*next[first])) first = kind;
        }
        out_list[i] = answer_of(world, *next[first]++);
    }
    if (world.settings.order == WorldOrder::slot) return Status::ok;
    std::sort(out_list.begin(), out_list.end(), [&](const Answer& a, const Answer& b) {
        if (a.query != b.query) return a.query < b.query;
        const std::uint64_t data_a = world.user_data[a.object.slot()];
        const std::uint64_t data_b = world.user_data[b.object.slot()];
        return data_a != data_b ? data_a < data_b : a.object.slot() < b.object.slot();
    });
    return Status::ok;
}

// `ask(tree, settings, scratch, out)` puts all queries to one tree.
template <class Item, class Answer, class Ask>
WriteResult find_all(const WorldQueries& queries, std::size_t query_count, const WorldQuerySettings& settings,
                     WorldQueryScratch& scratch, AlignedArray<Answer>& out_list, const Ask& ask) {
    if (queries.status() == Status::out_of_memory) out_list.clear();
    if (const Status status = check(queries, query_count, settings); status != Status::ok) return {status};
    const WorldData& world = *queries.data();
    out_list.clear();
    Status status = Status::ok;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) list_of<Item>(scratch, kind).clear();
    KindQueries(world, settings, 0, query_count)
        .for_each_tree([&](std::uint32_t kind, const BoxTree& tree, TreeQuerySettings tree_settings) {
            if (status != Status::ok) return;
            tree_settings.runner = settings.runner;
            status = ask(tree, tree_settings, scratch.tree, list_of<Item>(scratch, kind)).status;
        });
    if (status == Status::ok) status = join_lists<Item>(world, scratch, out_list);
    return {status, out_list.size(), out_list.size()};
}

template <class Shape>
WriteResult find_shape_overlaps(const WorldQueries& queries, std::span<const Shape> shapes,
                                const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                AlignedArray<WorldOverlap>& out_list) {
    return find_all<IndexPair>(
        queries, shapes.size(), settings, scratch, out_list,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, TreeScratch& tree_scratch,
            PairBuffer& out) { return tree.find_overlaps(shapes, tree_settings, tree_scratch, out); });
}
template <class Shape>
BatchResult any_shape_overlap(const WorldQueries& queries, std::span<const Shape> shapes,
                              const WorldQuerySettings& settings, std::span<std::uint64_t> out_bits) {
    return find_any(
        queries, shapes, settings, out_bits,
        [](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const Shape> part,
           std::span<std::uint64_t> out) { return tree.any_overlap(part, tree_settings, out); });
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

WriteResult WorldQueries::find_overlaps(std::span<const Aabb> boxes, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, boxes, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Vec3> points, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, points, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Sphere> spheres, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, spheres, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Obb> obbs, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, obbs, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const ConvexVolume> volumes,
                                        const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, volumes, settings, scratch, out_overlaps);
}

Status WorldQueries::visit_overlaps(const Aabb& box, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, box, settings, visit);
}
Status WorldQueries::visit_overlaps(Vec3 point, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment(point);
    return visit_overlaps_of_trees(*this, point, settings, visit);
}
Status WorldQueries::visit_overlaps(const Sphere& sphere, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, sphere, settings, visit);
}
Status WorldQueries::visit_overlaps(const Obb& obb, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, obb, settings, visit);
}
Status WorldQueries::visit_overlaps(const ConvexVolume& volume, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, volume, settings, visit);
}

BatchResult WorldQueries::any_overlap(std::span<const Aabb> boxes, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, boxes, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Vec3> points, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, points, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Sphere> spheres, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, spheres, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Obb> obbs, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, obbs, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const ConvexVolume> volumes,
                                      const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, volumes, settings, out_bits);
}

BatchResult WorldQueries::closest_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                                       const WorldQuerySettings& settings,
                                       std::span<ClosestObjectHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    return find_closest(
        *this, rays, settings, out_closest,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const Ray> part,
            std::span<ClosestHit> out) { return tree.closest_hits(part, ray_settings, tree_settings, out); });
}
ClosestObjectHit WorldQueries::closest_hit(const Ray& ray, const RaySettings& ray_settings,
                                           const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return {};
    return find_closest_alone(
        *this, ray, settings,
        [&](const BoxTree& tree, const Ray& query, const TreeQuerySettings& tree_settings) {
            return tree.closest_hit(query, ray_settings, tree_settings);
        });
}
Status WorldQueries::visit_hits(const Ray& ray, const RaySettings& ray_settings,
                                const WorldQuerySettings& settings, ObjectHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return Status::invalid_argument;
    return visit_hits_of_trees(
        *this, ray, settings, visit,
        [&](const BoxTree& tree, const Ray& query, const TreeQuerySettings& tree_settings, auto&& hit) {
            return tree.visit_hits(query, ray_settings, tree_settings, hit);
        });
}
WriteResult WorldQueries::find_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                                    const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                    AlignedArray<WorldHit>& out_hits) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    return find_all<TreeHit>(*this, rays.size(), settings, scratch, out_hits,
                             [&](const BoxTree& tree, const TreeQuerySettings& tree_settings,
                                 TreeScratch& tree_scratch, AlignedArray<TreeHit>& out) {
                                 return tree.find_hits(rays, ray_settings, tree_settings, tree_scratch, out);
                             });
}
BatchResult WorldQueries::any_hit(std::span<const Ray> rays, const RaySettings& ray_settings,
                                  const WorldQuerySettings& settings,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    return find_any(
        *this, rays, settings, out_bits,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const Ray> part,
            std::span<std::uint64_t> out) { return tree.any_hit(part, ray_settings, tree_settings, out); });
}

BatchResult WorldQueries::closest_impacts(std::span<const BoxCast> casts, Touch touch,
                                          const WorldQuerySettings& settings,
                                          std::span<ClosestObjectHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return {Status::invalid_argument};
    return find_closest(
        *this, casts, settings, out_closest,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const BoxCast> part,
            std::span<ClosestHit> out) { return tree.closest_impacts(part, touch, tree_settings, out); });
}
ClosestObjectHit WorldQueries::closest_impact(const BoxCast& cast, Touch touch,
                                              const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return {};
    return find_closest_alone(
        *this, cast, settings,
        [&](const BoxTree& tree, const BoxCast& query, const TreeQuerySettings& tree_settings) {
            return tree.closest_impact(query, touch, tree_settings);
        });
}
Status WorldQueries::visit_impacts(const BoxCast& cast, Touch touch, const WorldQuerySettings& settings,
                                   ObjectHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return Status::invalid_argument;
    return visit_hits_of_trees(
        *this, cast, settings, visit,
        [&](const BoxTree& tree, const BoxCast& query, const TreeQuerySettings& tree_settings, auto&& hit) {
            return tree.visit_impacts(query, touch, tree_settings, hit);
        });
}
WriteResult WorldQueries::find_impacts(std::span<const BoxCast> casts, Touch touch,
                                       const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                       AlignedArray<WorldHit>& out_hits) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return {Status::invalid_argument};
    return find_all<TreeHit>(*this, casts.size(), settings, scratch, out_hits,
                             [&](const BoxTree& tree, const TreeQuerySettings& tree_settings,
                                 TreeScratch& tree_scratch, AlignedArray<TreeHit>& out) {
                                 return tree.find_impacts(casts, touch, tree_settings, tree_scratch, out);
                             });
}
BatchResult WorldQueries::any_impact(std::span<const BoxCast> casts, Touch touch,
                                     const WorldQuerySettings& settings,
                                     std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return {Status::invalid_argument};
    return find_any(
        *this, casts, settings, out_bits,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const BoxCast> part,
            std::span<std::uint64_t> out) { return tree.any_impact(part, touch, tree_settings, out); });
}

BatchResult WorldQueries::closest_impacts(std::span<const SphereCast> casts,
                                          const WorldQuerySettings& settings,
                                          std::span<ClosestObjectHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    return find_closest(
        *this, casts, settings, out_closest,
        [](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const SphereCast> part,
           std::span<ClosestHit> out) { return tree.closest_impacts(part, tree_settings, out); });
}
ClosestObjectHit WorldQueries::closest_impact(const SphereCast& cast,
                                              const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    return find_closest_alone(
        *this, cast, settings,
        [](const BoxTree& tree, const SphereCast& query, const TreeQuerySettings& tree_settings) {
            return tree.closest_impact(query, tree_settings);
        });
}
Status WorldQueries::visit_impacts(const SphereCast& cast, const WorldQuerySettings& settings,
                                   ObjectHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_hits_of_trees(
        *this, cast, settings, visit,
        [](const BoxTree& tree, const SphereCast& query, const TreeQuerySettings& tree_settings, auto&& hit) {
            return tree.visit_impacts(query, tree_settings, hit);
        });
}
WriteResult WorldQueries::find_impacts(std::span<const SphereCast> casts, const WorldQuerySettings& settings,
                                       WorldQueryScratch& scratch,
                                       AlignedArray<WorldHit>& out_hits) const noexcept {
    const FloatEnvironment environment;
    return find_all<TreeHit>(*this, casts.size(), settings, scratch, out_hits,
                             [&](const BoxTree& tree, const TreeQuerySettings& tree_settings,
                                 TreeScratch& tree_scratch, AlignedArray<TreeHit>& out) {
                                 return tree.find_impacts(casts, tree_settings, tree_scratch, out);
                             });
}
BatchResult WorldQueries::any_impact(std::span<const SphereCast> casts, const WorldQuerySettings& settings,
                                     std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return find_any(
        *this, casts, settings, out_bits,
        [](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const SphereCast> part,
           std::span<std::uint64_t> out) { return tree.any_impact(part, tree_settings, out); });
}

BatchResult WorldQueries::closest_objects(std::span<const Vec3> points,
                                          const ClosestBoxSettings& box_settings,
                                          const WorldQuerySettings& settings,
                                          std::span<ClosestObject> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, points.size(), settings); status != Status::ok) return {status};
    const std::size_t count = box_settings.count;
    if (!BROADSIDE_ARGUMENT(count <= kClosestObjectsMax,
                            "box_settings: count is more than kClosestObjectsMax"))
        return {Status::invalid_argument};
    if (points.size() * count > out_closest.size()) return {Status::capacity_exceeded};
    const WorldData& world = *data_;
    run_chunks(settings.runner, points.size(), 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        for (std::size_t i = begin; i < end; ++i) {
            ClosestBox list[kClosestObjectsMax];
            std::fill_n(list, count, ClosestBox{});
            // The trees fill one list, each within the reach that the others left.
            KindQueries(world, settings, i, 1)
                .for_each_tree(
                    [&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
                        const TreeQueries tree_queries = {tree.view(), *simd::active_kernels<TreeKernels>(),
                                                          tree_settings.filter};
                        const IndexNumbers numbers = {tree_queries.tree, world.trees.boxes()};
                        add_near_boxes(tree_queries, numbers, points[i], 0, box_settings.max_distance,
                                       {list, count});
                    });
            for (std::size_t k = 0; k < count; ++k) {
                out_closest[i * count + k] =
                    list[k].box_index == kNoBox
                        ? ClosestObject{}
                        : ClosestObject{list[k].distance_sq, world.handle_at(list[k].box_index)};
            }
        }
    });
    return {};
}

}  // namespace broadside
