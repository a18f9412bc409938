// Meshes and scenes against brute force over their triangles.
import assert from 'node:assert/strict';

import { forEachIsa } from './libraries.mjs';
import { add, at, closestOnTriangle, cross, dot, kGapToTriangle, kSizes, kTie, length, pointToTriangle, randomShapes, sub } from './oracles.mjs';
import { generator, kFloat } from './support.mjs';

const kMiss = kFloat(1e30);

function randomTriangles(seed, count, side) {
    const next = generator(seed);
    const positions = Float32Array.from({ length: 9 * count }, () => 0);
    for (let i = 0; i < count; ++i) {
        const center = [next() * side, next() * side, next() * side];
        for (let k = 0; k < 9; ++k) positions[9 * i + k] = center[k % 3] + 3 * next() - 1.5;
    }
    return positions;
}
const trianglesOf = (positions, indices) =>
    Array.from({ length: indices.length / 3 }, (_, i) => [0, 1, 2].map((k) => at(positions, indices[3 * i + k], 3)));

// The cube from 0 to 1, with outward triangles.
const kCube = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1);
const kCubeIndices = Uint32Array.of(
    0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7,
);

// The point at which a line meets a triangle; null if it does not.
function rayTriangle(origin, direction, [a, b, c]) {
    const [e, f] = [sub(b, a), sub(c, a)];
    const p = cross(direction, f);
    const det = dot(e, p);
    if (Math.abs(det) < 1e-9) return null;
    const s = sub(origin, a);
    const u = dot(s, p) / det;
    const q = cross(s, e);
    const v = dot(direction, q) / det;
    const t = dot(f, q) / det;
    if (Math.min(u, v, 1 - u - v, t) < -kTie) return null;
    return { t, u, v, isTie: Math.min(Math.abs(u), Math.abs(v), Math.abs(1 - u - v), Math.abs(t)) < kTie };
}

forEachIsa('rays hit the triangles that brute force hits', ({ TriangleMesh }) => {
    const next = generator(101);
    const positions = randomTriangles(102, 150, 8);
    const mesh = new TriangleMesh(positions);
    const triangles = trianglesOf(positions, [...Array(450).keys()]);
    assert.equal(mesh.triangleCount, 150);
    assert.equal(mesh.degenerateCount, 0);
    assert.deepEqual(mesh.triangle(7), triangles[7].flat());
    const all = triangles.flat();
    assert.deepEqual(mesh.bounds, [Math.min, Math.max].flatMap((of) => [0, 1, 2].map((k) => of(...all.map((p) => p[k])))));
    const count = 80;
    const rays = {
        origins: Float32Array.from({ length: 3 * count }, () => next() * 8),
        directions: Float32Array.from({ length: 3 * count }, () => next() - 0.5),
    };
    const closest = mesh.closestHits(rays);
    const fast = new TriangleMesh(positions, null, { quality: 'fast' });
    assert.deepEqual(fast.closestHits(rays), closest);
    fast.dispose();
    const listed = mesh.findHits(rays);
    const any = mesh.anyHit(rays);
    let hitCount = 0;
    for (let i = 0; i < count; ++i) {
        const [origin, direction] = [at(rays.origins, i, 3), at(rays.directions, i, 3)];
        const hits = triangles.map((triangle) => rayTriangle(origin, direction, triangle));
        if (hits.some((hit) => hit?.isTie)) continue;
        const expected = [...hits.keys()].filter((j) => hits[j] !== null).sort((a, b) => hits[a].t - hits[b].t);
        assert.deepEqual([...listed.triangle].filter((_, row) => listed.query[row] === i), expected);
        assert.equal(any[i], expected.length > 0 ? 1 : 0);
        assert.equal(closest.triangle[i], expected[0] ?? -1);
        const one = mesh.closestHit(origin, direction);
        if (expected.length === 0) {
            assert.equal(closest.t[i], kMiss);
            assert.equal(one, null);
            continue;
        }
        ++hitCount;
        for (const name of ['t', 'u', 'v']) assert.ok(Math.abs(closest[name][i] - hits[expected[0]][name]) < 1e-4);
        assert.deepEqual(one, { t: closest.t[i], triangle: closest.triangle[i], u: closest.u[i], v: closest.v[i] });
        assert.equal(mesh.closestHit(origin, direction, { tMax: one.t / 2 }), null);
    }
    assert.ok(hitCount > 20);
    mesh.dispose();
});

