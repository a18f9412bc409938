// The program of the README, word for word: a test compares the two.
#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/moving_aabb.hpp>

#include <cstdio>
#include <iterator>

int main() {
    using namespace broadside;
    const Aabb objects[] = {
        {{0, 0, 0}, {1, 1, 1}},
        {{1, 0, 0}, {2, 1, 1}},  // touches the first: boxes are closed, so this counts
        {{9, 9, 9}, {10, 10, 10}},
    };
    BoxSoa boxes;  // or a BoxSoaView of your own arrays
    const BoxAosView view = {.data = objects, .stride_bytes = sizeof(Aabb), .count = std::size(objects)};
    if (boxes.assign(view) != Status::ok) return 1;

    PairBuffer pairs;
    const FindPairsResult found = find_pairs(boxes, pairs);
    if (found.status != Status::ok) return 1;
    for (const auto [first, second] : pairs) std::printf("boxes %u and %u overlap\n", first, second);

    // A gap of 0.5 at 3 units a step is closed after a sixth of the step.
    const float toi = time_of_impact({{0, 0, 0}, {1, 1, 1}}, {{-1.5f, 0, 0}, {-0.5f, 1, 1}}, {3, 0, 0});
    std::printf("impact at %.8f of the step\n", toi);
}
