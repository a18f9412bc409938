// What is drawn of a film: one class a kind of thing, each with its own layer.
"use strict";

// States of a box; the rows of the layers and the colours come in this order.
const kFixed = 0, kResting = 1, kMoving = 2, kContact = 3;
// An impact glows for so many frames, because one frame is too short to be seen.
const kGlowFrames = 10;

const box_vertex_shader = `
attribute vec3 low_now, high_now, low_next, high_next;
attribute float state;
uniform vec3 origin, extent, colours[4];
uniform float time, selected, shown[4];
varying vec3 at, surface_normal, colour;
varying vec2 face_uv;
varying float height;
uniform vec3 up;
void main() {
  int kind = int(state + 0.5);
  vec3 low = mix(low_now, low_next, time), high = mix(high_now, high_next, time);
  if (low_now.x > high_now.x || shown[kind] < 0.5) { gl_Position = vec4(0.0, 0.0, -2.0, 1.0); return; }
  at = origin + (0.5 * (low + high) + (high - low) * position) * extent;
  surface_normal = normal;
  face_uv = uv;
  height = dot(position, up) + 0.5;
  colour = colours[kind];
  if (float(gl_InstanceID) == selected) colour = vec3(1.0, 0.83, 0.1);
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;

const obb_vertex_shader = `
attribute vec3 center_now, center_next, half_size;
attribute vec4 rotation;
attribute float state;
uniform vec3 origin, extent, colours[2];
uniform float time, half_range, shown[2];
varying vec3 at, surface_normal, colour;
varying vec2 face_uv;
varying float height;
vec3 turned(vec3 v) { return v + 2.0 * cross(rotation.xyz, cross(rotation.xyz, v) + rotation.w * v); }
void main() {
  int kind = int(state + 0.5);
  if (shown[kind] < 0.5) { gl_Position = vec4(0.0, 0.0, -2.0, 1.0); return; }
  at = origin + mix(center_now, center_next, time) * extent + turned(position * 2.0 * half_size * half_range);
  surface_normal = turned(normal);
  face_uv = uv;
  height = 1.0;
  colour = colours[kind];
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;

// Edges are lines of a pixel, which fade where a face is but a few pixels wide.
const box_fragment_shader = light_shader + `
varying vec3 at, surface_normal, colour;
varying vec2 face_uv;
varying float height;
void main() {
  if (has_shadow < 0.0) { gl_FragColor = vec4(1.0); return; }
  vec2 pixel = fwidth(face_uv);
  vec2 away = min(face_uv, 1.0 - face_uv) / pixel;
  float edge = (1.0 - smoothstep(0.4, 1.4, min(away.x, away.y))) * (1.0 - smoothstep(0.06, 0.25, max(pixel.x, pixel.y)));
  float shade = mix(0.78, 1.0, smoothstep(0.0, 0.6, height));
  vec3 lit = lit_colour(colour, at, normalize(surface_normal), shade);
  lit = mix(lit, mix(lit * 0.55, lit * 1.7, is_dark), 0.75 * edge);
  gl_FragColor = vec4(in_haze(lit, at), 1.0);
}`;

const mesh_vertex_shader = `
uniform vec3 origin, extent;
varying vec3 at;
void main() {
  at = origin + position * extent;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;
const mesh_fragment_shader = light_shader + `
uniform vec3 colour;
varying vec3 at;
void main() {
  if (has_shadow < 0.0) { gl_FragColor = vec4(1.0); return; }
  vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
  if (dot(normal, cameraPosition - at) < 0.0) normal = -normal;
  gl_FragColor = vec4(in_haze(lit_colour(colour, at, normal, 1.0), at), 1.0);
}`;

const ground_vertex_shader = `
varying vec3 at;
void main() {
  at = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;
const ground_fragment_shader = light_shader + `
uniform vec3 colour, across;
uniform float cell, reach;
varying vec3 at;
float line_at(float value, float size) {
  float place = value / size;
  float width = fwidth(place);
  return (1.0 - smoothstep(0.5, 1.5, abs(fract(place - 0.5) - 0.5) / width)) * (1.0 - smoothstep(0.1, 0.4, width));
}
void main() {
  vec3 along = cross(up, across);
  float lines = max(line_at(dot(at, across), cell), line_at(dot(at, along), cell));
  vec3 lit = lit_colour(colour, at, up, 1.0);
  lit = mix(lit, lit * mix(0.9, 1.35, is_dark), lines * 0.8);
  float edge = smoothstep(0.62 * reach, reach, length(vec2(dot(at, across), dot(at, along))));
  gl_FragColor = vec4(mix(in_haze(lit, at), sky, edge), 1.0);
}`;

function material(vertexShader, fragmentShader, uniforms, settings = {}) {
  return new THREE.ShaderMaterial({
    vertexShader, fragmentShader, uniforms: { ...shader_uniforms, ...uniforms }, side: THREE.DoubleSide, ...settings,
  });
}

// A buffer of one row an instance, whose columns are attributes.
function instanced(geometry, array, width, columns, is_normalized = true) {
  const buffer = new THREE.InstancedInterleavedBuffer(array, width).setUsage(THREE.DynamicDrawUsage);
  for (const [name, offset, size] of columns) {
    geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(buffer, size, offset, is_normalized));
  }
  return buffer;
}

function unit_box(count) {
  const geometry = new THREE.InstancedBufferGeometry();
  const box = new THREE.BoxBufferGeometry(1, 1, 1);
  geometry.index = box.index;
  for (const name of ["position", "normal", "uv"]) geometry.setAttribute(name, box.attributes[name]);
  geometry.maxInstancedCount = count;
  return geometry;
}

class Boxes {
  constructor(film) {
    this.film = film;
    const count = film.object_count;
    const geometry = unit_box(count);
    this.now = instanced(geometry, new Uint16Array(6 * count), 6, [["low_now", 0, 3], ["high_now", 3, 3]]);
    this.next = instanced(geometry, new Uint16Array(6 * count), 6, [["low_next", 0, 3], ["high_next", 3, 3]]);
    this.states = new Uint8Array(count);
    this.state_attribute = new THREE.InstancedBufferAttribute(this.states, 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("state", this.state_attribute);
    this.uniforms = {
      colours: { value: [] }, shown: { value: [1, 1, 1, 1] }, selected: { value: -1 },
    };
    this.object = new THREE.Mesh(geometry, material(box_vertex_shader, box_fragment_shader, this.uniforms));
  }

  set_frame(frame, pairs) {
    const { film, states } = this;
    const row = 6 * film.object_count;
    const next_frame = Math.min(frame + 1, film.frame_count - 1);
    const now = this.now.array, next = this.next.array;
    now.set(film.boxes.subarray(frame * row, (frame + 1) * row));
    next.set(film.boxes.subarray(next_frame * row, (next_frame + 1) * row));
    for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
      if (film.is_fixed[object]) { states[object] = kFixed; continue; }
      states[object] = is_same_box(film.boxes, frame * row + at, next_frame * row + at) ? kResting : kMoving;
      // What comes, goes or jumps farther than it is large is not drawn on the way.
      for (let axis = at; axis < at + 3; ++axis) {
        const way = Math.abs(next[axis] - now[axis]);
        const size = Math.max(now[at + 3] - now[at], now[at + 4] - now[at + 1], now[at + 5] - now[at + 2]);
        if (is_absent(next, at) || is_absent(now, at) || way > 4 * size + 600) {
          next.copyWithin(at, at, at);
          next.set(now.subarray(at, at + 6), at);
          break;
        }
      }
    }
    // At the end of the film nothing goes on; what moved before is still moving.
    if (frame === next_frame && frame > 0) {
      for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
        if (states[object] === kResting && !is_same_box(film.boxes, (frame - 1) * row + at, frame * row + at)) {
          states[object] = kMoving;
        }
      }
    }
    // Nearly everything touches the floor: contact with what is fixed counts only where it comes as an impact.
    const touch = (a, b) => {
      for (const object of [a, b]) if (!film.is_fixed[object]) states[object] = kContact;
    };
    const { first, second, state } = film.pairs;
    for (const pair of pairs) {
      if (state[pair] === 1 && !film.is_fixed[first[pair]] && !film.is_fixed[second[pair]]) touch(first[pair], second[pair]);
    }
    const { impacts } = film;
    for (let i = impacts.starts[frame]; i < impacts.starts[frame + 1]; ++i) touch(impacts.first[i], impacts.second[i]);
    this.counts = [0, 0, 0, 0];
    for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
      if (!is_absent(now, at)) ++this.counts[states[object]];
    }
    for (const part of [this.now, this.next, this.state_attribute]) part.needsUpdate = true;
  }

  set_theme() {
    this.uniforms.colours.value = ["--fixed", "--resting", "--moving", "--contact"].map(colour_of);
  }

  // Numbers from 0 to 65535 between this frame and the next, as the shader has them.
  corner(object, side, axis, time) {
    const at = 6 * object + 3 * side + axis;
    return this.now.array[at] * (1 - time) + this.next.array[at] * time;
  }
}

