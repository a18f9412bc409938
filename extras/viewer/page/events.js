// Impacts, and movers with the ways behind them: events of a frame that stay visible for some frames more.
"use strict";

// An impact glows for so many frames, because one frame is too short to be seen.
const kGlowFrames = 10;

const impact_vertex_shader = `
attribute float age;
uniform float time, pixel;
varying float glow;
void main() {
  glow = 1.0 - (age + time) / ${kGlowFrames.toFixed(1)};
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_PointSize = pixel * (7.0 + 15.0 * glow * glow);
}`;
const impact_fragment_shader = `
uniform vec3 colour;
varying float glow;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  if (away > 1.0 || glow <= 0.0) discard;
  float core = 1.0 - smoothstep(0.2, 0.35, away);
  gl_FragColor = vec4(mix(colour, vec3(1.0), 0.7 * core * glow), glow * max(core, 0.55 * (1.0 - away)));
}`;

class Impacts {
  constructor(film) {
    this.film = film;
    const { starts } = film.impacts;
    let most = 1;
    for (let frame = 0; frame < film.frame_count; ++frame) {
      most = Math.max(most, starts[frame + 1] - starts[Math.max(0, frame - kGlowFrames + 1)]);
    }
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * most), 3).setUsage(THREE.DynamicDrawUsage);
    this.ages = new THREE.BufferAttribute(new Float32Array(most), 1).setUsage(THREE.DynamicDrawUsage);
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", this.positions);
    this.geometry.setAttribute("age", this.ages);
    this.uniforms = { colour: { value: new THREE.Color() }, pixel: { value: Math.min(window.devicePixelRatio, 2) } };
    this.object = new THREE.Points(this.geometry, material(impact_vertex_shader, impact_fragment_shader, this.uniforms,
      { transparent: true, depthWrite: false, depthTest: false }));
  }
  // Where two boxes are nearest to each other at the time of their impact: the middle of what their boxes share.
  place_of(frame, index, out, at) {
    const { film } = this;
    const { first, second, toi } = film.impacts;
    const row = 6 * film.object_count;
    const next = Math.min(frame + 1, film.frame_count - 1);
    const time = toi[index] / 65534;
    for (let axis = 0; axis < 3; ++axis) {
      const value = (object, side) => {
        const place = 6 * object + 3 * side + axis;
        const now = film.boxes[frame * row + place], then = film.boxes[next * row + place];
        return Math.abs(then - now) > 3000 ? now : now + (then - now) * time;
      };
      const low = Math.max(value(first[index], 0), value(second[index], 0));
      const high = Math.min(value(first[index], 1), value(second[index], 1));
      out[at + axis] = film.shift[axis] + 0.5 * (low + high) * film.step[axis];
    }
  }
  set_frame(frame) {
    const { starts } = this.film.impacts;
    let count = 0;
    for (let age = 0; age < kGlowFrames && frame - age >= 0; ++age) {
      for (let i = starts[frame - age]; i < starts[frame - age + 1]; ++i, ++count) {
        this.place_of(frame - age, i, this.positions.array, 3 * count);
        this.ages.array[count] = age;
      }
    }
    this.count = starts[frame + 1] - starts[frame];
    this.geometry.setDrawRange(0, count);
    this.positions.needsUpdate = this.ages.needsUpdate = true;
  }
  set_theme() { this.uniforms.colour.value = colour_of("--impact"); }
}

// What a mover has done; the rows of the layers come in this order.
const kStepping = 1;
const kMoverStates = [
  { name: "Movers on ground", colour: "--mover" }, { name: "Movers on steps", colour: "--mover-step" },
  { name: "Movers at a wall", colour: "--mover-wall" }, { name: "Movers in the air", colour: "--mover-air" },
];
// A step takes a frame, which is too short to be seen.
const kStepFrames = 8;
// Frames of the way behind a mover that are drawn.
const kTrailFrames = 90;

