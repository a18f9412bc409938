// Casts from shapes and displacements in separate lists.
#pragma once

#include <broadside/cast.hpp>

#include <span>
#include <vector>

namespace broadside::test {

template <class Shapes, class Ways>
auto casts_of(const Shapes& shapes, const Ways& displacements) {
    using Shape = std::remove_cvref_t<decltype(shapes[0])>;
    std::vector<Cast<Shape>> casts;
    for (std::size_t i = 0; i < std::size(shapes); ++i) casts.push_back({shapes[i], displacements[i]});
    return casts;
}

}  // namespace broadside::test
