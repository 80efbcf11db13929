/** Pure functions of the page, without a browser: node --test test/unit.mjs */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";

let words, frame, replay, charts, ropes, joints, folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stiction-web-"));
  const root = new URL("..", import.meta.url).pathname;
  const names = ["words", "frame", "replay", "charts", "ropes", "joints"];
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: {
      outDir: folder,
      minify: false,
      lib: { entry: Object.fromEntries(names.map((n) => [n, join(root, `src/${n}.ts`)])), formats: ["es"], fileName: (_, n) => `${n}.mjs` },
    },
  });
  [words, frame, replay, charts, ropes, joints] = await Promise.all(names.map((n) => import(join(folder, `${n}.mjs`))));
});

after(() => rm(folder, { recursive: true, force: true }));

const contact = (changes) => ({
  a: 1,
  b: 0,
  state: "sticking",
  unique: null,
  point: [0, 0, 0],
  normal: [0, 0, 1],
  gap: 0,
  normalForce: 20,
  frictionForce: [3, 4, 0],
  mu: 0.5,
  slipSpeed: 0,
  residual: 1e-15,
  ...changes,
});

test("figures are short and keep their digits", () => {
  const cases = [
    [0, "0"],
    [1.23456, "1.23"],
    [-0.5, "−0.5"],
    [0.0069, "0.0069"],
    [0.012345, "0.0123"],
    [12345.6, "12346"],
    [1e5, "1.00e+5"],
    [1.2e-7, "1.20e−7"],
    [-1.2e-7, "−1.20e−7"],
    [Infinity, "∞"],
    [100, "100"],
    [99.96, "100"],
  ];
  for (const [x, expected] of cases) assert.equal(words.figure(x), expected, String(x));
  assert.equal(words.metres(0.00012), "0.12 mm");
  assert.equal(words.metres(5.4e-8), "54 nm");
  assert.equal(words.percent(0.4138), "41 %");
  assert.equal(words.percent(0.9997), "99.9 %");
  assert.equal(words.percent(0.99999999), "100 %");
});

test("words say why a contact sticks or slips", () => {
  const why = (changes, law = "coulomb") => words.why(contact(changes), law);
  assert.match(why({}), /^Sticks: holding takes 5 N of friction, 50 % of the limit μN = 0\.5 × 20 N = 10 N\.$/);
  assert.match(why({ frictionForce: [0, 10, 0] }), /^Sticks with nothing to spare/);
  assert.match(why({ frictionForce: [0, 0, 0] }), /nothing pushes along the surface/);
  assert.match(why({ state: "sliding", frictionForce: [10, 0, 0], slipSpeed: 0.25 }), /^Slips at 0\.25 m\/s: .* 10 N/);
  assert.match(why({ state: "separating", gap: 1e-3, normalForce: 0 }), /^Carries nothing: the bodies are 1 mm apart/);
  assert.match(why({ state: "separating", gap: 0, normalForce: 0 }), /nothing presses/);
  assert.match(why({ state: "separating", gap: -1e-4, normalForce: 0 }), /overlap by 0\.1 mm/);
  assert.match(why({}, "no-slip"), /nothing limits it/);
  assert.match(why({}, "frictionless"), /no friction/);
  assert.match(why({ slipSpeed: 0.1 }, "viscous"), /grows with the speed of slip, now 0\.1 m\/s: 5 N/);
  assert.match(why({ mu: null }), /no limit is recorded/);
  assert.match(why({ mu: 0, state: "sliding" }), /coefficient of friction is 0/);
  assert.match(words.trust(false), /one of many ways/);
  assert.match(words.trust(null), /not looked for/);
});

test("a contact is told from the side of the body that rests", () => {
  const world = { bodies: [{ kind: "fixed" }, { kind: "dynamic" }, { kind: "dynamic" }], gravity: [0, 0, -9.81] };
  assert.equal(frame.isTurned(world, 0, 1, [0, 0, -1]), true);
  assert.equal(frame.isTurned(world, 1, 0, [0, 0, 1]), false);
  assert.equal(frame.isTurned(world, 1, 2, [0, 0, 1]), false);
  assert.equal(frame.isTurned(world, 1, 2, [0, 0, -1]), true);
  const other = frame.turned(contact({}));
  assert.deepEqual([other.a, other.b, other.normal, other.frictionForce], [0, 1, [-0, -0, -1], [-3, -4, -0]]);
});

test("contacts survive being packed", () => {
  const record = {
    a: "box",
    b: "floor",
    point: [1, 2, 3],
    normal: [0, 0, 1],
    gap: -0.5,
    normal_force: 4,
    friction_force: [0.25, 0, 0],
    state: "sliding",
    friction: null,
    slip_speed: 2,
    residual: null,
    unique: false,
  };
  const numbers = new Map([["floor", 0], ["box", 1]]);
  const list = frame.packContacts({ time: 0, step: 1, contacts: [record, { ...record, unique: true }] }, numbers);
  assert.equal(list.count, 2);
  assert.deepEqual(list.get(0), {
    a: 1,
    b: 0,
    state: "sliding",
    unique: false,
    point: [1, 2, 3],
    normal: [0, 0, 1],
    gap: -0.5,
    normalForce: 4,
    frictionForce: [0.25, 0, 0],
    mu: null,
    slipSpeed: 2,
    residual: null,
  });
  assert.equal(list.get(1).unique, true);
  assert.equal(list.isNotUnique(0), true);
});

test("frames are combined back", () => {
  const frames = [[1, 2, 3], [1, 2, 4], [5, 2]];
  const written = [[1, 2, 3], [0, 0, 7], [4, 0]];
  const all = Uint32Array.from(written.flat());
  replay.undo(all, frames.map((f) => f.length));
  assert.deepEqual([...all], frames.flat());
});

