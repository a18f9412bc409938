// Other libraries on the scenes of the oriented-box benches, for ratios within one run: Bullet (triangle
// against box of its Gimpact part, header-only) and FCL (libccd's GJK against triangles, box against box),
// each built in where the machine has it. Answers are compared before timing. Both are one pair at a time;
// they are given the million distinct items that a branch predictor cannot learn.
#include "bench/obb_scenes.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>

#include <memory>
#include <vector>

#if defined(BROADSIDE_HAS_BULLET)
#include <BulletCollision/Gimpact/btBoxCollision.h>
#endif
#if defined(BROADSIDE_HAS_FCL)
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#endif

namespace broadside::bench {
namespace {

struct PeerScene {
    Obb box;
    std::vector<Triangle> triangles;
    std::vector<Obb> obbs;
};

[[maybe_unused]] std::shared_ptr<PeerScene> make_peer_scene(std::size_t count) {
    auto scene = std::make_shared<PeerScene>();
    Sequence sequence;
    scene->box = random_box(sequence, {});
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at = sequence.vector(1.6f);
        scene->triangles.push_back(
            {at + sequence.vector(0.5f), at + sequence.vector(0.5f), at + sequence.vector(0.5f)});
        scene->obbs.push_back(random_box(sequence, sequence.vector(1.6f)));
    }
    return scene;
}

#if defined(BROADSIDE_HAS_BULLET)
// It leaves the three faces of the box to a test of boxes before it, and wants the triangle in the frame of
// the box and its plane.
struct BulletPeer {
    static constexpr const char* kName = "bullet";

    explicit BulletPeer(const Obb& obb) : obb_(obb) {
        const btVector3 h(obb.half_extent.x, obb.half_extent.y, obb.half_extent.z);
        box_.m_min = -h;
        box_.m_max = h;
    }
    bool overlaps(const Triangle& triangle) const {
        const btVector3 a = in_box(triangle.a);
        const btVector3 b = in_box(triangle.b);
        const btVector3 c = in_box(triangle.c);
        if (!box_.has_collision(btAABB(a, b, c))) return false;
        const btVector3 normal = (b - a).cross(c - a);
        return box_.collide_triangle_exact(a, b, c,
                                           btVector4(normal.x(), normal.y(), normal.z(), normal.dot(a)));
    }

private:
    btVector3 in_box(Vec3 point) const {
        const Vec3 p = vector_in_box(obb_, point - obb_.center);
        return {p.x, p.y, p.z};
    }
    Obb obb_;
    btAABB box_;
};
#endif

#if defined(BROADSIDE_HAS_FCL)
class FclPeer {
public:
    static constexpr const char* kName = "fcl";

    explicit FclPeer(const Obb& obb) : box_(shape_of(obb)), pose_(pose_of(obb)) {}
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
#endif

// Differences are touches that tolerances or rounding decide.
template <class Peer, class Item>
[[maybe_unused]] void register_peer(const std::string& algorithm, const std::shared_ptr<PeerScene>& scene,
                                    const std::vector<Item>& items) {
    const std::string name =
        algorithm + "/static/" + std::to_string(items.size()) + "/" + std::string(Peer::kName);
    benchmark::RegisterBenchmark(name.c_str(), [=, &items](benchmark::State& state) {
        const Peer peer(scene->box);
        std::vector<std::uint8_t> out(items.size());
        std::size_t differing_count = 0;
        for (const Item& item : items)
            differing_count += peer.overlaps(item) != overlap(scene->box, item) ? 1 : 0;
        require_same(differing_count <= items.size() / 1000 + 1, name);
        for (auto _ : state) {
            for (std::size_t i = 0; i < items.size(); ++i) out[i] = peer.overlaps(items[i]) ? 1 : 0;
            benchmark::DoNotOptimize(out.data());
            benchmark::ClobberMemory();
        }
        count_items(state, "pair", items.size());
    });
}

void register_rows() {
#if defined(BROADSIDE_HAS_BULLET) || defined(BROADSIDE_HAS_FCL)
    const auto scene = make_peer_scene(1000000);
#endif
#if defined(BROADSIDE_HAS_BULLET)
    register_peer<BulletPeer>("narrowphase/obb_triangles", scene, scene->triangles);
#endif
#if defined(BROADSIDE_HAS_FCL)
    register_peer<FclPeer>("narrowphase/obb_triangles", scene, scene->triangles);
    register_peer<FclPeer>("narrowphase/obb_obbs", scene, scene->obbs);
#endif
}

const Suite suite("obb_peers", &register_rows, {"narrowphase/obb_(obbs|triangles)/static/1000000/.*"});

}  // namespace

}  // namespace broadside::bench
