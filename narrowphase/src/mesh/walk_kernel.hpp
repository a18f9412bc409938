// The walk down the tree of a mesh, nearest child of each node first, as the tree of boxes is walked.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::narrowphase {

/// A child to go to: the bits of its key, the lowest ones replaced by its lane. Keys are not negative, so
/// entries are ordered as keys are; keys a millionth apart count as equal.
inline constexpr std::int32_t kNoEntry = 0x7FFFFFFF;

BROADSIDE_FORCE_INLINE std::int32_t entry_of(float key, std::uint32_t lane) {
    return static_cast<std::int32_t>((__builtin_bit_cast(std::uint32_t, key) & ~nodes::kLaneBits) | lane);
}
/// No entry of a key up to `limit` is above this; if `limit` is negative, all entries are.
BROADSIDE_FORCE_INLINE std::int32_t last_entry(float limit) {
    return static_cast<std::int32_t>(__builtin_bit_cast(std::uint32_t, limit) | nodes::kLaneBits);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> entries_of(simd::FloatW<Arch> keys, std::uint32_t first_lane) {
    using namespace simd;
    return (as_int(keys) & broadcast_int<Arch>(~static_cast<std::int32_t>(nodes::kLaneBits))) |
           (lane_index<Arch>() + broadcast_int<Arch>(static_cast<std::int32_t>(first_lane)));
}

/// Result of a node test: the lanes to go to and the least entry. The test writes the entries of these lanes,
/// and kNoEntry for the others.
struct WayDown {
    std::uint32_t lanes;
    std::int32_t nearest;
};

template <class Arch>
BROADSIDE_FORCE_INLINE std::int32_t nearest_of(const std::int32_t* entries) {
    using namespace simd;
    IntW<Arch> nearest = load_unaligned_int<Arch>(entries);
    for (std::uint32_t first = Arch::kLanes; first < kNodeWidth; first += Arch::kLanes)
        nearest = min(load_unaligned_int<Arch>(entries + first), nearest);
    return smallest(nearest);
}

/// The way down from keys and a mask of lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE WayDown way_down(const nodes::NodeFloats<Arch>& keys, std::uint32_t lanes,
                                        std::int32_t* out_entries) {
    using namespace simd;
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        store_unaligned(out_entries + first, select(lanes_of<Arch>(lanes >> first),
                                                    entries_of<Arch>(keys.group[first / Arch::kLanes], first),
                                                    broadcast_int<Arch>(kNoEntry)));
    }
    return {lanes, nearest_of<Arch>(out_entries)};
}

/// Tests for go_down: of shapes that have keys, and of shapes that have none.
template <class Arch, class Shape>
BROADSIDE_FORCE_INLINE auto by_keys(const Shape& shape) {
    return [&shape](const float* node, float limit, std::int32_t* out_entries) {
        nodes::NodeFloats<Arch> keys;
        const std::uint32_t lanes = shape.test(node, limit, keys);
        return way_down<Arch>(keys, lanes, out_entries);
    };
}
template <class Arch, class Shape>
BROADSIDE_FORCE_INLINE auto by_lanes(const Shape& shape) {
    return [&shape](const float* node, float, std::int32_t* out_entries) {
        const nodes::NodeFloats<Arch> keys = {};
        return way_down<Arch>(keys, shape.test(node), out_entries);
    };
}

/// A walk that visits nodes and leaves in about the order of their keys. It skips one whose key is above
/// `limit` when its turn comes, to within a millionth.
template <class Arch>
struct MeshWalk {
    /// The entries of nodes on the path that have children left to visit.
    alignas(64) std::int32_t entries[kMeshLevelCount][kNodeWidth];
    struct Level {
        const std::uint32_t* children;
        std::uint32_t lanes;
    };
    Level levels[kMeshLevelCount];
    std::uint32_t depth;
    std::uint32_t child;
    float limit;

