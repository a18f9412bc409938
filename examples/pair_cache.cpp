// PairCache as docs/choosing.md shows it, word for word: a test compares the two.
#include <broadside/box_soa.hpp>
#include <broadside/pair_cache.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;
    if (boxes.resize(3) != Status::ok) return 1;
    PairCache cache(0.5f);  // the margin: boxes may move by this much before a new search
    BoxScratch scratch;
    PairBuffer pairs;

    for (int frame = 0; frame < 5; ++frame) {
        for (int i = 0; i < 3; ++i) {
            const float x = 1.25f * static_cast<float>(i) - 0.0625f * static_cast<float>(i * frame);
            boxes.set(static_cast<std::size_t>(i), {{x, 0, 0}, {x + 1, 1, 1}});
        }
        const FindPairsResult found = cache.find_pairs(boxes, {}, scratch, pairs);
        if (found.status != Status::ok) return 1;
        const bool is_reused = found.plan.cache_use == CacheUse::reused;
        std::printf("frame %d: %d pairs, %s\n", frame, static_cast<int>(found.written),
                    is_reused ? "from the cache" : "found anew");
    }
}
