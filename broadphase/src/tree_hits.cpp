// Boxes that rays and moving boxes meet: the first, all, and whether there is one.
#include "broadphase/src/tree_access.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

struct Met {
    float t = kNoIntersection;
    Face face = Face::none;
    bool has_hit = false;
};

// Every query comes as a type with its slab query, `decide(box)`, which is the specification, and whether the walk's
// keys are the specification's times, so that only the face is left to find.

struct RayHits {
    PreparedRay ray;
    SlabQuery query;
    bool is_decided_by_walk;

    RayHits(const Ray& ray_in, const RaySettings& settings)
        : ray(prepared_ray(ray_in, settings)),
          query(slab_query(ray)),
          is_decided_by_walk(settings.inside == Inside::zero) {}
    Met decide(const Aabb& box) const {
        const RayBoxHit hit = ray_box_prepared(ray, box);
        return {hit.t_enter, hit.face, hit.has_hit};
    }
};

struct CastHits {
    BoxCast cast;
    Touch touch;
    SlabQuery query;
    bool is_decided_by_walk;

    CastHits(const BoxCast& cast_in, Touch touch_in)
        : cast(cast_in),
          touch(touch_in),
          query(slab_query(cast_in.box, cast_in.displacement)),
          is_decided_by_walk(touch_in == Touch::closed) {}
    Met decide(const Aabb& box) const {
        const Impact impact = first_impact_scalar(box, cast.box, cast.displacement, touch);
        return {impact.toi, impact.face, impact.toi <= 1.0f};
    }
};

// The first axis whose near plane is met at `t`, the latest of the three; none when that was before the start.
// Directions are as good as random, so there is no branch on them.
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

template <class Hits>
Met met_at(const TreeView& tree, const Hits& hits, std::uint32_t slot, float key) {
    if (!hits.is_decided_by_walk) return hits.decide(slot_box(tree, slot));
    return {key, entry_face(tree, hits.query, slot, key), true};
}

// The first box of one query, for whatever the walk alone cannot decide.
template <class Hits>
struct FirstVisitor : KeyedVisitor {
    const TreeQueries& queries;
    const Hits& hits;
    std::uint32_t query_index;
    ClosestBox closest = {};

    FirstVisitor(const TreeQueries& queries_in, const Hits& hits_in, std::uint32_t index)
        : KeyedVisitor{hits_in.query.t_max, &look_at},
          queries(queries_in),
          hits(hits_in),
          query_index(index) {}

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<FirstVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count; ++i)
            self.look_at_one(slot_of(candidates[i]), key_of(candidates[i]));
        return true;
    }
    void look_at_one(std::uint32_t slot, float key) {
        const Met met = met_at(queries.tree, hits, slot, key);
        if (!met.has_hit) return;
        const std::uint32_t box_index = queries.tree.box_index[slot];
        const bool is_first = closest.box_index == kNoBox || met.t < closest.t ||
                              (met.t == closest.t && box_index < closest.box_index);
        if (!is_first || !queries.passes(query_index, box_index)) return;
        closest = {met.t, box_index, met.face};
        // Times before the start have keys of 0.
        limit = max_keep(met.t, 0.0f);
    }
};

// Do queries go the same way from about the same place? Then a packet of them has most nodes in common. A wrong answer
// costs time only.
bool is_packet(const TreeView& tree, const SlabQuery* queries, std::uint32_t count) {
    const Vec3 reach = size(lane_box(tree.node(tree.node_count), 0)) * (1.0f / 16);
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
                FirstBox* out_first) {
    std::uint32_t packet_count = 0;
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        packet_count +=
            is_packet(queries.tree, slabs + begin, rest < kPacketSize ? rest : kPacketSize) ? 1u : 0u;
    }
    // Side by side the walks of single queries need many of them; so all go one way or all the other.
    if (packet_count * kPacketSize * 2 < count) {
        queries.kernels.first_slabs(queries.tree, slabs, count, out_first);
        return;
    }
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        queries.kernels.first_slabs_packet(queries.tree, slabs + begin,
                                           rest < kPacketSize ? rest : kPacketSize, out_first + begin);
    }
}

constexpr std::size_t kFirstRun = 256;

// The first boxes of up to kFirstRun queries.
template <class Hits, class Make>
void find_first_run(const TreeQueries& queries, std::uint32_t begin, std::uint32_t count, const Make& make,
                    bool is_decided_by_walk, ClosestBox* out_closest) {
    if (queries.tree.is_empty()) {
        std::fill_n(out_closest, count, ClosestBox{});
        return;
    }
    if (!is_decided_by_walk || !queries.filter.is_empty()) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const Hits hits = make(begin + i);
            FirstVisitor<Hits> visitor(queries, hits, begin + i);
            queries.kernels.visit_slabs(queries.tree, hits.query, visitor);
            out_closest[i] = visitor.closest;
        }
        return;
    }
    SlabQuery slabs[kFirstRun];
    FirstBox first[kFirstRun];
    for (std::uint32_t i = 0; i < count; ++i) slabs[i] = make(begin + i).query;
    walk_first(queries, slabs, count, first);
    for (std::uint32_t i = 0; i < count; ++i) {
        out_closest[i] = first[i].slot == kNoSlot
                             ? ClosestBox{}
                             : ClosestBox{first[i].key, queries.tree.box_index[first[i].slot],
                                          entry_face(queries.tree, slabs[i], first[i].slot, first[i].key)};
    }
}

