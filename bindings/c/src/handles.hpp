// The handles that more than one source uses.
#pragma once

#include "bindings/c/src/memory.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/clash.hpp>
#include <broadside/mesh.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/placed_mesh.hpp>
#include <broadside/world_query.hpp>

struct broadside_box_array {
    explicit broadside_box_array(const broadside_allocator& hooks)
        : memory(hooks), boxes(memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::BoxSoa boxes;
};

struct broadside_tree {
    explicit broadside_tree(const broadside_allocator& hooks) : memory(hooks), tree(memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::BoxTree tree;
};

struct broadside_mesh {
    explicit broadside_mesh(const broadside_allocator& hooks) : memory(hooks), mesh(memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::TriangleMesh mesh;
};

struct broadside_scene {
    explicit broadside_scene(const broadside_allocator& hooks)
        : memory(hooks), scene(memory.allocator()), placed(memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::MeshScene scene;
    // The meshes behind the caller's handles, during a build.
    broadside::AlignedArray<broadside::PlacedMesh> placed;
};

struct broadside_query_lists {
    explicit broadside_query_lists(const broadside_allocator& hooks)
        : memory(hooks),
          scratch(memory.allocator()),
          mesh(memory.allocator()),
          pairs(memory.allocator()),
          hits(memory.allocator()),
          world_overlaps(memory.allocator()),
          world_hits(memory.allocator()),
          placed_a(memory.allocator()),
          placed_b(memory.allocator()),
          clashes(memory.allocator()),
          meshes(memory.allocator()) {}

    broadside::c::Memory memory;
    broadside::BoxScratch scratch;
    broadside::MeshScratch mesh;
    broadside::PairBuffer pairs;
    broadside::AlignedArray<broadside::Listed<broadside::TreeHit>> hits;
    broadside::AlignedArray<broadside::Listed<broadside::ObjectHandle>> world_overlaps;
    broadside::AlignedArray<broadside::Listed<broadside::WorldHit>> world_hits;
    // The meshes behind the caller's handles.
    broadside::AlignedArray<broadside::PlacedMesh> placed_a;
    broadside::AlignedArray<broadside::PlacedMesh> placed_b;
    broadside::AlignedArray<broadside_clash> clashes;
    broadside::AlignedArray<const broadside::TriangleMesh*> meshes;
};
