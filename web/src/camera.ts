/** The camera: fits what there is, and follows what moves. */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** From where a spatial world is seen. */
const FROM = new THREE.Vector3(0.62, -1, 0.42).normalize();
/** Share of the picture that what moves may take before the view goes back. */
const ROOM = 0.94;
/** By which part of its height a picture lies higher than the middle. */
const LOWER = 0.035;
/** Rate at which the view follows [1/s]. */
const RATE = 5;
/** What is farther from the middle than so many times where most things are has left: the view does not wait for it. */
const LEFT = 5;

/** A sphere around others, about the middle of their extent. */
export function around(balls: readonly THREE.Sphere[]): THREE.Sphere {
  const box = new THREE.Box3();
  for (const ball of balls) box.union(ball.getBoundingBox(new THREE.Box3()));
  const center = box.getCenter(new THREE.Vector3());
  return new THREE.Sphere(center, Math.max(...balls.map((ball) => center.distanceTo(ball.center) + ball.radius)));
}

/** Those of some spheres that have not left the others far behind. */
export function together(balls: readonly THREE.Sphere[]): THREE.Sphere[] {
  if (balls.length < 3) return [...balls];
  const median = (k: 0 | 1 | 2) => balls.map((b) => b.center.getComponent(k)).sort((a, b) => a - b)[Math.floor(balls.length / 2)] ?? 0;
  const middle = new THREE.Vector3(median(0), median(1), median(2));
  const far = balls.map((b) => b.center.distanceTo(middle) + b.radius).sort((a, b) => a - b);
  const most = LEFT * (far[Math.floor(0.7 * (far.length - 1))] ?? Infinity);
  return balls.filter((b) => b.center.distanceTo(middle) <= most);
}

export class View {
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  controls: OrbitControls;
  /** Whether the view follows what moves. */
  following = true;
  /** Radius of what is fitted [m]. */
  radius = 1;
  private aspect = 1;
  /** Where what moves was when somebody last chose a place to look from: from there on the view keeps its distance to it. */
  private held: THREE.Vector3 | null = null;
  private chosen = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    this.controls = this.newControls();
  }

  get isPlanar(): boolean {
    return this.camera instanceof THREE.OrthographicCamera;
  }

  /** A camera for a spatial or a planar world. */
  use(planar: boolean): void {
    this.controls.dispose();
    this.camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.controls = this.newControls();
  }

  private newControls(): OrbitControls {
    this.camera.up.set(0, this.isPlanar ? 1 : 0, this.isPlanar ? 0 : 1);
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableRotate = !this.isPlanar;
    if (this.isPlanar) {
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches.ONE = THREE.TOUCH.PAN;
    }
    controls.addEventListener("change", () => this.changed());
    // To turn the view leaves its place; to move it or to go nearer chooses another.
    let [target, distance] = [controls.target.clone(), 0];
    const note = () => {
      target = controls.target.clone();
      distance = this.distance();
    };
    controls.addEventListener("start", note);
    controls.addEventListener("end", () => {
      const moved = target.distanceTo(controls.target) > 1e-3 * this.radius;
      const nearer = Math.abs(this.distance() - distance) > 1e-3 * distance;
      if (moved || nearer) this.chosen = true;
      this.held = null;
    });
    return controls;
  }

  private distance(): number {
    if (this.camera instanceof THREE.OrthographicCamera) return 1 / this.camera.zoom;
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Shows a sphere as large as it can be seen. */
  fit(sphere: THREE.Sphere): void {
    const r = Math.max(sphere.radius, 1e-6);
    this.radius = r;
    this.chosen = false;
    this.held = null;
    this.controls.target.copy(sphere.center);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.zoom = 1;
      this.camera.position.copy(sphere.center).add(new THREE.Vector3(0, 0, 100 * r));
      this.camera.near = 0.1 * r;
      this.camera.far = 300 * r;
    } else {
      const up = Math.tan((this.camera.fov * Math.PI) / 360);
      const half = Math.atan(Math.min(up, up * this.aspect));
      this.camera.position.copy(sphere.center).addScaledVector(FROM, (1.16 * r) / Math.sin(half));
      this.camera.near = r / 200;
      this.camera.far = 80 * r;
    }
    this.controls.update();
    this.changed();
  }

  /** Moves a step [s] towards where a sphere is seen; whether it still moves. */
  follow(sphere: THREE.Sphere | null, seconds: number): boolean {
    if (!this.following || !sphere) {
      this.held = null;
      return false;
    }
    const part = 1 - Math.exp(-RATE * seconds);
    const shift = this.chosen ? this.shiftHeld(sphere) : this.shiftInto(sphere, part);
    if (shift.length() < 1e-4 * this.radius) return false;
    shift.multiplyScalar(part);
    if (this.held) this.held.add(shift);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.controls.update();
    this.changed();
    return true;
  }

  /** How far what moves is from where it was as the place of the view was chosen. */
  private shiftHeld(sphere: THREE.Sphere): THREE.Vector3 {
    this.held ??= sphere.center.clone();
    return sphere.center.clone().sub(this.held);
  }

  /** How far the view is from one that holds the sphere; goes back where that is too large. */
  private shiftInto({ center, radius }: THREE.Sphere, part: number): THREE.Vector3 {
    const { camera, controls } = this;
    const out = camera.getWorldDirection(new THREE.Vector3());
    const right = new THREE.Vector3().crossVectors(out, camera.up).normalize();
    const up = new THREE.Vector3().crossVectors(right, out);
    const room = this.extent().map((x) => ROOM * x) as [number, number];
    const larger = radius / Math.min(...room);
    if (larger > 1.001) this.goBack(1 + part * (larger - 1));
    const offset = center.clone().sub(controls.target);
    const beyond = (x: number, most: number) => Math.sign(x) * Math.max(0, Math.abs(x) - Math.max(most, 0));
    const shift = right.multiplyScalar(beyond(offset.dot(right), room[0] - radius));
    shift.addScaledVector(up, beyond(offset.dot(up), room[1] - radius));
    if (!this.isPlanar) shift.addScaledVector(out, beyond(offset.dot(out), 0.3 * this.radius));
    return shift;
  }

  private goBack(by: number): void {
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.zoom /= by;
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).multiplyScalar(by).add(this.controls.target);
      this.camera.far = Math.max(this.camera.far, 30 * this.distance());
      this.camera.updateProjectionMatrix();
    }
    this.changed();
  }

  /** Half of what is seen across and up, at the distance of the target [m]. */
  private extent(): [number, number] {
    if (this.camera instanceof THREE.OrthographicCamera) {
      const { right, top, zoom } = this.camera;
      return [right / zoom, top / zoom];
    }
    const up = Math.tan((this.camera.fov * Math.PI) / 360) * this.distance();
    return [up * this.aspect, up];
  }

  /** Metres of a pixel at the distance of the target, in a picture so many pixels high. */
  metresPerPixel(height: number): number {
    return (2 * this.extent()[1]) / height;
  }

  /** Takes the size of the picture. */
  resize(w: number, h: number): void {
    this.aspect = w / h;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const half = 1.15 * this.radius;
      const across = Math.max(half, (half * w) / h);
      const up = (across * h) / w;
      Object.assign(this.camera, { left: -across, right: across, top: up, bottom: -up });
    } else {
      this.camera.aspect = this.aspect;
      // Along the lower edge lies the key.
      this.camera.setViewOffset(w, h, 0, LOWER * h, w, h);
    }
    this.camera.updateProjectionMatrix();
  }
}
