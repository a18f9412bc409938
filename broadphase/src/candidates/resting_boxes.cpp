// Builds the cells of resting boxes.
#include <broadside/float_environment.hpp>
#include <broadside/resting_boxes.hpp>

#include "broadphase/src/candidates/resting_checks.hpp"
#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/resting_cells.hpp"
#include "broadphase/src/cells/store.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/bits.hpp>
#include <broadside/run_tasks.hpp>

namespace broadside {
namespace broadphase {
namespace {

std::uint64_t word_of(std::span<const std::uint64_t> bits, std::size_t word) {
    return bits.empty() ? 0 : bits[word];
}
struct RestingLayout {
    RestingState* state;
    RestingCells cells;
    std::uint64_t* left_out_bits;
    std::uint64_t* mover_bits;
    std::uint32_t* invalid_indices;
};

void reserve_state(Arena& arena, const CellStore& store, std::uint32_t cell_count, std::size_t word_count,
                   std::size_t invalid_count, RestingLayout& out_place) {
    const std::uint64_t places = store.record_count() + std::size_t{cell_count} * kSortedPadding;
    out_place.state = arena.reserve<RestingState>(1);
    out_place.cells.begins = arena.reserve<std::uint64_t>(cell_count);
    out_place.cells.counts = arena.reserve<std::uint32_t>(cell_count);
    out_place.cells.columns.x0 = arena.reserve<std::uint8_t>(places);
    out_place.cells.columns.x1 = arena.reserve<std::uint8_t>(places);
    out_place.cells.columns.quads = arena.reserve<std::uint32_t>(places);
    out_place.cells.columns.records = arena.reserve<CellRecord>(places);
    out_place.cells.first_reaching = arena.reserve<std::uint32_t>(std::size_t{cell_count} * kBinsPerCell);
    out_place.left_out_bits = arena.reserve<std::uint64_t>(word_count);
    out_place.mover_bits = arena.reserve<std::uint64_t>(word_count);
    out_place.invalid_indices = arena.reserve<std::uint32_t>(invalid_count);
}

// Sorts each cell, with its padding, behind the one before, and puts the caller's indices into the records.
void sort_cells(const CellStore& store, const CellsKernels& kernels, std::uint32_t cell_count,
                const TaskRunner* runner, RestingCells& state_cells) {
    std::uint64_t begin = 0;
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
        state_cells.begins[cell] = begin;
        state_cells.counts[cell] = store.record_counts()[cell];
        begin += state_cells.counts[cell] + kSortedPadding;
    }
    constexpr std::uint32_t kCellsOfTask = 16;
    run_tasks(runner, (cell_count + kCellsOfTask - 1) / kCellsOfTask, [&](std::uint32_t task) {
        BROADSIDE_ZONE("resting boxes/sort task");
        const std::uint32_t end = task * kCellsOfTask + kCellsOfTask;
        for (std::uint32_t index = task * kCellsOfTask; index < end && index < cell_count; ++index) {
            const RestingCell cell = state_cells.cell(index);
            SortedCell sorted = cell.sorted;
            kernels.sort_cell(store.source(), index, sorted);
            for (std::uint32_t k = 0; k < sorted.count; ++k) store.source().resolve(sorted.records[k]);
            find_first_reaching(sorted, state_cells.first_reaching + std::size_t{index} * kBinsPerCell);
        }
    });
}

bool is_same_float(float a, float b) {
    return __builtin_bit_cast(std::uint32_t, a) == __builtin_bit_cast(std::uint32_t, b);
}

}  // namespace
}  // namespace broadphase

Status RestingBoxes::build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits,
                           const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    return build_in({input_, records_, copies_}, boxes, mover_bits, runner);
}

Status RestingBoxes::build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits,
                           const TaskRunner* runner, BoxScratch& scratch) noexcept {
    const FloatEnvironment environment;
    return build_in({scratch.pairs.movers, scratch.pairs.boxes, scratch.pairs.copies}, boxes, mover_bits,
                    runner);
}

