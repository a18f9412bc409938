// Camera, light and shadow: how a scene becomes pixels, whatever is in it.
"use strict";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour_of = (name) => new THREE.Color(css(name));
const kShadowSize = 2048;

// What all materials share.
const shader_uniforms = {
  origin: { value: new THREE.Vector3() }, extent: { value: new THREE.Vector3() }, time: { value: 0 },
  up: { value: new THREE.Vector3(0, 1, 0) }, sun: { value: new THREE.Vector3() }, sky: { value: new THREE.Color() },
  fog: { value: new THREE.Vector2() }, is_dark: { value: 0 },
  // Points farther along xyz than w are cut away.
  cut: { value: new THREE.Vector4(0, 0, 0, 1) },
  shadow_map: { value: null }, shadow_matrix: { value: new THREE.Matrix4() }, has_shadow: { value: 0 }, shadow_bias: { value: 0 },
};

// Light from the sun and the sky, a shadow, and haze far away.
const light_shader = `
uniform vec3 up, sun, sky;
uniform vec4 cut;
uniform vec2 fog;
uniform float is_dark, has_shadow, shadow_bias;
uniform sampler2D shadow_map;
uniform mat4 shadow_matrix;
bool is_cut(vec3 at) { return dot(at, cut.xyz) > cut.w; }
float sun_part(vec3 at, vec3 normal) {
  float facing = dot(normal, sun);
  if (facing <= 0.0) return 0.0;
  if (has_shadow < 0.5) return facing;
  vec4 place = shadow_matrix * vec4(at, 1.0);
  vec3 here = place.xyz / place.w * 0.5 + 0.5;
  if (any(lessThan(here, vec3(0.0))) || any(greaterThan(here, vec3(1.0)))) return facing;
  float lit = 0.0, bias = shadow_bias * (1.0 + 2.0 * sqrt(1.0 - facing * facing) / facing);
  for (int x = -1; x <= 1; ++x) for (int y = -1; y <= 1; ++y) {
    float depth = texture2D(shadow_map, here.xy + vec2(x, y) / ${kShadowSize.toFixed(1)}).r;
    lit += here.z - bias <= depth ? 1.0 : 0.0;
  }
  return facing * lit / 9.0;
}
vec3 lit_colour(vec3 colour, vec3 at, vec3 normal, float shade) {
  float from_sky = 0.5 + 0.5 * dot(normal, up);
  float light = mix(0.50, 0.42, is_dark) + 0.22 * from_sky + mix(0.40, 0.55, is_dark) * sun_part(at, normal);
  return colour * light * shade;
}
vec3 in_haze(vec3 colour, vec3 at) {
  float far = smoothstep(fog.x, fog.y, distance(at, cameraPosition));
  return mix(colour, sky, far);
}
`;

