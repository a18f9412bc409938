// Boxes that rays and moving boxes meet: the first, all, and whether there is one.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/hit_search.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

// The first axis whose near plane is met at `t`, the latest of the three; none when that was before the
// start. Directions are as good as random, so there is no branch on them.
Face entry_face(const TreeView& tree, const SlabQuery& query, std::uint32_t slot, float t) {
    const float* at = tree.node(slot / kNodeWidth) + slot % kNodeWidth;
    const float near_x = (at[query.near_row[0]] - query.near_origin.x) * query.inv_direction.x;
    const float near_y = (at[query.near_row[1]] - query.near_origin.y) * query.inv_direction.y;
    const float near_z = (at[query.near_row[2]] - query.near_origin.z) * query.inv_direction.z;
    const unsigned from_max_x = query.near_row[0] / (kMaxX * kNodeWidth);
    const unsigned from_max_y = query.near_row[1] / (kMaxX * kNodeWidth);
    const unsigned from_max_z = query.near_row[2] / (kMaxX * kNodeWidth);
    const unsigned by_x = near_x == t ? 1u : 0u;
    const unsigned by_y = (near_y == t ? 1u : 0u) & ~by_x;
    const unsigned by_z = (near_z == t ? 1u : 0u) & ~(by_x | by_y);
    const unsigned by_none = 1u & ~(by_x | by_y | by_z);
    const unsigned face = by_x * (static_cast<unsigned>(Face::min_x) + from_max_x) +
                          by_y * (static_cast<unsigned>(Face::min_y) + from_max_y) +
                          by_z * (static_cast<unsigned>(Face::min_z) + from_max_z) +
                          by_none * static_cast<unsigned>(Face::none);
    return static_cast<Face>(face);
}

// Rays and moving boxes are slab queries: the keys of the walk can be the times themselves, so that only the
// face is left to find. The specification is `decide(box)` of what follows.
//
// The walk looks at times only: where one may underflow it takes for met at 0 a box that the query has just
// left, and would name a face of one that it starts in. So such a key of 0 is decided again.
bool is_right_at(const SlabQuery& query, float key) { return key > 0.0f || !may_underflow(query); }

struct SlabHits {
    SlabQuery query;
    bool is_decided_by_walk;

    float t_max() const { return query.t_max; }
    void visit(const TreeQueries& queries, KeyedVisitor& state_visitor) const {
        queries.kernels.visit_slabs(queries.tree, query, state_visitor);
    }
    void all(const TreeQueries& queries, HitBlock<std::uint64_t>& state_block) const {
        queries.kernels.all_slabs(queries.tree, query, state_block);
    }
    bool any(const TreeQueries& queries) const { return queries.kernels.any_slab(queries.tree, query); }
    /// `any` counts no box that the query has just left.
    bool is_any_right() const { return is_right_at(query, 0.0f); }
    Met met_by_walk(const TreeView& tree, std::uint32_t slot, float key) const {
        return {key, entry_face(tree, query, slot, key), true};
    }
};

struct RayHits : SlabHits {
    PreparedRay ray;

    RayHits(const Ray& ray_in, const RaySettings& settings)
        : RayHits(prepared_ray(ray_in, settings), settings) {}
    RayHits(const PreparedRay& prepared, const RaySettings& settings)
        : SlabHits{slab_query(prepared), settings.inside == Inside::zero}, ray(prepared) {}
    Met decide(const Aabb& box) const {
        const RayBoxHit hit = ray_box_prepared(ray, box);
        return {hit.t_enter, hit.face, hit.has_hit};
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float key) const {
        return is_decided_by_walk && is_right_at(query, key) ? met_by_walk(tree, slot, key)
                                                             : decide(slot_box(tree, slot));
    }
};

struct CastHits : SlabHits {
    BoxCast cast;
    Touch touch;

    CastHits(const BoxCast& cast_in, Touch touch_in)
        : SlabHits{slab_query(cast_in.box, cast_in.displacement, cast_in.t_max), touch_in == Touch::closed},
          cast(cast_in),
          touch(touch_in) {}
    Met decide(const Aabb& box) const {
        const Impact impact = first_impact_scalar(box, cast.box, cast.displacement, touch);
        return {impact.toi, impact.face, impact.toi <= t_max()};
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float key) const {
        return is_decided_by_walk && is_right_at(query, key) ? met_by_walk(tree, slot, key)
                                                             : decide(slot_box(tree, slot));
    }
};

