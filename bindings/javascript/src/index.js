// The package's main entry. Fetches the module beside this file: broadside.wasm, or broadside-scalar.wasm for
// engines without SIMD.
import { BroadsideError, hasSimd, instantiate } from './broadside.js';

export { BroadsideError };

async function compile(url) {
    if (url.protocol === 'file:') {
        const { readFile } = await import('node:fs/promises');
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`broadside: status ${response.status} for ${url}`);
    return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads the library. `simd: false` takes the module without SIMD; `url` is another address of the module. */
export async function load({ simd = hasSimd(), url } = {}) {
    return instantiate(
        await compile(
            url !== undefined
                ? new URL(url, import.meta.url)
                : simd
                  ? new URL('broadside.wasm', import.meta.url)
                  : new URL('broadside-scalar.wasm', import.meta.url),
        ),
    );
}
