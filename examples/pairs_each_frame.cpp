// find_pairs frame by frame, as docs/choosing.md shows it, word for word: a test compares the two.
#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;
    BoxScratch scratch;  // kept, so that later frames allocate nothing
    PairBuffer pairs;
    FindPairsSettings settings;
    settings.order = PairOrder::by_algorithm;  // this loop counts pairs, so it needs no order

    for (int frame = 0; frame < 3; ++frame) {
        boxes.clear();
        for (int i = 0; i < 4; ++i) {
            const float x = static_cast<float>(i * (3 - frame));
            if (boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}}) != Status::ok) return 1;
        }
        const FindPairsResult found = find_pairs(boxes, settings, scratch, pairs);
        if (found.status != Status::ok) return 1;
        std::printf("frame %d: %d pairs\n", frame, static_cast<int>(found.written));
    }
}
