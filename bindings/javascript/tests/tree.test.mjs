// Queries of trees with shapes, moving shapes and masks; pairs with filters and by distance.
import assert from 'node:assert/strict';

import { forEachIsa } from './libraries.mjs';
import { at, kGapToBox, kSizes, kTie, pointToBox, randomShapes } from './oracles.mjs';
import { allPairs, columnsOf, generator, kFloat, overlap, randomBoxes } from './support.mjs';

const kMiss = kFloat(1e30);

forEachIsa('shapes of every kind overlap what brute force finds', ({ BoxTree }) => {
    const next = generator(11);
    const boxes = randomBoxes(12, 120, 6);
    const tree = new BoxTree(boxes);
    for (const [kind, gap] of Object.entries(kGapToBox)) {
        const shapes = randomShapes(next, kind, 60, 6);
        const list = tree.findOverlaps({ [kind]: shapes });
        const found = new Set();
        for (let i = 0; i < list.length; i += 2) found.add(`${list[i]} ${list[i + 1]}`);
        const any = tree.anyOverlap({ [kind]: shapes });
        let tested = 0;
        for (let i = 0; i < 60; ++i) {
            for (let j = 0; j < 120; ++j) {
                const distance = gap(at(shapes, i, kSizes[kind]), at(boxes, j, 6));
                if (Math.abs(distance) < kTie) continue;
                assert.equal(found.has(`${i} ${j}`), distance < 0, `${kind} ${i} and box ${j}: ${distance}`);
                tested += distance < 0;
            }
            assert.equal(any[i], list.some((shape, k) => k % 2 === 0 && shape === i) ? 1 : 0);
        }
        assert.ok(tested > 10, kind);
    }
    assert.deepEqual(tree.findOverlaps(boxes), tree.findOverlaps({ boxes }));
    tree.dispose();
});

forEachIsa('query boxes come in every form of boxes', ({ Boxes, BoxTree, World }) => {
    const [boxes, queries] = [randomBoxes(15, 60, 6), randomBoxes(16, 20, 6)];
    const tree = new BoxTree(columnsOf(boxes));
    const own = new Boxes(20).assign(queries);
    const expected = allPairs(queries, boxes);
    for (const form of [queries, Array.from(queries), columnsOf(queries), own, { boxes: columnsOf(queries) }, { boxes: own }]) {
        assert.deepEqual(tree.findOverlaps(form), expected);
    }
    const displacements = new Float32Array(60).fill(1);
    assert.deepEqual(tree.anyHit({ boxes: own, displacements }), tree.anyHit({ boxes: queries, displacements }));
    assert.deepEqual(tree.closestBoxes({ boxes: own }), tree.closestBoxes({ boxes: queries }));
    // Columns without z are flat.
    const world = new World();
    const [a] = world.add({ minX: [0], minY: [0], maxX: [1], maxY: [1] });
    assert.deepEqual([...world.findOverlaps({ minX: [1], minY: [1], maxX: [2], maxY: [2] }).object], [a]);
    assert.throws(() => tree.findOverlaps({ minX: [1], minY: [1, 2], maxX: [2], maxY: [2] }), /boxes: minY has 2 numbers, minX has 1/);
    for (const one of [own, tree, world]) one.dispose();
});

forEachIsa('the first overlap of a motion is the first bit of its shapes', ({ BoxTree, World }) => {
    const next = generator(21);
    const boxes = randomBoxes(22, 40, 30);
    const tree = new BoxTree(boxes);
    const world = new World();
    world.add(boxes);
    for (const [shapesPerState, states, motionCount] of [[1, 50, 1], [3, 40, 5], [2, 7, 9]]) {
        const spheres = [];
        for (let motion = 0; motion < motionCount; ++motion) {
            const [from, way] = [[next() * 40, next() * 40, next() * 40], [next() - 0.5, next() - 0.5, next() - 0.5]];
            for (let state = 0; state < states; ++state) {
                for (let s = 0; s < shapesPerState; ++s) spheres.push(...from.map((x, k) => x + way[k] * state + s), 0.5);
            }
        }
        const options = { shapesPerState, motionCount };
        const first = tree.firstOverlaps({ spheres }, options);
        const any = tree.anyOverlap({ spheres });
        const shapes = shapesPerState * states;
        const expected = Array.from({ length: motionCount }, (_, motion) => {
            const index = any.subarray(motion * shapes, (motion + 1) * shapes).indexOf(1);
            return index < 0 ? shapes : index;
        });
        assert.deepEqual([...first], expected);
        assert.deepEqual(world.firstOverlaps({ spheres }, options), first);
    }
    assert.deepEqual([...tree.firstOverlaps({ spheres: [] })], [0]);
    assert.throws(() => tree.firstOverlaps({ spheres: [0, 0, 0, 1] }, { shapesPerState: 2 }), /motionCount is 1 and shapesPerState 2: they do not divide 1 shapes/);
    assert.throws(() => tree.firstOverlaps({ spheres: [0, 0, 0, 1] }, { shapesPerState: 0 }), /shapesPerState is 0, not an integer from 1/);
    tree.dispose();
    world.dispose();
});

