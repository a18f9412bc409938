// Boxes in six guarded arrays.
#pragma once

#include "tests/support/guarded_array.hpp"

#include <broadside/box_view.hpp>

#include <vector>

namespace broadside::test {

class GuardedBoxes {
public:
    explicit GuardedBoxes(const std::vector<Aabb>& boxes)
        : min_x_(boxes.size()),
          min_y_(boxes.size()),
          min_z_(boxes.size()),
          max_x_(boxes.size()),
          max_y_(boxes.size()),
          max_z_(boxes.size()) {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            min_x_[i] = boxes[i].min.x;
            min_y_[i] = boxes[i].min.y;
            min_z_[i] = boxes[i].min.z;
            max_x_[i] = boxes[i].max.x;
            max_y_[i] = boxes[i].max.y;
            max_z_[i] = boxes[i].max.z;
        }
    }
    BoxSoaView view() const {
        return {min_x_.data(), min_y_.data(), min_z_.data(), max_x_.data(),
                max_y_.data(), max_z_.data(), min_x_.size()};
    }

private:
    GuardedArray<float> min_x_, min_y_, min_z_, max_x_, max_y_, max_z_;
};

}  // namespace broadside::test
