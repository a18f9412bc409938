// The distance of two meshes: a first guess, and the triangles that a walk cannot leave out.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_distance.hpp>

#include "core/src/zones.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh_pairs/any_near.hpp"
#include "narrowphase/src/mesh_pairs/pair_call.hpp"
#include "narrowphase/src/mesh_pairs/triangle_gap.hpp"
#include "narrowphase/src/mesh_pairs/triangle_pair_scalar.hpp"

namespace broadside {
namespace narrowphase {
namespace {

// A lower bound of the factor by which a placement changes lengths: the squared lengths of its rows, less what
// they lack in being perpendicular, after S. Gershgorin.
double smallest_scale(const Placement& p) {
    const double xy = __builtin_fabs(dot(p.row_x, p.row_y));
    const double yz = __builtin_fabs(dot(p.row_y, p.row_z));
    const double zx = __builtin_fabs(dot(p.row_z, p.row_x));
    const double least =
        min_keep(min_keep(dot(p.row_x, p.row_x) - (xy + zx), dot(p.row_y, p.row_y) - (xy + yz)),
                 dot(p.row_z, p.row_z) - (yz + zx));
    return __builtin_sqrt(least) * (1.0 - 0x1p-40);
}
double reach_along(const Vec3Double& direction, const Aabb& box) {
    const Vec3Double most = widened(max_keep(absolute(box.min), absolute(box.max)));
    return (__builtin_fabs(direction.x) * most.x + __builtin_fabs(direction.y) * most.y) +
           __builtin_fabs(direction.z) * most.z;
}

class DistanceSearch : PairDistanceSearch {
public:
    DistanceSearch(const PlacedPair& pair, const MeshView& a, const MeshView& b, float max_distance)
        : PairDistanceSearch{&call<&DistanceSearch::measure>, &call<&DistanceSearch::meet>},
          pair_(pair),
          views_{a, b},
          scales_{smallest_scale(pair.place_a), smallest_scale(pair.place_b), 1.0},
          best_distance_(max_distance) {
        set_limits();
    }

    /// With `is_any_enough` it ends at the guess if that is near enough.
    void run(const MeshPairKernels& kernels, bool is_any_enough) {
        if (!guess() && !(is_any_enough && nearest_.index_a != kNoTriangle))
            kernels.closest(pair_, views_[0], views_[1], *this);
    }
    ClosestTrianglePair answer() const {
        ClosestTrianglePair answer;
        answer.counts = {box_tests, leaf_pairs, triangle_tests};
        answer.a = nearest_.index_a;
        answer.b = nearest_.index_b;
        if (nearest_.index_a != kNoTriangle)
            answer.closest = best_distance_ == 0.0f ? meeting_point(nearest_.a, nearest_.b) : best_;
        return answer;
    }

private:
    static constexpr int kGuessSteps = 4;
    struct Nearest {
        Triangle a = {};
        Triangle b = {};
        std::uint32_t index_a = kNoTriangle;
        std::uint32_t index_b = kNoTriangle;
    };

    // Goes to and fro between the meshes, each time to the closest point. Two convex bodies are closest where
    // that ends. Returns true if triangles meet there.
    bool guess() {
        const auto& kernels = *simd::active_kernels<MeshKernels>();
        const Placement* const places[2] = {&pair_.place_a, &pair_.place_b};
        std::uint32_t slots[2] = {kNoMeshSlot, kNoMeshSlot};
        const Aabb& box = views_[1].bounds;
        const Vec3 middle = narrowed((widened(box.min) + widened(box.max)) * 0.5);
        Vec3Double point = turned(pair_.place_b, widened(middle)) + pair_.place_b.translation;
        for (int step = 0; step < kGuessSteps; ++step) {
            const int side = step % 2;
            const Placement& place = *places[side];
            const Vec3 in_mesh = narrowed(turned(inverse(place), point - place.translation));
            if (!is_finite(in_mesh)) return false;
            const std::uint32_t last = slots[side];
            kernels.closest_slots(views_[side], &in_mesh, 1, __builtin_inf(), &slots[side]);
            if (slots[side] == kNoMeshSlot) return false;
            if (slots[side] == last) break;
            const ClosestPoint closest = closest_point(views_[side].triangle_at(slots[side]), in_mesh);
            point = turned(place, widened(closest.point)) + place.translation;
        }
        const Triangle of_a = placed_scalar(pair_.place_a, views_[0].triangle_at(slots[0]));
        const Triangle of_b = placed_scalar(pair_.place_b, views_[1].triangle_at(slots[1]));
        const std::uint32_t index_a = views_[0].index_at(slots[0]);
        const std::uint32_t index_b = views_[1].index_at(slots[1]);
        if (meet(of_a, of_b, index_a, index_b)) return true;
        (void)measure(of_a, of_b, index_a, index_b);
        return false;
    }

    template <auto kMember>
    static bool call(PairDistanceSearch& self, const Triangle& a, const Triangle& b, std::uint32_t index_a,
                     std::uint32_t index_b) {
        return (static_cast<DistanceSearch&>(self).*kMember)(a, b, index_a, index_b);
    }

