/** Joints: their frames and coordinates as the poses of a frame have them, and in words. */

import { BODY_WORDS, type Frame } from "./frame.ts";
import type { Joint, Quat, Vec3, World } from "./messages.ts";
import { ropesOf, wayOf } from "./ropes.ts";
import { figure } from "./words.ts";

/** Whether a joint acts on a body of a name. */
function actsOn(joint: Joint, name: string): boolean {
  const second: string[] = joint.second ?? [];
  const points = joint.points?.map((p) => p.body) ?? [];
  return [joint.a, joint.b, ...second, ...points].includes(name);
}

/** Kind and words of each joint that acts on a body, the first `most` of them. */
export function jointRows(frame: Frame, body: number, most: number): [string, string][] {
  const { world } = frame;
  const name = world.bodies[body]?.name;
  const joints = name === undefined ? [] : world.joints.filter((joint) => actsOn(joint, name));
  const rows = joints.slice(0, most).map((joint): [string, string] => [joint.kind, jointWords(joint, world, frame.bodies)]);
  if (joints.length > most) rows.push(["joints", `${joints.length - most} more`]);
  return rows;
}

/** A joint by its name with what is known of where it is: "knee, −84° of −150° … −30°". */
export function jointWords(joint: Joint, world: World, bodies: Float32Array): string {
  if (joint.kind === "gear" && joint.ratio !== undefined) return `${joint.name}, ratio ${figure(joint.ratio, 4)}`;
  if (joint.kind === "rope") return ropeWords(joint, world, bodies);
  const numbers = numbersOf(world);
  const placed = placedJoint(joint, numbers);
  const x = placed === null ? null : coordinateOf(placed, bodies);
  return x === null ? joint.name : `${joint.name}, ${coordinateWords(joint, x)}`;
}

function ropeWords(joint: Joint, world: World, bodies: Float32Array): string {
  const [rope] = ropesOf({ ...world, joints: [joint] });
  if (!rope) return joint.name;
  const way = wayOf(rope, bodies);
  const length = `${figure(rope.length, 4)} m`;
  return way.taut ? `${joint.name}, taut at ${length}` : `${joint.name}, slack, ${figure(way.length, 4)} of ${length}`;
}

/** A coordinate with its unit and its range: "−84° of −150 … −30°". */
export function coordinateWords(joint: Joint, x: number): string {
  const turns = joint.kind === "revolute";
  // A tenth of a degree is as much as can be seen, and poses have seven digits.
  const number = (value: number) => (turns ? figure(Math.round((value * 1800) / Math.PI) / 10 || 0, 4) : figure(Math.abs(value) < 1e-6 ? 0 : value));
  const unit = turns ? "°" : " m";
  const [low, high] = joint.limits ?? [null, null];
  if (low === null && high === null) return number(x) + unit;
  return `${number(x)}${unit} of ${low === null ? "−∞" : number(low)} … ${high === null ? "∞" : number(high)}${unit}`;
}

/** Numbers of the bodies by their names. */
export function numbersOf(world: World): Map<string, number> {
  return new Map(world.bodies.map((body, i) => [body.name, i]));
}

/** A joint with the numbers of its bodies and its frames in them. */
export interface Placed {
  joint: Joint;
  a: number;
  b: number;
  frames: [Pose, Pose];
}

export interface Pose {
  position: Vec3;
  turn: Quat;
}

/** A joint that can be drawn; null where its frames are not recorded. */
export function placedJoint(joint: Joint, numbers: Map<string, number>): Placed | null {
  const [a, b] = [numbers.get(joint.a), numbers.get(joint.b)];
  if (!joint.frames || a === undefined || b === undefined) return null;
  const pose = (k: 0 | 1): Pose => {
    const frame = joint.frames?.[k];
    return { position: frame?.position_body ?? [0, 0, 0], turn: frame?.orientation_body ?? [0, 0, 0, 1] };
  };
  return { joint, a, b, frames: [pose(0), pose(1)] };
}

/** q v q* for a unit quaternion. */
export function rotated([qx, qy, qz, qw]: Quat, [x, y, z]: Vec3): Vec3 {
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)];
  return [x + qw * tx + (qy * tz - qz * ty), y + qw * ty + (qz * tx - qx * tz), z + qw * tz + (qx * ty - qy * tx)];
}

function product([ax, ay, az, aw]: Quat, [bx, by, bz, bw]: Quat): Quat {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** A frame of a body in the world. */
export function inWorld(bodies: Float32Array, body: number, frame: Pose): Pose {
  const at = (k: number) => bodies[body * BODY_WORDS + k] ?? 0;
  const turn: Quat = [at(3), at(4), at(5), at(6)];
  const [x, y, z] = rotated(turn, frame.position);
  return { position: [at(0) + x, at(1) + y, at(2) + z], turn: product(turn, frame.turn) };
}

/** The coordinate of a revolute [rad, from −π to π] or prismatic joint [m]; null of other kinds. */
export function coordinateOf({ joint, a, b, frames }: Placed, bodies: Float32Array): number | null {
  const [first, second] = [inWorld(bodies, a, frames[0]), inWorld(bodies, b, frames[1])];
  const [x, y, z, w] = second.turn;
  if (joint.kind === "revolute") {
    const between = product([-x, -y, -z, w], first.turn);
    const half = Math.atan2(between[2], between[3]);
    return 2 * (half - Math.PI * Math.round(half / Math.PI));
  }
  if (joint.kind !== "prismatic") return null;
  const axis = rotated(second.turn, [0, 0, 1]);
  return axis.reduce((sum, d, k) => sum + d * ((first.position[k] ?? 0) - (second.position[k] ?? 0)), 0);
}