forEachIsa('one side of triangles, without indices, and small index types', ({ TriangleMesh }) => {
    const front = new TriangleMesh(kCube, kCubeIndices, { sides: 'front' });
    const both = new TriangleMesh(Array.from(kCube), new Uint16Array(kCubeIndices));
    const rays = { origins: [0.3, 0.4, 5, 0.3, 0.4, 0.5], directions: [0, 0, -1, 0, 0, -1] };
    assert.deepEqual([...both.closestHits(rays).t], [4, 0.5]);
    assert.deepEqual([...front.closestHits(rays).t], [4, kMiss]);
    assert.deepEqual([...front.anyHit(rays)], [1, 0]);
    assert.equal(front.findHits(rays).query.length, 1);
    const flat = new TriangleMesh(Array.from(kCubeIndices).flatMap((index) => at(kCube, index, 3)));
    assert.equal(flat.triangleCount, 12);
    assert.deepEqual(flat.closestHits(rays), both.closestHits(rays));
    assert.equal(new TriangleMesh([0, 0, 0, 1, 1, 1, 2, 2, 2], null).degenerateCount, 1);
    assert.equal(new TriangleMesh().triangleCount, 0);
    for (const mesh of [front, both, flat]) mesh.dispose();
});

forEachIsa('shapes overlap the triangles that brute force finds, at rest and moving', ({ TriangleMesh }) => {
    const next = generator(111);
    const positions = randomTriangles(112, 60, 6);
    const triangles = trianglesOf(positions, [...Array(180).keys()]);
    const mesh = new TriangleMesh(positions);
    const count = 32;
    for (const [kind, gap] of Object.entries(kGapToTriangle)) {
        const shapes = randomShapes(next, kind, count, 6);
        const list = mesh.findOverlaps({ [kind]: shapes });
        const found = new Set(Array.from({ length: list.length / 2 }, (_, k) => `${list[2 * k]} ${list[2 * k + 1]}`));
        const any = mesh.anyOverlap({ [kind]: shapes });
        for (let i = 0; i < count; ++i) {
            const shape = at(shapes, i, kSizes[kind]);
            triangles.forEach((triangle, j) => {
                const distance = gap(shape, triangle);
                if (Math.abs(distance) >= kTie) assert.equal(found.has(`${i} ${j}`), distance < 0, `${kind} ${i} ${j} ${distance}`);
            });
            assert.equal(any[i], [...found].some((pair) => pair.startsWith(`${i} `)) ? 1 : 0);
        }
        assert.ok(found.size > 20, kind);
        const options = { shapesPerState: 2, motionCount: 4 };
        const expected = [0, 8, 16, 24].map((begin) => any.subarray(begin, begin + 8).indexOf(1)).map((index) => (index < 0 ? 8 : index));
        assert.deepEqual([...mesh.firstOverlaps({ [kind]: shapes }, options)], expected);
        if (kind === 'boxes') continue;

        const displacements = Float32Array.from({ length: 3 * count }, () => 10 * next() - 5);
        const hits = mesh.cast({ [kind]: shapes, displacements });
        const early = mesh.cast({ [kind]: shapes, displacements, tMax: 0.5 });
        for (let i = 0; i < count; ++i) {
            const [shape, move] = [at(shapes, i, kSizes[kind]), at(displacements, i, 3)];
            const points = kind === 'capsules' ? 2 : 1;
            const moved = (t) => shape.map((x, k) => (k < 3 * points ? x + move[k % 3] * t : x));
            const end = hits.triangle[i] < 0 ? 1 : hits.t[i];
            if (hits.triangle[i] >= 0) assert.ok(Math.abs(gap(moved(end), triangles[hits.triangle[i]])) < 1e-3 || end === 0);
            for (let t = 0; t < 4 && end > 0; ++t) {
                for (const triangle of triangles) assert.ok(gap(moved((t / 4) * end), triangle) > -1e-3);
            }
            assert.equal(early.triangle[i], hits.t[i] <= 0.5 ? hits.triangle[i] : -1);
            if (kind !== 'spheres' || hits.triangle[i] < 0 || end === 0) continue;
            const center = moved(end).slice(0, 3);
            const foot = at(hits.point, i, 3);
            assert.ok(length(sub(foot, closestOnTriangle(center, triangles[hits.triangle[i]]))) < 1e-2);
            assert.ok(length(sub(center, add(foot, at(hits.normal, i, 3), shape[3]))) < 1e-2);
        }
        assert.ok(hits.triangle.some((triangle) => triangle >= 0) && hits.triangle.some((triangle) => triangle < 0));
        // The triangles that each meets alone, as they are met.
        const all = mesh.castAll({ [kind]: shapes, displacements });
        const alone = triangles.map((corners) => {
            const one = new TriangleMesh(corners.flat());
            const { t } = one.cast({ [kind]: shapes, displacements });
            one.dispose();
            return t;
        });
        const rows = Array.from({ length: count }, (_, i) =>
            alone
                .map(({ [i]: t }, triangle) => ({ query: i, triangle, t }))
                .filter(({ t }) => t < kMiss)
                .sort((a, b) => a.t - b.t || a.triangle - b.triangle),
        ).flat();
        assert.deepEqual(rows, Array.from(all.query, (query, k) => ({ query, triangle: all.triangle[k], t: all.t[k] })));
        assert.ok(rows.length > count && all.point.length === 3 * rows.length && all.normal.length === 3 * rows.length);
    }
    mesh.dispose();
});

