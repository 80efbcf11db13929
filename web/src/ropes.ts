/** Ropes as they are drawn: a line through their points, dashed where the rope is slack. */

import * as THREE from "three";
import { BODY_WORDS } from "./frame.ts";
import type { Joint, Vec3, World } from "./messages.ts";
import { Pool } from "./microscope.ts";
import type { Theme } from "./theme.ts";

/** A rope is taut where no more of its length than this share is left: poses have seven digits. */
const TAUT = 1e-5;
/** Dashes of one leg, at most. */
const MOST_DASHES = 60;
/** Radius of a rope and length of a dash, as shares of a typical body's radius. */
const RADIUS = 0.045;
const DASH = 0.25;

/** A rope with the numbers of its bodies. */
export interface Rope {
  name: string;
  /** Largest length [m]. */
  length: number;
  points: { body: number; position: Vec3 }[];
}

/** Where a rope is in a frame. */
export interface Way {
  points: Vec3[];
  /** Of the way over its points [m]. */
  length: number;
  taut: boolean;
}

/** The ropes of a world; those of recordings that do not hold their points are skipped. */
export function ropesOf(world: World): Rope[] {
  const numbers = new Map(world.bodies.map((body, i) => [body.name, i]));
  return world.joints.flatMap((joint) => {
    const rope = ropeOf(joint, numbers);
    return rope === null ? [] : [rope];
  });
}

function ropeOf({ kind, name, length, points }: Joint, numbers: Map<string, number>): Rope | null {
  if (kind !== "rope" || length === undefined || points === undefined || points.length < 2) return null;
  const found = points.map((p) => ({ body: numbers.get(p.body) ?? -1, position: p.position_body }));
  return found.every((p) => p.body >= 0) ? { name, length, points: found } : null;
}

/** A point of a body in the world: v + 2w (q × v) + 2 q × (q × v). */
function inWorld(bodies: Float32Array, body: number, [x, y, z]: Vec3): Vec3 {
  const at = (k: number) => bodies[body * BODY_WORDS + k] ?? 0;
  const [qx, qy, qz, qw] = [at(3), at(4), at(5), at(6)];
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)];
  return [
    at(0) + x + qw * tx + (qy * tz - qz * ty),
    at(1) + y + qw * ty + (qz * tx - qx * tz),
    at(2) + z + qw * tz + (qx * ty - qy * tx),
  ];
}

/** Where a rope is, by the poses of a frame. */
export function wayOf(rope: Rope, bodies: Float32Array): Way {
  const points = rope.points.map((p) => inWorld(bodies, p.body, p.position));
  let length = 0;
  points.slice(1).forEach((p, i) => {
    const before = points[i] ?? p;
    length += Math.hypot(p[0] - before[0], p[1] - before[1], p[2] - before[2]);
  });
  const farthest = Math.max(...points.flat().map(Math.abs));
  return { points, length, taut: rope.length - length <= TAUT * (rope.length + farthest) };
}

/** Pieces of a leg that are drawn, as shares of it: all of a taut one, every second stretch of a slack one. */
export function dashes(leg: number, dash: number, taut: boolean): [number, number][] {
  if (taut) return [[0, 1]];
  const count = Math.min(Math.max(Math.round((leg / dash + 1) / 2), 1), MOST_DASHES);
  const stretches = 2 * count - 1;
  return Array.from({ length: count }, (_, i) => [(2 * i) / stretches, (2 * i + 1) / stretches]);
}

export class Ropes {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshBasicMaterial({ transparent: true });
  private readonly pool: Pool;
  private world: World | null = null;
  private ropes: Rope[] = [];

  constructor() {
    const tube = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    this.pool = new Pool(this.group, tube, this.material, 2);
  }

  /** Draws the ropes of a world at its poses; `size` is the radius of a typical body [m]. */
  draw(world: World, bodies: Float32Array, size: number, theme: Theme): void {
    if (world !== this.world) {
      this.world = world;
      this.ropes = ropesOf(world);
      // In a planar world everything lies in one plane: ropes are drawn over the bodies.
      this.material.depthTest = !world.planar;
    }
    const colour = new THREE.Color(theme.rope);
    const pieces = this.ropes.flatMap((rope) => pieceList(wayOf(rope, bodies), DASH * size));
    this.pool.begin(pieces.length);
    const radius = RADIUS * size;
    for (const [from, to] of pieces) {
      along.subVectors(to, from);
      const length = along.length();
      if (length === 0) continue;
      turn.setFromUnitVectors(UP, along.divideScalar(length));
      this.pool.add(matrix.compose(from, turn, scale.set(radius, length, radius)), colour);
    }
    this.pool.end();
  }
}

function pieceList(way: Way, dash: number): [THREE.Vector3, THREE.Vector3][] {
  const points = way.points.map((p) => new THREE.Vector3(...p));
  return points.slice(1).flatMap((to, i) => {
    const from = points[i] ?? to;
    const at = (part: number) => from.clone().lerp(to, part);
    return dashes(from.distanceTo(to), dash, way.taut).map(([s, e]): [THREE.Vector3, THREE.Vector3] => [at(s), at(e)]);
  });
}

const UP = new THREE.Vector3(0, 1, 0);
const [along, scale] = [new THREE.Vector3(), new THREE.Vector3()];
const turn = new THREE.Quaternion();
const matrix = new THREE.Matrix4();
