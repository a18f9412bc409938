// Boxes that rays and moving shapes hit: the first, all, and whether there is one.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/hit_search.hpp"
#include "broadphase/src/tree/swept_hits.hpp"
#include "core/src/list_writer.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

// The first axis whose near plane is met at `t`, the latest of the three; none if that was before the start.
// There is no branch on directions, which are as good as random.
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
// face is left to find. The specification is `decide(box)` of the types below.
//
// The walk sees times only. If one may underflow, it counts a box that the query has just left as met at 0,
// and would name a face of a box in which the query starts. Such a key of 0 is therefore decided again.
bool is_right_at(const SlabQuery& query, float key) { return key > 0.0f || !may_underflow(query); }

const TreeLineKernels& line_kernels() { return *simd::active_kernels<TreeLineKernels>(); }

struct SlabHits {
    SlabQuery query;
    bool is_decided_by_walk;

    float t_max() const { return query.t_max; }
    void visit(const TreeQueries& queries, KeyedVisitor& state_visitor) const {
        line_kernels().visit_slabs(queries.trees, queries.tree_count, query, state_visitor);
    }
    void all(const TreeView& tree, HitBlock<std::uint64_t>& state_block) const {
        line_kernels().all_slabs(tree, query, state_block);
    }
    bool any(const TreeQueries& queries) const {
        return std::any_of(queries.all().begin(), queries.all().end(),
                           [&](const TreeView& tree) { return line_kernels().any_slab(tree, query); });
    }
    /// Whether `any` can be trusted: it may count a box that the query has just left.
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
        const RaySolidHit hit = ray_box_prepared(ray, box);
        return {hit.t_enter, hit.face, hit.has_hit};
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float key) const {
        return is_decided_by_walk && is_right_at(query, key) ? met_by_walk(tree, slot, key)
                                                             : decide(slot_box(tree, slot));
    }
};

// Without faces.
struct RayTimes : RayHits {
    using RayHits::RayHits;
    Met met_at(const TreeView& tree, std::uint32_t slot, float key) const {
        return is_right_at(query, key) ? Met{key, Face::none, true} : decide(slot_box(tree, slot));
    }
};

struct CastHits : SlabHits {
    BoxCast cast;
    Touch touch;

    CastHits(const BoxCast& cast_in, Touch touch_in)
        : SlabHits{slab_query(cast_in.shape, cast_in.displacement, cast_in.t_max), touch_in == Touch::closed},
          cast(cast_in),
          touch(touch_in) {}
    Met decide(const Aabb& box) const {
        const Impact impact = first_impact_scalar(box, cast.shape, cast.displacement, touch);
        return {impact.toi, impact.face, impact.toi <= t_max()};
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float key) const {
        return is_decided_by_walk && is_right_at(query, key) ? met_by_walk(tree, slot, key)
                                                             : decide(slot_box(tree, slot));
    }
};

// Whether queries have about the same direction and origin. A packet of them then has most nodes in common. A
// wrong result costs time only.
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

void walk_first(const TreeLineKernels& kernels, const TreeView& tree, const SlabQuery* slabs,
                std::uint32_t count, FirstBox* out_closest) {
    std::uint32_t packet_count = 0;
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        packet_count += is_packet(tree, slabs + begin, rest < kPacketSize ? rest : kPacketSize) ? 1u : 0u;
    }
    // A single walk needs many others beside it; so all queries go one way or all the other.
    if (packet_count * kPacketSize * 2 < count) {
        kernels.first_slabs(tree, slabs, count, out_closest);
        return;
    }
    for (std::uint32_t begin = 0; begin < count; begin += kPacketSize) {
        const std::uint32_t rest = count - begin;
        kernels.first_slabs_packet(tree, slabs + begin, rest < kPacketSize ? rest : kPacketSize,
                                   out_closest + begin);
    }
}

bool is_closer(const TreeHit& hit, const TreeHit& than) {
    if (hit.target == kNoBox) return false;
    return than.target == kNoBox || hit.t < than.t || (hit.t == than.t && hit.target < than.target);
}

