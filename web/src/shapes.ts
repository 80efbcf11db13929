/** Shapes of bodies as geometry. Shapes that differ in size only share one, so that many bodies are drawn at once. */

import * as THREE from "three";
import type { Quat, Shape, Vec3 } from "./messages.ts";

/** A piece of a body: which geometry, and where it is in the body. */
export interface Piece {
  key: string;
  make: () => THREE.BufferGeometry;
  local: THREE.Matrix4;
}

/** A plane without end. */
export interface Plane {
  normal: Vec3;
  planar: boolean;
}

export interface Parts {
  pieces: Piece[];
  planes: Plane[];
  /** Largest distance of a point from the centre; 0 for planes [m]. */
  radius: number;
}

const place = (position: Vec3, orientation: Quat, scale: Vec3): THREE.Matrix4 =>
  new THREE.Matrix4().compose(
    new THREE.Vector3(...position),
    new THREE.Quaternion(...orientation),
    new THREE.Vector3(...scale),
  );

const scaled = (x: number, y: number, z: number): THREE.Matrix4 => place([0, 0, 0], [0, 0, 0, 1], [x, y, z]);

/** three.js has its cylinders along y, scenes along z. */
const along = (geometry: THREE.BufferGeometry): THREE.BufferGeometry => geometry.rotateX(Math.PI / 2);

const one = (key: string, make: () => THREE.BufferGeometry, radius: number, local = new THREE.Matrix4()): Parts => ({
  pieces: [{ key, make, local }],
  planes: [],
  radius,
});

/** What a shape is drawn of. */
export function parts(shape: Shape): Parts {
  switch (shape.type) {
    case "half_space":
      return { pieces: [], planes: [{ normal: shape.normal, planar: false }], radius: 0 };
    case "half_plane":
      return { pieces: [], planes: [{ normal: [...shape.normal, 0], planar: true }], radius: 0 };
    case "ball": {
      const r = shape.radius;
      return one("ball", () => new THREE.SphereGeometry(1, 32, 20), r, scaled(r, r, r));
    }
    case "ellipsoid": {
      const [x, y, z] = shape.semi_axes;
      return one("ball", () => new THREE.SphereGeometry(1, 32, 20), Math.max(x, y, z), scaled(x, y, z));
    }
    case "box": {
      const [x, y, z] = shape.half;
      return one("box", () => new THREE.BoxGeometry(2, 2, 2), Math.hypot(x, y, z), scaled(x, y, z));
    }
    case "cylinder": {
      const { radius: r, half_height: h } = shape;
      return one("cylinder", () => along(new THREE.CylinderGeometry(1, 1, 2, 40)), Math.hypot(r, h), scaled(r, r, h));
    }
    case "capsule": {
      const { radius: r, half_length: l } = shape;
      return one(`capsule ${r} ${l}`, () => along(new THREE.CapsuleGeometry(r, 2 * l, 12, 28)), r + l);
    }
    case "disc": {
      const r = shape.radius;
      return one("disc", () => flat(circle(1)), r, scaled(r, r, 1));
    }
    case "planar_capsule":
      return one(
        `stadium ${shape.radius} ${shape.half_length}`,
        () => flat(stadium(shape.half_length, shape.radius)),
        shape.radius + shape.half_length,
      );
    case "polygon":
      return one(
        JSON.stringify(shape.vertices),
        () => flat(new THREE.Shape(shape.vertices.map(([x, y]) => new THREE.Vector2(x, y)))),
        Math.max(...shape.vertices.map(([x, y]) => Math.hypot(x, y))),
      );
    case "polytope":
      return one(
        JSON.stringify(shape.vertices),
        () => polytope(shape.vertices, shape.faces),
        shape.vertices.reduce((m, v) => Math.max(m, Math.hypot(...v)), 0),
      );
    case "mesh":
      return one(
        `mesh ${shape.triangles.length} ${JSON.stringify(shape.triangles[0] ?? [])}`,
        () => triangles(shape.triangles),
        shape.triangles.flat().reduce((m, v) => Math.max(m, Math.hypot(...v)), 0),
      );
    case "compound": {
      const all: Parts = { pieces: [], planes: [], radius: 0 };
      for (const part of shape.parts) {
        const inner = parts(part.shape);
        const at = place(part.position, part.orientation, [1, 1, 1]);
        for (const piece of inner.pieces) all.pieces.push({ ...piece, local: at.clone().multiply(piece.local) });
        all.radius = Math.max(all.radius, Math.hypot(...part.position) + inner.radius);
      }
      return all;
    }
  }
}

function flat(shape: THREE.Shape): THREE.BufferGeometry {
  return new THREE.ShapeGeometry(shape, 24);
}

function circle(radius: number): THREE.Shape {
  // A notch of a spoke would show how it turns; an arc alone does not. The disc is drawn whole, its edge line has the spoke.
  return new THREE.Shape().absarc(0, 0, radius, 0, 2 * Math.PI, false);
}

function stadium(half: number, radius: number): THREE.Shape {
  const shape = new THREE.Shape();
  shape.absarc(half, 0, radius, -Math.PI / 2, Math.PI / 2, false);
  shape.absarc(-half, 0, radius, Math.PI / 2, (3 * Math.PI) / 2, false);
  return shape;
}

function polytope(vertices: Vec3[], faces: number[][]): THREE.BufferGeometry {
  const soup: Vec3[] = [];
  const origin: Vec3 = [0, 0, 0];
  for (const face of faces) {
    for (let k = 1; k + 1 < face.length; k += 1) {
      for (const corner of [face[0], face[k], face[k + 1]]) soup.push(vertices[corner ?? 0] ?? origin);
    }
  }
  return fromSoup(soup);
}

function triangles(all: [Vec3, Vec3, Vec3][]): THREE.BufferGeometry {
  return fromSoup(all.flat());
}

/** Corners three by three, each face with a normal of its own. */
function fromSoup(corners: Vec3[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners.flat(), 3));
  geometry.computeVertexNormals();
  return geometry;
}