class View {
  constructor(canvas) {
    this.canvas = canvas;
    const context = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: false });
    if (!context) throw new Error("This browser draws no WebGL 2.");
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.autoClear = false;
    this.camera = new THREE.PerspectiveCamera(42, 1, 0.1, 1000);
    this.sun_camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    this.shadow = new THREE.WebGLRenderTarget(kShadowSize, kShadowSize, {
      minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter,
    });
    this.shadow.depthTexture = new THREE.DepthTexture(kShadowSize, kShadowSize, THREE.UnsignedIntType);
    this.has_shadow = true;
    this.height = 1;
    this.free = { left: 0, top: 0, width: 1, height: 1 };
    this.pixel_ratio = Math.min(window.devicePixelRatio, 2);
    this.needs_draw = true;
  }

  // `size` is the extent of everything; all cameras stay in proportion to it.
  look_at_scene(size, up_axis, home) {
    this.size = size;
    this.home = home;
    const up = new THREE.Vector3().setComponent(up_axis, 1);
    this.camera.up.copy(up);
    shader_uniforms.up.value.copy(up);
    // From behind the first look and to its left, so that what is seen is lit and its shadows are seen, too.
    shader_uniforms.sun.value.copy(home.direction).addScaledVector(up, -home.direction.dot(up)).normalize()
      .applyAxisAngle(up, -0.95).addScaledVector(up, 1.05).normalize();
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.screenSpacePanning = true;
    this.controls.enableKeys = false;
    this.controls.maxDistance = 4 * size;
    this.controls.minDistance = 1e-4 * size;
    this.controls.addEventListener("change", () => { this.needs_draw = true; });
    this.go_home();
  }

  go_home() { this.look_from(this.home.direction); }

  // At everything, from the side that `direction` points to.
  look_from(direction) {
    this.controls.target.copy(this.home.target);
    this.camera.position.copy(this.home.target).addScaledVector(direction, this.distance_of(direction));
    this.controls.update();
    this.needs_draw = true;
  }

  // From which the corners of what is at home fill the part of the canvas that nothing covers.
  distance_of(direction) {
    const slope = Math.tan(this.camera.fov * Math.PI / 360);
    const { target, corners, radius } = this.home;
    if (!corners) return radius / Math.sin(Math.atan(slope)) / Math.max(Math.min(1, this.camera.aspect), 0.45);
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const { width, height } = this.free;
    return Math.max(...corners.map((corner) => {
      const at = corner.clone().sub(target);
      const aside = Math.max(Math.abs(at.dot(right)) / width, Math.abs(at.dot(above)) / height);
      return at.dot(direction) + 1.04 * this.height * aside / slope;
    }));
  }

  // How large a unit of the scene is at home, and how much there is of the picture.
  home_scale() {
    const slope = Math.tan(this.camera.fov * Math.PI / 360);
    return { pixels_a_unit: 0.5 * this.height / slope / this.distance_of(this.home.direction), area: this.part_width * this.height };
  }

  // Cuts away what lies beyond `part` of the scene along an axis; `side` 1 or -1, 0: nothing.
  set_cut(axis, side, low, high, part) {
    const normal = new THREE.Vector3().setComponent(axis, side);
    const at = side < 0 ? high + (low - high) * part : low + (high - low) * part;
    shader_uniforms.cut.value.set(normal.x, normal.y, normal.z, side === 0 ? 1 : side * at);
    this.renderer.clippingPlanes = side === 0 ? [] : [new THREE.Plane(normal.negate(), side * at)];
    this.needs_draw = true;
  }

  look_at(point, radius) {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(point);
    this.camera.position.copy(point).addScaledVector(direction, 8 * radius);
    this.controls.update();
    this.needs_draw = true;
  }

  set_theme(is_dark) {
    shader_uniforms.sky.value.copy(colour_of("--sky"));
    shader_uniforms.is_dark.value = is_dark ? 1 : 0;
    this.needs_draw = true;
  }

  // `free` is the part of the canvas that nothing covers, in pixels. The target of the camera is in its middle.
  resize(part_count, free = null) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(this.pixel_ratio);
    this.renderer.setSize(width, height, false);
    this.part_width = width / part_count;
    this.height = height;
    this.camera.aspect = this.part_width / height;
    // The panel of the live page covers its right.
    this.free = free ?? { left: 0, top: 0, width: width - (width > 760 ? 334 : 0), height };
    if (part_count > 1) Object.assign(this.free, { left: 0, width: this.part_width });
    const { left, top } = this.free;
    this.camera.setViewOffset(this.part_width, height, 0.5 * (this.part_width - this.free.width) - left,
      0.5 * (height - this.free.height) - top, this.part_width, height);
    this.needs_draw = true;
  }

  // The sun sees what the camera looks at, in steps of whole texels, so that shadows do not crawl.
  place_sun() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const radius = Math.min(0.75 * this.size, 2 ** Math.ceil(Math.log2(0.8 * distance)));
    const { sun } = shader_uniforms;
    const camera = this.sun_camera;
    camera.up.copy(this.camera.up);
    camera.position.set(0, 0, 0);
    camera.lookAt(sun.value.clone().negate());
    camera.updateMatrixWorld();
    const texel = 2 * radius / kShadowSize;
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const above = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const target = this.controls.target;
    const snapped = (axis) => Math.round(target.dot(axis) / texel) * texel;
    camera.position.copy(sun.value).multiplyScalar(target.dot(sun.value) + 2 * this.size)
      .addScaledVector(right, snapped(right)).addScaledVector(above, snapped(above));
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: 4 * this.size });
    // A texel and a half of depth, more where the sun grazes.
    shader_uniforms.shadow_bias.value = 1.5 * texel / (4 * this.size);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    camera.matrixWorldInverse.getInverse(camera.matrixWorld);
    shader_uniforms.shadow_matrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  }

  draw(drawings) {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-3 * distance, 1e-5 * this.size);
    this.camera.far = 4 * this.size + distance;
    this.camera.updateProjectionMatrix();
    shader_uniforms.fog.value.set(1.2 * this.size + distance * 0.6, 3.4 * this.size + distance);
    const sky = shader_uniforms.sky.value;
    this.place_sun();
    const renderer = this.renderer;
    renderer.setScissorTest(false);
    drawings.forEach((drawing, index) => {
      drawing.prepare();
      shader_uniforms.shadow_map.value = null;
      shader_uniforms.has_shadow.value = 0;
      if (this.has_shadow) {
        // Only depth is wanted.
        shader_uniforms.has_shadow.value = -1;
        drawing.set_casting(true);
        renderer.setRenderTarget(this.shadow);
        renderer.clear();
        renderer.render(drawing.scene, this.sun_camera);
        renderer.setRenderTarget(null);
        drawing.set_casting(false);
        shader_uniforms.shadow_map.value = this.shadow.depthTexture;
        shader_uniforms.has_shadow.value = 1;
      }
      renderer.setViewport(index * this.part_width, 0, this.part_width, this.height);
      renderer.setScissor(index * this.part_width, 0, this.part_width, this.height);
      renderer.setScissorTest(drawings.length > 1);
      renderer.setClearColor(sky);
      renderer.clear();
      renderer.render(drawing.scene, this.camera);
      renderer.setScissorTest(false);
    });
    this.needs_draw = false;
  }

  // The part of the page that a pointer is in, and the ray from the camera through it.
  ray_at(x, y) {
    const bounds = this.canvas.getBoundingClientRect();
    const part = Math.min(Math.floor((x - bounds.left) / this.part_width), Math.round(bounds.width / this.part_width) - 1);
    const at = new THREE.Vector2((x - bounds.left - part * this.part_width) / this.part_width * 2 - 1,
      1 - (y - bounds.top) / this.height * 2);
    this.camera.updateMatrixWorld();
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.camera);
    return { part, origin: caster.ray.origin, direction: caster.ray.direction };
  }
}
