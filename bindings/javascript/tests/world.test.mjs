// Objects of a world: what is set is read back, and queries keep their rules.
import assert from 'node:assert/strict';

import { forEachIsa } from './libraries.mjs';
import { at, kGapToBox, kSizes, kTie, randomShapes } from './oracles.mjs';
import { generator, overlap, randomBoxes } from './support.mjs';

forEachIsa('what is set is read back', ({ World }) => {
    const world = new World();
    const boxes = randomBoxes(71, 3, 5);
    const handles = world.add(boxes, {
        kind: 'resting', category: 1n << 63n, mask: 2 ** 52, group: -7, layer: 65535, margin: 0.25, userData: [5, 1n << 60n, -1n],
    });
    assert.deepEqual(world.boxes(handles), boxes);
    assert.deepEqual(world.boxes(handles[1]), boxes.slice(6, 12));
    assert.deepEqual([...world.userData(handles)], [5n, 1n << 60n, 2n ** 64n - 1n]);
    const state = {
        box: Array.from(boxes.slice(0, 6)), kind: 'resting', category: 1n << 63n, mask: 1n << 52n, group: -7, layer: 65535,
        margin: 0.25, userData: 5n, displacement: [0, 0, 0],
    };
    assert.deepEqual(world.describe(handles[0]), state);

    world.setDisplacements(handles[0], [1, 2, -3]);
    world.setMargin(handles[0], 2);
    world.setKind(handles[0], 'fixed');
    world.setUserData(handles, [9, 8, 7]);
    world.setFilter(handles[0], { mask: 3, group: 4 });
    world.setBoxes(handles[0], [0, 0, 0, 1, 1, 1]);
    assert.deepEqual(world.describe(handles[0]), {
        ...state, box: [0, 0, 0, 1, 1, 1], kind: 'fixed', mask: 3n, group: 4, margin: 2, userData: 9n, displacement: [1, 2, -3],
    });
    assert.deepEqual([...world.userData(handles)], [9n, 8n, 7n]);
    world.setFilter(handles, { category: 1, layer: 2 });
    assert.deepEqual(world.describe(handles[2]).category, 1n);
    assert.deepEqual(world.describe(handles[2]).mask, 1n << 52n);
    world.setUserData(handles, 1n);
    assert.deepEqual([...world.userData(handles)], [1n, 1n, 1n]);

    // Defaults.
    const [plain] = world.add([0, 0, 0, 1, 1, 1]);
    assert.deepEqual(world.describe(plain), {
        box: [0, 0, 0, 1, 1, 1], kind: 'moving', category: 2n ** 64n - 1n, mask: 2n ** 64n - 1n, group: 0, layer: 0, margin: 0,
        userData: 0n, displacement: [0, 0, 0],
    });
    world.dispose();
});

forEachIsa('objects pair by masks of 64 bits, groups and layers', ({ World }) => {
    const next = generator(81);
    const count = 120;
    const world = new World();
    const boxes = randomBoxes(82, count, 4);
    const rules = Array.from({ length: count }, () => ({
        category: 1n << BigInt(30 + Math.floor(next() * 5)),
        mask: (1n << BigInt(30 + Math.floor(next() * 5))) | (1n << BigInt(30 + Math.floor(next() * 5))),
        group: Math.floor(next() * 5) - 2,
        layer: Math.floor(next() * 3),
    }));
    const handles = rules.map((rule, i) => world.add(boxes.subarray(6 * i, 6 * i + 6), rule)[0]);
    world.setLayersPair(1, 2, false);
    assert.equal(world.layersPair(2, 1), false);
    assert.equal(world.layersPair(1, 1), true);
    world.update();
    const expected = [];
    for (let i = 0; i < count; ++i) {
        for (let j = i + 1; j < count; ++j) {
            const [a, b] = [rules[i], rules[j]];
            const isMasked = (a.category & b.mask) === 0n || (b.category & a.mask) === 0n;
            const isGroup = a.group !== 0 && a.group === b.group;
            if (a.layer + b.layer === 3 && a.layer !== b.layer && a.layer * b.layer === 2) continue;
            if (isGroup ? a.group < 0 : isMasked) continue;
            if (overlap(boxes, i, boxes, j)) expected.push(handles[i], handles[j]);
        }
    }
    assert.ok(expected.length > 20);
    assert.deepEqual([...world.pairs()], expected);
    // A mask of nothing; a number that the bitwise operators make.
    const [silent] = world.add([0, 0, 0, 4, 4, 4], { mask: 0 });
    world.update();
    assert.ok(!world.pairs().includes(silent));
    const [shy] = world.add([50, 0, 0, 51, 1, 1], { category: 1 << 31, mask: ~1 });
    assert.equal(world.describe(shy).category, 0x80000000n);
    assert.equal(world.describe(shy).mask, 0xfffffffen);
    world.dispose();
});

