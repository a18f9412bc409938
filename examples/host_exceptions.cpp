// A host that throws: the exception is stored in the callback, ends the walk, and is rethrown after the call.
#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

using namespace broadside;

namespace {

// The host's own narrowphase, which may fail.
void collide(std::uint32_t box_index) {
    if (box_index == 5) throw std::runtime_error("box 5 has no shape");
    std::printf("box %u\n", static_cast<unsigned>(box_index));
}

// Throws the exceptions of `collide`, and never through the library.
Status collide_with_all(const BoxTree& tree, const Aabb& box) {
    std::exception_ptr thrown;
    const Status status = tree.visit_overlaps(box, {}, [&](std::uint32_t box_index) {
        try {
            collide(box_index);
            return true;
        } catch (...) {
            thrown = std::current_exception();
            return false;  // No more boxes.
        }
    });
    if (thrown) std::rethrow_exception(thrown);
    return status;
}

}  // namespace

int main() {
    BoxSoa boxes;
    for (int i = 0; i < 100; ++i) {
        const float x = static_cast<float>(10 * i);
        if (boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}}) != Status::ok) return 1;
    }
    BoxTree tree;
    if (tree.build(boxes) != Status::ok) return 1;
    try {
        (void)collide_with_all(tree, {{50, 0, 0}, {51, 1, 1}});
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
    }
    // The tree is unchanged.
    return collide_with_all(tree, {{60, 0, 0}, {61, 1, 1}}) == Status::ok ? 0 : 1;
}
