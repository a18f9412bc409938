// Shapes against a mesh: the triangles that they overlap.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/motions.hpp"
#include "narrowphase/src/mesh/batch.hpp"
#include "narrowphase/src/mesh/box_triangle_exact.hpp"
#include "narrowphase/src/mesh/cast_query.hpp"
#include "narrowphase/src/mesh/shape_triangle_scalar.hpp"
#include "narrowphase/src/mesh/sinks.hpp"
#include "narrowphase/src/obb/kernels.hpp"

#include <algorithm>

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::for_each_leaf;
using narrowphase::MeshKernels;
using narrowphase::MeshView;
using narrowphase::ObbTriangleKernels;
using narrowphase::VisitingSink;

namespace {

// Calls `visit(slot)` for the slots that a shape overlaps, until it returns false.
template <class Visit>
void for_each_overlap(const MeshKernels& kernels, const MeshView& mesh, const Sphere& sphere, Visit&& visit) {
    if (mesh.is_empty() || !is_valid(sphere)) return;
    VisitingSink sink(visit);
    kernels.sphere_slots(mesh, sphere, sink);
    sink.finish();
}
template <class Visit>
void for_each_overlap(const MeshKernels& kernels, const MeshView& mesh, const Obb& obb, Visit&& visit) {
    if (!is_valid(obb)) return;
    const auto& obb_kernels = *simd::active_kernels<ObbTriangleKernels>();
    for_each_leaf(kernels, mesh, obb, {},
                  [&](const narrowphase::MeshLeaf& leaf, std::uint32_t count, std::uint32_t first_slot) {
                      std::uint64_t bits = 0;
                      obb_kernels.overlap(obb, leaf.view(count), &bits);
                      for (; bits != 0; bits &= bits - 1) {
                          const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(bits));
                          if (!visit(first_slot + lane)) return false;
                      }
                      return true;
                  });
}

// Visits the triangles with boxes that meet `reach` for which `is_met(triangle)` is true.
template <class IsMet, class Visit>
void for_each_met(const MeshKernels& kernels, const MeshView& mesh, const Aabb& reach, IsMet&& is_met,
                  Visit&& visit) {
    if (mesh.is_empty()) return;
    VisitingSink sink([&](std::uint32_t slot) { return !is_met(mesh.triangle_at(slot)) || visit(slot); });
    kernels.box_slots(mesh, reach, sink);
    sink.finish();
}
template <class Visit>
void for_each_overlap(const MeshKernels& kernels, const MeshView& mesh, const Aabb& box, Visit&& visit) {
    if (!is_valid(box)) return;
    for_each_met(
        kernels, mesh, box,
        [&](const Triangle& triangle) { return narrowphase::overlap_exact(box, triangle); }, visit);
}
template <class Visit>
void for_each_overlap(const MeshKernels& kernels, const MeshView& mesh, const Capsule& capsule,
                      Visit&& visit) {
    if (!is_valid(capsule)) return;
    for_each_met(
        kernels, mesh, narrowphase::padded_bounds(capsule, {}, mesh),
        [&](const Triangle& triangle) { return narrowphase::overlap_scalar(capsule, triangle); }, visit);
}

template <class Shape>
WriteResult find_all(const MeshView& mesh, std::span<const Shape> shapes, const TaskRunner* runner,
                     MeshScratch& scratch, std::span<IndexPair> out_pairs) {
    return list_found(
        BatchCall().readable(shapes).runner(runner), shapes, scratch.hits, out_pairs,
        [&](const MeshKernels& kernels, const Shape& shape) {
            bool has_memory = true;
            for_each_overlap(kernels, mesh, shape, [&](std::uint32_t slot) {
                has_memory = scratch.hits.push_back(mesh.index_at(slot));
                return has_memory;
            });
            std::sort(scratch.hits.begin(), scratch.hits.end());
            return has_memory;
        },
        [](std::uint32_t i, std::uint32_t triangle) {
            return IndexPair{i, triangle};
        });
}

