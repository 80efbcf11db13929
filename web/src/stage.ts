/** The picture: renderer, camera, light, bodies and contacts, and what is under the pointer. */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies, poseOf } from "./bodies.ts";
import { BODY_WORDS, type Frame } from "./frame.ts";
import { Microscope, type Shown } from "./microscope.ts";
import { Ropes, ropesOf, wayOf } from "./ropes.ts";
import type { Theme } from "./theme.ts";

/** Pixels within which a contact is meant by a click. */
const NEAR = 14;
/** Pictures over which the quality is decided, or after this time [ms]; bounds of what is too slow and fast enough. */
const SAMPLES = 24;
const SOON = 600;
const SLOW = 42;
const FAST = 20;

/** The finest that this screen can show, and the time after which nothing moves [ms]. */
const FINEST = window.devicePixelRatio > 1 ? 0 : 1;
const STILL = 350;
/** Contacts up to which arrows are solid whatever they cost. */
const FEW = 300;
/** What goes farther than so many radii is not followed by the view. */
const FALLEN = 2.5;

/** What a picture may cost; the last is the plainest. */
const QUALITY = [
  { ratio: 2, shadows: true, lines: false },
  { ratio: 1, shadows: true, lines: false },
  { ratio: 1, shadows: false, lines: true },
  { ratio: 0.7, shadows: false, lines: true },
  { ratio: 0.5, shadows: false, lines: true },
] as const;

