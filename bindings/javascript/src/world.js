// World.
import { BroadsideError, oneOf, realNumber, refuse, shown, vector, wholeNumber, word, words64 } from './arguments.js';
import { kBoxFloats } from './memory.js';
import { kKinds, kShapes } from './queries.js';

const kWorldOrders = ['slot', 'userData'];
const kDescriptionBytes = 80;
const kFilterBytes = 24;
// The bits of the export's fields, in this order.
const kFields = ['category', 'mask', 'group', 'layer'];

export function makeWorld(core, queries) {
    const { wasm, memory, rooms, refresh, resultAt, check, checkBatch, placeBoxes, placeVectors, placeBytes } = core;
    const { copyLongs, listOfRecords, records, roomOut, bitsOf, boxOf } = core;

    function placeHandles(handles) {
        const list = typeof handles === 'bigint' ? BigUint64Array.of(handles) : handles;
        if (!(list instanceof BigUint64Array)) refuse(`handles is ${shown(handles)}, neither a handle nor a BigUint64Array`);
        return { address: core.placeLongs(rooms.d, list), count: list.length, list };
    }
    // A batch over handles, which names a bad one.
    function checkHandles(objects, status) {
        checkBatch(status, (bad) =>
            bad < objects.count ? `handles[${bad}] is ${shown(objects.list[bad])}; wanted an object of this world, once` : 'out of range',
        );
    }

    // Writes an ObjectFilter; returns the fields that are given, as bits.
    function writeFilter(address, given) {
        const { category = -1n, mask = -1n, group = 0, layer = 0 } = given;
        memory.longs[address >> 3] = word(category, 'category');
        memory.longs[(address >> 3) + 1] = word(mask, 'mask');
        memory.words[(address + 16) >> 2] = wholeNumber(group, 'group', -0x80000000, 0x7fffffff);
        memory.words[(address + 20) >> 2] = wholeNumber(layer, 'layer', 0, 0xffff);
        return kFields.reduce((bits, name, k) => (given[name] === undefined ? bits : bits | (1 << k)), 0);
    }
    const marginOf = (margin) => realNumber(margin, 'margin', 0);

    class World extends core.Owner {
        constructor({ order = 'slot', fixedObjectsPair = false } = {}) {
            super(wasm.world_new(oneOf(kWorldOrders, order, 'order'), fixedObjectsPair ? 1 : 0), wasm.world_delete);
        }

        // Objects.

        add(boxes, description = {}) {
            const { kind = 'moving', margin = 0, userData = 0 } = description;
            const placed = placeBoxes(rooms.a, boxes);
            const data = words64(userData, placed.count, 'userData');
            const at = rooms.b.of(kDescriptionBytes);
            memory.words.fill(0, at >> 2, (at + kDescriptionBytes) >> 2);
            memory.bytes[at + 24] = oneOf(kKinds, kind, 'kind');
            writeFilter(at + 32, description);
            memory.floats[(at + 64) >> 2] = marginOf(margin);
            const isCommon = data.every((one) => one === data[0]);
            if (isCommon) memory.longs[(at + 56) >> 3] = data[0] ?? 0n;
            const out = roomOut(placed.count, 2);
            checkBatch(wasm.world_add(this._at, placed.address, placed.count, at, out));
            const handles = copyLongs(out, placed.count);
            if (!isCommon) this.setUserData(handles, data);
            return handles;
        }
        remove(handles) {
            const objects = placeHandles(handles);
            checkHandles(objects, wasm.world_remove(this._at, objects.address, objects.count));
        }
        setBoxes(handles, boxes) {
            const objects = placeHandles(handles);
            const placed = placeBoxes(rooms.a, boxes);
            if (placed.count !== objects.count) refuse(`boxes: ${placed.count} for ${objects.count} handles`);
            checkHandles(objects, wasm.world_set_boxes(this._at, objects.address, placed.address, placed.count));
        }
        setDisplacements(handles, vectors) {
            const objects = placeHandles(handles);
            const address = placeVectors(rooms.a, vectors, objects.count, 'vectors');
            checkBatch(wasm.world_set_displacements(this._at, objects.address, address, objects.count), (bad) =>
                this.isAlive(objects.list[bad])
                    ? `vectors at ${bad} are [${Array.from(vectors).slice(3 * bad, 3 * bad + 3)}], not finite`
                    : `handles[${bad}] is ${shown(objects.list[bad])}; wanted an object of this world`,
            );
        }
        setKind(handles, kind) {
            const objects = placeHandles(handles);
            const index = oneOf(kKinds, kind, 'kind');
            checkHandles(objects, wasm.world_set_kind(this._at, objects.address, objects.count, index));
        }
        setMargin(handles, margin) {
            const objects = placeHandles(handles);
            checkHandles(objects, wasm.world_set_margin(this._at, objects.address, objects.count, marginOf(margin)));
        }
        setFilter(handles, filter) {
            const objects = placeHandles(handles);
            if (filter === null || typeof filter !== 'object') refuse(`filter is ${shown(filter)}, not an object`);
            const address = rooms.b.of(kFilterBytes);
            const fields = writeFilter(address, filter);
            checkHandles(objects, wasm.world_set_filter(this._at, objects.address, objects.count, address, fields));
        }
        setUserData(handles, userData) {
            const objects = placeHandles(handles);
            const address = core.placeLongs(rooms.a, words64(userData, objects.count, 'userData'));
            checkHandles(objects, wasm.world_set_user_data(this._at, objects.address, objects.count, address));
        }
        boxes(handles) {
            const objects = placeHandles(handles);
            const out = roomOut(objects.count, kBoxFloats);
            checkHandles(objects, wasm.world_boxes(this._at, objects.address, objects.count, out));
            return core.copyFloats(out, kBoxFloats * objects.count);
        }
        userData(handles) {
            const objects = placeHandles(handles);
            const out = roomOut(objects.count, 2);
            checkHandles(objects, wasm.world_user_data(this._at, objects.address, objects.count, out));
            return copyLongs(out, objects.count);
        }
        describe(handle) {
            if (typeof handle !== 'bigint') refuse(`handle is ${shown(handle)}, not a bigint`);
            const objects = placeHandles(handle);
            const out = rooms.out.of(kDescriptionBytes);
            checkHandles(objects, wasm.world_describe(this._at, objects.address, out));
            const [category, mask, , userData] = copyLongs(out + 32, 4);
            const [margin, ...displacement] = core.copyFloats(out + 64, 4);
            return {
                box: Array.from(core.copyFloats(out, kBoxFloats)),
                kind: kKinds[memory.bytes[out + 24]],
                category,
                mask,
                group: memory.words[(out + 48) >> 2] | 0,
                layer: memory.words[(out + 52) >> 2] & 0xffff,
                userData,
                margin,
                displacement,
            };
        }
        isAlive(handle) {
            return wasm.world_is_alive(this._at, placeHandles(handle).address) !== 0;
        }
        get objectCount() {
            return wasm.world_object_count(this._at);
        }
        get slotCount() {
            return wasm.world_slot_count(this._at);
        }
        quarantined() {
            const count = wasm.world_quarantined_objects(this._at, 0, 0);
            const out = roomOut(count, 2);
            wasm.world_quarantined_objects(this._at, out, count);
            return copyLongs(out, count);
        }
        get bounds() {
            return boxOf((out) => wasm.world_bounds(this._at, out));
        }
        shiftOrigin(offset) {
            const { address } = core.placeFloats(rooms.a, vector(offset, 'offset'), 3, 'offset');
            check(wasm.world_shift_origin(this._at, address));
        }
        setLayersPair(a, b, mayPair) {
            wholeNumber(a, 'a', 0, 0xffff);
            wholeNumber(b, 'b', 0, 0xffff);
            check(wasm.world_set_layers_pair(this._at, a, b, mayPair ? 1 : 0));
        }
        layersPair(a, b) {
            return wasm.world_layers_pair(this._at, wholeNumber(a, 'a', 0, 0xffff), wholeNumber(b, 'b', 0, 0xffff)) !== 0;
        }

        // Pairs.

        get pairCount() {
            return wasm.world_pair_count(this._at);
        }
        update() {
            check(wasm.world_update(this._at));
            const [begunCount, endedCount, pairCount, changedCount] = [0, 1, 2, 3].map(resultAt);
            const begunAt = wasm.world_begun(this._at);
            const endedAt = wasm.world_ended(this._at);
            const userDataAt = wasm.world_ended_user_data(this._at);
            refresh();
            const ended = new BigUint64Array(2 * endedCount);
            for (let i = 0, at = endedAt >> 3; i < endedCount; ++i, at += 3) {
                ended[2 * i] = memory.longs[at];
                ended[2 * i + 1] = memory.longs[at + 1];
            }
            return {
                begun: copyLongs(begunAt, 2 * begunCount),
                ended,
                endedUserData: copyLongs(userDataAt, 2 * endedCount),
                pairCount,
                changedCount,
            };
        }
        pairs() {
            wasm.world_pairs(this._at);
            refresh();
            if (resultAt(1) !== this.pairCount) throw new BroadsideError('out of memory');
            return copyLongs(resultAt(0), 2 * resultAt(1));
        }
        pairsHash() {
            wasm.world_pairs_hash(this._at);
            refresh();
            return (BigInt(resultAt(1)) << 32n) | BigInt(resultAt(0));
        }
        save() {
            return core.saved(this._at, wasm.world_snapshot_bytes, wasm.world_save);
        }
        restore(snapshot) {
            const address = placeBytes(rooms.a, snapshot, 'snapshot');
            check(wasm.world_restore(this._at, address, snapshot.length));
        }

        // Queries.

        _shapes(shapes, options) {
            const count = queries.shapes(shapes, kShapes);
            queries.worldRules(options, count);
            return count;
        }
        _casts(casts, options) {
            const count = queries.casts(casts);
            queries.worldRules(options, count);
            return count;
        }
        findOverlaps(shapes, options) {
            this._shapes(shapes, options);
            check(wasm.world_find_overlaps(this._at));
            const found = listOfRecords(4);
            return { query: found.words(0), object: found.longs(2) };
        }
        anyOverlap(shapes, options) {
            const count = this._shapes(shapes, options);
            return bitsOf(count, (out) => checkBatch(wasm.world_any_overlap(this._at, out)));
        }
        firstOverlaps(shapes, options) {
            const count = this._shapes(shapes, options);
            const { shapesPerState, motionCount } = queries.motions(options, count);
            const out = roomOut(motionCount, 1);
            checkBatch(wasm.world_first_overlaps(this._at, shapesPerState, out, motionCount));
            return core.copyWords(out, motionCount);
        }
        closestHits(casts, options) {
            const count = this._casts(casts, options);
            const out = roomOut(count, 4);
            checkBatch(wasm.world_closest_hits(this._at, out));
            const hits = records(out, count, 4);
            return { t: hits.floats(2), object: hits.longs(0), face: hits.bytes(12) };
        }
        closestHit(origin, direction, options) {
            const { t, object, face } = this.closestHits(queries.oneRay(origin, direction, options), options);
            return object[0] === 0n ? null : { t: t[0], object: object[0], face: face[0] };
        }
        findHits(casts, options) {
            this._casts(casts, options);
            check(wasm.world_find_hits(this._at));
            const hits = listOfRecords(6);
            return { query: hits.words(0), object: hits.longs(2), t: hits.floats(4), face: hits.bytes(20) };
        }
        anyHit(casts, options) {
            const count = this._casts(casts, options);
            return bitsOf(count, (out) => checkBatch(wasm.world_any_hit(this._at, out)));
        }
        closestObjects(points, options) {
            const pointCount = queries.near(points);
            queries.worldRules(options, pointCount);
            const [count, maxDistance] = queries.nearest(options, 64);
            const out = roomOut(pointCount * count, 4);
            checkBatch(wasm.world_closest_objects(this._at, count, maxDistance, out));
            const nearest = records(out, pointCount * count, 4);
            return { distanceSq: nearest.floats(0), object: nearest.longs(2) };
        }
    }
    return World;
}
