// Movers.
#include "bindings/javascript/exports/exports.hpp"
#include "bindings/javascript/exports/mesh.hpp"
#include "bindings/javascript/exports/tree.hpp"

using namespace broadside;
using namespace broadside::javascript;

namespace {

// The meshes of the last call.
AlignedArray<const TriangleMesh*> mover_meshes;

}  // namespace

/// Takes the settings as seven numbers, in the order of MoverSettings. A null tree or scene is none.
BROADSIDE_EXPORT(movers_step)
std::uint32_t movers_step(const Mover* movers, std::size_t count, const Tree* boxes,
                          const Mesh* const* meshes, std::size_t mesh_count, const Scene* scene,
                          const float* settings, std::uint32_t max_iterations, MoverResult* out_results) {
    if (!mover_meshes.resize(mesh_count)) return code(Status::out_of_memory);
    for (std::size_t i = 0; i < mesh_count; ++i) mover_meshes[i] = &meshes[i]->mesh;
    const MoverObstacles obstacles = {.boxes = boxes == nullptr ? nullptr : &boxes->tree,
                                      .meshes = {mover_meshes.data(), mesh_count},
                                      .scene = scene == nullptr ? nullptr : &scene->scene};
    const MoverSettings how = {.up = {settings[0], settings[1], settings[2]},
                               .min_ground_cosine = settings[3],
                               .step_height = settings[4],
                               .stick_distance = settings[5],
                               .contact_offset = settings[6],
                               .max_iterations = max_iterations};
    return batch_result(step_movers(std::span(movers, count), obstacles, how, std::span(out_results, count)));
}

// The layouts that src/movers.js reads and writes.
static_assert(sizeof(Mover) == 52 && offsetof(MoverShape, half_extent) == 4 &&
              offsetof(MoverShape, radius) == 16 && offsetof(Mover, position) == 24 &&
              offsetof(Mover, displacement) == 36 && offsetof(Mover, ignored_box) == 48);
static_assert(sizeof(MoverResult) == 44 && offsetof(MoverResult, status) == 12 &&
              offsetof(MoverResult, is_grounded) == 13 && offsetof(MoverResult, iteration_count) == 16 &&
              offsetof(MoverResult, ground_normal) == 20 && offsetof(MoverResult, wall_normal) == 32);
