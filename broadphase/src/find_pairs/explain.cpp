// The text of a plan.
#include <broadside/compiler.hpp>
#include <broadside/find_pairs_plan.hpp>
#include <broadside/float_environment.hpp>

#include <cstdarg>
#include <cstdio>

namespace broadside {
namespace {

// Appends to a text of fixed size; excess is cut off.
class TextWriter {
public:
    explicit TextWriter(PlanText& out_text) : text_(out_text) {}

    BROADSIDE_PRINTF_FORMAT(2, 3) void add(const char* format, ...) {
        const std::size_t room = sizeof(text_.text) - used_;
        std::va_list values;
        va_start(values, format);
        const int length = std::vsnprintf(text_.text + used_, room, format, values);
        va_end(values);
        if (length <= 0) return;
        const auto wanted = static_cast<std::size_t>(length);
        used_ += wanted < room ? wanted : room - 1;
    }

private:
    PlanText& text_;
    std::size_t used_ = 0;
};

const char* axis_name(SweepAxis axis) {
    switch (axis) {
        case SweepAxis::x:
            return "x";
        case SweepAxis::y:
            return "y";
        case SweepAxis::z:
            return "z";
        case SweepAxis::automatic:
            break;
    }
    return "no axis";
}

double per_box(std::uint64_t count, std::size_t box_count) {
    return box_count != 0 ? static_cast<double>(count) / static_cast<double>(box_count) : 0.0;
}

void add_costs(TextWriter& text, const PairCosts& costs) {
    text.add("expected ns a box:");
    const auto add = [&](PairAlgorithm algorithm, double cost) {
        if (cost > 0) text.add(" %s %.1f", pair_algorithm_name(algorithm), cost);
    };
    add(PairAlgorithm::brute_force, costs.brute_force);
    add(PairAlgorithm::sweep_and_prune, costs.sweep_and_prune);
    add(PairAlgorithm::cells, costs.cells);
    if (costs.parts > 0) text.add(" in parts %.1f", costs.parts);
    text.add("\n");
}

}  // namespace

const char* pair_algorithm_name(PairAlgorithm algorithm) noexcept {
    switch (algorithm) {
        case PairAlgorithm::automatic:
            return "automatic";
        case PairAlgorithm::brute_force:
            return "brute_force";
        case PairAlgorithm::sweep_and_prune:
            return "sweep_and_prune";
        case PairAlgorithm::cells:
            return "cells";
    }
    return "unknown algorithm";
}

PlanText explain(const FindPairsPlan& plan) noexcept {
    const FloatEnvironment environment;
    PlanText explained;
    TextWriter text(explained);
    const PairCosts& costs = plan.expected_costs;
    if (plan.algorithm == PairAlgorithm::automatic) {
        text.add("no search\n");
    } else {
        text.add("%s of %zu boxes, %s\n", pair_algorithm_name(plan.algorithm), plan.box_count,
                 plan.is_forced                                 ? "as the settings say"
                 : costs.cells > 0                              ? "the cheapest"
                 : plan.algorithm == PairAlgorithm::brute_force ? "few tests a box"
                                                                : "few boxes, some of them in crowds");
        if (plan.part_count != 0) {
            text.add("but searched in %zu parts that are long on different axes\n", plan.part_count);
        }
        if (plan.left_out_count != 0) {
            text.add("%zu boxes left out, far from the subset\n", plan.left_out_count);
        }
        if (costs.brute_force + costs.sweep_and_prune + costs.cells > 0) add_costs(text, costs);
        if (plan.algorithm == PairAlgorithm::sweep_and_prune) {
            text.add("along %s; %zu boxes set apart\n", axis_name(plan.sweep_axis), plan.oversized_count);
        }
        if (plan.algorithm == PairAlgorithm::cells) {
            text.add(
                "along %s; %u x %u x %u cells; records a box: expected %.2f, found %.2f; window: expected "
                "%.1f\n",
                axis_name(plan.sweep_axis), plan.cell_counts.x, plan.cell_counts.y, plan.cell_counts.z,
                plan.expected_records_per_box, per_box(plan.record_count, plan.box_count),
                plan.expected_window);
        }
        if (plan.large_count + plan.overfull_cell_count != 0) {
            text.add("%zu large boxes set apart, %zu overfull cells\n", plan.large_count,
                     plan.overfull_cell_count);
        }
    }
    if (plan.cache_use != CacheUse::none) {
        text.add("cache: %s, %zu boxes have left\n",
                 plan.cache_use == CacheUse::reused ? "reused" : "found anew", plan.escaped_count);
    }
    if (plan.box_count != 0) {
        text.add("pairs compared: %llu, %.2f a box\n", static_cast<unsigned long long>(plan.tested_count),
                 per_box(plan.tested_count, plan.box_count));
    }
    text.add("scratch: %zu bytes\n", plan.memory_bytes);
    return explained;
}

}  // namespace broadside
