// FCL's OBBRSS trees on the queries of bench_mesh and bench_mesh_pairs: boxes, closest points, pairs of
// triangles, first contact; and its RSS trees on distances of meshes, where they are the faster ones.
#include "bench/mesh_pair_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/math/motion/translation_motion.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <memory>

namespace broadside::bench {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

fcl::Vector3d point_of(Vec3 p) { return {double{p.x}, double{p.y}, double{p.z}}; }
fcl::Transform3d pose_of(const Transform& place) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear().row(0) = point_of(place.row_x);
    pose.linear().row(1) = point_of(place.row_y);
    pose.linear().row(2) = point_of(place.row_z);
    pose.translation() = point_of(place.translation);
    return pose;
}
fcl::Transform3d pose_of(const Obb& obb) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear().col(0) = point_of(obb.axis_x);
    pose.linear().col(1) = point_of(obb.axis_y);
    pose.linear().col(2) = point_of(obb.axis_z);
    pose.translation() = point_of(obb.center);
    return pose;
}

template <class Kind>
std::shared_ptr<Kind> make_model_of(const std::vector<Vec3>& points,
                                    const std::vector<std::uint32_t>& indices) {
    std::vector<fcl::Vector3d> vertices;
    for (const Vec3 point : points) vertices.push_back(point_of(point));
    std::vector<fcl::Triangle> triangles;
    for (std::size_t i = 0; i < indices.size(); i += 3)
        triangles.emplace_back(indices[i], indices[i + 1], indices[i + 2]);
    auto model = std::make_shared<Kind>();
    model->beginModel();
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}
template <class Scene>
std::shared_ptr<Model> make_model(const Scene& scene) {
    return make_model_of<Model>(scene.vertices, scene.indices);
}

void register_distance_row(const MeshDistanceSceneName& scene) {
    benchmark::RegisterBenchmark(mesh_distance_row(scene, "fcl").c_str(), [=](benchmark::State& state) {
        using DistanceModel = fcl::BVHModel<fcl::RSSd>;
        const MeshDistanceScene made = make_mesh_distance_scene(scene);
        const auto a = make_model_of<DistanceModel>(made.vertices, made.indices);
        const auto b = make_model_of<DistanceModel>(made.other_vertices, made.indices);
        const auto distance_at = [&](const Transform& place) {
            const fcl::DistanceRequestd request(true);
            fcl::DistanceResultd result;
            return fcl::distance(a.get(), fcl::Transform3d::Identity(), b.get(), pose_of(place), request,
                                 result);
        };
        const std::vector<ClosestTrianglePair> ours = our_mesh_distances(made);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const auto wanted = static_cast<double>(ours[i].closest.distance);
            differing += std::fabs(distance_at(made.places[i]) - wanted) > 1e-5 * (1 + wanted) ? 1u : 0u;
        }
        state.counters["differing"] = static_cast<double>(differing);
        for (auto _ : state) {
            for (const Transform& place : made.places) benchmark::DoNotOptimize(distance_at(place));
        }
        count_items(state, "call", made.places.size());
    })->Unit(benchmark::kMillisecond);
}

void register_pair_rows(const MeshPairSceneName& scene) {
    for (const bool is_any : {false, true}) {
        const std::string name = mesh_pair_row(is_any ? "any" : "all", scene, "fcl");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const MeshPairScene made = make_mesh_pair_scene(scene.name, scene.triangle_count);
            const std::shared_ptr<Model> model = make_model(made);
            const auto count_at = [&](const Transform& place) {
                fcl::CollisionRequestd request;
                request.num_max_contacts = is_any ? 1 : 1u << 24;
                fcl::CollisionResultd result;
                return fcl::collide(model.get(), fcl::Transform3d::Identity(), model.get(), pose_of(place),
                                    request, result);
            };
            const MeshPairAnswers ours = our_mesh_pairs(made);
            std::size_t differing = 0;
            for (std::size_t i = 0; i < made.places.size(); ++i) {
                const std::size_t count = count_at(made.places[i]);
                const std::size_t wanted =
                    is_any ? std::min<std::size_t>(ours.pair_counts[i], 1) : ours.pair_counts[i];
                differing += count > wanted ? count - wanted : wanted - count;
            }
            // Its triangles are not rounded after the rotation, and triangles that touch within its tolerance
            // count.
            state.counters["differing"] = static_cast<double>(differing);
            for (auto _ : state) {
                for (const Transform& place : made.places) benchmark::DoNotOptimize(count_at(place));
            }
            count_items(state, "call", made.places.size());
            state.counters["found"] = static_cast<double>(ours.pair_count());
        })->Unit(benchmark::kMillisecond);
    }
}

