/** Who holds what and by how much: contacts gathered by pairs of bodies, as `stiction why` has them (crates/stand), from what a frame holds. Pure functions. */

import { BODY_WORDS, type Contact, type ContactList, type Frame, isTurned } from "./frame.ts";
import type { Explained, State, Vec3, World } from "./messages.ts";
import { figure, hasCone, metres, newtons, percent } from "./words.ts";

export type PairState = "apart" | "touching" | "sticking" | "sliding" | "partly_sliding";

/** Two bodies that touch. */
export interface Pair {
  /** Pushed along `normal`, and the other: numbers of bodies. */
  a: number;
  b: number;
  /** Numbers of the contacts between them. */
  contacts: number[];
  /** Sum of the normal forces, size of the sum of friction, most that friction can hold; null where nothing limits it [N]. */
  normalForce: number;
  frictionForce: number;
  limit: number | null;
  /** Friction as a share of the limit. */
  used: number | null;
  state: PairState;
  slipSpeed: number | null;
  /** Which forces go with the motion: the only ones, some of many; null where it was not looked for. */
  unique: boolean | null;
  /** Force on a, centre of pressure, common normal from b to a; null where there are several. */
  force: Vec3;
  point: Vec3 | null;
  normal: Vec3 | null;
}

/** How far a pair is from slipping and from tipping: forces along the surface [N], angles [degrees]. */
export interface Margins {
  slip: { force: number; angle: number } | null;
  /** Share of the way from the middle out to the edge; force and angle where the pair alone carries something. */
  tip: { used: number; distance: number; force: number | null; angle: number | null } | null;
  /** Bodies that this pair alone carries. */
  carries: number[];
}

/** Forces below this share of the largest are rounding; so are sums of friction below this share of what presses: numbers have seven digits here. */
const ROUNDING = 1e-9;
const DIGITS = 3e-7;
/** Normals whose product is at least this are one. */
const ONE_NORMAL = 1 - 1e-6;

const dot = (p: Vec3, q: Vec3): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const minus = (p: Vec3, q: Vec3): Vec3 => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const plus = (p: Vec3, q: Vec3, by = 1): Vec3 => [p[0] + by * q[0], p[1] + by * q[1], p[2] + by * q[2]];
const cross = (p: Vec3, q: Vec3): Vec3 => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
const size = (p: Vec3): number => Math.hypot(p[0], p[1], p[2]);

/** Sums of a pair while its contacts are gathered. */
interface Sums {
  pair: Pair;
  limit: number;
  rubbed: number;
  friction: Vec3;
  moment: Vec3;
  states: Set<State | "touching">;
}

/** The pairs of some contacts, in their order. */
export function pairsOf(list: ContactList | null, world: World): Pair[] {
  const all = Array.from({ length: list?.count ?? 0 }, (_, i) => list?.get(i) as Contact);
  const scale = all.reduce((m, c) => Math.max(m, c.normalForce), 0);
  const found = new Map<string, Sums>();
  all.forEach((c, i) => {
    const name = c.a < c.b ? `${c.a} ${c.b}` : `${c.b} ${c.a}`;
    const sums = found.get(name) ?? begin(c, world);
    found.set(name, sums);
    gather(sums, c, i, scale, world);
  });
  return [...found.values()].map((sums) => finish(sums, scale, world));
}

function begin(c: Contact, world: World): Sums {
  const turn = isTurned(world, c.a, c.b, c.normal);
  const pair: Pair = {
    a: turn ? c.b : c.a,
    b: turn ? c.a : c.b,
    contacts: [],
    normalForce: 0,
    frictionForce: 0,
    limit: null,
    used: null,
    state: "apart",
    slipSpeed: null,
    unique: true,
    force: [0, 0, 0],
    point: null,
    normal: turn ? [-c.normal[0], -c.normal[1], -c.normal[2]] : c.normal,
  };
  return { pair, limit: 0, rubbed: 0, friction: [0, 0, 0], moment: [0, 0, 0], states: new Set() };
}

function gather(sums: Sums, c: Contact, i: number, scale: number, world: World): void {
  const { pair } = sums;
  const sign = c.a === pair.a ? 1 : -1;
  pair.contacts.push(i);
  pair.normalForce += c.normalForce;
  sums.friction = plus(sums.friction, c.frictionForce, sign);
  pair.force = plus(plus(pair.force, c.normal, sign * c.normalForce), c.frictionForce, sign);
  sums.moment = plus(sums.moment, c.point, c.normalForce);
  sums.rubbed += size(c.frictionForce);
  sums.limit += c.normalForce > 0 ? (c.mu ?? Infinity) * c.normalForce : 0;
  if (pair.normal && sign * dot(pair.normal, c.normal) < ONE_NORMAL) pair.normal = null;
  const loaded = c.normalForce > ROUNDING * scale || world.law === "no-slip";
  if (c.state !== "separating") sums.states.add(loaded ? c.state : "touching");
  else if (Math.abs(c.gap) < 1e-6) sums.states.add("touching");
  if (c.state === "separating") return;
  if (c.state === "sliding" && c.slipSpeed !== null) pair.slipSpeed = Math.max(pair.slipSpeed ?? 0, c.slipSpeed);
  if (c.unique === null && pair.unique === true) pair.unique = null;
  if (c.unique === false) pair.unique = false;
}

