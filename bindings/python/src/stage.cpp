// CollisionStage: a step of moving boxes with all its queries, as columns. Calls of one stage wait for each other.
#include "lock.hpp"
#include "movers.hpp"

namespace broadside::python {
namespace {

Vec3SoaView columns_of_vectors(const std::vector<Vec3>& rows, std::vector<float>& out_columns) {
    const std::size_t count = rows.size();
    out_columns.resize(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        out_columns[i] = rows[i].x;
        out_columns[count + i] = rows[i].y;
        out_columns[2 * count + i] = rows[i].z;
    }
    return {out_columns.data(), out_columns.data() + count, out_columns.data() + 2 * count, count};
}

class Stage {
public:
    /// `rows` are those of everything except the bodies, in the order of broadside/_stage.py, and empty if there are none.
    /// Returns the fields of Frame in their order.
    py::tuple step(const py::array& min, const py::array& max, const py::tuple& rows, const py::list& meshes,
                   py::handle scene, const py::tuple& movers, const py::tuple& mover_settings,
                   const py::tuple& rules, std::uint32_t workers) {
        const auto items = [&]<class Item>(int i, Item) {
            return items_of<Item>(py::cast<FloatRows>(rows[i]));
        };
        const auto displacements = items(0, Vec3());
        const auto rays = items(1, Ray());
        const auto casts = items(2, BoxCast());
        const auto sphere_casts = items(3, SphereCast());
        const auto overlap_boxes = items(4, Aabb());
        const auto overlap_spheres = items(5, Sphere());
        const auto overlap_obbs = items(6, Obb());
        const auto obbs = items(7, Obb());
        const auto obb_displacements = items(8, Vec3());
        const auto corners = items(9, Triangle());
        const auto mover_rows = movers_of(py::cast<FloatRows>(movers[0]),
                                          py::cast<py::array_t<std::uint8_t, py::array::c_style>>(movers[1]),
                                          py::cast<py::array_t<std::int64_t, py::array::c_style>>(movers[2]));
        std::vector<std::shared_ptr<const TriangleMesh>> owners;
        const std::vector<const TriangleMesh*> pointers = meshes_of(meshes, owners);
        const CallRunner runner(workers);
        const StageSettings settings = {.touch = static_cast<Touch>(py::cast<int>(rules[0])),
                                        .inside = static_cast<Inside>(py::cast<int>(rules[1])),
                                        .report_all_ray_hits = py::cast<int>(rules[2]) != 0,
                                        .report_all_cast_hits = py::cast<int>(rules[3]) != 0,
                                        .algorithm = static_cast<PairAlgorithm>(py::cast<int>(rules[4])),
                                        .movers = mover_settings_of(mover_settings),
                                        .runner = runner.get()};
        const ReadScene with_scene = read_scene(scene);
        Found found;
        with_float_boxes(min, max, [&](const FloatBoxes& boxes) {
            std::vector<float> displacement_columns;
            TriangleSoa triangles;
            BoxSoa bounds;
            check(triangles.resize(corners.size()));
            for (std::size_t i = 0; i < corners.size(); ++i) triangles.set(i, corners[i]);
            check(triangle_bounds(triangles, bounds));
            const HitQueries cast_lists[] = {{casts, settings.touch}, sphere_casts};
            const OverlapQueries overlap_lists[] = {overlap_boxes, overlap_spheres, overlap_obbs};
            StageInput input = {.boxes = boxes.view(),
                                .displacements = columns_of_vectors(displacements, displacement_columns),
                                .rays = rays,
                                .casts = cast_lists,
                                .overlaps = overlap_lists,
                                .obbs = obbs,
                                .obb_displacements = obb_displacements,
                                .triangles = triangles,
                                .triangle_bounds = bounds.view(),
                                .meshes = pointers,
                                .movers = mover_rows};
            lock_.write([&] {
                with_scene([&](const MeshScene* placed) {
                    input.scene = placed;
                    check(stage_.step(input, settings).status);
                });
                found = Found(stage_);
            });
        });
        return found.columns();
    }

private:
    /// The lists of a stage, which the next step replaces.
    struct Found {
        Found() = default;
        explicit Found(const CollisionStage& stage)
            : candidate_pairs(list(stage.candidate_pairs())),
              impacts(list(stage.impacts())),
              ray_hits(list(stage.ray_hits())),
              cast_hits(list(stage.cast_hits(0))),
              sphere_cast_hits(list(stage.cast_hits(1))),
              box_overlaps(list(stage.overlaps(0))),
              sphere_overlaps(list(stage.overlaps(1))),
              obb_overlaps(list(stage.overlaps(2))),
              triangle_impacts(list(stage.triangle_impacts())),
              mesh_hits(list(stage.mesh_hits())),
              mesh_impacts(list(stage.mesh_impacts())),
              scene_hits(list(stage.scene_hits())),
              scene_impacts(list(stage.scene_impacts())),
              movers(list(stage.mover_results())),
              hash(stage.result_hash()),
              seconds(stage.times().total_seconds()) {}

