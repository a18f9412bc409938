// The library as JavaScript objects over one instance of the WebAssembly module. The C++ header of the same
// name documents each call; comments here describe only the forms of its arguments and results.

/** The error that every failing call throws. */
export class BroadsideError extends Error {
    constructor(status, badIndex) {
        super(badIndex === undefined ? status : `${status}, item ${badIndex}`);
        this.name = 'BroadsideError';
        this.status = status;
        this.badIndex = badIndex;
    }
}

const kOrders = { canonical: 0, asFound: 1 };
const kAlgorithms = { automatic: 0, bruteForce: 1, sweepAndPrune: 2, cells: 3 };
const kWorldOrders = { slot: 0, userData: 1 };
const kKinds = { moving: 0, resting: 1, fixed: 2 };
const kTouch = { closed: 0, open: 1 };
const kNone = 0xffffffff;
const kBoxFloats = 6;

function oneOf(table, name, what) {
    const value = table[name];
    if (value === undefined) {
        throw new BroadsideError(`invalid argument: ${what} is "${name}", not one of ${Object.keys(table).join(', ')}`);
    }
    return value;
}

function kindBits(kinds) {
    if (kinds === undefined) return 7;
    return kinds.reduce((bits, kind) => bits | (1 << oneOf(kKinds, kind, 'kinds')), 0);
}

function refuse(text) {
    throw new BroadsideError(`invalid argument: ${text}`);
}

