// libFuzzer target of closest_triangle_pair: two random meshes, placed at random, compared on every ISA with a loop
// over all pairs of their triangles.
#include "tests/fuzz/fuzz_input.hpp"

#include <broadside/mesh_distance.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

TriangleMesh make(FuzzInput& state_input) {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    const std::uint32_t vertex_count = 1 + state_input.below(40);
    for (std::uint32_t i = 0; i < vertex_count; ++i) {
        const Vec3 vertex = state_input.vector();
        vertices.push_back(is_finite(vertex) ? vertex : Vec3{});
    }
    const std::uint32_t triangle_count = state_input.below(48);
    for (std::uint32_t i = 0; i < 3 * triangle_count; ++i) indices.push_back(state_input.below(vertex_count));
    TriangleMesh mesh;
    require(mesh.build(vertices, indices).status == Status::ok, "a mesh of finite vertices is built");
    return mesh;
}

Transform place_of(FuzzInput& state_input) {
    Transform place;
    const float scale =
        state_input.flag() ? 1.0f : std::ldexp(0.75f, static_cast<int>(state_input.below(9)) - 4);
    const float cosine = state_input.flag() ? 1.0f : 0.6f;
    const float sine = cosine == 1.0f ? 0.0f : 0.8f;
    place.row_x = {cosine * scale, -sine * scale, 0};
    place.row_y = {sine * scale, cosine * scale, 0};
    place.row_z = {0, 0, state_input.flag() ? scale : -scale};
    place.translation = state_input.vector();
    return place;
}

Triangle triangle_of(const PlacedMesh& mesh, std::uint32_t index) {
    return placed(mesh.world_from_mesh, mesh.mesh->triangle(index));
}

struct Nearest {
    float distance = __builtin_inff();
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
};
Nearest nearest_of_all(const PlacedMesh& a, const PlacedMesh& b) {
    Nearest nearest;
    for (std::uint32_t i = 0; i < a.mesh->triangle_count(); ++i) {
        const Triangle own = triangle_of(a, i);
        for (std::uint32_t k = 0; k < b.mesh->triangle_count(); ++k) {
            const float distance = closest_points(own, triangle_of(b, k)).distance;
            if (nearest.a == kNoTriangle || distance < nearest.distance) nearest = {distance, i, k};
        }
    }
    return nearest;
}

void compare(const PlacedMesh& a, const PlacedMesh& b, float max_distance) {
    const ClosestTrianglePair found = closest_triangle_pair(a, b, max_distance);
    const ClosestTrianglePair unlimited = closest_triangle_pair(a, b);
    for (const Isa isa : supported_isas()) {
        require(set_active_isa(isa) == Status::ok, "a supported ISA can be set");
        const ClosestTrianglePair again = closest_triangle_pair(a, b, max_distance);
        require(again.status == found.status && again.a == found.a && again.b == found.b &&
                    again.closest == found.closest && again.counts == found.counts,
                "every ISA has the same result");
    }
    require(found.status == any_triangle_pair(a, b).status, "a distance and any pair are refused alike");
    if (found.status != Status::ok) return;
    const Nearest nearest = nearest_of_all(a, b);
    require((unlimited.a == kNoTriangle) == (nearest.a == kNoTriangle), "a pair if there are triangles");
    if (nearest.a == kNoTriangle) return;
    require((unlimited.closest.distance == 0) == (nearest.distance == 0),
            "0 if and only if triangles meet");
    const ClosestTrianglePoints closest =
        closest_points(triangle_of(a, unlimited.a), triangle_of(b, unlimited.b));
    require(closest == unlimited.closest, "the points are those of the triangles");
    require(closest.distance == nearest.distance, "the smallest distance");
    const bool are_apart = nearest.distance > 0;
    if (are_apart) require(unlimited.a == nearest.a && unlimited.b == nearest.b, "the first of the nearest");
    if (!(closest.distance <= max_distance)) {
        require(found.a == kNoTriangle, "nothing beyond the limit");
        return;
    }
    require(found.closest.distance == closest.distance, "the same distance within the limit");
    if (are_apart) require(found.a == nearest.a && found.b == nearest.b, "the same pair within the limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    const TriangleMesh meshes[2] = {make(input), make(input)};
    for (int step = 0; step < 8 && !input.is_empty(); ++step) {
        choose_isa(input);
        const PlacedMesh a = {.mesh = &meshes[input.below(2)], .world_from_mesh = place_of(input)};
        const PlacedMesh b = {.mesh = &meshes[input.below(2)], .world_from_mesh = place_of(input)};
        const float max_distance = input.flag() ? __builtin_inff() : input.number();
        compare(a, b, max_distance);
    }
    return 0;
}
