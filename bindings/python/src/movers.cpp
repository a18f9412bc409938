// step_movers.
#include "movers.hpp"

namespace broadside::python {
namespace {

py::tuple step(const FloatRows& rows, const py::array_t<std::uint8_t, py::array::c_style>& forms,
               const py::array_t<std::int64_t, py::array::c_style>& ignored, py::handle tree,
               const py::list& meshes, py::handle scene, const py::tuple& fields, std::uint32_t workers) {
    const std::vector<Mover> movers = movers_of(rows, forms, ignored);
    std::vector<std::shared_ptr<const TriangleMesh>> owners;
    const std::vector<const TriangleMesh*> pointers = meshes_of(meshes, owners);
    const CallRunner runner(workers);
    MoverSettings settings = mover_settings_of(fields);
    settings.runner = runner.get();
    const ReadTree with_tree = read_tree(tree);
    const ReadScene with_scene = read_scene(scene);
    std::vector<MoverResult> results(movers.size());
    {
        const py::gil_scoped_release without_gil;
        with_tree([&](const BoxTree* boxes) {
            with_scene([&](const MeshScene* placed) {
                check(step_movers(movers, {boxes, pointers, placed}, settings, results).status);
            });
        });
    }
    return mover_columns(results);
}

}  // namespace

void bind_movers(py::module_& module) { module.def("step_movers", &step); }

}  // namespace broadside::python
