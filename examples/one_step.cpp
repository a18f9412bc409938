// One step of the pipeline by hand: the page docs/concepts.md, as a program.
#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/moving_aabb.hpp>

#include <cstdio>
#include <vector>

int main() {
    using namespace broadside;
    BoxSoa boxes;  // a wall, and two boxes that fly towards it and past it
    const Aabb bodies[] = {{{0, 0, 0}, {1, 4, 4}}, {{-6, 1, 1}, {-5, 2, 2}}, {{-6, 9, 1}, {-5, 10, 2}}};
    const float move_x[] = {0, 10, 10}, move_y[] = {0, 0, 0}, move_z[] = {0, 0, 0};
    for (const Aabb& body : bodies) {
        if (boxes.push_back(body) != Status::ok) return 1;
    }
    const MovingBoxes moving = {.shapes = boxes, .displacements = {move_x, move_y, move_z, 3}};

    // Broadphase: a box around the whole path of each body, and the pairs of these that overlap.
    BoxSoa ways;
    for (std::size_t i = 0; i < boxes.count(); ++i) {
        if (ways.push_back(swept(boxes[i], moving.displacements[i])) != Status::ok) return 1;
    }
    PairBuffer candidates;
    if (find_pairs(ways, candidates).status != Status::ok) return 1;

    // Narrowphase: when the bodies of a candidate pair meet, if they do.
    std::vector<float> times(candidates.size());
    if (times_of_impact(moving, moving, candidates, Touch::closed, times).status != Status::ok) return 1;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] == kNoIntersection) continue;
        std::printf("%u and %u meet at %.2f of the step\n", candidates[i].first, candidates[i].second,
                    times[i]);
    }

    // Queries: a tree of the boxes, valid while they stay as they are.
    BoxTree tree;
    if (tree.build(boxes) != Status::ok) return 1;
    const TreeHit hit = tree.closest_hit(Ray{{-9, 1.5f, 1.5f}, {1, 0, 0}});
    std::printf("the ray meets box %u at t = %.0f\n", hit.target, hit.t);
}
