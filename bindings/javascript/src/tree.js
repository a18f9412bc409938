// BoxTree.
import { ofClass, realNumber, wholeNumber } from './arguments.js';
import { kBoxFloats } from './memory.js';
import { kShapes } from './queries.js';

export function makeTree(core, queries) {
    const { wasm, memory, rooms, check, checkBatch, placeBoxes, placeFloats, listOfRecords, listOfPairs, records } = core;
    const { roomOut, bitsOf, boxOf } = core;

    class BoxTree extends core.Owner {
        constructor(boxes) {
            super(wasm.tree_new(), wasm.tree_delete);
            if (boxes !== undefined) this.build(boxes);
        }
        build(boxes) {
            const placed = placeBoxes(rooms.a, boxes);
            check(wasm.tree_build(this._at, placed.address, placed.count));
        }
        update(boxes) {
            const placed = placeBoxes(rooms.a, boxes);
            check(wasm.tree_update(this._at, placed.address, placed.count));
        }
        setBox(index, box) {
            wholeNumber(index, 'index', 0, 0x7fffffff);
            check(wasm.tree_set_box(this._at, index, placeFloats(rooms.a, box, kBoxFloats, 'box').address));
        }
        removeBox(index) {
            core.index(index, this.boxCount, 'index');
            check(wasm.tree_remove_box(this._at, index));
        }
        get boxCount() {
            return wasm.tree_box_count(this._at);
        }
        get bounds() {
            return boxOf((out) => wasm.tree_bounds(this._at, out));
        }
        box(index) {
            core.index(index, this.boxCount, 'index');
            return boxOf((out) => wasm.tree_box(this._at, index, out));
        }

        _shapes(shapes, options) {
            const count = queries.shapes(shapes, kShapes);
            queries.treeRules(options, count, this);
            return count;
        }
        _casts(casts, options) {
            const count = queries.casts(casts);
            queries.treeRules(options, count, this);
            return count;
        }
        findOverlaps(shapes, options) {
            this._shapes(shapes, options);
            check(wasm.tree_find_overlaps(this._at));
            return listOfPairs();
        }
        anyOverlap(shapes, options) {
            const count = this._shapes(shapes, options);
            return bitsOf(count, (out) => checkBatch(wasm.tree_any_overlap(this._at, out)));
        }
        firstOverlaps(shapes, options) {
            const count = this._shapes(shapes, options);
            const { shapesPerState, motionCount } = queries.motions(options, count);
            const out = roomOut(motionCount, 1);
            checkBatch(wasm.tree_first_overlaps(this._at, shapesPerState, out, motionCount));
            return core.copyWords(out, motionCount);
        }
        closestHits(casts, options) {
            const count = this._casts(casts, options);
            const out = roomOut(count, 3);
            checkBatch(wasm.tree_closest_hits(this._at, out));
            const hits = records(out, count, 3);
            return { t: hits.floats(1), box: hits.indices(0), face: hits.bytes(8) };
        }
        closestHit(origin, direction, options) {
            const { t, box, face } = this.closestHits(queries.oneRay(origin, direction, options));
            return box[0] < 0 ? null : { t: t[0], box: box[0], face: face[0] };
        }
        findHits(casts, options) {
            this._casts(casts, options);
            check(wasm.tree_find_hits(this._at));
            const hits = listOfRecords(4);
            return { query: hits.words(0), box: hits.words(1), t: hits.floats(2), face: hits.bytes(12) };
        }
        anyHit(casts, options) {
            const count = this._casts(casts, options);
            return bitsOf(count, (out) => checkBatch(wasm.tree_any_hit(this._at, out)));
        }
        closestBoxes(points, options) {
            const pointCount = queries.near(points);
            queries.treeRules(options, pointCount, this);
            const [count, maxDistance] = queries.nearest(options);
            const out = roomOut(pointCount * count, 2);
            checkBatch(wasm.tree_closest_boxes(this._at, count, maxDistance, out));
            const nearest = records(out, pointCount * count, 2);
            return { distanceSq: nearest.floats(0), box: nearest.indices(1) };
        }

        _other(other) {
            return other === undefined ? 0 : ofClass(other, BoxTree, 'other')._at;
        }
        findPairs(other) {
            check(wasm.tree_find_pairs(this._at, this._other(other)));
            return listOfPairs();
        }
        closestPair({ other, maxDistance = Infinity } = {}) {
            const out = roomOut(1, 3);
            wasm.tree_closest_pair(this._at, this._other(other), realNumber(maxDistance, 'maxDistance'), out);
            core.refresh();
            const [distance] = core.copyFloats(out, 1);
            const [, first, second] = memory.words.subarray(out >> 2, (out >> 2) + 3);
            return first === 0xffffffff ? null : { distance, first, second };
        }
        findClosePairs(maxDistance, other) {
            realNumber(maxDistance, 'maxDistance', 0);
            check(wasm.tree_find_close_pairs(this._at, this._other(other), maxDistance));
            const found = listOfRecords(3);
            const [first, second] = [found.words(1), found.words(2)];
            const pairs = new Uint32Array(2 * first.length);
            first.forEach((index, i) => pairs.set([index, second[i]], 2 * i));
            return { pairs, distance: found.floats(0) };
        }
    }
    return BoxTree;
}
