/** Contacts as they are drawn: points by state, force arrows, friction cones. */

import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { CONTACT_WORDS, type ContactList, isTurned, STATES } from "./frame.ts";
import type { World } from "./messages.ts";
import { coneOf, LONGEST } from "./scale.ts";
import { hasCone } from "./words.ts";
import { stateColour, type Theme } from "./theme.ts";

/** Arrows that are no longer than this share of a body's radius are skipped. */
const SHORTEST = 1e-3;

/** A pool of instances that grows. */
export class Pool {
  mesh: THREE.InstancedMesh;
  private count = 0;

  constructor(
    private readonly parent: THREE.Group,
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    private readonly order: number,
  ) {
    this.mesh = this.make(64);
  }

  private make(room: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, room);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  begin(most: number): void {
    if (most > this.mesh.instanceMatrix.count) {
      this.mesh.removeFromParent();
      this.mesh.dispose();
      this.mesh = this.make(2 * most);
    }
    this.count = 0;
  }

  add(matrix: THREE.Matrix4, colour: THREE.Color): void {
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count, colour);
    this.count += 1;
  }

  end(): void {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Forces as plain lines: thousands of them cost little. */
class Lines {
  private readonly geometry = new THREE.BufferGeometry();
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private count = 0;

  constructor(parent: THREE.Group) {
    const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    const lines = new THREE.LineSegments(this.geometry, material);
    lines.frustumCulled = false;
    lines.renderOrder = 11;
    parent.add(lines);
  }

  begin(most: number): void {
    this.count = 0;
    if (6 * most <= this.positions.length) return;
    [this.positions, this.colours] = [new Float32Array(12 * most), new Float32Array(12 * most)];
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colours, 3));
  }

  add(from: THREE.Vector3, to: THREE.Vector3, colour: THREE.Color): void {
    const at = 6 * this.count;
    from.toArray(this.positions, at);
    to.toArray(this.positions, at + 3);
    colour.toArray(this.colours, at);
    colour.toArray(this.colours, at + 3);
    this.count += 1;
  }

  end(): void {
    this.geometry.setDrawRange(0, 2 * this.count);
    for (const name of ["position", "color"]) {
      const attribute = this.geometry.getAttribute(name);
      if (attribute) attribute.needsUpdate = true;
    }
  }
}

export interface Shown {
  forces: boolean;
  cones: boolean;
  points: boolean;
}

/** How contacts are drawn: length of one newton, size of a typical body [m], whether forces are lines. */
interface Drawn {
  shown: Shown;
  unit: number;
  size: number;
  lines: boolean;
  selected: number;
}

export class Microscope {
  readonly group = new THREE.Group();
  private readonly points: Pool[];
  private readonly shafts: [Pool, Pool];
  private readonly heads: [Pool, Pool];
  private readonly breaks: Pool;
  private readonly cones: Pool;
  private readonly rims: Pool;
  /** Whether an arrow of the last picture is longer than it was drawn. */
  hasCut = false;
  private readonly lines = new Lines(this.group);
  private readonly ring: THREE.Mesh;

