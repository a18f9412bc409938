// The page: its clock, its frames and its controls.
"use strict";

const element = (id) => document.getElementById(id);
const number = (value) => Number(value).toLocaleString("en");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

class Page {
  constructor(films) {
    this.films = films;
    this.frame_count = Math.max(...films.map((film) => film.frame_count));
    this.frame = 0;
    this.time = 0;
    this.is_playing = false;
    this.selected = null;
    this.costs = [];
    document.body.classList.toggle("is-split", films.length > 1);
    document.body.classList.toggle("is-flat", films.every((film) => film.object_count === 0 && film.mesh.length === 0));
    this.view = new View(element("scene"));
    this.make_drawings();
    this.layers = layers_of(this.drawings);
    this.controls = new Controls(this);
    this.panel = new Panel(element("panel"));
    const seek = (frame) => { this.pause(); this.seek(frame); };
    const { phase_unit } = films[0];
    this.chart = new FrameChart(element("times"), this.frame_count, phase_unit, films.length === 1 && phase_unit === "ms", seek);
    this.pair_chart = new FrameChart(element("pair-counts"), this.frame_count, "pairs", false, seek);
    this.fill_texts();
    this.fill_layers();
    this.listen();
    this.seek(0);
    this.set_theme();
    this.resize();
    this.view.go_home();
    this.frame_times = [];
    requestAnimationFrame((now) => this.tick(now));
  }

  make_drawings() {
    const [film] = this.films;
    const { origin, extent } = film;
    const center = origin.map((value, axis) => value + extent[axis] / 2);
    // Most worlds are flat, and y is up unless another axis is clearly the short one.
    let up_axis = 1;
    for (const axis of [0, 2]) if (extent[axis] < 0.5 * extent[up_axis]) up_axis = axis;
    this.drawings = this.films.map((one) => new Drawing(one, center, up_axis));
    const size = Math.hypot(...extent);
    this.view.look_at_scene(size, up_axis, this.home_of(center, up_axis));
  }

  // The first look: at the middle of the boxes, of which a few far ones do not count.
  home_of(center, up_axis) {
    const [film] = this.films;
    const spans = [0, 1, 2].map((axis) => {
      const values = [];
      for (let at = 0; at < 6 * film.object_count; at += 6) {
        if (!is_absent(film.boxes, at)) values.push(film.boxes[at + axis], film.boxes[at + 3 + axis]);
      }
      values.sort((a, b) => a - b);
      const of = (part, round) => film.origin[axis] + (values[round(part * (values.length - 1))] ?? 32768) * film.step[axis] - center[axis];
      return [of(0.02, Math.floor), of(0.98, Math.ceil)];
    });
    const target = new THREE.Vector3(...spans.map(([low, high]) => 0.5 * (low + high)));
    const up = new THREE.Vector3().setComponent(up_axis, 1);
    const side = new THREE.Vector3().setComponent((up_axis + 1) % 3, 1);
    let direction = new THREE.Vector3().crossVectors(side, up).addScaledVector(side, 0.75);
    let radius = 1e-3 * Math.hypot(...film.extent);
    let corners = Array.from({ length: 8 }, (_, corner) => new THREE.Vector3(...spans.map((span, axis) => span[corner >> axis & 1])));
    if (corners[0].distanceTo(corners[7]) < radius) corners = null;
    const mesh = this.mesh_sphere(film, center);
    if (mesh && film.object_count === 0) {
      target.copy(mesh.center);
      radius = 0.75 * mesh.radius;
      corners = null;
    } else if (mesh && mesh.center.distanceTo(target) > mesh.radius) {
      // The mesh lies beside the boxes: over it, towards them.
      const away = mesh.center.clone().sub(target).addScaledVector(up, target.dot(up) - mesh.center.dot(up)).normalize();
      target.copy(mesh.center).addScaledVector(away, -0.95 * mesh.radius);
      direction = away.clone().addScaledVector(new THREE.Vector3().crossVectors(away, up), 0.6);
      radius = 0.56 * mesh.radius;
      corners = null;
    }
    direction.addScaledVector(up, mesh ? 0.45 : 0.62).normalize();
    return { target, direction, radius, corners };
  }

