// RestingBoxes as docs/choosing.md shows it, word for word: a test compares the two.
#include <broadside/box_soa.hpp>
#include <broadside/resting_boxes.hpp>

#include <cstdint>
#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;  // a row of boxes at rest, and box 3, which moves along it
    for (int i = 0; i < 3; ++i) {
        const float x = static_cast<float>(2 * i);
        if (boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}}) != Status::ok) return 1;
    }
    if (boxes.push_back({{-9, 0, 0}, {-8, 1, 1}}) != Status::ok) return 1;
    const std::uint64_t mover_bits[] = {0b1000};

    RestingBoxes resting;  // sorted once, valid while these boxes rest
    if (resting.build(boxes, mover_bits) != Status::ok) return 1;

    BoxScratch scratch;
    PairBuffer pairs;
    FindPairsSettings settings;
    settings.filter.subset_bits = mover_bits;  // only pairs with a mover in them

    for (int frame = 0; frame < 3; ++frame) {
        const float x = static_cast<float>(2 * frame) + 0.5f;
        boxes.set(3, {{x, 0, 0}, {x + 1, 1, 1}});
        if (resting.find_pairs(boxes, settings, scratch, pairs).status != Status::ok) return 1;
        for (const auto [first, second] : pairs) std::printf("frame %d: %u and %u\n", frame, first, second);
    }
}
