// Motions of an arm among 1,000 boxes: the first state that collides, by one call, by single queries and, if it is installed,
// by FCL.
#include "examples/arm_motion/scene.hpp"

#include <broadside/isa.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#ifdef ARM_MOTION_HAS_FCL
#include <fcl/fcl.h>

#include <memory>
#endif

using namespace arm_motion;
using namespace broadside;

namespace {

// The index of the first sphere of the motion that overlaps a box; the number of spheres if there is none.
using FirstOf = std::function<std::size_t(const std::vector<Sphere>&)>;

struct Way {
    const char* name;
    FirstOf first_of;
    double microseconds = 1e30;
};

std::size_t by_one_call(const BoxTree& tree, const std::vector<Sphere>& spheres) {
    std::uint32_t first = 0;
    const BatchResult result = tree.first_overlaps(spheres, kSphereCount, {}, {&first, 1});
    return result.status == Status::ok ? first : 0;
}

std::size_t one_by_one(const BoxTree& tree, const std::vector<Sphere>& spheres) {
    std::size_t i = 0;
    while (i < spheres.size() && !tree.any_overlap(spheres[i])) ++i;
    return i;
}

#ifdef ARM_MOTION_HAS_FCL
// A manager over the boxes, queried with each sphere.
class FclBoxes {
public:
    explicit FclBoxes(const Scene& scene) {
        for (const Aabb& box : scene.boxes) {
            const Vec3 edges = size(box);
            const Vec3 middle = center(box);
            fcl::Transform3d place = fcl::Transform3d::Identity();
            place.translation() = fcl::Vector3d(middle.x, middle.y, middle.z);
            const auto shape = std::make_shared<fcl::Boxd>(edges.x, edges.y, edges.z);
            boxes_.push_back(std::make_unique<fcl::CollisionObjectd>(shape, place));
            manager_.registerObject(boxes_.back().get());
        }
        manager_.setup();
        for (const Link& link : kLinks) {
            for (std::size_t i = 0; i < link.sphere_count; ++i)
                spheres_.push_back(
                    std::make_unique<fcl::CollisionObjectd>(std::make_shared<fcl::Sphered>(link.radius)));
        }
    }
    std::size_t first_of(const std::vector<Sphere>& spheres) {
        for (std::size_t i = 0; i < spheres.size(); ++i) {
            fcl::CollisionObjectd& sphere = *spheres_[i % kSphereCount];
            sphere.setTranslation({spheres[i].center.x, spheres[i].center.y, spheres[i].center.z});
            sphere.computeAABB();
            bool is_met = false;
            manager_.collide(&sphere, &is_met, &meet);
            if (is_met) return i;
        }
        return spheres.size();
    }

private:
    static bool meet(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* is_met) {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        fcl::collide(a, b, request, result);
        *static_cast<bool*>(is_met) = result.isCollision();
        return result.isCollision();
    }

    std::vector<std::unique_ptr<fcl::CollisionObjectd>> boxes_;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> spheres_;
    fcl::DynamicAABBTreeCollisionManagerd manager_;
};
#endif

template <class Function>
double microseconds_of(const Function& function) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

// The least of many rounds, in which all ways take turns. False if two ways find another state.
bool measure(const char* name, Collides collides, std::uint32_t seed, int round_count) {
    const Scene scene = make_scene(collides, seed);
    const BoxTree tree = tree_of(scene);
    std::vector<Sphere> spheres;
    std::vector<Way> ways = {
        {"first_overlaps", [&](const auto& motion) { return by_one_call(tree, motion); }},
        {"any_overlap, one by one", [&](const auto& motion) { return one_by_one(tree, motion); }},
    };
#ifdef ARM_MOTION_HAS_FCL
    FclBoxes fcl_boxes(scene);
    ways.push_back({"FCL", [&](const auto& motion) { return fcl_boxes.first_of(motion); }});
#endif
    double kinematics = 1e30;
    std::vector<std::size_t> states(ways.size());
    for (int round = 0; round < round_count; ++round) {
        kinematics = std::min(
            kinematics, microseconds_of([&] { place_motion(scene.from, scene.to, kStateCount, spheres); }));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const double time =
                microseconds_of([&] { states[i] = ways[i].first_of(spheres) / kSphereCount; });
            ways[i].microseconds = std::min(ways[i].microseconds, time);
        }
    }
    std::printf("%s: first state that collides: %s; kinematics %.1f us\n", name,
                states[0] == kStateCount ? "none" : std::to_string(states[0]).c_str(), kinematics);
    bool is_same = true;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        std::printf("  %-24s %8.1f us%s\n", ways[i].name, ways[i].microseconds,
                    states[i] == states[0] ? "" : ", another state");
        is_same = is_same && states[i] == states[0];
    }
    return is_same;
}

}  // namespace

int main(int argc, char** argv) {
    const int round_count = argc > 1 ? std::atoi(argv[1]) : 300;
    const std::optional<Isa> isa = active_isa();
    std::printf("%zu states of %zu spheres, %zu boxes, %s\n", kStateCount, kSphereCount, kBoxCount,
                isa ? std::string(isa_name(*isa)).c_str() : "no instruction set");
    bool is_same = measure("free", Collides::never, 5, round_count);
    is_same = measure("late", Collides::late, 5, round_count) && is_same;
    is_same = measure("early", Collides::early, 5, round_count) && is_same;
    return is_same ? 0 : 1;
}
