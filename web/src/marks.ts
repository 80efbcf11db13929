/** Joints as they are drawn, over the bodies: axes of hinges, rails of sliders, balls, with their ranges. */

import * as THREE from "three";
import { coordinateOf, inWorld, numbersOf, type Placed, placedJoint, type Pose } from "./joints.ts";
import type { World } from "./messages.ts";
import { Pool } from "./microscope.ts";
import type { Theme } from "./theme.ts";

/** Half the length of an axis, radius of a ring, half the width of a line; in sizes of a joint. */
const AXIS = 0.95;
const RING = 0.25;
const LINE = 0.028;
/** Part of a typical body, and of the smaller of its own bodies, that a joint is large. */
const OF_TYPICAL = 0.8;
const OF_OWN = 1.1;

/** A joint to be drawn. */
interface Mark {
  placed: Placed;
  size: number;
  /** The range of a hinge. */
  sector: THREE.Mesh | null;
}

export class Marks {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.95 });
  private readonly glass = new THREE.MeshBasicMaterial({
    depthTest: false,
    depthWrite: false,
    transparent: true,
    opacity: 0.28,
    side: THREE.DoubleSide,
  });
  private readonly rods: Pool;
  private readonly rings: Pool;
  private readonly balls: Pool;
  private readonly boxes: Pool;
  private world: World | null = null;
  private marks: Mark[] = [];

  constructor() {
    const pool = (geometry: THREE.BufferGeometry) => new Pool(this.group, geometry, this.material, 9);
    this.rods = pool(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2));
    this.rings = pool(new THREE.TorusGeometry(1, 0.13, 8, 32));
    this.balls = pool(new THREE.SphereGeometry(1, 20, 14));
    this.boxes = pool(new THREE.BoxGeometry(1, 1, 1));
  }

  /** Joints of a world; `size` is the radius of a typical body, `radii` of each [m]. */
  private enter(world: World, size: number, radii: readonly number[]): void {
    this.world = world;
    for (const { sector } of this.marks) {
      sector?.geometry.dispose();
      sector?.removeFromParent();
    }
    const numbers = numbersOf(world);
    const placed = world.joints.map((joint) => placedJoint(joint, numbers)).filter((p) => p !== null);
    this.marks = placed.map((one) => {
      const own = [one.a, one.b].map((i) => radii[i] ?? 0).filter((r) => r > 0);
      return { placed: one, size: Math.min(OF_TYPICAL * size, ...own.map((r) => OF_OWN * r)), sector: this.sector(one) };
    });
  }

  /** The range of a hinge with two ends, as a fan about z from the x axis of the frame in b. */
  private sector({ joint }: Placed): THREE.Mesh | null {
    const [low, high] = joint.limits ?? [null, null];
    if (joint.kind !== "revolute" || low === null || high === null) return null;
    const mesh = new THREE.Mesh(new THREE.CircleGeometry(1, 32, low, Math.min(high - low, 2 * Math.PI)), this.glass);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.renderOrder = 8;
    this.group.add(mesh);
    return mesh;
  }

  /** Draws the joints of a world at its poses. */
  draw(world: World, bodies: Float32Array, { size, radii, theme }: { size: number; radii: readonly number[]; theme: Theme }): void {
    if (world !== this.world) this.enter(world, size, radii);
    const pools = [this.rods, this.rings, this.balls, this.boxes];
    for (const pool of pools) pool.begin(4 * this.marks.length);
    colour.setHex(theme.joint);
    this.glass.color.copy(colour);
    for (const mark of this.marks) this.drawOne(mark, bodies);
    for (const pool of pools) pool.end();
  }

  private drawOne({ placed, size, sector }: Mark, bodies: Float32Array): void {
    const { joint, a, b, frames } = placed;
    const [first, second] = [inWorld(bodies, a, frames[0]), inWorld(bodies, b, frames[1])];
    const thick = LINE * size;
    switch (joint.kind) {
      case "revolute":
        this.add(this.rods, second, [thick, thick, 2 * AXIS * size]);
        this.add(this.rings, second, [RING * size, RING * size, RING * size]);
        // How far it is turned, and how far it may.
        if (sector) {
          sector.matrix.compose(at(second), turn(second), scale.setScalar(0.9 * size));
          this.rod(first, xAxis(first).multiplyScalar(0.9 * size), thick);
        }
        break;
      case "prismatic": {
        const x = coordinateOf(placed, bodies) ?? 0;
        const [low, high] = joint.limits ?? [null, null];
        const [from, to] = [low ?? x - 1.6 * size, high ?? x + 1.6 * size];
        this.add(this.rods, second, [1.2 * thick, 1.2 * thick, to - from], (from + to) / 2);
        for (const [end, isEnd] of [[from, low !== null], [to, high !== null]] as const) {
          if (isEnd) this.add(this.boxes, second, [0.34 * size, 0.34 * size, 2 * thick], end);
        }
        this.add(this.boxes, { position: first.position, turn: second.turn }, [0.2 * size, 0.2 * size, 0.36 * size]);
        break;
      }
      case "spherical":
        this.add(this.balls, second, [0.23 * size, 0.23 * size, 0.23 * size]);
        break;
      case "distance": {
        for (const end of [first, second]) this.add(this.balls, end, [0.1 * size, 0.1 * size, 0.1 * size]);
        this.rod(first, at(second).sub(at(first)), thick);
        break;
      }
      case "planar":
        this.add(this.boxes, second, [0.9 * size, 0.9 * size, 0.02 * size]);
        this.add(this.rods, second, [thick, thick, AXIS * size], (AXIS * size) / 2);
        break;
      default:
        this.add(this.boxes, second, [0.2 * size, 0.2 * size, 0.2 * size]);
    }
  }

  /** A piece in a frame, moved along its z axis. */
  private add(pool: Pool, frame: Pose, [x, y, z]: [number, number, number], along = 0): void {
    const place = at(frame).add(new THREE.Vector3(0, 0, along).applyQuaternion(turn(frame)));
    pool.add(matrix.compose(place, turn(frame), scale.set(x, y, z)), colour);
  }

  /** A rod from the origin of a frame. */
  private rod(from: Pose, way: THREE.Vector3, thick: number): void {
    const length = way.length();
    if (length === 0) return;
    const middle = at(from).addScaledVector(way, 0.5);
    const facing = new THREE.Quaternion().setFromUnitVectors(Z, way.divideScalar(length));
    this.rods.add(matrix.compose(middle, facing, scale.set(thick, thick, length)), colour);
  }

  /** Names and places of the joints that are drawn. */
  places(bodies: Float32Array): { placed: Placed; point: THREE.Vector3 }[] {
    return this.marks.map(({ placed }) => ({ placed, point: at(inWorld(bodies, placed.b, placed.frames[1])) }));
  }
}

const Z = new THREE.Vector3(0, 0, 1);
const colour = new THREE.Color();
const matrix = new THREE.Matrix4();
const scale = new THREE.Vector3();
const at = (frame: Pose) => new THREE.Vector3(...frame.position);
const turn = (frame: Pose) => new THREE.Quaternion(...frame.turn);
const xAxis = (frame: Pose) => new THREE.Vector3(1, 0, 0).applyQuaternion(turn(frame));
