/** The joints of a body in words. */

import type { Frame } from "./frame.ts";
import type { Joint, World } from "./messages.ts";
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

function jointWords(joint: Joint, world: World, bodies: Float32Array): string {
  if (joint.kind === "gear" && joint.ratio !== undefined) return `${joint.name}, ratio ${figure(joint.ratio, 4)}`;
  if (joint.kind !== "rope") return joint.name;
  const [rope] = ropesOf({ ...world, joints: [joint] });
  if (!rope) return joint.name;
  const way = wayOf(rope, bodies);
  const length = `${figure(rope.length, 4)} m`;
  return way.taut ? `${joint.name}, taut at ${length}` : `${joint.name}, slack, ${figure(way.length, 4)} of ${length}`;
}