  mesh_sphere(film, center) {
    if (!film.mesh.length) return null;
    const low = [65535, 65535, 65535], high = [0, 0, 0];
    film.mesh.forEach((value, at) => {
      low[at % 3] = Math.min(low[at % 3], value);
      high[at % 3] = Math.max(high[at % 3], value);
    });
    const at = (corner) => new THREE.Vector3(...corner.map((value, axis) => film.origin[axis] + value * film.step[axis] - center[axis]));
    return { center: at(low).add(at(high)).multiplyScalar(0.5), radius: 0.5 * at(low).distanceTo(at(high)) };
  }

  fill_texts() {
    const films = this.films;
    document.title = `broadside: ${films[0].title}`;
    element("title").textContent = films.map((film) => film.title).join(" · ");
    element("subtitle").textContent = films[0].subtitle;
    const step = Math.max(...films[0].step);
    const notes = [...films[0].notes];
    if (films[0].run_frame_count > films[0].frame_count) {
      notes.push(`The first ${number(films[0].frame_count)} of ${number(films[0].run_frame_count)} frames are shown; more would make the file too large.`);
    }
    if (films[0].object_count) notes.push(`For the picture, positions are rounded to ${Number(step.toPrecision(1))}.`);
    element("notes").textContent = notes.join(" ");
    element("scrub").max = this.frame_count - 1;
    if (films.length > 1) {
      films.forEach((film, index) => {
        const label = document.createElement("span");
        label.textContent = `${"AB"[index] ?? index + 1}: ${film.title}`;
        const right = this.view.canvas.clientWidth < window.innerWidth ? 334 : 0;
        label.style.left = `calc((100vw - ${right}px) * ${index / films.length} + 14px)`;
        element("labels").append(label);
      });
      element("title").textContent = "side by side";
    }
    this.differing_frames = films[0].differing_frames;
    element("difference").hidden = !this.differing_frames.length;
    element("times-title").textContent = films[0].phase_unit === "ms" ? "Time of each frame" : "Pairs of each frame";
    const has_many = this.frame_count > 1;
    for (const id of ["play", "back", "forward", "speed"]) element(id).disabled = !has_many;
    element("times").hidden = !has_many || !films[0].phases.length;
    element("pair-counts").hidden = !has_many || films.every((film) => film.pairs.count === 0);
    element("remarks").hidden = films.every((film) => film.remarks.every((text) => !text));
  }