class Obbs {
  constructor(film) {
    this.film = film;
    this.count = Math.max(0, ...Array.from(film.obbs.starts).slice(1).map((end, i) => end - film.obbs.starts[i]));
    const geometry = unit_box(0);
    this.centers = instanced(geometry, new Uint16Array(6 * this.count), 6, [["center_now", 0, 3], ["center_next", 3, 3]]);
    this.halves = instanced(geometry, new Uint16Array(3 * this.count), 3, [["half_size", 0, 3]]);
    this.rotations = instanced(geometry, new Int16Array(4 * this.count), 4, [["rotation", 0, 4]]);
    this.states = new Uint8Array(this.count);
    this.state_attribute = new THREE.InstancedBufferAttribute(this.states, 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("state", this.state_attribute);
    this.uniforms = { colours: { value: [] }, shown: { value: [1, 1] }, half_range: { value: film.half_unit * 65535 } };
    this.object = new THREE.Mesh(geometry, material(obb_vertex_shader, box_fragment_shader, this.uniforms));
  }

  set_frame(frame) {
    const { rows, starts } = this.film.obbs;
    const next_frame = Math.min(frame + 1, this.film.frame_count - 1);
    const count = starts[frame + 1] - starts[frame];
    const next_count = starts[next_frame + 1] - starts[next_frame];
    this.counts = [0, 0];
    for (let i = 0; i < count; ++i) {
      const row = 11 * (starts[frame] + i);
      const next_row = i < next_count ? 11 * (starts[next_frame] + i) : row;
      for (let axis = 0; axis < 3; ++axis) {
        this.centers.array[6 * i + axis] = rows[row + axis];
        const is_jump = Math.abs(rows[next_row + axis] - rows[row + axis]) > 3000;
        this.centers.array[6 * i + 3 + axis] = rows[(is_jump ? row : next_row) + axis];
        this.halves.array[3 * i + axis] = rows[row + 3 + axis];
      }
      for (let part = 0; part < 4; ++part) this.rotations.array[4 * i + part] = rows[row + 6 + part];
      this.states[i] = rows[row + 10] === kNoTime ? 0 : 1;
      ++this.counts[this.states[i]];
    }
    this.object.geometry.maxInstancedCount = count;
    for (const part of [this.centers, this.halves, this.rotations, this.state_attribute]) part.needsUpdate = true;
  }

  set_theme() {
    this.uniforms.colours.value = ["--obb", "--obb-contact"].map(colour_of);
  }
}

class Mesh {
  constructor(film) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(film.mesh, 3, true));
    this.uniforms = { colour: { value: new THREE.Color() } };
    this.object = new THREE.Mesh(geometry, material(mesh_vertex_shader, mesh_fragment_shader, this.uniforms));
  }
  set_theme() { this.uniforms.colour.value = colour_of("--mesh"); }
}

