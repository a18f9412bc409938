// CGAL's AABB_tree on the queries of bench_mesh and bench_mesh_pairs: closest points, and pairs of triangles
// with exact predicates; their number equals ours exactly.
#include "bench/mesh_pair_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

namespace broadside::bench {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Triangles = std::vector<Kernel::Triangle_3>;
using Tree = CGAL::AABB_tree<
    CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>>>;

Kernel::Point_3 point_of(Vec3 p) { return {double{p.x}, double{p.y}, double{p.z}}; }

template <class Scene>
Triangles triangles_of(const Scene& scene, const Transform& place) {
    Triangles triangles;
    for (std::size_t i = 0; i < scene.indices.size(); i += 3) {
        const auto corner = [&](std::size_t k) {
            return point_of(placed(place, scene.vertices[scene.indices[i + k]]));
        };
        triangles.emplace_back(corner(0), corner(1), corner(2));
    }
    return triangles;
}

void register_rows() {
    for (const MeshPairSceneName& scene : kMeshPairScenes) {
        const std::string name = mesh_pair_row("all", scene, "cgal");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const MeshPairScene made = make_mesh_pair_scene(scene.name, scene.triangle_count);
            const Triangles triangles = triangles_of(made, {});
            Tree tree(triangles.begin(), triangles.end());
            tree.build();
            std::vector<Triangles> others;
            for (const Transform& place : made.places) others.push_back(triangles_of(made, place));
            const auto count_at = [&](std::size_t i) {
                std::size_t count = 0;
                for (const Kernel::Triangle_3& triangle : others[i]) {
                    if (!triangle.is_degenerate()) count += tree.number_of_intersected_primitives(triangle);
                }
                return count;
            };
            const MeshPairAnswers ours = our_mesh_pairs(made);
            std::size_t differing = 0;
            for (std::size_t i = 0; i < others.size(); ++i) {
                const std::size_t count = count_at(i);
                differing +=
                    count > ours.pair_counts[i] ? count - ours.pair_counts[i] : ours.pair_counts[i] - count;
            }
            state.counters["differing"] = static_cast<double>(differing);
            for (auto _ : state) {
                for (std::size_t i = 0; i < others.size(); ++i) benchmark::DoNotOptimize(count_at(i));
            }
            count_items(state, "call", made.places.size());
            state.counters["found"] = static_cast<double>(ours.pair_count());
        })->Unit(benchmark::kMillisecond);
    }
    for (const MeshSceneName& scene : kMeshScenes) {
        std::string name = "narrowphase/mesh_closest_points/";
        name.append(scene.name).append("_near/").append(std::to_string(scene.triangle_count)).append("/cgal");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
            const Triangles triangles = triangles_of(made, {});
            Tree tree(triangles.begin(), triangles.end());
            tree.build();
            tree.accelerate_distance_queries();
            TriangleMesh mesh;
            if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
            std::vector<MeshClosestPoint> closest(made.points.size());
            (void)mesh.closest_points(made.points, {}, closest);
            std::size_t differing = 0;
            for (std::size_t i = 0; i < closest.size(); ++i) {
                const double distance_sq = tree.squared_distance(point_of(made.points[i]));
                const auto wanted = static_cast<double>(closest[i].distance_sq);
                differing += std::fabs(distance_sq - wanted) > 1e-5 * (wanted + 1e-9) ? 1u : 0u;
            }
            state.counters["differing"] = static_cast<double>(differing);
            for (auto _ : state) {
                for (const Vec3 point : made.points)
                    benchmark::DoNotOptimize(tree.closest_point_and_primitive(point_of(point)));
            }
            count_items(state, "query", made.points.size());
        })->Unit(benchmark::kMillisecond);
    }
}

const Suite suite("cgal_mesh", &register_rows,
                  {"narrowphase/mesh_pairs_all/\\w+/\\d+/cgal",
                   "narrowphase/mesh_closest_points/\\w+/\\d+/cgal"});

}  // namespace
}  // namespace broadside::bench