/** Makes the API over a compiled module; `load` of the package's entries calls it. */
export async function instantiate(module) {
    let wasm;
    let bytes = new Uint8Array(0);
    let words = new Uint32Array(0);
    let floats = new Float32Array(0);

    // A call may grow the memory, which detaches every view of it.
    function refresh() {
        if (bytes.buffer === wasm.memory.buffer) return;
        bytes = new Uint8Array(wasm.memory.buffer);
        words = new Uint32Array(wasm.memory.buffer);
        floats = new Float32Array(wasm.memory.buffer);
    }

    const imports = {
        env: { emscripten_notify_memory_growth: () => {} },
        wasi_snapshot_preview1: {
            environ_sizes_get: (count, size) => {
                refresh();
                words[count >> 2] = 0;
                words[size >> 2] = 0;
                return 0;
            },
            environ_get: () => 0,
            clock_time_get: (clock, precision, time) => {
                refresh();
                const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
                words[time >> 2] = Number(nanoseconds & 0xffffffffn);
                words[(time >> 2) + 1] = Number(nanoseconds >> 32n);
                return 0;
            },
            proc_exit: (code) => {
                throw new Error(`broadside: the module ended itself with ${code}`);
            },
        },
    };
    wasm = (await WebAssembly.instantiate(module, imports)).exports;
    wasm._initialize();
    refresh();
    const answer = wasm.answer_address() >> 2;

    function text(address) {
        if (address === 0) return null;
        refresh();
        return new TextDecoder().decode(bytes.subarray(address, bytes.indexOf(0, address)));
    }

    function check(status) {
        refresh();
        if (status === 0) return;
        throw new BroadsideError(text(wasm.status_text(status)), undefined);
    }
    function checkBatch(status) {
        refresh();
        if (status === 0) return;
        const bad = words[answer];
        throw new BroadsideError(text(wasm.status_text(status)), bad === kNone ? undefined : bad);
    }

    const freed = new FinalizationRegistry(({ free, address }) => free(address));

    // An object in the module's memory, freed by `dispose` or when it is no longer reachable.
    class Owner {
        constructor(address, free) {
            if (address === 0) throw new BroadsideError('out of memory');
            this._address = address;
            this._free = free;
            freed.register(this, { free, address }, this);
        }
        /** Its address; throws if it was disposed of. */
        get _at() {
            if (this._address === 0) refuse('the object was disposed of');
            return this._address;
        }
        dispose() {
            if (this._address === 0) return;
            freed.unregister(this);
            this._free(this._address);
            this._address = 0;
        }
    }
    if (Symbol.dispose) {
        Owner.prototype[Symbol.dispose] = function () {
            this.dispose();
        };
    }

    // Memory for the arguments and results of one call. Grow-only.
    class Room {
        constructor() {
            this.address = 0;
            this.size = 0;
        }
        of(size) {
            if (size > this.size) {
                wasm.release(this.address);
                this.size = Math.max(size, 2 * this.size, 1024);
                this.address = wasm.allocate(this.size);
                if (this.address === 0) {
                    this.size = 0;
                    throw new BroadsideError('out of memory');
                }
            }
            refresh();
            return this.address;
        }
    }
    const rooms = { a: new Room(), b: new Room(), c: new Room(), d: new Room(), out: new Room() };

    /**
     * Boxes in the module's own memory, which calls take without a copy. Columns are views. A view from before the
     * memory grew is empty, so read `boxes.minX` again after calls.
     */
    class Boxes extends Owner {
        constructor(count) {
            if (!Number.isInteger(count) || count < 0) refuse(`Boxes: count is ${count}`);
            super(wasm.allocate(Math.max(1, count) * kBoxFloats * 4), wasm.release);
            this.count = count;
            refresh();
            floats.fill(0, this._at >> 2, (this._at >> 2) + kBoxFloats * count);
        }
        _column(k) {
            refresh();
            const begin = (this._at >> 2) + k * this.count;
            return floats.subarray(begin, begin + this.count);
        }
        get minX() { return this._column(0); }
        get minY() { return this._column(1); }
        get minZ() { return this._column(2); }
        get maxX() { return this._column(3); }
        get maxY() { return this._column(4); }
        get maxZ() { return this._column(5); }
        /** Box `index` as [min x, y, z, max x, y, z]. */
        get(index) {
            if (!(index >= 0 && index < this.count)) refuse(`Boxes: index is ${index} of ${this.count}`);
            return Array.from({ length: kBoxFloats }, (_, k) => this._column(k)[index]);
        }
        set(index, box) {
            if (!(index >= 0 && index < this.count)) refuse(`Boxes: index is ${index} of ${this.count}`);
            for (let k = 0; k < kBoxFloats; ++k) this._column(k)[index] = box[k];
        }
        /** All boxes at once, in any form that calls take. */
        assign(boxes) {
            const count = countOf(boxes);
            if (count !== this.count) refuse(`boxes: ${count}, not ${this.count}`);
            refresh();
            writeBoxes(boxes, this._at >> 2, count);
            return this;
        }
    }

    const kColumns = ['minX', 'minY', 'minZ', 'maxX', 'maxY', 'maxZ'];

    function countOf(boxes) {
        if (boxes instanceof Boxes) return boxes.count;
        if (boxes && boxes.minX !== undefined) {
            for (const name of kColumns) {
                if (boxes[name] === undefined && name.endsWith('Z') && boxes.minZ === boxes.maxZ) continue;
                if (boxes[name]?.length !== boxes.minX.length) {
                    refuse(`boxes: ${name} has ${boxes[name]?.length} numbers, minX has ${boxes.minX.length}`);
                }
            }
            return boxes.minX.length;
        }
        if (boxes?.length === undefined || boxes.length % kBoxFloats !== 0) {
            refuse(`boxes: neither columns nor six numbers each (length ${boxes?.length})`);
        }
        return boxes.length / kBoxFloats;
    }

    function writeBoxes(boxes, begin, count) {
        if (boxes.minX !== undefined) {
            for (let k = 0; k < kBoxFloats; ++k) {
                const column = boxes[kColumns[k]];
                if (column === undefined) floats.fill(0, begin + k * count, begin + (k + 1) * count);
                else floats.set(column, begin + k * count);
            }
            return;
        }
        for (let k = 0; k < kBoxFloats; ++k) {
            const column = begin + k * count;
            for (let i = 0; i < count; ++i) floats[column + i] = boxes[kBoxFloats * i + k];
        }
    }

    // Boxes of any form as columns in the module's memory. `Boxes` are there already.
    function placeBoxes(room, boxes) {
        const count = countOf(boxes);
        if (boxes instanceof Boxes) return { address: boxes._at, count };
        const address = room.of(Math.max(1, count) * kBoxFloats * 4);
        writeBoxes(boxes, address >> 2, count);
        return { address, count };
    }

    // Numbers unchanged, `stride` to an item.
    function placeFloats(room, numbers, stride, what) {
        if (numbers?.length === undefined || numbers.length % stride !== 0) {
            refuse(`${what}: not ${stride} numbers each (length ${numbers?.length})`);
        }
        const address = room.of(Math.max(1, numbers.length) * 4);
        floats.set(numbers, address >> 2);
        return { address, count: numbers.length / stride };
    }

    // Vectors as columns.
    function placeVectors(room, vectors, count, what) {
        if (vectors?.length !== 3 * count) refuse(`${what}: not three numbers for each of ${count}`);
        const address = room.of(Math.max(1, count) * 12);
        for (let k = 0; k < 3; ++k) {
            const column = (address >> 2) + k * count;
            for (let i = 0; i < count; ++i) floats[column + i] = vectors[3 * i + k];
        }
        return address;
    }

    function placeHandles(room, handles) {
        const list = typeof handles === 'bigint' ? BigUint64Array.of(handles) : handles;
        if (!(list instanceof BigUint64Array)) refuse('handles: neither a handle nor a BigUint64Array');
        const address = room.of(Math.max(1, list.length) * 8);
        new BigUint64Array(wasm.memory.buffer, address, list.length).set(list);
        return { address, count: list.length };
    }

    // Rays of seven floats each: origin, direction, reach.
    function placeRays(room, { origins, directions, tMax }) {
        const count = origins?.length / 3;
        if (!Number.isInteger(count) || directions?.length !== origins.length) {
            refuse('rays: origins and directions do not have three numbers each');
        }
        if (tMax !== undefined && typeof tMax !== 'number' && tMax.length !== count) refuse('rays: not one tMax each');
        const address = room.of(Math.max(1, count) * 28);
        for (let i = 0, at = address >> 2; i < count; ++i, at += 7) {
            for (let k = 0; k < 3; ++k) {
                floats[at + k] = origins[3 * i + k];
                floats[at + 3 + k] = directions[3 * i + k];
            }
            floats[at + 6] = tMax === undefined ? Infinity : typeof tMax === 'number' ? tMax : tMax[i];
        }
        return { address, count };
    }

    const copyWords = (address, count) => words.slice(address >> 2, (address >> 2) + count);
    const listOfPairs = () => copyWords(words[answer], 2 * words[answer + 1]);
    const handlesAt = (address, count) => new BigUint64Array(wasm.memory.buffer.slice(address, address + 8 * count));

    // Reads a column out of records of `stride` words.
    function column(Type, address, count, stride, offset) {
        const out = new Type(count);
        const source = Type === Float32Array ? floats : words;
        for (let i = 0, at = (address >> 2) + offset; i < count; ++i, at += stride) out[i] = source[at];
        return out;
    }
    function faces(address, count, stride, offset) {
        const out = new Uint8Array(count);
        for (let i = 0; i < count; ++i) out[i] = bytes[address + 4 * (stride * i + offset)];
        return out;
    }
    function handleColumn(address, count, stride, offset) {
        const out = new BigUint64Array(count);
        const source = new BigUint64Array(wasm.memory.buffer);
        for (let i = 0, at = (address >> 3) + offset / 2; i < count; ++i, at += stride / 2) out[i] = source[at];
        return out;
    }

    let finder = 0;

    function findPairs(boxes, { other, order = 'canonical', algorithm = 'automatic' } = {}) {
        if (finder === 0) finder = wasm.finder_new();
        if (finder === 0) throw new BroadsideError('out of memory');
        const a = placeBoxes(rooms.a, boxes);
        const b = other === undefined ? { address: 0, count: 0 } : placeBoxes(rooms.b, other);
        check(
            wasm.finder_find(
                finder, a.address, a.count, a.count, b.address, b.count, b.count, other === undefined ? 0 : 1,
                oneOf(kOrders, order, 'order'), oneOf(kAlgorithms, algorithm, 'algorithm'),
            ),
        );
        const invalid = (at) => ({ count: words[at], firstIndex: words[at] === 0 ? -1 : words[at + 1] });
        return { pairs: listOfPairs(), invalid: invalid(answer + 2), invalidOther: invalid(answer + 4) };
    }

    function timesOfImpact(a, aMoves, b, bMoves, { touch = 'closed' } = {}) {
        const count = countOf(a);
        if (countOf(b) !== count) refuse(`b: ${countOf(b)} boxes, but a has ${count}`);
        const placedA = placeBoxes(rooms.a, a);
        const placedB = placeBoxes(rooms.b, b);
        const movesA = placeVectors(rooms.c, aMoves, count, 'aMoves');
        const movesB = placeVectors(rooms.d, bMoves, count, 'bMoves');
        const out = rooms.out.of(Math.max(1, count) * 4);
        checkBatch(
            wasm.find_times_of_impact(
                placedA.address, movesA, placedB.address, movesB, count, count, oneOf(kTouch, touch, 'touch'), out,
            ),
        );
        return floats.slice(out >> 2, (out >> 2) + count);
    }

    class BoxTree extends Owner {
        constructor(boxes) {
            super(wasm.tree_new(), wasm.tree_delete);
            if (boxes !== undefined) this.build(boxes);
        }
        build(boxes) {
            const placed = placeBoxes(rooms.a, boxes);
            check(wasm.tree_build(this._at, placed.address, placed.count, placed.count));
        }
        update(boxes) {
            const placed = placeBoxes(rooms.a, boxes);
            check(wasm.tree_update(this._at, placed.address, placed.count, placed.count));
        }
        setBox(index, box) {
            check(wasm.tree_set_box(this._at, index, placeFloats(rooms.a, box, kBoxFloats, 'box').address));
        }
        removeBox(index) {
            check(wasm.tree_remove_box(this._at, index));
        }
        get boxCount() {
            return wasm.tree_box_count(this._at);
        }
        _overlaps(call, numbers, stride, what) {
            const placed = placeFloats(rooms.a, numbers, stride, what);
            check(call(this._at, placed.address, placed.count));
            return listOfPairs();
        }
        findOverlaps(boxes) {
            return this._overlaps(wasm.tree_find_overlaps_of_boxes, boxes, kBoxFloats, 'boxes');
        }
        findPoints(points) {
            return this._overlaps(wasm.tree_find_overlaps_of_points, points, 3, 'points');
        }
        findSpheres(spheres) {
            return this._overlaps(wasm.tree_find_overlaps_of_spheres, spheres, 4, 'spheres');
        }
        findPairs() {
            check(wasm.tree_find_pairs(this._at));
            return listOfPairs();
        }
        closestHits(rays) {
            const placed = placeRays(rooms.a, rays);
            const out = rooms.out.of(Math.max(1, placed.count) * 12);
            checkBatch(wasm.tree_closest_hits(this._at, placed.address, placed.count, out));
            const box = column(Int32Array, out, placed.count, 3, 1);
            return { t: column(Float32Array, out, placed.count, 3, 0), box, face: faces(out, placed.count, 3, 2) };
        }
        findHits(rays) {
            const placed = placeRays(rooms.a, rays);
            check(wasm.tree_find_hits(this._at, placed.address, placed.count));
            const [address, count] = [words[answer], words[answer + 1]];
            return {
                ray: column(Uint32Array, address, count, 4, 0),
                box: column(Uint32Array, address, count, 4, 1),
                t: column(Float32Array, address, count, 4, 2),
                face: faces(address, count, 4, 3),
            };
        }
        closestBoxes(points, { count = 1, maxDistance = Infinity } = {}) {
            const placed = placeFloats(rooms.a, points, 3, 'points');
            const total = placed.count * count;
            const out = rooms.out.of(Math.max(1, total) * 8);
            checkBatch(wasm.tree_closest_boxes(this._at, placed.address, placed.count, count, maxDistance, out));
            return { distanceSq: column(Float32Array, out, total, 2, 0), box: column(Int32Array, out, total, 2, 1) };
        }
    }

    class World extends Owner {
        constructor({ order = 'slot', fixedObjectsPair = false } = {}) {
            super(wasm.world_new(oneOf(kWorldOrders, order, 'order'), fixedObjectsPair ? 1 : 0), wasm.world_delete);
        }
        add(boxes, description = {}) {
            const { kind = 'moving', layer = 0, category = kNone, mask = kNone, group = 0, margin = 0 } = description;
            const { userData = 0 } = description;
            if (!Number.isSafeInteger(userData) || userData < 0) refuse(`userData is ${userData}`);
            if (!(layer >= 0 && layer < 65536)) refuse(`layer is ${layer}`);
            const placed = placeBoxes(rooms.a, boxes);
            const out = rooms.out.of(Math.max(1, placed.count) * 8);
            checkBatch(
                wasm.world_add(
                    this._at, placed.address, placed.count, placed.count, oneOf(kKinds, kind, 'kind'), layer, category,
                    mask, group, margin, userData, out,
                ),
            );
            return handlesAt(out, placed.count);
        }
        remove(handles) {
            const placed = placeHandles(rooms.b, handles);
            checkBatch(wasm.world_remove(this._at, placed.address, placed.count));
        }
        setBoxes(handles, boxes) {
            const objects = placeHandles(rooms.b, handles);
            const placed = placeBoxes(rooms.a, boxes);
            if (placed.count !== objects.count) refuse(`boxes: ${placed.count} for ${objects.count} handles`);
            checkBatch(wasm.world_set_boxes(this._at, objects.address, placed.address, placed.count, placed.count));
        }
        setDisplacements(handles, vectors) {
            const objects = placeHandles(rooms.b, handles);
            const address = placeVectors(rooms.a, vectors, objects.count, 'vectors');
            checkBatch(
                wasm.world_set_displacements(this._at, objects.address, address, objects.count, objects.count),
            );
        }
        setKind(handles, kind) {
            const objects = placeHandles(rooms.b, handles);
            checkBatch(wasm.world_set_kind(this._at, objects.address, objects.count, oneOf(kKinds, kind, 'kind')));
        }
        setLayersPair(a, b, mayPair) {
            check(wasm.world_set_layers_pair(this._at, a, b, mayPair ? 1 : 0));
        }
        isAlive(handle) {
            return wasm.world_is_alive(this._at, Number(handle & 0xffffffffn), Number(handle >> 32n)) !== 0;
        }
        get objectCount() {
            return wasm.world_object_count(this._at);
        }
        get slotCount() {
            return wasm.world_slot_count(this._at);
        }
        get pairCount() {
            return wasm.world_pair_count(this._at);
        }
        update() {
            check(wasm.world_update(this._at));
            const [begunCount, endedCount, pairCount, changedCount] = words.subarray(answer, answer + 4);
            const begun = handlesAt(wasm.world_begun(this._at), 2 * begunCount);
            const endedAt = wasm.world_ended(this._at);
            const ended = new BigUint64Array(2 * endedCount);
            const source = new BigUint64Array(wasm.memory.buffer, endedAt, 3 * endedCount);
            for (let i = 0; i < endedCount; ++i) {
                ended[2 * i] = source[3 * i];
                ended[2 * i + 1] = source[3 * i + 1];
            }
            return { begun, ended, pairCount, changedCount };
        }
        pairs() {
            wasm.world_pairs(this._at);
            refresh();
            if (words[answer + 1] !== this.pairCount) throw new BroadsideError('out of memory');
            return handlesAt(words[answer], 2 * words[answer + 1]);
        }
        pairsHash() {
            wasm.world_pairs_hash(this._at);
            refresh();
            return (BigInt(words[answer + 1]) << 32n) | BigInt(words[answer]);
        }
        save() {
            const size = wasm.world_snapshot_bytes(this._at);
            const out = rooms.out.of(size);
            check(wasm.world_save(this._at, out, size));
            return bytes.slice(out, out + size);
        }
        restore(snapshot) {
            const address = rooms.a.of(Math.max(1, snapshot.length));
            bytes.set(snapshot, address);
            check(wasm.world_restore(this._at, address, snapshot.length));
        }
        _overlaps(call, numbers, stride, what, kinds) {
            const placed = placeFloats(rooms.a, numbers, stride, what);
            check(call(this._at, placed.address, placed.count, kindBits(kinds)));
            const [address, count] = [words[answer], words[answer + 1]];
            return { query: column(Uint32Array, address, count, 4, 0), object: handleColumn(address, count, 4, 2) };
        }
        findOverlaps(boxes, { kinds } = {}) {
            return this._overlaps(wasm.world_find_overlaps_of_boxes, boxes, kBoxFloats, 'boxes', kinds);
        }
        findSpheres(spheres, { kinds } = {}) {
            return this._overlaps(wasm.world_find_overlaps_of_spheres, spheres, 4, 'spheres', kinds);
        }
        _closest(out, count) {
            return {
                t: column(Float32Array, out, count, 6, 0),
                object: handleColumn(out, count, 6, 2),
                face: faces(out, count, 6, 4),
            };
        }
        closestHits(rays, { kinds } = {}) {
            const placed = placeRays(rooms.a, rays);
            const out = rooms.out.of(Math.max(1, placed.count) * 24);
            checkBatch(wasm.world_closest_hits(this._at, placed.address, placed.count, kindBits(kinds), out));
            return this._closest(out, placed.count);
        }
        castSpheres(casts, { kinds } = {}) {
            const placed = placeFloats(rooms.a, casts, 8, 'casts');
            const out = rooms.out.of(Math.max(1, placed.count) * 24);
            checkBatch(
                wasm.world_closest_sphere_impacts(this._at, placed.address, placed.count, kindBits(kinds), out),
            );
            return this._closest(out, placed.count);
        }
        closestObjects(points, { count = 1, maxDistance = Infinity, kinds } = {}) {
            const placed = placeFloats(rooms.a, points, 3, 'points');
            const total = placed.count * count;
            const out = rooms.out.of(Math.max(1, total) * 16);
            checkBatch(
                wasm.world_closest_objects(
                    this._at, placed.address, placed.count, count, maxDistance, kindBits(kinds), out,
                ),
            );
            return { distanceSq: column(Float32Array, out, total, 4, 0), object: handleColumn(out, total, 4, 2) };
        }
    }

    const isas = [];
    for (let k = 0, name; (name = text(wasm.isa_text(k))) !== null; ++k) isas.push(name);
    return {
        version: text(wasm.version_text()),
        isas,
        get isa() {
            return text(wasm.active_isa_text());
        },
        set isa(name) {
            const index = isas.indexOf(name);
            if (index < 0) refuse(`isa is "${name}", not one of ${isas.join(', ')}`);
            check(wasm.set_isa(index));
        },
        get memoryBytes() {
            return wasm.memory.buffer.byteLength;
        },
        Boxes,
        BoxTree,
        World,
        findPairs,
        timesOfImpact,
    };
}

// The shortest module with a SIMD instruction, which an engine without SIMD refuses.
const kSimdProbe = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];
export const hasSimd = () => WebAssembly.validate(new Uint8Array(kSimdProbe));