// Lines whose ends are set anew: by frame or, where they hang on boxes, by time.
class Lines {
  // With `has_strengths` each line has a strength of its own, which its colour is multiplied by.
  constructor(capacity, colour_name, opacity, has_strengths = false) {
    this.colour_name = colour_name;
    this.geometry = new THREE.BufferGeometry();
    this.has_strengths = has_strengths;
    this.reserve(capacity);
    this.material = new THREE.LineBasicMaterial({
      transparent: true, opacity, depthWrite: false, vertexColors: has_strengths ? THREE.VertexColors : THREE.NoColors,
    });
    this.object = new THREE.LineSegments(this.geometry, this.material);
  }
  reserve(capacity) {
    this.capacity = capacity;
    this.positions = new Float32Array(6 * capacity);
    this.attribute = new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute("position", this.attribute);
    if (!this.has_strengths) return;
    this.strengths = new THREE.BufferAttribute(new Float32Array(6 * capacity), 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute("color", this.strengths);
  }
  begin(count) {
    if (count > this.capacity) this.reserve(Math.max(2 * this.capacity, count));
    this.used = 0;
  }
  add(a, b, strength = 1) {
    if (this.has_strengths) this.strengths.array.fill(strength, this.used, this.used + 6);
    this.positions.set(a, this.used);
    this.positions.set(b, this.used + 3);
    this.used += 6;
  }
  end() {
    this.geometry.setDrawRange(0, this.used / 3);
    this.attribute.needsUpdate = true;
    if (this.has_strengths) this.strengths.needsUpdate = true;
  }
  add_box(low, high, strength = 1) {
    for (let axis = 0; axis < 3; ++axis) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      for (let corner = 0; corner < 4; ++corner) {
        const a = [0, 0, 0];
        a[u] = (corner & 1 ? high : low)[u];
        a[v] = (corner & 2 ? high : low)[v];
        a[axis] = low[axis];
        const b = [...a];
        b[axis] = high[axis];
        this.add(a, b, strength);
      }
    }
  }
  set_theme() { this.material.color = colour_of(this.colour_name); }
}

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