// Takes the result of the walk of one tree for a query. The walk may be wrong about boxes met at 0.
template <class MakeHits>
void take_first(const TreeQueries& queries, const TreeView& tree, const FirstBox& first,
                const MakeHits& make_hits, std::uint32_t query_index, const SlabQuery& slabs,
                TreeHit& state_closest) {
    if (first.slot == kNoSlot) return;
    TreeHit found = {tree.box_index(first.slot), first.key, Face::none};
    if (is_right_at(slabs, first.key)) {
        found.face = entry_face(tree, slabs, first.slot, first.key);
    } else {
        const auto& hits = make_hits(query_index);
        const Met met = hits.decide(slot_box(tree, first.slot));
        found =
            met.has_hit ? TreeHit{found.target, met.t, met.face} : visit_closest(queries, hits, query_index);
    }
    if (is_closer(found, state_closest)) state_closest = found;
}

// Limits the search in other trees to boxes that are no further away.
void draw_in(const TreeHit& closest, SlabQuery& state_slabs) {
    if (closest.target != kNoBox) state_slabs.t_max = min_keep(closest.t, state_slabs.t_max);
}

template <class Hits>
TreeHit find_closest(const TreeQueries& queries, const Hits& hits) {
    if constexpr (requires { hits.is_decided_by_walk; }) {
        if (queries.tree_count == 0) return {};
        if (hits.is_decided_by_walk && queries.settings.finds_all()) {
            const auto make = [&](std::uint32_t) { return hits; };
            TreeHit closest;
            const TreeLineKernels& kernels = line_kernels();
            FirstBox first = kernels.first_slab(queries.trees[0], hits.query);
            take_first(queries, queries.trees[0], first, make, 0, hits.query, closest);
            if (queries.tree_count == 1) return closest;
            SlabQuery slabs = hits.query;
            for (const TreeView& tree : queries.all().subspan(1)) {
                draw_in(closest, slabs);
                first = kernels.first_slab(tree, slabs);
                take_first(queries, tree, first, make, 0, slabs, closest);
            }
            return closest;
        }
    }
    return visit_closest(queries, hits, 0);
}

// Handles up to kHitRun queries, which `make(index)` prepares.
template <class Make>
void find_closest_run(const TreeQueries& queries, std::uint32_t begin, std::uint32_t count, const Make& make,
                      TreeHit* out_closest) {
    std::fill_n(out_closest, count, TreeHit{});
    if (queries.tree_count == 0) return;
    using Hits = decltype(make(begin));
    if constexpr (requires(const Hits& hits) { hits.is_decided_by_walk; }) {
        if (make(begin).is_decided_by_walk && queries.settings.finds_all()) {
            SlabQuery slabs[kHitRun];
            FirstBox first[kHitRun];
            const TreeLineKernels& kernels = line_kernels();
            make.write_slabs(kernels, begin, count, slabs);
            for (const TreeView& tree : queries.all()) {
                walk_first(kernels, tree, slabs, count, first);
                // Listed first, because which query meets something is as good as random.
                std::uint32_t met[kHitRun];
                std::uint32_t met_count = 0;
                for (std::uint32_t i = 0; i < count; ++i) {
                    met[met_count] = i;
                    met_count += first[i].slot != kNoSlot ? 1u : 0u;
                }
                for (std::uint32_t k = 0; k < met_count; ++k) {
                    const std::uint32_t i = met[k];
                    take_first(queries, tree, first[i], make, begin + i, slabs[i], out_closest[i]);
                    draw_in(out_closest[i], slabs[i]);
                }
            }
            return;
        }
    }
    for (std::uint32_t i = 0; i < count; ++i)
        out_closest[i] = visit_closest(queries, make(begin + i), begin + i);
}

// Whether each of up to kHitRun queries meets anything, as bits; runs begin with whole words.
template <class Make>
void find_any_run(const TreeQueries& queries, std::uint32_t begin, std::uint32_t count, const Make& make,
                  std::uint64_t* out_bits) {
    SlabQuery slabs[kHitRun];
    std::uint8_t is_met[kHitRun] = {};
    std::uint8_t is_met_here[kHitRun];
    const TreeLineKernels& kernels = line_kernels();
    make.write_slabs(kernels, begin, count, slabs);
    for (const TreeView& tree : queries.all()) {
        kernels.any_slabs(tree, slabs, count, is_met_here);
        for (std::uint32_t i = 0; i < count; ++i) is_met[i] |= is_met_here[i];
        if (&tree == &queries.all().back()) break;
        // A query that has met something is done.
        for (std::uint32_t i = 0; i < count; ++i) slabs[i].t_max = is_met[i] != 0 ? -1.0f : slabs[i].t_max;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        // The walk counts boxes that the query has just left. The rarer case is tested first.
        if (may_underflow(slabs[i]) && is_met[i] != 0)
            is_met[i] = is_any_met(queries, make(begin + i), begin + i) ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < count; i += 64) {
        std::uint64_t word = 0;
        for (std::uint32_t bit = 0; bit < 64 && i + bit < count; ++bit)
            word |= std::uint64_t{is_met[i + bit]} << bit;
        out_bits[i / 64] = word;
    }
}

