// The search of the site, with words that readers type. Called as: node search_test.mjs <folder of a site>
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';

const site = process.argv[2];
const source = (name) => readFileSync(`${site}/${name}`, 'utf8');
const { search, siteIndex, siteWords } = vm.runInNewContext(
    `${source('index.js')}${source('search.js')};({ search, siteIndex, siteWords })`);

// The hits of a query, as "kind: name".
const found = (query) => search(query).hits.map(({ name, kind }) => `${kind}: ${name}`);
const expectHit = (query, wanted) =>
    assert.ok(found(query).includes(wanted), `${query}: no ${wanted} in\n${found(query).join('\n')}`);

test('names of C++, Python and JavaScript are found by a part', () => {
    expectHit('closest_hit', 'function: BoxTree::closest_hit');
    expectHit('find_pairs', 'function: find_pairs');
    expectHit('World', 'class: World');
    expectHit('query_points', 'Python: BoxTree.query_points');
    expectHit('timesOfImpact', 'JavaScript: Broadside.timesOfImpact');
    expectHit('findOverlaps', 'JavaScript: BoxTree.findOverlaps');
});

test('a name that is the query comes first', () => {
    assert.equal(found('World')[0], 'class: World');
    assert.equal(found('find_clashes')[0], 'function: find_clashes');
});

test('words of pages are found in any section', () => {
    expectHit('quarantined', 'guide: World — Which one to choose');
    expectHit('std::terminate visitor', 'guide: Your exceptions — Embedding in an engine');
    expectHit('late joiner', 'guide: Snapshots — Determinism');
});

test('synonyms find a name', () => {
    expectHit('nearest', 'function: BoxTree::closest_box');
    expectHit('penetration', 'function: obb_contact');
    expectHit('character', 'function: step_mover');
    expectHit('frustum', 'struct: ConvexVolume');
    expectHit('thread pool', 'struct: TaskRunner');
    expectHit('pip', 'guide: broadside for Python');
    expectHit('rollback', 'function: World::restore');
    expectHit('OverlapSphere', 'struct: Sphere');
    expectHit('STRtree', 'class: BoxTree');
});

test('every synonym leads to an entry', () => {
    for (const [word, others] of Object.entries(siteWords.synonyms)) {
        assert.ok(search(word).hits.length > 0, `${word} finds nothing`);
        for (const other of others) assert.ok(search(other).hits.length > 0, `${other}, for ${word}, finds nothing`);
    }
});

test('a missing feature is reported with its alternative', () => {
    for (const [query, words] of [['convex hull', /Convex hulls are not/], ['convex hulls', /Convex hulls are not/],
        ['contact point', /Contact points and manifolds are not/], ['penetration', /Depth is there for/], ['GPU', /Nothing runs on a GPU/],
        ['pip install', /not on PyPI/], ['gjk distance', /GJK and EPA are not/], ['MSVC', /MSVC does not/], ['windows', /mingw-w64/],
        ['license', /MIT/], ['NaN', /is invalid/]]) {
        const remarks = search(query).absent;
        assert.equal(remarks.length, 1, query);
        assert.match(remarks[0].text, words);
        assert.ok(remarks[0].see.length > 0, query);
    }
    assert.equal(search('find_pairs').absent.length, 0);
});

test('nonsense finds nothing, and no query fails', () => {
    assert.equal(found('xyzzy').length, 0);
    assert.equal(found('').length, 0);
    assert.equal(found('   ').length, 0);
    found('(');
    found('a\\');
});

test('every entry has a page on the site', () => {
    assert.ok(siteIndex.length > 1000);
    for (const address of new Set(siteIndex.map(([, address]) => address))) {
        const [path, anchor] = address.split('#');
        const page = source(path);
        if (anchor) assert.ok(page.includes(`id="${anchor}"`) || page.includes(`name="${anchor}"`), address);
    }
});
