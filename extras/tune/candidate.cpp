// Comparing and naming candidates.
#include "extras/tune/candidate.hpp"

#include "extras/support/text_builder.hpp"

namespace broadside::tune {
namespace {

bool has_cell_counts(const Candidate& candidate) { return candidate.cell_counts.x != 0; }

}  // namespace

bool is_same(const Candidate& a, const Candidate& b) {
    return a.method == b.method && a.algorithm == b.algorithm && a.sweep_axis == b.sweep_axis &&
           a.cell_counts.x == b.cell_counts.x && a.cell_counts.y == b.cell_counts.y &&
           a.cell_counts.z == b.cell_counts.z && a.order == b.order && a.margin == b.margin &&
           a.isa == b.isa && a.thread_count == b.thread_count;
}

Candidate default_candidate() {
    Candidate candidate;
    candidate.isa = supported_isas().back();
    return candidate;
}

int setting_count(const Candidate& candidate) {
    const Candidate none = default_candidate();
    int count = candidate.method == Method::plain ? 0 : 2;
    count += candidate.algorithm != none.algorithm;
    count += candidate.sweep_axis != none.sweep_axis;
    count += has_cell_counts(candidate);
    count += candidate.order != none.order;
    count += candidate.isa != none.isa;
    count += candidate.thread_count != none.thread_count;
    return count;
}

std::string method_text(const Candidate& candidate) {
    extras::TextBuilder text;
    switch (candidate.method) {
        case Method::plain:
            text.add("%s", pair_algorithm_name(candidate.algorithm));
            if (candidate.sweep_axis != SweepAxis::automatic) {
                text.add(" along %c", "xyz"[static_cast<int>(candidate.sweep_axis) - 1]);
            }
            if (has_cell_counts(candidate)) {
                const CellCounts& cells = candidate.cell_counts;
                text.add(" %u x %u x %u", cells.x, cells.y, cells.z);
            }
            break;
        case Method::resting:
            text.add("RestingBoxes");
            break;
        case Method::cache:
            text.add("PairCache, margin %.3g", static_cast<double>(candidate.margin));
            break;
        case Method::world:
            text.add("World");
            break;
    }
    return text.take();
}

const char* order_name(PairOrder order) { return order == PairOrder::canonical ? "canonical" : "unordered"; }

}  // namespace broadside::tune
