// Embree as an engine of the conformance kit: pairs by rtcCollide over user geometry, decided by the boxes.
#include "tests/conformance/engines/engine.hpp"

#include <embree3/rtcore.h>

namespace {

struct Search {
    const std::vector<conformance::Box>& boxes;
    conformance::Pairs pairs;
};

void bounds(const RTCBoundsFunctionArguments* arguments) {
    const auto& search = *static_cast<const Search*>(arguments->geometryUserPtr);
    const conformance::Box& box = search.boxes[arguments->primID];
    *arguments->bounds_o = {box.min[0], box.min[1], box.min[2], 0, box.max[0], box.max[1], box.max[2], 0};
}

void collect(void* user, RTCCollision* collisions, unsigned count) {
    auto& search = *static_cast<Search*>(user);
    for (unsigned i = 0; i < count; ++i) {
        const unsigned first = collisions[i].primID0;
        const unsigned second = collisions[i].primID1;
        // Every pair is reported both ways, and near boxes as well.
        if (first >= second) continue;
        const conformance::Box& a = search.boxes[first];
        const conformance::Box& b = search.boxes[second];
        bool do_meet = true;
        for (int axis = 0; axis < 3; ++axis)
            do_meet = do_meet && a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis];
        if (do_meet) search.pairs.push_back({first, second});
    }
}

conformance::Pairs pairs(const std::vector<conformance::Box>& boxes) {
    Search search = {boxes, {}};
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes.size()));
    rtcSetGeometryUserData(geometry, &search);
    rtcSetGeometryBoundsFunction(geometry, &bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments*) {});
    rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    rtcCollide(scene, scene, &collect, &search);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return search.pairs;
}

}  // namespace

int main(int argc, char** argv) { return conformance::run(argc, argv, &pairs, nullptr, nullptr); }
