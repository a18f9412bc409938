// CollisionStage as docs/choosing.md shows it, word for word: a test compares the two.
#include <broadside/box_soa.hpp>
#include <broadside/collision_stage.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;
    if (boxes.push_back({{0, 0, 0}, {1, 1, 1}}) != Status::ok) return 1;
    if (boxes.push_back({{3, 0, 0}, {4, 1, 1}}) != Status::ok) return 1;
    const float move_x[] = {4, 0}, move_y[] = {0, 0}, move_z[] = {0, 0};  // displacements of this step
    const Ray rays[] = {{{-2, 0.5f, 0.5f}, {1, 0, 0}}};

    CollisionStage stage;  // keeps its trees and memory from step to step, but no objects
    StageInput input;
    input.boxes = boxes;
    input.displacements = {move_x, move_y, move_z, 2};
    input.rays = rays;
    if (stage.step(input).status != Status::ok) return 1;

    for (const StageImpact& impact : stage.impacts()) {
        const auto [first, second] = impact.target;
        std::printf("boxes %u and %u meet at %.2f of the step\n", first, second, impact.t);
    }
    for (const Listed<TreeHit>& hit : stage.ray_hits())
        std::printf("ray %u hits box %u\n", hit.query, hit.found.target);
}
