// Queries: shapes, rays, moving shapes and points, with their rules, in the memory of the module.
import { floats32, oneOf, realNumber, refuse, shown, wholeNumber, words64 } from './arguments.js';

/** Numbers of each kind of shape. */
const kNumbers = { boxes: 6, points: 3, spheres: 4, capsules: 7, obbs: 15 };
// The kinds that calls take, in the order of the exports' lists of types.
export const kShapes = ['boxes', 'points', 'spheres', 'capsules', 'obbs'];
export const kMeshShapes = ['boxes', 'spheres', 'capsules', 'obbs'];
export const kMeshCasts = ['spheres', 'capsules', 'obbs'];
const kCasts = ['rays', 'boxes', 'spheres', 'capsules'];
const kNear = ['points', 'boxes'];
const kInside = ['miss', 'negativeT', 'zero'];
const kZero = 2;
const kTouch = ['closed', 'open'];
export const kKinds = ['moving', 'resting', 'fixed'];

export function touchOf(touch) {
    return oneOf(kTouch, touch, 'touch');
}

// The one kind that an object has. A list of numbers is `bare`.
function kindOf(given, kinds, bare, what) {
    if (given === null || typeof given !== 'object') refuse(`${what} is ${shown(given)}, not an object with ${kinds.join(', ')}`);
    if (given.length !== undefined || given.minX !== undefined) return { kind: bare, numbers: given };
    const own = Object.keys(kNumbers).filter((kind) => given[kind] !== undefined);
    if (own.length !== 1 || !kinds.includes(own[0])) {
        refuse(`${what} has ${own.length === 0 ? 'none' : `${own.join(' and ')}, not one`} of ${kinds.join(', ')}`);
    }
    return { kind: own[0], numbers: given[own[0]] };
}

