// Copies of the boxes that reach far.
#include "broadphase/src/cells/scatter_scalar.hpp"

namespace broadside::broadphase {

void copy_far(const ScatterInput& input, const CellRecord& source, ScatterOutput& state) noexcept {
    // No write to the lists can change the copy. Passed by value, it would make g++ note that the ABI has changed.
    CellRecord record = source;
    const CellGrid& grid = input.grid;
    std::int32_t first[3];
    std::int32_t last[3];
    std::uint64_t cell_count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = bin_of(record.min[axis], grid, axis);
        last[axis] = bin_of(record.max[axis], grid, axis);
        cell_count *= static_cast<std::uint32_t>((last[axis] >> 8) - (first[axis] >> 8) + 1);
    }
    if (!state.begin_copies(cell_count - 1, grid.cell_count())) return;
    std::int32_t cell[3];
    const auto bin0 = [&](int axis) { return cell[axis] == first[axis] >> 8 ? first[axis] & 255 : 0; };
    const auto bin1 = [&](int axis) { return cell[axis] == last[axis] >> 8 ? last[axis] & 255 : 255; };
    const auto home_bit = [&](int axis) {
        return static_cast<std::uint32_t>(cell[axis] == first[axis] >> 8);
    };
    for (cell[2] = first[2] >> 8; cell[2] <= last[2] >> 8; ++cell[2]) {
        for (cell[1] = first[1] >> 8; cell[1] <= last[1] >> 8; ++cell[1]) {
            for (cell[0] = first[0] >> 8; cell[0] <= last[0] >> 8; ++cell[0]) {
                const std::uint32_t home_bits = home_bit(0) | home_bit(1) << 1 | home_bit(2) << 2;
                if (home_bits == 7) continue;
                record.tag =
                    (input.tag & ~kHomeAll) | home_bits << kHomeShift |
                    static_cast<std::uint32_t>(pack_sweep_bins(sweep_bin(bin0(0)), sweep_bin(bin1(0))));
                const std::int32_t quad = pack_quad(bin0(1), bin0(2), bin1(1), bin1(2));
                const std::int32_t number = (cell[2] * grid.cells[1] + cell[1]) * grid.cells[0] + cell[0];
                store_record(
                    record, static_cast<std::uint32_t>(quad),
                    state.copies.append(static_cast<std::uint32_t>(number), state.copies.free_chunk));
            }
        }
    }
}

}  // namespace broadside::broadphase
