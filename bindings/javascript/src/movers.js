// Movers: boxes, spheres and capsules that move through boxes and meshes.
import { floats32, kLargestFloat, ofClass, oneOf, realNumber, refuse, shown, vector, wholeNumber } from './arguments.js';

const kForms = ['box', 'sphere', 'capsule'];
const kStatuses = ['finished', 'iterationsUsedUp', 'startedInside', 'crowded', 'invalid'];
const kMoverWords = 13;
const kResultWords = 11;
const kNoBox = 0xffffffff;

export function makeMovers(core, { BoxTree, MeshScene, addressesOf }) {
    const { wasm, memory, rooms, checkBatch, checkRows, records, roomOut } = core;

    // Three numbers each, or for all.
    function vectorsOf(numbers, count, what) {
        if (numbers?.length !== 3 && numbers?.length !== 3 * count) {
            refuse(`${what} is ${shown(numbers)}, not three numbers for all or for each of ${count}`);
        }
        return numbers.length === 3 ? (i, k) => numbers[k] : (i, k) => numbers[3 * i + k];
    }

    function placeMovers(movers) {
        if (movers === null || typeof movers !== 'object') refuse(`movers is ${shown(movers)}, not an object with positions`);
        const { form = 'capsule', positions, displacements, ignoredBoxes = -1 } = movers;
        const count = checkRows(positions, 3, 'positions');
        const displacementOf = vectorsOf(displacements, count, 'displacements');
        const extents = vectorsOf(movers.halfExtents ?? [0, 0, 0], count, 'halfExtents');
        const radii = floats32(movers.radii ?? 0, count, 'radii', 0, kLargestFloat);
        const lengths = floats32(movers.halfLengths ?? 0, count, 'halfLengths', 0, kLargestFloat);
        if (Array.isArray(form) && form.length !== count) refuse(`form is ${shown(form)}, not one for all or a list of ${count}`);
        const formOf = Array.isArray(form) ? (i) => oneOf(kForms, form[i], `form[${i}]`) : () => oneOf(kForms, form, 'form');
        if (typeof ignoredBoxes !== 'number' && ignoredBoxes?.length !== count) {
            refuse(`ignoredBoxes is ${shown(ignoredBoxes)}, not one for all or a list of ${count}`);
        }
        const address = rooms.a.of(Math.max(1, count) * 4 * kMoverWords);
        const { words, floats } = memory;
        for (let i = 0, at = address >> 2; i < count; ++i, at += kMoverWords) {
            words[at] = formOf(i);
            for (let k = 0; k < 3; ++k) {
                floats[at + 1 + k] = realNumber(extents(i, k), `halfExtents of mover ${i}`, 0, kLargestFloat);
                floats[at + 6 + k] = positions[3 * i + k];
                floats[at + 9 + k] = displacementOf(i, k);
            }
            floats[at + 4] = radii[i];
            floats[at + 5] = lengths[i];
            const ignored = wholeNumber(ignoredBoxes[i] ?? ignoredBoxes, 'ignoredBoxes', -1, 0x7fffffff);
            words[at + 12] = ignored < 0 ? kNoBox : ignored;
        }
        return { address, count };
    }

    function placeSettings(settings) {
        const { up = [0, 0, 1], minGroundCosine = Math.SQRT1_2, stepHeight = 0, stickDistance = 0 } = settings;
        const { contactOffset = 0.01, maxIterations = 16 } = settings;
        vector(up, 'up');
        if (!(Math.abs(up[0]) + Math.abs(up[1]) + Math.abs(up[2]) > 0)) refuse('up is [0,0,0], not a direction');
        const numbers = [
            ...up,
            realNumber(minGroundCosine, 'minGroundCosine', 0, 1),
            realNumber(stepHeight, 'stepHeight', 0, kLargestFloat),
            realNumber(stickDistance, 'stickDistance', 0, kLargestFloat),
            realNumber(contactOffset, 'contactOffset', 0, kLargestFloat),
        ];
        const { address } = core.placeFloats(rooms.b, numbers, 7, 'settings');
        return [address, wholeNumber(maxIterations, 'maxIterations', 0, 0xffffffff)];
    }

    return function stepMovers(movers, { boxes, meshes = [], scene } = {}, settings = {}) {
        const placed = placeMovers(movers);
        const [numbers, maxIterations] = placeSettings(settings);
        const addresses = addressesOf(meshes);
        const out = roomOut(placed.count, kResultWords);
        checkBatch(
            wasm.movers_step(
                placed.address, placed.count, boxes === undefined ? 0 : ofClass(boxes, BoxTree, 'boxes')._at,
                core.placeWords(rooms.c, addresses), addresses.length,
                scene === undefined ? 0 : ofClass(scene, MeshScene, 'scene')._at, numbers, maxIterations, out,
            ),
        );
        const steps = records(out, placed.count, kResultWords);
        return {
            positions: steps.vectors(0),
            status: Array.from(steps.bytes(12), (status) => kStatuses[status]),
            isGrounded: steps.bytes(13),
            hasStepped: steps.bytes(14),
            iterationCount: steps.words(4),
            groundNormal: steps.vectors(5),
            wallNormal: steps.vectors(8),
        };
    };
}
