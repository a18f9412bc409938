// TriangleMesh, MeshScene and the clashes of scenes.
import { kLargestFloat, ofClass, oneOf, realNumber, refuse, shown } from './arguments.js';
import { kMeshShapes } from './queries.js';

const kSides = ['both', 'front'];
const kQualities = ['standard', 'fast'];
const kRelations = ['apart', 'near', 'aInB', 'bInA', 'touching', 'intersecting', 'duplicate'];
const kIndexOutOfRange = 3;
const kVertexNotFinite = 4;
const kTransformFloats = 12;
const kClosestTrianglesWords = 16;

export function makeMeshes(core, queries) {
    const { wasm, memory, rooms, check, checkBatch, resultAt, records, listOfRecords, listOfPairs } = core;
    const { roomOut, bitsOf, boxOf } = core;

    // The columns of impacts from a word of their records on.
    function impactsOf(hits, first, instanceWords) {
        const found = { t: hits.floats(first), triangle: hits.indices(first + 1 + instanceWords) };
        if (instanceWords === 1) found.instance = hits.indices(first + 1);
        const point = first + 2 + instanceWords;
        return Object.assign(found, { point: hits.vectors(point), normal: hits.vectors(point + 3) });
    }

    // The calls that meshes and scenes share. A record of a scene has the instance besides.
    class Surface extends core.Owner {
        constructor(address, free, calls, sides) {
            super(address, free);
            this._calls = calls;
            this._isFrontOnly = oneOf(kSides, sides, 'sides') === 1;
        }
        get bounds() {
            return boxOf((out) => this._calls.bounds(this._at, out));
        }
        _rays(rays) {
            const count = queries.rays(rays);
            queries.meshRules(this._isFrontOnly);
            return count;
        }
        anyHit(rays) {
            const count = this._rays(rays);
            return bitsOf(count, (out) => checkBatch(this._calls.anyHit(this._at, out)));
        }
        anyOverlap(shapes) {
            const count = queries.shapes(shapes, kMeshShapes);
            return bitsOf(count, (out) => checkBatch(this._calls.anyOverlap(this._at, out)));
        }
        contain(points) {
            const count = queries.points(points);
            return bitsOf(count, (out) => checkBatch(this._calls.contain(this._at, out)));
        }
        signedDistances(points) {
            const count = queries.points(points);
            const out = roomOut(count, 1);
            checkBatch(this._calls.signedDistances(this._at, out));
            return core.copyFloats(out, count);
        }
        _closestHits(rays, stride) {
            const count = this._rays(rays);
            const out = roomOut(count, stride);
            checkBatch(this._calls.closestHits(this._at, out));
            return records(out, count, stride);
        }
        closestHit(origin, direction, options) {
            const hits = this.closestHits(queries.oneRay(origin, direction, options));
            if (hits.triangle[0] < 0) return null;
            return Object.fromEntries(Object.entries(hits).map(([name, column]) => [name, column[0]]));
        }
        // First impacts of moving shapes, and all of them.
        _cast(casts, instanceWords) {
            const count = queries.meshCasts(casts);
            const stride = 9 + instanceWords;
            const out = roomOut(count, stride);
            checkBatch(this._calls.closestImpacts(this._at, out));
            return impactsOf(records(out, count, stride), 0, instanceWords);
        }
        _castAll(casts, instanceWords) {
            queries.meshCasts(casts);
            check(this._calls.findImpacts(this._at));
            const hits = listOfRecords(10 + instanceWords);
            return Object.assign({ query: hits.words(0) }, impactsOf(hits, 1, instanceWords));
        }
        _closestPoints(points, stride) {
            const count = queries.points(points);
            const out = roomOut(count, stride);
            checkBatch(this._calls.closestPoints(this._at, out));
            return records(out, count, stride);
        }
    }

    const callsOf = (name) => ({
        bounds: wasm[`${name}_bounds`],
        closestHits: wasm[`${name}_closest_hits`],
        anyHit: wasm[`${name}_any_hit`],
        anyOverlap: wasm[`${name}_any_overlap`],
        closestImpacts: wasm[`${name}_closest_impacts`],
        findImpacts: wasm[`${name}_find_impacts`],
        closestPoints: wasm[`${name}_closest_points`],
        contain: wasm[`${name}_contain`],
        signedDistances: wasm[`${name}_signed_distances`],
    });
    const ofMesh = callsOf('mesh');
    const ofScene = callsOf('scene');

    // Whole numbers as unsigned words. Others become an index that no mesh has.
    function indicesOf(indices, positions) {
        if (indices === undefined || indices === null) return Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
        if (indices.length === undefined) refuse(`indices is ${shown(indices)}, not a list`);
        if (indices instanceof Uint32Array || indices instanceof Uint16Array || indices instanceof Uint8Array) return indices;
        return Uint32Array.from(indices, (value, i) => {
            if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
                refuse(`indices[${i}] is ${shown(value)}, not an index of ${positions.length / 3} vertices`);
            }
            return value;
        });
    }

    class TriangleMesh extends Surface {
        constructor(positions = [], indices, { sides = 'both', quality = 'standard' } = {}) {
            super(wasm.mesh_new(), wasm.mesh_delete, ofMesh, sides);
            const vertices = core.placeFloats(rooms.a, positions, 3, 'positions');
            const list = indicesOf(indices, positions);
            if (list.length % 3 !== 0) refuse(`indices: not three for each triangle (length ${list.length})`);
            const address = core.placeWords(rooms.b, list);
            const isFast = oneOf(kQualities, quality, 'quality') === 1;
            const status = wasm.mesh_build(this._at, vertices.address, vertices.count, address, list.length, isFast);
            checkBatch(status, (bad) => {
                if (resultAt(1) === kIndexOutOfRange) return `indices[${bad}] is ${list[bad]} of ${vertices.count} vertices`;
                if (resultAt(1) !== kVertexNotFinite) return 'no mesh';
                return `positions at ${3 * bad} are [${Array.from(positions).slice(3 * bad, 3 * bad + 3)}], not finite`;
            });
        }
        static restore(snapshot, options) {
            const address = core.placeBytes(rooms.c, snapshot, 'snapshot');
            const mesh = new TriangleMesh([], [], options);
            check(wasm.mesh_restore(mesh._at, address, snapshot.length));
            return mesh;
        }
        save() {
            return core.saved(this._at, wasm.mesh_snapshot_bytes, wasm.mesh_save);
        }
        get triangleCount() {
            return wasm.mesh_triangle_count(this._at);
        }
        get degenerateCount() {
            return wasm.mesh_degenerate_count(this._at);
        }
        triangle(index) {
            core.index(index, this.triangleCount, 'index');
            const out = roomOut(1, 9);
            wasm.mesh_triangle(this._at, index, out);
            return Array.from(core.copyFloats(out, 9));
        }
        closestHits(rays) {
            const hits = this._closestHits(rays, 4);
            return { t: hits.floats(0), triangle: hits.indices(3), u: hits.floats(1), v: hits.floats(2) };
        }
        findHits(rays) {
            this._rays(rays);
            check(wasm.mesh_find_hits(this._at));
            const hits = listOfRecords(5);
            return {
                query: hits.words(0), triangle: hits.words(4), t: hits.floats(1), u: hits.floats(2), v: hits.floats(3),
            };
        }
        findOverlaps(shapes) {
            queries.shapes(shapes, kMeshShapes);
            check(wasm.mesh_find_overlaps(this._at));
            return listOfPairs();
        }
        firstOverlaps(shapes, options) {
            const count = queries.shapes(shapes, kMeshShapes);
            const { shapesPerState, motionCount } = queries.motions(options, count);
            const out = roomOut(motionCount, 1);
            checkBatch(wasm.mesh_first_overlaps(this._at, shapesPerState, out, motionCount));
            return core.copyWords(out, motionCount);
        }
        cast(casts) {
            return this._cast(casts, 0);
        }
        castAll(casts) {
            return this._castAll(casts, 0);
        }
        closestPoints(points) {
            const found = this._closestPoints(points, 5);
            return { point: found.vectors(0), distanceSq: found.floats(3), triangle: found.indices(4) };
        }
        closestTriangles(other, { maxDistance = Infinity, transform = kIdentity, otherTransform = kIdentity } = {}) {
            ofClass(other, TriangleMesh, 'other');
            realNumber(maxDistance, 'maxDistance', 0);
            const given = Object.entries({ transform, otherTransform }).flatMap(([name, matrix]) => {
                if (matrix?.length !== 16) refuse(`${name} is ${shown(matrix)}, not 16 numbers`);
                return Array.from(matrix);
            });
            const placed = placeTransforms(given, 2);
            const out = roomOut(1, kClosestTrianglesWords);
            const status = wasm.mesh_closest_triangles(this._at, other._at, placed, maxDistance, out);
            checkBatch(status, explainTransform(given));
            const found = records(out, 1, kClosestTrianglesWords);
            const [triangle] = found.words(1);
            if (triangle === 0xffffffff) return null;
            const [point, otherPoint] = [3, 6].map((offset) => Array.from(found.vectors(offset)));
            return { distance: found.floats(9)[0], triangle, otherTriangle: found.words(2)[0], point, otherPoint };
        }
    }

    // Matrices of 16 numbers, column by column, as rows of three numbers and a translation.
    function placeTransforms(transforms, count) {
        if (transforms?.length !== 16 * count) refuse(`transforms is ${shown(transforms)}, not 16 numbers for each of ${count} meshes`);
        const rows = new Float32Array(kTransformFloats * count);
        for (let i = 0; i < count; ++i) {
            const m = Array.from({ length: 16 }, (_, k) => transforms[16 * i + k]);
            if (m[3] !== 0 || m[7] !== 0 || m[11] !== 0 || m[15] !== 1) {
                refuse(`transforms: the last row of matrix ${i} is ${[m[3], m[7], m[11], m[15]]}, not 0,0,0,1 (columns come first)`);
            }
            rows.set([m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10], m[12], m[13], m[14]], kTransformFloats * i);
        }
        return core.placeFloats(rooms.a, rows, kTransformFloats, 'transforms').address;
    }
    const kIdentity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const explainTransform = (transforms) => (bad) =>
        `transforms: matrix ${bad} is [${Array.from(transforms).slice(16 * bad, 16 * bad + 16)}]; wanted a rotation or ` +
        'reflection, times one scale, and a translation that keep the mesh among the floats';

    class MeshScene extends Surface {
        constructor(meshes = [], transforms, { sides = 'both' } = {}) {
            super(wasm.scene_new(), wasm.scene_delete, ofScene, sides);
            const addresses = addressesOf(meshes);
            const given = transforms ?? Array.from(meshes).flatMap(() => kIdentity);
            const placed = placeTransforms(given, addresses.length);
            const status = wasm.scene_build(this._at, core.placeWords(rooms.b, addresses), placed, addresses.length);
            checkBatch(status, explainTransform(given));
        }
        update(transforms) {
            const count = this.instanceCount;
            checkBatch(wasm.scene_update(this._at, placeTransforms(transforms, count), count), explainTransform(transforms));
        }
        get instanceCount() {
            return wasm.scene_instance_count(this._at);
        }
        instanceBounds(index) {
            core.index(index, this.instanceCount, 'index');
            return boxOf((out) => wasm.scene_instance_bounds(this._at, index, out));
        }
        closestHits(rays) {
            const hits = this._closestHits(rays, 5);
            return {
                t: hits.floats(0), instance: hits.indices(3), triangle: hits.indices(4), u: hits.floats(1), v: hits.floats(2),
            };
        }
        findHits(rays) {
            this._rays(rays);
            check(wasm.scene_find_hits(this._at));
            const hits = listOfRecords(6);
            return {
                query: hits.words(0), instance: hits.words(4), triangle: hits.words(5),
                t: hits.floats(1), u: hits.floats(2), v: hits.floats(3),
            };
        }
        findOverlaps(shapes) {
            queries.shapes(shapes, kMeshShapes);
            check(wasm.scene_find_overlaps(this._at));
            const found = listOfRecords(3);
            return { query: found.words(0), instance: found.words(1), triangle: found.words(2) };
        }
        cast(casts) {
            return this._cast(casts, 1);
        }
        castAll(casts) {
            return this._castAll(casts, 1);
        }
        closestPoints(points) {
            const found = this._closestPoints(points, 6);
            return {
                point: found.vectors(0), distanceSq: found.floats(3), instance: found.indices(4), triangle: found.indices(5),
            };
        }
    }

    /** The addresses of meshes. */
    function addressesOf(meshes) {
        if (!Array.isArray(meshes)) refuse(`meshes is ${shown(meshes)}, not an array of TriangleMesh`);
        return meshes.map((mesh, i) => ofClass(mesh, TriangleMesh, `meshes[${i}]`)._at);
    }

    function findClashes(a, b, { clearance = 0, findContained = true } = {}) {
        ofClass(a, MeshScene, 'a');
        const other = b === undefined || b === null ? 0 : ofClass(b, MeshScene, 'b')._at;
        realNumber(clearance, 'clearance', 0, kLargestFloat);
        const status = wasm.scene_find_clashes(a._at, other, clearance, findContained ? 1 : 0);
        core.refresh();
        [2, 3].forEach((at, k) => {
            if (status !== 0 && resultAt(at) !== 0xffffffff) {
                refuse(`${'ab'[k]}: instance ${resultAt(at)} is outside of the floats as seen from another mesh`);
            }
        });
        check(status);
        const found = listOfRecords(3);
        const [first, second] = [found.words(0), found.words(1)];
        return {
            pairs: Uint32Array.from({ length: 2 * first.length }, (_, i) => (i % 2 === 0 ? first : second)[i >> 1]),
            relation: Array.from(found.bytes(8), (relation) => kRelations[relation]),
            candidateCount: resultAt(4),
        };
    }

    return { TriangleMesh, MeshScene, findClashes, addressesOf };
}
