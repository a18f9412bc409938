// Bullet as an engine of the conformance kit: pairs of its dynamic trees without margin, and btRayAabb2.
#include "tests/conformance/engines/engine.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAabbUtil2.h>

#include <memory>

namespace {

btVector3 vector_of(const float* v) { return {v[0], v[1], v[2]}; }

conformance::Pairs pairs(const std::vector<conformance::Box>& boxes) {
    gDbvtMargin = 0;
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy*> proxies;
    for (const conformance::Box& box : boxes) {
        proxies.push_back(broadphase.createProxy(vector_of(box.min), vector_of(box.max), 0,
                                                 const_cast<conformance::Box*>(&box), 1, -1, nullptr));
    }
    broadphase.calculateOverlappingPairs(nullptr);
    conformance::Pairs list;
    const auto& cached = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < cached.size(); ++i) {
        const auto index_of = [&](const btBroadphaseProxy* proxy) {
            return static_cast<unsigned>(static_cast<const conformance::Box*>(proxy->m_clientObject) -
                                         boxes.data());
        };
        list.push_back({index_of(cached[i].m_pProxy0), index_of(cached[i].m_pProxy1)});
    }
    for (btBroadphaseProxy* proxy : proxies) broadphase.destroyProxy(proxy, nullptr);
    return list;
}

// As its trees call it: with reciprocals, and large ones for a direction of zero.
void ray(const float* origin, const float* direction, float t_max, const conformance::Box& box) {
    btVector3 inverse;
    unsigned signs[3];
    for (int axis = 0; axis < 3; ++axis) {
        inverse[axis] = direction[axis] == 0 ? BT_LARGE_FLOAT : 1 / direction[axis];
        signs[axis] = inverse[axis] < 0;
    }
    const btVector3 bounds[2] = {vector_of(box.min), vector_of(box.max)};
    btScalar time = 0;
    const bool has_hit = btRayAabb2(vector_of(origin), inverse, signs, bounds, time, 0, t_max);
    conformance::print_time(has_hit, time);
}

}  // namespace

int main(int argc, char** argv) { return conformance::run(argc, argv, &pairs, nullptr, &ray); }
