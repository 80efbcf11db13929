/** An answer of `stiction stand`: its views, each forces or a motion, as frames of the picture. Pure functions: tested without a browser. */

import { BODY_WORDS, type Frame, packContacts, packPoses } from "./frame.ts";
import type { ContactRecord, Poses, Vec3, World } from "./messages.ts";

/** What stands in a page of `stiction stand -o page.html`, in the element `stiction-stand`. */
export interface StandData {
  format: number;
  /** The report as the tool prints it. */
  words: string;
  report: Report;
  world: World;
  poses: Poses;
}

/** The parts of a report that are shown; docs/reference/stand-file.md has all of it. */
export interface Report {
  scene: string;
  planar: boolean;
  gravity: Vec3;
  verdict: "stands" | "falls" | "may_fall" | "undecided";
  /** Whether that holds for the exact pose alone; files written before it was looked for do not say. */
  balances?: boolean;
  reason: string | null;
  bodies: { name: string; center: Vec3; mass?: number; load?: number[] }[];
  contacts: { a: number; b: number; point: Vec3; normal: Vec3; tangents: [Vec3, Vec3]; friction: number | "inf"; joint?: string }[];
  evidence: { forces?: Forces; mechanism?: Mechanism };
  motion: (Forces & Mechanism & { speed: number; step: number }) | null;
  margins: Margin[];
  region?: Region;
}

export interface Forces {
  /** Of each contact: normal force, then friction along the tangents [N]. */
  contacts: number[][];
}

export interface Mechanism {
  /** Of each body that can move: velocity, then angular velocity. */
  velocity: number[][];
  pairs: PairMotion[];
}

export interface PairMotion {
  a: number;
  b: number;
  motion: "hinge" | "slider" | "opens";
}

export interface Margin {
  kind: "tilt" | "acceleration" | "load";
  name: string;
  axis?: Vec3;
  body?: number;
  low: number | null;
  high: number | null;
  degrees?: { low: number | null; found: number | null; high: number | null };
  forces: Forces | null;
  mechanism: Mechanism | null;
  found: { rests: number; moves: number | null } | null;
}

export interface Region {
  axes: [Vec3, Vec3];
  inner: { at: [number, number] }[];
  outer: { normal: [number, number]; offset: number }[];
  radius: { low: number; high: number | null };
}

/** Something to look at: forces at rest, a motion, or both. */
export interface StandView {
  label: string;
  forces: Forces | null;
  mechanism: Mechanism | null;
  /** Whether rest and motion are two lawful answers. */
  both: boolean;
  /** How gravity leans: tan of the angle, and towards where. */
  lean: { tan: number; towards: Vec3 } | null;
}

/** What can be looked at of a report, the most telling first. */
export function viewsOf(report: Report): StandView[] {
  const { evidence, motion, verdict } = report;
  const still = { mechanism: null, both: false, lean: null };
  const views: StandView[] = [];
  const resting = evidence.forces ?? null;
  if (verdict === "may_fall" && motion) views.push({ label: "both answers", forces: resting, mechanism: motion, both: true, lean: null });
  if (resting) views.push({ ...still, label: "forces at rest", forces: resting });
  if (evidence.mechanism) views.push({ ...still, label: "the proof that it falls", forces: null, mechanism: evidence.mechanism });
  if (verdict === "falls" && motion) views.push({ ...still, label: "how it begins to fall", forces: motion, mechanism: motion });
  for (const margin of report.margins) {
    const name = `${margin.kind} ${margin.name}`;
    const towards = margin.axis ?? null;
    const lean = (tan: number | null) => (margin.kind === "tilt" && towards && tan !== null ? { tan, towards } : null);
    if (margin.forces) views.push({ ...still, label: `${name}: forces at ${amount(margin, margin.low)}`, forces: margin.forces, lean: lean(margin.low) });
    if (margin.mechanism) {
      views.push({ ...still, label: `${name}: fails at ${amount(margin, margin.high)}`, forces: margin.forces, mechanism: margin.mechanism, lean: lean(margin.high) });
    }
  }
  return views;
}

/** λ as it is said: an angle, or so many times the load. */
export function amount({ kind }: Margin, lambda: number | null): string {
  if (lambda === null) return "no end";
  if (kind === "acceleration") return `${digits(lambda)} g`;
  return kind === "tilt" ? `${digits((Math.atan(lambda) * 180) / Math.PI)}°` : `${digits(lambda)} times`;
}

/** Four digits. */
export function digits(x: number): string {
  return x === 0 ? "0" : String(Number(x.toPrecision(4))).replaceAll("-", "−");
}

