// The objects that a ray hits, or that a moving box or sphere meets.
#include "broadphase/src/world/query.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {
namespace broadphase {
namespace {

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
    const WorldTrees& world = *queries.data();
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
    const WorldTrees& world = *queries.data();
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

}  // namespace
}  // namespace broadphase

using namespace broadphase;

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

}  // namespace broadside