// The time at which a moving box first meets a resting one; null if never.
function boxImpact(box, move, resting) {
    let [enter, exit] = [0, 1];
    for (let k = 0; k < 3; ++k) {
        const [near, far] = [resting[k] - box[3 + k], resting[3 + k] - box[k]];
        if (move[k] === 0) {
            if (near > 0 || far < 0) return null;
            continue;
        }
        const [a, b] = [near / move[k], far / move[k]];
        enter = Math.max(enter, Math.min(a, b));
        exit = Math.min(exit, Math.max(a, b));
    }
    return enter <= exit ? enter : null;
}

forEachIsa('moving shapes hit what brute force hits', ({ BoxTree }) => {
    const next = generator(31);
    const boxes = randomBoxes(32, 90, 14);
    const tree = new BoxTree(boxes);
    const displacements = Float32Array.from({ length: 3 * 50 }, () => 12 * next() - 6);
    const moved = (shape, move, t, points) => shape.map((x, k) => (k < 3 * points ? x + move[k % 3] * t : x));
    for (const kind of ['boxes', 'spheres', 'capsules']) {
        const shapes = randomShapes(next, kind, 50, 14);
        const casts = { [kind]: shapes, displacements };
        const closest = tree.closestHits(casts);
        const all = tree.findHits(casts);
        const any = tree.anyHit(casts);
        const halfway = tree.closestHits({ ...casts, tMax: 0.5 });
        for (let i = 0; i < 50; ++i) {
            const [shape, move] = [at(shapes, i, kSizes[kind]), at(displacements, i, 3)];
            const rows = [...all.query.keys()].filter((row) => all.query[row] === i);
            assert.equal(any[i], rows.length > 0 ? 1 : 0);
            assert.equal(closest.box[i] >= 0, rows.length > 0);
            if (rows.length > 0) assert.equal(closest.t[i], Math.min(...rows.map((row) => all.t[row])));
            assert.equal(halfway.box[i], closest.t[i] <= 0.5 ? closest.box[i] : -1);
            const hits = new Map(rows.map((row) => [all.box[row], all.t[row]]));
            for (let j = 0; j < 90; ++j) {
                const box = at(boxes, j, 6);
                if (kind === 'boxes') {
                    const toi = boxImpact(shape, move, box);
                    if (hits.has(j)) assert.ok(toi !== null && Math.abs(toi - hits.get(j)) < kTie);
                    else assert.equal(toi, null);
                    continue;
                }
                // At its time a shape touches the box, and never before.
                const gap = (t) => kGapToBox[kind](moved(shape, move, t, kind === 'capsules' ? 2 : 1), box);
                const end = hits.get(j) ?? 1;
                if (hits.has(j)) assert.ok(gap(end) < 1e-4);
                for (let t = 0; t < 8 && end > 0; ++t) assert.ok(gap((t / 8) * end) > -1e-4);
            }
        }
        assert.ok(all.query.length > 30, kind);
    }
    tree.dispose();
});

