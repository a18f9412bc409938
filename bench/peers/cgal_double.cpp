// CGAL on boxes of doubles: box_self_intersection_d.
#include "bench/peers/exact_peer.hpp"
#include "bench/suites.hpp"

#include <CGAL/box_intersection_d.h>

namespace broadside::bench {
namespace {

class CgalDoublePairs {
public:
    static constexpr const char* kName = "cgal";
    static constexpr std::size_t kCountMax = 1'000'000;

    const std::vector<IndexPair>& find(const ExactRows& rows) {
        items_.clear();
        pairs_.clear();
        for (std::size_t i = 0; i < rows.count(); ++i) {
            const double* const row = rows.numbers.data() + 6 * i;
            items_.push_back(
                {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, static_cast<std::uint32_t>(i)});
        }
        constexpr std::ptrdiff_t kCutoff = 500;
        CGAL::box_self_intersection_d<CGAL::Sequential_tag>(
            items_.begin(), items_.end(),
            [&](const Item& a, const Item& b) { pairs_.push_back(sorted_pair(a.index, b.index)); },
            CGAL::Box_intersection_d::Box_traits_d<Item>(), kCutoff);
        return pairs_;
    }

private:
    // The concept BoxIntersectionBox_d names these members.
    struct Item {
        using NT = double;
        using ID = std::uint32_t;
        double min[3];
        double max[3];
        std::uint32_t index;
        static int dimension() { return 3; }
        double min_coord(int axis) const { return min[axis]; }
        double max_coord(int axis) const { return max[axis]; }
        ID id() const { return index; }
    };

    std::vector<Item> items_;
    std::vector<IndexPair> pairs_;
};

void register_rows() { register_exact_peer<CgalDoublePairs>("uniform", &solid_rows); }

const Suite suite("cgal_double", &register_rows,
                  {"broadphase/find_pairs_double/uniform/(10000|100000)/cgal"});

}  // namespace
}  // namespace broadside::bench