template <class Shape>
bool has_any(const MeshKernels& kernels, const MeshView& mesh, const Shape& shape) {
    bool is_met = false;
    for_each_overlap(kernels, mesh, shape, [&](std::uint32_t) {
        is_met = true;
        return false;
    });
    return is_met;
}

template <class Shape>
bool has_any(const MeshView& mesh, const Shape& shape) {
    const auto* kernels = simd::active_kernels<MeshKernels>();
    return kernels != nullptr && has_any(*kernels, mesh, shape);
}

// Looks for what the shapes of one motion overlap, see first_met.
template <class Shape>
class MeshMotionSearch {
public:
    MeshMotionSearch(const MeshKernels& kernels, const MeshView& mesh, const Shape* shapes)
        : kernels_(kernels), mesh_(mesh), shapes_(shapes) {}

    MotionReach reach(std::size_t i) const {
        if constexpr (std::is_same_v<Shape, Obb>) {
            const narrowphase::GroupFilter filter = narrowphase::make_group_filter(shapes_[i], {});
            return {{filter.min, filter.max}, 0.0f};
        } else {
            return reach_of(shapes_[i]);
        }
    }
    bool look_around(const Aabb& bounds) const { return is_near(bounds); }
    bool is_near(const Aabb& bounds) const {
        if (mesh_.is_empty()) return false;
        // The first ends the walk.
        std::uint32_t found;
        narrowphase::SlotSink sink = {&found, 0, 1, [](narrowphase::SlotSink&) { return false; }};
        if constexpr (std::is_same_v<Shape, Obb>) {
            kernels_.leaves(mesh_, {bounds.min, bounds.max}, sink);
        } else {
            kernels_.box_slots(mesh_, narrowphase::padded_bounds({bounds.min, bounds.max, 0.0f}, {}, mesh_),
                               sink);
        }
        return sink.count != 0;
    }
    bool is_met(std::size_t i) const { return has_any(kernels_, mesh_, shapes_[i]); }

private:
    const MeshKernels& kernels_;
    const MeshView& mesh_;
    const Shape* shapes_;
};

}  // namespace

WriteResult TriangleMesh::find_overlaps(const MeshShapes& shapes, const TaskRunner* runner,
                                        MeshScratch& scratch, std::span<IndexPair> out_pairs) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    shapes.visit([&](auto list) { result = find_all(view(), list, runner, scratch, out_pairs); });
    return result;
}

BatchResult TriangleMesh::any_overlap(const MeshShapes& shapes, const TaskRunner* runner,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    shapes.visit([&](auto list) {
        result = ask_bits(BatchCall(), view(), list, runner, out_bits,
                          [](const auto&... of) { return has_any(of...); });
    });
    return result;
}

bool TriangleMesh::any_overlap(const MeshShape& shape) const noexcept {
    const FloatEnvironment environment;
    bool is_met = false;
    shape.visit([&](auto list) { is_met = has_any(view(), list[0]); });
    return FloatEnvironment::result(is_met);
}

BatchResult TriangleMesh::first_overlaps(const MeshShapes& shapes, std::uint32_t shapes_per_state,
                                         const TaskRunner* runner,
                                         std::span<std::uint32_t> out_first) const noexcept {
    const FloatEnvironment environment;
    if (!check_array(shapes.data(), shapes.size(), 1) ||
        !check_motions(shapes.size(), shapes_per_state, out_first))
        return {Status::invalid_argument};
    return BatchCall().runner(runner).run<MeshKernels>([&](const auto& kernels) {
        const MeshView mesh = view();
        shapes.visit([&]<class Shape>(std::span<const Shape> list) {
            write_first_met(runner, list.size(), shapes_per_state, out_first, [&](std::size_t begin) {
                return MeshMotionSearch<Shape>(kernels, mesh, list.data() + begin);
            });
        });
    });
}

}  // namespace broadside
