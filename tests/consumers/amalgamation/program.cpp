// Prints the library's results for a scene, number by number: by the two files of the amalgamation or by the
// library, whose header has another name.
#if defined(BROADSIDE_IS_AMALGAMATION)
#include "broadside.hpp"
#else
#include <broadside/broadside.hpp>
#endif

#include <cstdio>
#include <vector>

namespace {

std::uint32_t random_state = 1;

float random_number(float end) {
    random_state = random_state * 1664525u + 1013904223u;
    return static_cast<float>(random_state >> 8) * 0x1p-24f * end;
}
broadside::Vec3 random_point(float end) {
    const float x = random_number(end);
    const float y = random_number(end);
    return {x, y, random_number(end)};
}

}  // namespace

int main() {
    using namespace broadside;
    std::vector<Aabb> boxes(3000);
    for (Aabb& box : boxes) {
        box.min = random_point(40);
        box.max = box.min + random_point(3);
    }
    std::vector<float> displacements[3];
    for (auto& column : displacements) {
        for (std::size_t i = 0; i < boxes.size(); ++i) column.push_back(random_number(2) - 1);
    }
    std::vector<Ray> rays(200);
    for (Ray& ray : rays) ray = {random_point(40), random_point(2) - Vec3{1, 1, 1}};
    std::vector<Obb> obbs(50);
    for (Obb& obb : obbs) {
        obb = {random_point(40), {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, random_point(4)};
    }
    std::vector<Vec3> vertices(600);
    for (Vec3& vertex : vertices) vertex = random_point(40);
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < 598; ++i) indices.insert(indices.end(), {i, i + 1, i + 2});

    BoxSoa soa;
    TriangleSoa triangles;
    BoxSoa triangle_boxes;
    TriangleMesh mesh;
    if (soa.assign({.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()}) !=
            Status::ok ||
        triangles.assign(vertices, indices).status != Status::ok ||
        triangle_bounds(triangles, triangle_boxes) != Status::ok ||
        mesh.build(vertices, indices).status != Status::ok)
        return 1;
    CollisionStage stage;
    const OverlapQueries overlaps = obbs;
    const StageResult stepped =
        stage.step({.boxes = soa,
                    .displacements = {displacements[0].data(), displacements[1].data(),
                                      displacements[2].data(), boxes.size()},
                    .rays = rays,
                    .overlaps = {&overlaps, 1},
                    .obbs = obbs,
                    .triangles = triangles,
                    .triangle_bounds = triangle_boxes},
                   {.report_all_ray_hits = true});
    World world;
    std::vector<ObjectHandle> objects(boxes.size());
    if (stepped.status != Status::ok || world.add(soa, {}, objects).status != Status::ok ||
        world.update().status != Status::ok)
        return 1;
    std::vector<MeshHit> hits(rays.size());
    if (mesh.closest_hits(rays, {}, hits).status != Status::ok) return 1;
    float t_sum = 0;
    for (const MeshHit& hit : hits) t_sum += hit.target == kNoTriangle ? 0 : hit.t + hit.u + hit.v;
    std::printf("%zu impacts, %zu pairs, %llx %llx %a\n", stage.impacts().size(), world.pair_count(),
                static_cast<unsigned long long>(stage.result_hash()),
                static_cast<unsigned long long>(world.pairs_hash()), static_cast<double>(t_sum));
}
