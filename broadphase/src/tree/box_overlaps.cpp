// Boxes that boxes overlap, in a source of its own: a World that is never queried links no other shape.
#include "broadphase/src/tree/overlap_search.hpp"

namespace broadside::broadphase {

WriteResult find_overlaps(const TreeQueries& queries, std::span<const Aabb> boxes, BoxScratch& scratch,
                          const PairOutput& output) {
    return find_overlaps_of<BoxOverlap>(queries, boxes, scratch, output);
}

}  // namespace broadside::broadphase
