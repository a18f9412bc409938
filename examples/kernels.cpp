// Batches of the narrowphase by themselves, on candidates of whatever broad phase: the code of docs/recipes.md.
#include <broadside/box_soa.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/ray_box.hpp>

#include <array>
#include <cstdio>

using namespace broadside;

namespace {

bool run() {
    // One oriented box against a floor of two triangles, nine arrays of coordinates.
    const Vec3 corners[] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    const std::uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    TriangleSoa floor;
    if (floor.assign(corners, indices).status != Status::ok) return false;
    const Obb crate = {.center = {2, 1, 3}, .half_extent = {1, 1, 1}};
    std::array<float, 2> times = {};
    if (times_of_impact(crate, {0, 0, -8}, floor.view(), {}, times).status != Status::ok) return false;
    std::printf("the crate lands at %.2f of the step\n", static_cast<double>(times[0]));

    // The same box against many others: how deep it is in each, 0 if they do not overlap.
    const Obb others[] = {{.center = {3.5f, 1, 3}, .half_extent = {1, 1, 1}},
                          {.center = {9, 1, 3}, .half_extent = {1, 1, 1}}};
    ObbSoa crates;
    if (crates.assign(others) != Status::ok) return false;
    std::array<float, 2> depths = {};
    if (obb_contacts(crate, crates, depths).status != Status::ok) return false;
    std::printf("depth %.1f\n", static_cast<double>(depths[0]));

    // Pairs by index. Rows are worth it from one pair a body on.
    BoxSoa bodies;
    if (bodies.push_back({{0, 0, 0}, {1, 1, 1}}) != Status::ok) return false;
    if (bodies.push_back({{4, 0, 0}, {5, 1, 1}}) != Status::ok) return false;
    const float x[] = {6, 0}, zeros[] = {0, 0};
    const MovingBoxes moving = {.shapes = bodies, .displacements = {x, zeros, zeros, 2}};
    const IndexPair candidates[] = {{0, 1}};
    float toi = 0;
    BodyBoxRows rows;
    if (rows.prepare(moving) != Status::ok) return false;
    if (times_of_impact(rows, rows, candidates, Touch::closed, {&toi, 1}).status != Status::ok) return false;
    std::printf("the bodies meet at %.2f\n", static_cast<double>(toi));

    // Resting boxes against movers, each with rows of its own.
    RestingBoxRows resting;
    MovingBoxRows movers;
    if (resting.prepare(bodies) != Status::ok || movers.prepare(moving) != Status::ok) return false;
    const IndexPair second_and_first[] = {{1, 0}};
    if (times_of_impact(resting, movers, second_and_first, {&toi, 1}).status != Status::ok) return false;

    // One ray against all boxes, a bit each.
    std::uint64_t hit_bits = 0;
    const Ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}};
    if (ray_boxes(ray, bodies, {}, {.hit_bits = {&hit_bits, 1}}).status != Status::ok) return false;
    std::printf("hits %d, and again at %.2f\n", static_cast<int>(hit_bits), static_cast<double>(toi));
    return true;
}

}  // namespace

int main() { return run() ? 0 : 1; }
