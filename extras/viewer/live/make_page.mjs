// Puts the live page together: node make_page.mjs PACKAGE_FOLDER THREE ORBIT CHART OUTPUT
import { readFileSync, writeFileSync } from 'node:fs';

const [packageFolder, three, orbit, chart, output] = process.argv.slice(2);
const text = (path) => readFileSync(path, 'utf8');
const here = (name) => text(new URL(name, import.meta.url));
// A script element ends at the first "</script", whatever it stands in.
const script = (code) => code.replaceAll('</script', '<\\/script');

const parts = {
    style: here('../../support/look.css') + here('../page/page.css') + here('page.css'),
    THREE: script(text(three)),
    ORBIT: script(text(orbit)),
    CHART: script(text(chart)),
    script: ['../page/view.js', '../page/solids.js', 'sandbox.js', 'main.js'].map(here).join('\n'),
    package: script(text(`${packageFolder}/inline.js`)),
};
writeFileSync(output, here('page.html').replaceAll(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