const mover_vertex_shader = `
attribute vec3 center_now, center_next, half_size;
attribute float radius, state;
uniform vec3 origin, extent, colours[4];
uniform float time, half_range, shown[4];
varying vec3 at, outside, surface_normal, colour;
void main() {
  int kind = int(state + 0.5);
  if (shown[kind] < 0.5) { gl_Position = vec4(0.0, 0.0, -2.0, 1.0); return; }
  vec3 core = sign(position) * step(1e-3, abs(position)) * (half_size - radius);
  at = origin + mix(center_now, center_next, time) * extent + (core + position * radius) * half_range;
  surface_normal = position;
  // Out of its own shadow, which would be nothing but noise on what is round.
  outside = at + position * radius * half_range;
  colour = colours[kind];
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;
const mover_fragment_shader = light_shader + `
varying vec3 at, outside, surface_normal, colour;
void main() {
  if (is_cut(at)) discard;
  if (has_shadow < 0.0) { gl_FragColor = vec4(1.0); return; }
  gl_FragColor = vec4(in_haze(lit_colour(colour, outside, normalize(surface_normal), 1.15), at), 1.0);
}`;

// Movers and the ways that they have come, in the colour of what they did there.
class Movers {
  constructor(film) {
    this.film = film;
    this.count = Math.max(0, ...Array.from(film.movers.starts).slice(1).map((end, i) => end - film.movers.starts[i]));
    const geometry = new THREE.InstancedBufferGeometry();
    const sphere = new THREE.SphereBufferGeometry(1, 16, 16);
    geometry.index = sphere.index;
    geometry.setAttribute("position", sphere.attributes.position);
    this.centers = instanced(geometry, new Uint16Array(6 * this.count), 6, [["center_now", 0, 3], ["center_next", 3, 3]]);
    this.halves = instanced(geometry, new Uint16Array(4 * this.count), 4, [["half_size", 0, 3], ["radius", 3, 1]]);
    this.states = new Uint8Array(this.count);
    this.state_attribute = new THREE.InstancedBufferAttribute(this.states, 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("state", this.state_attribute);
    this.uniforms = { colours: { value: [] }, shown: { value: [1, 1, 1, 1] }, half_range: { value: film.half_unit * 65535 } };
    this.object = new THREE.Mesh(geometry, material(mover_vertex_shader, mover_fragment_shader, this.uniforms));
    this.trails = kMoverStates.map(({ colour }) => new Lines(256, colour, 0.9));
    this.counts = [0, 0, 0, 0];
  }

  count_at(frame) { return this.film.movers.starts[frame + 1] - this.film.movers.starts[frame]; }
  row(frame, mover) { return 8 * (this.film.movers.starts[frame] + mover); }
  is_jump(row, other) {
    const { rows } = this.film.movers;
    return [0, 1, 2].some((axis) => Math.abs(rows[row + axis] - rows[other + axis]) > 3000);
  }
  // A mover that stepped a little while ago still counts as stepping.
  state_at(frame, mover) {
    const { rows } = this.film.movers;
    for (let before = frame; before >= 0 && before > frame - kStepFrames; --before) {
      if (mover < this.count_at(before) && rows[this.row(before, mover) + 7] === kStepping) return kStepping;
    }
    return rows[this.row(frame, mover) + 7];
  }

  set_frame(frame, place) {
    const { rows } = this.film.movers;
    const next_frame = Math.min(frame + 1, this.film.frame_count - 1);
    const count = this.count_at(frame);
    this.counts = [0, 0, 0, 0];
    for (const trail of this.trails) trail.begin(count * kTrailFrames);
    for (let i = 0; i < count; ++i) {
      const row = this.row(frame, i);
      let next_row = i < this.count_at(next_frame) ? this.row(next_frame, i) : row;
      if (this.is_jump(row, next_row)) next_row = row;
      for (let axis = 0; axis < 3; ++axis) {
        this.centers.array[6 * i + axis] = rows[row + axis];
        this.centers.array[6 * i + 3 + axis] = rows[next_row + axis];
      }
      for (let part = 0; part < 4; ++part) this.halves.array[4 * i + part] = rows[row + 3 + part];
      this.states[i] = this.state_at(frame, i);
      ++this.counts[this.states[i]];
      for (let f = frame; f > 0 && f > frame - kTrailFrames && i < this.count_at(f - 1); --f) {
        const to = this.row(f, i), from = this.row(f - 1, i);
        if (this.is_jump(to, from)) break;
        this.trails[this.state_at(f - 1, i)].add(place(rows, from), place(rows, to));
      }
    }
    for (const trail of this.trails) trail.end();
    this.object.geometry.maxInstancedCount = count;
    for (const part of [this.centers, this.halves, this.state_attribute]) part.needsUpdate = true;
  }

  set_shown(state, is_on) {
    this.uniforms.shown.value[state] = is_on ? 1 : 0;
    this.trails[state].object.visible = is_on;
  }
  set_theme() {
    this.uniforms.colours.value = kMoverStates.map(({ colour }) => colour_of(colour));
    for (const trail of this.trails) trail.set_theme();
  }
}
