// Times of the package and of other npm packages on the same boxes, after a comparison of their results:
// node bench.mjs [--quick] [--json FILE]
// Rounds are interleaved, and medians are printed.
import { writeFileSync } from 'node:fs';

import boxIntersect from 'box-intersect';
import Flatbush from 'flatbush';
import RBush from 'rbush';

import { load } from 'broadside';
import { columnsOf, generator, randomBoxes } from './support.mjs';

const isQuick = process.argv.includes('--quick');
const jsonAt = process.argv.indexOf('--json');
const rounds = isQuick ? 3 : 15;
const simd = await load();
const scalar = await load({ simd: false });

// Boxes of edge 1 on average, three neighbours each.
const sideOf = (count, dimensions) => (dimensions === 3 ? Math.cbrt(count * 2.7) : Math.sqrt(count * 1.35));
function scene(count, dimensions) {
    const boxes = randomBoxes(7, count, sideOf(count, dimensions));
    if (dimensions === 2) for (let i = 0; i < count; ++i) boxes[6 * i + 2] = boxes[6 * i + 5] = 0;
    return boxes;
}

const rows = [];
function compare(what, per, contestants) {
    const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
    const results = {};
    for (let round = 0; round < rounds + 1; ++round) {
        for (const [name, run] of Object.entries(contestants)) {
            const begin = performance.now();
            const result = run();
            if (round > 0) times[name].push(performance.now() - begin);
            results[name] = result;
        }
    }
    const [first] = Object.keys(results);
    for (const name of Object.keys(results)) {
        if (results[name] !== results[first]) {
            throw new Error(`${what}: ${name} finds ${results[name]}, ${first} finds ${results[first]}`);
        }
    }
    const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const row = { what, per };
    for (const name of Object.keys(times)) row[name] = (median(times[name]) / per) * 1e6;
    rows.push(row);
    console.log(
        `${what}: ${Object.keys(times)
            .map((name) => `${name} ${row[name].toPrecision(3)}`)
            .join(', ')} ns each`,
    );
}

