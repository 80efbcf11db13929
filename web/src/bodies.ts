/** Bodies of a world: one instanced mesh a kind of piece, edges where they are few, planes with a grid. */

import * as THREE from "three";
import { BODY_WORDS } from "./frame.ts";
import type { World } from "./messages.ts";
import { type Parts, type Plane, parts } from "./shapes.ts";
import { bodyColour, type Theme } from "./theme.ts";

/** Bodies up to which each has its edges drawn. */
const EDGED = 300;
/** Cells of the grid of a plane, along each side. */
const CELLS = 48;

interface Instances {
  mesh: THREE.InstancedMesh;
  bodies: number[];
  locals: THREE.Matrix4[];
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly radii: number[];
  private readonly all: Instances[] = [];
  private readonly edges: { line: THREE.LineSegments; body: number; local: THREE.Matrix4 }[] = [];
  private readonly planes: { mesh: THREE.Object3D; body: number; plane: Plane }[] = [];
  private readonly edgeMaterial = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.5 });
  private readonly planeMaterial = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
  private readonly movedPlaneMaterial = this.planeMaterial.clone();
  private grids: THREE.GridHelper[] = [];
  private readonly middle = new THREE.Vector3();
  private theme: Theme;
  private selected = -1;
  private isBack = false;
  private tinted: number | null = null;

  constructor(
    readonly world: World,
    readonly size: number,
    theme: Theme,
  ) {
    this.theme = theme;
    const made = world.bodies.map((body) => parts(body.shape));
    this.radii = made.map((p) => p.radius);
    this.addPieces(made);
    made.forEach((p, body) => {
      for (const plane of p.planes) this.addPlane(plane, body);
    });
    this.recolour(theme);
  }

  private addPieces(made: Parts[]): void {
    const kinds = new Map<string, { make: () => THREE.BufferGeometry; bodies: number[]; locals: THREE.Matrix4[] }>();
    made.forEach((p, body) => {
      for (const piece of p.pieces) {
        const kind = kinds.get(piece.key) ?? { make: piece.make, bodies: [], locals: [] };
        kind.bodies.push(body);
        kind.locals.push(piece.local);
        kinds.set(piece.key, kind);
      }
    });
    for (const { make, bodies, locals } of kinds.values()) {
      const geometry = make();
      // Planar pieces lie in one plane: those of later bodies are drawn over the others.
      const material = this.world.planar
        ? new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity: 0.9 })
        : new THREE.MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
      const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = !this.world.planar;
      mesh.userData["bodies"] = bodies;
      this.group.add(mesh);
      this.all.push({ mesh, bodies, locals });
      if (this.world.bodies.length > EDGED) continue;
      const lines = new THREE.EdgesGeometry(geometry, 25);
      bodies.forEach((body, i) => {
        const line = new THREE.LineSegments(lines, this.edgeMaterial);
        line.matrixAutoUpdate = false;
        line.frustumCulled = false;
        line.renderOrder = 1;
        this.group.add(line);
        this.edges.push({ line, body, local: locals[i] ?? new THREE.Matrix4() });
      });
    }
  }

  private addPlane(plane: Plane, body: number): void {
    const wide = 12 * this.size;
    const material = this.world.bodies[body]?.kind === "fixed" ? this.planeMaterial : this.movedPlaneMaterial;
    const holder = new THREE.Group();
    if (plane.planar) {
      const shape = new THREE.PlaneGeometry(2 * wide, wide).translate(0, -wide / 2, -0.001);
      const line = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(-wide, 0, 0), new THREE.Vector3(wide, 0, 0)]);
      holder.add(new THREE.Mesh(shape, material), new THREE.LineSegments(line, this.edgeMaterial));
    } else {
      const grid = new THREE.GridHelper(2 * wide, CELLS);
      grid.rotateX(Math.PI / 2);
      (grid.material as THREE.LineBasicMaterial).transparent = true;
      (grid.material as THREE.LineBasicMaterial).opacity = 0.6;
      this.grids.push(grid);
      const ground = new THREE.Mesh(new THREE.PlaneGeometry(2 * wide, 2 * wide), material);
      ground.position.z = -1e-3 * this.size;
      const shade = new THREE.Mesh(ground.geometry, new THREE.ShadowMaterial({ opacity: 0.18 }));
      shade.receiveShadow = true;
      holder.add(ground, shade, grid);
    }
    this.group.add(holder);
    this.planes.push({ mesh: holder, body, plane });
  }

  /** Puts everything where the frame has it. */
  move(poses: Float32Array): void {
    const pose = new THREE.Matrix4();
    const all = this.world.bodies.map((_, i) => poseOf(poses, i));
    for (const { mesh, bodies, locals } of this.all) {
      bodies.forEach((body, i) => {
        pose.multiplyMatrices(all[body] ?? IDENTITY, locals[i] ?? IDENTITY);
        mesh.setMatrixAt(i, pose);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const { line, body, local } of this.edges) {
      line.matrix.multiplyMatrices(all[body] ?? IDENTITY, local);
      line.matrixWorldNeedsUpdate = true;
    }
    for (const { mesh, body, plane } of this.planes) {
      const [x, y, z] = plane.normal;
      const from = plane.planar ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
      const turn = new THREE.Quaternion().setFromUnitVectors(from, new THREE.Vector3(x, y, z));
      const at = all[body] ?? IDENTITY;
      mesh.position.setFromMatrixPosition(at);
      mesh.quaternion.setFromRotationMatrix(at).multiply(turn);
    }
    this.centre(this.middle);
  }

  /** Planes have no end: what is drawn of them lies around where the view looks, moved by whole cells of their grids. */
  centre(target: THREE.Vector3): void {
    this.middle.copy(target);
    const cell = (24 * this.size) / CELLS;
    for (const { mesh } of this.planes) {
      const place = target.clone().sub(mesh.position).applyQuaternion(mesh.quaternion.clone().invert());
      const [x, y] = [place.x, place.y].map((v) => cell * Math.round(v / cell));
      // In a plane the ground goes on along its line alone.
      const planar = this.world.planar;
      for (const child of mesh.children) child.position.set(x ?? 0, planar ? 0 : (y ?? 0), child.position.z);
    }
  }

  /** Planes that are seen from behind hide nothing: a box of walls can be looked into. */
  face(eye: THREE.Vector3): void {
    for (const { mesh, plane } of this.planes) {
      if (plane.planar) continue;
      const out = new THREE.Vector3(0, 0, 1).applyQuaternion(mesh.quaternion);
      mesh.visible = out.dot(eye.clone().sub(mesh.position)) > 0;
    }
  }

  recolour(theme: Theme): void {
    this.theme = theme;
    this.edgeMaterial.color.setHex(theme.edge);
    this.planeMaterial.color.setHex(theme.plane);
    this.movedPlaneMaterial.color.setHex(theme.movedPlane);
    for (const grid of this.grids) {
      const old = grid.geometry.getAttribute("color") as THREE.BufferAttribute;
      const [strong, weak] = [new THREE.Color(theme.grid[0]), new THREE.Color(theme.grid[1])];
      const lines = old.count / 4;
      for (let i = 0; i < old.count; i += 1) {
        const c = Math.floor(i / 4) === Math.floor(lines / 2) ? strong : weak;
        old.setXYZ(i, c.r, c.g, c.b);
      }
      old.needsUpdate = true;
    }
    this.paint();
  }

  select(body: number): void {
    this.selected = body;
    this.paint();
  }

  /** Bodies become clear and of one colour, so that what lies between them is seen. */
  stepBack(on: boolean): void {
    if (on === this.isBack) return;
    this.isBack = on;
    for (const { mesh } of this.all) {
      const material = mesh.material as THREE.MeshLambertMaterial;
      material.transparent = on || this.world.planar;
      material.opacity = on ? (this.tinted === null ? 0.32 : 0.5) : this.world.planar ? 0.9 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
    this.paint();
  }

  /** All that can move in one colour; null: in their own. */
  tint(colour: number | null): void {
    if (colour === this.tinted) return;
    this.tinted = colour;
    if (this.isBack) {
      this.isBack = false;
      this.stepBack(true);
    } else this.paint();
  }

  /** Planes and what does not move are drawn once, not with a ghost as well. */
  hideStill(): void {
    for (const { mesh } of this.planes) mesh.removeFromParent();
    for (const { mesh, bodies } of this.all) if (bodies.every((i) => this.world.bodies[i]?.kind !== "dynamic")) mesh.visible = false;
  }

  private paint(): void {
    const colour = new THREE.Color();
    const theme = this.theme;
    for (const { mesh, bodies } of this.all) {
      bodies.forEach((body, i) => {
        const kind = this.world.bodies[body]?.kind ?? "fixed";
        const own = this.isBack ? theme.clear : bodyColour(kind, body, theme);
        const base = kind === "dynamic" ? (this.tinted ?? own) : bodyColour(kind, body, theme);
        mesh.setColorAt(i, colour.setHex(body === this.selected ? theme.selected : base));
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** The body and the point of the world under a ray. */
  hit(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    for (const { mesh } of this.all) mesh.computeBoundingSphere();
    const found = ray.intersectObjects(this.all.map((i) => i.mesh), false)[0];
    if (found?.instanceId === undefined) return null;
    const bodies = found.object.userData["bodies"] as number[];
    return { body: bodies[found.instanceId] ?? -1, point: found.point };
  }

  dispose(): void {
    for (const { mesh } of this.all) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    for (const { line } of this.edges) line.geometry.dispose();
    this.group.removeFromParent();
  }
}

const IDENTITY = new THREE.Matrix4();

/** The pose of a body in a frame. */
export function poseOf(poses: Float32Array, body: number): THREE.Matrix4 {
  const p = poses.subarray(body * BODY_WORDS, body * BODY_WORDS + 7);
  return new THREE.Matrix4().compose(
    new THREE.Vector3(p[0], p[1], p[2]),
    new THREE.Quaternion(p[3], p[4], p[5], p[6]),
    new THREE.Vector3(1, 1, 1),
  );
}
