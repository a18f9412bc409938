// Bullet's btBvhTriangleMeshShape on the oriented boxes of bench_mesh: its quantised tree finds triangles near the box,
// and GJK and EPA decide.
#include "bench/mesh_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

namespace broadside::bench {
namespace {

btVector3 point_of(Vec3 p) { return {btScalar(p.x), btScalar(p.y), btScalar(p.z)}; }

// Counts the triangles that a box overlaps.
class Counter : public btTriangleCallback {
public:
    explicit Counter(const Obb& obb) : box_(point_of(obb.half_extent)) {
        box_.setMargin(0);
        const Vec3 x = obb.axis_x, y = obb.axis_y, z = obb.axis_z;
        pose_.setBasis(btMatrix3x3(btScalar(x.x), btScalar(y.x), btScalar(z.x), btScalar(x.y), btScalar(y.y),
                                   btScalar(z.y), btScalar(x.z), btScalar(y.z), btScalar(z.z)));
        pose_.setOrigin(point_of(obb.center));
    }
    void processTriangle(btVector3* corners, int, int) override {
        btTriangleShape triangle(corners[0], corners[1], corners[2]);
        triangle.setMargin(0);
        btGjkEpaSolver2::sResults results;
        const btTransform rest = btTransform::getIdentity();
        // Positive if they are apart.
        if (!btGjkEpaSolver2::Distance(&box_, pose_, &triangle, rest, btVector3(1, 1, 1), results)) ++count_;
    }
    void bounds(btVector3& out_min, btVector3& out_max) const { box_.getAabb(pose_, out_min, out_max); }
    std::size_t count() const { return count_; }

private:
    btBoxShape box_;
    btTransform pose_;
    std::size_t count_ = 0;
};

void register_rows() {
    for (const MeshSceneName& scene : kMeshScenes) {
        std::string name = "narrowphase/mesh_obb_overlaps/";
        name.append(scene.name)
            .append("_near/")
            .append(std::to_string(scene.triangle_count))
            .append("/bullet");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
            std::vector<btVector3> vertices;
            for (const Vec3 vertex : made.vertices) vertices.push_back(point_of(vertex));
            std::vector<int> indices(made.indices.begin(), made.indices.end());
            btTriangleIndexVertexArray arrays(static_cast<int>(made.triangle_count()), indices.data(),
                                              3 * sizeof(int), static_cast<int>(vertices.size()),
                                              &vertices[0][0], sizeof(btVector3));
            const btBvhTriangleMeshShape shape(&arrays, true);
            const auto count_all = [&] {
                std::size_t count = 0;
                for (const Obb& obb : made.obbs) {
                    Counter counter(obb);
                    btVector3 min, max;
                    counter.bounds(min, max);
                    shape.processAllTriangles(&counter, min, max);
                    count += counter.count();
                }
                return count;
            };
            TriangleMesh mesh;
            if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
            MeshScratch scratch;
            const std::size_t wanted = mesh.find_overlaps(made.obbs, {}, scratch, {}).required;
            const std::size_t count = count_all();
            state.counters["differing"] =
                static_cast<double>(count > wanted ? count - wanted : wanted - count);
            state.counters["found"] = static_cast<double>(wanted);
            for (auto _ : state) benchmark::DoNotOptimize(count_all());
            count_items(state, "query", made.obbs.size());
        })->Unit(benchmark::kMillisecond);
    }
}

const Suite suite("bullet_mesh", &register_rows, {"narrowphase/mesh_obb_overlaps/\\w+/\\d+/bullet"});

}  // namespace
}  // namespace broadside::bench
