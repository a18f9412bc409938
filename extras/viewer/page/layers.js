// The layers of the page: what each one is, its colour, and how it is switched.
"use strict";

// The keys 1 to 9 and 0, in this order, as far as a film has such things. `lines` are those that may be too long together
// to be drawn all.
function layers_of(drawings) {
  const all = (get) => drawings.map(get);
  const set_visible = (...gets) => (on) => drawings.forEach((one) => gets.forEach((get) => { get(one).object.visible = on; }));
  const any = (get) => drawings.some((one) => get(one.film));
  const lines_layer = (layer, ...gets) => ({ set: set_visible(...gets), lines: () => drawings.flatMap((one) => gets.map((get) => get(one))), ...layer });
  const { candidate_label } = drawings[0].film;
  const sum = (counts) => counts.reduce((a, b) => a + b, 0);
  const levels = [0, 1, 2, 3].map((depth) => (one) => one.nodes[depth]);
  return [
    ...kStates.map(({ name, colour }, state) => ({
      name, colour, is_on: true, counts: () => all((one) => one.boxes.counts[state]),
      is_there: any((film) => (state === kFixed ? film.kinds.includes(kStaticKind) : state === kKinematic ? film.kinds.includes(kKinematicKind)
        : film.kinds.some((kind) => kind > kKinematicKind))),
      set: (on) => drawings.forEach((one) => { one.boxes.uniforms.shown.value[state] = on ? 1 : 0; }),
    })),
    { name: "Impacts", colour: "--impact", is_there: any((film) => film.impacts.first.length), is_on: true,
      set: set_visible((one) => one.impacts), counts: () => all((one) => one.impacts.count) },
    lines_layer({ name: "Overlapping pairs", colour: "--pair", is_there: any((film) => film.pairs.state.includes(1)), is_on: true,
      counts: () => all((one) => one.pair_counts[1]) }, (one) => one.pairs),
    lines_layer({ name: candidate_label, colour: "--candidate", is_there: any((film) => film.pairs.state.includes(0)), is_on: true,
      counts: () => all((one) => one.pair_counts[0]) }, (one) => one.candidates),
    lines_layer({ name: "Velocities", colour: "--velocity", is_there: any((film) => film.frame_count > 1 && film.kinds.some(Boolean)), is_on: false,
      counts: () => all((one) => one.moving_count) }, (one) => one.velocities),
    { name: "Rays that hit", colour: "--ray", is_there: any((film) => film.rays.rows.length), is_on: true,
      set: set_visible((one) => one.rays), counts: () => all((one) => one.ray_count) },
    { name: "Rays on the mesh", colour: "--mesh-ray", is_there: any((film) => film.mesh_rays.rows.length), is_on: true,
      set: set_visible((one) => one.mesh_rays), counts: () => all((one) => one.mesh_ray_count) },
    ...["Oriented boxes", "Oriented boxes on the mesh"].map((name, state) => ({
      name, colour: ["--obb", "--obb-contact"][state], is_there: any((film) => film.obbs.rows.length), is_on: true,
      set: (on) => drawings.forEach((one) => { one.obbs.uniforms.shown.value[state] = on ? 1 : 0; }),
      counts: () => all((one) => one.obbs.counts[state]),
    })),
    ...kMoverStates.map(({ name, colour }, state) => ({
      name, colour, is_there: any((film) => film.movers.rows.length), is_on: true,
      set: (on) => drawings.forEach((one) => one.movers.set_shown(state, on)), counts: () => all((one) => one.movers.counts[state]),
    })),
    { name: "Mesh", colour: "--mesh", is_there: any((film) => film.mesh.length), is_on: true,
      set: set_visible((one) => one.mesh), counts: () => all((one) => one.film.mesh.length / 9) },
    lines_layer({ name: "Levels of the tree", colour: "--node", is_there: any((film) => film.nodes.rows.length), is_on: false,
      counts: () => all((one) => sum(one.level_counts)) }, ...levels),
    lines_layer({ name: "Cells with boxes", colour: "--cell", is_there: any((film) => film.cell_counts.some(Boolean)), is_on: false,
      counts: () => all((one) => one.cell_fill.size),
      more: () => all((one) => `≤ ${Math.max(0, ...one.cell_fill.values())} boxes`) }, (one) => one.cells),
    { name: "Axis of the sweep", colour: "--cell", is_there: any((film) => film.sweep_axis.some((axis) => axis < 3)), is_on: true,
      set: set_visible((one) => one.sweep), counts: () => all((one) => "xyz"[one.film.sweep_axis[one.frame]] ?? "") },
  ].filter((layer) => layer.is_there);
}