forEachIsa('closest points, inside and outside', ({ TriangleMesh }) => {
    const positions = randomTriangles(121, 120, 8);
    const triangles = trianglesOf(positions, [...Array(360).keys()]);
    const mesh = new TriangleMesh(positions);
    const points = randomShapes(generator(122), 'points', 60, 10);
    const { point, distanceSq, triangle } = mesh.closestPoints(points);
    for (let i = 0; i < 60; ++i) {
        const p = at(points, i, 3);
        const best = Math.min(...triangles.map((one) => pointToTriangle(p, one)));
        assert.ok(Math.abs(Math.sqrt(distanceSq[i]) - best) < 1e-4);
        assert.ok(Math.abs(pointToTriangle(p, triangles[triangle[i]]) - best) < 1e-4);
        assert.ok(Math.abs(length(sub(p, at(point, i, 3))) - best) < 1e-4);
    }
    assert.deepEqual([...mesh.closestPoints([NaN, 0, 0]).triangle], [-1]);
    mesh.dispose();

    const cube = new TriangleMesh(kCube, kCubeIndices);
    const probes = Float32Array.from({ length: 300 }, generator(123)).map((x) => 3 * x - 1);
    const inside = cube.contain(probes);
    const distances = cube.signedDistances(probes);
    for (let i = 0; i < 100; ++i) {
        const p = at(probes, i, 3);
        const out = p.map((x) => Math.max(-x, x - 1));
        const expected = Math.max(...out) < 0 ? Math.max(...out) : length(out.map((x) => Math.max(x, 0)));
        assert.ok(Math.abs(distances[i] - expected) < 1e-5);
        assert.equal(inside[i], expected <= 0 ? 1 : 0);
    }
    cube.dispose();
});

forEachIsa('memory grows under a large mesh and its lists', ({ TriangleMesh }) => {
    const side = 200;
    const positions = new Float32Array(3 * side * side);
    for (let i = 0; i < side * side; ++i) positions.set([i % side, Math.floor(i / side), 0], 3 * i);
    const indices = [];
    for (let y = 0; y + 1 < side; ++y) {
        for (let x = 0; x + 1 < side; ++x) {
            const i = y * side + x;
            indices.push(i, i + 1, i + side + 1, i, i + side + 1, i + side);
        }
    }
    const mesh = new TriangleMesh(positions, indices);
    const count = 2 * (side - 1) ** 2;
    assert.equal(mesh.triangleCount, count);
    const pairs = mesh.findOverlaps([-1, -1, -1, side, side, 1, 5.25, 5.125, 0, 5.5, 5.1875, 0]);
    assert.equal(pairs.length, 2 * (count + 1));
    assert.deepEqual([...pairs.slice(-2)], [1, 2 * (5 * (side - 1) + 5)]);
    // Many hits of one ray after few: the list grows.
    const along = mesh.findHits({ origins: [0.25, 0.125, 1, 0.25, 0.125, -1], directions: [0, 0, -1, 0, 0, 1] });
    assert.deepEqual([...along.query], [0, 1]);
    assert.deepEqual([...along.t], [1, 1]);
    mesh.dispose();
});