class Drawing {
  // `center` is the point of the scene that becomes the origin, so that coordinates stay small.
  constructor(film, center, up_axis) {
    this.film = film;
    film.shift = film.origin.map((value, axis) => value - center[axis]);
    this.scene = new THREE.Scene();
    this.boxes = new Boxes(film);
    this.obbs = new Obbs(film);
    this.mesh = new Mesh(film);
    this.impacts = new Impacts(film);
    this.pairs = new Lines(256, "--pair", 0.9);
    this.pairs.material.depthTest = false;
    this.candidates = new Lines(256, "--candidate", 0.55);
    this.candidates.material.depthTest = false;
    this.rays = new Lines(512, "--ray", 0.6);
    this.mesh_rays = new Lines(512, "--mesh-ray", 0.45);
    this.movers = new Movers(film);
    this.nodes = [1, 2, 3, 4].map((level) => new Lines(64, "--node", 1.0 / level ** 0.3));
    this.cells = new Lines(64, "--cell", 0.6, true);
    this.sweep = new Lines(64, "--cell", 1);
    this.parts = [this.boxes, this.obbs, this.mesh, this.impacts, this.pairs, this.candidates, this.rays, this.mesh_rays, this.movers,
      ...this.movers.trails, ...this.nodes, this.cells, this.sweep];
    for (const part of this.parts) {
      part.object.frustumCulled = false;
      this.scene.add(part.object);
    }
    this.impacts.object.renderOrder = 3;
    this.ground = this.make_ground(up_axis);
    this.scene.add(this.ground);
    this.casting = [this.boxes.object, this.obbs.object, this.mesh.object, this.movers.object];
    this.up_axis = up_axis;
  }

