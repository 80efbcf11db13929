/** Messages as the recording format has them (docs/reference/recording.md), one type each. Rust writes and reads the files. */

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export type State = "separating" | "sticking" | "sliding";

export type Shape =
  | { type: "half_space"; normal: Vec3 }
  | { type: "ball"; radius: number }
  | { type: "capsule"; half_length: number; radius: number }
  | { type: "cylinder"; half_height: number; radius: number }
  | { type: "ellipsoid"; semi_axes: Vec3 }
  | { type: "box"; half: Vec3 }
  | { type: "polytope"; vertices: Vec3[]; faces: number[][] }
  | { type: "mesh"; triangles: [Vec3, Vec3, Vec3][] }
  | { type: "compound"; parts: { position: Vec3; orientation: Quat; shape: Shape }[] }
  | { type: "half_plane"; normal: [number, number] }
  | { type: "disc"; radius: number }
  | { type: "planar_capsule"; half_length: number; radius: number }
  | { type: "polygon"; vertices: [number, number][] };

export interface Body {
  name: string;
  kind: "fixed" | "kinematic" | "dynamic";
  mass: number | null;
  friction: number | null;
  restitution: number;
  origin_body: Vec3;
  shape: Shape;
}

export interface Joint {
  name: string;
  kind: string;
  a: string;
  b: string;
  /** Of a gear: ratio, and the two bodies of its second coordinate. Missing in older recordings. */
  ratio?: number;
  second?: [string, string];
  /** Of a distance joint and a rope: length [m]; of a rope: its points in body axes from the centres of mass. Missing in older recordings. */
  length?: number;
  points?: { body: string; position_body: Vec3 }[];
  /** The joint's frame in a and in b: it turns about z or slides along it. Missing of gears and ropes, and in older recordings. */
  frames?: [JointFrame, JointFrame];
  /** Least and largest coordinate [rad or m], null where there is no end. */
  limits?: [number | null, number | null];
}

export interface JointFrame {
  position_body: Vec3;
  orientation_body: Quat;
}

export interface World {
  format: number;
  time: number;
  planar: boolean;
  gravity: Vec3;
  dt: number;
  law: string;
  method: string | null;
  bodies: Body[];
  joints: Joint[];
}

export interface Poses {
  time: number;
  step: number;
  names: string[];
  positions: Vec3[];
  orientations: Quat[];
  velocities: [number, number, number, number, number, number][];
}

export interface ContactRecord {
  a: string;
  b: string;
  point: Vec3;
  normal: Vec3;
  gap: number;
  normal_force: number;
  friction_force: Vec3;
  state: State;
  friction: number | null;
  slip_speed: number | null;
  residual: number | null;
  unique: boolean | null;
}

export interface Contacts {
  time: number;
  step: number;
  contacts: ContactRecord[];
}

/** All work of some steps, also what was taken back. */
export interface Work {
  tries: number;
  solves: number;
  passes: number;
  newton_steps: number;
  factorisations: number;
  pivots: number;
  fallbacks: number;
  corrections: number;
  correction_steps: number;
  operations: number;
}

export interface Stats {
  time: number;
  step: number;
  steps: number;
  contacts: number;
  islands: number;
  warm: number;
  pivots: number;
  newton_steps: number;
  residual: number;
  penetration: number;
  kinetic: number;
  potential: number;
  dissipated: number;
  injected: number;
  eased: number;
  stepping: number;
  worst_gain: number;
  hash: string;
  /** What dissipated and stepping are made of; null in older recordings. */
  slip: number | null;
  impacts: number | null;
  numerical_velocity: number | null;
  numerical_closing: number | null;
  numerical_returned: number | null;
  numerical_flight: number | null;
  /** Null in older recordings. */
  work: Work | null;
}

/** What the server says first. */
export interface Hello {
  name: string;
  live: boolean;
  laws: { name: string; methods: string[] }[];
}

/** How the world in the server is run. */
export interface Running {
  playing: boolean;
  speed: number;
  /** Simulated time per time, as it is. */
  pace: number;
  law: string;
  method: string | null;
  friction: number | null;
  viewers: number;
  /** What failed, in words; nothing where all is well. */
  failed: string | null;
  /** Counts restarts: frames of another run are not of this one. */
  run: number;
  /** What happens where the scene's duration has passed [s], and whether it has. */
  end: AtEnd;
  duration: number;
  ended: boolean;
}

export type AtEnd = "stop" | "loop" | "go_on";

export type ServerMessage =
  | ({ type: "hello" } & Hello)
  | ({ type: "state" } & Running)
  | ({ type: "world" } & World)
  | ({ type: "poses" } & Poses)
  | ({ type: "contacts" } & Contacts)
  | ({ type: "stats" } & Stats)
  | ({ type: "why" } & Explained)
  | { type: "error"; message: string }
  | { type: "note"; message: string };

export type Command =
  | { type: "play" }
  | { type: "pause" }
  | { type: "step" }
  | { type: "reset" }
  | { type: "speed"; value: number }
  | { type: "end"; value: AtEnd }
  | { type: "law"; value: string }
  | { type: "method"; value: string | null }
  | { type: "friction"; value: number | null }
  | { type: "pull"; body: number; point: Vec3; target: Vec3 }
  | { type: "release" }
  | { type: "why"; a: number; b: number };

/** What two bodies do where they touch, as `stiction why --json` has it: the parts that are shown. */
export interface Explained {
  step: number;
  a: number;
  b: number;
  pair: {
    sentence: string;
    known: "all" | "sum" | "none" | null;
    /** Null: without end. */
    normal_range: { low: number | null; high: number | null } | null;
    friction_range: { low: number | null; high: number | null } | null;
    points: { normal_range: { low: number | null; high: number | null } | null }[];
  } | null;
}