function finish({ pair, limit, rubbed, friction, moment, states }: Sums, scale: number, world: World): Pair {
  const tidy = (x: number) => (Math.abs(x) <= ROUNDING * scale ? 0 : x);
  const sticks = states.has("sticking");
  const slides = states.has("sliding");
  pair.state = sticks ? (slides ? "partly_sliding" : "sticking") : slides ? "sliding" : states.has("touching") ? "touching" : "apart";
  pair.normalForce = tidy(pair.normalForce);
  pair.frictionForce = size(friction) <= DIGITS * Math.max(pair.normalForce, rubbed) ? 0 : tidy(size(friction));
  if (pair.normalForce > 0) pair.point = moment.map((x) => x / pair.normalForce) as Vec3;
  if (Number.isFinite(limit) && hasCone(world.law)) {
    pair.limit = limit;
    if (limit > 0) pair.used = Math.min((pair.state === "sliding" ? rubbed : pair.frictionForce) / limit, 1);
  }
  return pair;
}

/** The pairs that press, those that use most of their friction first, then by force; then the others. */
export function ranked(pairs: readonly Pair[]): Pair[] {
  const rank = (p: Pair) => (p.normalForce > 0 ? 1 + (p.used ?? 0) : 0);
  return [...pairs].sort((p, q) => rank(q) - rank(p) || q.normalForce - p.normalForce);
}

/** A side of a support polygon: a point on it, the way out, how far the polygon reaches across. */
interface Side {
  at: Vec3;
  outward: Vec3;
  width: number;
}

/** Two directions across a unit vector. */
function across(n: Vec3): [Vec3, Vec3] {
  const k = Math.abs(n[0]) < 0.6 ? ([1, 0, 0] as Vec3) : ([0, 1, 0] as Vec3);
  const first = cross(n, k);
  const length = size(first);
  const t = first.map((x) => x / length) as Vec3;
  return [t, cross(n, t)];
}

/** The convex hull of points in a plane, counterclockwise seen against its normal; Andrew's monotone chain. */
export function hullOf(points: readonly Vec3[], normal: Vec3): Vec3[] {
  const [first] = points;
  if (!first) return [];
  const [t1, t2] = across(normal);
  const flat = points.map((p): [number, number] => [dot(minus(p, first), t1), dot(minus(p, first), t2)]);
  flat.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const extent = Math.max(...flat.flat().map(Math.abs));
  const area = (o: number[], p: number[], q: number[]) => ((p[0] ?? 0) - (o[0] ?? 0)) * ((q[1] ?? 0) - (o[1] ?? 0)) - ((p[1] ?? 0) - (o[1] ?? 0)) * ((q[0] ?? 0) - (o[0] ?? 0));
  const chain = (from: [number, number][]) => {
    const half: [number, number][] = [];
    for (const p of from) {
      while (half.length > 1 && area(half.at(-2) ?? p, half.at(-1) ?? p, p) <= 1e-6 * extent * extent) half.pop();
      half.push(p);
    }
    return half.slice(0, -1);
  };
  const hull = [...chain(flat), ...chain([...flat].reverse())];
  return hull.map(([x, y]) => plus(plus(first, t1, x), t2, y));
}

function sidesOf(points: readonly Vec3[], normal: Vec3, planar: boolean): Side[] {
  if (planar) return endsOf(points, normal);
  const hull = hullOf(points, normal);
  if (hull.length < 3) return [];
  return hull.map((p, k) => {
    const out = cross(minus(hull[(k + 1) % hull.length] ?? p, p), normal);
    const outward = out.map((x) => x / size(out)) as Vec3;
    return { at: p, outward, width: Math.max(...hull.map((q) => dot(minus(p, q), outward))) };
  });
}

function endsOf(points: readonly Vec3[], normal: Vec3): Side[] {
  const along: Vec3 = [normal[1], -normal[0], 0];
  const sorted = [...points].sort((p, q) => dot(p, along) - dot(q, along));
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high) return [];
  const width = dot(minus(high, low), along);
  if (width <= 1e-9) return [];
  return [
    { at: low, outward: [-along[0], -along[1], 0], width },
    { at: high, outward: along, width },
  ];
}

