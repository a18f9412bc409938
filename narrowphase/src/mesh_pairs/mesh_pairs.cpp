// Mesh against mesh: the calls, and how they process the pairs of triangles from the trees.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_pairs.hpp>

#include "core/src/geometry/box_distance.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh_pairs/any_near.hpp"
#include "narrowphase/src/mesh_pairs/pair_call.hpp"
#include "narrowphase/src/mesh_pairs/triangle_pair_scalar.hpp"
#include "narrowphase/src/mesh_pairs/two_triangles.hpp"

#include <algorithm>

namespace broadside {

using narrowphase::BoxFrame;
using narrowphase::judge_pair;
using narrowphase::PairCall;
using narrowphase::PlacedPair;
using narrowphase::TrianglePairSink;

namespace {

// Whether a placed corner of a mesh is inside another, closed one. Its coordinates in the space of the holder
// are rounded; near the surface all placed triangles are tested, exactly.
bool holds_corner(const PlacedMesh& holder, const narrowphase::Placement& place_holder, const BoxFrame& frame,
                  const PlacedMesh& other, Vec3 corner) {
    const Vec3 in_holder = narrowphase::placed_scalar(frame.space_from_other, corner);
    const Vec3 size = absolute(in_holder);
    const double error =
        2.0 * frame.pad + 0x1p-22 * static_cast<double>(max_keep(max_keep(size.x, size.y), size.z));
    const double reach_sq = distance_sq(holder.mesh->bounds(), in_holder);
    if (reach_sq > error * error) return false;
    float distance = 0.0f;
    if (holder.mesh->signed_distances({&in_holder, 1}, {}, {&distance, 1}).status != Status::ok) return false;
    if (static_cast<double>(absolute(distance)) > error) return distance < 0.0f;
    const Vec3 in_world = placed(other.world_from_mesh, corner);
    std::size_t crossing_count = 0;
    for (std::uint32_t i = 0; i < holder.mesh->triangle_count(); ++i) {
        const Triangle triangle = narrowphase::placed_scalar(place_holder, holder.mesh->triangle(i));
        crossing_count +=
            narrowphase::crossing(in_world, narrowphase::kInsideDirection, triangle) != 0 ? 1u : 0u;
    }
    return crossing_count % 2 != 0;
}

// Whether a mesh that meets no triangle of the holder is inside it: one corner of each component decides,
// because no triangle of a component can leave.
bool holds(const PlacedMesh& holder, const narrowphase::Placement& place_holder, const BoxFrame& frame,
           const PlacedMesh& other) {
    for (const std::uint32_t first_triangle : other.mesh->component_triangles()) {
        if (!holds_corner(holder, place_holder, frame, other, other.mesh->triangle(first_triangle).a))
            return false;
    }
    return true;
}

PairSearchCounts counts_of(const TrianglePairSink& sink) {
    return {sink.box_tests, sink.leaf_pairs, sink.triangle_tests};
}

struct PairListSink : TrianglePairSink {
    AlignedArray<TrianglePair>& pairs;
    bool is_out_of_memory = false;

    explicit PairListSink(AlignedArray<TrianglePair>& array) : TrianglePairSink{&add}, pairs(array) {
        pairs.clear();
    }

private:
    static bool add(TrianglePairSink& self, const Triangle& a, const Triangle& b, std::uint32_t index_a,
                    std::uint32_t index_b) {
        auto& sink = static_cast<PairListSink&>(self);
        const TrianglePairKind kind = judge_pair(a, b);
        if (kind == TrianglePairKind::disjoint) return true;
        sink.is_out_of_memory = !sink.pairs.push_back({index_a, index_b, kind});
        return !sink.is_out_of_memory;
    }
};

struct AnySink : TrianglePairSink {
    bool has_pair = false;

    AnySink() : TrianglePairSink{&see} {}

private:
    static bool see(TrianglePairSink& self, const Triangle& a, const Triangle& b, std::uint32_t,
                    std::uint32_t) {
        auto& sink = static_cast<AnySink&>(self);
        sink.has_pair = judge_pair(a, b) != TrianglePairKind::disjoint;
        return !sink.has_pair;
    }
};

struct ImpactSink : TrianglePairSink {
    MeshPairImpact first = {};
    Vec3Double motion;

    explicit ImpactSink(const Vec3Double& motion_in) : TrianglePairSink{&take_earliest}, motion(motion_in) {}

private:
    static bool take_earliest(TrianglePairSink& self, const Triangle& a, const Triangle& b,
                              std::uint32_t index_a, std::uint32_t index_b) {
        auto& sink = static_cast<ImpactSink&>(self);
        MeshPairImpact& first = sink.first;
        const bool is_before = index_a != first.a ? index_a < first.a : index_b < first.b;
        // One that comes later must be earlier by a float, which the first of its axes mostly tells.
        const double limit =
            is_before ? static_cast<double>(sink.limit)
                      : 0.5 * (static_cast<double>(first.toi) + static_cast<double>(next_down(first.toi)));
        // A toi of 0 is kept for meshes that meet at the start; other times do not round to 0.
        float toi = 0.0f;
        if (!overlap(bounds(a), bounds(b)) || judge_pair(a, b) == TrianglePairKind::disjoint) {
            const double time = narrowphase::impact_time(a, b, sink.motion, limit);
            if (!(time <= 1.0)) return true;
            toi = max_keep(static_cast<float>(time), FLT_MIN);
        }
        if (toi > first.toi || (toi == first.toi && !is_before)) return true;
        first.toi = toi;
        first.a = index_a;
        first.b = index_b;
        sink.limit = min_keep(next_up(toi), 1.0f);
        return true;
    }
};

struct RelationSink : TrianglePairSink {
    MeshRelation relation = MeshRelation::apart;