// Do queries go the same way from about the same place? Then a packet of them has most nodes in common. A
// wrong answer costs time only.
bool is_packet(const TreeView& tree, const SlabQuery* queries, std::uint32_t count) {
    const Vec3 reach = size(tree.bounds()) * (1.0f / 5);
    const auto direction = [](const SlabQuery& query) {
        return Vec3{1.0f / query.inv_direction.x, 1.0f / query.inv_direction.y, 1.0f / query.inv_direction.z};
    };
    const SlabQuery& first = queries[0];
    const Vec3 way = direction(first);
    bool is_alike = true;
    for (std::uint32_t i = 1; i < count && is_alike; ++i) {
        const Vec3 apart = absolute(queries[i].near_origin - first.near_origin);
        const Vec3 other_way = direction(queries[i]);
        const float along = dot(way, other_way);
        // Within some 13 degrees.
        is_alike = apart.x <= reach.x && apart.y <= reach.y && apart.z <= reach.z && along > 0.0f &&
                   along * along >= 0.95f * (length_sq(way) * length_sq(other_way));
    }
    return is_alike;
}

void walk_first(const TreeQueries& queries, const SlabQuery* slabs, std::uint32_t count,
                FirstBox* out_closest) {
    std::uint32_t packet_count = 0;
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        packet_count +=
            is_packet(queries.tree, slabs + begin, rest < kPacketSize ? rest : kPacketSize) ? 1u : 0u;
    }
    // Side by side the walks of single queries need many of them; so all go one way or all the other.
    if (packet_count * kPacketSize * 2 < count) {
        queries.kernels.first_slabs(queries.tree, slabs, count, out_closest);
        return;
    }
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        queries.kernels.first_slabs_packet(queries.tree, slabs + begin,
                                           rest < kPacketSize ? rest : kPacketSize, out_closest + begin);
    }
}

ClosestHit closest_by_walk(const TreeView& tree, const SlabQuery& query, const FirstBox& first) {
    if (first.slot == kNoSlot) return {};
    return {first.key, tree.box_index(first.slot), entry_face(tree, query, first.slot, first.key)};
}

// The closest hit of a query that the walk may be wrong about.
template <class Hits>
ClosestHit decided_closest(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index,
                           const FirstBox& first) {
    if (first.slot == kNoSlot) return {};
    const Met met = hits.decide(slot_box(queries.tree, first.slot));
    if (met.has_hit) return {met.t, queries.tree.box_index(first.slot), met.face};
    return visit_closest(queries, hits, query_index);
}

template <class Hits>
ClosestHit find_closest_slab_alone(const BoxTree& tree, const Hits& hits, const TreeQuerySettings& settings) {
    if (!hits.is_decided_by_walk || !settings.filter.is_empty()) {
        return find_closest_alone(tree, hits, settings);
    }
    if (check_query(tree, 1, settings) != Status::ok || tree.member_count() == 0) return {};
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    const FirstBox first = queries.kernels.first_slab(queries.tree, hits.query);
    return is_right_at(hits.query, first.key) ? closest_by_walk(queries.tree, hits.query, first)
                                              : decided_closest(queries, hits, 0, first);
}

constexpr std::size_t kFirstRun = 256;

// The first boxes of up to kFirstRun queries.
template <class Hits, class Make>
void find_first_run(const TreeQueries& queries, std::uint32_t begin, std::uint32_t count, const Make& make,
                    bool is_decided_by_walk, ClosestHit* out_closest) {
    if (queries.tree.is_empty()) {
        std::fill_n(out_closest, count, ClosestHit{});
        return;
    }
    if (!is_decided_by_walk || !queries.filter.is_empty()) {
        visit_first<Hits>(queries, begin, count, make, out_closest);
        return;
    }
    SlabQuery slabs[kFirstRun];
    FirstBox first[kFirstRun];
    for (std::uint32_t i = 0; i < count; ++i) slabs[i] = make(begin + i).query;
    walk_first(queries, slabs, count, first);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (is_right_at(slabs[i], first[i].key)) {
            out_closest[i] = closest_by_walk(queries.tree, slabs[i], first[i]);
        } else {
            out_closest[i] = decided_closest(queries, make(begin + i), begin + i, first[i]);
        }
    }
}

template <class Hits, class Make>
BatchResult find_closest(const BoxTree& tree, std::size_t query_count, const TreeQuerySettings& settings,
                         const Make& make, bool is_decided_by_walk, std::span<ClosestHit> out_closest) {
    if (const Status status = check_query(tree, query_count, settings); status != Status::ok) return {status};
    if (out_closest.size() < query_count) return {Status::capacity_exceeded};
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    run_chunks(settings.runner, query_count, kFirstRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        find_first_run<Hits>(queries, static_cast<std::uint32_t>(begin),
                             static_cast<std::uint32_t>(end - begin), make, is_decided_by_walk,
                             out_closest.data() + begin);
    });
    return {};
}

