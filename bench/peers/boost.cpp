// Boost.Geometry: its R-tree, loaded in bulk (which packs it), and queried box by box.
#include "bench/peers/pair_peer.hpp"
#include "bench/peers/tree_peer.hpp"
#include "bench/suites.hpp"

// It includes headers of its own that it calls deprecated, and would warn about them in every build.
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace broadside::bench {
namespace {

namespace geometry = boost::geometry;

using Point = geometry::model::point<float, 3, geometry::cs::cartesian>;
using Box = geometry::model::box<Point>;
using Entry = std::pair<Box, std::uint32_t>;
// 16 entries a node, as the examples of its documentation have it.
using Tree = geometry::index::rtree<Entry, geometry::index::rstar<16>>;

Box box_of(const Aabb& box) {
    return {Point(box.min.x, box.min.y, box.min.z), Point(box.max.x, box.max.y, box.max.z)};
}

void fill_entries(const std::vector<Aabb>& boxes, std::vector<Entry>& out_entries) {
    out_entries.clear();
    for (const Aabb& box : boxes) {
        out_entries.emplace_back(box_of(box), static_cast<std::uint32_t>(out_entries.size()));
    }
}

// `visit(index)` for each box that touches `query`.
template <class Visit>
void for_each_overlap(const Tree& tree, const Box& query, Visit&& visit) {
    tree.query(geometry::index::intersects(query),
               boost::make_function_output_iterator([&](const Entry& entry) { visit(entry.second); }));
}

class BoostPairs {
public:
    static constexpr const char* kName = "boost_rtree";
    static constexpr std::size_t kCountMax = 100'000;

    const std::vector<IndexPair>& find(const std::vector<Aabb>& boxes) {
        fill_entries(boxes, entries_);
        const Tree tree(entries_.begin(), entries_.end());
        pairs_.clear();
        for (const auto& [box, index] : entries_) {
            for_each_overlap(tree, box, [&, index = index](std::uint32_t other) {
                if (index < other) pairs_.push_back({index, other});
            });
        }
        return pairs_;
    }

private:
    std::vector<Entry> entries_;
    std::vector<IndexPair> pairs_;
};

class BoostTree {
public:
    static constexpr const char* kName = "boost_rtree";

    explicit BoostTree(const QueryScene& scene) : scene_(scene) { build(); }
    static std::vector<TreePeerQuestion<BoostTree>> questions() {
        return {{"build", &BoostTree::build, nullptr},
                {"overlaps", &BoostTree::overlaps, &TreeAnswers::overlaps}};
    }

    std::size_t build() {
        fill_entries(scene_.boxes, entries_);
        tree_ = Tree(entries_.begin(), entries_.end());
        return 0;
    }
    std::size_t overlaps() {
        std::size_t count = 0;
        for (const Aabb& query : scene_.queries.overlaps) {
            for_each_overlap(tree_, box_of(query), [&](std::uint32_t index) {
                benchmark::DoNotOptimize(index);
                ++count;
            });
        }
        return count;
    }

private:
    const QueryScene& scene_;
    std::vector<Entry> entries_;
    Tree tree_;
};

void register_rows() {
    register_pair_peer<BoostPairs>();
    register_tree_peer<BoostTree>();
}

const Suite suite("boost", &register_rows,
                  {"broadphase/find_pairs/(uniform|city|pile)/(1000|10000|100000)/boost_rtree",
                   "broadphase/box_tree_(build|overlaps)/uniform/(10000|100000)/boost_rtree"});

}  // namespace
}  // namespace broadside::bench
