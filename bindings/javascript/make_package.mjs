// Assembles the package, and the folder beside it in which its tests run:
// [BROADSIDE_PUBLISHER=...] node make_package.mjs SIMD.wasm SCALAR.wasm VERSION FOLDER
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { publisherFields } from './publisher.mjs';

const [simd, scalar, version, folder] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const to = (name) => `${folder}/package/${name}`;

rmSync(`${folder}/package`, { recursive: true, force: true });
mkdirSync(`${folder}/package`, { recursive: true });
mkdirSync(`${folder}/tests`, { recursive: true });
copyFileSync(simd, to('broadside.wasm'));
copyFileSync(scalar, to('broadside-scalar.wasm'));
copyFileSync(here('src/index.js'), to('index.js'));
for (const name of ['index.d.ts', 'README.md']) copyFileSync(here(name), to(name));
copyFileSync(here('../../LICENSE'), to('LICENSE'));

const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).toString('base64');
// The API in one file: a source follows the sources that it imports, each once, and only the last one exports.
const kImport = /^import .* from '\.\/(\w+\.js)';\n/gm;
const source = (name) => readFileSync(here(`src/${name}`), 'utf8');
const withoutExports = (text) => text.replace(/^export \{.*\};\n/gm, '').replace(/^export /gm, '');
const names = new Set();
function add(name) {
    for (const [, imported] of source(name).matchAll(kImport)) add(imported);
    names.add(name);
}
add('broadside.js');
const text = (name) => source(name).replace(kImport, '');
const parts = [...names].map((name) => (name === 'broadside.js' ? text(name) : withoutExports(text(name))));
const api = parts.join('\n');
writeFileSync(to('broadside.js'), api);
const inline = text('inline.js').replace('{{simd}}', () => packed(simd)).replace('{{scalar}}', () => packed(scalar));
writeFileSync(to('inline.js'), `${withoutExports(api)}\n${inline}`);

const description = JSON.parse(readFileSync(here('package.json'), 'utf8'));
writeFileSync(to('package.json'), `${JSON.stringify({ ...description, version, ...publisherFields(process.env.BROADSIDE_PUBLISHER) }, null, 2)}\n`);

for (const name of readdirSync(here('tests'))) {
    copyFileSync(here(`tests/${name}`), `${folder}/tests/${name}`);
}
copyFileSync(here('../../tests/golden/boxes.txt'), `${folder}/tests/boxes.txt`);