// Whether up to kFirstRun queries meet anything, as bits; runs begin with whole words.
template <class Hits, class Make>
void find_any_run(const TreeQueries& queries, std::uint32_t begin, std::uint32_t count, const Make& make,
                  std::uint64_t* out_bits) {
    SlabQuery slabs[kFirstRun];
    std::uint8_t is_met[kFirstRun];
    for (std::uint32_t i = 0; i < count; ++i) slabs[i] = make(begin + i).query;
    queries.kernels.any_slabs(queries.tree, slabs, count, is_met);
    for (std::uint32_t i = 0; i < count; ++i) {
        // The walk counts boxes that the query has just left.
        if (is_met[i] != 0 && may_underflow(slabs[i]))
            is_met[i] = is_any_met<Hits>(queries, make(begin + i), begin + i) ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < count; i += 64) {
        std::uint64_t word = 0;
        for (std::uint32_t bit = 0; bit < 64 && i + bit < count; ++bit)
            word |= std::uint64_t{is_met[i + bit]} << bit;
        out_bits[i / 64] = word;
    }
}

template <class Hits, class Make>
BatchResult find_any_slabs(const BoxTree& tree, std::size_t query_count, const TreeQuerySettings& settings,
                           const Make& make, bool is_decided_by_walk, std::span<std::uint64_t> out_bits) {
    if (!is_decided_by_walk || !settings.filter.is_empty() || tree.member_count() == 0 || query_count == 1)
        return find_any<Hits>(tree, query_count, settings, make, out_bits);
    if (const Status status = check_query(tree, query_count, settings); status != Status::ok) return {status};
    if (out_bits.size() < bit_word_count(query_count)) return {Status::capacity_exceeded};
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    run_chunks(settings.runner, query_count, kFirstRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        find_any_run<Hits>(queries, static_cast<std::uint32_t>(begin),
                           static_cast<std::uint32_t>(end - begin), make, out_bits.data() + begin / 64);
    });
    return {};
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::closest_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                                  const TreeQuerySettings& settings,
                                  std::span<ClosestHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_hits");
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_closest<RayHits>(*this, rays.size(), settings, make, ray_settings.inside == Inside::zero,
                                 out_closest);
}
ClosestHit BoxTree::closest_hit(const Ray& ray, const RaySettings& ray_settings,
                                const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return {};
    return find_closest_slab_alone(*this, RayHits(ray, ray_settings), settings);
}
Status BoxTree::visit_hits(const Ray& ray, const RaySettings& ray_settings, const TreeQuerySettings& settings,
                           HitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (!check_inside(ray_settings.inside)) return Status::invalid_argument;
    return visit_all(*this, RayHits(ray, ray_settings), settings, visit);
}
WriteResult BoxTree::find_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                               const TreeQuerySettings& settings, TreeScratch& scratch,
                               const TreeHitOutput& out_hits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::find_hits");
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_all<RayHits>(*this, rays.size(), settings, make, scratch, out_hits);
}
BatchResult BoxTree::any_hit(std::span<const Ray> rays, const RaySettings& ray_settings,
                             const TreeQuerySettings& settings,
                             std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::any_hit");
    if (!check_inside(ray_settings.inside)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_any_slabs<RayHits>(*this, rays.size(), settings, make, ray_settings.inside == Inside::zero,
                                   out_bits);
}

BatchResult BoxTree::closest_impacts(std::span<const BoxCast> casts, Touch touch,
                                     const TreeQuerySettings& settings,
                                     std::span<ClosestHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_impacts");
    if (!check_touch(touch)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_closest<CastHits>(*this, casts.size(), settings, make, touch == Touch::closed, out_closest);
}
ClosestHit BoxTree::closest_impact(const BoxCast& cast, Touch touch,
                                   const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return {};
    return find_closest_slab_alone(*this, CastHits(cast, touch), settings);
}
Status BoxTree::visit_impacts(const BoxCast& cast, Touch touch, const TreeQuerySettings& settings,
                              HitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (!check_touch(touch)) return Status::invalid_argument;
    return visit_all(*this, CastHits(cast, touch), settings, visit);
}
WriteResult BoxTree::find_impacts(std::span<const BoxCast> casts, Touch touch,
                                  const TreeQuerySettings& settings, TreeScratch& scratch,
                                  const TreeHitOutput& out_hits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::find_impacts");
    if (!check_touch(touch)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_all<CastHits>(*this, casts.size(), settings, make, scratch, out_hits);
}
BatchResult BoxTree::any_impact(std::span<const BoxCast> casts, Touch touch,
                                const TreeQuerySettings& settings,
                                std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::any_impact");
    if (!check_touch(touch)) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_any_slabs<CastHits>(*this, casts.size(), settings, make, touch == Touch::closed, out_bits);
}

}  // namespace broadside
