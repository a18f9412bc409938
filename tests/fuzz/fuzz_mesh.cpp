// libFuzzer target of TriangleMesh: random vertices and indices become meshes or are refused for the right
// reason, every query is compared with a loop over all triangles, and two meshes are tested against each
// other.
#include "tests/fuzz/fuzz_input.hpp"

#include <broadside/mesh.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/sphere_overlap.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Made {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    TriangleMesh mesh;

    std::uint32_t count() const { return static_cast<std::uint32_t>(indices.size() / 3); }
    Triangle triangle(std::uint32_t index) const {
        return {vertices[indices[3 * index]], vertices[indices[3 * index + 1]],
                vertices[indices[3 * index + 2]]};
    }
};

MeshBuildResult expected_result(const Made& made) {
    const auto refused = [](MeshFault fault, std::size_t index) {
        return MeshBuildResult{Status::invalid_argument, fault, index};
    };
    if (made.indices.size() % 3 != 0) return refused(MeshFault::incomplete_triangle, kNoIndex);
    for (std::size_t i = 0; i < made.indices.size(); ++i) {
        if (made.indices[i] >= made.vertices.size()) return refused(MeshFault::index_out_of_range, i);
    }
    for (std::size_t i = 0; i < made.vertices.size(); ++i) {
        if (!is_finite(made.vertices[i])) return refused(MeshFault::vertex_not_finite, i);
    }
    return {};
}

std::vector<std::byte> saved(const TriangleMesh& mesh) {
    std::vector<std::byte> bytes(mesh.snapshot_bytes());
    require(mesh.save(bytes) == Status::ok, "save");
    return bytes;
}

// True if there is a mesh to query.
bool make(FuzzInput& state_input, Made& state_made) {
    const std::uint32_t vertex_count = state_input.below(64);
    for (std::uint32_t i = 0; i < vertex_count; ++i) state_made.vertices.push_back(state_input.vector());
    const std::uint32_t index_count = state_input.below(129);
    for (std::uint32_t i = 0; i < index_count; ++i) {
        const std::uint32_t index = state_input.take<std::uint8_t>();
        // Most are legal, so that there are meshes.
        state_made.indices.push_back(index < 250 && vertex_count != 0 ? index % vertex_count : index);
    }
    const std::vector<std::byte> before = saved(state_made.mesh);
    const auto quality = state_input.below(2) == 0 ? MeshBuildQuality::standard : MeshBuildQuality::fast;
    const MeshBuildResult result =
        state_made.mesh.build(state_made.vertices, state_made.indices, nullptr, quality);
    const MeshBuildResult expected = expected_result(state_made);
    require(
        result.status == expected.status && result.fault == expected.fault && result.index == expected.index,
        "build says what is wrong");
    if (result.status != Status::ok) {
        require(saved(state_made.mesh) == before, "what is refused changes nothing");
        return false;
    }
    const TriangleMesh& mesh = state_made.mesh;
    require(mesh.triangle_count() == state_made.count(), "triangle_count");
    for (std::uint32_t i = 0; i < state_made.count(); ++i) {
        const Triangle triangle = mesh.triangle(i);
        const Triangle given = state_made.triangle(i);
        require(triangle.a == given.a && triangle.b == given.b && triangle.c == given.c,
                "a triangle as given");
    }
    TriangleMesh copy;
    const std::vector<std::byte> bytes = saved(mesh);
    require(copy.restore(bytes) == Status::ok && saved(copy) == bytes, "a mesh comes back from its bytes");
    return true;
}

