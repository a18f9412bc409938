// Thousands of boxes that fall and push each other apart. The library finds who touches whom; what is done about it
// is as little as looks alive.
"use strict";

const kBounce = 0.35;
const kFriction = 0.96;

class Sandbox {
  constructor(broadside, { count, size }) {
    this.broadside = broadside;
    this.count = count;
    // As full whatever their number and size.
    this.reach = 0.5 * Math.max(6, Math.sqrt(count) * 0.8 * size);
    this.height = 2 * this.reach;
    this.position = new Float32Array(3 * count);
    this.velocity = new Float32Array(3 * count);
    this.half = new Float32Array(3 * count);
    this.is_touched = new Uint8Array(count);
    this.held = -1;
    this.boxes = new broadside.Boxes(count);
    this.fill(size);
    this.place_boxes();
    this.world = new broadside.World();
    this.handles = this.world.add(this.boxes);
    this.world.update();
    this.answer = { pair_count: 0, begun: 0, ended: 0, find_ms: 0, physics_ms: 0 };
  }

  dispose() {
    this.world.dispose();
    this.boxes.dispose();
  }

  // The same boxes for the same settings.
  fill(size) {
    let state = 12345;
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    for (let i = 0; i < this.count; ++i) {
      for (let axis = 0; axis < 3; ++axis) this.half[3 * i + axis] = size * (0.2 + 0.45 * next() ** 2);
      this.position[3 * i] = (2 * next() - 1) * (this.reach - 1);
      this.position[3 * i + 1] = 1 + next() * this.height;
      this.position[3 * i + 2] = (2 * next() - 1) * (this.reach - 1);
      for (let axis = 0; axis < 3; ++axis) this.velocity[3 * i + axis] = 6 * (next() - 0.5);
    }
  }

  shake() {
    for (let i = 0; i < this.velocity.length; ++i) this.velocity[i] += 24 * (Math.random() - 0.5) + (i % 3 === 1 ? 14 : 0);
  }

  place_boxes() {
    const { position, half, boxes, count } = this;
    const low = [boxes.minX, boxes.minY, boxes.minZ], high = [boxes.maxX, boxes.maxY, boxes.maxZ];
    for (let axis = 0; axis < 3; ++axis) {
      for (let i = 0, at = axis; i < count; ++i, at += 3) {
        low[axis][i] = position[at] - half[at];
        high[axis][i] = position[at] + half[at];
      }
    }
  }

  // Indices of boxes that touch, two a pair and `stride` numbers apart.
  find(method) {
    if (method === "find_pairs") return { pairs: this.broadside.findPairs(this.boxes, { order: "asFound" }).pairs, stride: 1 };
    this.world.setBoxes(this.handles, this.boxes);
    const { begun, ended } = this.world.update();
    this.answer.begun = begun.length / 2;
    this.answer.ended = ended.length / 2;
    // Handles of a world that nothing is removed from: their slots are the indices.
    return { pairs: new Uint32Array(this.world.pairs().buffer), stride: 2 };
  }

  step(dt, gravity, method) {
    const begin = performance.now();
    if (dt > 0) this.move(dt, gravity);
    this.place_boxes();
    const find_begin = performance.now();
    const { pairs, stride } = this.find(method);
    const find_end = performance.now();
    if (dt > 0) this.push_apart(pairs, stride);
    this.answer.pair_count = pairs.length / (2 * stride);
    this.answer.find_ms = find_end - find_begin;
    this.answer.physics_ms = performance.now() - find_end + (find_begin - begin);
  }

  move(dt, gravity) {
    const { position, velocity, half, reach, count } = this;
    for (let i = 0, at = 0; i < count; ++i, at += 3) {
      if (i === this.held) continue;
      velocity[at + 1] -= gravity * dt;
      for (let axis = 0; axis < 3; ++axis) {
        const limit = axis === 1 ? Infinity : reach - half[at + axis];
        position[at + axis] += velocity[at + axis] * dt;
        const floor = axis === 1 ? half[at + 1] : -limit;
        if (position[at + axis] < floor) {
          position[at + axis] = floor;
          velocity[at + axis] = Math.abs(velocity[at + axis]) * kBounce;
          if (axis === 1) { velocity[at] *= kFriction; velocity[at + 2] *= kFriction; }
        } else if (position[at + axis] > limit) {
          position[at + axis] = limit;
          velocity[at + axis] = -Math.abs(velocity[at + axis]) * kBounce;
        }
      }
    }
  }

  // Each pair apart along the axis where the least is in the way, the lighter one farther.
  push_apart(pairs, stride) {
    const { position, velocity, half, is_touched } = this;
    is_touched.fill(0);
    for (let at = 0; at < pairs.length; at += 2 * stride) {
      const i = pairs[at], j = pairs[at + stride];
      is_touched[i] = is_touched[j] = 1;
      let least = Infinity, axis = 0;
      for (let k = 0; k < 3; ++k) {
        const depth = half[3 * i + k] + half[3 * j + k] - Math.abs(position[3 * i + k] - position[3 * j + k]);
        if (depth < least) [least, axis] = [depth, k];
      }
      if (!(least > 0)) continue;
      const a = 3 * i, b = 3 * j;
      const mass_i = i === this.held ? 1e9 : half[a] * half[a + 1] * half[a + 2];
      const mass_j = j === this.held ? 1e9 : half[b] * half[b + 1] * half[b + 2];
      const part = mass_j / (mass_i + mass_j);
      const side = position[a + axis] < position[b + axis] ? -1 : 1;
      const way = 0.5 * Math.max(0, least - 0.01) * side;
      position[a + axis] += way * part;
      position[b + axis] -= way * (1 - part);
      const closing = (velocity[a + axis] - velocity[b + axis]) * side;
      if (closing >= 0) continue;
      const bounce = closing < -1.5 ? 1 + kBounce : 1;
      velocity[a + axis] -= bounce * closing * side * part;
      velocity[b + axis] += bounce * closing * side * (1 - part);
      for (let k = 0; k < 3; ++k) {
        if (k === axis) continue;
        const slide = 0.12 * (velocity[a + k] - velocity[b + k]);
        velocity[a + k] -= slide * part;
        velocity[b + k] += slide * (1 - part);
      }
    }
  }

  // The box that a ray meets first, asked of the library, or -1; and where.
  pick(origin, direction) {
    this.world.setBoxes(this.handles, this.boxes);
    const { t, object } = this.world.closestHits({ origins: origin, directions: direction });
    return { box: object[0] === 0n ? -1 : Number(object[0] & 0xffffffffn), t: t[0] };
  }
}
