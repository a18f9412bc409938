// CGAL: box_self_intersection_d, the streamed segment tree.
#include "bench/peers/pair_peer.hpp"
#include "bench/suites.hpp"

#include <CGAL/box_intersection_d.h>

namespace broadside::bench {
namespace {

// Boxes by value, and the cutoff that is best on most of the scenes.
class CgalPairs {
public:
    static constexpr const char* kName = "cgal";
    static constexpr std::size_t kCountMax = 1'000'000;

    const std::vector<IndexPair>& find(const std::vector<Aabb>& boxes) {
        items_.clear();
        pairs_.clear();
        for (const Aabb& box : boxes) {
            items_.push_back({{box.min.x, box.min.y, box.min.z},
                              {box.max.x, box.max.y, box.max.z},
                              static_cast<std::uint32_t>(items_.size())});
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
        using NT = float;
        using ID = std::uint32_t;
        float min[3];
        float max[3];
        std::uint32_t index;
        static int dimension() { return 3; }
        float min_coord(int axis) const { return min[axis]; }
        float max_coord(int axis) const { return max[axis]; }
        ID id() const { return index; }
    };

    std::vector<Item> items_;
    std::vector<IndexPair> pairs_;
};

const Suite suite("cgal", &register_pair_peer<CgalPairs>,
                  {"broadphase/find_pairs/(uniform|city|pile)/(1000|10000|100000)/cgal"});

}  // namespace
}  // namespace broadside::bench
