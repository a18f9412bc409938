// Lines between points.
"use strict";

// The part of the picture that lines of one class may cover. More of them hide the boxes that they connect.
const kMostCover = 0.1;
// Of a picture of everything, from where the camera is at first.
const line_scale = { pixels_a_unit: 1, area: 1 };

// Lines whose ends are set anew: by frame or, where they hang on boxes, by time.
class Lines {
  // With `has_strengths` each line has a strength of its own, which its colour is multiplied by.
  constructor(capacity, colour_name, opacity, has_strengths = false) {
    this.colour_name = colour_name;
    this.opacity = opacity;
    this.cover = this.length = 0;
    this.is_of_selection = this.is_all_wanted = false;
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
  // Too long together, only the lines of the selected box are drawn; or all of them, the fainter the more they are.
  set_total_length(length = this.length) {
    this.length = length;
    this.cover = length * line_scale.pixels_a_unit / line_scale.area;
    const is_too_long = this.cover > kMostCover;
    this.is_of_selection = is_too_long && !this.is_all_wanted;
    const strength = is_too_long ? Math.max(0.02, 0.4 * kMostCover / this.cover) : 1 - 0.5 * this.cover / kMostCover;
    this.material.opacity = this.opacity * (this.is_of_selection ? 1 : strength);
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
