// FCL, one pair at a time: libccd's GJK against triangles, and box against box.
#include "bench/peers/obb_peer.hpp"
#include "bench/suites.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

namespace broadside::bench {
namespace {

class FclObb {
public:
    static constexpr const char* kName = "fcl";

    explicit FclObb(const Obb& obb) : box_(shape_of(obb)), pose_(pose_of(obb)) {}
    bool overlaps(const Triangle& t) const {
        return solver_.shapeTriangleIntersect(box_, pose_, point_of(t.a), point_of(t.b), point_of(t.c),
                                              nullptr, nullptr, nullptr);
    }
    bool overlaps(const Obb& obb) const {
        return solver_.shapeIntersect<fcl::Boxd, fcl::Boxd>(box_, pose_, shape_of(obb), pose_of(obb),
                                                            nullptr);
    }

private:
    static fcl::Vector3d point_of(Vec3 p) { return {double{p.x}, double{p.y}, double{p.z}}; }
    static fcl::Boxd shape_of(const Obb& obb) { return fcl::Boxd(point_of(obb.half_extent) * 2.0); }
    static fcl::Transform3d pose_of(const Obb& obb) {
        fcl::Transform3d pose = fcl::Transform3d::Identity();
        pose.linear().col(0) = point_of(obb.axis_x);
        pose.linear().col(1) = point_of(obb.axis_y);
        pose.linear().col(2) = point_of(obb.axis_z);
        pose.translation() = point_of(obb.center);
        return pose;
    }
    fcl::detail::GJKSolver_libccd<double> solver_;
    fcl::Boxd box_;
    fcl::Transform3d pose_;
};

void register_rows() {
    register_obb_peer<FclObb>("obb_triangles", &ObbPeerScene::triangles);
    register_obb_peer<FclObb>("obb_obbs", &ObbPeerScene::obbs);
}

const Suite suite("fcl_narrowphase", &register_rows, {"narrowphase/obb_(obbs|triangles)/static/1000000/fcl"});

}  // namespace
}  // namespace broadside::bench