forEachIsa('queries of a world find what brute force finds, by kind, layer and mask', ({ World }) => {
    const next = generator(91);
    const count = 100;
    const world = new World();
    const boxes = randomBoxes(92, count, 6);
    const kinds = ['moving', 'resting', 'fixed'];
    const objects = Array.from({ length: count }, (_, i) => {
        const rule = { kind: kinds[i % 3], layer: i % 5, category: 1n << BigInt(i % 64) };
        return { ...rule, handle: world.add(boxes.subarray(6 * i, 6 * i + 6), rule)[0] };
    });
    const masks = BigUint64Array.from({ length: 30 }, (_, i) => (i % 2 ? 0xffff0000ffff0000n : 0x00ffff00ffffn));
    const options = { kinds: ['moving', 'fixed'], layers: [0, 2, 3], masks };
    const isFound = (object, query) => options.kinds.includes(object.kind) && options.layers.includes(object.layer) && (object.category & masks[query]) !== 0n;
    for (const kind of Object.keys(kGapToBox)) {
        const shapes = { [kind]: randomShapes(next, kind, 30, 6) };
        const { query, object } = world.findOverlaps(shapes, options);
        const found = new Set(Array.from(query, (q, k) => `${q} ${object[k]}`));
        const any = world.anyOverlap(shapes, options);
        for (let q = 0; q < 30; ++q) {
            for (let i = 0; i < count; ++i) {
                const gap = kGapToBox[kind](at(shapes[kind], q, kSizes[kind]), at(boxes, i, 6));
                if (Math.abs(gap) < kTie) continue;
                assert.equal(found.has(`${q} ${objects[i].handle}`), gap < 0 && isFound(objects[i], q));
            }
            assert.equal(any[q], query.includes(q) ? 1 : 0);
        }
        if (kind !== 'spheres') continue;
        const first = world.firstOverlaps(shapes, options);
        assert.deepEqual([...first], [any.includes(1) ? any.indexOf(1) : 30]);
    }
    const displacements = Float32Array.from({ length: 90 }, () => 8 * next() - 4);
    const origins = randomShapes(next, 'points', 30, 6);
    for (const casts of [{ origins, directions: displacements }, { spheres: randomShapes(next, 'spheres', 30, 6), displacements }]) {
        const all = world.findHits(casts, options);
        const closest = world.closestHits(casts, options);
        const any = world.anyHit(casts, options);
        all.object.forEach((handle, row) => assert.ok(isFound(objects.find((one) => one.handle === handle), all.query[row])));
        for (let q = 0; q < 30; ++q) {
            const times = [...all.t].filter((_, row) => all.query[row] === q);
            assert.equal(any[q], times.length > 0 ? 1 : 0);
            if (times.length > 0) assert.equal(closest.t[q], Math.min(...times));
            else assert.equal(closest.object[q], 0n);
        }
        assert.ok(all.query.length > 3 && all.face.every((face) => face <= 6));
    }
    const nearest = world.closestObjects(origins, options);
    nearest.object.forEach((handle, q) => assert.ok(isFound(objects.find((one) => one.handle === handle), q)));
    assert.deepEqual([...world.findOverlaps([-100, -100, -100, 100, 100, 100], { kinds: [] }).object], []);
    assert.throws(() => world.findOverlaps([0, 0, 0, 1, 1, 1], { layers: [65536] }), /layers is 65536, not an integer from 0 to 65535/);
    assert.throws(() => world.findOverlaps([0, 0, 0, 1, 1, 1], { layers: 3 }), /layers is 3, neither a list nor a function/);
    assert.throws(() => world.findOverlaps([0, 0, 0, 1, 1, 1], { kinds: ['static'] }), /kinds is "static", not one of/);
    const hit = world.closestHit([-5, 0, 0], [1, 0, 0], { masks: 0 });
    assert.equal(hit, null);
    world.dispose();
});

forEachIsa('a function is asked about each layer once, and lists name any of them', ({ World, findPairs }) => {
    const world = new World();
    const layers = Array.from({ length: 60 }, (_, i) => (i % 6 < 3 ? 1100 : 1) * (i % 6));
    const handles = layers.map((layer, i) => world.add([i, 0, 0, i + 0.5, 1, 1], { layer })[0]);
    const everything = [0, 0, 0, 99, 1, 1];
    const ray = { origins: [-1, 0.5, 0.5], directions: [1, 0, 0] };
    const wanted = [1100, 4, 2200];
    const expected = handles.filter((_, i) => wanted.includes(layers[i]));
    const asked = [];
    const accepts = (layer) => asked.push(layer) > 0 && wanted.includes(layer);
    for (const given of [wanted, new Set(wanted), Uint16Array.from(wanted), accepts]) {
        assert.deepEqual([...world.findOverlaps(everything, { layers: given }).object], expected);
        assert.deepEqual([...world.findHits(ray, { layers: given }).object], expected);
        assert.equal(world.closestHit([-1, 0.5, 0.5], [1, 0, 0], { layers: given }).object, expected[0]);
        assert.deepEqual([...world.anyOverlap([everything, [0, 0, 0, 0.6, 1, 1]].flat(), { layers: given })], [1, 0]);
        assert.equal(world.closestObjects([59, 0, 0], { layers: given }).object[0], expected.at(-1));
    }
    asked.length = 0;
    world.findOverlaps(everything, { layers: accepts });
    assert.deepEqual(asked.sort((a, b) => a - b), [0, 3, 4, 5, 1100, 2200]);
    assert.deepEqual([...world.findOverlaps(everything, { layers: () => false }).object], []);
    assert.equal(world.findOverlaps(everything).object.length, 60);
    // An error of the function comes to the caller, and the library may not be called by it.
    const thrown = new Error('of the caller');
    const failing = () => {
        throw thrown;
    };
    assert.throws(() => world.findOverlaps(everything, { layers: failing }), thrown);
    const message = /invalid argument: layers: the function calls the library/;
    assert.throws(() => world.anyHit(ray, { layers: () => world.isAlive(handles[0]) }), message);
    assert.throws(() => world.findHits(ray, { layers: () => findPairs(everything).pairs.length > 0 }), message);
    assert.deepEqual([...world.findOverlaps(everything, { layers: [4] }).object], handles.filter((_, i) => layers[i] === 4));
    world.dispose();
});