forEachIsa('rays that start inside, touches, and single rays', ({ BoxTree }) => {
    const tree = new BoxTree();
    tree.build([0, 0, 0, 2, 2, 2]);
    const ray = { origins: [1, 1, 1], directions: [1, 0, 0] };
    assert.deepEqual([...tree.closestHits(ray).t], [0]);
    assert.deepEqual([...tree.closestHits({ ...ray, inside: 'miss' }).box], [-1]);
    assert.deepEqual([...tree.closestHits({ ...ray, inside: 'negativeT' }).t], [-1]);
    const slide = { boxes: [2, 0, 0, 3, 2, 2], displacements: [0, 1, 0] };
    assert.deepEqual([...tree.anyHit(slide)], [1]);
    assert.deepEqual([...tree.anyHit({ ...slide, touch: 'open' })], [0]);
    assert.deepEqual(tree.closestHit([-3, 1, 1], [2, 0, 0]), { t: 1.5, box: 0, face: 0 });
    assert.equal(tree.closestHit([-3, 1, 1], [2, 0, 0], { tMax: 1 }), null);
    assert.equal(tree.closestHit([-3, 5, 1], [2, 0, 0]), null);
    assert.deepEqual([...tree.closestHits({ origins: [-3, 5, 1], directions: [1, 0, 0] }).t], [kMiss]);
    assert.deepEqual(tree.bounds, [0, 0, 0, 2, 2, 2]);
    tree.setBox(1, [4, 0, 0, 5, 1, 1]);
    assert.deepEqual(tree.box(1), [4, 0, 0, 5, 1, 1]);
    assert.deepEqual(tree.bounds, [0, 0, 0, 5, 2, 2]);
    tree.removeBox(1);
    assert.deepEqual(tree.box(1), [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity]);
    tree.dispose();
});

