// Boxes of a scene in the form that the library takes.
#pragma once

#include <broadside/box_soa.hpp>

#include <cstdlib>
#include <vector>

namespace broadside::bench {

inline BoxSoa soa_of(const std::vector<Aabb>& boxes) {
    BoxSoa soa;
    const BoxAosView view = {.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()};
    if (soa.assign(view) != Status::ok) std::abort();
    return soa;
}

}  // namespace broadside::bench