Status RestingBoxes::build_in(const SortingMemory& memory, const BoxSoaView& boxes,
                              std::span<const std::uint64_t> mover_bits, const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("RestingBoxes::build");
    using namespace broadphase;
    clear();
    const std::size_t word_count = bit_word_count(boxes.count);
    if (!check_boxes(boxes) || !check_mover_bits(mover_bits, boxes.count) || !check_runner(runner)) {
        return Status::invalid_argument;
    }
    const CellsKernels* const kernels = simd::active_kernels<CellsKernels>();
    if (kernels == nullptr) return Status::unsupported_isa;

    const auto word_at = [&](std::size_t word) {
        return item_bits_in_word(word, boxes.count) & ~word_of(mover_bits, word);
    };
    std::size_t count = 0;
    for (std::size_t word = 0; word < word_count; ++word) {
        count += static_cast<std::size_t>(std::popcount(word_at(word)));
    }
    GatheredBoxes gathered;
    if (!reserve_arrays(memory.input, [&](Arena& arena) { reserve_gathered(arena, count, gathered); })) {
        return Status::out_of_memory;
    }
    for_each_bit(word_count, word_at, [&](std::size_t index) { gather(boxes, index, gathered); });

    const BoxSoaView resting = gathered.view();
    CellPlan plan = plan_cells({resting}, {});
    CellStore store;
    if (store.fill({resting}, false, runner, *kernels, {memory.records, memory.copies}, plan) !=
        FillResult::ok) {
        return Status::out_of_memory;
    }
    store.set_origin(gathered.ids, nullptr);
    const std::uint32_t cell_count = plan.grid.cell_count();
    const InvalidBoxes invalid = store.invalid_boxes(false);
    RestingLayout place = {};
    if (!reserve_arrays(state_, [&](Arena& arena) {
            reserve_state(arena, store, cell_count, word_count, invalid.count, place);
        })) {
        return Status::out_of_memory;
    }
    place.cells.plan = plan;
    sort_cells(store, *kernels, cell_count, runner, place.cells);
    for (std::size_t word = 0; word < word_count; ++word) {
        place.left_out_bits[word] = item_bits_in_word(word, boxes.count) & ~word_at(word);
        place.mover_bits[word] = place.left_out_bits[word];
    }
    std::size_t invalid_count = 0;
    for (std::size_t i = 0; i < count && invalid_count < invalid.count; ++i) {
        if (!is_valid(resting[i])) place.invalid_indices[invalid_count++] = gathered.ids[i];
    }
    *place.state = {place.cells,      boxes.count,           count,        place.left_out_bits,
                    place.mover_bits, place.invalid_indices, invalid_count};
    // Reserved above, so this cannot fail.
    (void)state_.resize(sizeof(RestingState));
    return Status::ok;
}

const broadphase::RestingState& RestingBoxes::state() const noexcept {
    BROADSIDE_ASSERT(is_built(), "RestingBoxes: no state before something is built");
    return *reinterpret_cast<const broadphase::RestingState*>(state_.data());
}
std::size_t RestingBoxes::box_count() const noexcept { return is_built() ? state().box_count : 0; }
std::size_t RestingBoxes::resting_count() const noexcept { return is_built() ? state().resting_count : 0; }
std::span<const std::uint64_t> RestingBoxes::mover_bits() const noexcept {
    if (!is_built()) return {};
    return {state().mover_bits, bit_word_count(state().box_count)};
}

Status RestingBoxes::remove(std::span<const std::uint64_t> moved_bits) noexcept {
    using namespace broadphase;
    if (!check_built(*this) || !check_readable(moved_bits) ||
        !BROADSIDE_ARGUMENT(moved_bits.size() == bit_word_count(box_count()),
                            "moved_bits: not bit_word_count words")) {
        return Status::invalid_argument;
    }
    for (std::size_t word = 0; word < moved_bits.size(); ++word) {
        state().mover_bits[word] |= moved_bits[word] & item_bits_in_word(word, state().box_count);
    }
    return Status::ok;
}

std::size_t RestingBoxes::count_drift(std::span<const std::uint64_t> mover_bits) const noexcept {
    using namespace broadphase;
    if (!is_built() || !check_mover_bits(mover_bits, box_count())) return 0;
    std::size_t count = 0;
    for (std::size_t word = 0; word < bit_word_count(state().box_count); ++word) {
        const std::uint64_t movers = state().mover_bits[word];
        count += static_cast<std::size_t>(std::popcount(movers & ~word_of(mover_bits, word)) +
                                          std::popcount(movers & ~state().left_out_bits[word]));
    }
    return count;
}

std::size_t RestingBoxes::find_moved_box(const BoxSoaView& boxes,
                                         std::span<const std::uint64_t> mover_bits) const noexcept {
    const FloatEnvironment environment;
    using namespace broadphase;
    if (!is_built()) return kNoIndex;
    if (!check_same_boxes(*this, boxes) || !check_mover_bits(mover_bits, boxes.count)) return kNoIndex;
    std::size_t first = kNoIndex;
    const auto note = [&](std::size_t index) {
        const std::uint64_t movers = word_of(mover_bits, index / 64) | state().mover_bits[index / 64];
        if ((movers >> (index % 64) & 1) == 0 && index < first) first = index;
    };
    const RestingCells& cells = state().cells;
    for (std::uint32_t cell = 0; cell < cells.plan.grid.cell_count(); ++cell) {
        const SortedCell sorted = cells.cell(cell).sorted;
        for (std::uint32_t k = 0; k < sorted.count; ++k) {
            const CellRecord& record = sorted.records[k];
            const float* const columns[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                             boxes.max_x, boxes.max_y, boxes.max_z};
            bool is_same = true;
            for (int axis = 0; axis < 3; ++axis) {
                const int column = cells.plan.axes[axis];
                is_same &= is_same_float(record.min[axis], columns[column][record.id]) &&
                           is_same_float(record.max[axis], columns[column + 3][record.id]);
            }
            if (!is_same) note(record.id);
        }
    }
    // An invalid box may change in any way, as long as it stays invalid.
    for (std::size_t k = 0; k < state().invalid_count; ++k) {
        if (is_valid(boxes[state().invalid_indices[k]])) note(state().invalid_indices[k]);
    }
    return first;
}

}  // namespace broadside
