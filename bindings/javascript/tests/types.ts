// The declared types, used as the README uses them; compiled, never run.
import { BroadsideError, load, type Broadside, type Boxes, type BoxTree, type MeshScene, type MoverSteps, type TriangleMesh, type World } from 'broadside';
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

// Words of 64 bits, shapes, casts, meshes and movers.
world.add([0, 0, 0, 1, 1, 1], { category: 1n << 40n, mask: ~1, userData: [7n] });
const state: { userData: bigint; kind: string } = world.describe(handles[0]!);
const first_met: Uint32Array = tree.firstOverlaps({ capsules: new Float32Array(14) }, { shapesPerState: 2, masks: 3 });
const impact = world.closestHits({ spheres: [0, 0, 0, 1], displacements: [1, 0, 0], tMax: 0.5 }, { layers: [3], masks: [1n] });
const byLayer = world.closestHits({ origins: [0, 0, 0], directions: [1, 0, 0] }, { layers: (layer) => layer > 99 });
const one: number | undefined = tree.closestHit([0, 0, 0], [1, 0, 0])?.box;
const mesh: TriangleMesh = broadside.TriangleMesh.restore(new broadside.TriangleMesh([0, 0, 0], [0, 0, 0]).save());
const scene: MeshScene = new broadside.MeshScene([mesh], undefined, { sides: 'front' });
const where: Int32Array = scene.closestHits({ origins: [0, 0, 0], directions: [1, 0, 0] }).instance;
const steps: MoverSteps = broadside.stepMovers({ positions: [0, 0, 0], displacements: [0, 0, 1], radii: 1 }, { scene, boxes: tree });
const related: readonly string[] = broadside.findClashes(scene, null, { clearance: 1 }).relation;
const filtered = broadside.findPairs(boxes, { filter: { masks: 1n, groups: [1, 1] } });

try {
    // @ts-expect-error: meshes take no points
    mesh.anyOverlap({ points: [0, 0, 0] });
    // @ts-expect-error: a moving shape has a displacement
    tree.anyHit({ spheres: [0, 0, 0, 1] });
    // @ts-expect-error: a mask is a number or a bigint
    world.setFilter(handles, { mask: 'all' });
    // @ts-expect-error: no such kind
    world.setKind(handles, 'static');
    // @ts-expect-error: no such order
    broadside.findPairs(boxes, { order: 'sorted' });
} catch (error) {
    if (error instanceof BroadsideError) console.log(error.status, error.badIndex);
}
export { begun, filtered, first_met, hits, impact, nearest, one, related, state, steps, where };
