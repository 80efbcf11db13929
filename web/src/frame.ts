/** One moment: poses and contacts as words of 32 bits, in the layout of crates/record/src/replay.rs. */

import type { Contacts, Poses, State, Stats, Vec3, World } from "./messages.ts";

/** Numbers of a body: position, rotation (x, y, z, w), speed, spin. */
export const BODY_WORDS = 9;
/** Numbers of a contact. */
export const CONTACT_WORDS = 17;
export const STATES: State[] = ["separating", "sticking", "sliding"];

const UNIQUE = 4;
const NOT_UNIQUE = 8;

/** A contact taken out of its words. */
export interface Contact {
  a: number;
  b: number;
  state: State;
  unique: boolean | null;
  point: Vec3;
  normal: Vec3;
  gap: number;
  normalForce: number;
  frictionForce: Vec3;
  /** Coefficient; null where it is infinite or not known. */
  mu: number | null;
  slipSpeed: number | null;
  residual: number | null;
}

/** Contacts of a frame. */
export class ContactList {
  readonly floats: Float32Array;
  readonly count: number;

  constructor(readonly words: Uint32Array) {
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.count = Math.floor(words.length / CONTACT_WORDS);
  }

  /** 0 separating, 1 sticking, 2 sliding. */
  state(i: number): number {
    return (this.words[i * CONTACT_WORDS + 2] ?? 0) & 3;
  }

  isNotUnique(i: number): boolean {
    return ((this.words[i * CONTACT_WORDS + 2] ?? 0) & NOT_UNIQUE) !== 0;
  }

  /** Size of the force of a contact [N]. */
  force(i: number): number {
    const f = (k: number) => this.floats[i * CONTACT_WORDS + k] ?? 0;
    return Math.hypot(f(10), f(11), f(12), f(13));
  }

  get(i: number): Contact {
    const at = i * CONTACT_WORDS;
    const f = (k: number) => this.floats[at + k] ?? 0;
    const optional = (k: number) => (Number.isFinite(f(k)) ? f(k) : null);
    const flags = this.words[at + 2] ?? 0;
    return {
      a: this.words[at] ?? 0,
      b: this.words[at + 1] ?? 0,
      state: STATES[flags & 3] ?? "separating",
      unique: flags & UNIQUE ? true : flags & NOT_UNIQUE ? false : null,
      point: [f(3), f(4), f(5)],
      normal: [f(6), f(7), f(8)],
      gap: f(9),
      normalForce: f(10),
      frictionForce: [f(11), f(12), f(13)],
      mu: optional(14),
      slipSpeed: optional(15),
      residual: optional(16),
    };
  }
}

/** Whether a contact is told from the side of b: a does not move, or b lies on a. The force shown is that on the body that rests. */
export function isTurned(world: World, a: number, b: number, normal: readonly number[]): boolean {
  const moves = (i: number) => world.bodies[i]?.kind === "dynamic";
  if (moves(a) !== moves(b)) return moves(b);
  const up = normal.reduce((sum, n, k) => sum - n * (world.gravity[k] ?? 0), 0);
  return up < -1e-9;
}

/** A contact told from the other side. */
export function turned(c: Contact): Contact {
  const minus = (v: Vec3): Vec3 => [-v[0], -v[1], -v[2]];
  return { ...c, a: c.b, b: c.a, normal: minus(c.normal), frictionForce: minus(c.frictionForce) };
}

export interface Frame {
  time: number;
  step: number;
  world: World;
  /** BODY_WORDS numbers a body. */
  bodies: Float32Array;
  contacts: ContactList | null;
  stats: Stats | null;
}

/** Poses of a message as numbers. */
export function packPoses(poses: Poses): Float32Array {
  const packed = new Float32Array(poses.positions.length * BODY_WORDS);
  for (let i = 0; i < poses.positions.length; i += 1) {
    const v = poses.velocities[i] ?? [0, 0, 0, 0, 0, 0];
    packed.set(poses.positions[i] ?? [0, 0, 0], i * BODY_WORDS);
    packed.set(poses.orientations[i] ?? [0, 0, 0, 1], i * BODY_WORDS + 3);
    packed.set([Math.hypot(v[0], v[1], v[2]), Math.hypot(v[3], v[4], v[5])], i * BODY_WORDS + 7);
  }
  return packed;
}

/** Contacts of a message as words. */
export function packContacts(message: Contacts, numbers: Map<string, number>): ContactList {
  const words = new Uint32Array(message.contacts.length * CONTACT_WORDS);
  const floats = new Float32Array(words.buffer);
  message.contacts.forEach((c, i) => {
    const at = i * CONTACT_WORDS;
    words[at] = numbers.get(c.a) ?? 0xffffffff;
    words[at + 1] = numbers.get(c.b) ?? 0xffffffff;
    words[at + 2] = Math.max(0, STATES.indexOf(c.state)) | (c.unique === null ? 0 : c.unique ? UNIQUE : NOT_UNIQUE);
    floats.set(c.point, at + 3);
    floats.set(c.normal, at + 6);
    floats.set([c.gap, c.normal_force], at + 9);
    floats.set(c.friction_force, at + 11);
    floats.set([c.friction ?? NaN, c.slip_speed ?? NaN, c.residual ?? NaN], at + 14);
  });
  return new ContactList(words);
}

/** Poses a part of the way from some to others, into `out`: what is drawn between two moments. */
export function between(from: Float32Array, to: Float32Array, part: number, out: Float32Array): Float32Array {
  for (let at = 0; at < from.length; at += BODY_WORDS) {
    let dot = 0;
    for (let k = 3; k < 7; k += 1) dot += (from[at + k] ?? 0) * (to[at + k] ?? 0);
    // Two quaternions stand for one rotation: the nearer is taken.
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let k = 0; k < BODY_WORDS; k += 1) {
      const end = (to[at + k] ?? 0) * (k >= 3 && k < 7 ? sign : 1);
      const x = (from[at + k] ?? 0) + part * (end - (from[at + k] ?? 0));
      out[at + k] = x;
      if (k >= 3 && k < 7) length += x * x;
    }
    for (let k = 3; k < 7; k += 1) out[at + k] = (out[at + k] ?? 0) / Math.sqrt(length || 1);
  }
  return out;
}
