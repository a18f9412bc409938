// The declared types, used as the README uses them; compiled, never run.
import { BroadsideError, load, type Broadside, type Boxes, type BoxTree, type World } from 'broadside';
import { load as loadInlined } from 'broadside/inline';

const broadside: Broadside = await load({ simd: true });
const inlined: Broadside = await loadInlined();
inlined.isa = inlined.isas[0] ?? 'scalar';

const boxes: Boxes = new broadside.Boxes(2).assign([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
const pairs: Uint32Array = broadside.findPairs(boxes, { other: new Float32Array(6), order: 'asFound' }).pairs;
const flat = broadside.findPairs({ minX: [0], minY: [0], maxX: [1], maxY: [1] });
const first: number = flat.invalid.firstIndex + pairs.length;

const world: World = new broadside.World({ order: 'userData' });
const handles: BigUint64Array = world.add(boxes, { kind: 'fixed', userData: first });
world.setBoxes(handles, boxes);
world.remove(handles[0]!);
const begun: BigUint64Array = world.update().begun;
const hits = world.closestHits({ origins: [0, 0, 0], directions: [1, 0, 0], tMax: 4 }, { kinds: ['fixed'] });

const tree: BoxTree = new broadside.BoxTree(boxes);
const nearest: Int32Array = tree.closestBoxes([0, 0, 0], { count: 2 }).box;

try {
    // @ts-expect-error: no such kind
    world.setKind(handles, 'static');
    // @ts-expect-error: no such order
    broadside.findPairs(boxes, { order: 'sorted' });
} catch (error) {
    if (error instanceof BroadsideError) console.log(error.status, error.badIndex);
}
export { begun, hits, nearest };
