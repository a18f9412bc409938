// Tree of spheres against tree of spheres.
#include <broadside/float_environment.hpp>
#include <broadside/sphere_tree.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"

#include <algorithm>

namespace broadside {

using narrowphase::Placement;

namespace {

// Halved trees of fewer than 2^30 parts have 31 levels; each step removes a pair and adds two further down.
constexpr std::size_t kMaxPending = 64;

double scale_of_rows(const Placement& p) { return __builtin_sqrt(dot(p.row_x, p.row_x)); }

Sphere placed_sphere(const Placement& p, const Sphere& sphere) {
    return {narrowphase::placed_scalar(p, sphere.center),
            static_cast<float>(static_cast<double>(sphere.radius) * scale_of_rows(p))};
}

// A sphere of the world in doubles, a little larger than necessary: placements stretch by up to 2^-11 more
// along other axes than along x, and leaves are rounded to floats.
struct WideSphere {
    Vec3Double center;
    double radius;

    WideSphere(const Placement& p, double scale, const Sphere& sphere)
        : center(turned(p, widened(sphere.center)) + p.translation) {
        const double size = max_keep(max_keep(__builtin_fabs(center.x), __builtin_fabs(center.y)),
                                     max_keep(__builtin_fabs(center.z), largest(p.translation)));
        radius = static_cast<double>(sphere.radius) * scale * (1.0 + 0x1p-9) + size * 0x1p-20 + 0x1p-140 +
                 scale * largest(widened(sphere.center)) * 0x1p-20;
    }

private:
    static double largest(const Vec3Double& a) {
        return max_keep(max_keep(__builtin_fabs(a.x), __builtin_fabs(a.y)), __builtin_fabs(a.z));
    }
};
bool may_overlap(const WideSphere& a, const WideSphere& b) {
    const Vec3Double gap = a.center - b.center;
    const double reach = a.radius + b.radius;
    return !(dot(gap, gap) > reach * reach);
}

bool check_placements(const Transform& a, const Transform& b) {
    return BROADSIDE_ARGUMENT(is_placement(a) && is_placement(b),
                              "world_from_tree: no rotation times a scale");
}

// Calls `visit(part of a, part of b)` for all pairs of parts that overlap, until it returns false.
template <class Visit>
PairSearchCounts walk(const SphereTree& a, const Transform& world_from_a, const SphereTree& b,
                      const Transform& world_from_b, Visit&& visit) {
    PairSearchCounts counts;
    if (a.node_count() == 0 || b.node_count() == 0) return counts;
    const Placement place_a = narrowphase::widened(world_from_a);
    const Placement place_b = narrowphase::widened(world_from_b);
    const double scale_a = scale_of_rows(place_a);
    const double scale_b = scale_of_rows(place_b);
    const SphereTreeNode* const nodes_a = a.nodes();
    const SphereTreeNode* const nodes_b = b.nodes();
    IndexPair pending[kMaxPending];
    std::size_t count = 0;
    pending[count++] = {0, 0};
    while (count > 0) {
        const IndexPair pair = pending[--count];
        const SphereTreeNode& node_a = nodes_a[pair.first];
        const SphereTreeNode& node_b = nodes_b[pair.second];
        ++counts.node_tests;
        if (node_a.is_leaf() && node_b.is_leaf()) {
            ++counts.leaf_pairs;
            if (!overlap(placed_sphere(place_a, node_a.sphere), placed_sphere(place_b, node_b.sphere)))
                continue;
            if (!visit(node_a.part, node_b.part)) return counts;
            continue;
        }
        const WideSphere sphere_a(place_a, scale_a, node_a.sphere);
        const WideSphere sphere_b(place_b, scale_b, node_b.sphere);
        if (!may_overlap(sphere_a, sphere_b)) continue;
        // The larger one is opened.
        const bool is_a_opened =
            node_b.is_leaf() || (!node_a.is_leaf() && sphere_a.radius >= sphere_b.radius);
        const std::uint32_t child = is_a_opened ? node_a.first_child : node_b.first_child;
        for (const std::uint32_t next : {child + 1, child})
            pending[count++] = is_a_opened ? IndexPair{next, pair.second} : IndexPair{pair.first, next};
    }
    return counts;
}

}  // namespace

Sphere placed(const Transform& world_from_tree, const Sphere& sphere) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(placed_sphere(narrowphase::widened(world_from_tree), sphere));
}

WriteResult find_part_pairs(const SphereTree& a, const Transform& world_from_a, const SphereTree& b,
                            const Transform& world_from_b, MeshScratch& scratch,
                            std::span<IndexPair> out_pairs, PairSearchCounts* out_counts) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("mesh/find_part_pairs");
    if (!check_placements(world_from_a, world_from_b) || !check_readable(out_pairs))
        return {Status::invalid_argument};
    scratch.pairs.clear();
    bool has_memory = true;
    WriteResult result;
    const PairSearchCounts counts =
        walk(a, world_from_a, b, world_from_b, [&](std::uint32_t of_a, std::uint32_t of_b) {
            return has_memory = scratch.pairs.push_back({of_a, of_b});
        });
    if (out_counts != nullptr) *out_counts = counts;
    if (!has_memory) return {Status::out_of_memory};
    std::sort(scratch.pairs.begin(), scratch.pairs.end());
    result.required = scratch.pairs.size();
    result.written = std::min(result.required, out_pairs.size());
    std::copy_n(scratch.pairs.begin(), result.written, out_pairs.begin());
    if (result.written < result.required) result.status = Status::capacity_exceeded;
    return result;
}

AnyPairResult any_part_pair(const SphereTree& a, const Transform& world_from_a, const SphereTree& b,
                            const Transform& world_from_b) noexcept {
    const FloatEnvironment environment;
    if (!check_placements(world_from_a, world_from_b)) return {Status::invalid_argument};
    AnyPairResult answer;
    answer.counts = walk(a, world_from_a, b, world_from_b, [&](std::uint32_t, std::uint32_t) {
        answer.found = true;
        return false;
    });
    return answer;
}

}  // namespace broadside
