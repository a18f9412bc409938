// The memory of one instance of the WebAssembly module: objects in it, and arrays that calls take and return.
import { BroadsideError, refuse, shown, wholeNumber } from './arguments.js';

const kNone = 0xffffffff;
export const kBoxFloats = 6;

/** Makes an instance of a compiled module. */
export async function openMemory(module) {
    let wasm;
    let resultStart = 0;
    // Views of the whole memory.
    const memory = { bytes: new Uint8Array(0), words: new Uint32Array(0), floats: new Float32Array(0) };

    // A call may grow the memory, which detaches every view of it.
    function refresh() {
        const buffer = wasm.memory.buffer;
        if (memory.bytes.buffer === buffer) return;
        memory.bytes = new Uint8Array(buffer);
        memory.words = new Uint32Array(buffer);
        memory.floats = new Float32Array(buffer);
        memory.longs = new BigUint64Array(buffer);
    }

    // The caller's function in the call that runs: what it throws is thrown once the module has returned. It must not
    // call the library, whose memory for arguments is in use.
    const layers = { accepts: undefined, isAsked: false, failure: undefined };
    function acceptsLayer(layer) {
        if (layers.failure !== undefined) return 0;
        layers.isAsked = true;
        try {
            return layers.accepts(layer) ? 1 : 0;
        } catch (error) {
            layers.failure = { error };
            return 0;
        } finally {
            layers.isAsked = false;
        }
    }
    function refuseWhileAsked() {
        if (layers.isAsked) refuse('layers: the function calls the library');
    }

    const imports = {
        env: { emscripten_notify_memory_growth: () => {}, accepts_layer: acceptsLayer },
        wasi_snapshot_preview1: {
            environ_sizes_get: (count, size) => {
                refresh();
                memory.words[count >> 2] = 0;
                memory.words[size >> 2] = 0;
                return 0;
            },
            environ_get: () => 0,
            clock_time_get: (clock, precision, time) => {
                refresh();
                memory.longs[time >> 3] = BigInt(Math.round(performance.now() * 1e6));
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
    resultStart = wasm.result_address() >> 2;

    function text(address) {
        if (address === 0) return null;
        refresh();
        return new TextDecoder().decode(memory.bytes.subarray(address, memory.bytes.indexOf(0, address)));
    }

    /** Result `index` of the last call besides its status. */
    function resultAt(index) {
        return memory.words[resultStart + index];
    }

    // After a call.
    function returned() {
        refresh();
        const { failure } = layers;
        layers.failure = undefined;
        if (failure !== undefined) throw failure.error;
    }

    /** Throws unless a status is ok. */
    function check(status) {
        returned();
        if (status !== 0) throw new BroadsideError(text(wasm.status_text(status)), undefined);
    }
    /** The same for a call whose first result is the bad item. `explain` says more about that. */
    function checkBatch(status, explain) {
        returned();
        if (status === 0) return;
        const bad = resultAt(0);
        const name = text(wasm.status_text(status));
        if (bad === kNone) throw new BroadsideError(name, undefined);
        const error = new BroadsideError(name, bad);
        if (explain !== undefined) error.message += `: ${explain(bad)}`;
        throw error;
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
            refuseWhileAsked();
            if (this._address === 0) refuse(`the ${this.constructor.name} was disposed of`);
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
            refuseWhileAsked();
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
            if (!Number.isInteger(count) || count < 0) refuse(`Boxes: count is ${shown(count)}, not an integer from 0 on`);
            super(wasm.allocate(Math.max(1, count) * kBoxFloats * 4), wasm.release);
            this.count = count;
            refresh();
            memory.floats.fill(0, this._at >> 2, (this._at >> 2) + kBoxFloats * count);
        }
        _column(k) {
            refresh();
            const begin = (this._at >> 2) + k * this.count;
            return memory.floats.subarray(begin, begin + this.count);
        }
        get minX() { return this._column(0); }
        get minY() { return this._column(1); }
        get minZ() { return this._column(2); }
        get maxX() { return this._column(3); }
        get maxY() { return this._column(4); }
        get maxZ() { return this._column(5); }
        /** Box `index` as [min x, y, z, max x, y, z]. */
        get(index) {
            if (!(index >= 0 && index < this.count)) refuse(`Boxes: index is ${shown(index)} of ${this.count}`);
            return Array.from({ length: kBoxFloats }, (_, k) => this._column(k)[index]);
        }
        set(index, box) {
            if (!(index >= 0 && index < this.count)) refuse(`Boxes: index is ${shown(index)} of ${this.count}`);
            if (box?.length !== kBoxFloats) refuse(`Boxes: box is ${shown(box)}, not six numbers`);
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

    function countOf(boxes, what = 'boxes') {
        if (boxes instanceof Boxes) return boxes.count;
        if (boxes?.minX !== undefined) {
            for (const name of kColumns) {
                if (boxes[name] === undefined && name.endsWith('Z') && boxes.minZ === boxes.maxZ) continue;
                if (boxes[name]?.length !== boxes.minX.length) {
                    refuse(`${what}: ${name} has ${boxes[name]?.length} numbers, minX has ${boxes.minX.length}`);
                }
            }
            return boxes.minX.length;
        }
        if (boxes?.length === undefined || boxes.length % kBoxFloats !== 0) {
            refuse(`${what}: neither columns nor six numbers each (length ${boxes?.length})`);
        }
        return boxes.length / kBoxFloats;
    }

    function writeBoxes(boxes, begin, count) {
        const { floats } = memory;
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

    /** Boxes of any form as columns in the module's memory. `Boxes` are there already. */
    function placeBoxes(room, boxes, what) {
        const count = countOf(boxes, what);
        if (boxes instanceof Boxes) return { address: boxes._at, count };
        const address = room.of(Math.max(1, count) * kBoxFloats * 4);
        writeBoxes(boxes, address >> 2, count);
        return { address, count };
    }

    /** Boxes of any form as six numbers each. */
    function boxRows(boxes, what) {
        if (boxes?.minX === undefined) return boxes;
        const count = countOf(boxes, what);
        const rows = new Float32Array(kBoxFloats * count);
        kColumns.forEach((name, k) => {
            const values = boxes[name];
            if (values !== undefined) for (let i = 0; i < count; ++i) rows[kBoxFloats * i + k] = values[i];
        });
        return rows;
    }

    function checkRows(numbers, stride, what) {
        if (numbers?.length === undefined || numbers.length % stride !== 0) {
            refuse(`${what}: not ${stride} numbers each (length ${numbers?.length})`);
        }
        return numbers.length / stride;
    }

    /** Numbers unchanged, `stride` to an item. */
    function placeFloats(room, numbers, stride, what) {
        const count = checkRows(numbers, stride, what);
        const address = room.of(Math.max(1, numbers.length) * 4);
        memory.floats.set(numbers, address >> 2);
        return { address, count };
    }

    /** Vectors as columns. */
    function placeVectors(room, vectors, count, what) {
        if (vectors?.length !== 3 * count) refuse(`${what}: not three numbers for each of ${count} (length ${vectors?.length})`);
        const address = room.of(Math.max(1, count) * 12);
        for (let k = 0; k < 3; ++k) {
            const column = (address >> 2) + k * count;
            for (let i = 0; i < count; ++i) memory.floats[column + i] = vectors[3 * i + k];
        }
        return address;
    }

    function placeWords(room, list) {
        const address = room.of(Math.max(1, list.length) * 4);
        memory.words.set(list, address >> 2);
        return address;
    }
    function placeLongs(room, list) {
        const address = room.of(Math.max(1, list.length) * 8);
        memory.longs.set(list, address >> 3);
        return address;
    }
    function placeBytes(room, list, what) {
        if (!(list instanceof Uint8Array)) refuse(`${what} is ${shown(list)}, not a Uint8Array`);
        const address = room.of(Math.max(1, list.length));
        memory.bytes.set(list, address);
        return address;
    }

    const copyWords = (address, count) => memory.words.slice(address >> 2, (address >> 2) + count);
    const copyFloats = (address, count) => memory.floats.slice(address >> 2, (address >> 2) + count);
    const copyLongs = (address, count) => memory.longs.slice(address >> 3, (address >> 3) + count);

    // Readers of lists of records: each takes a word at `offset` out of `stride` words.
    function column(Type, source, address, count, stride, offset) {
        const out = new Type(count);
        for (let i = 0, at = (address >> 2) + offset; i < count; ++i, at += stride) out[i] = source[at];
        return out;
    }
    /** Reads columns out of the records of a list. */
    function records(address, count, stride) {
        return {
            floats: (offset) => column(Float32Array, memory.floats, address, count, stride, offset),
            words: (offset) => column(Uint32Array, memory.words, address, count, stride, offset),
            /** Indices, with -1 for none. */
            indices: (offset) => column(Int32Array, memory.words, address, count, stride, offset),
            bytes: (offset) => {
                const out = new Uint8Array(count);
                for (let i = 0; i < count; ++i) out[i] = memory.bytes[address + 4 * stride * i + offset];
                return out;
            },
            longs: (offset) => {
                const out = new BigUint64Array(count);
                const begin = (address + 4 * offset) >> 3;
                for (let i = 0; i < count; ++i) out[i] = memory.longs[begin + (stride >> 1) * i];
                return out;
            },
            vectors: (offset) => {
                const out = new Float32Array(3 * count);
                for (let i = 0, at = (address >> 2) + offset; i < count; ++i, at += stride) {
                    out.set(memory.floats.subarray(at, at + 3), 3 * i);
                }
                return out;
            },
        };
    }

    /** The list of records that the last call returned. */
    const listOfRecords = (stride) => records(resultAt(0), resultAt(1), stride);
    const listOfPairs = () => copyWords(resultAt(0), 2 * resultAt(1));

    /** Memory for `count` results of `stride` words. */
    const roomOut = (count, stride) => rooms.out.of(Math.max(1, count) * 4 * stride);

    /** A box that `read(address)` writes, as six numbers. */
    function boxOf(read) {
        const out = roomOut(1, kBoxFloats);
        read(out);
        refresh();
        return Array.from(copyFloats(out, kBoxFloats));
    }

    /** Whether each of `count` queries found something, as `call(address)` writes it in bits. */
    function bitsOf(count, call) {
        const out = rooms.out.of(Math.max(8, 8 * Math.ceil(count / 64)));
        call(out);
        const has = new Uint8Array(count);
        for (let i = 0; i < count; ++i) has[i] = (memory.bytes[out + (i >> 3)] >> (i & 7)) & 1;
        return has;
    }

    /** The bytes of an object that has a snapshot. */
    function saved(at, sizeOf, save) {
        const size = sizeOf(at);
        const out = rooms.out.of(size);
        check(save(at, out, size));
        return memory.bytes.slice(out, out + size);
    }

    return {
        wasm, memory, rooms, layers, refresh, text, resultAt, check, checkBatch, Owner, Boxes,
        countOf, placeBoxes, boxRows, checkRows, placeFloats, placeVectors, placeWords, placeLongs, placeBytes,
        copyWords, copyFloats, copyLongs, records, listOfRecords, listOfPairs, roomOut, boxOf, bitsOf, saved,
        /** An index of this many items. */
        index: (value, count, what) => wholeNumber(value, what, 0, count - 1),
    };
}
