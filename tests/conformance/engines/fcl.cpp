// FCL as an engine of the conformance kit: pairs of its dynamic tree, in doubles, which hold our floats.
#include "tests/conformance/engines/engine.hpp"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

#include <memory>

namespace {

class Object : public fcl::CollisionObjectd {
public:
    Object(const std::shared_ptr<fcl::CollisionGeometryd>& any_shape, const conformance::Box& box,
           unsigned index_in)
        : CollisionObject(any_shape), index(index_in) {
        for (int axis = 0; axis < 3; ++axis) {
            aabb.min_[axis] = static_cast<double>(box.min[axis]);
            aabb.max_[axis] = static_cast<double>(box.max[axis]);
        }
    }
    unsigned index;
};

bool collect(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* list) {
    // The tree reports near boxes; the box decides.
    if (a->getAABB().overlap(b->getAABB())) {
        static_cast<conformance::Pairs*>(list)->push_back(
            {static_cast<Object*>(a)->index, static_cast<Object*>(b)->index});
    }
    return false;
}

conformance::Pairs pairs(const std::vector<conformance::Box>& boxes) {
    const auto shape = std::make_shared<fcl::Boxd>(1, 1, 1);
    std::vector<std::unique_ptr<Object>> objects;
    std::vector<fcl::CollisionObjectd*> list;
    for (const conformance::Box& box : boxes) {
        objects.push_back(std::make_unique<Object>(shape, box, static_cast<unsigned>(objects.size())));
        list.push_back(objects.back().get());
    }
    fcl::DynamicAABBTreeCollisionManagerd manager;
    manager.registerObjects(list);
    manager.setup();
    conformance::Pairs found;
    manager.collide(&found, &collect);
    return found;
}

}  // namespace

int main(int argc, char** argv) { return conformance::run(argc, argv, &pairs, nullptr, nullptr); }
