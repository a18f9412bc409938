// Solid things: boxes, oriented boxes, meshes and the ground, and the shaders that draw them.
"use strict";

// States of a box; the rows of the layers and the colours come in this order.
const kFixed = 0, kResting = 1, kMoving = 2, kContact = 3, kKinematic = 4, kHidden = 5;
const kStates = [
  { name: "Fixed boxes", colour: "--fixed" }, { name: "Resting boxes", colour: "--resting" }, { name: "Moving boxes", colour: "--moving" },
  { name: "Boxes in contact", colour: "--contact" }, { name: "Kinematic boxes", colour: "--kinematic" },
];
// Kinds of the recordings.
const kStaticKind = 0, kKinematicKind = 1;
// Boxes are drawn all solid. In an x-ray, boxes in focus are solid and the others are ghosts.
const kAllSolid = 0, kFocusSolid = 1, kGhosts = 2;

const box_vertex_shader = `
attribute vec3 low_now, high_now, low_next, high_next;
attribute float state, focus;
uniform vec3 origin, extent, colours[6];
uniform float time, selected, shown[6], drawn, speed_scale;
varying vec3 at, surface_normal, colour;
varying vec2 face_uv;
varying float height;
uniform vec3 up;
void main() {
  int kind = int(state + 0.5);
  vec3 low = mix(low_now, low_next, time), high = mix(high_now, high_next, time);
  bool is_left_out = (drawn == 1.0 && focus < 0.5) || (drawn == 2.0 && focus > 0.5);
  if (low_now.x > high_now.x || shown[kind] < 0.5 || is_left_out) { gl_Position = vec4(0.0, 0.0, -2.0, 1.0); return; }
  at = origin + (0.5 * (low + high) + (high - low) * position) * extent;
  surface_normal = normal;
  face_uv = uv;
  height = dot(position, up) + 0.5;
  colour = colours[kind];
  if (speed_scale > 0.0 && kind != 0) {
    float speed = min(1.0, length((low_next - low_now) * extent) * speed_scale);
    colour = mix(mix(vec3(0.16, 0.32, 0.75), vec3(0.2, 0.72, 0.62), min(1.0, 2.5 * speed)), vec3(0.98, 0.78, 0.1), smoothstep(0.35, 0.75, speed));
    colour = mix(colour, vec3(0.86, 0.13, 0.1), smoothstep(0.75, 1.0, speed));
  }
  // Neighbours of one colour are told apart by their shades.
  colour *= 0.84 + 0.3 * fract(float(gl_InstanceID) * 0.618034);
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
uniform float drawn;
varying vec3 at, surface_normal, colour;
varying vec2 face_uv;
varying float height;
void main() {
  vec2 pixel = fwidth(face_uv);
  if (is_cut(at)) discard;
  if (has_shadow < 0.0) { gl_FragColor = vec4(1.0); return; }
  vec2 away = min(face_uv, 1.0 - face_uv) / pixel;
  float edge = (1.0 - smoothstep(0.4, 1.4, min(away.x, away.y))) * (1.0 - smoothstep(0.06, 0.25, max(pixel.x, pixel.y)));
  float shade = mix(0.78, 1.0, smoothstep(0.0, 0.6, height));
  vec3 lit = lit_colour(colour, at, normalize(surface_normal), shade);
  // The inside of a box that is cut open.
  if (!gl_FrontFacing && drawn != 2.0) lit = colour * 0.45;
  lit = mix(lit, mix(lit * 0.55, lit * 1.7, is_dark), 0.75 * edge);
  gl_FragColor = vec4(in_haze(lit, at), drawn == 2.0 ? mix(0.03, 0.14, edge) : 1.0);
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
uniform float opacity;
varying vec3 at;
void main() {
  if (is_cut(at)) discard;
  if (has_shadow < 0.0) { gl_FragColor = vec4(1.0); return; }
  vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
  if (dot(normal, cameraPosition - at) < 0.0) normal = -normal;
  gl_FragColor = vec4(in_haze(lit_colour(colour, at, normal, 1.0), at), opacity);
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

function box_uniforms() {
  return {
    colours: { value: [] }, shown: { value: [1, 1, 1, 1, 1, 0] }, selected: { value: -1 }, drawn: { value: kAllSolid }, speed_scale: { value: 0 },
  };
}

function box_colours() {
  return [...kStates.map(({ colour }) => colour_of(colour)), new THREE.Color()];
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
    this.focus = new THREE.InstancedBufferAttribute(new Uint8Array(count), 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("focus", this.focus);
    this.hidden = new Set();
    this.uniforms = box_uniforms();
    this.object = new THREE.Mesh(geometry, material(box_vertex_shader, box_fragment_shader, this.uniforms));
    this.ghosts = new THREE.Mesh(geometry, material(box_vertex_shader, box_fragment_shader, { ...this.uniforms, drawn: { value: kGhosts } },
      { transparent: true, depthWrite: false }));
    this.ghosts.visible = false;
  }

  // Boxes in focus stay solid when the others are seen through.
  set_xray(is_on) {
    this.uniforms.drawn.value = is_on ? kFocusSolid : kAllSolid;
    // After the ghosts, which would veil it.
    this.object.material.transparent = is_on;
    this.object.renderOrder = is_on ? 1 : 0;
    this.ghosts.visible = is_on;
  }

  set_focus(objects) {
    this.focus.array.fill(0);
    for (const object of objects) this.focus.array[object] = 1;
    this.focus.needsUpdate = true;
  }

  // The motion of a frame that one of fifty moving boxes exceeds, in the units of the scene.
  top_speed() {
    const { boxes, object_count, frame_count, step } = this.film;
    const rows = object_count * (frame_count - 1);
    const speeds = [];
    for (let row = 0; row < rows; row += Math.ceil(rows / 200_000)) {
      const at = 6 * row, next = at + 6 * object_count;
      if (is_absent(boxes, at) || is_absent(boxes, next) || is_same_box(boxes, at, next)) continue;
      speeds.push(Math.hypot(...[0, 1, 2].map((axis) => (boxes[next + axis] - boxes[at + axis]) * step[axis])));
    }
    speeds.sort((a, b) => a - b);
    return speeds[Math.floor(0.98 * speeds.length)] ?? 0;
  }

  set_frame(frame, pairs) {
    const { film, states } = this;
    const row = 6 * film.object_count;
    const next_frame = Math.min(frame + 1, film.frame_count - 1);
    const now = this.now.array, next = this.next.array;
    now.set(film.boxes.subarray(frame * row, (frame + 1) * row));
    next.set(film.boxes.subarray(next_frame * row, (next_frame + 1) * row));
    for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
      if (film.kinds[object] === kStaticKind) { states[object] = kFixed; continue; }
      if (film.kinds[object] === kKinematicKind) states[object] = kKinematic;
      else states[object] = is_same_box(film.boxes, frame * row + at, next_frame * row + at) ? kResting : kMoving;
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
      for (const object of [a, b]) if (film.kinds[object] > kKinematicKind) states[object] = kContact;
    };
    const { first, second, state } = film.pairs;
    for (const pair of pairs) {
      if (state[pair] === 1 && film.kinds[first[pair]] !== kStaticKind && film.kinds[second[pair]] !== kStaticKind) touch(first[pair], second[pair]);
    }
    const { impacts } = film;
    for (let i = impacts.starts[frame]; i < impacts.starts[frame + 1]; ++i) touch(impacts.first[i], impacts.second[i]);
    for (const object of this.hidden) states[object] = kHidden;
    this.counts = [0, 0, 0, 0, 0, 0];
    for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
      if (!is_absent(now, at)) ++this.counts[states[object]];
    }
    for (const part of [this.now, this.next, this.state_attribute]) part.needsUpdate = true;
  }

  set_theme() {
    this.uniforms.colours.value = box_colours();
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
    this.uniforms = { colours: { value: [] }, shown: { value: [1, 1] }, half_range: { value: film.half_unit * 65535 },
      drawn: { value: kAllSolid } };
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
    this.uniforms = { colour: { value: new THREE.Color() }, opacity: { value: 1 } };
    this.object = new THREE.Mesh(geometry, material(mesh_vertex_shader, mesh_fragment_shader, this.uniforms));
  }
  set_theme() { this.uniforms.colour.value = colour_of("--mesh"); }
}