void ask_rays(FuzzInput& state_input, const Made& made) {
    const Ray ray = {state_input.vector(), state_input.vector(), state_input.number()};
    const auto sides = static_cast<Sides>(state_input.below(2));
    std::vector<MeshHit> expected;
    for (std::uint32_t i = 0; i < made.count(); ++i) {
        const RayTriangleHit hit = ray_triangle(ray, made.triangle(i), sides);
        if (hit.has_hit) expected.push_back({hit.t, hit.u, hit.v, i});
    }
    // Times are compared before they are rounded: of equal ones, any order may be right.
    std::stable_sort(expected.begin(), expected.end(),
                     [](const MeshHit& a, const MeshHit& b) { return a.t < b.t; });
    const MeshHit closest = made.mesh.closest_hit({ray, sides});
    require(closest.t == (expected.empty() ? kNoIntersection : expected[0].t),
            "closest_hit has the smallest time");
    require(expected.empty() || std::find(expected.begin(), expected.end(), closest) != expected.end(),
            "closest_hit is a hit");
    require(made.mesh.any_hit({ray, sides}) == !expected.empty(), "any_hit");

    MeshScratch scratch;
    std::vector<Listed<MeshHit>> hits(expected.size());
    const WriteResult result = made.mesh.find_hits({ray, sides}, {}, scratch, hits);
    require(result.status == Status::ok && result.required == expected.size(), "find_hits finds as many");
    require(hits.empty() || hits[0].found == closest, "the first of find_hits is the closest");
    for (std::size_t i = 0; i < hits.size(); ++i) {
        require(hits[i].found.t == expected[i].t, "find_hits by time");
        require(std::find(expected.begin(), expected.end(), hits[i].found) != expected.end(),
                "find_hits finds hits");
        for (std::size_t k = 0; k < i; ++k) {
            require(hits[k].found.target != hits[i].found.target, "find_hits finds each once");
        }
    }
}

template <class Shape>
void ask_overlaps(const Made& made, const Shape& shape) {
    MeshScratch scratch;
    std::vector<IndexPair> expected;
    for (std::uint32_t i = 0; i < made.count(); ++i) {
        if (overlap(shape, made.triangle(i))) expected.push_back({0, i});
    }
    std::vector<IndexPair> pairs(expected.size());
    const WriteResult result = made.mesh.find_overlaps(std::span(&shape, 1), {}, scratch, pairs);
    require(result.status == Status::ok && result.required == expected.size() && pairs == expected,
            "find_overlaps");
    std::uint64_t bits = 0;
    require(made.mesh.any_overlap(std::span(&shape, 1), {}, std::span(&bits, 1)).status == Status::ok &&
                bits == (expected.empty() ? 0u : 1u),
            "any_overlap");
}

template <class Shape>
void ask_impact(const Made& made, const Shape& shape, Vec3 displacement) {
    MeshImpact expected;
    for (std::uint32_t i = 0; i < made.count(); ++i) {
        const ShapeImpact impact = first_impact(shape, displacement, made.triangle(i));
        if (impact.toi < expected.t) expected = {impact.toi, i, impact.point, impact.normal};
    }
    require(made.mesh.closest_hit(Cast<Shape>{shape, displacement}) == expected, "closest_hit");
}

void ask_impact_of_box(const Made& made, const Obb& obb, Vec3 displacement) {
    MeshImpact expected;
    for (std::uint32_t i = 0; i < made.count(); ++i) {
        const TriangleImpact impact = first_impact(obb, displacement, made.triangle(i), {});
        if (impact.toi < expected.t) expected = {impact.toi, i, {}, {}, impact.axis};
    }
    if (expected.target != kNoTriangle)
        expected.normal = contact_normal(obb, made.triangle(expected.target), expected.axis);
    MeshImpact impact;
    const ObbCast cast = {obb, displacement};
    require(
        made.mesh.closest_hits(cast, {}, std::span(&impact, 1)).status == Status::ok && impact == expected,
        "closest_hits of an oriented box");
}

