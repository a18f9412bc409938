// The objects behind a TriangleMesh and a MeshScene of JavaScript.
#pragma once

#include <broadside/broadside.hpp>

namespace broadside::javascript {

/// Lives as long as its JavaScript object or a scene refers to it.
struct Mesh {
    TriangleMesh mesh;
    MeshScratch scratch;
    AlignedArray<Listed<MeshHit>> hits;
    AlignedArray<Listed<MeshImpact>> impacts;
    AlignedArray<IndexPair> pairs;
    std::uint32_t user_count = 1;
};

struct Scene {
    Scene() = default;
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene();

    MeshScene scene;
    // The mesh of each instance.
    AlignedArray<Mesh*> meshes;
    MeshScratch scratch;
    AlignedArray<Listed<SceneHit>> hits;
    AlignedArray<Listed<SceneImpact>> impacts;
    AlignedArray<Listed<SceneTriangle>> overlaps;
    BoxScratch clash_scratch;
    AlignedArray<PlacedMesh> placed[2];
    AlignedArray<Clash> clashes;
};

}  // namespace broadside::javascript
