// The phases of the cells algorithm, outermost grid only: plan, scatter, sort, and the rest of a call.
#include "bench/broadphase/find_pairs_run.hpp"
#include "bench/suites.hpp"

#include "broadphase/src/cells/store.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::bench {
namespace {

using namespace broadphase;

enum class Phase { plan, scatter, sort };

// One set in its cells, and a buffer for its fullest one, sorted.
struct Cells {
    AlignedArray<std::byte> home;
    AlignedArray<std::byte> copies;
    AlignedArray<std::byte> sorted_memory;
    CellStore store;
    CellPlan plan = {};
    SortedCell sorted = {};

    void scatter(const BoxSoaView& boxes, const CellsKernels& kernels) {
        if (store.fill({boxes}, true, nullptr, kernels, {home, copies}, plan) != FillResult::ok) {
            std::abort();
        }
    }
    void reserve_sorted() {
        const std::size_t places = store.record_count_max() + kSortedPadding;
        const bool has_memory = reserve_arrays(sorted_memory, [&](Arena& arena) {
            sorted = {arena.reserve<std::uint8_t>(places), arena.reserve<std::uint8_t>(places),
                      arena.reserve<std::uint32_t>(places), arena.reserve<CellRecord>(places), 0};
        });
        if (!has_memory) std::abort();
    }
    void sort(const CellsKernels& kernels) {
        for (std::uint32_t cell = 0; cell < plan.grid.cell_count(); ++cell) {
            kernels.sort_cell(store.source(), cell, sorted);
        }
    }
};

void measure_phase(benchmark::State& state, const std::string& scene, std::size_t count, Phase phase,
                   Isa isa) {
    const SoaLists& lists = soa_lists(scene, count);
    use_isa(isa);
    const CellsKernels& kernels = *simd::active_kernels<CellsKernels>();
    std::vector<CellPlan> plans;
    for (const BoxSoa& boxes : lists.boxes) plans.push_back(plan_cells({boxes}, FindPairsSettings{}));
    Cells cells;
    cells.plan = plans[0];
    std::size_t list = 0;
    cells.scatter(lists.boxes[0], kernels);
    cells.reserve_sorted();
    for (auto _ : state) {
        if (phase == Phase::plan) cells.plan = plan_cells({lists.boxes[list]}, FindPairsSettings{});
        if (phase == Phase::scatter) {
            cells.plan = plans[list];
            cells.scatter(lists.boxes[list], kernels);
        }
        if (phase == Phase::sort) cells.sort(kernels);
        list = (list + 1) % lists.boxes.size();
        benchmark::ClobberMemory();
    }
    count_items(state, "box", count);
}

// The scan is the rest of find_pairs beyond the three, and canonical order the rest of find_pairs_canonical
// beyond that.
void register_rows() {
    constexpr std::pair<const char*, Phase> kPhases[] = {
        {"plan", Phase::plan}, {"scatter", Phase::scatter}, {"sort", Phase::sort}};
    for (const char* scene : kFindPairsScenes) {
        for (const std::size_t count : kFindPairsCounts) {
            for (const auto& [phase_name, phase] : kPhases) {
                for (const Isa isa : supported_isas()) {
                    const std::string name =
                        benchmark_name(std::string("broadphase/phase_") + phase_name, scene, count, isa);
                    benchmark::RegisterBenchmark(name.c_str(), [=, phase = phase](benchmark::State& state) {
                        measure_phase(state, scene, count, phase, isa);
                    })->Unit(benchmark::kMicrosecond);
                }
            }
        }
    }
}

const Suite suite("find_pairs_phases", &register_rows,
                  {"broadphase/phase_(plan|scatter|sort)/(uniform|pile)/(1000|10000|100000)/widest"});

}  // namespace

}  // namespace broadside::bench
