// All drawn parts of a film, frame by frame.
"use strict";

// Velocities are drawn as long as the way of so many frames.
const kVelocityFrames = 4;

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
    // They come from no box that could be selected.
    this.rays.is_all_wanted = this.mesh_rays.is_all_wanted = true;
    this.movers = new Movers(film);
    this.nodes = [1, 2, 3, 4].map((level) => new Lines(64, "--node", 1.0 / level ** 0.3));
    this.cells = new Lines(64, "--cell", 0.6, true);
    this.sweep = new Lines(64, "--cell", 1);
    this.velocities = new Lines(256, "--velocity", 0.9);
    this.velocities.material.depthTest = false;
    this.parts = [this.boxes, this.obbs, this.mesh, this.impacts, this.pairs, this.candidates, this.rays, this.mesh_rays, this.movers,
      ...this.movers.trails, ...this.nodes, this.cells, this.sweep, this.velocities];
    for (const part of this.parts) {
      part.object.frustumCulled = false;
      this.scene.add(part.object);
    }
    this.scene.add(this.boxes.ghosts);
    this.boxes.ghosts.frustumCulled = false;
    // After the ghosts of boxes, in which they would be lost.
    for (const lines of [this.pairs, this.candidates, this.velocities]) lines.object.renderOrder = 2;
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
    this.set_pair_lengths();
    this.set_velocities(frame);
    this.set_focus();
  }

  // The selected box, or -1; and it with those that overlap it, which an x-ray leaves solid.
  get selected() { return this.boxes.uniforms.selected.value; }
  set_focus() {
    const { first, second, state } = this.film.pairs;
    const focus = new Set(this.selected < 0 ? [] : [this.selected]);
    for (const pair of this.frame_pairs) {
      if (state[pair] !== 1) continue;
      if (first[pair] === this.selected) focus.add(second[pair]);
      if (second[pair] === this.selected) focus.add(first[pair]);
    }
    this.boxes.set_focus(focus);
  }

  select(object) {
    this.boxes.uniforms.selected.value = object;
    if (this.frame === undefined) return;
    this.set_nodes(this.frame);
    this.set_cells(this.frame);
    this.set_sweep();
    this.set_velocities(this.frame);
    this.set_focus();
    this.set_time(this.time ?? 0);
  }

  // All lines anew, after the scale of the picture or what is wanted of them has changed.
  refresh() {
    if (this.frame === undefined) return;
    this.set_pair_lengths();
    for (const lines of [this.rays, this.mesh_rays]) lines.set_total_length();
    this.select(this.selected);
  }

  // Twice the coordinate of the middle of a box, in 65,536ths of the scene.
  doubled_middle(object, axis) { return this.boxes.now.array[6 * object + axis] + this.boxes.now.array[6 * object + 3 + axis]; }

  set_pair_lengths() {
    const { first, second, state } = this.film.pairs;
    const lengths = [0, 0];
    const way = (pair, axis) => 0.5 * this.film.step[axis] * (this.doubled_middle(first[pair], axis) - this.doubled_middle(second[pair], axis));
    for (const pair of this.frame_pairs) lengths[state[pair]] += Math.hypot(way(pair, 0), way(pair, 1), way(pair, 2));
    this.candidates.set_total_length(lengths[0]);
    this.pairs.set_total_length(lengths[1]);
  }

  // From the middle of each box that moves to where it would be after some frames.
  set_velocities(frame) {
    const { film, velocities } = this;
    const now = this.boxes.now.array, next = this.boxes.next.array;
    const moving = [];
    let length = 0;
    for (let object = 0, at = 0; object < film.object_count; ++object, at += 6) {
      if (is_absent(now, at) || [0, 1, 2, 3, 4, 5].every((i) => now[at + i] === next[at + i]) || this.boxes.states[object] === kHidden) continue;
      const way = [0, 1, 2].map((axis) => kVelocityFrames * (next[at + axis] - now[at + axis]) * film.step[axis]);
      length += Math.hypot(...way);
      moving.push([object, way]);
    }
    this.moving_count = moving.length;
    velocities.set_total_length(length);
    velocities.begin(moving.length);
    for (const [object, way] of moving) {
      if (velocities.is_of_selection && object !== this.selected) continue;
      const from = [0, 1, 2].map((axis) => film.shift[axis] + 0.5 * film.step[axis] * this.doubled_middle(object, axis));
      velocities.add(from, from.map((value, axis) => value + way[axis]));
    }
    velocities.end();
  }

  place(numbers, at = 0) {
    return [0, 1, 2].map((axis) => this.film.shift[axis] + numbers[at + axis] * this.film.step[axis]);
  }

  set_rays(frame, { rows, starts }, lines) {
    const count = starts[frame + 1] - starts[frame];
    let length = 0;
    for (let i = 6 * starts[frame]; i < 6 * starts[frame + 1]; i += 6) {
      length += Math.hypot(...[0, 1, 2].map((axis) => (rows[i + axis] - rows[i + 3 + axis]) * this.film.step[axis]));
    }
    lines.set_total_length(length);
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
      const is_there = (row) => !is_absent(rows, row);
      const of_level = Array.from({ length: counts[level] ?? 0 }, (_, i) => 6 * (begins[level] + i)).filter(is_there);
      lines.set_total_length(of_level.reduce((sum, row) => sum + this.edges_of(rows, row), 0));
      lines.begin(12 * of_level.length);
      for (const row of of_level) {
        if (!lines.is_of_selection || this.holds_selected(rows, row)) lines.add_box(this.place(rows, row), this.place(rows, row + 3));
      }
      lines.end();
    });
  }

  // The length of all edges of a box.
  edges_of(rows, row) {
    return 4 * [0, 1, 2].reduce((sum, axis) => sum + (rows[row + 3 + axis] - rows[row + axis]) * this.film.step[axis], 0);
  }
  holds_selected(rows, row) {
    const at = 6 * this.selected, now = this.boxes.now.array;
    return this.selected >= 0 && !is_absent(now, at) &&
      [0, 1, 2].every((axis) => rows[row + axis] <= now[at + axis] && now[at + 3 + axis] <= rows[row + 3 + axis]);
  }

  // The grid, and how many boxes reach into each of its cells; the fuller a cell, the stronger its colour. What lies
  // outside belongs to the cells of the border.
  set_cells(frame) {
    const { film } = this;
    const counts = Array.from(film.cell_counts.subarray(3 * frame, 3 * frame + 3));
    const grid = film.cell_grids.subarray(6 * frame, 6 * frame + 6);
    this.cell_fill = new Map();
    const of_selected = new Set();
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
          if (at === 6 * this.selected) of_selected.add(key);
        }
      }
      this.cells.set_total_length(this.cell_fill.size * 4 * (grid[3] + grid[4] + grid[5]));
      this.cells.begin(12 * this.cell_fill.size);
      const most = Math.max(...this.cell_fill.values());
      for (const [key, fill] of this.cell_fill) {
        if (this.cells.is_of_selection && !of_selected.has(key)) continue;
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
      const object = this.selected;
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
    const is_hidden = (object) => this.boxes.states[object] === kHidden;
    for (const pair of this.frame_pairs) {
      ++this.pair_counts[state[pair]];
      const lines = state[pair] === 1 ? this.pairs : this.candidates;
      const [a, b] = [first[pair], second[pair]];
      const is_drawn = lines.object.visible && (!lines.is_of_selection || a === this.selected || b === this.selected);
      if (is_drawn && !is_hidden(a) && !is_hidden(b)) lines.add(middle(a), middle(b));
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
    // Of a part of the ray, what the cut leaves.
    const { x, y, z, w } = shader_uniforms.cut.value;
    const speed = x * way[0] + y * way[1] + z * way[2], room = w - (x * from[0] + y * from[1] + z * from[2]);
    const kept_part = (enter, leave) => {
      if (speed > 0) return [enter, Math.min(leave, room / speed)];
      if (speed < 0) return [Math.max(enter, room / speed), leave];
      return room < 0 ? [Infinity, 0] : [enter, leave];
    };
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
      [enter, leave] = kept_part(enter, leave);
      if (enter <= leave && enter < best_t) [best, best_t] = [object, enter];
    }
    return best;
  }

  set_xray(is_on) {
    this.boxes.set_xray(is_on);
    this.mesh.object.material.transparent = is_on;
    this.mesh.uniforms.opacity.value = is_on ? 0.4 : 1;
  }

  // Where an object is now: its middle and its radius, in the coordinates of the scene.
  sphere_of(object) {
    const sides = [0, 1].map((side) => new THREE.Vector3(...[0, 1, 2].map((axis) =>
      this.film.shift[axis] + this.film.step[axis] * this.boxes.corner(object, side, axis, this.time))));
    return { center: sides[0].clone().add(sides[1]).multiplyScalar(0.5), radius: 0.5 * sides[0].distanceTo(sides[1]) };
  }
}
