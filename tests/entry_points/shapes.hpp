// The shapes that functions of core and narrowphase are called with.
#pragma once

#include "tests/entry_points/entry_points.hpp"

namespace broadside::test {

inline constexpr std::size_t kShapeCount = 63;

inline const EnvironmentShapes& few_shapes() {
    static const EnvironmentShapes made(kShapeCount);
    return made;
}

/// `ask(call, i, j)` for items of the same kind, denormal, rounded or special.
template <class Ask>
void add_pairwise(EntryPoints& list, const char* name, Ask ask) {
    list.add(name, [ask](Call& call) {
        for (std::size_t i = 0; i < kShapeCount; ++i) {
            for (std::size_t step = 0; step < 4; ++step) ask(call, i, (i + 3 * step) % kShapeCount);
        }
    });
}

}  // namespace broadside::test