test("charts have a range whatever the values", () => {
  assert.deepEqual(charts.range([]), [0, 1]);
  assert.deepEqual(charts.range([NaN, 2]), [1.5, 2.5]);
  assert.deepEqual(charts.range([3, -1]), [-1, 3]);
  assert.deepEqual(charts.range([0, 1e-13]), [-0.5, 0.5 + 1e-13]);
  const few = charts.thinned(Array.from({ length: 1000 }, (_, i) => i), 10);
  assert.deepEqual([few.length, few[0], few.at(-1)], [10, 0, 999]);
});

/** A pulley: a weight on a rope of 3 m over a body that is turned by a quarter about z, whose point is thus at (0, 2, 0). */
const pulley = (length = 3) => ({
  planar: false,
  bodies: [{ name: "beam" }, { name: "weight" }, { name: "wheel" }],
  joints: [
    { name: "pin", kind: "revolute", a: "wheel", b: "beam" },
    { name: "mesh", kind: "gear", a: "wheel", b: "beam", ratio: -1 / 3, second: ["weight", "beam"] },
    {
      name: "line",
      kind: "rope",
      a: "beam",
      b: "weight",
      length,
      points: [
        { body: "beam", position_body: [0, 0, 0] },
        { body: "wheel", position_body: [1, 0, 0] },
        { body: "weight", position_body: [0, 0, 0] },
      ],
    },
  ],
});
const poses = () => {
  const half = Math.SQRT1_2;
  const beam = [0, 0, 0, 0, 0, 0, 1, 0, 0];
  const weight = [0, 2, -1, 0, 0, 0, 1, 0, 0];
  const wheel = [0, 1, 0, 0, 0, half, half, 0, 0];
  return Float32Array.from([...beam, ...weight, ...wheel]);
};

test("a rope goes through its points as the bodies have them", () => {
  const [rope, ...others] = ropes.ropesOf(pulley());
  assert.equal(others.length, 0);
  assert.deepEqual(rope.points.map((p) => p.body), [0, 2, 1]);
  const way = ropes.wayOf(rope, poses());
  const expected = [[0, 0, 0], [0, 2, 0], [0, 2, -1]];
  way.points.flat().forEach((x, k) => assert.ok(Math.abs(x - expected.flat()[k]) < 1e-6, `number ${k}: ${x}`));
  assert.ok(Math.abs(way.length - 3) < 1e-6, String(way.length));
  assert.equal(way.taut, true);
  assert.equal(ropes.wayOf({ ...rope, length: 3.001 }, poses()).taut, false);
});

test("ropes without points, or on bodies that are not there, are skipped", () => {
  const world = pulley();
  const rope = world.joints[2];
  const { points, ...old } = rope;
  assert.deepEqual(ropes.ropesOf({ ...world, joints: [old] }), []);
  const lost = { ...rope, points: [points[0], { body: "gone", position_body: [0, 0, 0] }] };
  assert.deepEqual(ropes.ropesOf({ ...world, joints: [lost] }), []);
  assert.deepEqual(ropes.ropesOf({ ...world, joints: [{ ...rope, points: points.slice(1, 2) }] }), []);
});

test("a slack rope is dashed from end to end, a taut one is whole", () => {
  assert.deepEqual(ropes.dashes(2, 0.1, true), [[0, 1]]);
  const slack = ropes.dashes(2, 0.1, false);
  assert.ok(slack.length > 5 && slack.length <= 11, String(slack.length));
  assert.deepEqual([slack[0][0], slack.at(-1)[1]], [0, 1]);
  for (const [i, [from]] of slack.slice(1).entries()) assert.ok(from > slack[i][1]);
  assert.deepEqual(ropes.dashes(0.01, 0.1, false), [[0, 1]]);
  assert.equal(ropes.dashes(1e6, 0.1, false).length, 60);
});

test("joints of a body are named with their kind", () => {
  const shown = (body, length) => joints.jointRows({ world: pulley(length), bodies: poses() }, body, 6);
  assert.deepEqual(shown(0), [["revolute", "pin"], ["gear", "mesh, ratio −0.3333"], ["rope", "line, taut at 3 m"]]);
  assert.deepEqual(shown(1, 3.5), [["gear", "mesh, ratio −0.3333"], ["rope", "line, slack, 3 of 3.5 m"]]);
  assert.deepEqual(joints.jointRows({ world: pulley(), bodies: poses() }, 0, 1), [["revolute", "pin"], ["joints", "2 more"]]);
});

test("the energy chart shows the ledger, or what older recordings hold of it", () => {
  const parts = { slip: 1, impacts: 2, injected: 3, stepping: 0.4, kinetic: 5, potential: -6, dissipated: 3 };
  const shown = (stats) => charts.energyLines(stats).map((line) => [line.name, ...stats.map((s) => line.value(s))]);
  assert.deepEqual(shown([parts]), [["kinetic", 5], ["fallen", 6], ["slip", 1], ["impacts", 2], ["injected", 3], ["numerical", 0.4]]);
  const old = { ...parts, slip: null, impacts: null };
  assert.deepEqual(shown([old]), [["kinetic", 5], ["fallen", 6], ["dissipated", 3], ["injected", 3], ["numerical", 0.4]]);
  const mixed = charts.energyLines([old, parts]).find((line) => line.name === "slip");
  assert.deepEqual([mixed.value(old), mixed.value(parts)], [NaN, 1]);
  const colours = charts.energyLines([parts]).map((line) => line.colour);
  assert.equal(new Set(colours).size, colours.length, colours.join());
});
