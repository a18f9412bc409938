// The example for three.js against the Raycaster of three.js. The tests run on a copy without the checkout; the script
// passes its path.
import assert from 'node:assert/strict';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import * as THREE from 'three';

import { libraries } from './libraries.mjs';
import { generator } from './support.mjs';

test('the example for three.js picks what Raycaster picks, and walks', { skip: !process.env.BROADSIDE_ROOT }, async () => {
    const { makeCollision } = await import(pathToFileURL(`${process.env.BROADSIDE_ROOT}/examples/three_page/collision.mjs`));
    const next = generator(161);
    const root = new THREE.Group();
    const geometries = [new THREE.TorusKnotGeometry(0.8, 0.3, 24, 6), new THREE.SphereGeometry(0.7, 10, 8).toNonIndexed()];
    for (let i = 0; i < 40; ++i) {
        const object = new THREE.Mesh(geometries[i % 2], new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
        object.position.set(next() * 20 - 10, next() * 6 + 4, next() * 20 - 10);
        object.rotation.set(next() * 6, next() * 6, next() * 6);
        object.scale.setScalar(0.5 + next());
        root.add(object);
    }
    const ground = new THREE.Mesh(new THREE.BoxGeometry(40, 1, 40), new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
    ground.position.y = -0.5;
    root.add(ground);
    const collision = makeCollision(libraries['with SIMD'], root);
    const caster = new THREE.Raycaster();
    const compare = () => {
        const found = new Set();
        for (let i = 0; i < 200; ++i) {
            const direction = new THREE.Vector3(next() - 0.5, next() - 0.5, next() - 0.5).normalize();
            caster.set(new THREE.Vector3(next() * 20 - 10, next() * 8 + 2, next() * 20 - 10), direction);
            const [expected] = caster.intersectObject(root);
            const hit = collision.pick(caster.ray);
            assert.equal(hit?.object, expected?.object);
            if (hit === null) continue;
            assert.ok(Math.abs(hit.distance - expected.distance) < 1e-3);
            found.add(hit.object);
        }
        assert.ok(found.size > 15);
    };
    compare();
    for (const object of root.children) if (object !== ground) object.position.x += 1;
    collision.update();
    compare();

    const center = new THREE.Vector3(0, 3, 0);
    assert.equal(collision.walk(center, new THREE.Vector3(0, -1, 0)), false);
    assert.equal(collision.walk(center, new THREE.Vector3(0, -5, 0)), true);
    assert.ok(Math.abs(center.y - 0.91) < 0.01);
    collision.walk(center, new THREE.Vector3(1, -0.1, 0));
    assert.ok(Math.abs(center.x - 1) < 0.01);
});
