// The live page: the sandbox drawn, held by the pointer, and its times.
"use strict";

const element = (id) => document.getElementById(id);
const number = (value) => Number(value).toLocaleString("en");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const kShownFrames = 240;

// What view.js draws: the boxes and the ground.
class LiveDrawing {
  constructor(sandbox) {
    this.sandbox = sandbox;
    const { count, reach } = sandbox;
    this.scene = new THREE.Scene();
    const geometry = unit_box(count);
    this.corners = instanced(geometry, new Float32Array(6 * count), 6, [["low_now", 0, 3], ["high_now", 3, 3]], false);
    for (const [name, offset] of [["low_next", 0], ["high_next", 3]]) {
      geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(this.corners, 3, offset, false));
    }
    this.states = new THREE.InstancedBufferAttribute(new Uint8Array(count), 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("state", this.states);
    geometry.setAttribute("focus", this.states);
    this.uniforms = box_uniforms();
    this.boxes = new THREE.Mesh(geometry, material(box_vertex_shader, box_fragment_shader, this.uniforms));
    this.boxes.frustumCulled = false;
    this.ground_uniforms = {
      colour: { value: new THREE.Color() }, across: { value: new THREE.Vector3(1, 0, 0) }, reach: { value: 3 * reach },
      cell: { value: 10 ** Math.floor(Math.log10(reach / 2)) },
    };
    this.ground = new THREE.Mesh(new THREE.PlaneBufferGeometry(6 * reach, 6 * reach),
      material(ground_vertex_shader, ground_fragment_shader, this.ground_uniforms));
    this.ground.rotation.x = -Math.PI / 2;
    this.scene.add(this.boxes, this.ground);
  }

  set_theme() {
    this.uniforms.colours.value = box_colours();
    this.ground_uniforms.colour.value = colour_of("--ground");
  }

  show() {
    const { boxes, is_touched, velocity, count, held } = this.sandbox;
    const columns = [boxes.minX, boxes.minY, boxes.minZ, boxes.maxX, boxes.maxY, boxes.maxZ];
    const corners = this.corners.array, states = this.states.array;
    for (let k = 0; k < 6; ++k) for (let i = 0, at = k; i < count; ++i, at += 6) corners[at] = columns[k][i];
    for (let i = 0; i < count; ++i) {
      const speed = Math.abs(velocity[3 * i]) + Math.abs(velocity[3 * i + 1]) + Math.abs(velocity[3 * i + 2]);
      states[i] = is_touched[i] ? (speed > 1.5 ? kContact : kResting) : kMoving;
    }
    this.uniforms.selected.value = held;
    this.corners.needsUpdate = this.states.needsUpdate = true;
  }

  prepare() {
    shader_uniforms.origin.value.set(0, 0, 0);
    shader_uniforms.extent.value.set(1, 1, 1);
    shader_uniforms.time.value = 0;
  }

  set_casting(is_casting) { this.ground.visible = !is_casting; }

