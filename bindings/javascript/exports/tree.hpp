// The tree behind a BoxTree of JavaScript.
#pragma once

#include <broadside/broadside.hpp>

namespace broadside::javascript {

struct Tree {
    BoxTree tree;
    BoxScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;
    AlignedArray<ClosePair> close_pairs;
};

}  // namespace broadside::javascript
