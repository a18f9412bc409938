// Movers through boxes, meshes and scenes.
import assert from 'node:assert/strict';

import { forEachIsa } from './libraries.mjs';
import { add, at, kGapToBox, length, sub } from './oracles.mjs';
import { generator, randomBoxes } from './support.mjs';

const kFaces = [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7];
// A box of six numbers as positions and indices.
function boxMesh(TriangleMesh, box) {
    const corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    return new TriangleMesh(corners.flatMap((corner) => corner.map((side, k) => box[3 * side + k])), kFaces);
}
const isNear = (a, b, tolerance = 1e-3) => assert.ok(length(sub(Array.from(a), b)) < tolerance, `${a} is not ${b}`);

forEachIsa('walk, wall, step and fall are the same through boxes, meshes and a scene', ({ BoxTree, TriangleMesh, MeshScene, stepMovers }) => {
    const boxes = [[-10, -1, -10, 10, 0, 10], [3, 0, -10, 4, 5, 10], [-4, 0, -10, -3, 0.25, 10]];
    const tree = new BoxTree(boxes.flat());
    const meshes = boxes.map((box) => boxMesh(TriangleMesh, box));
    const scene = new MeshScene(meshes);
    const settings = { up: [0, 1, 0], stepHeight: 0.3, stickDistance: 0.3 };
    const capsule = { form: 'capsule', radii: 0.3, halfLengths: 0.6 };
    for (const obstacles of [{ boxes: tree }, { meshes }, { scene }]) {
        const step = (position, displacement, more = {}) =>
            stepMovers({ ...capsule, positions: position, displacements: displacement, ...more }, obstacles, settings);
        const walk = step([0, 0.91, 0], [1, -0.1, 0.5]);
        isNear(walk.positions, [1, 0.91, 0.5]);
        assert.deepEqual([walk.status[0], walk.isGrounded[0], walk.hasStepped[0]], ['finished', 1, 0]);
        isNear(walk.groundNormal, [0, 1, 0]);
        const wall = step([2, 0.91, 0], [2, 0, 1]);
        isNear(wall.positions, [2.69, 0.91, 1], 0.02);
        isNear(wall.wallNormal, [-1, 0, 0]);
        assert.ok(wall.iterationCount[0] > 0);
        const stair = step([-2.4, 0.91, 0], [-1, -0.1, 0]);
        assert.equal(stair.hasStepped[0], 1);
        assert.ok(Math.abs(stair.positions[1] - 1.16) < 0.02);
        const fall = step([0, 5, 0], [0, -1, 0]);
        isNear(fall.positions, [0, 4, 0]);
        assert.equal(fall.isGrounded[0], 0);
        assert.deepEqual(step([0, 0.9, 0], [NaN, 0, 0]).status, ['invalid']);
        // As many as there are positions, each with its own form.
        const all = step([0, 0.91, 0, 0, 0.51, 5, 0, 0.21, -5], [1, 0, 0], {
            form: ['capsule', 'sphere', 'box'], radii: [0.3, 0.5, 0], halfLengths: [0.6, 0, 0], halfExtents: [0.2, 0.2, 0.2],
        });
        isNear(all.positions, [1, 0.91, 0, 1, 0.51, 5, 1, 0.21, -5]);
        assert.deepEqual(all.status, ['finished', 'finished', 'finished']);
    }
    const inside = { form: 'sphere', radii: 0.4, positions: [3.5, 2, 0], displacements: [1, 0, 0] };
    assert.deepEqual(stepMovers(inside, { boxes: tree }, settings).status, ['startedInside']);
    isNear(stepMovers({ ...inside, ignoredBoxes: 1 }, { boxes: tree }, settings).positions, [4.5, 2, 0]);
    isNear(stepMovers({ ...inside, ignoredBoxes: [1] }, { boxes: tree }, settings).positions, [4.5, 2, 0]);
    isNear(stepMovers(inside).positions, [4.5, 2, 0]);
    for (const one of [tree, scene, ...meshes]) one.dispose();
});