    RelationSink() : TrianglePairSink{&relate} {}

private:
    static bool relate(TrianglePairSink& self, const Triangle& a, const Triangle& b, std::uint32_t,
                       std::uint32_t) {
        auto& sink = static_cast<RelationSink&>(self);
        const TrianglePairKind kind = judge_pair(a, b);
        if (kind == TrianglePairKind::intersecting) {
            sink.relation = MeshRelation::intersecting;
            return false;
        }
        if (kind != TrianglePairKind::disjoint) sink.relation = MeshRelation::touching;
        return true;
    }
};

bool are_equal(const Triangle& a, const Triangle& b) { return a.a == b.a && a.b == b.b && a.c == b.c; }

bool are_duplicates(const PlacedMesh& a, const PlacedMesh& b, const PlacedPair& pair) {
    const auto count = static_cast<std::uint32_t>(a.mesh->triangle_count());
    if (count != b.mesh->triangle_count()) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!are_equal(narrowphase::placed_scalar(pair.place_a, a.mesh->triangle(i)),
                       narrowphase::placed_scalar(pair.place_b, b.mesh->triangle(i))))
            return false;
    }
    return count != 0;
}

}  // namespace

WriteResult find_triangle_pairs(const PlacedMesh& a, const PlacedMesh& b, MeshScratch& scratch,
                                std::span<TrianglePair> out_pairs, PairSearchCounts* out_counts) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("mesh/find_triangle_pairs");
    PairCall call(a, b);
    call.checks().readable(out_pairs);
    AlignedArray<TrianglePair>& pairs = scratch.triangle_pairs;
    PairListSink sink(pairs);
    WriteResult result = {call.run(sink)};
    if (out_counts != nullptr) *out_counts = counts_of(sink);
    if (result.status != Status::ok) return result;
    if (sink.is_out_of_memory) return {Status::out_of_memory};
    std::sort(pairs.begin(), pairs.end(), [](const TrianglePair& x, const TrianglePair& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    result.required = pairs.size();
    result.written = std::min(result.required, out_pairs.size());
    std::copy_n(pairs.begin(), result.written, out_pairs.begin());
    if (result.written < result.required) result.status = Status::capacity_exceeded;
    return result;
}

AnyPairResult any_triangle_pair(const PlacedMesh& a, const PlacedMesh& b) noexcept {
    const FloatEnvironment environment;
    PairCall call(a, b);
    AnySink sink;
    const Status status = call.run(sink);
    return {status, sink.has_pair, counts_of(sink)};
}

MeshPairImpact first_impact(const PlacedMesh& a, Vec3 a_displacement, const PlacedMesh& b,
                            Vec3 b_displacement) noexcept {
    const FloatEnvironment environment(a_displacement, b_displacement);
    const Vec3Double motion = widened(b_displacement) - widened(a_displacement);
    const bool is_motion = is_finite(a_displacement) && is_finite(b_displacement);
    PairCall call(a, b, is_motion ? motion : Vec3Double{});
    call.checks().legal(is_motion, "displacements: one is not finite");
    ImpactSink sink(motion);
    const Status status = call.run(sink);
    sink.first.status = status;
    sink.first.counts = counts_of(sink);
    return FloatEnvironment::result(sink.first);
}

MeshRelationResult mesh_relation(const PlacedMesh& a, const PlacedMesh& b,
                                 const MeshRelationSettings& settings) noexcept {
    const FloatEnvironment environment;
    const float clearance = settings.clearance;
    PairCall call(a, b);
    call.checks()
        .runner(settings.runner)
        .legal(clearance >= 0.0f && is_finite(clearance), "clearance: negative or not finite");
    RelationSink sink;
    const PlacedPair& pair = call.pair();
    MeshRelationResult answer;
    answer.status = call.run_walk([&](const narrowphase::MeshPairKernels& kernels) {
        // Before the search, which ends at no pair if triangles only touch those beside them.
        if (!are_duplicates(a, b, pair)) return call.walk(kernels, sink);
        sink.relation = MeshRelation::duplicate;
    });
    answer.counts = counts_of(sink);
    answer.found = sink.relation;
    if (answer.status != Status::ok || call.is_empty() || answer.found != MeshRelation::apart) return answer;
    if (settings.find_contained && holds(b, pair.place_b, pair.b_from_a, a)) {
        answer.found = MeshRelation::a_in_b;
    } else if (settings.find_contained && holds(a, pair.place_a, pair.a_from_b, b)) {
        answer.found = MeshRelation::b_in_a;
    } else if (clearance > 0.0f) {
        if (narrowphase::is_any_near(a, b, clearance, answer.counts)) answer.found = MeshRelation::near;
    }
    return answer;
}

}  // namespace broadside
