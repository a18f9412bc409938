// package.json: the publisher's fields.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';

const { publisherFields } = await import(pathToFileURL(path.join(process.env.BROADSIDE_ROOT, 'bindings/javascript/publisher.mjs')));

test('a package names its publisher, or npm refuses to publish it', () => {
    const description = JSON.parse(readFileSync(new URL('../package/package.json', import.meta.url), 'utf8'));
    for (const [key, value] of Object.entries(publisherFields(process.env.BROADSIDE_PUBLISHER))) assert.deepEqual(description[key], value);
    assert.deepEqual(publisherFields(undefined), { private: true });
    assert.deepEqual(publisherFields('A B <a@b.test>;https://b.test/broadside.git'),
        { author: 'A B <a@b.test>', repository: { type: 'git', url: 'git+https://b.test/broadside.git' } });
    assert.equal(publisherFields('A <a@b.test>;ssh://git@b.test/x.git').repository.url, 'ssh://git@b.test/x.git');
    for (const wrong of ['A B <a@b.test>', 'A B;https://b.test', 'A <a>;https://b.test', 'A <a@b.test>;b.test', ' '])
        assert.throws(() => publisherFields(wrong), /^Error: BROADSIDE_PUBLISHER is /);
});
