// Boost.Geometry on boxes of doubles: its R-tree, loaded in bulk, and queried box by box.
#include "bench/peers/exact_peer.hpp"
#include "bench/suites.hpp"

// It includes headers of its own that it calls deprecated, and would warn about them in every build.
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace broadside::bench {
namespace {

namespace geometry = boost::geometry;

class BoostDoublePairs {
public:
    static constexpr const char* kName = "boost_rtree";
    static constexpr std::size_t kCountMax = 1'000'000;

    const std::vector<IndexPair>& find(const ExactRows& rows) {
        entries_.clear();
        pairs_.clear();
        for (std::size_t i = 0; i < rows.count(); ++i) {
            const double* const row = rows.numbers.data() + 6 * i;
            entries_.emplace_back(Box(Point(row[0], row[1], row[2]), Point(row[3], row[4], row[5])),
                                  static_cast<std::uint32_t>(i));
        }
        const Tree tree(entries_.begin(), entries_.end());
        for (const auto& [box, index] : entries_) {
            tree.query(geometry::index::intersects(box),
                       boost::make_function_output_iterator([&, index = index](const Entry& entry) {
                           if (index < entry.second) pairs_.push_back({index, entry.second});
                       }));
        }
        return pairs_;
    }

private:
    using Point = geometry::model::point<double, 3, geometry::cs::cartesian>;
    using Box = geometry::model::box<Point>;
    using Entry = std::pair<Box, std::uint32_t>;
    using Tree = geometry::index::rtree<Entry, geometry::index::rstar<16>>;

    std::vector<Entry> entries_;
    std::vector<IndexPair> pairs_;
};

void register_rows() { register_exact_peer<BoostDoublePairs>("uniform", &solid_rows); }

const Suite suite("boost_double", &register_rows,
                  {"broadphase/find_pairs_double/uniform/(10000|100000)/boost_rtree"});

}  // namespace
}  // namespace broadside::bench