forEachIsa('a mesh is saved and restored', ({ TriangleMesh }) => {
    const mesh = new TriangleMesh(randomTriangles(131, 40, 5));
    const bytes = mesh.save();
    const copy = TriangleMesh.restore(bytes, { sides: 'front' });
    assert.deepEqual(copy.save(), bytes);
    assert.equal(copy.triangleCount, 40);
    assert.deepEqual(copy.triangle(39), mesh.triangle(39));
    const damaged = bytes.slice();
    damaged[bytes.length >> 1] ^= 1;
    for (const bad of [damaged, bytes.slice(0, 100), new Uint8Array(0)]) assert.throws(() => TriangleMesh.restore(bad), /invalid argument/);
    assert.throws(() => TriangleMesh.restore('mesh'), /snapshot is "mesh", not a Uint8Array/);
    mesh.dispose();
    copy.dispose();
});

// Column by column: a turn about z, a scale, and a translation.
const placement = (angle, scale, [x, y, z]) => {
    const [c, s] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
    return [c, s, 0, 0, -s, c, 0, 0, 0, 0, scale, 0, x, y, z, 1];
};
const placed = (m, p) => [0, 1, 2].map((k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k]);

forEachIsa('a scene is the mesh of its placed triangles', ({ TriangleMesh, MeshScene }) => {
    const next = generator(141);
    const positions = randomTriangles(142, 12, 3);
    const meshes = [new TriangleMesh(positions), new TriangleMesh(kCube, kCubeIndices)];
    const parts = [trianglesOf(positions, [...Array(36).keys()]), trianglesOf(kCube, kCubeIndices)];
    const used = Array.from({ length: 9 }, (_, i) => i % 2);
    const places = () => used.map(() => placement(next() * 6, 0.5 + next(), [next() * 12, next() * 12, next() * 6]));
    const scene = new MeshScene(used.map((k) => meshes[k]), places().flat());
    assert.equal(scene.instanceCount, 9);
    // A scene keeps its meshes.
    for (const mesh of meshes) mesh.dispose();
    for (let round = 0; round < 2; ++round) {
        const matrices = places();
        scene.update(Float32Array.from(matrices.flat()));
        const triangles = [];
        used.forEach((k, instance) => parts[k].forEach((corners, triangle) => triangles.push({ instance, triangle, corners: corners.map((p) => placed(matrices[instance], p)) })));
        const whole = new TriangleMesh(triangles.flatMap(({ corners }) => corners.flat()));
        const count = 120;
        const rays = { origins: randomShapes(next, 'points', count, 12), directions: Float32Array.from({ length: 3 * count }, () => next() - 0.5) };
        const [hits, expected] = [scene.closestHits(rays), whole.closestHits(rays)];
        let hitCount = 0;
        for (let i = 0; i < count; ++i) {
            if (Math.min(expected.u[i], expected.v[i], 1 - expected.u[i] - expected.v[i]) < 1e-3 && expected.triangle[i] >= 0) continue;
            if (expected.triangle[i] < 0) continue;
            ++hitCount;
            assert.ok(Math.abs(hits.t[i] - expected.t[i]) < 1e-3);
            const { instance, triangle } = triangles[expected.triangle[i]];
            assert.deepEqual([hits.instance[i], hits.triangle[i]], [instance, triangle]);
            const one = scene.closestHit(at(rays.origins, i, 3), at(rays.directions, i, 3));
            assert.deepEqual([one.t, one.instance, one.triangle, one.u, one.v], ['t', 'instance', 'triangle', 'u', 'v'].map((name) => hits[name][i]));
        }
        assert.ok(hitCount > 5);
        const listed = scene.findHits(rays);
        assert.deepEqual([...scene.anyHit(rays)], Array.from({ length: count }, (_, i) => (listed.query.includes(i) ? 1 : 0)));
        listed.query.forEach((query, row) => {
            const { corners } = triangles.find((one) => one.instance === listed.instance[row] && one.triangle === listed.triangle[row]);
            const point = add(at(rays.origins, query, 3), at(rays.directions, query, 3), listed.t[row]);
            assert.ok(pointToTriangle(point, corners) < 1e-3);
        });
        for (const kind of ['spheres', 'capsules', 'obbs']) {
            const shapes = randomShapes(next, kind, 20, 12);
            const { query, instance, triangle } = scene.findOverlaps({ [kind]: shapes });
            const found = new Set(Array.from(query, (q, row) => `${q} ${instance[row]} ${triangle[row]}`));
            for (let i = 0; i < 20; ++i) {
                for (const one of triangles) {
                    const gap = kGapToTriangle[kind](at(shapes, i, kSizes[kind]), one.corners);
                    if (Math.abs(gap) > 1e-4) assert.equal(found.has(`${i} ${one.instance} ${one.triangle}`), gap < 0);
                }
            }
            assert.deepEqual([...scene.anyOverlap({ [kind]: shapes })], Array.from({ length: 20 }, (_, i) => (query.includes(i) ? 1 : 0)));
            const displacements = Float32Array.from({ length: 60 }, () => 16 * next() - 8);
            const [impacts, wanted] = [scene, whole].map((surface) => surface.cast({ [kind]: shapes, displacements }));
            impacts.t.forEach((t, i) => assert.ok(Math.abs(t - wanted.t[i]) < 1e-3, `${kind} ${t} ${wanted.t[i]}`));
            impacts.instance.forEach((name, i) => assert.equal(name < 0, impacts.triangle[i] < 0));
            const all = scene.castAll({ [kind]: shapes, displacements });
            impacts.t.forEach((t, i) => {
                const row = all.query.indexOf(i);
                assert.equal(row < 0, t === kMiss);
                if (row >= 0) assert.deepEqual([all.t[row], all.instance[row], all.triangle[row]], [t, impacts.instance[i], impacts.triangle[i]]);
            });
            assert.ok(all.query.length > all.query.filter((i, k) => i !== all.query[k - 1]).length);
        }
        const points = randomShapes(next, 'points', 40, 12);
        const [near, wanted] = [scene.closestPoints(points), whole.closestPoints(points)];
        near.distanceSq.forEach((d, i) => assert.ok(Math.abs(d - wanted.distanceSq[i]) < 1e-3));
        near.instance.forEach((name, i) => assert.equal(used[name], near.triangle[i] < 12 ? used[name] : -1));
        whole.dispose();
    }
    const box = scene.instanceBounds(0);
    assert.ok(box.every((x, k) => (k < 3 ? scene.bounds[k] <= x : scene.bounds[k] >= x)));
    scene.dispose();
});

