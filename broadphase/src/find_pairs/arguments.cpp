// The rules for views, settings and output.
#include "broadphase/src/find_pairs/arguments.hpp"

#include <broadside/isa.hpp>

namespace broadside::broadphase {
namespace {

bool is_valid_set(const BoxSoaView& boxes, const BoxFilter& filter) {
    return boxes.is_readable() && boxes.count <= kMaxBoxCount && filter.fits(boxes.count);
}

// All automatic or none, and bins of an axis that a float counts exactly.
bool are_valid_cell_counts(const CellCounts& counts) {
    constexpr std::uint32_t kMax = 65535;
    const int given = (counts.x != 0) + (counts.y != 0) + (counts.z != 0);
    return given == 0 || (given == 3 && counts.x <= kMax && counts.y <= kMax && counts.z <= kMax &&
                          std::uint64_t{counts.x} * counts.y * counts.z <= kMaxCellCount);
}

bool are_valid_settings(const FindPairsSettings& settings) {
    return settings.algorithm <= PairAlgorithm::morton && settings.order <= PairOrder::by_algorithm &&
           settings.sweep_axis <= SweepAxis::z && are_valid_cell_counts(settings.cell_counts) &&
           is_valid_runner(settings.runner);
}

}  // namespace

Status check_arguments(const BoxSets& sets, const FindPairsSettings& settings,
                       const PairOutput& output) noexcept {
    const bool is_valid = is_valid_set(sets.a, settings.filter) &&
                          (sets.is_one() || is_valid_set(*sets.b, settings.filter_b)) &&
                          are_valid_settings(settings) && output.is_valid();
    if (!is_valid) return Status::invalid_argument;
    return active_isa() ? Status::ok : Status::unsupported_isa;
}

}  // namespace broadside::broadphase
