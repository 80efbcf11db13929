/** Thrust: where bodies press on each other, coloured by the share of friction that is used, and lines through the bodies as thick as what they carry. */

import * as THREE from "three";
import { BODY_WORDS, type Frame } from "./frame.ts";
import type { Vec3 } from "./messages.ts";
import { Pool } from "./microscope.ts";
import { shareColour } from "./theme.ts";
import { hullOf, type Pair } from "./why.ts";

/** Radius of the line of the largest force and of the least that is drawn, in typical bodies. */
const THICK = 0.11;
const THIN = 0.012;
/** Forces below this share of the largest are not drawn. */
const LEAST = 1e-4;

export class Thrust {
  readonly group = new THREE.Group();
  private readonly geometry = new THREE.BufferGeometry();
  private readonly faces: THREE.Mesh;
  private readonly rods: Pool;
  private readonly balls: Pool;

  constructor() {
    const over = { depthTest: false, depthWrite: false, transparent: true };
    const glass = new THREE.MeshBasicMaterial({ ...over, vertexColors: true, opacity: 0.72, side: THREE.DoubleSide });
    this.faces = new THREE.Mesh(this.geometry, glass);
    this.faces.frustumCulled = false;
    this.faces.renderOrder = 6;
    this.group.add(this.faces);
    const solid = new THREE.MeshBasicMaterial({ ...over, opacity: 0.95 });
    this.rods = new Pool(this.group, new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), solid, 7);
    this.balls = new Pool(this.group, new THREE.SphereGeometry(1, 12, 8), solid, 7);
  }

  /** Draws the pairs of a frame; nothing without them. `size` is the radius of a typical body [m]. */
  draw(pairs: readonly Pair[] | null, frame: Frame, size: number): void {
    this.group.visible = pairs !== null;
    if (!pairs) return;
    const most = pairs.reduce((m, p) => Math.max(m, p.normalForce), 0);
    const loaded = pairs.filter((p) => p.point !== null && p.normalForce > LEAST * most);
    this.drawFaces(loaded, frame, size);
    this.rods.begin(2 * loaded.length);
    this.balls.begin(loaded.length);
    const hubs = hubsOf(loaded, frame);
    for (const pair of loaded) {
      const thick = size * Math.max(THIN, (THICK * pair.normalForce) / most);
      colour.setHex(shareColour(pair.used));
      from.set(...(pair.point ?? [0, 0, 0]));
      this.balls.add(matrix.makeScale(1.35 * thick, 1.35 * thick, 1.35 * thick).setPosition(from), colour);
      for (const body of [pair.a, pair.b]) {
        const hub = hubs.get(body);
        if (!hub) continue;
        way.set(...hub).sub(from);
        const length = way.length();
        if (length < 1e-9) continue;
        turn.setFromUnitVectors(UP, way.divideScalar(length));
        this.rods.add(matrix.compose(from, turn, scale.set(thick, length, thick)), colour);
      }
    }
    this.rods.end();
    this.balls.end();
  }

  /** The polygons in which pairs touch. */
  private drawFaces(pairs: readonly Pair[], frame: Frame, size: number): void {
    const [points, colours]: [number[], number[]] = [[], []];
    for (const pair of pairs) {
      colour.setHex(shareColour(pair.used));
      for (const corner of trianglesOf(polygonOf(pair, frame, size))) {
        points.push(...corner);
        colours.push(colour.r, colour.g, colour.b);
      }
    }
    this.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    this.geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
    this.geometry.setDrawRange(0, points.length / 3);
  }
}

/** The corners of the area in which two bodies touch; in a plane a thin strip. */
function polygonOf({ contacts, normal }: Pair, frame: Frame, size: number): Vec3[] {
  if (!normal) return [];
  const points = contacts.map((i) => frame.contacts?.get(i).point ?? [0, 0, 0]) as Vec3[];
  if (!frame.world.planar) return hullOf(points, normal);
  const along = points.map((p) => p[0] * normal[1] - p[1] * normal[0]);
  const [low, high] = [points[along.indexOf(Math.min(...along))], points[along.indexOf(Math.max(...along))]];
  if (!low || !high || points.length < 2) return [];
  const by = 0.03 * size;
  const moved = (p: Vec3, sign: number): Vec3 => [p[0] + sign * by * normal[0], p[1] + sign * by * normal[1], 0];
  return [moved(low, -1), moved(high, -1), moved(high, 1), moved(low, 1)];
}

function trianglesOf(polygon: readonly Vec3[]): Vec3[] {
  const [first] = polygon;
  if (!first) return [];
  return polygon.slice(2).flatMap((corner, k) => [first, polygon[k + 1] ?? first, corner]);
}

/** Where the lines of a free body meet: midway between its two loads, or at its centre of mass. */
function hubsOf(pairs: readonly Pair[], frame: Frame): Map<number, Vec3> {
  const loads = new Map<number, Vec3[]>();
  for (const { a, b, point } of pairs) {
    for (const body of [a, b]) if (point) loads.set(body, [...(loads.get(body) ?? []), point]);
  }
  const hubs = new Map<number, Vec3>();
  for (const [body, points] of loads) {
    if (frame.world.bodies[body]?.kind !== "dynamic") continue;
    const [p, q] = points;
    const at = frame.bodies.subarray(body * BODY_WORDS, body * BODY_WORDS + 3);
    const centre: Vec3 = [at[0] ?? 0, at[1] ?? 0, at[2] ?? 0];
    hubs.set(body, points.length === 2 && p && q ? (p.map((x, k) => (x + (q[k] ?? x)) / 2) as Vec3) : centre);
  }
  return hubs;
}

const UP = new THREE.Vector3(0, 1, 0);
const [from, way, scale] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()] as const;
const turn = new THREE.Quaternion();
const matrix = new THREE.Matrix4();
const colour = new THREE.Color();
