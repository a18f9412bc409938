// Reads films: docs/viewer.md has their format, film_encoder.cpp writes it.
"use strict";

const kAbsent = [65535, 65535, 65535, 0, 0, 0];
const kNoTime = 65535;
const array_types = { u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, f32: Float32Array };

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Where the items of each frame begin in a list that holds those of all frames, and where the last ends.
function starts_of(counts) {
  const starts = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) starts[i + 1] = starts[i] + counts[i];
  return starts;
}

// Columns of differences to the same row of the frame before; `begin` is that row's value before all frames.
function undo_differences(columns, counts, width, begin) {
  const starts = starts_of(counts);
  const row_count = starts[counts.length];
  const rows = new Uint16Array(row_count * width);
  const before = new Uint16Array(Math.max(0, ...counts) * width);
  for (let i = 0; i < before.length; ++i) before[i] = begin[i % width];
  for (let frame = 0; frame < counts.length; ++frame) {
    for (let row = 0; row < counts[frame]; ++row) {
      for (let column = 0; column < width; ++column) {
        const at = row * width + column;
        before[at] += columns[column * row_count + starts[frame] + row];
        rows[starts[frame] * width + at] = before[at];
      }
    }
  }
  return { rows, starts };
}

// The box of every object in every frame: six numbers, min corner first.
function boxes_of(arrays, object_count, frame_count) {
  const { change_counts, change_steps, change_boxes } = arrays;
  const row_count = change_steps.length;
  const boxes = new Uint16Array(object_count * frame_count * 6);
  const now = new Uint16Array(object_count * 6);
  for (let i = 0; i < now.length; ++i) now[i] = kAbsent[i % 6];
  let row = 0;
  for (let frame = 0; frame < frame_count; ++frame) {
    let object = 0;
    for (const end = row + change_counts[frame]; row < end; ++row) {
      object += change_steps[row];
      for (let i = 0; i < 6; ++i) now[object * 6 + i] += change_boxes[i * row_count + row];
    }
    boxes.set(now, frame * now.length);
  }
  return boxes;
}

async function read_film(text) {
  const bytes = await unpack(text);
  const view = new DataView(bytes);
  const magic = new TextDecoder().decode(new Uint8Array(bytes, 0, 8));
  if (magic !== "BOXFILM1") throw new Error(`this is no film: it begins with ${magic}`);
  const header_bytes = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 12, header_bytes)));
  const arrays = {};
  for (const [name, { type, offset, count }] of Object.entries(header.arrays)) {
    arrays[name] = new array_types[type](bytes, 12 + header_bytes + offset, count);
  }
  const object_count = arrays.ids.length;
  const frame_count = header.frame_count;
  const film = {
    ...header, object_count, ids: arrays.ids, kinds: arrays.kinds,
    boxes: boxes_of(arrays, object_count, frame_count),
    pairs: {
      first: arrays.pair_first, second: arrays.pair_second, state: arrays.pair_state, begin: arrays.pair_begin,
      end: arrays.pair_end, count: arrays.pair_first.length,
    },
    impacts: {
      starts: starts_of(arrays.impact_counts), first: arrays.impact_first, second: arrays.impact_second,
      toi: arrays.impact_toi,
    },
    rays: undo_differences(arrays.ray_points, arrays.ray_counts, 6, [0, 0, 0, 0, 0, 0]),
    mesh_rays: undo_differences(arrays.mesh_ray_points, arrays.mesh_ray_counts, 6, [0, 0, 0, 0, 0, 0]),
    movers: undo_differences(arrays.mover_rows, arrays.mover_counts, 8, new Array(8).fill(0)),
    obbs: undo_differences(arrays.obb_rows, arrays.obb_counts, 11, new Array(11).fill(0)),
    mesh: undo_differences(arrays.mesh, new Uint32Array(arrays.mesh.length / 9).fill(1), 9, new Array(9).fill(0)).rows,
    phase_ms: arrays.phase_ms, cell_counts: arrays.cell_counts, cell_grids: arrays.cell_grids,
    sweep_axis: arrays.sweep_axis,
  };
  const level_starts = starts_of(arrays.level_counts);
  const node_counts = Array.from(arrays.level_counts, (_, frame) =>
    arrays.level_node_counts.subarray(level_starts[frame], level_starts[frame + 1]).reduce((a, b) => a + b, 0));
  film.nodes = {
    ...undo_differences(arrays.nodes, node_counts, 6, kAbsent),
    levels: (frame) => Array.from(arrays.level_node_counts.subarray(level_starts[frame], level_starts[frame + 1])),
  };
  film.extent = header.step.map((step) => step * 65535);
  return film;
}

const is_absent = (boxes, at) => boxes[at] > boxes[at + 3];
const is_same_box = (boxes, a, b) => {
  for (let i = 0; i < 6; ++i) if (boxes[a + i] !== boxes[b + i]) return false;
  return true;
};

// Corner `side` (0 min, 1 max) of a box, in the units of the scene.
function corner_of(film, at, side) {
  return [0, 1, 2].map((axis) => film.origin[axis] + film.boxes[at + 3 * side + axis] * film.step[axis]);
}

function position_of(film, array, at) {
  return [0, 1, 2].map((axis) => film.origin[axis] + array[at + axis] * film.step[axis]);
}

// Pairs of one frame, as indices into film.pairs.
function pairs_at(film, frame) {
  const { begin, end, count } = film.pairs;
  const found = [];
  for (let i = 0; i < count && begin[i] <= frame; ++i) if (frame < end[i]) found.push(i);
  return found;
}