forEachIsa('movers end inside nothing and pass through nothing', ({ BoxTree, stepMovers }) => {
    const next = generator(151);
    const numbers = randomBoxes(152, 150, 16);
    const tree = new BoxTree(numbers);
    const boxes = Array.from({ length: 150 }, (_, i) => at(numbers, i, 6));
    const count = 150;
    const radius = 0.4;
    const movers = {
        form: 'sphere', radii: radius, positions: Float32Array.from({ length: 3 * count }, () => 20 * next() - 2),
        displacements: Float32Array.from({ length: 3 * count }, () => 20 * next() - 10),
    };
    const steps = stepMovers(movers, { boxes: tree });
    const gapAt = (position) => Math.min(...boxes.map((box) => kGapToBox.spheres([...position, radius], box)));
    let freeCount = 0;
    for (let i = 0; i < count; ++i) {
        const [from, to, wanted] = [at(movers.positions, i, 3), at(steps.positions, i, 3), at(movers.displacements, i, 3)];
        const begin = gapAt(from);
        if (steps.status[i] === 'startedInside') {
            assert.ok(begin < 0);
            assert.deepEqual(to, from);
            continue;
        }
        assert.ok(gapAt(to) > -1e-6, `${i} ends at ${gapAt(to)}`);
        assert.ok(length(sub(to, from)) < length(wanted) + 0.05);
        if (begin < 0.02) continue;
        // A way without anything on it is gone whole.
        const isFree = Array.from({ length: 200 }, (_, k) => gapAt(add(from, wanted, k / 199))).every((gap) => gap > 0.05);
        if (isFree) assert.ok(length(sub(to, add(from, wanted))) < 1e-4);
        freeCount += isFree;
    }
    assert.ok(freeCount > 5 && steps.status.includes('startedInside'));
    tree.dispose();
});

forEachIsa('bad movers are refused with a reason', ({ BoxTree, stepMovers }) => {
    const mover = { positions: [0, 0, 0, 1, 1, 1], displacements: [1, 0, 0], radii: 1 };
    const refused = (more, message, obstacles, settings) => assert.throws(() => stepMovers({ ...mover, ...more }, obstacles, settings), { name: 'BroadsideError', message });
    assert.throws(() => stepMovers(), /movers is undefined, not an object with positions/);
    refused({ positions: [0, 0] }, /positions: not 3 numbers each \(length 2\)/);
    refused({ displacements: [0, 0] }, /displacements is Array of length 2, not three numbers for all or for each of 2/);
    refused({ form: 'cylinder' }, /form is "cylinder", not one of box, sphere, capsule/);
    refused({ form: ['box'] }, /form is Array of length 1, not one for all or a list of 2/);
    refused({ radii: -1 }, /radii is -1, not from 0 to/);
    refused({ radii: [1, NaN] }, /radii\[1\] is NaN, not from 0/);
    refused({ halfLengths: Infinity }, /halfLengths is Infinity/);
    refused({ halfExtents: [1, -1, 1] }, /halfExtents of mover 0 is -1/);
    refused({ ignoredBoxes: 0.5 }, /ignoredBoxes is 0.5, not an integer from -1/);
    refused({ ignoredBoxes: [1] }, /ignoredBoxes is Array of length 1/);
    refused({}, /boxes is Array of length 0, not a BoxTree/, { boxes: [] });
    refused({}, /meshes is 3, not an array of TriangleMesh/, { meshes: 3 });
    refused({}, /scene is of Object, not a MeshScene/, { scene: {} });
    refused({}, /up is \[0,0,0\], not a direction/, {}, { up: [0, 0, 0] });
    refused({}, /minGroundCosine is 2, not from 0 to 1/, {}, { minGroundCosine: 2 });
    refused({}, /stepHeight is -1/, {}, { stepHeight: -1 });
    refused({}, /maxIterations is 1.5, not an integer/, {}, { maxIterations: 1.5 });
    assert.equal(stepMovers({ positions: [], displacements: [0, 0, 0] }, { boxes: new BoxTree() }).status.length, 0);
});