    BROADSIDE_FORCE_INLINE void begin(const MeshView& mesh, float first_limit) {
        depth = 0;
        child = mesh.root;
        limit = first_limit;
    }
    /// As above, but visits a leaf first; the root is then the rest of the walk.
    BROADSIDE_FORCE_INLINE void begin_at(const MeshView& mesh, std::uint32_t leaf, float first_limit) {
        for (std::uint32_t lane = 1; lane < kNodeWidth; ++lane) entries[0][lane] = kNoEntry;
        entries[0][0] = entry_of(0.0f, 0);
        levels[0] = {&mesh.root, 1u};
        depth = 1;
        child = leaf;
        limit = first_limit;
    }
    BROADSIDE_FORCE_INLINE bool is_at_leaf() const { return is_mesh_leaf(child); }
    BROADSIDE_FORCE_INLINE bool has_ways_left() const { return depth != 0; }

    /// Goes to the nearest child of the node; false if there is none to go to. `test(planes, limit, entries)`
    /// returns the way down.
    template <class Test>
    BROADSIDE_FORCE_INLINE bool go_down(const MeshView& mesh, Test&& test) {
        const MeshNode& node = mesh.nodes[child];
        const WayDown way = test(node.planes, limit, entries[depth]);
        levels[depth].children = node.children;
        go_to(mesh, depth, way.nearest, way.lanes);
        return way.lanes != 0;
    }
    /// Goes to the nearest remaining child of the lowest node on the path that has any; false if none of its
    /// children is within the limit.
    BROADSIDE_FORCE_INLINE bool go_up(const MeshView& mesh) {
        --depth;
        const std::int32_t nearest = nearest_of<Arch>(entries[depth]);
        if (nearest > last_entry(limit)) return false;
        go_to(mesh, depth, nearest, levels[depth].lanes);
        return true;
    }
    /// Goes on from a leaf, or from a node without a way down; false if nothing is left.
    BROADSIDE_FORCE_INLINE bool next(const MeshView& mesh) {
        while (has_ways_left()) {
            if (go_up(mesh)) return true;
        }
        return false;
    }

private:
    /// kNoEntry selects the last lane, which exists in every node.
    BROADSIDE_FORCE_INLINE void go_to(const MeshView& mesh, std::uint32_t level, std::int32_t entry,
                                      std::uint32_t lanes) {
        const std::uint32_t lane = static_cast<std::uint32_t>(entry) & nodes::kLaneBits;
        const std::uint32_t rest = lanes & ~(1u << lane);
        child = levels[level].children[lane];
        entries[level][lane] = kNoEntry;
        levels[level].lanes = rest;
        depth = level + (rest != 0 ? 1u : 0u);
        fetch(mesh);
    }
    /// Prefetches the next node or leaf. Either other walks run first, or its lines at least arrive together
    /// instead of one after the other. Fetches as many lines of a leaf as of a node; the processor fetches
    /// the rest. Without a branch, because it could not be predicted.
    BROADSIDE_FORCE_INLINE void fetch(const MeshView& mesh) const {
        const auto nodes = reinterpret_cast<std::size_t>(mesh.nodes);
        const auto leaves = reinterpret_cast<std::size_t>(mesh.leaves);
        const std::size_t if_leaf = std::size_t{0} - (child >> 31);
        const std::size_t begin = nodes + ((leaves - nodes) & if_leaf);
        const std::size_t size = sizeof(MeshNode) + ((sizeof(MeshLeaf) - sizeof(MeshNode)) & if_leaf);
        const std::size_t index = (child & ~kMeshLeafBit) >> (if_leaf & 4u);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is read there.
        const auto* const bytes = reinterpret_cast<const char*>(begin + index * size);
        static_assert(sizeof(MeshNode) <= sizeof(MeshLeaf));
        for (std::size_t line = 0; line < sizeof(MeshNode); line += 64) __builtin_prefetch(bytes + line);
    }
};

}  // namespace broadside::narrowphase
