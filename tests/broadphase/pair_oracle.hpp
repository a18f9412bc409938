// Expected results of find_pairs, by loops in doubles that share nothing with the library.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/pair_buffer.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <vector>

namespace broadside::test {

/// A box as six doubles; validity is tested once.
struct OracleBox {
    double min[3];
    double max[3];
    bool is_valid;

    explicit OracleBox(const Aabb& box)
        : min{box.min.x, box.min.y, box.min.z}, max{box.max.x, box.max.y, box.max.z}, is_valid(true) {
        constexpr double kLargest = FLT_MAX;
        for (int axis = 0; axis < 3; ++axis) {
            is_valid = is_valid && min[axis] <= max[axis] && min[axis] <= kLargest && max[axis] >= -kLargest;
        }
    }
};

/// The largest min must not pass the smallest max on any axis.
inline bool overlap_in_doubles(const OracleBox& a, const OracleBox& b) {
    if (!a.is_valid || !b.is_valid) return false;
    for (int axis = 0; axis < 3; ++axis) {
        if (std::fmax(a.min[axis], b.min[axis]) > std::fmin(a.max[axis], b.max[axis])) return false;
    }
    return true;
}

inline std::vector<OracleBox> oracle_boxes(const std::vector<Aabb>& boxes) {
    return std::vector<OracleBox>(boxes.begin(), boxes.end());
}

/// All pairs i < j in canonical order.
inline std::vector<IndexPair> oracle_pairs(const std::vector<Aabb>& boxes) {
    const std::vector<OracleBox> all = oracle_boxes(boxes);
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        for (std::uint32_t j = i + 1; j < all.size(); ++j) {
            if (overlap_in_doubles(all[i], all[j])) pairs.push_back({i, j});
        }
    }
    return pairs;
}

/// All pairs between two sets in canonical order.
inline std::vector<IndexPair> oracle_pairs(const std::vector<Aabb>& a, const std::vector<Aabb>& b) {
    const std::vector<OracleBox> all_a = oracle_boxes(a);
    const std::vector<OracleBox> all_b = oracle_boxes(b);
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i < all_a.size(); ++i) {
        for (std::uint32_t j = 0; j < all_b.size(); ++j) {
            if (overlap_in_doubles(all_a[i], all_b[j])) pairs.push_back({i, j});
        }
    }
    return pairs;
}

/// The pairs in the order of a sweep along `axis` that separates no box: by the box that begins first, then
/// by the other; boxes with equal begin are ordered by index.
inline std::vector<IndexPair> oracle_sweep_order(const std::vector<Aabb>& boxes, int axis) {
    const std::vector<OracleBox> all = oracle_boxes(boxes);
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0u);
    std::erase_if(order, [&](std::uint32_t index) { return !all[index].is_valid; });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return all[i].min[axis] < all[j].min[axis]; });
    std::vector<IndexPair> pairs;
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            if (!overlap_in_doubles(all[order[i]], all[order[j]])) continue;
            pairs.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
        }
    }
    return pairs;
}

inline std::vector<IndexPair> sorted(std::vector<IndexPair> pairs) {
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace broadside::test
