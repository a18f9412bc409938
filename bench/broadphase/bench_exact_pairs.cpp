// find_pairs of doubles, integers and two axes, beside find_pairs of floats on the same boxes.
#include "bench/broadphase/exact_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <algorithm>

namespace broadside::bench {
namespace {

template <class Number>
ExactBoxView<Number> columns_of(const ExactRows& rows, double scale, std::vector<Number> (&out_columns)[6]) {
    const std::size_t sides = 2 * rows.axis_count;
    for (std::size_t i = 0; i < rows.numbers.size(); ++i)
        out_columns[i % sides].push_back(static_cast<Number>(rows.numbers[i] * scale));
    ExactBoxView<Number> view;
    const std::size_t axes = rows.axis_count;
    view.min_x = out_columns[0].data();
    view.min_y = out_columns[1].data();
    view.max_x = out_columns[axes].data();
    view.max_y = out_columns[axes + 1].data();
    if (axes == 3) {
        view.min_z = out_columns[2].data();
        view.max_z = out_columns[5].data();
    }
    view.count = rows.count();
    view.axis_count = rows.axis_count;
    return view;
}

// For floats the plain call, the baseline of the others.
template <class Number>
FindPairsResult find(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                     BoxScratch& scratch, PairBuffer& out_pairs) {
    if constexpr (std::is_same_v<Number, float>) {
        const BoxSoaView plain = {boxes.min_x, boxes.min_y, boxes.min_z, boxes.max_x,
                                  boxes.max_y, boxes.max_z, boxes.count};
        return find_pairs(plain, settings, scratch, out_pairs);
    } else {
        return find_pairs(boxes, settings, scratch, out_pairs);
    }
}

template <class Number>
void measure(benchmark::State& state, const ExactRows& rows, double scale, bool is_in_rows, Isa isa,
             const std::string& name) {
    std::vector<Number> columns[6];
    ExactBoxView<Number> boxes = columns_of(rows, scale, columns);
    if constexpr (std::is_same_v<Number, double>) {
        if (is_in_rows) boxes = rows.view();
    }
    const FindPairsSettings settings = {.order = PairOrder::canonical};
    BoxScratch scratch;
    PairBuffer expected;
    use_isa(Isa::scalar);
    require_same(find(boxes, settings, scratch, expected).status == Status::ok, name);
    use_isa(isa);
    PairBuffer pairs;
    FindPairsResult result = find(boxes, settings, scratch, pairs);
    require_same(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()), name);
    for (auto _ : state) {
        result = find(boxes, settings, scratch, pairs);
        benchmark::DoNotOptimize(pairs.data());
    }
    count_items(state, "box", rows.count());
    state.counters["pairs"] = static_cast<double>(result.required);
    state.counters["bytes"] = static_cast<double>(scratch.capacity_bytes());
}

template <class Number>
void register_all(const char* what, const char* scene, ExactRows (*make)(std::size_t), double scale = 1,
                  bool is_in_rows = false) {
    for (const std::size_t count : kExactCounts) {
        for (const Isa isa : supported_isas()) {
            const std::string name = benchmark_name(std::string("broadphase/") + what, scene, count, isa);
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                measure<Number>(state, make(count), scale, is_in_rows, isa, name);
            })->Unit(benchmark::kMicrosecond);
        }
    }
}

void register_rows() {
    // The same boxes, one frame of them, as in the rows below.
    register_all<float>("find_pairs_as_floats", "uniform", &solid_rows);
    register_all<double>("find_pairs_double", "uniform", &solid_rows);
    register_all<double>("find_pairs_double_rows", "uniform", &solid_rows, 1, true);
    register_all<std::int64_t>("find_pairs_int64", "uniform", &solid_rows, 1e12);
    register_all<std::int32_t>("find_pairs_int32", "uniform", &solid_rows, 1e6);
    register_all<double>("find_pairs_double", "flat_uniform", &flat_rows);
    register_all<double>("find_pairs_double", "two_clusters", &clustered_rows);
}

const Suite suite("exact_pairs", &register_rows,
                  {"broadphase/find_pairs_(as_floats|double|int64)/uniform/(100000|1000000)/widest",
                   "broadphase/find_pairs_double/(flat_uniform|two_clusters)/100000/widest"});

}  // namespace
}  // namespace broadside::bench
