// GEOS: its STRtree, which is of doubles with two axes, queried box by box.
#include "bench/peers/exact_peer.hpp"
#include "bench/suites.hpp"

// Otherwise it warns that its C++ interface may change.
#define USE_UNSTABLE_GEOS_CPP_API
#include <geos/geom/Envelope.h>
#include <geos/index/strtree/TemplateSTRtree.h>

namespace broadside::bench {
namespace {

class GeosPairs {
public:
    static constexpr const char* kName = "geos_strtree";
    static constexpr std::size_t kCountMax = 1'000'000;

    const std::vector<IndexPair>& find(const ExactRows& rows) {
        pairs_.clear();
        // Ten a node is its default.
        geos::index::strtree::TemplateSTRtree<std::uint32_t> tree(10, rows.count());
        for (std::size_t i = 0; i < rows.count(); ++i) {
            tree.insert(envelope(rows, i), static_cast<std::uint32_t>(i));
        }
        for (std::uint32_t i = 0; i < rows.count(); ++i) {
            tree.query(envelope(rows, i), [&](std::uint32_t other) {
                if (i < other) pairs_.push_back({i, other});
            });
        }
        return pairs_;
    }

private:
    static geos::geom::Envelope envelope(const ExactRows& rows, std::size_t index) {
        const double* const row = rows.numbers.data() + 4 * index;
        return {row[0], row[2], row[1], row[3]};
    }

    std::vector<IndexPair> pairs_;
};

void register_rows() { register_exact_peer<GeosPairs>("flat_uniform", &flat_rows); }

const Suite suite("geos", &register_rows,
                  {"broadphase/find_pairs_double/flat_uniform/(10000|100000)/geos_strtree"});

}  // namespace
}  // namespace broadside::bench