    bool meet(const Triangle& a, const Triangle& b, std::uint32_t index_a, std::uint32_t index_b) {
        if (judge_pair(a, b) == TrianglePairKind::disjoint) return false;
        nearest_ = {a, b, index_a, index_b};
        best_distance_ = 0.0f;
        return true;
    }
    bool measure(const Triangle& a, const Triangle& b, std::uint32_t index_a, std::uint32_t index_b) {
        const bool is_earlier =
            index_a != nearest_.index_a ? index_a < nearest_.index_a : index_b < nearest_.index_b;
        if (!is_earlier && is_no_nearer(a, b)) return false;
        ++triangle_tests;
        const TriangleGap gap = gap_of(a, b);
        const double length = __builtin_sqrt(dot(gap.gap, gap.gap));
        const Vec3Double along = length > 0.0 ? gap.gap * (1.0 / length) : gap.gap;
        direction = narrowed(along);
        const ClosestTrianglePoints closest = reported(gap);
        if (is_earlier ? closest.distance > best_distance_ : closest.distance >= best_distance_) return true;
        nearest_ = {a, b, index_a, index_b};
        best_ = closest;
        along_ = along;
        if (closest.distance == best_distance_) return true;
        best_distance_ = closest.distance;
        if (length > 0.0) set_sides(along);
        set_limits();
        return true;
    }
    // True if the direction of the closest pair so far shows that the distance of this one is no smaller
    // float: all triangles around one corner may be as near to all around another as the corners are.
    bool is_no_nearer(const Triangle& a, const Triangle& b) const {
        double size = 0.0;
        const auto at = [&](Vec3 corner) {
            const Vec3Double v = widened(corner) - widened(a.a);
            size = max_keep(size, (__builtin_fabs(v.x) + __builtin_fabs(v.y)) + __builtin_fabs(v.z));
            return dot(along_, v);
        };
        const double of_a = max_keep(max_keep(at(a.b), at(a.c)), 0.0);
        const double of_b = min_keep(min_keep(at(b.a), at(b.b)), at(b.c));
        // The error of both this and the distance, which is too short by no more than 2^-48 of it.
        return (of_b - of_a) - size * 0x1p-44 > static_cast<double>(next_down(best_distance_));
    }
    // Computed distances are too short by no more than 2^-48 of the triangles' size and distance, of which the
    // pad is a larger share.
    void set_limits() {
        reach = static_cast<double>(best_distance_) * (1.0 + 0x1p-40) + pair_.pad * 0x1p-20;
        for (int i = 0; i < 3; ++i) {
            const double largest = reach / scales_[i];
            const double squared = min_keep(largest * largest, static_cast<double>(FLT_MAX));
            limits[i] = min_keep(next_up(static_cast<float>(squared)), FLT_MAX);
        }
    }
    void set_sides(const Vec3Double& along) {
        ++turn;
        const auto set_side = [&](DirectionSide& out_side, const Placement& place,
                                  const Vec3Double& to_other) {
            // Times the placement's matrix: along it, placed points are as far as in the mesh.
            out_side.exact = (place.row_x * to_other.x + place.row_y * to_other.y) + place.row_z * to_other.z;
            out_side.in_mesh = narrowed(out_side.exact);
            out_side.in_world = narrowed(to_other);
            out_side.origin = dot(to_other, place.translation);
        };
        set_side(sides[0], pair_.place_a, along);
        set_side(sides[1], pair_.place_b, along * -1.0);
        slack =
            (reach_along(sides[0].exact, views_[0].bounds) + reach_along(sides[1].exact, views_[1].bounds)) *
                0x1p-21 +
            pair_.pad;
    }

    const PlacedPair& pair_;
    MeshView views_[2];
    double scales_[3];
    float best_distance_;
    ClosestTrianglePoints best_ = {};
    // Its direction, of the length 1.
    Vec3Double along_ = {};
    Nearest nearest_;
};

}  // namespace

bool is_any_near(const PlacedMesh& a, const PlacedMesh& b, float max_distance,
                 PairSearchCounts& state_counts) noexcept {
    PairCall call(a, b);
    bool is_near = false;
    (void)call.run_walk([&](const MeshPairKernels& kernels) {
        DistanceSearch search(call.pair(), a.mesh->view(), b.mesh->view(), max_distance);
        search.run(kernels, true);
        const ClosestTrianglePair found = search.answer();
        is_near = found.a != kNoTriangle;
        state_counts.node_tests += found.counts.node_tests;
        state_counts.leaf_pairs += found.counts.leaf_pairs;
        state_counts.triangle_tests += found.counts.triangle_tests;
    });
    return is_near;
}

}  // namespace narrowphase

ClosestTrianglePair closest_triangle_pair(const PlacedMesh& a, const PlacedMesh& b,
                                          float max_distance) noexcept {
    const FloatEnvironment environment(max_distance);
    BROADSIDE_ZONE("mesh/closest_triangle_pair");
    narrowphase::PairCall call(a, b);
    ClosestTrianglePair answer;
    const Status status = call.run_walk([&](const narrowphase::MeshPairKernels& kernels) {
        if (!(max_distance >= 0.0f)) return;
        narrowphase::DistanceSearch search(call.pair(), a.mesh->view(), b.mesh->view(), max_distance);
        search.run(kernels, false);
        answer = search.answer();
    });
    answer.status = status;
    return FloatEnvironment::result(answer);
}

}  // namespace broadside