forEachIsa('queries see boxes that have a category in their mask, of 64 bits', ({ BoxTree }) => {
    const next = generator(41);
    const boxes = randomBoxes(42, 150, 6);
    const queries = randomBoxes(43, 40, 6);
    const tree = new BoxTree(boxes);
    const words = (count) => BigUint64Array.from({ length: count }, () => (1n << BigInt(9 * Math.floor(next() * 8))) | (1n << BigInt(9 * Math.floor(next() * 8))));
    const [categories, masks] = [words(150), words(40)];
    const expected = [];
    for (let i = 0; i < 40; ++i) {
        for (let j = 0; j < 150; ++j) if (overlap(queries, i, boxes, j) && (masks[i] & categories[j]) !== 0n) expected.push(i, j);
    }
    assert.ok(expected.length > 20);
    for (const form of [{ categories, masks }, { categories: [...categories], masks: [...masks] }]) {
        assert.deepEqual([...tree.findOverlaps(queries, form)], expected);
        const any = tree.anyOverlap(queries, form);
        assert.deepEqual([...any], Array.from(any, (_, i) => (expected.some((x, k) => k % 2 === 0 && x === i) ? 1 : 0)));
    }
    const nearest = tree.closestBoxes(queries.slice(0, 120), { categories, masks });
    const rays = { origins: queries.slice(0, 120), directions: new Float32Array(120).fill(1) };
    const hits = tree.closestHits(rays, { categories, masks });
    const listed = tree.findHits(rays, { categories, masks });
    for (let i = 0; i < 40; ++i) {
        assert.notEqual(masks[i] & categories[nearest.box[i]], 0n);
        if (hits.box[i] >= 0) assert.notEqual(masks[i] & categories[hits.box[i]], 0n);
    }
    listed.query.forEach((query, row) => assert.notEqual(masks[query] & categories[listed.box[row]], 0n));
    // Numbers, negative ones of the bitwise operators, and one for all.
    const two = new BoxTree([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
    const seen = (masks, own) => [...two.findOverlaps([0, 0, 0, 1, 1, 1], { masks, categories: own })].filter((_, k) => k % 2 === 1);
    assert.deepEqual(seen(1, [1, 2]), [0]);
    assert.deepEqual(seen(1 << 31, [0x80000000, 0x80000000n << 1n]), [0]);
    assert.deepEqual(seen(~1, [1, 2]), [1]);
    assert.deepEqual(seen(~1, [1n << 40n, 2]), [1]);
    assert.deepEqual(seen(~1n, [1n << 40n, 1]), [0]);
    assert.deepEqual(seen(2 ** 50, [2 ** 50, 2 ** 49]), [0]);
    assert.deepEqual(seen(0, [-1n, -1n]), []);
    assert.throws(() => seen(0.5, [1, 1]), /masks is 0.5, not an integer of 53 bits or a bigint of 64/);
    assert.throws(() => seen([2 ** 53], [1, 1]), /masks\[0\] is 9007199254740992, not/);
    assert.throws(() => seen(1n << 64n, [1, 1]), /masks is 18446744073709551616n, not/);
    assert.throws(() => seen('1', [1, 1]), /masks is "1", not one for all or a list of 1|masks\[0\] is "1"/);
    assert.throws(() => seen([1, 2], [1, 1]), /masks is Array of length 2, not one for all or a list of 1/);
    assert.throws(() => seen(1, [1]), /categories is Array of length 1, not one for all or a list of 2/);
    two.dispose();
    tree.dispose();
});

forEachIsa('pairs follow filters of 64 bits and groups', ({ findPairs }) => {
    const next = generator(51);
    const count = 300;
    const [a, b] = [randomBoxes(52, count, 8), randomBoxes(53, count, 8)];
    const bit = () => 1n << BigInt(32 + Math.floor(next() * 4));
    const filter = () => ({
        categories: BigUint64Array.from({ length: count }, bit),
        masks: Array.from({ length: count }, () => bit() | bit()),
        groups: Uint32Array.from({ length: count }, () => Math.floor(next() * 4)),
    });
    const [ofA, ofB] = [filter(), filter()];
    const allows = (x, i, y, j) =>
        (x.categories[i] & y.masks[j]) !== 0n && (y.categories[j] & x.masks[i]) !== 0n && (x.groups[i] === 0 || x.groups[i] !== y.groups[j]);
    const kept = (pairs, y) => {
        const left = [];
        for (let k = 0; k < pairs.length; k += 2) if (allows(ofA, pairs[k], y, pairs[k + 1])) left.push(pairs[k], pairs[k + 1]);
        return left;
    };
    const within = kept(allPairs(a), ofA);
    assert.ok(within.length > 20 && within.length < allPairs(a).length);
    assert.deepEqual([...findPairs(a, { filter: ofA }).pairs], within);
    assert.deepEqual([...findPairs(a, { other: b, filter: ofA, otherFilter: ofB }).pairs], kept(allPairs(a, b), ofB));
    // The rules of one call are not those of the next.
    assert.deepEqual(findPairs(a).pairs, allPairs(a));
    assert.deepEqual(findPairs(a, { filter: { masks: 0 } }).pairs.length, 0);
    assert.throws(() => findPairs(a, { filter: { groups: [1] } }), /filter.groups is Array of length 1, not a list of 300/);
    assert.throws(() => findPairs(a, { filter: { categories: [1n] } }), /filter.categories is Array of length 1/);
    assert.throws(() => findPairs(a, { other: b, otherFilter: 3 }), /otherFilter is 3, not an object/);
});

forEachIsa('pairs between trees, and by distance', ({ BoxTree }) => {
    const [a, b] = [randomBoxes(61, 80, 20), randomBoxes(62, 60, 20)];
    const [tree, other] = [new BoxTree(a), new BoxTree(b)];
    assert.deepEqual(tree.findPairs(other), allPairs(a, b));
    const distance = (x, i, y, j) => pointToBox([0, 0, 0], [0, 1, 2].flatMap((k) => x[6 * i + k] - y[6 * j + 3 + k]).concat([0, 1, 2].map((k) => x[6 * i + 3 + k] - y[6 * j + k])));
    for (const [with_, numbers] of [[undefined, a], [other, b]]) {
        const expected = [];
        for (let i = 0; i < 80; ++i) {
            for (let j = with_ ? 0 : i + 1; j < numbers.length / 6; ++j) expected.push([distance(a, i, numbers, j), i, j]);
        }
        const near = expected.filter(([d]) => d <= 1.5);
        const found = tree.findClosePairs(1.5, with_);
        assert.deepEqual([...found.pairs], near.flatMap(([, i, j]) => [i, j]));
        found.distance.forEach((d, k) => assert.ok(d >= near[k][0] && d - near[k][0] < 1e-6));
        const best = expected.reduce((least, one) => (one[0] < least[0] ? one : least));
        assert.deepEqual(tree.closestPair({ other: with_ }), { distance: 0, first: best[1], second: best[2] });
    }
    const apart = new BoxTree([0, 0, 0, 1, 1, 1, 4, 5, 0, 5, 6, 1]);
    assert.deepEqual(apart.closestPair(), { distance: 5, first: 0, second: 1 });
    assert.equal(apart.closestPair({ maxDistance: 4.9 }), null);
    assert.equal(apart.findClosePairs(4.9).pairs.length, 0);
    assert.throws(() => apart.findClosePairs(-1), /maxDistance is -1, not a number from 0 on/);
    assert.throws(() => apart.closestPair({ maxDistance: NaN }), /maxDistance is NaN, not a number/);
    assert.throws(() => apart.findPairs({}), /other is of Object, not a BoxTree/);
    for (const one of [tree, other, apart]) one.dispose();
});

forEachIsa('nearest boxes of boxes', ({ BoxTree }) => {
    const tree = new BoxTree([0, 0, 0, 1, 1, 1, 7, 0, 0, 8, 1, 1]);
    assert.deepEqual([...tree.closestBoxes({ boxes: [3, 0, 0, 6, 1, 1] }, { count: 2 }).distanceSq], [1, 4]);
    assert.deepEqual([...tree.closestBoxes({ points: [5, 0, 0] }, { maxDistance: 2 }).box], [1]);
    assert.deepEqual([...tree.closestBoxes([5, 0, 0], { maxDistance: 1 }).box], [-1]);
    tree.dispose();
});

forEachIsa('bad shapes and casts are refused with a reason', ({ BoxTree, World }) => {
    const tree = new BoxTree([0, 0, 0, 1, 1, 1]);
    const world = new World();
    for (const at of [tree, world]) {
        assert.throws(() => at.findOverlaps({ sphere: [0, 0, 0, 1] }), /shapes has none of boxes, points, spheres, capsules, obbs/);
        assert.throws(() => at.findOverlaps({ spheres: [0, 0, 0] }), /spheres: not 4 numbers each \(length 3\)/);
        assert.throws(() => at.findOverlaps({ spheres: [], boxes: [] }), /shapes has boxes and spheres, not one of/);
        assert.throws(() => at.findOverlaps(undefined), /shapes is undefined, not an object with/);
        assert.throws(() => at.anyOverlap({ obbs: [1] }), /obbs: not 15 numbers each/);
        assert.throws(() => at.closestHits({ points: [0, 0, 0] }), /casts has points, not one of rays, boxes, spheres, capsules/);
        assert.throws(() => at.closestHits({ spheres: [0, 0, 0, 1] }), /displacements: not three numbers for each of 1 \(length undefined\)/);
        assert.throws(() => at.findHits({ origins: [0, 0, 0], directions: [1, 0, 0], tMax: [1, 2] }), /tMax is Array of length 2, not one for all or a list of 1/);
        assert.throws(() => at.anyHit({ origins: [0, 0, 0], directions: [1, 0, 0], inside: 'in' }), /inside is "in", not one of miss, negativeT, zero/);
        assert.throws(() => at.anyHit({ boxes: [0, 0, 0, 1, 1, 1], displacements: [0, 0, 1], touch: 'half' }), /touch is "half", not one of closed, open/);
        assert.throws(() => at.closestHit([0, 0], [1, 0, 0]), /origin is Array of length 2, not three numbers/);
        assert.throws(() => at.closestHit([0, 0, 0], 5), /direction is 5, not three numbers/);
    }
    assert.throws(() => tree.closestBoxes([0, 0, 0], { count: 0 }), /count is 0, not an integer from 1/);
    assert.throws(() => tree.closestBoxes([0, 0, 0], { maxDistance: '1' }), /maxDistance is "1", not a number/);
    assert.throws(() => world.closestObjects([0, 0, 0], { count: 65 }), /count is 65, not an integer from 1 to 64/);
    assert.throws(() => tree.box(1), /index is 1, not an integer from 0 to 0/);
    assert.throws(() => tree.setBox(-1, [0, 0, 0, 1, 1, 1]), /index is -1/);
    // Numbers that are no shape find nothing.
    assert.equal(tree.findOverlaps({ spheres: [0, 0, 0, -1] }).length, 0);
    assert.equal(tree.findOverlaps({ capsules: [0, 0, 0, NaN, 0, 0, 1] }).length, 0);
    tree.dispose();
    world.dispose();
});
