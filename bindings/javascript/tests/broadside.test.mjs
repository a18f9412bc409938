// The package as users load it, with every module and every instruction set: node --test tests
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';

import { forEachIsa, libraries } from './libraries.mjs';
import { allPairs, columnsOf, generator, hashOf, isValid, kFloat, overlap, randomBoxes } from './support.mjs';

const kMiss = kFloat(1e30);

test('a module has the instruction sets in its name, and uses the widest', () => {
    for (const [form, broadside] of Object.entries(libraries)) {
        const isas = form.endsWith('without SIMD') ? ['scalar'] : ['scalar', 'wasm128'];
        assert.deepEqual(broadside.isas, isas, form);
        assert.match(broadside.version, /^\d+\.\d+\.\d+$/);
        assert.throws(() => (broadside.isa = 'avx2'), /isa is "avx2", not one of scalar/);
    }
});

test('the module without SIMD contains no SIMD instruction', async () => {
    const { readFile } = await import('node:fs/promises');
    const bytes = await readFile(new URL(import.meta.resolve('broadside/broadside-scalar.wasm')));
    assert.ok(WebAssembly.validate(bytes));
    // The section of features that the linker writes.
    assert.ok(!bytes.includes('simd128'));
});

forEachIsa('findPairs finds what brute force finds, in every form of input', ({ findPairs, Boxes }) => {
    for (const [count, side] of [[0, 1], [1, 1], [2, 1], [33, 4], [500, 12], [1500, 10], [4000, 40]]) {
        for (const awkward of [false, true]) {
            const boxes = randomBoxes(count + 7, count, side, { awkward });
            const expected = allPairs(boxes);
            const own = new Boxes(count).assign(boxes);
            for (const form of [boxes, Array.from(boxes), columnsOf(boxes), own]) {
                const { pairs, invalid } = findPairs(form);
                assert.deepEqual(pairs, expected);
                const bad = [...Array(count).keys()].filter((i) => !isValid(boxes, i));
                assert.deepEqual(invalid, { count: bad.length, firstIndex: bad[0] ?? -1 });
            }
            for (const algorithm of ['bruteForce', 'sweepAndPrune', 'cells']) {
                assert.deepEqual(findPairs(boxes, { algorithm }).pairs, expected);
            }
            const found = findPairs(boxes, { order: 'asFound' }).pairs;
            assert.equal(found.length, expected.length);
            own.dispose();
        }
    }
});

forEachIsa('findPairs between two sets', ({ findPairs }) => {
    const a = randomBoxes(1, 300, 8, { awkward: true });
    const b = randomBoxes(2, 700, 8, { awkward: true });
    const { pairs, invalidOther } = findPairs(a, { other: b });
    assert.deepEqual(pairs, allPairs(a, b));
    assert.equal(invalidOther.count, [...Array(700).keys()].filter((i) => !isValid(b, i)).length);
});

forEachIsa('boxes without z are flat', ({ findPairs }) => {
    const flat = { minX: [0, 1, 5], minY: [0, 1, 5], maxX: [2, 3, 6], maxY: [2, 3, 6] };
    assert.deepEqual([...findPairs(flat).pairs], [0, 1]);
});