  constructor() {
    const solid = (opacity: number) =>
      new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity });
    const pool = (geometry: THREE.BufferGeometry, material: THREE.Material, order: number) =>
      new Pool(this.group, geometry, material, order);
    // Shapes tell the states apart without colours: a ball lifts off, a block holds, a wedge slides.
    this.points = [
      pool(new THREE.SphereGeometry(0.55, 10, 8), solid(0.8), 12),
      pool(new THREE.BoxGeometry(1.5, 1.5, 1.5), solid(1), 13),
      pool(new THREE.TetrahedronGeometry(1.4), solid(1), 13),
    ];
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    // Forces that are not unique are drawn faint.
    this.shafts = [pool(shaft, solid(1), 11), pool(shaft, solid(0.38), 11)];
    this.heads = [pool(head, solid(1), 11), pool(head, solid(0.38), 11)];
    const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    const glass = new THREE.MeshBasicMaterial({
      depthTest: false,
      depthWrite: false,
      transparent: true,
      opacity: 0.16,
      side: THREE.DoubleSide,
    });
    this.cones = pool(cone, glass, 10);
    const rim = new THREE.TorusGeometry(1, 0.012, 6, 56).rotateX(Math.PI / 2);
    this.rims = pool(rim, solid(0.7), 10);
    // Two discs across a shaft: the arrow is longer than drawn.
    const disc = (y: number) => new THREE.CylinderGeometry(2.4, 2.4, 0.5, 12).translate(0, y, 0);
    this.breaks = pool(mergeGeometries([disc(-0.9), disc(0.9)]), solid(1), 11);
    this.ring = new THREE.Mesh(new THREE.TorusGeometry(2.6, 0.35, 8, 28), solid(1));
    this.ring.renderOrder = 14;
    this.ring.visible = false;
    this.group.add(this.ring);
  }

  /** Draws the contacts. */
  draw(
    contacts: ContactList | null,
    world: World,
    { theme, ...how }: Drawn & { theme: Theme },
  ): void {
    const pools = [...this.points, ...this.shafts, ...this.heads, this.breaks, this.cones, this.rims, this.lines];
    this.hasCut = false;
    const most = contacts?.count ?? 0;
    for (const pool of pools) pool.begin(most);
    const colours = STATES.map((s) => new THREE.Color(stateColour(s, theme)));
    this.ring.visible = false;
    for (let i = 0; i < most && contacts; i += 1) {
      this.drawOne(contacts, i, colours[contacts.state(i)] ?? new THREE.Color(), world, how);
    }
    for (const pool of pools) pool.end();
  }

  private drawOne(
    contacts: ContactList,
    i: number,
    colour: THREE.Color,
    world: World,
    { shown, unit, size, lines, selected }: Drawn,
  ): void {
    const f = contacts.floats;
    const at = i * CONTACT_WORDS;
    point.set(f[at + 3] ?? 0, f[at + 4] ?? 0, f[at + 5] ?? 0);
    normal.set(f[at + 6] ?? 0, f[at + 7] ?? 0, f[at + 8] ?? 0);
    const pressed = f[at + 10] ?? 0;
    const side = isTurned(world, contacts.words[at] ?? 0, contacts.words[at + 1] ?? 0, normal.toArray()) ? -1 : 1;
    normal.multiplyScalar(side);
    const mu = f[at + 14] ?? NaN;
    if ((shown.points && !lines) || i === selected) {
      const r = 0.055 * size;
      matrix.makeScale(r, r, r).setPosition(point);
      this.points[contacts.state(i)]?.add(matrix, colour);
    }
    if (i === selected) {
      const r = 0.055 * size;
      this.ring.visible = true;
      this.ring.position.copy(point);
      this.ring.quaternion.setFromUnitVectors(Z, normal);
      this.ring.scale.setScalar(r);
      (this.ring.material as THREE.MeshBasicMaterial).color.copy(colour);
    }
    force.copy(normal).multiplyScalar(pressed);
    force.x += side * (f[at + 11] ?? 0);
    force.y += side * (f[at + 12] ?? 0);
    force.z += side * (f[at + 13] ?? 0);
    const whole = force.length() * unit;
    if (whole < SHORTEST * size) return;
    // What is too long is cut.
    const shrink = Math.min(1, (LONGEST * size) / whole);
    this.hasCut ||= shrink < 1 && shown.forces;
    if (lines && shown.forces && i !== selected) {
      this.lines.add(point, end.copy(point).addScaledVector(force, unit * shrink), colour);
    } else if (shown.forces || i === selected) {
      const faint = contacts.isNotUnique(i) ? 1 : 0;
      const length = whole * shrink;
      const thick = 0.036 * size;
      const tip = Math.min(4.5 * thick, 0.5 * length);
      quaternion.setFromUnitVectors(Y, force.normalize());
      matrix.compose(point, quaternion, scale.set(thick, length - tip, thick));
      this.shafts[faint].add(matrix, colour);
      end.copy(point).addScaledVector(force, length - tip);
      matrix.compose(end, quaternion, scale.set(2.6 * thick, tip, 2.6 * thick));
      this.heads[faint].add(matrix, colour);
      if (shrink < 1) {
        end.copy(point).addScaledVector(force, 0.62 * length);
        this.breaks.add(matrix.compose(end, quaternion, scale.setScalar(thick)), colour);
      }
    }
    if ((shown.cones || i === selected) && hasCone(world.law) && mu > 0) {
      const { height, radius } = coneOf(mu, pressed * unit, size);
      quaternion.setFromUnitVectors(Y, normal);
      matrix.compose(point, quaternion, scale.set(radius, height, radius));
      this.cones.add(matrix, colour);
      end.copy(point).addScaledVector(normal, height);
      this.rims.add(matrix.compose(end, quaternion, scale.set(radius, radius, radius)), colour);
    }
  }
}

const [Y, Z] = [new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
const [point, normal, force, end, scale] = Array.from({ length: 5 }, () => new THREE.Vector3()) as [
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
];
const matrix = new THREE.Matrix4();
const quaternion = new THREE.Quaternion();
