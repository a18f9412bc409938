// Explains what find_pairs does with a scene, and why: the page docs/tuning.md, as a program.
#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;
    for (int i = 0; i < 5000; ++i) {
        const float x = static_cast<float>(i % 100), y = static_cast<float>(i / 100);
        if (boxes.push_back({{x, y, 0}, {x + 0.9f, y + 0.9f, 1}}) != Status::ok) return 1;
    }
    BoxScratch scratch;
    PairBuffer pairs;
    FindPairsSettings settings;  // the defaults; what ./run tune prints goes here
    const FindPairsResult found = find_pairs(boxes, settings, scratch, pairs);
    if (found.status != Status::ok) return 1;

    std::puts(explain(found.plan).c_str());
    const double tests_per_box =
        static_cast<double>(found.plan.tested_count) / static_cast<double>(boxes.count());
    if (tests_per_box > 50) std::puts("many tests a box: look at sizes and density");
    std::printf("%s\n", pair_algorithm_name(found.plan.algorithm));
}