  dispose() {
    for (const mesh of [this.boxes, this.ground]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

class Live {
  constructor(libraries) {
    this.libraries = libraries;
    this.view = new View(element("scene"));
    this.is_playing = true;
    this.find_times = [];
    this.physics_times = [];
    this.frame_ends = [];
    for (const { name } of libraries) element("isa").add(new Option(name, name));
    this.make_chart();
    this.restart(true);
    this.listen();
    this.resize();
    this.set_theme();
    requestAnimationFrame((now) => this.tick(now));
  }

  value(id) { return Number(element(id).value); }

  restart(is_first = false) {
    this.drawing?.dispose();
    this.sandbox?.dispose();
    const { broadside, isa } = this.libraries.find(({ name }) => name === element("isa").value);
    broadside.isa = isa;
    this.sandbox = new Sandbox(broadside, { count: Math.round(10 ** this.value("count")), size: this.value("size") });
    this.drawing = new LiveDrawing(this.sandbox);
    this.drawing.set_theme();
    const { reach } = this.sandbox;
    const home = {
      target: new THREE.Vector3(0, 0.35 * reach, 0), direction: new THREE.Vector3(0.75, 0.55, 1).normalize(), radius: 1.35 * reach,
    };
    if (is_first) {
      this.view.look_at_scene(3 * reach, 1, home);
    } else {
      Object.assign(this.view, { size: 3 * reach, home });
      this.view.go_home();
    }
    this.find_times = [];
    this.physics_times = [];
    this.say_settings();
  }

  // Another instruction set takes the same boxes on where they are.
  change_isa() {
    const old = this.sandbox;
    const { broadside, isa } = this.libraries.find(({ name }) => name === element("isa").value);
    broadside.isa = isa;
    if (broadside !== old.broadside) {
      const { position, velocity } = old;
      this.restart();
      this.sandbox.position.set(position);
      this.sandbox.velocity.set(velocity);
    }
    this.find_times = [];
  }

  say_settings() {
    element("count-text").value = number(this.sandbox.count);
    element("size-text").value = `× ${this.value("size").toFixed(2)}`;
    element("speed-text").value = `× ${this.value("speed").toFixed(2)}`;
    element("gravity-text").value = this.value("gravity").toFixed(1);
  }

  listen() {
    for (const id of ["count", "size"]) element(id).addEventListener("change", () => this.restart());
    element("count").addEventListener("input", () => { element("count-text").value = number(Math.round(10 ** this.value("count"))); });
    for (const id of ["size", "speed", "gravity"]) element(id).addEventListener("input", () => this.say_settings());
    element("isa").addEventListener("change", () => this.change_isa());
    element("method").addEventListener("change", () => { this.find_times = []; });
    element("play").addEventListener("click", () => this.set_playing(!this.is_playing));
    element("shake").addEventListener("click", () => this.sandbox.shake());
    element("restart").addEventListener("click", () => this.restart());
    element("home").addEventListener("click", () => this.view.go_home());
    element("open").addEventListener("click", () => document.body.classList.toggle("is-open"));
    window.addEventListener("resize", () => this.resize());
    dark.addEventListener("change", () => this.set_theme());
    document.addEventListener("keydown", (event) => {
      if (event.target.matches("input, select")) return;
      const action = {
        " ": () => this.set_playing(!this.is_playing), s: () => this.sandbox.shake(), r: () => this.restart(), Home: () => this.view.go_home(),
      }[event.key];
      if (action) { event.preventDefault(); action(); }
    });
    // Before the camera's own listener, which lets go where a box is taken.
    const { canvas } = this.view;
    canvas.addEventListener("pointerdown", (event) => this.take(event), true);
    canvas.addEventListener("mousedown", (event) => { if (this.sandbox.held >= 0) event.stopImmediatePropagation(); }, true);
    canvas.addEventListener("touchstart", (event) => { if (this.sandbox.held >= 0) event.stopImmediatePropagation(); }, true);
    canvas.addEventListener("pointermove", (event) => this.carry(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => this.let_go());
  }

  take(event) {
    if (event.button !== 0 || event.shiftKey) return;
    const { origin, direction } = this.view.ray_at(event.clientX, event.clientY);
    const { box, t } = this.sandbox.pick(origin.toArray(), direction.toArray());
    if (box < 0) return;
    this.view.canvas.setPointerCapture(event.pointerId);
    this.view.controls.enabled = false;
    this.sandbox.held = box;
    this.grip = { t, offset: new THREE.Vector3(), at: event.timeStamp };
    const point = origin.clone().addScaledVector(direction, t);
    this.grip.offset.fromArray(this.sandbox.position, 3 * box).sub(point);
    this.sandbox.velocity.fill(0, 3 * box, 3 * box + 3);
  }

  // Across the picture, at the distance at which it was taken.
  carry(event) {
    const { sandbox, grip } = this;
    if (sandbox.held < 0) return;
    const { origin, direction } = this.view.ray_at(event.clientX, event.clientY);
    const at = origin.clone().addScaledVector(direction, grip.t).add(grip.offset);
    at.y = Math.max(at.y, sandbox.half[3 * sandbox.held + 1]);
    // When the pointer moved, not when this runs, which is later in a busy browser.
    const dt = Math.max(1e-3, (event.timeStamp - grip.at) / 1000);
    grip.at = event.timeStamp;
    at.toArray().forEach((value, axis) => {
      const place = 3 * sandbox.held + axis;
      const speed = (value - sandbox.position[place]) / dt;
      sandbox.velocity[place] = 0.5 * sandbox.velocity[place] + 0.5 * Math.max(-80, Math.min(80, speed));
      sandbox.position[place] = value;
    });
  }

  let_go() {
    this.sandbox.held = -1;
    this.view.controls.enabled = true;
  }

  set_playing(is_playing) {
    this.is_playing = is_playing;
    element("play").textContent = is_playing ? "❚❚" : "▶";
  }

  resize() {
    this.view.resize(1);
  }

  set_theme() {
    this.drawing.set_theme();
    this.view.set_theme(dark.matches);
    this.make_chart();
  }

  make_chart() {
    this.chart?.destroy();
    const tick = { color: css("--soft"), maxRotation: 0, font: { size: 11 } };
    this.chart = new Chart(element("plot"), {
      type: "line",
      data: {
        labels: Array.from({ length: kShownFrames }, (_, k) => k - kShownFrames + 1),
        datasets: [{ data: [], borderColor: css("--accent"), backgroundColor: css("--accent") + "40", borderWidth: 1, pointRadius: 0, fill: true }],
      },
      options: {
        responsive: true, maintainAspectRatio: false, animation: false, events: [],
        scales: {
          x: { display: false },
          y: { min: 0, ticks: { ...tick, maxTicksLimit: 4, callback: (value) => `${Number(value.toPrecision(2))} ms` }, grid: { color: css("--line") } },
        },
        plugins: { legend: { display: false }, tooltip: { enabled: false } },
      },
    });
  }

  step(dt) {
    this.sandbox.step(dt * this.value("speed"), this.value("gravity"), element("method").value);
    const { find_ms, physics_ms } = this.sandbox.answer;
    this.find_times.push(find_ms);
    this.physics_times.push(physics_ms);
    if (this.find_times.length > kShownFrames) { this.find_times.shift(); this.physics_times.shift(); }
  }

  say_times(now) {
    if (now - (this.said ?? 0) < 250) return;
    this.said = now;
    // Browsers round their clock to a tenth of a millisecond, which a mean sees through.
    const mean = (times) => times.reduce((sum, time) => sum + time, 0) / Math.max(1, times.length);
    const { answer, count } = this.sandbox;
    const find = mean(this.find_times.slice(-60));
    const text = (ms) => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
    element("find-time").textContent = text(find);
    element("box-time").textContent = `${(find / count * 1e6).toFixed(0)} ns`;
    element("pairs").textContent = number(answer.pair_count);
    element("events").textContent = element("method").value === "world" ? `${number(answer.begun)} · ${number(answer.ended)}` : "–";
    element("physics-time").textContent = text(mean(this.physics_times.slice(-60)));
    this.frame_ends = this.frame_ends.filter((end) => now - end < 1000);
    element("frames").textContent = this.frame_ends.length;
    this.chart.data.datasets[0].data = [...Array(kShownFrames - this.find_times.length).fill(null), ...this.find_times];
    this.chart.update("none");
  }

  tick(now) {
    // A page that was away goes on where it was.
    if (this.is_playing) this.step(Math.min(1 / 30, (now - (this.now ?? now)) / 1000));
    this.now = now;
    this.frame_ends.push(now);
    this.view.controls.update();
    this.drawing.show();
    this.view.draw([this.drawing]);
    this.say_times(now);
    requestAnimationFrame((next) => this.tick(next));
  }
}

function fail(error) {
  element("failure").textContent = error.message;
  element("failure").hidden = false;
}
window.addEventListener("error", (event) => fail(event.error ?? event));

// Called by the script that holds the library.
async function run_live(load) {
  try {
    const best = await load();
    const libraries = best.isas.map((isa) => ({ name: isa === "scalar" ? "scalar" : `SIMD (${isa})`, broadside: best, isa })).reverse();
    window.live = new Live(libraries);
  } catch (error) {
    fail(error);
    throw error;
  }
}