/** The bodies that can move, in the order of the velocities, as numbers of the world's bodies. */
export function moversOf(report: Report, world: World): number[] {
  const numbers = new Map(world.bodies.map((b, i) => [b.name, i]));
  return report.bodies.filter((b) => b.load !== undefined).map((b) => numbers.get(b.name) ?? -1);
}

/** Velocity and angular velocity of a body in space; those of a planar world have three entries. */
export function twist(velocity: readonly number[], planar: boolean): [Vec3, Vec3] {
  const at = (k: number) => velocity[k] ?? 0;
  return planar ? [[at(0), at(1), 0], [0, 0, at(2)]] : [[at(0), at(1), at(2)], [at(3), at(4), at(5)]];
}

/** Largest way of a point of a body for a unit of a motion: its centre's, or what turns farthest out. */
export function reachOf(mechanism: Mechanism, radii: readonly number[], movers: readonly number[], planar: boolean): number {
  return mechanism.velocity.reduce((most, velocity, k) => {
    const [v, w] = twist(velocity, planar);
    return Math.max(most, Math.hypot(...v) + Math.hypot(...w) * (radii[movers[k] ?? -1] ?? 0));
  }, 0);
}

/** Poses after an amount of a motion: each body by its velocity, turned about its centre of mass. */
export function moved(poses: Float32Array, mechanism: Mechanism, movers: readonly number[], { by, planar }: { by: number; planar: boolean }): Float32Array {
  const out = poses.slice();
  mechanism.velocity.forEach((velocity, k) => {
    const at = BODY_WORDS * (movers[k] ?? -1);
    if (at < 0) return;
    const [v, w] = twist(velocity, planar);
    for (const i of [0, 1, 2]) out[at + i] = (poses[at + i] ?? 0) + by * (v[i] ?? 0);
    const angle = by * Math.hypot(...w);
    if (angle === 0) return;
    const half = Math.sin(angle / 2) / (Math.hypot(...w) || 1);
    const [x, y, z, c] = [w[0] * half, w[1] * half, w[2] * half, Math.cos(angle / 2)];
    const q = (i: number) => poses[at + 3 + i] ?? 0;
    out[at + 3] = c * q(0) + x * q(3) + y * q(2) - z * q(1);
    out[at + 4] = c * q(1) - x * q(2) + y * q(3) + z * q(0);
    out[at + 5] = c * q(2) + x * q(1) - y * q(0) + z * q(3);
    out[at + 6] = c * q(3) - x * q(0) - y * q(1) - z * q(2);
  });
  return out;
}

/** Contacts with the forces of an answer, as a frame has them. */
export function frameOf(data: StandData, forces: Forces | null): Frame {
  const { report, world, poses } = data;
  const numbers = new Map(world.bodies.map((b, i) => [b.name, i]));
  const contacts = forces === null ? [] : report.contacts.flatMap((c, j): ContactRecord[] => (c.joint === undefined ? [contactOf(report, c, forces.contacts[j] ?? [])] : []));
  const packed = forces === null ? null : packContacts({ time: poses.time, step: poses.step, contacts }, numbers);
  return { time: poses.time, step: poses.step, world, bodies: packPoses(poses), contacts: packed, stats: null };
}

/** From here on friction counts as all that there is. */
const AT_LIMIT = 1 - 1e-6;

function contactOf(report: Report, c: Report["contacts"][0], force: readonly number[]): ContactRecord {
  const [n, x, y] = [force[0] ?? 0, force[1] ?? 0, force[2] ?? 0];
  const friction = c.tangents[0].map((t, k) => x * t + y * (c.tangents[1][k] ?? 0)) as Vec3;
  const mu = c.friction === "inf" ? null : c.friction;
  const isFull = mu !== null && Math.hypot(x, y) >= AT_LIMIT * mu * n;
  return {
    a: report.bodies[c.a]?.name ?? "",
    b: report.bodies[c.b]?.name ?? "",
    point: c.point,
    normal: c.normal,
    gap: 0,
    normal_force: n,
    friction_force: friction,
    state: n <= 0 ? "separating" : isFull && mu > 0 ? "sliding" : "sticking",
    friction: mu,
    slip_speed: null,
    residual: null,
    unique: null,
  };
}

/** Where two bodies turn or slide on each other in a mechanism. */
export interface Joint {
  motion: PairMotion["motion"];
  names: [string, string];
  /** Numbers of the bodies in the world. */
  bodies: [number, number];
  /** Points that stay closed; of a pair that opens, all of them. */
  points: Vec3[];
  normal: Vec3;
  /** Velocity of a against b where they slide. */
  slip: Vec3;
}

/** Contacts that open slower than this part of the fastest stay closed. */
const STAYS = 1e-5;

