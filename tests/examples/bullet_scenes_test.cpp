// The example's scenes: Bullet's dynamics end in the same state on broadside as on btDbvtBroadphase, bit for bit.
#include "examples/bullet_broadphase/scenes.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace bullet_example;

namespace {

using Pairs = std::set<std::pair<int, int>>;

Pairs pairs_of(ScenePlay& play) {
    Pairs pairs;
    const btBroadphasePairArray& cached =
        play.broadphase().getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < cached.size(); ++i) {
        pairs.insert({cached[i].m_pProxy0->m_uniqueId, cached[i].m_pProxy1->m_uniqueId});
    }
    return pairs;
}

// Pairs of the present boxes, by the masks of the scenes.
Pairs overlaps_of(ScenePlay& play) {
    Pairs pairs;
    const btCollisionObjectArray& objects = play.world().getCollisionObjectArray();
    for (int i = 0; i < objects.size(); ++i) {
        for (int k = 0; k < i; ++k) {
            const btBroadphaseProxy& a = *objects[k]->getBroadphaseHandle();
            const btBroadphaseProxy& b = *objects[i]->getBroadphaseHandle();
            bool is_pair = (a.m_collisionFilterGroup & b.m_collisionFilterMask) != 0 &&
                           (b.m_collisionFilterGroup & a.m_collisionFilterMask) != 0;
            for (int axis = 0; axis < 3; ++axis) {
                is_pair = is_pair && a.m_aabbMin[axis] <= b.m_aabbMax[axis] &&
                          b.m_aabbMin[axis] <= a.m_aabbMax[axis];
            }
            if (is_pair) pairs.insert({a.m_uniqueId, b.m_uniqueId});
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("Bullet's dynamics have the same bits on broadside as on btDbvtBroadphase") {
    for (const Scene scene : kScenes) {
        CAPTURE(scene_name(scene));
        ScenePlay bullets({scene, BroadphaseKind::dbvt, 200, 50});
        ScenePlay ours({scene, BroadphaseKind::broadside, 200, 50});
        CHECK(bullets.state_hash() == ours.state_hash());
        const std::uint64_t first = ours.state_hash();
        int missed_count = 0;
        for (int frame = 0; frame < 90; ++frame) {
            (void)bullets.step();
            (void)ours.step();
            REQUIRE(bullets.state_hash() == ours.state_hash());
            // The character's box has been set since the pairs were found.
            if (scene == Scene::character || frame % 10 != 0) continue;
            const Pairs pairs = pairs_of(ours);
            for (const auto& pair : overlaps_of(ours)) missed_count += pairs.count(pair) == 0 ? 1 : 0;
        }
        CHECK(missed_count == 0);
        CHECK(ours.state_hash() != first);
    }
}
