// Every form of the package, and tests that run on each form and instruction set.
import test from 'node:test';

import * as inlined from 'broadside/inline';
import * as main from 'broadside';

export const libraries = {
    'with SIMD': await main.load(),
    'without SIMD': await main.load({ simd: false }),
    'inlined, with SIMD': await inlined.load(),
    'inlined, without SIMD': await inlined.load({ simd: false }),
};

export function forEachIsa(name, body) {
    for (const [form, broadside] of Object.entries(libraries)) {
        for (const isa of broadside.isas) {
            test(`${name} (${form}, ${isa})`, () => {
                broadside.isa = isa;
                body(broadside);
            });
        }
    }
}