/** Whether the processor draws alone, without a graphics device. */
function isSoftware(): boolean {
  const pen = document.createElement("canvas").getContext("webgl2");
  const named = pen?.getExtension("WEBGL_debug_renderer_info");
  const name = pen && named ? String(pen.getParameter(named.UNMASKED_RENDERER_WEBGL)) : "";
  pen?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** A sphere around others, about the middle of their extent. */
function around(balls: THREE.Sphere[]): THREE.Sphere {
  const box = new THREE.Box3();
  for (const ball of balls) box.union(ball.getBoundingBox(new THREE.Box3()));
  const center = box.getCenter(new THREE.Vector3());
  return new THREE.Sphere(center, Math.max(...balls.map((ball) => center.distanceTo(ball.center) + ball.radius)));
}

export class Stage {
  readonly shown: Shown = { forces: true, cones: false, points: true };
  /** Factor of the length of arrows. */
  stretch = 1;
  selectedContact = -1;
  /** Frames that the view is to hold, beside the one shown. */
  samples: Frame[] = [];
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly microscope = new Microscope();
  private readonly ropes = new Ropes();
  private readonly pullLine: THREE.Line;
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private controls: OrbitControls;
  private bodies: Bodies | null = null;
  private frame: Frame | null = null;
  /** Radius of what is to be seen, and of a typical body [m]; length of one newton. */
  private radius = 1;
  private size = 0.1;
  private unit = 1;
  private selectedBody = -1;
  private times: number[] = [];
  private quality: number;
  private settled = 0;
  private changed = true;
  /** Whether the picture is one that stands still, and when the last was drawn [ms]. */
  private still = false;
  /** Whether sizes are to be taken again. */
  private misfit = true;
  private drawnAt = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private theme: Theme,
  ) {
    // Smooth edges cost four times the pixels: a processor that draws alone has better uses for its time, but for a still picture.
    const alone = isSoftware() && !location.hash.includes("time=");
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !alone });
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.quality = FINEST;
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.controls = this.newControls();
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(0xffffff, 0xb8b2a8, 1.5));
    this.scene.add(this.microscope.group, this.ropes.group);
    const line = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
    this.pullLine = new THREE.Line(line, new THREE.LineBasicMaterial({ depthTest: false }));
    this.pullLine.frustumCulled = false;
    this.pullLine.renderOrder = 20;
    this.pullLine.visible = false;
    this.scene.add(this.pullLine);
    this.setTheme(theme);
    new ResizeObserver(() => this.measureAgain()).observe(canvas.parentElement ?? canvas);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.scene.background = new THREE.Color(theme.background);
    (this.pullLine.material as THREE.LineBasicMaterial).color.set(theme.line);
    this.bodies?.recolour(theme);
    this.redraw();
  }

  /** Shows a frame. */
  show(frame: Frame): void {
    if (this.bodies?.world !== frame.world) this.enter(frame);
    this.frame = frame;
    this.bodies?.move(frame.bodies);
    this.redraw();
  }

  redraw(): void {
    this.changed = true;
  }

  private enter(frame: Frame): void {
    const first = this.frame === null || this.frame.world.planar !== frame.world.planar;
    this.bodies?.dispose();
    this.measure(frame);
    this.bodies = new Bodies(frame.world, this.radius, this.theme);
    this.scene.add(this.bodies.group);
    if (first) {
      this.useCamera(frame.world.planar);
      this.frame = frame;
      this.fit();
    }
    this.selectBody(this.selectedBody < frame.world.bodies.length ? this.selectedBody : -1);
  }

  /** How large things are. */
  private measure(frame: Frame): void {
    const { world } = frame;
    const probe = new Bodies(world, 1, this.theme);
    const moving = world.bodies.map((_, i) => i).filter((i) => world.bodies[i]?.kind === "dynamic");
    const radii = moving.map((i) => probe.radii[i] ?? 0).sort((a, b) => a - b);
    probe.dispose();
    this.radius = this.bounds(frame, probe.radii).radius;
    const median = radii[Math.floor(radii.length / 2)] || 0.1;
    this.size = Math.min(Math.max(median, this.radius / 25), this.radius / 3);
    const weights = moving.map((i) => world.bodies[i]?.mass ?? 1).sort((a, b) => a - b);
    const gravity = Math.hypot(...world.gravity) || 10;
    // A typical body, or a third of the heaviest.
    const weight = Math.max(weights[Math.floor(weights.length / 2)] ?? 1, (weights.at(-1) ?? 1) / 3) * gravity;
    this.unit = (1.2 * this.size) / weight;
  }

  /** The sphere around what moves and what is not much larger; with what else is to be seen of the same world. */
  private bounds(frame: Frame, radii: readonly number[], more: Frame[] = []): THREE.Sphere {
    const balls: THREE.Sphere[] = [];
    const at = (i: number, from = frame) => {
      const p = from.bodies.subarray(i * BODY_WORDS, i * BODY_WORDS + 3);
      return new THREE.Sphere(new THREE.Vector3(p[0], p[1], p[2]), radii[i] ?? 0);
    };
    const kinds = frame.world.bodies.map((b) => b.kind);
    const solid = (i: number) => (radii[i] ?? 0) > 0;
    kinds.forEach((kind, i) => kind === "dynamic" && solid(i) && balls.push(at(i)));
    const own = balls.length > 0 ? around(balls).radius : Infinity;
    const widest = (frame.world.planar ? 5 : 2.5) * own;
    kinds.forEach((kind, i) => kind !== "dynamic" && solid(i) && (radii[i] ?? 0) < widest && balls.push(at(i)));
    if (balls.length === 0) return new THREE.Sphere(new THREE.Vector3(), 1);
    // Ropes are seen as far as they go, whatever they hang from.
    for (const rope of ropesOf(frame.world)) {
      for (const p of wayOf(rope, frame.bodies).points) balls.push(new THREE.Sphere(new THREE.Vector3(...p), 0));
    }
    const near = around(balls);
    near.radius *= FALLEN;
    for (const other of more.filter((f) => f.world === frame.world)) {
      kinds.forEach((kind, i) => {
        if (kind !== "fixed" && solid(i) && near.containsPoint(at(i, other).center)) balls.push(at(i, other));
      });
    }
    return around(balls);
  }

  private useCamera(planar: boolean): void {
    this.controls.dispose();
    this.camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.controls = this.newControls();
  }

  private newControls(): OrbitControls {
    this.camera.up.set(0, this.isPlanar() ? 1 : 0, this.isPlanar() ? 0 : 1);
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableRotate = !this.isPlanar();
    if (this.isPlanar()) controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    controls.addEventListener("change", () => this.redraw());
    return controls;
  }

  private isPlanar(): boolean {
    return this.camera instanceof THREE.OrthographicCamera;
  }

  /** Shows everything. */
  fit(): void {
    if (!this.frame || !this.bodies) return;
    const sphere = this.bounds(this.frame, this.bodies.radii, this.samples);
    const r = Math.max(sphere.radius, 1e-6);
    this.radius = r;
    this.controls.target.copy(sphere.center);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.zoom = 1;
      this.camera.position.copy(sphere.center).add(new THREE.Vector3(0, 0, 100 * r));
      this.camera.near = 0.1 * r;
      this.camera.far = 300 * r;
    } else {
      const away = new THREE.Vector3(0.62, -1, 0.42).normalize().multiplyScalar(3 * r);
      this.camera.position.copy(sphere.center).add(away);
      this.camera.near = r / 200;
      this.camera.far = 80 * r;
    }
    const light = new THREE.Vector3(-0.45, -0.7, 1.5).normalize().multiplyScalar(4 * r);
    this.sun.position.copy(sphere.center).add(light);
    this.sun.target.position.copy(sphere.center);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -2.2 * r;
    shadow.right = shadow.top = 2.2 * r;
    shadow.near = r;
    shadow.far = 9 * r;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.01 * r;
    this.measureAgain();
    this.controls.update();
  }

  /** Sizes are taken again before the next picture: to set them clears the one that is shown. */
  private measureAgain(): void {
    this.misfit = true;
    this.redraw();
  }

  private resize(): void {
    this.misfit = false;
    const box = (this.canvas.parentElement ?? this.canvas).getBoundingClientRect();
    const [w, h] = [Math.max(1, box.width), Math.max(1, box.height)];
    const { ratio, shadows } = QUALITY[this.qualityNow] ?? QUALITY[2];
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, ratio));
    this.renderer.setSize(w, h, false);
    if (this.renderer.shadowMap.enabled !== shadows) {
      this.renderer.shadowMap.enabled = shadows;
      this.scene.traverse((o) => {
        const material = (o as THREE.Mesh).material;
        if (material instanceof THREE.Material) material.needsUpdate = true;
      });
    }
    if (this.camera instanceof THREE.OrthographicCamera) {
      const half = 1.15 * this.radius;
      const across = Math.max(half, (half * w) / h);
      const up = (across * h) / w;
      Object.assign(this.camera, { left: -across, right: across, top: up, bottom: -up });
    } else {
      this.camera.aspect = w / h;
    }
    this.camera.updateProjectionMatrix();
  }

  /** Draws if something has changed; returns whether it did. */
  render(now: number): boolean {
    if (!this.changed) {
      this.times = [];
      // What stands still may take its time: one picture as fine as can be.
      if (this.still || this.quality === FINEST || now - this.drawnAt < STILL) return false;
      this.still = true;
      this.misfit = true;
    } else if (this.still) {
      this.still = false;
      this.misfit = true;
    }
    if (this.misfit) this.resize();
    this.drawnAt = now;
    this.changed = false;
    const { frame, theme, size, shown } = this;
    if (frame) {
      const unit = this.unit * this.stretch;
      const lines = QUALITY[this.qualityNow]?.lines === true && (frame.contacts?.count ?? 0) > FEW;
      this.ropes.draw(frame.world, frame.bodies, size, theme);
      this.microscope.draw(frame.contacts, frame.world, { shown, unit, size, theme, lines, selected: this.selectedContact });
    }
    this.bodies?.face(this.camera.position);
    this.renderer.render(this.scene, this.camera);
    if (!this.still) this.adapt(now);
    return true;
  }

  /** Makes pictures plainer where they are slow; finer again only before the first has been too slow. */
  private adapt(now: number): void {
    this.times.push(now);
    const passed = now - (this.times[0] ?? now);
    if (this.times.length <= SAMPLES && (passed < SOON || this.times.length < 3)) return;
    const mean = passed / (this.times.length - 1);
    this.times = [];
    if (mean > SLOW && this.quality < QUALITY.length - 1) {
      this.quality = Math.min(this.quality + (mean > 4 * SLOW ? 2 : 1), QUALITY.length - 1);
      this.settled = this.quality;
      this.measureAgain();
    } else if (mean < FAST && this.quality > Math.max(this.settled, FINEST)) {
      this.quality -= 1;
      this.measureAgain();
    }
  }

  selectBody(body: number): void {
    this.selectedBody = body;
    this.bodies?.select(body);
    this.redraw();
  }

  private ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  /** The body under a pixel of the window. */
  bodyAt(x: number, y: number): { body: number; point: THREE.Vector3 } | null {
    return this.bodies?.hit(this.ray(x, y)) ?? null;
  }

  /** The contact near a pixel of the window; those that carry something first. */
  contactAt(x: number, y: number): number {
    const contacts = this.frame?.contacts;
    if (!contacts || !(this.shown.points || this.shown.forces)) return -1;
    let [best, least] = [-1, 2 * NEAR];
    for (let i = 0; i < contacts.count; i += 1) {
      const [u, v] = this.pixel(new THREE.Vector3(...contacts.get(i).point));
      const distance = Math.hypot(u - x, v - y);
      const rank = distance + (contacts.state(i) === 0 ? NEAR : 0);
      if (distance < NEAR && rank < least) [best, least] = [i, rank];
    }
    return best;
  }

  /** Where a point of the world is in the window [CSS pixels]. */
  pixel(point: THREE.Vector3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const p = point.clone().project(this.camera);
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  }

  /** Where the centre of a body is in the window. */
  bodyPixel(body: number): [number, number] {
    const p = this.frame?.bodies.subarray(body * BODY_WORDS, body * BODY_WORDS + 3) ?? [0, 0, 0];
    return this.pixel(new THREE.Vector3(p[0], p[1], p[2]));
  }

  /** The point under a pixel in the plane through `through` that faces the camera. */
  dragTo(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, through);
    const target = this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
    if (this.isPlanar()) target.z = 0;
    return target;
  }

  /** A point of the world in the axes of a body, and back. */
  inBody(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point.clone().applyMatrix4(poseOf(this.frame?.bodies ?? new Float32Array(9), body).invert());
  }

  inWorld(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point.clone().applyMatrix4(poseOf(this.frame?.bodies ?? new Float32Array(9), body));
  }

  /** Draws the line by which a body is pulled; none without ends. */
  setPullLine(ends: [THREE.Vector3, THREE.Vector3] | null): void {
    this.pullLine.visible = ends !== null;
    if (ends) {
      this.pullLine.geometry.setFromPoints(ends);
      this.pullLine.geometry.getAttribute("position").needsUpdate = true;
    }
    this.redraw();
  }

  set orbiting(on: boolean) {
    this.controls.enabled = on;
  }

  /** How plain pictures are: 0 is the finest. */
  get qualityNow(): number {
    return this.still ? FINEST : this.quality;
  }
}
