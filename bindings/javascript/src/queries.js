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
export function makeQueries({ wasm, memory, rooms, boxRows, checkRows, placeFloats, placeLongs }) {
    const at = wasm.query_address() >> 2;

    function place(kinds, kind, address, count, given = {}) {
        const { words } = memory;
        words[at] = kinds.indexOf(kind);
        words[at + 1] = address;
        words[at + 2] = count;
        words[at + 7] = oneOf(kInside, given.inside ?? 'zero', 'inside');
        words[at + 8] = touchOf(given.touch ?? 'closed');
        return count;
    }

    function rowsOf(kind, numbers, what) {
        const rows = kind === 'boxes' ? boxRows(numbers, what) : numbers;
        return { rows, count: checkRows(rows, kNumbers[kind], what) };
    }

    /** Shapes of one of the kinds; returns their number. */
    function shapes(given, kinds, what = 'shapes') {
        const { kind, numbers } = kindOf(given, kinds, 'boxes', what);
        const { rows } = rowsOf(kind, numbers, kind);
        const { address, count } = placeFloats(rooms.a, rows, kNumbers[kind], kind);
        return place(kinds, kind, address, count);
    }

    /** Points, or boxes, which others are to be near to. */
    function near(given) {
        const { kind, numbers } = kindOf(given, kNear, 'points', 'points');
        const { rows } = rowsOf(kind, numbers, kind);
        const { address, count } = placeFloats(rooms.a, rows, kNumbers[kind], kind);
        return place(kNear, kind, address, count);
    }

    /** Points alone. */
    function points(given) {
        const { address, count } = placeFloats(rooms.a, given, 3, 'points');
        return place(['points'], 'points', address, count);
    }

    // Items of `kind`, each followed by a vector and by the reach along it.
    function along(kind, rows, count, stride, vectors, what, reach, most) {
        if (vectors?.length !== 3 * count) {
            refuse(`${what}: not three numbers for each of ${count} (length ${vectors?.length})`);
        }
        const reaches = floats32(reach ?? most, count, 'tMax');
        const address = rooms.a.of(Math.max(1, count) * 4 * (stride + 4));
        const { floats } = memory;
        for (let i = 0, to = address >> 2; i < count; ++i) {
            for (let k = 0; k < stride; ++k) floats[to++] = rows[stride * i + k];
            for (let k = 0; k < 3; ++k) floats[to++] = vectors[3 * i + k];
            floats[to++] = reaches[i];
        }
        return { address, count };
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
        const { address } = along('rays', given.origins, count, 3, given.directions, 'directions', given.tMax, Infinity);
        return place(kCasts, 'rays', address, count, given);
    }

    /** Rays, or boxes, spheres or capsules that move. */
    function casts(given) {
        if (given?.origins !== undefined) return rays(given);
        const { kind, numbers } = kindOf(given, kCasts, 'boxes', 'casts');
        const { rows, count } = rowsOf(kind, numbers, kind);
        const { address } = along(kind, rows, count, kNumbers[kind], given.displacements, 'displacements', given.tMax, 1);
        return place(kCasts, kind, address, count, given);
    }

    /** Spheres, capsules or oriented boxes that move through a mesh. */
    function meshCasts(given) {
        const { kind, numbers } = kindOf(given, kMeshCasts, 'boxes', 'casts');
        if (!kMeshCasts.includes(kind)) refuse(`casts has ${kind}, not ${kMeshCasts.join(', ')}`);
        const count = checkRows(numbers, kNumbers[kind], kind);
        if (given.displacements?.length !== 3 * count) {
            refuse(`displacements: not three numbers for each of ${count} (length ${given.displacements?.length})`);
        }
        const displacements = placeFloats(rooms.b, given.displacements, 3, 'displacements').address;
        const { address } = placeFloats(rooms.a, numbers, kNumbers[kind], kind);
        place(kMeshCasts, kind, address, count);
        return { kind, count, displacements, tMax: floats32(given.tMax ?? 1, count, 'tMax') };
    }

    function placeMasks(masks, count) {
        const list = masks === undefined ? [] : words64(masks, count, 'masks');
        memory.words[at + 3] = placeLongs(rooms.b, list);
        memory.words[at + 4] = list.length;
    }

    // Rules on the results, after the queries themselves.

    function treeRules({ masks, categories } = {}, count, boxCount) {
        placeMasks(masks, count);
        const list = categories === undefined ? [] : words64(categories, boxCount, 'categories');
        memory.words[at + 5] = placeLongs(rooms.c, list);
        memory.words[at + 6] = list.length;
    }

    function worldRules({ masks, kinds = kKinds, layers } = {}, count) {
        placeMasks(masks, count);
        memory.words[at + 10] = kinds.reduce((bits, kind) => bits | (1 << oneOf(kKinds, kind, 'kinds')), 0);
        let bits = layers === undefined ? 0xffffffffffffffffn : 0n;
        for (const layer of layers ?? []) bits |= 1n << BigInt(wholeNumber(layer, 'layers', 0, 63));
        memory.longs[(at + 12) >> 1] = bits;
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
