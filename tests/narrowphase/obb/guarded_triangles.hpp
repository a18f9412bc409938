// Triangles in nine guarded arrays.
#pragma once

#include "tests/support/guarded_array.hpp"

#include <broadside/triangle_mesh.hpp>

#include <vector>

namespace broadside::test {

class GuardedTriangles {
public:
    explicit GuardedTriangles(const std::vector<Triangle>& triangles)
        : a_x_(triangles.size()),
          a_y_(triangles.size()),
          a_z_(triangles.size()),
          b_x_(triangles.size()),
          b_y_(triangles.size()),
          b_z_(triangles.size()),
          c_x_(triangles.size()),
          c_y_(triangles.size()),
          c_z_(triangles.size()) {
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            a_x_[i] = triangles[i].a.x;
            a_y_[i] = triangles[i].a.y;
            a_z_[i] = triangles[i].a.z;
            b_x_[i] = triangles[i].b.x;
            b_y_[i] = triangles[i].b.y;
            b_z_[i] = triangles[i].b.z;
            c_x_[i] = triangles[i].c.x;
            c_y_[i] = triangles[i].c.y;
            c_z_[i] = triangles[i].c.z;
        }
    }
    TriangleSoaView view() const {
        return {a_x_.data(), a_y_.data(), a_z_.data(), b_x_.data(), b_y_.data(),
                b_z_.data(), c_x_.data(), c_y_.data(), c_z_.data(), a_x_.size()};
    }

private:
    GuardedArray<float> a_x_, a_y_, a_z_, b_x_, b_y_, b_z_, c_x_, c_y_, c_z_;
};

}  // namespace broadside::test