template <class Make>
void find_any(const TreeQueries& queries, std::size_t query_count, const Make& make,
              std::span<std::uint64_t> out_bits) {
    if constexpr (requires { make(0).is_decided_by_walk; }) {
        const bool is_run = query_count > 1 && queries.tree_count != 0 && queries.settings.finds_all();
        if (is_run && make(0).is_decided_by_walk) {
            run_chunks(
                queries.settings.runner, query_count, kHitRun, [&](std::size_t begin, std::size_t end) {
                    BROADSIDE_ZONE("box tree/query task");
                    find_any_run(queries, static_cast<std::uint32_t>(begin),
                                 static_cast<std::uint32_t>(end - begin), make, out_bits.data() + begin / 64);
                });
            return;
        }
    }
    write_bits(queries.settings.runner, query_count, out_bits,
               [&](std::uint32_t i) { return is_any_met(queries, make(i), i); });
}

// The type above that handles a query.
RayHits hits_of(const Ray& ray, const HitQueries& rules) { return {ray, rules.ray_settings}; }
CastHits hits_of(const BoxCast& cast, const HitQueries& rules) { return {cast, rules.touch}; }
SphereHits hits_of(const SphereCast& cast, const HitQueries&) { return SphereHits(cast); }
CapsuleHits hits_of(const CapsuleCast& cast, const HitQueries&) { return CapsuleHits(cast); }

// Prepares the queries of a list, one at a time or many.
template <class List>
struct HitsOfList {
    List list;
    const HitQueries& rules;

    auto operator()(std::uint32_t index) const { return hits_of(list[index], rules); }
    void write_slabs(const TreeLineKernels& kernels, std::uint32_t begin, std::uint32_t count,
                     SlabQuery* out_slabs) const {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(list[0])>, Ray>) {
            kernels.prepare_rays(&list[begin], count, far_padding(rules.ray_settings), out_slabs);
        } else {
            for (std::uint32_t i = 0; i < count; ++i) out_slabs[i] = (*this)(begin + i).query;
        }
    }
};

}  // namespace

WriteResult find_hits(const TreeQueries& queries, const HitQueries& lines, BoxScratch& scratch,
                      const TreeHitOutput& output) {
    Status status = Status::ok;
    ListWriter<Listed<TreeHit>> writer(output);
    lines.visit([&](auto list) {
        status = run_query_tasks(
            queries.settings.runner, list.size(), scratch,
            [&](BoxScratch::Task& task, std::uint32_t index) {
                return append_hits(queries, hits_of(list[index], lines), index, task);
            },
            [&](const BoxScratch::Task& task) {
                return writer.write({task.hits.data(), task.hits.size()});
            });
    });
    return writer.result(status);
}

void any_hit(const TreeQueries& queries, const HitQueries& lines, std::span<std::uint64_t> out_bits) {
    lines.visit([&](auto list) {
        find_any(queries, list.size(), HitsOfList<decltype(list)>{list, lines}, out_bits);
    });
}

bool any_hit(const TreeQueries& queries, const HitQuery& line) {
    bool is_met = false;
    line.visit([&](auto one) { is_met = is_any_met(queries, hits_of(one[0], line), 0); });
    return is_met;
}

void visit_hits(const TreeQueries& queries, const HitQuery& line, HitVisitor visitor) {
    line.visit([&](auto one) {
        const auto hits = hits_of(one[0], line);
        if (queries.settings.order == PairOrder::by_algorithm) {
            std::uint64_t found[8 * kNodeWidth];
            return UnorderedVisitor(queries, hits, visitor, found).run();
        }
        AllVisitor all(queries, hits, visitor);
        hits.visit(queries, all);
    });
}

Status visit_times(const BoxTree& tree, const Ray& ray, const RaySettings& ray_settings, HitVisitor visitor) {
    if (simd::active_kernels<TreeLineKernels>() == nullptr) return Status::unsupported_isa;
    const TreeQuerySettings settings;
    const OneTree trees(tree, settings);
    const RayTimes hits(ray, ray_settings);
    AllVisitor all(trees, hits, visitor);
    hits.visit(trees, all);
    return Status::ok;
}

