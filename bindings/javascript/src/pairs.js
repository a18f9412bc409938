// Pairs and times of impact in one call.
import { BroadsideError, oneOf, refuse, shown, words64 } from './arguments.js';
import { touchOf } from './queries.js';

const kOrders = ['canonical', 'asFound'];
const kAlgorithms = ['automatic', 'bruteForce', 'sweepAndPrune', 'cells'];

export function makePairs(core) {
    const { wasm, memory, rooms, resultAt, check, checkBatch, countOf, placeBoxes, placeVectors } = core;
    let finder = 0;
    const rules = wasm.finder_rules() >> 2;

    // Categories and masks of two words a box, then groups of one.
    function placeRules(room, set, filter, count, what) {
        memory.words.fill(0, rules + 3 * set, rules + 3 * set + 3);
        if (filter === undefined) return;
        if (filter === null || typeof filter !== 'object') refuse(`${what} is ${shown(filter)}, not an object`);
        const { categories, masks, groups } = filter;
        if (groups !== undefined && groups?.length !== count) {
            refuse(`${what}.groups is ${shown(groups)}, not a list of ${count}`);
        }
        const address = room.of(Math.max(1, count) * 20);
        [categories, masks].forEach((list, k) => {
            if (list === undefined) return;
            const name = `${what}.${['categories', 'masks'][k]}`;
            memory.longs.set(words64(list, count, name), (address >> 3) + k * count);
            memory.words[rules + 3 * set + k] = address + 8 * k * count;
        });
        if (groups !== undefined) {
            memory.words.set(groups, (address >> 2) + 4 * count);
            memory.words[rules + 3 * set + 2] = address + 16 * count;
        }
    }

    function findPairs(boxes, options = {}) {
        const { other, order = 'canonical', algorithm = 'automatic', filter, otherFilter } = options;
        if (finder === 0) finder = wasm.finder_new();
        if (finder === 0) throw new BroadsideError('out of memory');
        const a = placeBoxes(rooms.a, boxes, 'boxes');
        const b = other === undefined ? { address: 0, count: 0 } : placeBoxes(rooms.b, other, 'other');
        placeRules(rooms.c, 0, filter, a.count, 'filter');
        placeRules(rooms.d, 1, otherFilter, b.count, 'otherFilter');
        check(
            wasm.finder_find(
                finder, a.address, a.count, b.address, b.count, other === undefined ? 0 : 1,
                oneOf(kOrders, order, 'order'), oneOf(kAlgorithms, algorithm, 'algorithm'),
            ),
        );
        const invalid = (at) => ({ count: resultAt(at), firstIndex: resultAt(at) === 0 ? -1 : resultAt(at + 1) });
        return { pairs: core.listOfPairs(), invalid: invalid(2), invalidOther: invalid(4) };
    }

    function timesOfImpact(a, aMoves, b, bMoves, { touch = 'closed' } = {}) {
        const count = countOf(a, 'a');
        if (countOf(b, 'b') !== count) refuse(`b: ${countOf(b)} boxes, but a has ${count}`);
        const placedA = placeBoxes(rooms.a, a);
        const placedB = placeBoxes(rooms.b, b);
        const movesA = placeVectors(rooms.c, aMoves, count, 'aMoves');
        const movesB = placeVectors(rooms.d, bMoves, count, 'bMoves');
        const out = core.roomOut(count, 1);
        checkBatch(
            wasm.find_times_of_impact(placedA.address, movesA, placedB.address, movesB, count, touchOf(touch), out),
        );
        return core.copyFloats(out, count);
    }

    return { findPairs, timesOfImpact };
}