for (const count of isQuick ? [1000] : [1000, 10000, 100000]) {
    const boxes = scene(count, 3);
    const ownSimd = new simd.Boxes(count).assign(boxes);
    const ownScalar = new scalar.Boxes(count).assign(boxes);
    const arrays = Array.from({ length: count }, (_, i) => Array.from(boxes.subarray(6 * i, 6 * i + 6)));
    compare(`all pairs of ${count} boxes`, count, {
        broadside: () => simd.findPairs(ownSimd, { order: 'asFound' }).pairs.length / 2,
        'broadside, canonical order': () => simd.findPairs(ownSimd).pairs.length / 2,
        'broadside without SIMD': () => scalar.findPairs(ownScalar, { order: 'asFound' }).pairs.length / 2,
        'box-intersect': () => {
            let pairCount = 0;
            boxIntersect(arrays, () => void ++pairCount);
            return pairCount;
        },
    });

    const flat = scene(count, 2);
    const items = Array.from({ length: count }, (_, i) => ({
        minX: flat[6 * i], minY: flat[6 * i + 1], maxX: flat[6 * i + 3], maxY: flat[6 * i + 4], index: i,
    }));
    const columns = columnsOf(flat);
    compare(`all pairs of ${count} flat boxes, including the build of trees`, count, {
        broadside: () => simd.findPairs(columns, { order: 'asFound' }).pairs.length / 2,
        'broadside without SIMD': () => scalar.findPairs(columns, { order: 'asFound' }).pairs.length / 2,
        flatbush: () => {
            const tree = new Flatbush(count, 16, Float32Array);
            for (const item of items) tree.add(item.minX, item.minY, item.maxX, item.maxY);
            tree.finish();
            let pairCount = 0;
            items.forEach((item, i) => {
                pairCount += tree.search(item.minX, item.minY, item.maxX, item.maxY, (j) => j > i).length;
            });
            return pairCount;
        },
        rbush: () => {
            const tree = new RBush().load(items);
            let pairCount = 0;
            for (const item of items) for (const other of tree.search(item)) pairCount += other.index > item.index ? 1 : 0;
            return pairCount;
        },
    });

    const queryBoxes = scene(1000, 2);
    const next = generator(3);
    for (let i = 0; i < 1000; ++i) {
        const [x, y] = [next() * sideOf(count, 2), next() * sideOf(count, 2)];
        queryBoxes.set([x, y, 0, x + 4, y + 4, 0], 6 * i);
    }
    const queryObjects = Array.from({ length: 1000 }, (_, i) => ({
        minX: queryBoxes[6 * i], minY: queryBoxes[6 * i + 1], maxX: queryBoxes[6 * i + 3], maxY: queryBoxes[6 * i + 4],
    }));
    const tree = new simd.BoxTree(flat);
    const treeScalar = new scalar.BoxTree(flat);
    const flatbush = new Flatbush(count, 16, Float32Array);
    for (const item of items) flatbush.add(item.minX, item.minY, item.maxX, item.maxY);
    flatbush.finish();
    const rbush = new RBush().load(items);
    const one = new Float32Array(6);
    compare(`boxes that overlap a query box of width 4, among ${count} flat ones`, 1000, {
        broadside: () => tree.findOverlaps(queryBoxes).length / 2,
        'broadside, one at a time': () => {
            let found = 0;
            for (let i = 0; i < 1000; ++i) {
                one.set(queryBoxes.subarray(6 * i, 6 * i + 6));
                found += tree.findOverlaps(one).length / 2;
            }
            return found;
        },
        'broadside without SIMD': () => treeScalar.findOverlaps(queryBoxes).length / 2,
        flatbush: () => queryObjects.reduce((sum, q) => sum + flatbush.search(q.minX, q.minY, q.maxX, q.maxY).length, 0),
        rbush: () => queryObjects.reduce((sum, q) => sum + rbush.search(q).length, 0),
    });
    compare(`build of a tree of ${count} flat boxes`, count, {
        broadside: () => (tree.build(flat), count),
        'broadside without SIMD': () => (treeScalar.build(flat), count),
        flatbush: () => {
            const built = new Flatbush(count, 16, Float32Array);
            for (const item of items) built.add(item.minX, item.minY, item.maxX, item.maxY);
            built.finish();
            return count;
        },
        rbush: () => (new RBush().load(items), count),
    });

    // Every box moves by a hundredth of its size in each frame; update and read the begun and ended pairs.
    const moving = { boxes: new Float32Array(boxes), own: new simd.Boxes(count), frame: 0 };
    const step = () => {
        const by = ++moving.frame % 2 === 0 ? -0.01 : 0.01;
        for (let i = 0; i < count; ++i) {
            const way = i % 2 === 0 ? by : -by;
            moving.boxes[6 * i] += way;
            moving.boxes[6 * i + 3] += way;
        }
        moving.own.assign(moving.boxes);
    };
    const world = new simd.World();
    const handles = world.add(boxes);
    world.update();
    const frames = [];
    for (let frame = 0; frame < (isQuick ? 5 : 60); ++frame) {
        step();
        const begin = performance.now();
        world.setBoxes(handles, moving.own);
        world.update();
        frames.push(performance.now() - begin);
    }
    frames.sort((a, b) => a - b);
    const row = {
        what: `a frame of a world of ${count} boxes, all moving`,
        per: count,
        broadside: (frames[frames.length >> 1] / count) * 1e6,
    };
    rows.push(row);
    console.log(`${row.what}: broadside ${row.broadside.toPrecision(3)} ns each`);
    for (const owner of [world, tree, treeScalar, ownSimd, ownScalar, moving.own]) owner.dispose();
}

const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'what' && name !== 'per');
console.log(`\n| nanoseconds, median | ${names.join(' | ')} |\n|---|${names.map(() => '--:').join('|')}|`);
for (const row of rows) {
    console.log(`| ${row.what} | ${names.map((n) => (row[n] === undefined ? '' : row[n].toPrecision(3))).join(' | ')} |`);
}
if (jsonAt > 0) writeFileSync(process.argv[jsonAt + 1], JSON.stringify({ node: process.version, rows }, null, 1));