bool visit_packet(const BoxTree& tree, std::span<const Ray, kPacketSize> rays, const RaySettings& settings,
                  PacketVisitor& state_visitor) {
    const TreeLineKernels* kernels = simd::active_kernels<TreeLineKernels>();
    const TreeView view = view_of(tree);
    if (kernels == nullptr || view.is_empty()) return false;
    SlabQuery slabs[kPacketSize];
    kernels->prepare_rays(rays.data(), kPacketSize, far_padding(settings), slabs);
    if (!is_packet(view, slabs, kPacketSize)) return false;
    if (std::any_of(slabs, slabs + kPacketSize, [](const SlabQuery& slab) { return may_underflow(slab); }))
        return false;
    for (std::uint32_t i = 0; i < kPacketSize; ++i) state_visitor.limits[i] = slabs[i].t_max;
    kernels->visit_slabs_packet(view, slabs, kPacketSize, state_visitor);
    return true;
}

TreeHit closest_hit(const TreeQueries& queries, const HitQuery& line) {
    TreeHit closest;
    line.visit([&](auto one) { closest = find_closest(queries, hits_of(one[0], line)); });
    return closest;
}

void closest_hits(const TreeQueries& queries, const HitQueries& lines, std::size_t begin, std::size_t count,
                  TreeHit* out_closest) {
    lines.visit([&](auto list) {
        find_closest_run(queries, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(count),
                         HitsOfList<decltype(list)>{list, lines}, out_closest);
    });
}

}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::closest_hits(const HitQueries& queries, const TreeQuerySettings& settings,
                                  std::span<TreeHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_hits");
    if (const Status status = check_hit_query(*this, queries, settings); status != Status::ok)
        return {status};
    if (!check_readable(out_closest)) return {Status::invalid_argument};
    if (out_closest.size() < queries.size()) return {Status::capacity_exceeded};
    const OneTree trees(*this, settings);
    run_chunks(settings.runner, queries.size(), kHitRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        broadphase::closest_hits(trees, queries, begin, end - begin, out_closest.data() + begin);
    });
    return {};
}
WriteResult BoxTree::find_hits(const HitQueries& queries, const TreeQuerySettings& settings,
                               BoxScratch& scratch, const TreeHitOutput& out_hits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::find_hits");
    if (!check_output(out_hits)) return {Status::invalid_argument};
    if (const Status status = check_hit_query(*this, queries, settings); status != Status::ok)
        return {status};
    return broadphase::find_hits(OneTree(*this, settings), queries, scratch, out_hits);
}
BatchResult BoxTree::any_hit(const HitQueries& queries, const TreeQuerySettings& settings,
                             std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::any_hit");
    if (const Status status = check_hit_query(*this, queries, settings); status != Status::ok)
        return {status};
    if (!check_readable(out_bits)) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(queries.size())) return {Status::capacity_exceeded};
    broadphase::any_hit(OneTree(*this, settings), queries, out_bits);
    return {};
}
bool BoxTree::any_hit(const HitQuery& query, const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(check_hit_query(*this, query, settings) == Status::ok &&
                                    broadphase::any_hit(OneTree(*this, settings), query));
}
TreeHit BoxTree::closest_hit(const HitQuery& query, const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (check_hit_query(*this, query, settings) != Status::ok) return {};
    return FloatEnvironment::result(broadphase::closest_hit(OneTree(*this, settings), query));
}
Status BoxTree::visit_hits(const HitQuery& query, const TreeQuerySettings& settings,
                           HitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    const Status status = check_hit_query(*this, query, settings);
    if (status == Status::ok) broadphase::visit_hits(OneTree(*this, settings), query, visit);
    return status;
}

Vec3 contact_normal(const SphereCast& cast, const Aabb& box, float t) noexcept {
    const FloatEnvironment environment(t);
    return FloatEnvironment::result(geometry::sphere_box_normal(cast.shape, cast.displacement, t, box));
}
Vec3 contact_normal(const CapsuleCast& cast, const Aabb& box, float t) noexcept {
    const FloatEnvironment environment(t);
    return FloatEnvironment::result(geometry::capsule_box_normal(cast.shape, cast.displacement, t, box));
}

}  // namespace broadside
