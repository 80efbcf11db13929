/** Recordings as one piece: undoes what crates/record/src/replay.rs does. */

import { BODY_WORDS, CONTACT_WORDS, ContactList, type Frame } from "./frame.ts";
import type { Stats, World } from "./messages.ts";

export interface Packed {
  format: number;
  name: string;
  worlds: { first: number; world: World }[];
  every: number;
  contacts_every: number;
  times: number[];
  steps: number[];
  contact_counts: number[];
  stats: (Stats | null)[];
  poses: string;
  contacts: string;
}

/** Combines each stretch with the one before, in place: the inverse of what was written. Lengths are in words. */
export function undo(words: Uint32Array, lengths: number[]): void {
  let [before, beforeLength, at] = [0, 0, 0];
  for (const length of lengths) {
    for (let i = 0; i < Math.min(length, beforeLength); i += 1) {
      words[at + i] = (words[at + i] ?? 0) ^ (words[before + i] ?? 0);
    }
    [before, beforeLength, at] = [at, length, at + length];
  }
}

async function unpack(text: string): Promise<Uint32Array> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint32Array(await new Response(stream).arrayBuffer());
}

export class Replay {
  readonly name: string;
  readonly count: number;
  readonly times: number[];
  readonly stats: (Stats | null)[];
  /** Every how many recorded frames one was kept, and its contacts. */
  readonly every: [number, number];

  private constructor(
    private readonly packed: Packed,
    private readonly poses: Uint32Array,
    private readonly contacts: Uint32Array,
    private readonly poseStarts: number[],
    private readonly contactStarts: number[],
    private readonly worlds: number[],
  ) {
    this.name = packed.name;
    this.count = packed.times.length;
    this.times = packed.times;
    this.stats = packed.stats;
    this.every = [packed.every, packed.contacts_every];
  }

  static async read(packed: Packed): Promise<Replay> {
    if (packed.format !== 1) throw new Error(`replay: format must be 1, found ${packed.format}`);
    const worlds: number[] = [];
    const lengths: number[] = [];
    let world = 0;
    for (let i = 0; i < packed.times.length; i += 1) {
      while ((packed.worlds[world + 1]?.first ?? Infinity) <= i) world += 1;
      worlds.push(world);
      lengths.push((packed.worlds[world]?.world.bodies.length ?? 0) * BODY_WORDS);
    }
    const counts = packed.contact_counts.map((n) => Math.max(n, 0) * CONTACT_WORDS);
    const [poses, contacts] = await Promise.all([unpack(packed.poses), unpack(packed.contacts)]);
    undo(poses, lengths);
    undo(
      contacts,
      counts.filter((_, i) => (packed.contact_counts[i] ?? -1) >= 0),
    );
    return new Replay(packed, poses, contacts, starts(lengths), starts(counts), worlds);
  }

  /** The frame of an index; contacts are the last that were kept. */
  frame(index: number): Frame {
    const i = Math.min(Math.max(index, 0), this.count - 1);
    const world = this.packed.worlds[this.worlds[i] ?? 0]?.world;
    if (world === undefined) throw new Error("replay: must hold a world");
    let k = i;
    while (k > 0 && (this.packed.contact_counts[k] ?? -1) < 0 && i - k < this.every[1]) k -= 1;
    const words = this.poses.subarray(this.poseStarts[i], this.poseStarts[i + 1]);
    const has = (this.packed.contact_counts[k] ?? -1) >= 0 && this.worlds[k] === this.worlds[i];
    return {
      time: this.times[i] ?? 0,
      step: this.packed.steps[i] ?? 0,
      world,
      bodies: new Float32Array(words.buffer, words.byteOffset, words.length),
      contacts: has ? new ContactList(this.contacts.subarray(this.contactStarts[k], this.contactStarts[k + 1])) : null,
      stats: this.stats[i] ?? null,
    };
  }

  /** The last frame that is not later than a time. */
  at(time: number): number {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.times[middle] ?? 0) <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function starts(lengths: number[]): number[] {
  const all = [0];
  for (const length of lengths) all.push((all.at(-1) ?? 0) + length);
  return all;
}
