// The structures that are queried: a BoxTree, a World, and its view. Their queries have the same names, so
// that rows are written once; the differences are here.
#pragma once

#include "bench/query_scene.hpp"

#include <broadside/world_view.hpp>

#include <algorithm>
#include <vector>

namespace broadside::bench {

/// Outputs of calls.
template <class Asked>
struct Answers {
    explicit Answers(const TaskRunner* runner = nullptr) { settings.runner = runner; }

    typename Asked::Settings settings;
    typename Asked::Scratch scratch;
    typename Asked::Overlaps overlaps;
    typename Asked::Hits hits;
    std::vector<typename Asked::Closest> closest = std::vector<typename Asked::Closest>(kQueryCount);
    std::vector<typename Asked::Near> near;
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>((kQueryCount + 63) / 64);
    /// Results of calls of one query together.
    std::size_t met_count = 0;

    void clear_bits() { std::fill(bits.begin(), bits.end(), 0); }
    void set_bit(std::size_t index, bool is_set) {
        bits[index / 64] |= std::uint64_t{is_set ? 1u : 0u} << index % 64;
    }
};

/// Results with indices of boxes, from any structure.
struct PlainAnswers {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> overlaps;
    std::vector<Listed<TreeHit>> hits;
    std::vector<TreeHit> closest;
    std::vector<ClosestBox> near;
    std::vector<std::uint64_t> bits;
    std::size_t met_count;

    template <class Asked>
    explicit PlainAnswers(const Answers<Asked>& answers) : bits(answers.bits), met_count(answers.met_count) {
        for (const auto& item : answers.overlaps) overlaps.push_back(plain(item));
        for (const auto& item : answers.hits) hits.push_back(plain(item));
        for (const auto& item : answers.closest) closest.push_back(plain(item));
        for (const auto& item : answers.near) near.push_back(plain(item));
    }
    bool operator==(const PlainAnswers&) const = default;
    double count() const {
        const auto found = std::count_if(closest.begin(), closest.end(),
                                         [](const TreeHit& box) { return box.target != kNoBox; });
        return static_cast<double>(overlaps.size() + hits.size() + met_count) + static_cast<double>(found);
    }

private:
    static std::pair<std::uint32_t, std::uint32_t> plain(const IndexPair& pair) {
        return {pair.first, pair.second};
    }
    static Listed<TreeHit> plain(const Listed<TreeHit>& hit) { return hit; }
    static TreeHit plain(const TreeHit& hit) { return hit; }
    static ClosestBox plain(const ClosestBox& box) { return box; }
    // The first objects of a world are in slots of their order.
    static std::pair<std::uint32_t, std::uint32_t> plain(const Listed<ObjectHandle>& overlap) {
        return {overlap.query, overlap.found.slot()};
    }
    static Listed<TreeHit> plain(const Listed<WorldHit>& hit) { return {hit.query, plain(hit.found)}; }
    static TreeHit plain(const WorldHit& hit) {
        return hit.target.is_null() ? TreeHit{} : TreeHit{hit.target.slot(), hit.t, hit.face};
    }
    static ClosestBox plain(const ClosestObject& object) {
        return object.target.is_null() ? ClosestBox{} : ClosestBox{object.distance_sq, object.target.slot()};
    }
};

class AskedTree {
public:
    static constexpr const char* kName = "box_tree";
    using Settings = TreeQuerySettings;
    using Scratch = BoxScratch;
    using Overlaps = PairBuffer;
    using Hits = AlignedArray<Listed<TreeHit>>;
    using Closest = TreeHit;
    using Near = ClosestBox;

    explicit AskedTree(const BoxSoa& boxes) {
        if (tree_.build(boxes) != Status::ok) std::abort();
    }
    const BoxTree& queries() const { return tree_; }
    static BatchResult closest(const BoxTree& tree, const NearQueries& points,
                               const ClosestBoxSettings& reach, const Settings& settings,
                               std::span<Near> out_near) {
        return tree.closest_boxes(points, reach, settings, out_near);
    }
    /// True if `a` is the better of two hits.
    static bool is_before(const TreeHit& a, const TreeHit& b) {
        return b.target == kNoBox || a.t < b.t || (a.t == b.t && a.target < b.target);
    }

private:
    BoxTree tree_;
};

class AskedWorld {
public:
    static constexpr const char* kName = "world";
    using Settings = WorldQuerySettings;
    using Scratch = BoxScratch;
    using Overlaps = AlignedArray<Listed<ObjectHandle>>;
    using Hits = AlignedArray<Listed<WorldHit>>;
    using Closest = WorldHit;
    using Near = ClosestObject;

    explicit AskedWorld(const BoxSoa& boxes) {
        std::vector<ObjectHandle> handles(boxes.count());
        if (world_.add(boxes, {}, handles).status != Status::ok) std::abort();
    }
    WorldQueries queries() { return world_.queries(); }
    static BatchResult closest(const WorldQueries& queries, const NearQueries& points,
                               const ClosestBoxSettings& reach, const Settings& settings,
                               std::span<Near> out_near) {
        return queries.closest_objects(points, reach, settings, out_near);
    }
    static bool is_before(const WorldHit& a, const WorldHit& b) {
        return b.target.is_null() || a.t < b.t || (a.t == b.t && a.target.slot() < b.target.slot());
    }

protected:
    World world_;
};

/// A view of a world that has changed since.
class AskedView : public AskedWorld {
public:
    static constexpr const char* kName = "world_view";

    explicit AskedView(const BoxSoa& boxes) : AskedWorld(boxes), view_(world_.view()) {
        if (world_.add({.box = boxes.view()[0]}).is_null() || view_.status() != Status::ok) std::abort();
        (void)world_.queries();
    }
    const WorldQueries& queries() const { return view_.queries(); }

private:
    WorldView view_;
};

}  // namespace broadside::bench
