// Static overlap: one box against many, and pairs by index.
#include "bench/sequence.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/overlap.hpp>

#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Boxes of edge 1 in a cube of edge 10.
BoxSoa make_boxes(std::size_t count) {
    BoxSoa boxes;
    if (boxes.resize(count) != Status::ok) std::abort();
    Sequence sequence;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 min = sequence.vector(0, 10);
        boxes.set(i, {min, min + Vec3{1, 1, 1}});
    }
    return boxes;
}

// Pairs sorted by their first, as from a broadphase; the other box is a few positions away in memory.
std::vector<IndexPair> make_pairs(std::size_t count) {
    Sequence sequence(2);
    std::vector<IndexPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t other = (i + sequence.below(64)) % count;
        pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(other)});
    }
    return pairs;
}

// `call(out_bits)` tests `count` items.
template <class Call>
void register_on_every_isa(const std::string& algorithm, const char* item, std::size_t count, Call call) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("narrowphase/" + algorithm, "cube", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            std::vector<std::uint64_t> expected(bit_word_count(count));
            std::vector<std::uint64_t> out_bits(bit_word_count(count));
            use_isa(Isa::scalar);
            call(expected);
            use_isa(isa);
            call(out_bits);
            require_same(out_bits == expected, name);
            for (auto _ : state) {
                call(out_bits);
                benchmark::DoNotOptimize(out_bits.data());
                benchmark::ClobberMemory();
            }
            count_items(state, item, count);
        });
    }
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto boxes = std::make_shared<BoxSoa>(make_boxes(count));
        const auto pairs = std::make_shared<std::vector<IndexPair>>(make_pairs(count));
        register_on_every_isa("overlap_boxes", "box", count, [=](std::vector<std::uint64_t>& out_bits) {
            (void)overlaps(Aabb{{4, 4, 4}, {6, 6, 6}}, *boxes, out_bits);
        });
        register_on_every_isa("overlap_pairs", "pair", count, [=](std::vector<std::uint64_t>& out_bits) {
            (void)overlaps(*boxes, *boxes, *pairs, out_bits);
        });
    }
}

const Suite suite("overlap", &register_rows, {"narrowphase/overlap_boxes/cube/1024/.*"});

}  // namespace

}  // namespace broadside::bench
