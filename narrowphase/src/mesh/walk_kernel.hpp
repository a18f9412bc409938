// The walk down the tree of a mesh: the nearest child of each node at once, as the tree of boxes is walked.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::narrowphase {

/// The children of a node that the walk has yet to go to.
template <class Arch>
struct MeshFrame {
    nodes::NodeFloats<Arch> keys;
    const std::uint32_t* children;
    std::uint32_t rest;
};

/// A walk that comes to nodes and leaves in about the order of their keys, and to none whose key is above `limit`
/// when its turn comes.
template <class Arch>
struct MeshWalk {
    MeshFrame<Arch> frames[kMeshLevelCount];
    MeshFrame<Arch>* frame;
    std::uint32_t child;
    float limit;

    BROADSIDE_FORCE_INLINE void begin(const MeshView& mesh, float first_limit) {
        frame = frames;
        child = mesh.root;
        limit = first_limit;
    }
    BROADSIDE_FORCE_INLINE bool is_at_leaf() const { return is_mesh_leaf(child); }

    /// `test(planes, limit, keys)` gives the lanes that are to be gone to, and their keys.
    template <class Test>
    BROADSIDE_FORCE_INLINE void enter_node(const MeshView& mesh, Test&& test) {
        const MeshNode& node = mesh.nodes[child];
        frame->rest = test(node.planes, limit, frame->keys);
        frame->children = node.children;
        ++frame;
    }
    /// On to the next; false when there is none.
    BROADSIDE_FORCE_INLINE bool next(const MeshView& mesh) {
        std::uint32_t rest;
        do {
            if (frame == frames) return false;
            --frame;
            rest = frame->rest & nodes::lanes_within<Arch>(frame->keys, limit);
        } while (rest == 0);
        // Mostly there is but one.
        const std::uint32_t after_first = rest & (rest - 1);
        const std::uint32_t lane = after_first == 0 ? static_cast<std::uint32_t>(__builtin_ctz(rest))
                                                    : nodes::nearest_lane<Arch>(frame->keys, rest);
        frame->rest = rest & ~(1u << lane);
        child = frame->children[lane];
        ++frame;
        fetch(mesh);
        return true;
    }

private:
    /// What is looked at next: other walks come first, or it takes the place of waiting for one line after the
    /// other. As many lines of a leaf as of a node, so that nothing is counted; the processor fetches the rest.
    BROADSIDE_FORCE_INLINE void fetch(const MeshView& mesh) const {
        const char* const bytes = is_at_leaf()
                                      ? reinterpret_cast<const char*>(mesh.leaves + leaf_index(child))
                                      : reinterpret_cast<const char*>(mesh.nodes + child);
        static_assert(sizeof(MeshNode) <= sizeof(MeshLeaf));
        for (std::size_t line = 0; line < sizeof(MeshNode); line += 64) __builtin_prefetch(bytes + line);
    }
};

}  // namespace broadside::narrowphase
