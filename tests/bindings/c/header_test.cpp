// The C header as C++, beside the whole C++ API: no names conflict.
#include <broadside.h>

#include <broadside/broadside.hpp>

int main() {
    broadside::Aabb box = {{0, 0, 0}, {1, 1, 1}};
    const broadside_aabb c_box = {{0, 0, 0}, {1, 1, 1}};
    const bool is_same = broadside::overlap(box, box) == (broadside_overlap(&c_box, &c_box) == 1);
    return is_same && BROADSIDE_VERSION_MAJOR == broadside::kVersionMajor ? 0 : 1;
}
