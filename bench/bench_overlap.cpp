// Static overlap: one box against many.
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/overlap.hpp>

#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Boxes of edge 1 in a cube of edge 10, from a linear congruential sequence (Numerical Recipes' constants).
BoxSoa make_boxes(std::size_t count) {
    BoxSoa boxes;
    if (boxes.resize(count) != Status::ok) std::abort();
    std::uint32_t state = 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) * (10.0f / 0x1p24f);
    };
    for (std::size_t i = 0; i < count; ++i) {
        const float x = next();
        const float y = next();
        const float z = next();
        boxes.set(i, {{x, y, z}, {x + 1, y + 1, z + 1}});
    }
    return boxes;
}

void register_rows() {
    const Aabb box = {{4, 4, 4}, {6, 6, 6}};
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto boxes = std::make_shared<BoxSoa>(make_boxes(count));
        std::vector<std::uint64_t> expected(bit_word_count(count));
        use_isa(Isa::scalar);
        overlap_boxes(box, *boxes, expected);
        for (const Isa isa : supported_isas()) {
            const std::string name = benchmark_name("narrowphase/overlap_boxes", "cube", count, isa);
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                use_isa(isa);
                std::vector<std::uint64_t> out_bits(bit_word_count(count));
                overlap_boxes(box, *boxes, out_bits);
                require_same(out_bits == expected, name);
                for (auto _ : state) {
                    overlap_boxes(box, *boxes, out_bits);
                    benchmark::DoNotOptimize(out_bits.data());
                    benchmark::ClobberMemory();
                }
                count_items(state, "box", count);
            });
        }
    }
}

const Suite suite("overlap", &register_rows, {"narrowphase/overlap_boxes/cube/1024/.*"});

}  // namespace

}  // namespace broadside::bench
