// Rays against a mesh and against placed meshes, and which parts of an assembly clash: the code of docs/meshes.md.
#include <broadside/clash.hpp>
#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/sphere_tree.hpp>

#include <cstdio>
#include <iterator>

namespace {

using namespace broadside;

const char* name_of(MeshRelation relation) {
    return relation == MeshRelation::touching       ? "touch"
           : relation == MeshRelation::intersecting ? "intersect"
                                                    : "clash";
}

int run() {
    // A cube of edge 2 around the origin, its triangles anticlockwise as seen from outside.
    const Vec3 corners[] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                            {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    const std::uint32_t triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    TriangleMesh cube;
    if (cube.build(corners, triangles).status != Status::ok) return 1;

    const MeshHit hit = cube.closest_hit(Ray{{0.5f, 0.25f, 9}, {0, 0, -1}});
    std::printf("triangle %u at t = %.0f\n", hit.target, static_cast<double>(hit.t));
    const bool is_inside = cube.contains({0.5f, 0.5f, 0.5f});
    const float distance = cube.signed_distance({0, 0, 4});
    std::printf("inside: %d, distance %.0f\n", is_inside, static_cast<double>(distance));

    // Three parts, each the same mesh placed elsewhere; the second reaches into the first, the third is apart.
    Transform shifted, far_away;
    shifted.translation = {1.5f, 0.25f, 0.125f};
    far_away.translation = {9, 0, 0};
    const PlacedMesh parts[] = {{&cube}, {&cube, shifted}, {&cube, far_away}};

    MeshScene scene;
    if (scene.build(parts).status != Status::ok) return 1;
    const SceneHit found = scene.closest_hit(Ray{{9, 0.25f, 9}, {0, 0, -1}});
    std::printf("part %u, triangle %u\n", found.target.instance_index, found.target.triangle_index);

    BoxScratch scratch;
    AlignedArray<Clash> clashes;
    if (find_clashes(parts, {}, scratch, clashes).status != Status::ok) return 1;
    for (const Clash& clash : clashes)
        std::printf("parts %u and %u %s\n", clash.a, clash.b, name_of(clash.relation));

    // How far the first part is from the third: 7, from x = 1 to x = 8. No search if they are further apart than 20.
    const ClosestTrianglePair gap = closest_triangle_pair(parts[0], parts[2], 20.0f);
    std::printf("distance %.0f, from x = %.0f to %.0f\n", static_cast<double>(gap.closest.distance),
                static_cast<double>(gap.closest.point_a.x), static_cast<double>(gap.closest.point_b.x));

    // Oriented boxes or spheres instead of the mesh's own tree: the same pairs of triangles, and a coarser result.
    ObbTree obb_tree;
    if (obb_tree.build(cube) != Status::ok) return 1;
    const PlacedMesh first = {&cube, {}, &obb_tree}, second = {&cube, shifted, &obb_tree};
    const bool do_meet = any_triangle_pair(first, second).found;
    SphereTree sphere_tree;
    if (sphere_tree.build(cube).status != Status::ok) return 1;
    const bool could_meet = any_part_pair(sphere_tree, {}, sphere_tree, far_away).found;
    std::printf("meet: %d, could meet: %d\n", do_meet, could_meet);

    // Many movers in one call, each as if alone: two balls fall onto parts, and a third one past them.
    Mover balls[] = {{.position = {0, 0, 3}}, {.position = {9, 0, 3}}, {.position = {5, 0, 3}}};
    for (Mover& ball : balls) {
        ball.shape = {.form = MoverForm::sphere, .radius = 0.25f};
        ball.displacement = {0, 0, -5};
    }
    MoverResult results[std::size(balls)];
    if (step_movers(balls, {.scene = &scene}, {}, results).status != Status::ok) return 1;
    for (const MoverResult& result : results)
        std::printf("%s at z = %.2f\n", result.is_grounded ? "landed" : "falls",
                    static_cast<double>(result.position.z));
    return 0;
}

}  // namespace

int main() { return run(); }