template <class Hits, class Make>
BatchResult find_first(const BoxTree& tree, std::size_t query_count, const TreeQuerySettings& settings,
                       const Make& make, bool is_decided_by_walk, std::span<ClosestBox> out_closest) {
    if (const Status status = check_query(tree, query_count, settings); status != Status::ok) return {status};
    if (out_closest.size() < query_count) return {Status::capacity_exceeded};
    const TreeQueries queries = {TreeAccess::view(tree), active_kernels()->tree, settings.filter};
    run_chunks(settings.runner, query_count, kFirstRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        find_first_run<Hits>(queries, static_cast<std::uint32_t>(begin),
                             static_cast<std::uint32_t>(end - begin), make, is_decided_by_walk,
                             out_closest.data() + begin);
    });
    return {};
}

// Up to this many hits of a query are sorted by counting, for each, how many come before it: no branch on the data,
// and loops of a length that the compiler knows.
constexpr std::size_t kCountedMax = 32;

template <std::size_t kCount>
void sort_counted(TreeHit* hits, std::size_t count) {
    TreeHit unsorted[kCount];
    std::int32_t boxes[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
        // Indices are below 2^31; what is missing comes last.
        boxes[i] = i < count ? static_cast<std::int32_t>(hits[i].box) : 0x7FFFFFFF;
    }
    std::copy(hits, hits + count, unsorted);
    for (std::size_t i = 0; i < count; ++i) {
        std::int32_t place = 0;
        for (std::size_t j = 0; j < kCount; ++j) place += boxes[j] < boxes[i] ? 1 : 0;
        hits[place] = unsorted[i];
    }
}

void sort_by_box(TreeHit* hits, std::size_t count) {
    if (count < 2) return;
    if (count <= 8) {
        sort_counted<8>(hits, count);
    } else if (count <= kCountedMax) {
        sort_counted<kCountedMax>(hits, count);
    } else {
        std::sort(hits, hits + count, [](const TreeHit& a, const TreeHit& b) { return a.box < b.box; });
    }
}

template <class Hits>
Status append_hits(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index, PairOrder order,
                   TreeAccess::Task& state_task) {
    GrowingBlock<std::uint64_t> block(state_task.found);
    queries.kernels.all_slabs(queries.tree, hits.query, block);
    if (block.is_out_of_memory) return Status::out_of_memory;
    AlignedArray<TreeHit>& list = state_task.hits;
    const std::size_t begin = list.size();
    if (!list.reserve_to_append(block.count())) return Status::out_of_memory;
    TreeHit* target = list.data() + begin;
    std::size_t count = 0;
    for (const std::uint64_t* found = block.begin; found != block.next; ++found) {
        const std::uint32_t slot = slot_of(*found);
        const Met met = met_at(queries.tree, hits, slot, key_of(*found));
        const std::uint32_t box_index = queries.tree.box_index[slot];
        if (!met.has_hit || (!queries.filter.is_empty() && !queries.passes(query_index, box_index))) continue;
        target[count++] = {query_index, box_index, met.t, met.face};
    }
    if (order == PairOrder::canonical) sort_by_box(target, count);
    return list.resize(begin + count) ? Status::ok : Status::out_of_memory;
}

// Appends to the output what fits.
struct HitWriter {
    const TreeHitOutput& output;
    std::size_t written = 0;
    std::size_t required = 0;

    Status write(const AlignedArray<TreeHit>& hits) {
        required += hits.size();
        if (AlignedArray<TreeHit>* array = output.array(); array != nullptr) {
            if (!array->reserve_to_append(hits.size()) || !array->resize(written + hits.size())) {
                return Status::out_of_memory;
            }
            std::copy(hits.begin(), hits.end(), array->data() + written);
            written += hits.size();
            return Status::ok;
        }
        const std::size_t fitting = std::min(hits.size(), output.span().size() - written);
        std::copy(hits.begin(), hits.begin() + fitting, output.span().data() + written);
        written += fitting;
        return Status::ok;
    }
};

template <class Hits, class Make>
WriteResult find_all(const BoxTree& tree, std::size_t query_count, const TreeQuerySettings& settings,
                     const Make& make, TreeScratch& scratch, const TreeHitOutput& output) {
    WriteResult result;
    result.status = check_query(tree, query_count, settings);
    if (result.status != Status::ok) return result;
    if (output.array() != nullptr) output.array()->clear();
    const TreeQueries queries = {TreeAccess::view(tree), active_kernels()->tree, settings.filter};
    HitWriter writer = {output};
    result.status = run_query_tasks(
        settings.runner, query_count, scratch,
        [&](TreeAccess::Task& task, std::uint32_t index) {
            return append_hits<Hits>(queries, make(index), index, settings.order, task);
        },
        [&](const TreeAccess::Task& task) { return writer.write(task.hits); });
    result.written = writer.written;
    result.required = writer.required;
    if (result.status == Status::ok && result.written < result.required)
        result.status = Status::capacity_exceeded;
    return result;
}