/** Margins of a pair. */
export function marginsOf(pair: Pair, pairs: readonly Pair[], frame: Frame): Margins {
  const carries = carriedBy(pair, pairs, frame.world);
  return { slip: slipOf(pair), tip: tipOf(pair, carries, frame), carries };
}

const degrees = (x: number): number => (x * 180) / Math.PI;

function slipOf({ limit, normal, normalForce, frictionForce, state }: Pair): Margins["slip"] {
  if (limit === null || !normal || normalForce <= 0) return null;
  if (state === "sliding") return { force: 0, angle: 0 };
  const angle = degrees(Math.atan2(limit, normalForce) - Math.atan2(frictionForce, normalForce));
  return { force: Math.max(limit - frictionForce, 0), angle: Math.max(angle, 0) };
}

function tipOf(pair: Pair, carries: number[], frame: Frame): Margins["tip"] {
  const { normal, point, contacts } = pair;
  if (!normal || !point) return null;
  const list = contacts.map((i) => frame.contacts?.get(i)).filter((c) => c !== undefined);
  const closed = list.filter((c) => c.state !== "separating" || Math.abs(c.gap) < 1e-6).map((c) => c.point);
  const centre = centreOf(carries, frame);
  const up = carries.includes(pair.a) ? 1 : -1;
  const height = centre ? up * dot(minus(centre, point), normal) : -1;
  let tip: Margins["tip"] = null;
  for (const side of sidesOf(closed, normal, frame.world.planar)) {
    const distance = Math.max(dot(minus(side.at, point), side.outward), 0);
    const used = Math.min(Math.max(1 - (2 * distance) / side.width, 0), 1);
    tip ??= { used, distance, force: null, angle: null };
    if (distance < tip.distance) [tip.distance, tip.used] = [distance, used];
    if (!centre || height <= 0) continue;
    const out = dot(minus(point, centre), side.outward);
    const angle = degrees(Math.atan2(out + distance, height) - Math.atan2(out, height));
    tip.force = Math.min(tip.force ?? Infinity, (pair.normalForce * distance) / height);
    tip.angle = Math.min(tip.angle ?? Infinity, angle);
  }
  return tip;
}

/** The centre of mass of some bodies. */
function centreOf(bodies: number[], frame: Frame): Vec3 | null {
  let [mass, moment] = [0, [0, 0, 0] as Vec3];
  for (const i of bodies) {
    const m = frame.world.bodies[i]?.mass ?? 0;
    const at = frame.bodies.subarray(i * BODY_WORDS, i * BODY_WORDS + 3);
    mass += m;
    moment = plus(moment, [at[0] ?? 0, at[1] ?? 0, at[2] ?? 0], m);
  }
  return mass > 0 ? (moment.map((x) => x / mass) as Vec3) : null;
}

/** What would fall without a pair: the bodies on one side of it that nothing else holds. */
function carriedBy(pair: Pair, pairs: readonly Pair[], world: World): number[] {
  if (pair.normalForce <= 0) return [];
  const next = new Map<number, number[]>();
  const join = (p: number, q: number) => {
    for (const [from, to] of [[p, q], [q, p]] as const) next.set(from, [...(next.get(from) ?? []), to]);
  };
  for (const other of pairs) if (other !== pair && other.normalForce > 0) join(other.a, other.b);
  const numbers = new Map(world.bodies.map((b, i) => [b.name, i]));
  for (const joint of world.joints) join(numbers.get(joint.a) ?? -1, numbers.get(joint.b) ?? -1);
  const isFree = (i: number) => world.bodies[i]?.kind === "dynamic";
  for (const [start, other] of [[pair.a, pair.b], [pair.b, pair.a]] as const) {
    const seen = new Set([start]);
    const held = [...reach(seen, next)].some((i) => !isFree(i) || i === other);
    if (!held) return [...seen].sort((i, j) => i - j);
  }
  return [];
}

/** Adds to a set all that hangs together with it. */
function reach(seen: Set<number>, next: Map<number, number[]>): Set<number> {
  // A set grows while it is walked, and what is added is walked too.
  for (const body of seen) for (const other of next.get(body) ?? []) seen.add(other);
  return seen;
}

/** What a pair does in a few letters. */
export const PAIR_WORD: Record<PairState, string> = {
  apart: "apart",
  touching: "touches",
  sticking: "sticks",
  sliding: "slides",
  partly_sliding: "slides in part",
};

/** What a pair does and how far it is from doing otherwise, in a sentence or two. */
export function pairSentence(pair: Pair, { slip, tip, carries }: Margins, world: World): string {
  const isFirst = carries.length > 0 ? carries.includes(pair.a) : world.bodies[pair.a]?.kind === "dynamic";
  const name = (i: number) => world.bodies[i]?.name ?? "?";
  const [subject, other] = isFirst ? [name(pair.a), name(pair.b)] : [name(pair.b), name(pair.a)];
  if (pair.state === "apart") return `${subject} and ${other} are about to meet or have just come apart: nothing presses.`;
  if (pair.state === "touching") return `${subject} touches ${other}, and nothing presses.`;
  const many = pair.unique === false ? " Other forces at its contacts give the same motion." : "";
  if (pair.state === "sliding") return slides(pair, subject, other) + many;
  return `${sticks(pair, subject, other)}${margin(pair, slip, tip)}.${many}`;
}