void ask_point(const Made& made, Vec3 point) {
    float nearest = std::numeric_limits<float>::infinity();
    for (std::uint32_t i = 0; i < made.count(); ++i) {
        nearest = std::min(nearest, closest_point(made.triangle(i), point).distance_sq);
    }
    MeshClosestPoint closest;
    require(made.mesh.closest_points(std::span(&point, 1), {}, std::span(&closest, 1)).status == Status::ok,
            "closest_points");
    require(closest.distance_sq == nearest, "closest_points has the smallest distance");
    if (closest.target == kNoTriangle) return;
    const ClosestPoint of_triangle = closest_point(made.triangle(closest.target), point);
    require(closest.point == of_triangle.point && closest.distance_sq == of_triangle.distance_sq,
            "closest_points is the point of its triangle");
}

Obb box_in_one_of_few_directions(FuzzInput& state_input) {
    Obb obb;
    obb.center = state_input.vector();
    obb.half_extent = state_input.vector();
    switch (state_input.below(4)) {
        case 0:
            obb.axis_x = {0.6f, 0.8f, 0};
            obb.axis_y = {-0.8f, 0.6f, 0};
            break;
        case 1:
            obb.axis_y = {0, 0.6f, -0.8f};
            obb.axis_z = {0, 0.8f, 0.6f};
            break;
        case 2:
            obb.axis_x = {0, 1, 0};
            obb.axis_y = {-1, 0, 0};
            break;
        default:
            break;
    }
    return obb;
}

void ask(FuzzInput& state_input, const Made& made) {
    const Vec3 displacement = state_input.vector();
    switch (state_input.below(6)) {
        case 0: {
            const Sphere sphere = {state_input.vector(), state_input.number()};
            ask_overlaps(made, sphere);
            ask_impact(made, sphere, displacement);
            break;
        }
        case 1: {
            const Capsule capsule = {state_input.vector(), state_input.vector(), state_input.number()};
            ask_overlaps(made, capsule);
            ask_impact(made, capsule, displacement);
            break;
        }
        case 2: {
            const Obb obb = box_in_one_of_few_directions(state_input);
            ask_overlaps(made, obb);
            ask_impact_of_box(made, obb, displacement);
            break;
        }
        case 3:
            ask_overlaps(made, state_input.box());
            break;
        case 4:
            ask_point(made, displacement);
            break;
        default:
            ask_rays(state_input, made);
            break;
    }
}

void meet(FuzzInput& state_input, const Made& a, const Made& b) {
    PlacedMesh placed_a{.mesh = &a.mesh};
    PlacedMesh placed_b{.mesh = &b.mesh};
    placed_b.world_from_mesh.translation = state_input.vector();
    MeshScratch scratch;
    std::vector<TrianglePair> pairs(std::size_t{a.count()} * b.count());
    const WriteResult result = find_triangle_pairs(placed_a, placed_b, scratch, pairs);
    const AnyPairResult answer = any_triangle_pair(placed_a, placed_b);
    require(result.status == answer.status, "all pairs and any are refused alike");
    if (result.status != Status::ok) return;
    pairs.resize(result.written);
    std::vector<TrianglePair> expected;
    for (std::uint32_t i = 0; i < a.count(); ++i) {
        const Triangle first = placed(placed_a.world_from_mesh, a.triangle(i));
        for (std::uint32_t k = 0; k < b.count(); ++k) {
            const TrianglePairKind kind =
                triangle_pair(first, placed(placed_b.world_from_mesh, b.triangle(k)));
            if (kind != TrianglePairKind::disjoint) expected.push_back({i, k, kind});
        }
    }
    require(result.required == expected.size() && pairs == expected, "find_triangle_pairs");
    require(answer.found == !expected.empty(), "any_triangle_pair");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    choose_isa(input);
    Made made;
    if (!make(input, made)) return 0;
    for (int step = 0; step < 40 && !input.is_empty(); ++step) {
        switch (input.below(16)) {
            case 0:
                choose_isa(input);
                break;
            case 1: {
                Made other;
                if (make(input, other)) meet(input, made, other);
                break;
            }
            default:
                ask(input, made);
                break;
        }
    }
    return 0;
}
