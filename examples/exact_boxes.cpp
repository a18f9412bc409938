// Boxes of doubles with two axes: the code of "Doubles, whole numbers, two axes" in docs/choosing.md.
#include <broadside/exact_box_tree.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    // Rows of min x y, max x y. So far from the origin floats are 2^26 apart; the gap of the first two is 1/8.
    const double rows[] = {
        1e15,         0, 1e15 + 1, 1,  //
        1e15 + 1.125, 0, 1e15 + 2, 1,  //
        1e15 + 2,     1, 1e15 + 3, 2,  // shares a corner with the second
    };
    const auto boxes = ExactBoxView<double>::rows(rows, 3, 2);
    PairBuffer pairs;
    if (find_pairs(boxes, pairs).status != Status::ok) return 1;
    for (const auto [first, second] : pairs) std::printf("boxes %u and %u touch\n", first, second);

    // The same boxes as a tree. Queries are boxes of doubles, or points.
    ExactBoxTree<double> tree;
    if (tree.build(boxes) != Status::ok) return 1;
    const double point[] = {1e15 + 1, 0.5, 1e15 + 1, 0.5};
    BoxScratch scratch;
    const auto query = ExactBoxView<double>::rows(point, 1, 2);
    if (tree.find_overlaps(query, {}, scratch, pairs).status != Status::ok) return 1;
    for (const auto [query_index, box] : pairs) std::printf("box %u holds point %u\n", box, query_index);
}