function slides({ slipSpeed, limit, frictionForce }: Pair, subject: string, other: string): string {
  const speed = slipSpeed ? ` at ${figure(slipSpeed)} m/s` : "";
  if (limit === null) return `${subject} slides on ${other}${speed} against ${newtons(frictionForce)} of friction.`;
  if (limit === 0) return `${subject} slides on ${other}${speed} without friction.`;
  return `${subject} ${frictionForce < 0.5 * limit ? "turns" : "slides"} on ${other}${speed}: friction is at its limit of ${newtons(limit)}.`;
}

function sticks({ state, limit, used, frictionForce }: Pair, subject: string, other: string): string {
  const how = state === "partly_sliding" ? "slides in part on" : "sticks to";
  if (limit === null) return `${subject} ${how} ${other} with ${newtons(frictionForce)} of friction; no limit is known`;
  if (limit === 0) return `${subject} rests on ${other} without friction`;
  if (frictionForce === 0) return `${subject} ${how} ${other}: nothing pushes along the surface, and friction could hold ${newtons(limit)}`;
  return `${subject} ${how} ${other} with ${newtons(frictionForce)} of the ${newtons(limit)} that friction can hold, ${percent(used ?? 0)}`;
}

function margin({ state }: Pair, slip: Margins["slip"], tip: Margins["tip"]): string {
  const at = (m: { force: number; angle: number }) => `at ${newtons(m.force)} or ${figure(m.angle)}° more`;
  const slipping = state === "sticking" ? slip : null;
  const tipping = tip && tip.force !== null && tip.angle !== null ? { force: tip.force, angle: tip.angle } : null;
  if (slipping && tipping) {
    const [slides, tips] = [`slides ${at(slipping)}`, `tips ${at(tipping)}`];
    return slipping.angle <= tipping.angle ? `; it ${slides}, before it ${tips}` : `; it ${tips}, before it ${slides}`;
  }
  if (slipping) {
    const out = tip ? `; the centre of pressure is ${percent(tip.used)} of the distance to the edge` : "";
    return `; it slides ${at(slipping)}${out}`;
  }
  return tipping ? `; it tips ${at(tipping)}` : "";
}

/** Which forces are known, and what the others could be. */
export function knownRows({ known, normal_range, friction_range, points }: NonNullable<Explained["pair"]>): [string, string][] {
  const between = ({ low, high }: { low: number | null; high: number | null }) => {
    // An end is rounding of the other.
    const from = low !== null && Math.abs(low) < 1e-6 * (high ?? 1) ? 0 : low;
    return `${from === null ? "−∞" : figure(from)} … ${high === null ? "∞" : newtons(high)}`;
  };
  const said = { all: "each force", sum: "sum, not split", none: "no" } as const;
  const rows: [string, string][] = [["known", known === null ? "not looked for" : said[known]]];
  if (normal_range) rows.push(["N could be", between(normal_range)]);
  if (friction_range) rows.push(["F could be", between(friction_range)]);
  const ranges = points.flatMap((p) => (p.normal_range ? [p.normal_range] : []));
  if (!normal_range && ranges.length > 0) {
    const low = Math.min(...ranges.map((r) => r.low ?? -Infinity));
    rows.push(["one contact", between({ low, high: ranges.some((r) => r.high === null) ? null : Math.max(...ranges.map((r) => r.high ?? 0)) })]);
  }
  return rows;
}

/** What stands beside the table for the pair that is selected. */
export function pairRows(pair: Pair, { slip, tip }: Margins): [string, string][] {
  const rows: [string, string][] = [
    ["normal N", newtons(pair.normalForce)],
    ["friction F", newtons(pair.frictionForce)],
    ["limit μN", pair.limit === null ? "∞" : newtons(pair.limit)],
    ["used", pair.used === null ? "–" : percent(pair.used)],
  ];
  if (slip) rows.push(["to slip", `${newtons(slip.force)}, ${figure(slip.angle)}°`]);
  if (tip) rows.push(["to tip", tip.force === null || tip.angle === null ? `${metres(tip.distance)} to edge` : `${newtons(tip.force)}, ${figure(tip.angle)}°`]);
  rows.push(["contacts", String(pair.contacts.length)]);
  rows.push(["unique", pair.unique === null ? "unknown" : pair.unique ? "yes" : "no"]);
  return rows;
}
