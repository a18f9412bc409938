// The package in one file: its text contains both modules, compressed. For pages without a server, and for
// bundlers that do not know .wasm files.
import { BroadsideError, hasSimd, instantiate } from './broadside.js';

export { BroadsideError };

const kModules = { simd: '{{simd}}', scalar: '{{scalar}}' };

async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

/** Loads the library. `simd: false` takes the module without SIMD. */
export async function load({ simd = hasSimd() } = {}) {
    return instantiate(await WebAssembly.compile(await unpack(simd ? kModules.simd : kModules.scalar)));
}
