// Where the time of the cells algorithm goes, outermost grid only: plan, scatter, sort, and the rest of a call.
#include "bench/find_pairs_run.hpp"
#include "bench/suites.hpp"

#include "broadphase/src/cells_store.hpp"
#include "broadphase/src/kernel_table.hpp"

namespace broadside::bench {
namespace {

using namespace broadphase;

enum class Phase { plan, scatter, sort };

// One set in its cells, and room for the fullest one sorted.
struct Cells {
    AlignedArray<std::byte> home;
    AlignedArray<std::byte> copies;
    AlignedArray<std::byte> sorted_memory;
    CellStore store;
    CellPlan plan = {};
    SortedCell sorted = {};

    void make_plan(const BoxSoaView& boxes) { plan = plan_cells(boxes, nullptr, FindPairsSettings{}); }
    void scatter(const BoxSoaView& boxes, const CellsKernels& kernels) {
        if (store.fill(boxes, nullptr, true, nullptr, kernels, {home, copies}, plan) != FillResult::ok) {
            std::abort();
        }
    }
    void place_sorted() {
        const std::size_t places = store.record_count_max() + kSortedPadding;
        const bool has_memory = place_in(sorted_memory, [&](Arena& arena) {
            sorted = {arena.take<std::uint8_t>(places), arena.take<std::uint8_t>(places),
                      arena.take<std::uint32_t>(places), arena.take<CellRecord>(places), 0};
        });
        if (!has_memory) std::abort();
    }
    void sort(const CellsKernels& kernels) {
        for (std::uint32_t cell = 0; cell < plan.grid.cell_count(); ++cell) {
            kernels.sort_cell(store.source(), cell, sorted);
        }
    }
};

void measure_phase(benchmark::State& state, const FindPairsRun& run, Phase phase, Isa isa,
                   FindPairsInput& input) {
    if (input.frames.empty()) make_frames(run, input);
    use_isa(isa);
    const CellsKernels& kernels = active_kernels()->cells;
    Cells cells;
    std::size_t frame = 0;
    cells.make_plan(input.frames[0]);
    cells.scatter(input.frames[0], kernels);
    cells.place_sorted();
    for (auto _ : state) {
        if (phase == Phase::plan) cells.make_plan(input.frames[frame]);
        if (phase == Phase::scatter) cells.scatter(input.frames[frame], kernels);
        if (phase == Phase::sort) cells.sort(kernels);
        frame = (frame + 1) % kFrameCount;
        benchmark::ClobberMemory();
    }
    count_items(state, "box", run.count);
}

// The scan is what find_pairs takes beyond the three, and canonical order what find_pairs_canonical takes beyond that.
void register_rows() {
    constexpr std::pair<const char*, Phase> kPhases[] = {
        {"plan", Phase::plan}, {"scatter", Phase::scatter}, {"sort", Phase::sort}};
    for (const char* scene : {"uniform", "mixed", "city", "pile", "wall"}) {
        for (const std::size_t count : {1000u, 10000u, 100000u, 1000000u}) {
            for (const auto& [name, phase] : kPhases) {
                const FindPairsRun run = {std::string("phase_") + name, scene, count, {}, false};
                const auto input = std::make_shared<FindPairsInput>();
                for (const Isa isa : supported_isas()) {
                    benchmark::RegisterBenchmark(
                        benchmark_name("broadphase/" + run.algorithm, scene, count, isa).c_str(),
                        [=, phase = phase](benchmark::State& state) {
                            measure_phase(state, run, phase, isa, *input);
                        })
                        ->Unit(benchmark::kMicrosecond);
                }
            }
        }
    }
}

const Suite suite("find_pairs_phases", &register_rows,
                  {"broadphase/phase_(plan|scatter|sort)/(uniform|pile)/(10000|100000)/widest"});

}  // namespace

}  // namespace broadside::bench