  fill_layers() {
    const list = element("layer-list");
    this.layers.forEach((layer, index) => {
      const label = document.createElement("label");
      label.title = `Key ${(index + 1) % 10}`;
      label.style.setProperty("--swatch", `var(${layer.colour})`);
      const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: layer.is_on });
      input.addEventListener("change", () => {
        layer.set(input.checked);
        this.refresh_lines();
      });
      layer.set(layer.is_on);
      const swatch = document.createElement("i");
      const name = Object.assign(document.createElement("span"), { textContent: layer.name });
      layer.output = document.createElement("b");
      layer.input = input;
      label.append(input, swatch, name, layer.output);
      list.append(label);
      if (!layer.lines) return;
      layer.scope = link("", () => {
        const are_all_wanted = layer.lines().some((lines) => lines.is_all_wanted);
        for (const lines of layer.lines()) lines.is_all_wanted = !are_all_wanted;
        this.refresh_lines();
      });
      layer.scope.className = "link scope";
      list.append(layer.scope);
    });
  }

  refresh_lines() {
    this.drawings.forEach((one) => one.refresh());
    this.show_counts();
    this.view.needs_draw = true;
  }

  show_counts() {
    for (const layer of this.layers) {
      if (layer.scope) {
        const are_all_wanted = layer.lines().some((lines) => lines.is_all_wanted);
        const is_limited = layer.lines().some((lines) => lines.is_of_selection);
        layer.scope.hidden = !layer.input.checked || !(is_limited || are_all_wanted);
        layer.scope.textContent = are_all_wanted ? "all, faint · only of the selected box" : "only of the selected box · show all";
      }
      const text = (value) => (typeof value === "number" ? number(value) : value);
      layer.output.textContent = [...layer.counts(), ...(this.films.length === 1 ? layer.more?.() ?? [] : [])].map(text).join(" · ");
    }
  }

  listen() {
    const canvas = element("scene");
    element("play").addEventListener("click", () => this.toggle_play());
    element("back").addEventListener("click", () => this.step(-1));
    element("forward").addEventListener("click", () => this.step(1));
    element("scrub").addEventListener("input", (event) => { this.pause(); this.seek(Number(event.target.value)); });
    element("home").addEventListener("click", () => this.controls.look("home"));
    element("help").addEventListener("click", () => element("keys").showModal());
    element("open").addEventListener("click", () => document.body.classList.toggle("is-open"));
    element("difference").addEventListener("click", () => this.go_to_difference());
    element("deselect").addEventListener("click", () => this.select(null));
    let down = null;
    canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener("click", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
      const { part, origin, direction } = this.view.ray_at(event.clientX, event.clientY);
      const object = this.drawings[part].pick(origin, direction);
      this.select(object < 0 ? null : { part, object });
    });
    document.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("resize", () => this.resize());
    dark.addEventListener("change", () => this.set_theme());
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || element("keys").open || event.target.type === "search") return;
    const is_field = ["SELECT", "INPUT"].includes(event.target.tagName) && event.target.type !== "checkbox";
    const actions = {
      " ": () => this.toggle_play(), ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1), Escape: () => this.select(null), Home: () => this.controls.look("home"), ...this.controls.keys,
      d: () => this.go_to_difference(), f: () => this.look_at_selected(), F: () => this.look_at_selected(), "?": () => element("keys").showModal(),
    };
    if (/^[0-9]$/.test(event.key)) {
      this.layers[(Number(event.key) + 9) % 10]?.input.click();
    } else if (actions[event.key] && !(is_field && event.key.startsWith("Arrow") && event.target.tagName === "SELECT")) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  }

  set_theme() {
    this.view.set_theme(dark.matches);
    for (const drawing of this.drawings) drawing.set_theme();
    this.chart.set_rows(time_rows(this.films));
    this.show_pair_counts();
    this.draw_marks();
  }

  resize() {
    this.panel.fit();
    this.view.resize(this.films.length, this.free_part());
    Object.assign(line_scale, this.view.home_scale());
    this.refresh_lines();
    this.chart.show(this.frame);
    if (!element("pair-counts").hidden) this.pair_chart.show(this.frame);
    this.draw_marks();
  }

  // The part of the canvas that neither words nor controls cover.
  free_part() {
    const canvas = this.view.canvas.getBoundingClientRect();
    const panel = element("panel").getBoundingClientRect();
    const is_beside = panel.width > 0 && panel.left > 0.5 * window.innerWidth;
    const right = Math.min(canvas.right, is_beside ? panel.left : canvas.right);
    const top = Math.min(element("top").getBoundingClientRect().bottom, 0.4 * canvas.height);
    const bottom = document.querySelector("footer").getBoundingClientRect().top;
    return { left: canvas.left, top, width: right - canvas.left, height: Math.max(bottom - top, 0.3 * canvas.height) };
  }

  show_pair_counts() {
    if (element("pair-counts").hidden) return;
    this.pair_chart.set_rows(pair_rows(this.films, this.selected));
  }

  // Below the track: where frames have impacts, and where two results differ.
  draw_marks() {
    const canvas = element("marks");
    canvas.width = Math.max(1, canvas.clientWidth * this.view.pixel_ratio);
    canvas.height = 6 * this.view.pixel_ratio;
    const context = canvas.getContext("2d");
    context.fillStyle = css("--mark");
    for (const frame of this.differing_frames) {
      const width = Math.max(3, 0.5 * canvas.width / this.frame_count);
      context.fillRect(frame / (this.frame_count - 1) * (canvas.width - width), 0, width, canvas.height);
    }
  }

  // The next frame in which two results differ, and after the last one the first.
  go_to_difference() {
    if (!this.differing_frames.length) return;
    this.pause();
    this.seek(this.differing_frames.find((frame) => frame > this.frame) ?? this.differing_frames[0]);
  }

  toggle_play() { if (this.is_playing) this.pause(); else this.play(); }
  play() {
    if (this.frame_count < 2) return;
    this.is_playing = true;
    element("play").textContent = "❚❚";
    this.last_now = null;
  }
  pause() {
    this.is_playing = false;
    element("play").textContent = "▶";
  }
  step(count) {
    this.pause();
    this.seek(Math.min(this.frame_count - 1, Math.max(0, this.frame + count)));
  }

  seek(frame, time = 0) {
    frame = Math.min(this.frame_count - 1, Math.max(0, frame));
    if (frame !== this.frame || !this.drawings[0].frame_pairs) {
      this.frame = frame;
      this.drawings.forEach((drawing) => drawing.set_frame(Math.min(frame, drawing.film.frame_count - 1)));
      element("scrub").value = frame;
      element("frame").textContent = `${frame} / ${this.frame_count - 1}`;
      this.chart.show(frame);
      if (!element("pair-counts").hidden) this.pair_chart.show(frame);
      const remarks = this.films.map((film) => film.remarks[frame]).filter(Boolean);
      element("remark").textContent = remarks.join("\n\n");
    }
    this.time = time;
    this.drawings.forEach((drawing) => drawing.set_time(time));
    if (time === 0 || this.shown_frame !== frame) {
      this.shown_frame = frame;
      this.show_counts();
      this.show_selection();
    }
    this.view.needs_draw = true;
  }

  tick(now) {
    const start = performance.now();
    if (this.is_playing) {
      const speed = Number(element("speed").value);
      const passed = this.last_now === null ? 0 : Math.min(0.25, (now - this.last_now) / 1000) * speed;
      this.last_now = now;
      let place = this.frame + this.time + passed;
      if (place >= this.frame_count - 1) place = 0;
      this.seek(Math.floor(place), place - Math.floor(place));
    }
    this.view.controls.update();
    const was_drawn = this.view.needs_draw;
    if (was_drawn) this.view.draw(this.drawings);
    if (was_drawn) this.costs.push(performance.now() - start);
    if (this.costs.length > 240) this.costs.shift();
    this.watch_speed(now, was_drawn);
    requestAnimationFrame((next) => this.tick(next));
  }

  // A slow machine gets fewer pixels, then no shadows.
  watch_speed(now, was_drawn) {
    if (!was_drawn) { this.frame_times = []; return; }
    this.frame_times.push(now);
    if (this.frame_times.length < 40) return;
    const mean = (now - this.frame_times[0]) / (this.frame_times.length - 1);
    this.frame_times = [];
    if (mean < 30 || this.is_still) return;
    if (this.view.pixel_ratio > 1) this.view.pixel_ratio = 1;
    else this.view.has_shadow = false;
    this.resize();
  }

  select(selection) {
    this.selected = selection;
    this.drawings.forEach((drawing, part) => {
      drawing.select(selection && (part === selection.part || this.same_object(drawing.film, selection) === selection.object)
        ? selection.object : -1);
    });
    element("selection").hidden = !selection;
    element("selection").open = true;
    if (selection && window.innerWidth <= 760) document.body.classList.add("is-open");
    this.show_selection();
    this.show_pair_counts();
    this.controls.show_selection();
    this.panel.fit();
    this.view.needs_draw = true;
  }

  same_object(film, { part, object }) { return film.ids[object] === this.films[part].ids[object] ? object : -1; }

  look_at_selected() {
    if (!this.selected) return;
    const { center, radius } = this.drawings[this.selected.part].sphere_of(this.selected.object);
    this.view.look_at(center, radius);
  }

  show_selection() {
    if (!this.selected) return;
    const { part, object } = this.selected;
    const film = this.films[part];
    const drawing = this.drawings[part];
    element("selection-title").textContent = `Box ${film.ids[object]}`;
    element("selection-body").replaceChildren(...describe(film, drawing, object, this));
  }
}

async function start() {
  try {
    const films = await Promise.all([...document.querySelectorAll("script.film")].map((script) => read_film(script.textContent)));
    window.page = new Page(films);
    // "#still" or "#still=20" for pictures and tests: that frame, as it is, however slow the machine.
    const still = location.hash.match(/^#still(?:=(\d+))?$/);
    window.page.is_still = still !== null;
    if (still) window.page.seek(Number(still[1] ?? 0));
    else if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) window.page.play();
  } catch (error) {
    element("failure").hidden = false;
    element("failure").textContent = error.message;
    console.error(error);
  }
}
start();
