// The library as JavaScript objects over one instance of the WebAssembly module. The C++ headers document the calls;
// index.d.ts describes the forms of their arguments and results.
import { BroadsideError, oneOf } from './arguments.js';
import { openMemory } from './memory.js';
import { makeMeshes } from './mesh.js';
import { makeMovers } from './movers.js';
import { makePairs } from './pairs.js';
import { makeQueries } from './queries.js';
import { makeTree } from './tree.js';
import { makeWorld } from './world.js';

export { BroadsideError };

/** Makes the API over a compiled module; `load` of the package's entries calls it. */
export async function instantiate(module) {
    const core = await openMemory(module);
    const { wasm, text } = core;
    const queries = makeQueries(core);
    const BoxTree = makeTree(core, queries);
    const World = makeWorld(core, queries);
    const { TriangleMesh, MeshScene, findClashes, addressesOf } = makeMeshes(core, queries);
    const { findPairs, timesOfImpact } = makePairs(core);

    const isas = [];
    for (let k = 0, name; (name = text(wasm.isa_text(k))) !== null; ++k) isas.push(name);
    return {
        version: text(wasm.version_text()),
        isas,
        get isa() {
            return text(wasm.active_isa_text());
        },
        set isa(name) {
            core.check(wasm.set_isa(oneOf(isas, name, 'isa')));
        },
        get memoryBytes() {
            return wasm.memory.buffer.byteLength;
        },
        Boxes: core.Boxes,
        BoxTree,
        World,
        TriangleMesh,
        MeshScene,
        findPairs,
        timesOfImpact,
        findClashes,
        stepMovers: makeMovers(core, { BoxTree, MeshScene, addressesOf }),
    };
}

// The shortest module with a SIMD instruction, which an engine without SIMD refuses.
const kSimdProbe = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];
export const hasSimd = () => WebAssembly.validate(new Uint8Array(kSimdProbe));