/** The hinges, sliders and openings of a mechanism with their places. */
export function jointsOf(report: Report, mechanism: Mechanism, world: World): Joint[] {
  const numbers = new Map(world.bodies.map((b, i) => [b.name, i]));
  const free = report.bodies.map((b) => b.load !== undefined);
  const place = free.map((_, k) => free.slice(0, k).filter(Boolean).length);
  const velocityAt = (body: number, point: Vec3): Vec3 => {
    const velocity = free[body] ? mechanism.velocity[place[body] ?? -1] : undefined;
    if (!velocity) return [0, 0, 0];
    const [v, w] = twist(velocity, report.planar);
    const r = point.map((x, k) => x - (report.bodies[body]?.center[k] ?? 0)) as Vec3;
    return [v[0] + w[1] * r[2] - w[2] * r[1], v[1] + w[2] * r[0] - w[0] * r[2], v[2] + w[0] * r[1] - w[1] * r[0]];
  };
  const slips = report.contacts.map((c) => velocityAt(c.a, c.point).map((x, k) => x - (velocityAt(c.b, c.point)[k] ?? 0)) as Vec3);
  const dot = (p: Vec3, q: Vec3) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  const opening = report.contacts.map((c, j) => dot(c.normal, slips[j] ?? [0, 0, 0]));
  const fastest = Math.max(0, ...slips.map((u) => Math.hypot(...u)));
  return mechanism.pairs.map((pair) => {
    const all = report.contacts.flatMap((c, j) => {
      const isTheirs = (c.a === pair.a && c.b === pair.b) || (c.a === pair.b && c.b === pair.a);
      // Ends of the range of a joint are contacts too, but lie nowhere.
      return isTheirs && c.joint === undefined ? [j] : [];
    });
    const closed = all.filter((j) => (opening[j] ?? 0) <= STAYS * fastest);
    // Of a few that open slowly, the slowest is nearest to the hinge.
    const least = Math.min(...all.map((j) => opening[j] ?? 0));
    const shown = pair.motion === "opens" ? all : closed.length > 0 ? closed : all.filter((j) => (opening[j] ?? 0) <= least + 1e-9 * fastest);
    const first = report.contacts[shown[0] ?? -1];
    const name = (k: number) => report.bodies[k]?.name ?? "?";
    const bodies: [number, number] = first ? [first.a, first.b] : [pair.a, pair.b];
    // Told of the body that can move.
    const turned = !free[bodies[0]];
    const slip = slips[shown[0] ?? -1] ?? [0, 0, 0];
    if (turned) bodies.reverse();
    return {
      motion: pair.motion,
      names: bodies.map(name) as [string, string],
      bodies: bodies.map((k) => numbers.get(name(k)) ?? -1) as [number, number],
      points: shown.map((j) => report.contacts[j]?.point ?? [0, 0, 0]),
      normal: first?.normal ?? [0, 0, 1],
      slip: turned ? (slip.map((x) => -x || 0) as Vec3) : slip,
    };
  });
}

/** The corners of the polygon that half-planes n·x ≤ offset leave, cut at a distance where they leave no end. */
export function outerCorners(edges: Region["outer"], far: number): [number, number][] {
  const box: Region["outer"] = [[1, 0], [0, 1], [-1, 0], [0, -1]].map((n) => ({ normal: n as [number, number], offset: far }));
  let corners: [number, number][] = [[-far, -far], [far, -far], [far, far], [-far, far]];
  for (const { normal, offset } of [...box, ...edges]) corners = clipped(corners, normal, offset);
  return corners;
}

/** The part of a polygon on the inner side of a line. */
function clipped(corners: [number, number][], [nx, ny]: [number, number], offset: number): [number, number][] {
  const beyond = ([x, y]: [number, number]) => nx * x + ny * y - offset;
  return corners.flatMap((p, k) => {
    const q = corners[(k + 1) % corners.length] ?? p;
    const [dp, dq] = [beyond(p), beyond(q)];
    const kept = dp <= 0 ? [p] : [];
    if (dp <= 0 === dq <= 0) return kept;
    const part = dp / (dp - dq);
    return [...kept, [p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])] as [number, number]];
  });
}

/** The lines of a report: what stands first in each, and the rest. */
export function linesOf(words: string): [string, string][] {
  return words
    .trimEnd()
    .split("\n")
    .map((line): [string, string] => {
      const found = /^(.{0,12}?\S?) {2,}(.*)$/.exec(line) ?? /^( {13})(.*)$/.exec(line);
      return found ? [(found[1] ?? "").trim(), found[2] ?? ""] : ["", line];
    });
}