// Ends the search with the first hit that counts.
template <class Hits>
struct AnyVisitor : KeyedVisitor {
    const TreeQueries& queries;
    const Hits& hits;
    std::uint32_t query_index;
    bool is_met = false;

    AnyVisitor(const TreeQueries& queries_in, const Hits& hits_in, std::uint32_t index)
        : KeyedVisitor{hits_in.query.t_max, &ask}, queries(queries_in), hits(hits_in), query_index(index) {}

    static bool ask(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<AnyVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count && !self.is_met; ++i) {
            const std::uint32_t slot = slot_of(candidates[i]);
            self.is_met = met_at(self.queries.tree, self.hits, slot, key_of(candidates[i])).has_hit &&
                          self.queries.passes(self.query_index, self.queries.tree.box_index[slot]);
        }
        return !self.is_met;
    }
};

template <class Hits>
bool is_any_met(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index) {
    if (hits.is_decided_by_walk && queries.filter.is_empty()) {
        return queries.kernels.any_slab(queries.tree, hits.query);
    }
    AnyVisitor<Hits> visitor(queries, hits, query_index);
    queries.kernels.visit_slabs(queries.tree, hits.query, visitor);
    return visitor.is_met;
}

template <class Hits, class Make>
BatchResult find_any(const BoxTree& tree, std::size_t query_count, const TreeQuerySettings& settings,
                     const Make& make, std::span<std::uint64_t> out_bits) {
    if (const Status status = check_query(tree, query_count, settings); status != Status::ok) return {status};
    if (out_bits.size() < (query_count + 63) / 64) return {Status::capacity_exceeded};
    const TreeQueries queries = {TreeAccess::view(tree), active_kernels()->tree, settings.filter};
    // Runs of whole words, so that tasks share none.
    run_chunks(settings.runner, query_count, 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        std::uint64_t word = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto index = static_cast<std::uint32_t>(i);
            const bool is_met = is_any_met<Hits>(queries, make(index), index);
            word |= std::uint64_t{is_met ? 1u : 0u} << (i - begin);
        }
        out_bits[begin / 64] = word;
    });
    return {};
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::closest_boxes(std::span<const Ray> rays, const RaySettings& ray_settings,
                                   const TreeQuerySettings& settings,
                                   std::span<ClosestBox> out_closest) const noexcept {
    BROADSIDE_ZONE("BoxTree::closest_boxes");
    if (ray_settings.inside > Inside::zero) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_first<RayHits>(*this, rays.size(), settings, make, ray_settings.inside == Inside::zero,
                               out_closest);
}
WriteResult BoxTree::find_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                               const TreeQuerySettings& settings, TreeScratch& scratch,
                               const TreeHitOutput& out_hits) const noexcept {
    BROADSIDE_ZONE("BoxTree::find_hits");
    if (ray_settings.inside > Inside::zero) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_all<RayHits>(*this, rays.size(), settings, make, scratch, out_hits);
}
BatchResult BoxTree::any_hit(std::span<const Ray> rays, const RaySettings& ray_settings,
                             const TreeQuerySettings& settings,
                             std::span<std::uint64_t> out_bits) const noexcept {
    BROADSIDE_ZONE("BoxTree::any_hit");
    if (ray_settings.inside > Inside::zero) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return RayHits(rays[i], ray_settings); };
    return find_any<RayHits>(*this, rays.size(), settings, make, out_bits);
}

BatchResult BoxTree::first_impacts(std::span<const BoxCast> casts, Touch touch,
                                   const TreeQuerySettings& settings,
                                   std::span<ClosestBox> out_first) const noexcept {
    BROADSIDE_ZONE("BoxTree::first_impacts");
    if (touch > Touch::source_literal) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_first<CastHits>(*this, casts.size(), settings, make, touch == Touch::closed, out_first);
}
WriteResult BoxTree::find_impacts(std::span<const BoxCast> casts, Touch touch,
                                  const TreeQuerySettings& settings, TreeScratch& scratch,
                                  const TreeHitOutput& out_hits) const noexcept {
    BROADSIDE_ZONE("BoxTree::find_impacts");
    if (touch > Touch::source_literal) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_all<CastHits>(*this, casts.size(), settings, make, scratch, out_hits);
}
BatchResult BoxTree::any_impact(std::span<const BoxCast> casts, Touch touch,
                                const TreeQuerySettings& settings,
                                std::span<std::uint64_t> out_bits) const noexcept {
    BROADSIDE_ZONE("BoxTree::any_impact");
    if (touch > Touch::source_literal) return {Status::invalid_argument};
    const auto make = [&](std::uint32_t i) { return CastHits(casts[i], touch); };
    return find_any<CastHits>(*this, casts.size(), settings, make, out_bits);
}

}  // namespace broadside
