/** Where a mechanism turns, slides and opens: dotted hinges, striped sliders with arrows, crosses where bodies part. */

import * as THREE from "three";
import { poseOf } from "./bodies.ts";
import { hullOf } from "./why.ts";
import type { Joint } from "./stand.ts";
import { Pool } from "./microscope.ts";
import type { Theme } from "./theme.ts";
import type { Vec3 } from "./messages.ts";

/** Dots of a hinge and bars of a slider. */
const DOTS = 9;
const BARS = 7;

export class Hinges {
  readonly group = new THREE.Group();
  private readonly balls: Pool;
  private readonly rods: Pool;
  private readonly heads: Pool;

  constructor() {
    const material = new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true });
    this.balls = new Pool(this.group, new THREE.SphereGeometry(1, 14, 10), material, 15);
    this.rods = new Pool(this.group, new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material, 15);
    this.heads = new Pool(this.group, new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0), material, 15);
  }

  /** Draws the joints of a mechanism at poses that began as `rest`. */
  draw(joints: readonly Joint[], { rest, poses, size, theme }: { rest: Float32Array; poses: Float32Array; size: number; theme: Theme }): void {
    for (const pool of [this.balls, this.rods, this.heads]) pool.begin(Math.max(DOTS, BARS + 2) * joints.length);
    for (const joint of joints) {
      const points = joint.points.map((p) => this.carried(p, joint.bodies[0], rest, poses));
      colour.setHex(theme.dark ? 0xff8fc8 : 0xc2177b);
      if (joint.motion === "hinge") this.hinge(points, size);
      else if (joint.motion === "slider") this.slider(points, joint, size);
      else {
        colour.setHex(theme.dark ? 0xff8f78 : 0xa3301c);
        for (const p of points.slice(0, DOTS)) this.ball(p, 0.05 * size);
      }
    }
    for (const pool of [this.balls, this.rods, this.heads]) pool.end();
  }

  /** A point that goes with a body. */
  private carried(point: Vec3, body: number, rest: Float32Array, poses: Float32Array): THREE.Vector3 {
    const p = new THREE.Vector3(...point);
    if (body < 0) return p;
    return p.applyMatrix4(poseOf(rest, body).invert()).applyMatrix4(poseOf(poses, body));
  }

  private ball(at: THREE.Vector3, radius: number): void {
    this.balls.add(matrix.makeScale(radius, radius, radius).setPosition(at), colour);
  }

  /** A dotted line between the two points that are farthest apart. */
  private hinge(points: THREE.Vector3[], size: number): void {
    const [from, to] = farthest(points);
    if (!from || !to) return;
    if (from.distanceTo(to) < 0.05 * size) return this.ball(from, 0.16 * size);
    for (let k = 0; k < DOTS; k += 1) this.ball(from.clone().lerp(to, k / (DOTS - 1)), (k % (DOTS - 1) === 0 ? 0.1 : 0.055) * size);
  }

  /** Bars across the way of the slip, and an arrow along it. */
  private slider(points: THREE.Vector3[], { slip, normal }: Joint, size: number): void {
    const way = new THREE.Vector3(...slip);
    const n = new THREE.Vector3(...normal);
    way.addScaledVector(n, -way.dot(n));
    if (way.length() === 0) return;
    way.normalize();
    const across = new THREE.Vector3().crossVectors(n, way);
    const middle = points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(Math.max(points.length, 1));
    const hull = hullOf(points.map((p) => p.toArray() as Vec3), normal).map((p) => new THREE.Vector3(...p).sub(middle));
    const wide = Math.max(0.12 * size, ...hull.map((p) => Math.abs(p.dot(across))));
    const long = Math.max(0.3 * size, ...hull.map((p) => Math.abs(p.dot(way))));
    const thick = 0.022 * size;
    for (let k = 0; k < BARS; k += 1) {
      const from = middle.clone().addScaledVector(way, long * ((2 * k) / (BARS - 1) - 1)).addScaledVector(across, -wide);
      this.rod(from, across, 2 * wide, thick);
    }
    const end = middle.clone().addScaledVector(way, 0.7 * long);
    this.rod(middle.clone().addScaledVector(way, -0.7 * long), way, 1.4 * long, 1.8 * thick);
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, way);
    this.heads.add(matrix.compose(end, turn, scale.set(5 * thick, 10 * thick, 5 * thick)), colour);
  }

  private rod(from: THREE.Vector3, way: THREE.Vector3, length: number, thick: number): void {
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, way);
    this.rods.add(matrix.compose(from, turn, scale.set(thick, length, thick)), colour);
  }
}

function farthest(points: readonly THREE.Vector3[]): [THREE.Vector3 | undefined, THREE.Vector3 | undefined] {
  const [first] = points;
  if (!first) return [undefined, undefined];
  const from = points.reduce((far, p) => (p.distanceTo(first) > far.distanceTo(first) ? p : far), first);
  return [from, points.reduce((far, p) => (p.distanceTo(from) > far.distanceTo(from) ? p : far), from)];
}

const UP = new THREE.Vector3(0, 1, 0);
const colour = new THREE.Color();
const matrix = new THREE.Matrix4();
const scale = new THREE.Vector3();