  make_ground(up_axis) {
    const { film } = this;
    const lows = [];
    const box_bounds = { min: [65535, 65535, 65535], max: [0, 0, 0] };
    for (let at = 0; at < 6 * film.object_count; at += 6) {
      if (is_absent(film.boxes, at)) continue;
      lows.push(film.boxes[at + up_axis]);
      for (let axis = 0; axis < 3; ++axis) {
        box_bounds.min[axis] = Math.min(box_bounds.min[axis], film.boxes[at + axis]);
        box_bounds.max[axis] = Math.max(box_bounds.max[axis], film.boxes[at + 3 + axis]);
      }
    }
    lows.sort((a, b) => a - b);
    const level = lows.length ? lows[Math.floor(lows.length / 50)] : 0;
    const side = [0, 1, 2].map((axis) => (box_bounds.max[axis] - box_bounds.min[axis]) * film.step[axis]);
    const [u, v] = [(up_axis + 1) % 3, (up_axis + 2) % 3];
    // Beside a mesh the ground ends with the boxes, or it would hide what lies lower.
    const reach = (film.mesh.length ? 0.51 : 1.6) * Math.max(side[u], side[v], 1e-6);
    const geometry = new THREE.PlaneBufferGeometry(2 * reach, 2 * reach);
    const across = new THREE.Vector3().setComponent(u, 1);
    this.ground_uniforms = {
      colour: { value: new THREE.Color() }, across: { value: across }, reach: { value: film.mesh.length ? 1e30 : reach },
      cell: { value: 10 ** Math.floor(Math.log10(reach / 4)) },
    };
    const ground = new THREE.Mesh(geometry, material(ground_vertex_shader, ground_fragment_shader, this.ground_uniforms,
      { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    if (up_axis === 1) ground.rotation.x = -Math.PI / 2;
    if (up_axis === 0) ground.rotation.y = Math.PI / 2;
    for (const axis of [u, v]) {
      const middle = 0.5 * (box_bounds.min[axis] + box_bounds.max[axis]);
      ground.position.setComponent(axis, film.shift[axis] + middle * film.step[axis]);
    }
    ground.position.setComponent(up_axis, film.shift[up_axis] + (level - 0.5) * film.step[up_axis]);
    ground.visible = lows.length > 0;
    return ground;
  }

  set_theme() {
    for (const part of this.parts) part.set_theme();
    this.ground_uniforms.colour.value = colour_of("--ground");
  }

  set_frame(frame) {
    this.frame = frame;
    this.frame_pairs = pairs_at(this.film, frame);
    this.boxes.set_frame(frame, this.frame_pairs);
    this.obbs.set_frame(frame);
    this.impacts.set_frame(frame);
    this.ray_count = this.set_rays(frame, this.film.rays, this.rays);
    this.mesh_ray_count = this.set_rays(frame, this.film.mesh_rays, this.mesh_rays);
    this.movers.set_frame(frame, (rows, row) => this.place(rows, row));
    this.set_nodes(frame);
    this.set_cells(frame);
    this.set_sweep();
  }

  place(numbers, at = 0) {
    return [0, 1, 2].map((axis) => this.film.shift[axis] + numbers[at + axis] * this.film.step[axis]);
  }

  set_rays(frame, { rows, starts }, lines) {
    const count = starts[frame + 1] - starts[frame];
    lines.begin(count);
    for (let i = starts[frame]; i < starts[frame + 1]; ++i) {
      lines.add(this.place(rows, 6 * i), this.place(rows, 6 * i + 3));
    }
    lines.end();
    return count;
  }

  // Each level from the root down in lines of its own, as far as they can be told apart.
  set_nodes(frame) {
    const { rows, starts, levels } = this.film.nodes;
    const counts = this.film.nodes.starts.length > 1 ? levels(frame) : [];
    this.level_counts = counts;
    let at = starts[frame];
    const begins = counts.map((count) => { at += count; return at - count; });
    this.nodes.forEach((lines, depth) => {
      const level = counts.length - 1 - depth;
      lines.begin(12 * (counts[level] ?? 0));
      for (let i = 0; i < (counts[level] ?? 0); ++i) {
        const row = 6 * (begins[level] + i);
        if (!is_absent(rows, row)) lines.add_box(this.place(rows, row), this.place(rows, row + 3));
      }
      lines.end();
    });
  }

  // The grid, and how many boxes reach into each of its cells; the fuller a cell, the stronger its colour. What lies
  // outside belongs to the cells of the border.
  set_cells(frame) {
    const { film } = this;
    const counts = Array.from(film.cell_counts.subarray(3 * frame, 3 * frame + 3));
    const grid = film.cell_grids.subarray(6 * frame, 6 * frame + 6);
    this.cell_fill = new Map();
    this.cells.begin(0);
    if (counts[0] > 0) {
      const cell = (number, axis) => {
        const value = film.origin[axis] + number * film.step[axis];
        return Math.min(counts[axis] - 1, Math.max(0, Math.floor((value - grid[axis]) / grid[3 + axis])));
      };
      const now = this.boxes.now.array;
      for (let at = 0; at < now.length; at += 6) {
        if (is_absent(now, at)) continue;
        const from = [0, 1, 2].map((axis) => cell(now[at + axis], axis));
        const to = [0, 1, 2].map((axis) => cell(now[at + 3 + axis], axis));
        // The algorithm sets apart what reaches across many cells; here it would only slow the page down.
        if ((to[0] - from[0] + 1) * (to[1] - from[1] + 1) * (to[2] - from[2] + 1) > 1000) continue;
        for (let x = from[0]; x <= to[0]; ++x) for (let y = from[1]; y <= to[1]; ++y) for (let z = from[2]; z <= to[2]; ++z) {
          const key = (x * counts[1] + y) * counts[2] + z;
          this.cell_fill.set(key, (this.cell_fill.get(key) ?? 0) + 1);
        }
      }
      this.cells.begin(12 * this.cell_fill.size);
      const most = Math.max(...this.cell_fill.values());
      for (const [key, fill] of this.cell_fill) {
        const index = [Math.floor(key / counts[2] / counts[1]), Math.floor(key / counts[2]) % counts[1], key % counts[2]];
        const corner = (side) => index.map((i, axis) => film.shift[axis] - film.origin[axis] + grid[axis] + (i + side) * grid[3 + axis]);
        this.cells.add_box(corner(0), corner(1), 0.15 + 0.85 * fill / most);
      }
    }
    this.cells.end();
  }

  // An arrow along the axis of the sweep and, where a box is selected, the slab that it is compared in.
  set_sweep() {
    const axis = this.film.sweep_axis[this.frame];
    this.sweep.begin(64);
    if (axis < 3) {
      const low = this.place([0, 0, 0]), high = this.place([65535, 65535, 65535]);
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const at = (along, aside) => {
        const point = [...low];
        point[axis] = low[axis] + along * (high[axis] - low[axis]);
        const flat = u === this.up_axis ? v : u;
        point[flat] += (aside - 0.03) * (high[axis] - low[axis]);
        return point;
      };
      this.sweep.add(at(0, 0), at(1, 0));
      this.sweep.add(at(1, 0), at(0.97, 0.012));
      this.sweep.add(at(1, 0), at(0.97, -0.012));
      const object = this.boxes.uniforms.selected.value;
      if (object >= 0 && !is_absent(this.boxes.now.array, 6 * object)) {
        for (const side of [0, 1]) {
          const from = [...low], to = [...high];
          from[axis] = to[axis] = this.film.shift[axis] + this.film.step[axis] * this.boxes.corner(object, side, axis, this.time ?? 0);
          this.sweep.add_box(from, to);
        }
      }
    }
    this.sweep.end();
  }

  // What hangs on boxes that are on their way.
  set_time(time) {
    this.time = time;
    const { first, second, state } = this.film.pairs;
    const middle = (object) => [0, 1, 2].map((axis) => this.film.shift[axis] + this.film.step[axis] * 0.5 *
      (this.boxes.corner(object, 0, axis, time) + this.boxes.corner(object, 1, axis, time)));
    this.pairs.begin(this.frame_pairs.length);
    this.candidates.begin(this.frame_pairs.length);
    this.pair_counts = [0, 0];
    for (const pair of this.frame_pairs) {
      ++this.pair_counts[state[pair]];
      const lines = state[pair] === 1 ? this.pairs : this.candidates;
      if (lines.object.visible) lines.add(middle(first[pair]), middle(second[pair]));
    }
    this.pairs.end();
    this.candidates.end();
  }

  prepare() {
    shader_uniforms.origin.value.fromArray(this.film.shift);
    shader_uniforms.extent.value.fromArray(this.film.extent);
    shader_uniforms.time.value = this.time;
  }

  // Only solid things throw a shadow.
  set_casting(is_casting) {
    if (is_casting) {
      this.was_visible = this.scene.children.map((object) => object.visible);
      for (const object of this.scene.children) object.visible = object.visible && this.casting.includes(object);
    } else {
      this.scene.children.forEach((object, index) => { object.visible = this.was_visible[index]; });
    }
  }

  // The object that a ray from the camera meets first, or -1.
  pick(origin, direction) {
    const from = origin.toArray(), way = direction.toArray();
    let best = -1, best_t = Infinity;
    const { film, boxes } = this;
    for (let object = 0; object < film.object_count; ++object) {
      if (is_absent(boxes.now.array, 6 * object) || !boxes.uniforms.shown.value[boxes.states[object]]) continue;
      let enter = 0, leave = Infinity;
      for (let axis = 0; axis < 3; ++axis) {
        const low = film.shift[axis] + film.step[axis] * boxes.corner(object, 0, axis, this.time);
        const high = film.shift[axis] + film.step[axis] * boxes.corner(object, 1, axis, this.time);
        const a = (low - from[axis]) / way[axis], b = (high - from[axis]) / way[axis];
        enter = Math.max(enter, Math.min(a, b));
        leave = Math.min(leave, Math.max(a, b));
      }
      if (enter <= leave && enter < best_t) [best, best_t] = [object, enter];
    }
    return best;
  }

  // Where an object is now: its middle and its radius, in the coordinates of the scene.
  sphere_of(object) {
    const sides = [0, 1].map((side) => new THREE.Vector3(...[0, 1, 2].map((axis) =>
      this.film.shift[axis] + this.film.step[axis] * this.boxes.corner(object, side, axis, this.time))));
    return { center: sides[0].clone().add(sides[1]).multiplyScalar(0.5), radius: 0.5 * sides[0].distanceTo(sides[1]) };
  }
}
