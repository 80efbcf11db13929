/** The picture: renderer, light, bodies, contacts, joints, and what is under the pointer. */

import * as THREE from "three";
import { Bodies, poseOf } from "./bodies.ts";
import { around, together, View } from "./camera.ts";
import { BODY_WORDS, type Frame } from "./frame.ts";
import { coordinateOf, coordinateWords } from "./joints.ts";
import { Hinges } from "./hinges.ts";
import type { Label } from "./labels.ts";
import { Marks } from "./marks.ts";
import { Microscope, type Shown } from "./microscope.ts";
import { Ropes, ropesOf, wayOf } from "./ropes.ts";
import { quantile, TYPICAL, unitFor } from "./scale.ts";
import type { Joint } from "./stand.ts";
import { stateColour, type Theme } from "./theme.ts";
import { Thrust } from "./thrust.ts";
import { type Pair, pairsOf } from "./why.ts";

/** Pixels within which a contact is meant by a click. */
const NEAR = 14;
/** Pictures over which the quality is decided, or after this time [ms]; bounds of what is too slow and fast enough. */
const SAMPLES = 24;
const SOON = 600;
const SLOW = 42;
const FAST = 20;

/** The finest that this screen can show, and the time after which nothing moves [ms]. */
const FINEST = window.devicePixelRatio > 1 ? 0 : 1;
const SETTLE_MS = 350;
/** Contacts up to which arrows are solid whatever they cost. */
const FEW = 300;
/** What goes farther than so many radii is not in the first view of a recording. */
const FALLEN = 2.5;
/** Forces that are too long or too short for so many pictures on end change the scale of the arrows. */
const PATIENCE = 25;
/** Bodies whose names are shown at most. */
const NAMED = 400;

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

