// Assembles the package, and the folder beside it in which its tests run:
// node make_package.mjs SIMD.wasm SCALAR.wasm VERSION FOLDER
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [simd, scalar, version, folder] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const to = (name) => `${folder}/package/${name}`;

rmSync(`${folder}/package`, { recursive: true, force: true });
mkdirSync(`${folder}/package`, { recursive: true });
mkdirSync(`${folder}/tests`, { recursive: true });
copyFileSync(simd, to('broadside.wasm'));
copyFileSync(scalar, to('broadside-scalar.wasm'));
for (const name of ['broadside.js', 'index.js']) copyFileSync(here(`src/${name}`), to(name));
for (const name of ['index.d.ts', 'README.md']) copyFileSync(here(name), to(name));
copyFileSync(here('../../LICENSE'), to('LICENSE'));

const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).toString('base64');
// One file, which includes its import.
const api = readFileSync(here('src/broadside.js'), 'utf8');
const inline = readFileSync(here('src/inline.js'), 'utf8')
    .replace(/^import .*\n/m, '')
    .replace(/^export \{ BroadsideError \};\n/m, '')
    .replace('{{simd}}', () => packed(simd))
    .replace('{{scalar}}', () => packed(scalar));
writeFileSync(to('inline.js'), `${api}\n${inline}`);

const description = JSON.parse(readFileSync(here('package.json'), 'utf8'));
writeFileSync(to('package.json'), `${JSON.stringify({ ...description, version }, null, 2)}\n`);

for (const name of readdirSync(here('tests'))) {
    copyFileSync(here(`tests/${name}`), `${folder}/tests/${name}`);
}
copyFileSync(here('../../tests/golden/boxes.txt'), `${folder}/tests/boxes.txt`);
