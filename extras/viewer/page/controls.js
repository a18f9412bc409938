// Controls over the scene: search, sides of the camera, hidden boxes, x-ray, cut, and saved pictures.
"use strict";

class Controls {
  constructor(page) {
    this.page = page;
    const on = (id, event, action) => element(id).addEventListener(event, action);
    on("search", "change", () => this.find(element("search").value));
    on("search", "keydown", (event) => { if (event.key === "Escape") element("search").blur(); });
    on("side", "change", () => this.look(element("side").value));
    on("colour", "change", () => this.colour_by(element("colour").value));
    on("xray", "change", () => this.set_xray(element("xray").checked));
    on("hide", "click", () => this.hide_selected());
    on("show-hidden", "click", () => this.show_hidden());
    on("cut", "change", () => this.cut());
    on("cut-at", "input", () => this.cut());
    on("save", "click", () => this.save());
    this.keys = {
      "/": () => element("search").focus(), x: () => element("xray").click(), h: () => this.hide_selected(), H: () => this.show_hidden(),
      v: () => this.next_option("side"), c: () => this.next_option("cut"), s: () => this.save(),
    };
    this.colour_by("state");
    this.cut();
    this.show_selection();
  }

  next_option(id) {
    const select = element(id);
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("change"));
  }

  // The box with an id, in the first film that has it; it is looked at, in the nearest frame in which it is there.
  find(text) {
    const wanted = text.trim();
    const { page } = this;
    const part = page.films.findIndex((film) => wanted !== "" && film.ids.indexOf(Number(wanted)) >= 0);
    element("search").setCustomValidity(wanted === "" || part >= 0 ? "" : `no box ${wanted}`);
    element("search").reportValidity();
    if (part < 0) return;
    const film = page.films[part];
    const object = film.ids.indexOf(Number(wanted));
    const frames = Array.from({ length: film.frame_count }, (_, frame) => frame)
      .filter((frame) => !is_absent(film.boxes, 6 * (frame * film.object_count + object)));
    if (!frames.includes(page.frame)) {
      page.pause();
      page.seek(frames.reduce((best, frame) => (Math.abs(frame - page.frame) < Math.abs(best - page.frame) ? frame : best), frames[0] ?? 0));
    }
    page.select({ part, object });
    page.look_at_selected();
  }

  look(side) {
    const { view } = this.page;
    const up = view.camera.up;
    const front = view.home.direction.clone().addScaledVector(up, -view.home.direction.dot(up));
    // Along the axis that the first look comes nearest to.
    const axis = [0, 1, 2].reduce((best, one) => (Math.abs(front.getComponent(one)) > Math.abs(front.getComponent(best)) ? one : best), 0);
    front.set(0, 0, 0).setComponent(axis, Math.sign(view.home.direction.getComponent(axis)) || 1);
    const directions = {
      home: view.home.direction, front, side: new THREE.Vector3().crossVectors(up, front),
      // A camera that looks straight down does not know where up is.
      top: up.clone().addScaledVector(front, 1e-3).normalize(), back: front.clone().negate(),
    };
    element("side").value = side;
    view.look_from(directions[side]);
  }

  colour_by(what) {
    for (const drawing of this.page.drawings) {
      const top = what === "speed" ? drawing.boxes.top_speed() : 0;
      drawing.boxes.uniforms.speed_scale.value = top > 0 ? 1 / top : 0;
    }
    this.page.view.needs_draw = true;
  }

  set_xray(is_on) {
    for (const drawing of this.page.drawings) drawing.set_xray(is_on);
    this.page.view.needs_draw = true;
  }

  hide_selected() {
    const { page } = this;
    if (!page.selected) return;
    page.drawings.forEach((drawing) => { if (drawing.selected >= 0) drawing.boxes.hidden.add(drawing.selected); });
    page.select(null);
    this.refresh();
  }

  show_hidden() {
    for (const drawing of this.page.drawings) drawing.boxes.hidden.clear();
    this.refresh();
  }

  refresh() {
    const { page } = this;
    page.drawings.forEach((drawing) => drawing.set_frame(drawing.frame));
    page.seek(page.frame, page.time);
    page.show_counts();
    this.show_selection();
  }

  show_selection() {
    const count = Math.max(...this.page.drawings.map((drawing) => drawing.boxes.hidden.size));
    element("hide").disabled = !this.page.selected;
    element("show-hidden").hidden = count === 0;
    element("show-hidden").textContent = `Show ${count}`;
  }

  // "+x" leaves what is on the low side of the plane, "-x" what is on the high side.
  cut() {
    const [sign, name] = element("cut").value;
    const axis = Math.max(0, "xyz".indexOf(name));
    const [film] = this.page.films;
    const half = 0.5 * film.extent[axis];
    element("cut-at").disabled = !name;
    this.page.view.set_cut(axis, { "+": 1, "-": -1 }[sign] ?? 0, -half, half, Number(element("cut-at").value) / 1000);
  }

  // The scene without the controls, as a file.
  save() {
    const { page } = this;
    page.view.draw(page.drawings);
    page.view.canvas.toBlob((blob) => {
      const name = page.films.map((film) => film.title).join("-").replace(/[^\w.-]+/g, "_");
      const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${name}-${page.frame}.png` });
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
    });
  }
}

// Sections that fold. If the panel is too small for all of them, those that the reader has not touched fold, the last first.
class Panel {
  constructor(panel) {
    this.panel = panel;
    this.touched = new Set();
    for (const section of this.sections()) {
      section.querySelector("summary").addEventListener("click", () => this.touched.add(section));
    }
  }

  sections() { return [...this.panel.querySelectorAll("details")]; }

  fit() {
    const own = this.sections().filter((section) => !section.hidden && !this.touched.has(section));
    for (const section of own) section.open = true;
    const is_too_high = () => this.panel.scrollHeight > this.panel.clientHeight + 1;
    for (const section of own.reverse()) {
      if (!is_too_high() || section.id === "selection") break;
      section.open = false;
    }
  }
}
