/** Where frames come from: a live world in the server, or a recording. */

import { between, type Frame, packContacts, packPoses } from "./frame.ts";
import type { AtEnd, Command, Explained, Hello, Poses, Running, ServerMessage, Stats, World } from "./messages.ts";
import type { Replay } from "./replay.ts";

/** Frames of a live world that are kept, so that one can go back, and the most that they take [bytes]. */
const KEPT = 1200;
const KEPT_BYTES = 96 << 20;
/** Moments of a live world farther apart than the first are drawn with others between them, for the second at most [s]. */
const APART: [number, number] = [0.045, 0.4];

/** Frames with a position among them. */
export interface Source {
  readonly live: boolean;
  readonly name: string;
  playing: boolean;
  speed: number;
  /** Index shown and number of frames. */
  index: number;
  readonly count: number;
  frame(): Frame | null;
  /** Figures to be drawn, in order of time. */
  series(): Stats[];
  /** What happens at the end; recordings stop or restart. */
  readonly end: AtEnd;
  setEnd(end: AtEnd): void;
  /** The time at which it ends [s]; null where it goes on. */
  readonly until: number | null;
  /** Poses to be drawn at this instant, where they lie between two frames. */
  poses(): Float32Array | null;
  /** Advances with time [s]; whether there is something new. */
  advance(seconds: number): boolean;
  play(on: boolean): void;
  step(by: 1 | -1): void;
  seek(index: number): void;
  reset(): void;
  setSpeed(speed: number): void;
}

export class Recorded implements Source {
  readonly live = false;
  readonly name: string;
  playing = false;
  speed = 1;
  index = 0;
  end: AtEnd = "stop";
  private time: number;
  private readonly figures: Stats[];
  private mixed = new Float32Array(0);

  constructor(private readonly replay: Replay) {
    this.name = replay.name;
    this.time = replay.times[0] ?? 0;
    this.figures = replay.stats.filter((s): s is Stats => s !== null);
  }

  get count(): number {
    return this.replay.count;
  }

  get every(): [number, number] {
    return this.replay.every;
  }

  frame(): Frame {
    return this.replay.frame(this.index);
  }

  series(): Stats[] {
    return this.figures;
  }

  advance(seconds: number): boolean {
    if (!this.playing) return false;
    const last = this.replay.times.at(-1) ?? 0;
    this.time = Math.min(this.time + seconds * this.speed, last);
    const index = this.replay.at(this.time);
    const isNew = index !== this.index;
    this.index = index;
    if (this.time >= last && this.end === "loop") this.seek(0);
    else if (this.time >= last) this.playing = false;
    return isNew || !this.playing;
  }

  get until(): number {
    return this.replay.times.at(-1) ?? 0;
  }

  setEnd(end: AtEnd): void {
    this.end = end;
  }

  poses(): Float32Array | null {
    const [from, to] = [this.replay.times[this.index] ?? 0, this.replay.times[this.index + 1] ?? 0];
    if (!this.playing || !(to > from)) return null;
    const [first, second] = [this.replay.frame(this.index), this.replay.frame(this.index + 1)];
    if (first.world !== second.world) return null;
    if (this.mixed.length !== first.bodies.length) this.mixed = new Float32Array(first.bodies.length);
    return between(first.bodies, second.bodies, Math.min(Math.max((this.time - from) / (to - from), 0), 1), this.mixed);
  }

  play(on: boolean): void {
    if (on && this.index >= this.count - 1) this.seek(0);
    this.playing = on;
  }

  step(by: 1 | -1): void {
    this.playing = false;
    this.seek(this.index + by);
  }

  seek(index: number): void {
    this.index = Math.min(Math.max(index, 0), this.count - 1);
    this.time = this.replay.times[this.index] ?? 0;
  }

  seekTime(time: number): void {
    this.seek(this.replay.at(time));
  }

  reset(): void {
    this.playing = false;
    this.seek(0);
  }

  /** Some frames from beginning to end. */
  samples(): Frame[] {
    return [0, 0.25, 0.5, 0.75, 1].map((part) => this.replay.frame(Math.round(part * (this.count - 1))));
  }

  setSpeed(speed: number): void {
    this.speed = speed;
  }
}

/** What happens at the other end. */
export interface LiveEvents {
  running(state: Running): void;
  notice(text: string, bad: boolean): void;
  explained(answer: Explained): void;
  closed(reason: string): void;
}

export class Live implements Source {
  readonly live = true;
  name = "";
  laws: Hello["laws"] = [];
  state: Running | null = null;
  index = 0;
  /** Whether the newest frame is shown, whatever comes. */
  private following = true;
  private frames: Frame[] = [];
  private bytes = 0;
  private figures: Stats[] = [];
  private world: World | null = null;
  private numbers = new Map<string, number>();
  private next: Frame | null = null;
  private fresh = false;
  private run = -1;
  private mixed = new Float32Array(0);
  /** When the newest moment came, and how long after the one before [s]. */
  private came: [number, number] = [0, 0];

