// Finds triangles of a mesh whose boxes a box overlaps, at rest or moving, and leaves for oriented boxes.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"
#include "narrowphase/src/obb/triangle_clusters.hpp"

namespace broadside::narrowphase {

/// The boxes of a leaf's triangles, laid out as the child boxes of a node.
struct alignas(64) LeafBoxes {
    float planes[kNodeFloats];
};
template <class Arch>
BROADSIDE_FORCE_INLINE void box_triangles(const MeshLeaf& leaf, LeafBoxes& out_boxes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float* const a = leaf.corners[axis];
        const float* const b = leaf.corners[axis + 3];
        const float* const c = leaf.corners[axis + 6];
        float* const min = out_boxes.planes + (nodes::kMinX + axis) * kNodeWidth;
        float* const max = out_boxes.planes + (nodes::kMaxX + axis) * kNodeWidth;
        using namespace simd;
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
            const FloatW<Arch> a_w = load_aligned<Arch>(a + first);
            const FloatW<Arch> b_w = load_aligned<Arch>(b + first);
            const FloatW<Arch> c_w = load_aligned<Arch>(c + first);
            store_unaligned(min + first, min_keep(min_keep(a_w, b_w), c_w));
            store_unaligned(max + first, max_keep(max_keep(a_w, b_w), c_w));
        }
    }
}

template <class Arch>
void box_slots_kernel(const MeshView& mesh, const Aabb& box, SlotSink& state_sink) {
    const nodes::BoxShape<Arch> shape{nodes::BoxQuery(box)};
    MeshWalk<Arch> walk;
    walk.begin(mesh, 0.0f);
    for (bool is_on = true; is_on;) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, by_lanes<Arch>(shape)) || walk.next(mesh);
            continue;
        }
        const std::uint32_t index = leaf_index(walk.child);
        LeafBoxes boxes;
        box_triangles<Arch>(mesh.leaves[index], boxes);
        std::uint32_t lanes = shape.test(boxes.planes) & ((2u << (leaf_count(walk.child) - 1)) - 1);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            if (!take(state_sink, index * kNodeWidth + lane)) return;
        }
        is_on = walk.next(mesh);
    }
}

template <class Arch>
void cast_kernel(const MeshView& mesh, const nodes::SphereQuery& box, CastVisitor& state_visitor) {
    const nodes::SphereShape<Arch> shape(box);
    MeshWalk<Arch> walk;
    walk.begin(mesh, box.slabs.t_max);
    for (bool is_on = true; is_on;) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, by_keys<Arch>(shape)) || walk.next(mesh);
            continue;
        }
        const MeshLeaf& leaf = mesh.leaves[leaf_index(walk.child)];
        LeafBoxes boxes;
        box_triangles<Arch>(leaf, boxes);
        nodes::NodeFloats<Arch> keys;
        const std::uint32_t lanes =
            shape.test(boxes.planes, walk.limit, keys) & ((2u << (leaf_count(walk.child) - 1)) - 1);
        if (lanes != 0) walk.limit = state_visitor.visit(state_visitor, leaf, lanes, walk.limit);
        is_on = walk.next(mesh);
    }
}

/// The children of a node as groups of triangles.
template <class Arch>
struct GroupShape {
    GroupFilter filter;

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        return nodes::join_groups<Arch>([&](std::uint32_t first) {
            const auto row = [&](std::size_t index) {
                return simd::load_aligned<Arch>(nodes::node_row(node, index) + first);
            };
            return may_meet<Arch>(filter, {{row(nodes::kMinX), row(nodes::kMinY), row(nodes::kMinZ)},
                                           {row(nodes::kMaxX), row(nodes::kMaxY), row(nodes::kMaxZ)}});
        });
    }
};

template <class Arch>
void leaves_kernel(const MeshView& mesh, const GroupFilter& filter, SlotSink& state_sink) {
    const GroupShape<Arch> shape{filter};
    MeshWalk<Arch> walk;
    walk.begin(mesh, 0.0f);
    for (bool is_on = true; is_on;) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, by_lanes<Arch>(shape)) || walk.next(mesh);
            continue;
        }
        if (!take(state_sink, walk.child)) return;
        is_on = walk.next(mesh);
    }
}

}  // namespace broadside::narrowphase