forEachIsa('bad input is refused with a reason, and later calls work', ({ findPairs, BoxTree, World, Boxes }) => {
    assert.throws(() => findPairs([1, 2, 3]), { name: 'BroadsideError', message: /six numbers each \(length 3\)/ });
    assert.throws(() => findPairs({ minX: [1], minY: [1, 2], maxX: [1], maxY: [1] }), /minY has 2 numbers, minX has 1/);
    assert.throws(() => findPairs([], { order: 'sorted' }), /order is "sorted", not one of canonical, asFound/);
    assert.throws(() => findPairs(undefined), { name: 'BroadsideError' });
    const world = new World();
    const handles = world.add([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    world.remove(handles[1]);
    assert.throws(() => world.remove(handles), { name: 'BroadsideError', badIndex: 1, message: /invalid argument, item 1/ });
    assert.equal(world.objectCount, 1);
    // No single box is at fault if a shared property is invalid.
    assert.throws(() => world.add([0, 0, 0, 1, 1, 1], { margin: -1 }), { badIndex: undefined, name: 'BroadsideError' });
    assert.throws(() => world.add([0, 0, 0, 1, 1, 1], { kind: 'static' }), /kind is "static"/);
    assert.throws(() => world.setBoxes(handles[0], [1, 2]), { name: 'BroadsideError' });
    assert.throws(() => world.restore(new Uint8Array(10)), /invalid argument/);
    const tree = new BoxTree([0, 0, 0, 1, 1, 1]);
    assert.throws(() => tree.closestHits({ origins: [0, 0], directions: [0, 0] }), /three numbers each/);
    assert.throws(() => tree.removeBox(7), /invalid argument/);
    tree.dispose();
    tree.dispose();
    assert.throws(() => tree.boxCount, /disposed of/);
    assert.throws(() => new Boxes(-1), /count is -1/);
    assert.throws(() => new Boxes(2).get(2), /index is 2 of 2/);
    assert.deepEqual([...findPairs([0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]).pairs], [0, 1]);
});

function rayBox(origin, direction, boxes, i) {
    let [enter, exit] = [0, Infinity];
    if (!isValid(boxes, i)) return null;
    for (let k = 0; k < 3; ++k) {
        const inverse = kFloat(1 / direction[k]);
        const a = kFloat(kFloat(boxes[6 * i + k] - origin[k]) * inverse);
        const b = kFloat(kFloat(boxes[6 * i + 3 + k] - origin[k]) * inverse);
        enter = Math.max(enter, Math.min(a, b));
        exit = Math.min(exit, Math.max(a, b));
    }
    return enter <= exit ? enter : null;
}

forEachIsa('a tree finds what brute force finds, over changes', ({ BoxTree }) => {
    const count = 900;
    const boxes = randomBoxes(5, count, 20);
    const tree = new BoxTree(boxes);
    const next = generator(99);
    for (let round = 0; round < 4; ++round) {
        if (round === 1) {
            for (let i = 0; i < 50; ++i) {
                const moved = randomBoxes(1000 + i, 1, 20);
                boxes.set(moved, 6 * (17 * i));
                tree.setBox(17 * i, moved);
            }
        }
        if (round === 2) {
            for (let k = 0; k < boxes.length; ++k) boxes[k] += 0.25;
            tree.update(boxes);
        }
        if (round === 3) {
            boxes.fill(NaN, 6 * 40, 6 * 41);
            tree.removeBox(40);
        }
        assert.equal(tree.boxCount, count);
        assert.deepEqual(tree.findPairs(), allPairs(boxes));
        const queries = randomBoxes(round + 50, 40, 20);
        assert.deepEqual(tree.findOverlaps(queries), allPairs(queries, boxes));

        const points = Float32Array.from({ length: 120 }, () => next() * 22);
        const asBoxes = new Float32Array(240);
        for (let i = 0; i < 40; ++i) for (let k = 0; k < 6; ++k) asBoxes[6 * i + k] = points[3 * i + (k % 3)];
        assert.deepEqual(tree.findOverlaps({ points }), allPairs(asBoxes, boxes));

        const directions = Float32Array.from({ length: 120 }, () => next() - 0.5 || 1);
        const { t, box, face } = tree.closestHits({ origins: points, directions });
        const all = tree.findHits({ origins: points, directions });
        let listed = 0;
        for (let i = 0; i < 40; ++i) {
            const origin = points.subarray(3 * i, 3 * i + 3);
            const direction = directions.subarray(3 * i, 3 * i + 3);
            let [bestT, best, hitCount] = [kMiss, -1, 0];
            for (let j = 0; j < count; ++j) {
                const enter = rayBox(origin, direction, boxes, j);
                if (enter === null) continue;
                ++hitCount;
                if (enter < bestT) [bestT, best] = [enter, j];
            }
            assert.equal(t[i], bestT);
            assert.equal(box[i], best);
            assert.ok(best >= 0 ? face[i] <= 6 : face[i] === 6);
            for (; listed < all.query.length && all.query[listed] === i; ++listed) --hitCount;
            assert.equal(hitCount, 0);
        }
        const nearest = tree.closestBoxes(points, { count: 3 });
        for (let i = 0; i < 40; ++i) {
            const distances = [];
            for (let j = 0; j < count; ++j) {
                if (!isValid(boxes, j)) continue;
                let sum = 0;
                for (let k = 0; k < 3; ++k) {
                    const p = points[3 * i + k];
                    const gap = Math.max(boxes[6 * j + k] - p, p - boxes[6 * j + 3 + k], 0);
                    sum += gap * gap;
                }
                distances.push([sum, j]);
            }
            distances.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
            for (let k = 0; k < 3; ++k) {
                assert.equal(nearest.box[3 * i + k], distances[k][1]);
                assert.equal(nearest.distanceSq[3 * i + k], kFloat(distances[k][0]));
            }
        }
    }
    assert.equal(tree.closestHits({ origins: [0, 0, -5], directions: [0, 0, -1], tMax: 3 }).box[0], -1);
    tree.dispose();
});

forEachIsa('a world tells what began and ended, as brute force does', ({ World, Boxes }) => {
    const next = generator(4242);
    const world = new World();
    const alive = new Map();
    let before = new Set();
    const key = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);
    for (let frame = 0; frame < 40; ++frame) {
        const added = randomBoxes(frame + 300, 1 + Math.floor(next() * 30), 9);
        const kind = ['moving', 'resting', 'fixed'][frame % 3];
        const handles = world.add(added, { kind });
        handles.forEach((handle, i) => alive.set(handle, { box: added.slice(6 * i, 6 * i + 6), kind }));
        const moved = [...alive.keys()].filter(() => next() < 0.4);
        const boxes = new Boxes(moved.length);
        moved.forEach((handle, i) => {
            const object = alive.get(handle);
            object.box = randomBoxes(Math.floor(next() * 1e6), 1, 9);
            boxes.set(i, object.box);
        });
        world.setBoxes(BigUint64Array.from(moved), boxes);
        boxes.dispose();
        const removed = [...alive.keys()].filter(() => next() < 0.1);
        world.remove(BigUint64Array.from(removed));
        for (const handle of removed) {
            alive.delete(handle);
            assert.ok(!world.isAlive(handle));
        }

        const objects = [...alive];
        const pairs = new Set();
        for (let i = 0; i < objects.length; ++i) {
            for (let j = i + 1; j < objects.length; ++j) {
                const [[a, x], [b, y]] = [objects[i], objects[j]];
                if (x.kind === 'fixed' && y.kind === 'fixed') continue;
                if (overlap(x.box, 0, y.box, 0)) pairs.add(key(a, b));
            }
        }
        const { begun, ended, pairCount } = world.update();
        const told = (list) => {
            const keys = new Set();
            for (let i = 0; i < list.length; i += 2) keys.add(key(list[i], list[i + 1]));
            assert.equal(2 * keys.size, list.length);
            return keys;
        };
        assert.equal(pairCount, pairs.size);
        assert.equal(world.pairCount, pairs.size);
        assert.deepEqual([...told(begun)].sort(), [...pairs].filter((pair) => !before.has(pair)).sort());
        assert.deepEqual([...told(ended)].sort(), [...before].filter((pair) => !pairs.has(pair)).sort());
        assert.deepEqual([...told(world.pairs())].sort(), [...pairs].sort());
        assert.equal(world.objectCount, alive.size);
        before = pairs;

        const queries = randomBoxes(frame + 900, 5, 9);
        const { query, object } = world.findOverlaps(queries, { kinds: ['moving', 'fixed'] });
        const found = new Set(Array.from(query, (q, i) => `${q} ${object[i]}`));
        const expected = new Set();
        for (let q = 0; q < 5; ++q) {
            for (const [handle, { box, kind: objectKind }] of alive) {
                if (objectKind !== 'resting' && overlap(queries, q, box, 0)) expected.add(`${q} ${handle}`);
            }
        }
        assert.deepEqual(found, expected);
    }
    const copy = new World();
    copy.restore(world.save());
    assert.equal(copy.pairsHash(), world.pairsHash());
    assert.deepEqual(copy.pairs(), world.pairs());
    world.dispose();
    copy.dispose();
});

forEachIsa("a world's casts, rays and nearest objects name handles", ({ World }) => {
    const world = new World();
    const [near, far] = world.add([2, -1, -1, 3, 1, 1, 5, -1, -1, 6, 1, 1]);
    const rays = { origins: [0, 0, 0, 0, 9, 0], directions: [1, 0, 0, 1, 0, 0] };
    assert.deepEqual([...world.closestHits(rays).object], [near, 0n]);
    assert.deepEqual([...world.closestHits(rays).t], [2, kMiss]);
    const cast = world.closestHits({ spheres: [0, 0, 0, 0.5, 9, 0, 0, 0.5], displacements: [4, 0, 0, -4, 0, 0] });
    assert.deepEqual([...cast.object], [near, far]);
    assert.deepEqual([...cast.t], [0.375, 0.625]);
    assert.deepEqual([...world.closestObjects([4, 0, 0], { count: 2 }).object], [near, far]);
    assert.deepEqual([...world.findOverlaps({ spheres: [4, 0, 0, 1] }).object], [near, far]);
    assert.deepEqual([...world.findOverlaps({ spheres: [4, 0, 0, 0.5] }).object], []);
    world.dispose();
});

forEachIsa('times of impact', ({ timesOfImpact }) => {
    const a = [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1];
    const b = [3, 0, 0, 4, 1, 1, 3, 5, 0, 4, 6, 1];
    const moves = [4, 0, 0, 4, 0, 0];
    assert.deepEqual([...timesOfImpact(a, moves, b, [0, 0, 0, 0, 0, 0])], [0.5, kMiss]);
    assert.deepEqual([...timesOfImpact(a, moves, b, [-4, 0, 0, 0, -5, 0])], [0.25, kFloat(0.8)]);
});

forEachIsa('memory that grows under arguments and results', ({ findPairs, Boxes }) => {
    const count = 60000;
    // Memory that held other numbers before.
    const used = new Boxes(count).assign(new Float32Array(6 * count).fill(NaN));
    used.dispose();
    const boxes = new Boxes(count);
    const { minX, maxX } = boxes;
    for (let i = 0; i < count; ++i) {
        minX[i] = i;
        maxX[i] = i + 20;
    }
    const { pairs } = findPairs(boxes);
    assert.equal(pairs.length / 2, 20 * count - 210);
    assert.deepEqual(boxes.get(count - 1), [count - 1, 0, 0, count + 19, 0, 0]);
    boxes.dispose();
});

test('disposed and collected objects free their memory', async () => {
    const { World, memoryBytes } = libraries['with SIMD'];
    const before = libraries['with SIMD'].memoryBytes;
    for (let i = 0; i < 400; ++i) {
        const world = new World();
        world.add(randomBoxes(i, 2000, 30));
        world.update();
        world.dispose();
    }
    assert.ok(libraries['with SIMD'].memoryBytes <= before + 32 * 1024 * 1024, `${memoryBytes} bytes before`);
});

function bitsOf(floats) {
    return new Uint32Array(Float32Array.from(floats).buffer);
}

// Rows of columns, one item after the other.
function interleaved(...columns) {
    return Array.from({ length: columns[0].length }, (_, i) => columns.map((column) => column[i] >>> 0)).flat();
}

// The same scenes and queries as in tests/golden/boxes_test.cpp, with its hashes in boxes.txt.
const kGolden = readFileSync(new URL('boxes.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(' '));

forEachIsa('results have the golden hashes of C++', ({ findPairs, World, BoxTree, timesOfImpact }) => {
    assert.equal(kGolden.length, 4);
    for (const [seed, count, side, ...golden] of kGolden) {
        const boxes = randomBoxes(Number(seed), Number(count), Number(side), { awkward: true });
        const others = randomBoxes(Number(seed) + 1, 200, Number(side), { awkward: true });
        const pairsHash = ({ pairs, invalid }) => hashOf([...pairs, invalid.count]);

        const world = new World();
        const handles = world.add(boxes);
        const moved = boxes.slice();
        for (let frame = 0; frame < 3; ++frame) {
            world.update();
            for (let i = 0; i < moved.length; i += 12) {
                moved[i] += 0.25;
                moved[i + 3] += 0.25;
            }
            world.setBoxes(handles, moved);
        }
        world.update();

        const corners = (at) => Float32Array.from({ length: 600 }, (_, i) => others[6 * Math.floor(i / 3) + (i % 3) + at]);
        const points = corners(0);
        const ways = corners(3).map((max, i) => max - points[i]);
        const tree = new BoxTree(boxes);
        const hits = tree.findHits({ origins: points, directions: ways });
        const nearest = tree.closestBoxes(points, { count: 3 });
        const times = timesOfImpact(others, ways, boxes.subarray(0, 1200), new Float32Array(600));
        const found = [
            pairsHash(findPairs(boxes)),
            pairsHash(findPairs(boxes, { order: 'asFound' })),
            pairsHash(findPairs(boxes, { other: others })),
            world.pairsHash().toString(16).padStart(16, '0'),
            hashOf(interleaved(hits.query, hits.box, bitsOf(hits.t), hits.face)),
            hashOf(interleaved(bitsOf(nearest.distanceSq), nearest.box)),
            hashOf(bitsOf(times)),
        ];
        assert.deepEqual(found, golden.map((hash) => hash.padStart(16, '0')));
        world.dispose();
        tree.dispose();
    }
});

test('every module and instruction set gives the same bits', () => {
    const boxes = randomBoxes(77, 3000, 25, { awkward: true });
    const points = randomBoxes(78, 200, 25);
    const directions = randomBoxes(79, 200, 1);
    const results = new Set();
    for (const broadside of Object.values(libraries)) {
        for (const isa of broadside.isas) {
            broadside.isa = isa;
            const tree = new broadside.BoxTree(boxes);
            const hits = tree.findHits({ origins: points, directions });
            results.add(
                JSON.stringify([
                    ...broadside.findPairs(boxes, { order: 'asFound' }).pairs,
                    ...Object.values(hits).flatMap((column) => [...column]),
                    ...tree.closestBoxes(points, { count: 4 }).distanceSq,
                ]),
            );
            tree.dispose();
        }
    }
    assert.equal(results.size, 1);
});

// The tests run on a copy without the checkout; the script passes its path.
for (const page of ['bindings/javascript/README.md', 'docs/coming_from.md']) {
    test(`the code of ${page} runs`, { skip: !process.env.BROADSIDE_ROOT }, async () => {
        const text = readFileSync(`${process.env.BROADSIDE_ROOT}/${page}`, 'utf8');
        const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]);
        assert.ok(blocks.length > 0);
        const module = new URL(`${page.replaceAll('/', '_')}.mjs`, import.meta.url);
        writeFileSync(module, blocks.join('\n'));
        await import(module);
    });
}
