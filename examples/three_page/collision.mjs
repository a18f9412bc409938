// Collision for a scene of three.js: rays find objects, and a character walks among them.

/** Makes a MeshScene of all meshes below `root`, which have one scale for all directions each. */
export function makeCollision({ TriangleMesh, MeshScene, stepMovers }, root) {
    root.updateMatrixWorld(true);
    const objects = [];
    root.traverse((object) => {
        if (object.isMesh) objects.push(object);
    });
    // Objects that share a geometry share a mesh.
    const meshes = new Map();
    for (const { geometry } of objects) {
        if (meshes.has(geometry)) continue;
        meshes.set(geometry, new TriangleMesh(geometry.attributes.position.array, geometry.index?.array));
    }
    const transforms = () => objects.flatMap((object) => object.matrixWorld.elements);
    const scene = new MeshScene(objects.map((object) => meshes.get(object.geometry)), transforms());
    const settings = { up: [0, 1, 0], stepHeight: 0.3, stickDistance: 0.3 };

    return {
        /** The first object on a THREE.Ray, its distance and its triangle, or null. */
        pick({ origin, direction }) {
            const hit = scene.closestHit(origin.toArray(), direction.toArray());
            return hit && { object: objects[hit.instance], distance: hit.t, triangle: hit.triangle };
        },
        /** Moves a capsule, 1.8 high and 0.6 wide, whose center is a THREE.Vector3. True if it stands on ground. */
        walk(center, displacement) {
            const capsule = { positions: center.toArray(), displacements: displacement.toArray(), radii: 0.3, halfLengths: 0.6 };
            const { positions, isGrounded } = stepMovers(capsule, { scene }, settings);
            center.fromArray(positions);
            return isGrounded[0] === 1;
        },
        /** Call this after objects have moved. */
        update() {
            root.updateMatrixWorld(true);
            scene.update(transforms());
        },
    };
}