        py::tuple columns() const {
            const auto index = [](std::uint32_t i) { return std::int64_t{i}; };
            const auto pairs = [&](const std::vector<IndexPair>& list) {
                return pairs_array<std::int64_t>(
                    list, [&](IndexPair pair) { return std::tuple(index(pair.first), index(pair.second)); });
            };
            const auto hits = [&](const std::vector<Listed<TreeHit>>& list) {
                return columns_of<std::int64_t, std::int64_t, float, std::uint8_t>(
                    list, [&](const Listed<TreeHit>& hit) {
                        return std::tuple(index(hit.query), index(hit.found.target), hit.found.t,
                                          static_cast<std::uint8_t>(hit.found.face));
                    });
            };
            const auto mesh_columns = [&](const std::vector<Listed<SceneHit>>& list) {
                return columns_of<std::int64_t, std::int64_t, std::int64_t, float, float, float>(
                    list, [&](const Listed<SceneHit>& one) {
                        const SceneHit& hit = one.found;
                        return std::tuple(index(one.query), index(hit.target.instance_index),
                                          index(hit.target.triangle_index), hit.t, hit.u, hit.v);
                    });
            };
            const auto impact_columns = [&](const std::vector<Listed<SceneImpact>>& list) {
                return columns_of<std::int64_t, std::int64_t, std::int64_t, float, std::uint8_t>(
                    list, [&](const Listed<SceneImpact>& one) {
                        const SceneImpact& impact = one.found;
                        return std::tuple(index(one.query), index(impact.target.instance_index),
                                          index(impact.target.triangle_index), impact.t,
                                          static_cast<std::uint8_t>(impact.axis));
                    });
            };
            return py::make_tuple(pairs(candidate_pairs),
                                  columns_of<std::int64_t, std::int64_t, float, std::uint8_t>(
                                      impacts,
                                      [&](const StageImpact& one) {
                                          return std::tuple(index(one.target.first), index(one.target.second),
                                                            one.t, static_cast<std::uint8_t>(one.face));
                                      }),
                                  hits(ray_hits), hits(cast_hits), hits(sphere_cast_hits),
                                  pairs(box_overlaps), pairs(sphere_overlaps), pairs(obb_overlaps),
                                  columns_of<std::int64_t, std::int64_t, float, std::uint8_t>(
                                      triangle_impacts,
                                      [&](const StageTriangleImpact& one) {
                                          return std::tuple(index(one.obb), index(one.triangle), one.toi,
                                                            static_cast<std::uint8_t>(one.axis));
                                      }),
                                  mesh_columns(mesh_hits), impact_columns(mesh_impacts),
                                  mesh_columns(scene_hits), impact_columns(scene_impacts),
                                  mover_columns(movers), hash, seconds);
        }

        template <class Item>
        static std::vector<Item> list(std::span<const Item> items) {
            return {items.begin(), items.end()};
        }

        std::vector<IndexPair> candidate_pairs;
        std::vector<StageImpact> impacts;
        std::vector<Listed<TreeHit>> ray_hits;
        std::vector<Listed<TreeHit>> cast_hits;
        std::vector<Listed<TreeHit>> sphere_cast_hits;
        std::vector<IndexPair> box_overlaps;
        std::vector<IndexPair> sphere_overlaps;
        std::vector<IndexPair> obb_overlaps;
        std::vector<StageTriangleImpact> triangle_impacts;
        std::vector<Listed<SceneHit>> mesh_hits;
        std::vector<Listed<SceneImpact>> mesh_impacts;
        std::vector<Listed<SceneHit>> scene_hits;
        std::vector<Listed<SceneImpact>> scene_impacts;
        std::vector<MoverResult> movers;
        std::uint64_t hash = 0;
        double seconds = 0;
    };

    ReadWriteLock lock_;
    CollisionStage stage_;
};

}  // namespace

void bind_stage(py::module_& module) {
    py::class_<Stage>(module, "Stage").def(py::init<>()).def("step", &Stage::step);
}

}  // namespace broadside::python