// FCL has two methods. Conservative advancement finds no contact of these meshes, for any tree, motion and
// number of steps. The other tests positions along the path, and returns the first at which triangles meet:
// up to a step late, and past anything thinner.
void register_impact_row(const MeshPairSceneName& scene) {
    benchmark::RegisterBenchmark(mesh_pair_row("impact", scene, "fcl").c_str(), [=](benchmark::State& state) {
        const MeshPairScene made = make_mesh_pair_scene(scene.name, scene.triangle_count);
        const std::shared_ptr<Model> model = make_model(made);
        constexpr std::size_t kSteps = 1000;
        const fcl::ContinuousCollisionRequestd request(kSteps, 1e-4, fcl::CCDM_TRANS, fcl::GST_LIBCCD,
                                                       fcl::CCDC_NAIVE);
        const fcl::Transform3d resting = fcl::Transform3d::Identity();
        const auto time_from = [&](std::size_t i) {
            const fcl::Transform3d begin = pose_of(made.starts[i]);
            fcl::Transform3d end = begin;
            end.translation() += point_of(made.displacements[i]);
            fcl::ContinuousCollisionResultd result;
            fcl::continuousCollide(model.get(), resting, resting, model.get(), begin, end, request, result);
            return result.is_collide ? result.time_of_contact : double{kNoIntersection};
        };
        const MeshPairAnswers ours = our_mesh_pairs(made);
        std::size_t found = 0, differing = 0;
        for (std::size_t i = 0; i < made.starts.size(); ++i) {
            const double time = time_from(i);
            found += time <= 1.0 ? 1u : 0u;
            const double late = time - double{ours.times[i]};
            const bool is_same = time > 1.0 ? ours.times[i] > 1.0f : late > -1e-5 && late < 1.1 / kSteps;
            differing += is_same ? 0u : 1u;
        }
        state.counters["found"] = static_cast<double>(found);
        state.counters["differing"] = static_cast<double>(differing);
        for (auto _ : state) {
            for (std::size_t i = 0; i < made.starts.size(); ++i) benchmark::DoNotOptimize(time_from(i));
        }
        count_items(state, "call", made.starts.size());
    })->Unit(benchmark::kMillisecond);
}

void register_mesh_rows(const MeshSceneName& scene) {
    std::string name = "narrowphase/mesh_obb_overlaps/";
    name.append(scene.name).append("_near/").append(std::to_string(scene.triangle_count)).append("/fcl");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
        const std::shared_ptr<Model> model = make_model(made);
        const auto count_all = [&] {
            std::size_t count = 0;
            for (const Obb& obb : made.obbs) {
                fcl::CollisionRequestd request;
                request.num_max_contacts = 1u << 24;
                fcl::CollisionResultd result;
                const fcl::Boxd box(point_of(obb.half_extent) * 2.0);
                count += fcl::collide(model.get(), fcl::Transform3d::Identity(), &box, pose_of(obb), request,
                                      result);
            }
            return count;
        };
        TriangleMesh mesh;
        if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
        MeshScratch scratch;
        const std::size_t wanted = mesh.find_overlaps(made.obbs, {}, scratch, {}).required;
        const std::size_t count = count_all();
        state.counters["differing"] = static_cast<double>(count > wanted ? count - wanted : wanted - count);
        state.counters["found"] = static_cast<double>(wanted);
        for (auto _ : state) benchmark::DoNotOptimize(count_all());
        count_items(state, "query", made.obbs.size());
    })->Unit(benchmark::kMillisecond);

    name = "narrowphase/mesh_closest_points/";
    name.append(scene.name).append("_near/").append(std::to_string(scene.triangle_count)).append("/fcl");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
        const std::shared_ptr<Model> model = make_model(made);
        // FCL has no points: tiny spheres instead.
        constexpr double kRadius = 1e-6;
        const fcl::Sphered ball(kRadius);
        const auto distance_to = [&](Vec3 point) {
            fcl::Transform3d pose = fcl::Transform3d::Identity();
            pose.translation() = point_of(point);
            const fcl::DistanceRequestd request(true);
            fcl::DistanceResultd result;
            return fcl::distance(&ball, pose, model.get(), fcl::Transform3d::Identity(), request, result) +
                   kRadius;
        };
        TriangleMesh mesh;
        if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
        std::vector<MeshClosestPoint> closest(made.points.size());
        (void)mesh.closest_points(made.points, {}, closest);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < closest.size(); ++i) {
            const double wanted = std::sqrt(static_cast<double>(closest[i].distance_sq));
            differing += std::fabs(std::max(distance_to(made.points[i]), 0.0) - wanted) > 1e-3 * (1 + wanted)
                             ? 1u
                             : 0u;
        }
        state.counters["differing"] = static_cast<double>(differing);
        for (auto _ : state) {
            for (const Vec3 point : made.points) benchmark::DoNotOptimize(distance_to(point));
        }
        count_items(state, "query", made.points.size());
    })->Unit(benchmark::kMillisecond);
}

void register_rows() {
    for (const MeshPairSceneName& scene : kMeshPairScenes) {
        register_pair_rows(scene);
        register_impact_row(scene);
    }
    for (const MeshDistanceSceneName& scene : kMeshDistanceScenes) register_distance_row(scene);
    for (const MeshSceneName& scene : kMeshScenes) register_mesh_rows(scene);
}

const Suite suite("fcl_mesh", &register_rows,
                  {"narrowphase/mesh_pairs_(all|any|impact)/\\w+/\\d+/fcl",
                   "narrowphase/mesh_distance/balls_near/20000/fcl",
                   "narrowphase/mesh_(obb_overlaps|closest_points)/\\w+/\\d+/fcl"});

}  // namespace
}  // namespace broadside::bench