/** Writes queries of each sort, and their rules, to the memory that the exports read. */
export function makeQueries({ wasm, memory, rooms, layers, boxRows, checkRows, placeFloats, placeLongs }) {
    const at = wasm.query_address() >> 2;

    function place(kinds, kind, address, count) {
        const { words } = memory;
        words[at] = kinds.indexOf(kind);
        words[at + 1] = address;
        words[at + 2] = count;
        return count;
    }

    const rowsOf = (kind, numbers) => (kind === 'boxes' ? boxRows(numbers, kind) : numbers);

    // Shapes that do not move.
    function placeShapes(given, kinds, bare, what) {
        const { kind, numbers } = kindOf(given, kinds, bare, what);
        const { address, count } = placeFloats(rooms.a, rowsOf(kind, numbers), kNumbers[kind], kind);
        return place(kinds, kind, address, count);
    }
    /** Shapes of one of the kinds; returns their number. */
    const shapes = (given, kinds) => placeShapes(given, kinds, 'boxes', 'shapes');
    /** Points, or boxes, which others are to be near to. */
    const near = (given) => placeShapes(given, kNear, 'points', 'points');

    /** Points alone. */
    function points(given) {
        const { address, count } = placeFloats(rooms.a, given, 3, 'points');
        return place(['points'], 'points', address, count);
    }

    // Items, each followed by a vector and by the reach along it.
    function along(rows, count, stride, vectors, what, reach, most) {
        if (vectors?.length !== 3 * count) {
            refuse(`${what}: not three numbers for each of ${count} (length ${vectors?.length})`);
        }
        const reaches = typeof reach === 'object' ? floats32(reach, count, 'tMax') : undefined;
        const common = reaches === undefined ? realNumber(reach ?? most, 'tMax') : most;
        const address = rooms.a.of(Math.max(1, count) * 4 * (stride + 4));
        const { floats } = memory;
        for (let i = 0, to = address >> 2; i < count; ++i) {
            for (let k = 0; k < stride; ++k) floats[to++] = rows[stride * i + k];
            for (let k = 0; k < 3; ++k) floats[to++] = vectors[3 * i + k];
            floats[to++] = reaches === undefined ? common : reaches[i];
        }
        return address;
    }

    function rays(given) {
        if (given?.origins === undefined) refuse(`rays is ${shown(given)}, not an object with origins and directions`);
        const count = given.origins.length / 3;
        if (!Number.isInteger(count) || given.directions?.length !== given.origins.length) {
            refuse(
                `rays: origins and directions do not have three numbers each (lengths ${given.origins.length} and ` +
                    `${given.directions?.length})`,
            );
        }
        const address = along(given.origins, count, 3, given.directions, 'directions', given.tMax, Infinity);
        memory.words[at + 7] = given.inside === undefined ? kZero : oneOf(kInside, given.inside, 'inside');
        return place(kCasts, 'rays', address, count);
    }

    /** Rays, or boxes, spheres or capsules that move. */
    function casts(given) {
        if (given?.origins !== undefined) return rays(given);
        const { kind, numbers } = kindOf(given, kCasts, 'boxes', 'casts');
        const rows = rowsOf(kind, numbers);
        const count = checkRows(rows, kNumbers[kind], kind);
        const address = along(rows, count, kNumbers[kind], given.displacements, 'displacements', given.tMax, 1);
        memory.words[at + 8] = touchOf(given.touch ?? 'closed');
        return place(kCasts, kind, address, count);
    }

    /** Spheres, capsules or oriented boxes that move through a mesh. */
    function meshCasts(given) {
        const { kind, numbers } = kindOf(given, kMeshCasts, 'boxes', 'casts');
        if (!kMeshCasts.includes(kind)) refuse(`casts has ${kind}, not ${kMeshCasts.join(', ')}`);
        const count = checkRows(numbers, kNumbers[kind], kind);
        return place(kMeshCasts, kind, along(numbers, count, kNumbers[kind], given.displacements, 'displacements', given.tMax, 1), count);
    }

    // The address and the number of words, in two words of the query. None are all bits.
    function placeRule(offset, room, given, count, what) {
        const list = given === undefined ? undefined : words64(given, count, what);
        const address = list === undefined ? 0 : placeLongs(room, list);
        memory.words[at + offset] = address;
        memory.words[at + offset + 1] = list === undefined ? 0 : list.length;
    }

    function layerSet(wanted) {
        if (typeof wanted?.[Symbol.iterator] !== 'function') refuse(`layers is ${shown(wanted)}, neither a list nor a function`);
        return new Set(Array.from(wanted, (layer) => wholeNumber(layer, 'layers', 0, 0xffff)));
    }

    // Rules on the results, after the queries themselves.

    function treeRules(options, count, tree) {
        placeRule(3, rooms.b, options?.masks, count, 'masks');
        const categories = options?.categories;
        placeRule(5, rooms.c, categories, categories === undefined ? 0 : tree.boxCount, 'categories');
    }

    function worldRules(options, count) {
        placeRule(3, rooms.b, options?.masks, count, 'masks');
        const { kinds, layers: wanted } = options ?? {};
        memory.words[at + 10] = kinds === undefined ? 7 : kinds.reduce((bits, kind) => bits | (1 << oneOf(kKinds, kind, 'kinds')), 0);
        // Layers as bits, or a function that the module asks.
        const named = wanted === undefined || typeof wanted === 'function' ? undefined : layerSet(wanted);
        // All 64 bits would be all layers.
        const areBits = named !== undefined && named.size < 64 && [...named].every((layer) => layer < 64);
        memory.words.fill(areBits ? 0 : 0xffffffff, at + 12, at + 14);
        if (areBits) for (const layer of named) memory.words[at + 12 + (layer >> 5)] |= 1 << (layer & 31);
        memory.words[at + 11] = areBits || wanted === undefined ? 0 : 1;
        layers.accepts = named === undefined ? wanted : (layer) => named.has(layer);
    }

    function meshRules(isFrontOnly) {
        memory.words[at + 9] = isFrontOnly ? 1 : 0;
    }

    /** Options of motions: shapes of a state, and the number of motions that divide the shapes. */
    function motions({ shapesPerState = 1, motionCount = 1 } = {}, count) {
        wholeNumber(shapesPerState, 'shapesPerState', 1, 0xffffffff);
        wholeNumber(motionCount, 'motionCount', 0, 0xffffffff);
        if (count % (shapesPerState * motionCount || 1) !== 0 || (motionCount === 0 && count !== 0)) {
            refuse(`motionCount is ${motionCount} and shapesPerState ${shapesPerState}: they do not divide ${count} shapes`);
        }
        return { shapesPerState, motionCount };
    }

    /** Options of a search for the nearest. */
    function nearest({ count = 1, maxDistance = Infinity } = {}, most = 0x7fffffff) {
        return [wholeNumber(count, 'count', 1, most), realNumber(maxDistance, 'maxDistance')];
    }

    /** One ray as a list. */
    function oneRay(origin, direction, { tMax } = {}) {
        if (origin?.length !== 3) refuse(`origin is ${shown(origin)}, not three numbers`);
        if (direction?.length !== 3) refuse(`direction is ${shown(direction)}, not three numbers`);
        return { origins: origin, directions: direction, tMax };
    }

    return { shapes, near, points, rays, casts, meshCasts, treeRules, worldRules, meshRules, motions, nearest, oneRay };
}