forEachIsa('ended pairs have user data; invalid boxes are listed; the origin moves', ({ World }) => {
    const world = new World({ order: 'userData' });
    const [a, b, c] = world.add([0, 0, 0, 2, 2, 2, 1, 1, 1, 3, 3, 3, NaN, 0, 0, 1, 1, 1], { userData: [30n, 20n, 10n] });
    assert.deepEqual([...world.quarantined()], [c]);
    assert.deepEqual([...world.update().begun], [b, a]);
    assert.deepEqual(world.bounds, [0, 0, 0, 3, 3, 3]);
    world.shiftOrigin([1, 0, -1]);
    assert.deepEqual([...world.boxes(a)], [-1, 0, 1, 1, 2, 3]);
    world.remove(b);
    const { ended, endedUserData } = world.update();
    assert.deepEqual([...ended], [b, a]);
    assert.deepEqual([...endedUserData], [20n, 30n]);
    assert.deepEqual(world.closestHit([-5, 1, 2], [2, 0, 0]), { t: 2, object: a, face: 0 });
    world.dispose();
});

forEachIsa('bad objects are refused with a reason, and nothing changes', ({ World }) => {
    const world = new World();
    const [a, b] = world.add([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], { userData: [1, 2] });
    world.remove(b);
    const both = BigUint64Array.of(a, b);
    const isDead = { name: 'BroadsideError', badIndex: 1, message: /item 1: handles\[1\] is \d+n; wanted an object of this world/ };
    for (const call of [
        () => world.boxes(both), () => world.userData(both), () => world.setUserData(both, 7), () => world.setMargin(both, 1),
        () => world.setFilter(both, { mask: 0 }), () => world.setKind(both, 'fixed'), () => world.remove(both),
        () => world.setBoxes(both, new Float32Array(12)), () => world.setDisplacements(both, new Float32Array(6)),
    ]) {
        assert.throws(call, isDead);
    }
    assert.throws(() => world.describe(b), /handles\[0\] is \d+n/);
    assert.throws(() => world.describe(1), /handle is 1, not a bigint/);
    assert.throws(() => world.boxes([1n]), /handles is Array of length 1, neither a handle nor a BigUint64Array/);
    assert.equal(world.describe(a).userData, 1n);
    assert.equal(world.describe(a).mask, 2n ** 64n - 1n);
    const box = [0, 0, 0, 1, 1, 1];
    assert.throws(() => world.add(box, { category: 1.5 }), /category is 1.5, not an integer of 53 bits or a bigint of 64/);
    assert.throws(() => world.add(box, { mask: null }), /mask is null, not an integer/);
    assert.throws(() => world.setFilter(a, 3), /filter is 3, not an object/);
    assert.throws(() => world.add(box, { group: 2 ** 31 }), /group is 2147483648, not an integer from -2147483648 to 2147483647/);
    assert.throws(() => world.add(box, { layer: 65536 }), /layer is 65536, not an integer from 0 to 65535/);
    assert.throws(() => world.add(box, { margin: NaN }), /margin is NaN, not a number from 0 on/);
    assert.throws(() => world.add(box, { userData: [1, 2] }), /userData is Array of length 2, not one for all or a list of 1/);
    assert.throws(() => world.add(box, { userData: -(2 ** 40) }), /userData is -1099511627776, not/);
    assert.throws(() => world.setDisplacements(a, [0, Infinity, 0]), /vectors at 0 are \[0,Infinity,0\], not finite/);
    assert.throws(() => world.setLayersPair(0, -1, true), /b is -1, not an integer from 0 to 65535/);
    assert.throws(() => world.shiftOrigin([0, NaN, 0]), /offset is \[0,NaN,0\], not three finite numbers/);
    assert.throws(() => world.restore([1, 2]), /snapshot is Array of length 2, not a Uint8Array/);
    assert.equal(world.objectCount, 1);
    assert.equal(world.slotCount, 2);
    world.dispose();
});
