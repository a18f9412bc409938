// The kernels of mesh against mesh as function pointers.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh_pairs/distance_search.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"

namespace broadside::narrowphase {

/// The results and the limit of a search.
struct TrianglePairSink {
    /// Receives the placed triangles of a pair whose boxes meet; returns false to end the search.
    bool (*meet)(TrianglePairSink& self, const Triangle& a, const Triangle& b, std::uint32_t index_a,
                 std::uint32_t index_b);
    /// For moving meshes: later times are not needed.
    float limit = 1.0f;
    bool has_ended = false;
    std::uint64_t box_tests = 0;
    std::uint64_t leaf_pairs = 0;
    std::uint64_t triangle_tests = 0;
};

/// Some of the triangles of a leaf.
struct LeafPart {
    const MeshLeaf* leaf;
    std::uint32_t count;
};

/// At most eight lanes wide, as MeshKernels.
struct MeshPairKernels {
    /// Walks down both trees of boxes. Neither mesh is empty.
    void (*walk)(const PlacedPair& pair, const MeshView& a, const MeshView& b, TrianglePairSink& state_sink);
    /// All pairs of the triangles of two leaves.
    void (*leaves)(const PlacedPair& pair, const LeafPart& a, const LeafPart& b,
                   TrianglePairSink& state_sink);
    /// Measures the triangles that may be the closest, mostly near ones first. Neither mesh is empty.
    void (*closest)(const PlacedPair& pair, const MeshView& a, const MeshView& b,
                    PairDistanceSearch& state_search);

    static const MeshPairKernels scalar, sse2, avx2, neon64, wasm128;
    static const MeshPairKernels& avx512;
};
inline constexpr const MeshPairKernels& MeshPairKernels::avx512 = MeshPairKernels::avx2;

}  // namespace broadside::narrowphase