// As an edge of one meets the other, or comes closest to it.
const triangleGap = (a, b) => {
    const edgesTo = (from, to) => [0, 1, 2].map((k) => kGapToTriangle.capsules([...from[k], ...from[(k + 1) % 3], 0], to));
    return Math.min(...edgesTo(a, b), ...edgesTo(b, a));
};

forEachIsa('the closest triangles of two meshes are those of brute force', ({ TriangleMesh }) => {
    const next = generator(151);
    const [own, theirs] = [randomTriangles(152, 8, 3), randomTriangles(153, 6, 3)];
    const [mesh, other] = [new TriangleMesh(own), new TriangleMesh(theirs)];
    const corners = (positions, matrix) =>
        trianglesOf(positions, [...Array(positions.length / 3).keys()]).map((one) => one.map((p) => placed(matrix, p)));
    let meetCount = 0;
    for (let round = 0; round < 24; ++round) {
        const [transform, otherTransform] = [0, round].map((move) => placement(6 * next(), 0.5 + next(), [move / 3, 2 * next(), 0]));
        const [a, b] = [corners(own, transform), corners(theirs, otherTransform)];
        const gaps = a.map((one) => b.map((two) => triangleGap(one, two)));
        const least = Math.min(...gaps.flat());
        const found = mesh.closestTriangles(other, { transform, otherTransform });
        assert.ok(Math.abs(found.distance - least) < 1e-4);
        assert.ok(gaps[found.triangle][found.otherTriangle] < least + 1e-4);
        assert.ok(pointToTriangle(found.point, a[found.triangle]) < 1e-4);
        assert.ok(pointToTriangle(found.otherPoint, b[found.otherTriangle]) < 1e-4);
        assert.ok(Math.abs(length(sub(found.point, found.otherPoint)) - found.distance) < 1e-5);
        if (found.distance === 0) ++meetCount;
        assert.deepEqual(mesh.closestTriangles(other, { transform, otherTransform, maxDistance: found.distance }), found);
        if (found.distance === 0) continue;
        assert.equal(mesh.closestTriangles(other, { transform, otherTransform, maxDistance: found.distance / 2 }), null);
        const mirrored = other.closestTriangles(mesh, { transform: otherTransform, otherTransform: transform });
        assert.deepEqual([mirrored.otherTriangle, mirrored.triangle], [found.triangle, found.otherTriangle]);
    }
    assert.ok(meetCount > 2 && meetCount < 22);

    const cube = new TriangleMesh(kCube, kCubeIndices);
    const aside = cube.closestTriangles(cube, { otherTransform: placement(0, 1, [3, 0, 0]) });
    assert.deepEqual([aside.distance, aside.point[0], aside.otherPoint[0]], [2, 1, 3]);
    assert.equal(cube.closestTriangles(cube).distance, 0);
    const empty = new TriangleMesh();
    assert.equal(cube.closestTriangles(empty), null);
    assert.throws(() => cube.closestTriangles(3), /other is 3, not a TriangleMesh/);
    assert.throws(() => cube.closestTriangles(cube, { maxDistance: -1 }), /maxDistance is -1, not a number from 0 on/);
    assert.throws(() => cube.closestTriangles(cube, { otherTransform: [1] }), /otherTransform is Array of length 1, not 16 numbers/);
    const shear = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    assert.throws(() => cube.closestTriangles(cube, { transform: shear }), { badIndex: 0, message: /matrix 0 is \[1,0,0,0,1,1,.*wanted a rotation/ });
    assert.throws(() => cube.closestTriangles(cube, { otherTransform: shear }), { badIndex: 1 });
    for (const one of [mesh, other, cube, empty]) one.dispose();
});

forEachIsa('a scene of closed meshes contains points', ({ TriangleMesh, MeshScene }) => {
    const cube = new TriangleMesh(kCube, kCubeIndices);
    const scene = new MeshScene([cube, cube], [placement(0, 1, [0, 0, 0]), placement(0, 2, [5, 0, 0])].flat());
    assert.deepEqual([...scene.contain([0.5, 0.5, 0.5, 6, 1, 1, 3, 0, 0])], [1, 1, 0]);
    assert.deepEqual([...scene.signedDistances([0.5, 0.5, 0.75, 6, 1, 1, 3, 0.5, 0.5])], [-0.25, -1, 2]);
    const still = new MeshScene([cube]);
    assert.deepEqual([...still.closestHits({ origins: [0.3, 0.4, 9], directions: [0, 0, -1] }).t], [8]);
    assert.equal(new MeshScene().instanceCount, 0);
    for (const one of [scene, still, cube]) one.dispose();
});

forEachIsa('clashes are those of the cubes that meet', ({ TriangleMesh, MeshScene, findClashes }) => {
    const cube = new TriangleMesh(kCube, kCubeIndices);
    const moves = [[0, 0, 0], [0.5, 0.5, 0.5], [1, 0, 0], [0, 0, 0], [3, 0, 0], [-1.25, 0, 0], [20, 0, 0]];
    const scene = new MeshScene([...moves.map(() => cube), cube], [...moves.map((move) => placement(0, 1, move)), placement(0, 0.25, [20.3, 0.3, 0.3])].flat());
    const relations = (clashes) => Object.fromEntries(clashes.relation.map((relation, k) => [`${clashes.pairs[2 * k]} ${clashes.pairs[2 * k + 1]}`, relation]));
    const expected = {
        '0 1': 'intersecting', '0 2': 'touching', '0 3': 'duplicate', '1 2': 'intersecting', '1 3': 'intersecting', '2 3': 'touching',
        '6 7': 'bInA',
    };
    const clashes = findClashes(scene);
    assert.deepEqual(relations(clashes), expected);
    assert.ok(clashes.candidateCount >= 7);
    const { '6 7': contained, ...others } = expected;
    assert.equal(contained, 'bInA');
    const near = { ...others, '0 5': 'near', '3 5': 'near' };
    assert.deepEqual(relations(findClashes(scene, null, { clearance: 0.25, findContained: false })), near);
    const other = new MeshScene([cube], placement(0, 1, [3.5, 0.5, 0]));
    assert.deepEqual(relations(findClashes(scene, other)), { '4 0': 'intersecting' });
    assert.throws(() => findClashes(cube), /a is of TriangleMesh, not a MeshScene/);
    assert.throws(() => findClashes(scene, 3), /b is 3, not a MeshScene/);
    assert.throws(() => findClashes(scene, other, { clearance: -1 }), /clearance is -1, not from 0 to/);
    for (const one of [scene, other, cube]) one.dispose();
});

forEachIsa('bad meshes and scenes are refused with a reason', ({ TriangleMesh, MeshScene }) => {
    assert.throws(() => new TriangleMesh([0, 0]), /positions: not 3 numbers each \(length 2\)/);
    assert.throws(() => new TriangleMesh(kCube, [0, 1]), /indices: not three for each triangle \(length 2\)/);
    assert.throws(() => new TriangleMesh(kCube, [0, 1, 8]), { badIndex: 2, message: /indices\[2\] is 8 of 8 vertices/ });
    assert.throws(() => new TriangleMesh(kCube, [0, 1, -1]), /indices\[2\] is -1, not an index of 8 vertices/);
    assert.throws(() => new TriangleMesh(kCube, [0, 1, 1.5]), /indices\[2\] is 1.5/);
    assert.throws(() => new TriangleMesh([0, 0, 0, 1, Infinity, 0, 2, 2, 2]), /positions at 3 are \[1,Infinity,0\], not finite/);
    assert.throws(() => new TriangleMesh(kCube, kCubeIndices, { sides: 'back' }), /sides is "back", not one of both, front/);
    assert.throws(() => new TriangleMesh(kCube, kCubeIndices, { quality: 'best' }), /quality is "best", not one of standard, fast/);
    const cube = new TriangleMesh(kCube, kCubeIndices);
    assert.throws(() => cube.triangle(12), /index is 12, not an integer from 0 to 11/);
    assert.throws(() => cube.findOverlaps({ points: [0, 0, 0] }), /shapes has points, not one of boxes, spheres, capsules, obbs/);
    assert.throws(() => cube.closestHits({ spheres: [0, 0, 0, 1] }), /rays is of Object, not an object with origins and directions/);
    assert.throws(() => cube.cast({ boxes: kCube, displacements: [] }), /casts has boxes, not one of spheres, capsules, obbs/);
    assert.throws(() => cube.cast({ spheres: [0, 0, 0, 1], displacements: [1] }), /displacements: not three numbers for each of 1/);
    assert.throws(() => cube.closestPoints([1]), /points: not 3 numbers each/);
    assert.throws(() => new MeshScene(cube), /meshes is of TriangleMesh, not an array of TriangleMesh/);
    assert.throws(() => new MeshScene([cube, {}]), /meshes\[1\] is of Object, not a TriangleMesh/);
    assert.throws(() => new MeshScene([cube], [1]), /transforms is Array of length 1, not 16 numbers for each of 1 meshes/);
    const scene = new MeshScene([cube, cube]);
    const good = placement(0, 1, [0, 0, 0]);
    const shear = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    assert.throws(() => scene.update([...good, ...shear]), { badIndex: 1, message: /matrix 1 is \[1,0,0,0,1,1,.*\]; wanted a rotation/ });
    const rows = [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    assert.throws(() => scene.update([...good, ...rows]), /the last row of matrix 1 is 5,0,0,1, not 0,0,0,1/);
    assert.deepEqual([...scene.closestHits({ origins: [0.3, 0.4, 9], directions: [0, 0, -1] }).instance], [0]);
    assert.throws(() => scene.instanceBounds(2), /index is 2/);
    cube.dispose();
    assert.throws(() => cube.bounds, /the TriangleMesh was disposed of/);
    assert.throws(() => new MeshScene([cube]), /the TriangleMesh was disposed of/);
    scene.dispose();
});
