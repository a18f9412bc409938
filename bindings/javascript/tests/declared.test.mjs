// index.d.ts, the objects and the tests agree on the names.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import ts from 'typescript';

import { libraries } from './libraries.mjs';

const broadside = libraries['with SIMD'];
const here = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const declarations = ts.createSourceFile('index.d.ts', readFileSync(new URL('../package/index.d.ts', import.meta.url), 'utf8'), ts.ScriptTarget.ES2022, true);

function membersOf(name) {
    const found = declarations.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
    assert.ok(found, `no interface ${name}`);
    return found.members.filter((member) => member.name !== undefined).map((member) => member.name.text);
}
// Public names of a class and of the classes that it extends.
function namesOf(Class) {
    const names = new Set();
    for (let at = Class.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor' && !name.startsWith('_')) names.add(name);
    }
    return names;
}

test('every declared name exists, every name is declared, and every name is tested', () => {
    const tests = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.mjs') && name !== 'declared.test.mjs').map(here).join('\n');
    const isTested = (name) => new RegExp(`[.\\s{,]${name}\\b`).test(tests);
    assert.deepEqual(membersOf('Broadside').sort(), Object.keys(broadside).sort());
    for (const name of membersOf('Broadside')) assert.ok(isTested(name), name);
    const owner = new Set(membersOf('Owner'));
    for (const name of membersOf('Broadside').filter((member) => /^[A-Z]/.test(member))) {
        const declared = membersOf(name);
        const exists = namesOf(broadside[name]);
        for (const member of declared) {
            assert.ok(exists.has(member) || name === 'Boxes' && member === 'count', `${name}.${member} does not exist`);
            assert.ok(new RegExp(`\\.${member}\\b`).test(tests) || /^(min|max)[XYZ]$/.test(member), `${name}.${member} is in no test`);
        }
        for (const member of exists) assert.ok(declared.includes(member) || owner.has(member), `${name}.${member} is not declared`);
    }
});