export class Stage {
  readonly shown: Shown & { joints: boolean; names: boolean; thrust: boolean } = {
    forces: true,
    cones: false,
    points: true,
    joints: true,
    names: false,
    thrust: false,
  };
  /** Factor of the length of arrows. */
  stretch = 1;
  selectedContact = -1;
  /** Frames that the first view is to hold, beside the one shown. */
  samples: Frame[] = [];
  /** Whether a body is held by the pointer: the view waits. */
  holding = false;
  readonly view: View;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.75);
  private readonly microscope = new Microscope();
  private readonly ropes = new Ropes();
  private readonly marks = new Marks();
  private readonly thrust = new Thrust();
  private readonly hinges = new Hinges();
  private readonly gravity = new THREE.ArrowHelper();
  private readonly pullLine: THREE.Line;
  private mechanism: { rest: Float32Array; joints: Joint[]; both: boolean; lean: Lean | null } | null = null;
  private ghost: Bodies | null = null;
  private bodies: Bodies | null = null;
  private frame: Frame | null = null;
  /** Poses that are drawn: those of the frame, or others on the way to the next. */
  private poses: Float32Array = new Float32Array(0);
  /** Radius of a typical body [m]; length of one newton, and pictures for which it has not been right. */
  private size = 0.1;
  private unit = 1;
  private unfit = 0;
  /** What moves, as a sphere for the view to follow. */
  private moving: THREE.Sphere | null = null;
  private selectedBody = -1;
  private hoveredBody = -1;
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
    // Smooth edges cost four times the pixels: a processor that draws alone has better uses for its time, except for a still picture.
    const alone = isSoftware() && !location.hash.includes("time=");
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !alone });
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.quality = FINEST;
    this.view = new View(canvas, () => this.redraw());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(0xffffff, 0xc9c6c0, 2.0));
    this.scene.add(this.microscope.group, this.ropes.group, this.marks.group, this.thrust.group, this.hinges.group, this.gravity);
    this.gravity.visible = false;
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
    if (this.mechanism) this.setMechanism(this.mechanism);
    this.redraw();
  }

  /** Shows a frame; with other poses where it is on its way to the next. */
  show(frame: Frame, poses: Float32Array | null = null): void {
    const isNew = this.frame !== frame;
    if (this.bodies?.world !== frame.world) this.enter(frame);
    this.frame = frame;
    this.poses = poses ?? frame.bodies;
    this.bodies?.move(this.poses);
    this.moving = this.sphereOfMoving();
    if (isNew) this.rescale(frame);
    this.redraw();
  }

  redraw(): void {
    this.changed = true;
  }

  private enter(frame: Frame): void {
    const first = this.frame === null || this.frame.world.planar !== frame.world.planar;
    this.bodies?.dispose();
    const radius = this.measure(frame);
    this.bodies = new Bodies(frame.world, radius, this.theme);
    this.scene.add(this.bodies.group);
    this.bodies.stepBack(this.shown.thrust);
    if (first) {
      this.view.use(frame.world.planar);
      this.frame = frame;
      this.resize();
      this.fit(true);
    }
    this.selectBody(this.selectedBody < frame.world.bodies.length ? this.selectedBody : -1);
  }

  /** How large things are; the radius of all. */
  private measure(frame: Frame): number {
    const { world } = frame;
    const probe = new Bodies(world, 1, this.theme);
    const moving = world.bodies.map((_, i) => i).filter((i) => world.bodies[i]?.kind === "dynamic");
    const radii = moving.map((i) => probe.radii[i] ?? 0).sort((a, b) => a - b);
    probe.dispose();
    const { radius } = this.bounds(frame, probe.radii);
    const median = radii[Math.floor(radii.length / 2)] || 0.1;
    this.size = Math.min(Math.max(median, radius / 25), radius / 3);
    const weights = moving.map((i) => world.bodies[i]?.mass ?? 1).sort((a, b) => a - b);
    const gravity = Math.hypot(...world.gravity) || 10;
    // A typical body, or a third of the heaviest.
    const weight = Math.max(weights[Math.floor(weights.length / 2)] ?? 1, (weights.at(-1) ?? 1) / 3) * gravity;
    this.unit = (TYPICAL * this.size) / weight;
    // Of a recording all is known.
    const large = this.samples.map((f) => quantile(forcesOf(f), 0.9)).filter((x) => x > 0);
    this.unit = unitFor([quantile(large, 0.5)], this.size, this.unit);
    return radius;
  }

  /** Arrows whose forces have for some time been far too long or too short to be read get another scale. */
  private rescale(frame: Frame): void {
    const unit = unitFor(forcesOf(frame), this.size, this.unit);
    this.unfit = unit === this.unit ? 0 : this.unfit + 1;
    if (this.unfit < PATIENCE) return;
    this.unit = unit;
    this.unfit = 0;
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
    const kept = together(balls);
    const own = kept.length > 0 ? around(kept) : null;
    const widest = own ? (frame.world.planar ? 5 : 2.5) * own.radius : Infinity;
    // What stays behind of what does not move is not looked back for.
    const near = (ball: THREE.Sphere) => own === null || ball.center.distanceTo(own.center) - ball.radius < 4 * own.radius;
    kinds.forEach((kind, i) => kind !== "dynamic" && solid(i) && (radii[i] ?? 0) < widest && near(at(i)) && kept.push(at(i)));
    if (kept.length === 0) return new THREE.Sphere(new THREE.Vector3(), 1);
    // Ropes are seen as far as they go, whatever they hang from.
    for (const rope of ropesOf(frame.world)) {
      for (const p of wayOf(rope, frame.bodies).points) kept.push(new THREE.Sphere(new THREE.Vector3(...p), 0));
    }
    const reach = around(kept);
    reach.radius *= FALLEN;
    for (const other of more.filter((f) => f.world === frame.world)) {
      kinds.forEach((kind, i) => {
        if (kind !== "fixed" && solid(i) && reach.containsPoint(at(i, other).center)) kept.push(at(i, other));
      });
    }
    return around(kept);
  }

  /** The selected body, or what moves except for what has left; nothing where nothing can move. */
  private sphereOfMoving(): THREE.Sphere | null {
    const { bodies, frame, poses } = this;
    if (!bodies || !frame) return null;
    const ball = (i: number) => {
      const p = poses.subarray(i * BODY_WORDS, i * BODY_WORDS + 3);
      return new THREE.Sphere(new THREE.Vector3(p[0], p[1], p[2]), bodies.radii[i] ?? 0);
    };
    const kinds = frame.world.bodies.map((b) => b.kind);
    if (kinds[this.selectedBody] === "dynamic") return ball(this.selectedBody);
    const balls = kinds.flatMap((kind, i) => (kind === "dynamic" && (bodies.radii[i] ?? 0) > 0 ? [ball(i)] : []));
    return balls.length > 0 ? around(together(balls)) : null;
  }

  /** Shows all there is at this moment; with `path`, all that a recording will show. */
  fit(path = false): void {
    if (!this.frame || !this.bodies) return;
    const now = { ...this.frame, bodies: this.poses.length > 0 ? this.poses : this.frame.bodies };
    this.view.fit(this.bounds(now, this.bodies.radii, path ? this.samples : []));
    this.light();
    this.measureAgain();
  }

  /** The light goes with the view. */
  private light(): void {
    const { radius: r } = this.view;
    const middle = this.view.controls.target;
    const from = new THREE.Vector3(-0.45, -0.7, 1.5).normalize().multiplyScalar(4 * r);
    this.sun.position.copy(middle).add(from);
    this.sun.target.position.copy(middle);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -2.2 * r;
    shadow.right = shadow.top = 2.2 * r;
    shadow.near = r;
    shadow.far = 9 * r;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.012 * r;
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
    this.view.resize(w, h);
  }

  /** Lets the view follow what moves for some time [s]. */
  follow(seconds: number): void {
    if (!this.holding && this.view.follow(this.moving, seconds)) this.light();
  }

  /** Draws if something has changed; returns whether it did. */
  render(now: number): boolean {
    if (!this.changed) {
      this.times = [];
      // What stands still may take its time: one picture as fine as can be.
      if (this.still || this.quality === FINEST || now - this.drawnAt < SETTLE_MS) return false;
      this.still = true;
      this.misfit = true;
    } else if (this.still) {
      this.still = false;
      this.misfit = true;
    }
    if (this.misfit) this.resize();
    this.drawnAt = now;
    this.changed = false;
    if (this.frame && this.bodies) this.drawFrame(this.frame, this.bodies);
    this.bodies?.centre(this.view.controls.target);
    this.bodies?.face(this.view.camera.position);
    this.renderer.render(this.scene, this.view.camera);
    if (!this.still) this.adapt(now);
    return true;
  }

  private drawFrame(frame: Frame, { radii }: Bodies): void {
    const { theme, size, shown, poses } = this;
    const lines = QUALITY[this.qualityNow]?.lines === true && (frame.contacts?.count ?? 0) > FEW;
    this.ropes.draw(frame.world, poses, size, theme);
    this.drawMechanism(size);
    this.marks.group.visible = shown.joints;
    if (shown.joints) this.marks.draw(frame.world, poses, { size, radii, theme });
    this.thrust.draw(shown.thrust ? this.pairs(frame) : null, frame, size);
    this.microscope.draw(frame.contacts, frame.world, { shown, unit: this.unitNow, size, theme, lines, selected: this.selectedContact });
  }

  private pairsFor: Frame | null = null;
  private pairList: Pair[] = [];

  /** The pairs of a frame, gathered once. */
  pairs(frame: Frame): Pair[] {
    if (this.pairsFor !== frame) [this.pairsFor, this.pairList] = [frame, pairsOf(frame.contacts, frame.world)];
    return this.pairList;
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

  /** The body under the pointer gets its name; whether it is another. */
  hover(body: number): void {
    if (body === this.hoveredBody) return;
    this.hoveredBody = body;
    this.redraw();
  }

  /** Names at their places in the picture: of all that is requested, and of what is selected or under the pointer. */
  labels(): Label[] {
    const { frame, shown, poses } = this;
    if (!frame) return [];
    const box = this.canvas.getBoundingClientRect();
    const place = (point: THREE.Vector3): [number, number] | null => {
      const p = point.project(this.view.camera);
      return p.z < 1 ? [((p.x + 1) / 2) * box.width, ((1 - p.y) / 2) * box.height] : null;
    };
    const labels: Label[] = [];
    const add = (text: string, point: THREE.Vector3, kind: Label["kind"], rank: number) => {
      const at = place(point);
      if (at) labels.push({ text, x: at[0], y: at[1], rank, kind });
    };
    const { bodies } = frame.world;
    const wanted = shown.names ? bodies.map((_, i) => i).slice(0, NAMED) : [];
    for (const i of new Set([this.hoveredBody, this.selectedBody, ...wanted])) {
      const body = bodies[i];
      // A plane has no place to write on.
      if (!body || !((this.bodies?.radii[i] ?? 0) > 0)) continue;
      const p = poses.subarray(i * BODY_WORDS, i * BODY_WORDS + 3);
      const isMeant = i === this.hoveredBody || i === this.selectedBody;
      add(body.name, new THREE.Vector3(p[0], p[1], p[2]), isMeant ? "strong" : "body", isMeant ? 3 : body.kind === "dynamic" ? 2 : 1);
    }
    this.labelMechanism(add);
    if (!shown.joints) return labels;
    const names = [this.hoveredBody, this.selectedBody].map((i) => bodies[i]?.name);
    for (const { placed, point } of this.marks.places(poses)) {
      const { joint } = placed;
      const isMeant = names.includes(joint.a) || (names.includes(joint.b) && bodies[placed.b]?.kind === "dynamic");
      if (!shown.names && !isMeant) continue;
      const x = coordinateOf(placed, poses);
      add(x === null ? joint.name : `${joint.name} ${coordinateWords(joint, x)}`, point, "joint", isMeant ? 2.5 : 1.5);
    }
    return labels;
  }

  /** Radius of a typical body and of each [m]. */
  get sizes(): { size: number; radii: readonly number[] } {
    return { size: this.size, radii: this.bodies?.radii ?? [] };
  }

  /** Shows how bodies move from rest: with a ghost where they rest, and marks where they turn and slide. Where both are lawful, both are clear. */
  setMechanism(shown: { rest: Float32Array; joints: Joint[]; both: boolean; lean: Lean | null } | null): void {
    this.mechanism = shown;
    this.ghost?.dispose();
    this.ghost = null;
    const both = shown?.both === true;
    if (this.bodies && shown && this.frame && (shown.joints.length > 0 || both)) {
      this.ghost = new Bodies(this.frame.world, this.bodies.size, this.theme);
      this.ghost.stepBack(true);
      this.ghost.hideStill();
      this.ghost.move(shown.rest);
      if (both) this.ghost.tint(stateColour("sticking", this.theme));
      this.scene.add(this.ghost.group);
    }
    this.bodies?.tint(both ? stateColour("sliding", this.theme) : null);
    this.stepBack();
    this.redraw();
  }

  /** Bodies are clear where thrust is shown through them or both answers are, and solid where a mechanism moves them. */
  private stepBack(): void {
    const { mechanism, shown } = this;
    const moves = mechanism !== null && mechanism.joints.length > 0;
    this.bodies?.stepBack(mechanism?.both === true || (shown.thrust && !moves));
  }

  private drawMechanism(size: number): void {
    const { mechanism, poses, theme } = this;
    this.gravity.visible = mechanism?.lean != null;
    if (!mechanism) return;
    this.hinges.draw(mechanism.joints, { rest: mechanism.rest, poses, size, theme });
    if (!mechanism.lean || !this.frame) return;
    const down = new THREE.Vector3(...this.frame.world.gravity);
    const length = down.length() || 1;
    down.addScaledVector(new THREE.Vector3(...mechanism.lean.towards), mechanism.lean.tan * length).normalize();
    const r = this.view.radius;
    this.gravity.position.copy(this.view.controls.target).add(this.gravityPlace(r));
    this.gravity.setDirection(down);
    this.gravity.setLength(0.5 * r, 0.12 * r, 0.06 * r);
    this.gravity.setColor(new THREE.Color(theme.text));
  }

  /** Beside the scene, at the upper right as it is seen. */
  private gravityPlace(r: number): THREE.Vector3 {
    const out = this.view.camera.getWorldDirection(new THREE.Vector3());
    const right = new THREE.Vector3().crossVectors(out, this.view.camera.up).normalize();
    return right.multiplyScalar(0.95 * r).addScaledVector(this.view.camera.up, 0.75 * r);
  }

  private labelMechanism(add: (text: string, point: THREE.Vector3, kind: Label["kind"], rank: number) => void): void {
    const { mechanism, poses } = this;
    for (const joint of mechanism?.joints ?? []) {
      const [first] = joint.points;
      if (!first || joint.motion === "opens") continue;
      const point = new THREE.Vector3(...first);
      const body = joint.bodies[0];
      if (mechanism && body >= 0) point.applyMatrix4(poseOf(mechanism.rest, body).invert()).applyMatrix4(poseOf(poses, body));
      add(`${joint.motion === "hinge" ? "turns" : "slides"}: ${joint.names.join(" | ")}`, point, "body", 2.2);
    }
    const body = mechanism?.joints[0]?.bodies.find((i) => this.frame?.world.bodies[i]?.kind === "dynamic");
    if (mechanism?.both && body !== undefined) {
      const middle = (from: Float32Array) => new THREE.Vector3().setFromMatrixPosition(poseOf(from, body));
      add("one answer rests", middle(mechanism.rest), "strong", 3);
      add("another moves", middle(poses), "strong", 3);
    }
    if (mechanism?.lean) add(`gravity leans by ${((Math.atan(mechanism.lean.tan) * 180) / Math.PI).toFixed(3)}°`, this.gravity.position.clone(), "body", 2.4);
  }

  /** What is shown or not; where thrust is, the bodies step back. */
  setShown(what: keyof Stage["shown"], on: boolean): void {
    this.shown[what] = on;
    if (what === "thrust") this.stepBack();
    this.redraw();
  }

  /** Whether the picture has arrows. */
  get hasArrows(): boolean {
    return this.shown.forces && (this.frame?.contacts?.count ?? 0) > 0;
  }

  /** Newtons that are as long as a pixel of an arrow is, where the view looks; and whether an arrow is cut. */
  get scale(): { perPixel: number; perMetre: number; isCut: boolean } {
    const pixel = this.view.metresPerPixel(Math.max(1, this.canvas.clientHeight));
    return { perPixel: pixel / this.unitNow, perMetre: 1 / this.unitNow, isCut: this.microscope.hasCut };
  }

  private get unitNow(): number {
    return this.unit * this.stretch;
  }

  private ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.view.camera);
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
    const p = point.clone().project(this.view.camera);
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  }

  /** Where the centre of a body is in the window. */
  bodyPixel(body: number): [number, number] {
    const p = this.poses.subarray(body * BODY_WORDS, body * BODY_WORDS + 3);
    return this.pixel(new THREE.Vector3(p[0], p[1], p[2]));
  }

  /** The point under a pixel in the plane through `through` that faces the camera. */
  dragTo(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const facing = this.view.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, through);
    const target = this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
    if (this.view.isPlanar) target.z = 0;
    return target;
  }

  /** A point of the world in the axes of a body, and back. */
  inBody(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point.clone().applyMatrix4(poseOf(this.poses, body).invert());
  }

  inWorld(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point.clone().applyMatrix4(poseOf(this.poses, body));
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
    this.view.controls.enabled = on;
    this.holding = !on;
  }

  /** How plain pictures are: 0 is the finest. */
  get qualityNow(): number {
    return this.still ? FINEST : this.quality;
  }
}

/** How gravity leans: tan of the angle, and towards where. */
export interface Lean {
  tan: number;
  towards: readonly [number, number, number];
}

/** Sizes of the forces of a frame [N]. */
function forcesOf(frame: Frame): number[] {
  return Array.from({ length: frame.contacts?.count ?? 0 }, (_, i) => frame.contacts?.force(i) ?? 0);
}