  constructor(
    private readonly socket: WebSocket,
    private readonly events: LiveEvents,
  ) {
    socket.addEventListener("message", (event) => this.take(JSON.parse(String(event.data)) as ServerMessage));
    socket.addEventListener("close", (event) => events.closed(event.reason || "the connection to the server is closed"));
  }

  get playing(): boolean {
    return this.state?.playing ?? false;
  }

  get speed(): number {
    return this.state?.speed ?? 1;
  }

  get count(): number {
    return this.frames.length;
  }

  get end(): AtEnd {
    return this.state?.end ?? "stop";
  }

  setEnd(value: AtEnd): void {
    this.send({ type: "end", value });
  }

  get until(): number | null {
    return this.state && this.state.end !== "go_on" ? this.state.duration : null;
  }

  /** How long ago the newest moment came [s]. */
  get waited(): number {
    return performance.now() / 1000 - this.came[0];
  }

  /** Moments of a world that is slow are few: what moves is drawn on its way from the last but one to the last. */
  poses(): Float32Array | null {
    const [last, before] = [this.frames.at(-1), this.frames.at(-2)];
    const [, apart] = this.came;
    if (!this.following || !this.playing || !last || before?.world !== last.world || apart < APART[0]) return null;
    const part = this.waited / Math.min(apart, APART[1]);
    if (part >= 1.2) return null;
    if (this.mixed.length !== last.bodies.length) this.mixed = new Float32Array(last.bodies.length);
    return between(before.bodies, last.bodies, Math.min(part, 1), this.mixed);
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.name = message.name;
        this.laws = message.laws;
        break;
      case "state":
        if (message.run !== this.run) this.forget();
        this.run = message.run;
        this.state = message;
        this.events.running(message);
        break;
      case "world":
        this.world = message;
        this.numbers = new Map(message.bodies.map((b, i) => [b.name, i]));
        break;
      case "poses":
        this.begin(message);
        break;
      case "contacts":
        if (this.next) this.next.contacts = packContacts(message, this.numbers);
        break;
      case "stats":
        if (this.next) this.next.stats = message;
        this.add();
        break;
      case "why":
        this.events.explained(message);
        break;
      case "error":
      case "note":
        this.events.notice(message.message, message.type === "error");
        break;
    }
  }

  private forget(): void {
    this.frames = [];
    this.figures = [];
    this.bytes = 0;
    this.index = 0;
    this.following = true;
  }

  private begin(poses: Poses): void {
    if (!this.world) return;
    const { time, step } = poses;
    this.next = { time, step, world: this.world, bodies: packPoses(poses), contacts: null, stats: null };
  }

  private add(): void {
    const frame = this.next;
    if (!frame) return;
    this.next = null;
    // The same step again: contacts may know more than before.
    const last = this.frames.at(-1);
    if (last && last.step === frame.step) {
      this.frames[this.frames.length - 1] = frame;
    } else {
      this.frames.push(frame);
      this.bytes += weight(frame);
      if (frame.stats) this.figures.push(frame.stats);
    }
    while (this.frames.length > KEPT || (this.bytes > KEPT_BYTES && this.frames.length > 2)) {
      const first = this.frames.shift();
      this.figures.shift();
      this.bytes -= first ? weight(first) : 0;
      this.index = Math.max(0, this.index - 1);
    }
    if (this.following) this.index = this.frames.length - 1;
    const now = performance.now() / 1000;
    this.came = [now, now - this.came[0]];
    this.fresh = true;
  }

  frame(): Frame | null {
    return this.frames[this.index] ?? null;
  }

  series(): Stats[] {
    return this.figures;
  }

  advance(): boolean {
    const fresh = this.fresh;
    this.fresh = false;
    return fresh;
  }

  send(command: Command): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  play(on: boolean): void {
    this.follow();
    this.send({ type: on ? "play" : "pause" });
  }

  step(by: 1 | -1): void {
    if (by === 1 && this.index >= this.frames.length - 1) this.send({ type: "step" });
    else this.seek(this.index + by);
  }

  /** Goes back among the frames that are kept; the world waits meanwhile. */
  seek(index: number): void {
    this.index = Math.min(Math.max(index, 0), this.frames.length - 1);
    this.following = this.index === this.frames.length - 1;
    if (!this.following && this.playing) this.send({ type: "pause" });
    this.fresh = true;
  }

  private follow(): void {
    this.following = true;
    this.index = Math.max(0, this.frames.length - 1);
    this.fresh = true;
  }

  reset(): void {
    this.send({ type: "reset" });
  }

  setSpeed(speed: number): void {
    this.send({ type: "speed", value: speed });
  }
}

function weight(frame: Frame): number {
  return frame.bodies.byteLength + (frame.contacts?.words.byteLength ?? 0) + 500;
}
