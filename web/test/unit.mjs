/** Pure functions of the page, without a browser: node --test test/unit.mjs */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";
import { tower, wedged } from "./stand.mjs";

let words, frame, replay, charts, ropes, joints, scale, labels, why, theme, stand, folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stiction-web-"));
  const root = new URL("..", import.meta.url).pathname;
  const names = ["words", "frame", "replay", "charts", "ropes", "joints", "scale", "labels", "why", "theme", "stand"];
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
  [words, frame, replay, charts, ropes, joints, scale, labels, why, theme, stand] = await Promise.all(names.map((n) => import(join(folder, `${n}.mjs`))));
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

test("the chart of solver steps shows all work, or what older recordings hold of it", () => {
  const chart = charts.CHARTS.find((one) => one.id === "work");
  const old = { steps: 2, pivots: 4, newton_steps: 6 };
  const shown = (stats) => chart.lines([stats]).map((line) => line.value(stats));
  assert.deepEqual(shown({ ...old, work: null }), [2, 3]);
  assert.deepEqual(shown(old), [2, 3]);
  const all = { ...old, work: { solves: 5, pivots: 8, newton_steps: 20 } };
  assert.deepEqual(shown(all), [4, 10]);
  assert.equal(chart.say(all), "4 + 10, 2.5 solves");
  assert.equal(chart.say({ ...old, work: { ...all.work, solves: 2 } }), "4 + 10");
});

test("a cone is as high as its force is long, and no longer than its side may be", () => {
  const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-9 * Math.max(1, expected), `${found}, not ${expected}`);
  const small = scale.coneOf(0.5, 0.4, 1);
  near(small.height, 0.4);
  near(small.radius, 0.2);
  // At 100 the cone is nearly flat: it was 40 wide here.
  const huge = scale.coneOf(100, 0.4, 1);
  near(Math.hypot(huge.height, huge.radius), 1.5);
  near(huge.radius / huge.height, 100);
  for (const mu of [1e8, 1e200]) assert.ok(scale.coneOf(mu, 1, 1).radius <= 1.5 + 1e-9);
});

test("arrows keep their scale while it can be read, and get another where forces are huge", () => {
  assert.equal(scale.unitFor([1, 1, 1.5], 1, 1), 1);
  assert.equal(scale.unitFor([], 1, 1), 1);
  assert.equal(scale.unitFor([0, NaN, Infinity], 1, 1), 1);
  const unit = scale.unitFor([1e9, 2e9, 3e9], 0.5, 1);
  assert.ok(Math.abs(unit * 3e9 - 1.3 * 0.5) < 1e-9);
  // One force among many does not change it.
  assert.equal(scale.unitFor([...Array(50).fill(1), 1e12], 1, 1), 1);
});

test("the bar of the scale is a round force", () => {
  for (const [perPixel, newtons] of [[1, 100], [0.3, 20], [4.9e5, 5e7], [1e-9, 1e-7]]) {
    const found = scale.bar(perPixel, 110);
    assert.ok(Math.abs(found.newtons / newtons - 1) < 1e-9, String(found.newtons));
    assert.ok(found.pixels <= 110 && found.pixels >= 44, String(found.pixels));
  }
  assert.equal(scale.round125(0), 1);
});

test("axes have round numbers within the range", () => {
  const shown = (low, high, most) => {
    const step = scale.tickStep(high - low, most);
    return scale.ticks(low, high, step).map((x) => scale.tickText(x, step));
  };
  assert.deepEqual(shown(0, 1, 4), ["0", "0.5", "1.0"]);
  assert.deepEqual(shown(-2.9, 3.2, 4), ["−2", "0", "2"]);
  assert.deepEqual(shown(0, 1e6, 4), ["0", "5e5", "1e6"]);
  assert.deepEqual(shown(0, 1e-9, 4), ["0", "5e−10", "1e−9"]);
  assert.deepEqual(shown(0.013, 0.019, 6).length, 7);
  assert.deepEqual(charts.powerText(-12), "10⁻¹²");
});

test("names that would cover others are skipped, those that are meant are not", () => {
  const label = (text, x, y, rank = 1, kind = "body") => ({ text, x, y, rank, kind });
  const shown = (all) => labels.placed(all, 400, 300).map((l) => l.text);
  // There are six places near a point; the seventh of one point is skipped, unless it is meant.
  const crowd = Array.from({ length: 7 }, (_, i) => label(`name ${i}`, 100, 100, 9 - i));
  assert.deepEqual(shown(crowd), crowd.slice(0, 6).map((l) => l.text));
  assert.equal(shown([...crowd.slice(0, 6), label("meant", 100, 100, 0, "strong")]).length, 7);
  const boxes = labels.placed(crowd, 400, 300);
  for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) assert.ok(Math.abs(a.x - b.x) > 30 || Math.abs(a.y - b.y) >= 17, `${a.text} covers ${b.text}`);
  assert.deepEqual(shown([label("one", 100, 100), label("two", 104, 102, 2), label("three", 100, 200)]), ["two", "one", "three"]);
  assert.deepEqual(shown([label("out", 900, 100), label("above", 100, -5)]), []);
  const [edge] = labels.placed([label("a long name at the edge", 395, 100)], 400, 300);
  assert.ok(edge.x + 6 * edge.text.length < 400, String(edge.x));
});

test("bodies are told apart by what moves them", () => {
  for (const one of [theme.LIGHT, theme.DARK]) {
    const bright = (colour) => [16, 8, 0].map((by) => (colour >> by) & 255);
    const apart = (a, b) => Math.hypot(...bright(a).map((x, k) => x - bright(b)[k]));
    const kinds = ["fixed", "kinematic", "dynamic"].map((kind) => theme.bodyColour(kind, 0, one));
    for (const [i, j] of [[0, 1], [0, 2], [1, 2]]) assert.ok(apart(kinds[i], kinds[j]) > 40, `${i} and ${j}`);
  }
  assert.equal(theme.css(theme.shareColour(null)), "#8a9098");
  assert.notEqual(theme.shareColour(0), theme.shareColour(1));
  assert.equal(theme.shareColour(2), theme.shareColour(1));
});

test("poses between two frames turn the short way", () => {
  const pose = (x, angle, sign = 1) => [x, 0, 0, 0, 0, sign * Math.sin(angle / 2), sign * Math.cos(angle / 2), 0, 0];
  const out = frame.between(Float32Array.from(pose(0, 0)), Float32Array.from(pose(2, 1, -1)), 0.5, new Float32Array(9));
  const expected = pose(1, 0.5);
  out.forEach((x, k) => assert.ok(Math.abs(x - expected[k]) < 1e-6, `number ${k}: ${x}`));
});

/** A hinge about z and a slider along x of a body at (1, 0, 0), turned by a quarter. */
const jointed = () => {
  const half = Math.SQRT1_2;
  const still = { position_body: [0, 0, 0], orientation_body: [0, 0, 0, 1] };
  const along = { position_body: [0, 0, 0], orientation_body: [0, half, 0, half] };
  return {
    planar: false,
    bodies: [{ name: "ground" }, { name: "arm" }],
    joints: [
      { name: "hinge", kind: "revolute", a: "arm", b: "ground", frames: [still, still], limits: [-0.5, Math.PI] },
      { name: "rail", kind: "prismatic", a: "arm", b: "ground", frames: [along, along], limits: [null, 2] },
      { name: "ball", kind: "spherical", a: "arm", b: "ground", frames: [still, still] },
    ],
    poses: Float32Array.from([0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, half, half, 0, 0]),
  };
};

test("the coordinates of joints follow from the poses", () => {
  const world = jointed();
  const numbers = joints.numbersOf(world);
  const of = (k) => joints.coordinateOf(joints.placedJoint(world.joints[k], numbers), world.poses);
  assert.ok(Math.abs(of(0) - Math.PI / 2) < 1e-6, String(of(0)));
  assert.ok(Math.abs(of(1) - 1) < 1e-6, String(of(1)));
  assert.equal(of(2), null);
  const shown = joints.jointRows({ world, bodies: world.poses }, 1, 6);
  assert.deepEqual(shown, [
    ["revolute", "hinge, 90° of −28.6 … 180°"],
    ["prismatic", "rail, 1 m of −∞ … 2 m"],
    ["spherical", "ball"],
  ]);
  assert.equal(joints.placedJoint({ name: "old", kind: "revolute", a: "arm", b: "ground" }, numbers), null);
});

/** A box of 2 kg and side 1 on a slope that pulls with `side` newtons, on its four corners; another frame of reference stands on it where `top` is. */
const resting = (side, { mu = 0.5, state = "sticking", top = false } = {}) => {
  const bodies = [
    { name: "ground", kind: "fixed", mass: null },
    { name: "box", kind: "dynamic", mass: 2 },
    { name: "lid", kind: "dynamic", mass: 1 },
  ];
  const world = { planar: false, law: "coulomb", gravity: [0, 0, -9.81], bodies, joints: [] };
  const corner = (x, y, normal_force) => ({
    a: "box",
    b: "ground",
    point: [x, y, 0],
    normal: [0, 0, 1],
    gap: 0,
    normal_force,
    friction_force: [side / 4, 0, 0],
    state,
    friction: mu,
    slip_speed: state === "sliding" ? 0.25 : 0,
    residual: 0,
    unique: false,
  });
  const list = [corner(-0.5, -0.5, 4), corner(-0.5, 0.5, 4), corner(0.5, -0.5, 6), corner(0.5, 0.5, 6)];
  if (top) list.push({ ...corner(0, 0, 9.81), a: "ground", b: "lid", point: [0, 0, 1], normal: [0, 0, -1], friction_force: [0, 0, 0], friction: 1 });
  if (top) list.push({ ...corner(0, 0, 3), a: "lid", b: "box", point: [0, 0, 1], friction_force: [0, 0, 0] });
  const contacts = frame.packContacts({ time: 0, step: 1, contacts: list }, new Map(bodies.map((b, i) => [b.name, i])));
  const poses = Float32Array.from([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1.5, 0, 0, 0, 1, 0, 0]);
  return { world, contacts, bodies: poses };
};

test("pairs gather their contacts, and know how far they are from slipping and tipping", () => {
  const moment = resting(4);
  const pairs = why.pairsOf(moment.contacts, moment.world);
  assert.equal(pairs.length, 1);
  const [pair] = pairs;
  assert.deepEqual([pair.a, pair.b, pair.normalForce, pair.frictionForce, pair.limit], [1, 0, 20, 4, 10]);
  assert.deepEqual([pair.used, pair.state, pair.unique], [0.4, "sticking", false]);
  assert.ok(Math.abs(pair.point[0] - 0.1) < 1e-6, "the pressure lies towards the heavier side");
  const margins = why.marginsOf(pair, pairs, moment);
  assert.deepEqual(margins.carries, [1]);
  const close = (x, expected) => assert.ok(Math.abs(x - expected) < 1e-5, `${x}, not ${expected}`);
  close(margins.slip.force, 6);
  close(margins.slip.angle, ((Math.atan(0.5) - Math.atan(0.2)) * 180) / Math.PI);
  // 0.4 m from the edge of a base of 1 m, half a metre below the centre of mass.
  close(margins.tip.distance, 0.4);
  close(margins.tip.used, 0.2);
  close(margins.tip.force, (20 * 0.4) / 0.5);
  close(margins.tip.angle, ((Math.atan2(0.5, 0.5) - Math.atan2(0.1, 0.5)) * 180) / Math.PI);
  const sentence = why.pairSentence(pair, margins, moment.world);
  assert.match(sentence, /^box sticks to ground with 4 N of the 10 N that friction can hold, 40 %; it slides at 6 N or 15\.3° more, before it tips at 16 N or 33\.7° more\./);
  assert.match(sentence, /Other forces at its contacts give the same motion\.$/);
});

test("a pair that slides says so, and one that others help to hold has no tilt at which it tips", () => {
  const sliding = resting(10, { state: "sliding" });
  const [pair] = why.pairsOf(sliding.contacts, sliding.world);
  assert.deepEqual([pair.state, pair.used, pair.slipSpeed], ["sliding", 1, 0.25]);
  assert.match(why.pairSentence(pair, why.marginsOf(pair, [pair], sliding), sliding.world), /^box slides on ground at 0\.25 m\/s: friction is at its limit of 10 N\./);
  const held = resting(4, { top: true });
  const pairs = why.pairsOf(held.contacts, held.world);
  assert.deepEqual(pairs.map((p) => [p.a, p.b]), [[1, 0], [2, 0], [2, 1]]);
  const margins = why.marginsOf(pairs[0], pairs, held);
  assert.deepEqual([margins.carries, margins.tip.force], [[], null]);
  assert.match(why.pairSentence(pairs[0], margins, held.world), /the centre of pressure is 20 % of the distance to the edge/);
  // Those that use most of their friction come first.
  assert.deepEqual(why.ranked(pairs).map((p) => p.used), [0.4, 0, 0]);
  assert.deepEqual(why.pairsOf(null, held.world), []);
});

test("an answer of stand has views: forces, mechanisms of margins, and both answers where it may fall", () => {
  assert.deepEqual(stand.viewsOf(tower().report).map((v) => v.label), ["forces at rest", "tilt x: forces at 26.57°", "tilt x: fails at 26.57°"]);
  const [both, rest] = stand.viewsOf(wedged().report);
  assert.deepEqual([both.label, both.both, rest.label], ["both answers", true, "forces at rest"]);
  const falls = { ...wedged().report, verdict: "falls", evidence: { mechanism: wedged().report.motion } };
  assert.deepEqual(stand.viewsOf(falls).map((v) => v.label), ["the proof that it falls", "how it begins to fall"]);
  assert.deepEqual(stand.viewsOf({ ...falls, verdict: "undecided", evidence: {}, motion: null }), []);
});

test("a mechanism turns bodies about their hinge, which stays where it is", () => {
  const data = tower();
  const [, , view] = stand.viewsOf(data.report);
  const rest = stand.frameOf(data, view.forces);
  const movers = stand.moversOf(data.report, data.world);
  assert.deepEqual(movers, [1, 2]);
  const [hinge] = stand.jointsOf(data.report, view.mechanism, data.world);
  assert.deepEqual([hinge.motion, hinge.names], ["hinge", ["lower", "ground"]]);
  assert.deepEqual(hinge.points, [[0.5, -0.5, 0], [0.5, 0.5, 0]]);
  // The upper cube's farthest corner is faster than its middle.
  const reach = stand.reachOf(view.mechanism, [0, 0.866, 0.866], movers, false);
  assert.ok(Math.abs(reach - (Math.hypot(1.5, 0.5) + 0.866)) < 1e-9, String(reach));
  const by = 1e-3;
  const after = stand.moved(rest.bodies, view.mechanism, movers, { by, planar: false });
  // Both cubes have turned by the same angle, and their middles go up as 1/2 goes in x.
  for (const body of [1, 2]) {
    assert.ok(Math.abs(after[9 * body + 4] - by / 2) < 1e-6, "turned");
    assert.ok(Math.abs(after[9 * body + 2] - rest.bodies[9 * body + 2] - by * 0.5) < 1e-6, "lifted");
  }
  assert.deepEqual([...after.subarray(0, 9)], [...rest.bodies.subarray(0, 9)]);
  // A turn is a turn: lengths stay.
  assert.ok(Math.abs(Math.hypot(...after.subarray(12, 16)) - 1) < 1e-6);
});

test("contacts of an answer are those of a frame", () => {
  const data = tower();
  const [first, , last] = stand.viewsOf(data.report).map((v) => stand.frameOf(data, v.forces));
  const pairs = why.pairsOf(first.contacts, first.world);
  assert.deepEqual(pairs.map((p) => [p.a, p.b, p.normalForce, p.state]), [[1, 0, 20000, "sticking"], [2, 1, 10000, "sticking"]]);
  const leaning = why.pairsOf(last.contacts, last.world);
  assert.deepEqual(leaning.map((p) => p.point), [[0.5, 0, 0], [0.5, 0, 1]]);
  assert.ok(Math.abs(leaning[0].used - 0.5 / 0.8) < 1e-6, String(leaning[0].used));
  const full = stand.frameOf({ ...data, report: { ...data.report, contacts: data.report.contacts.map((c) => ({ ...c, friction: 0.5 })) } }, data.report.margins[0].forces);
  assert.deepEqual(full.contacts.get(1).state, "sliding");
  assert.equal(stand.frameOf(data, null).contacts, null);
});

test("a slide of a block between walls slips along both", () => {
  const data = wedged();
  const joints = stand.jointsOf(data.report, data.report.motion, data.world);
  assert.deepEqual(joints.map((j) => [j.motion, j.points.length, j.slip]), [["slider", 4, [0, 0, -1]], ["slider", 4, [0, 0, -1]]]);
  // The same told by the walls: what moves is the block.
  const contacts = data.report.contacts.map((c) => ({ ...c, a: c.b, b: c.a, normal: c.normal.map((x) => -x) }));
  const other = stand.jointsOf({ ...data.report, contacts }, data.report.motion, data.world);
  assert.deepEqual(other.map((j) => [j.names[0], j.slip]), [["block", [0, 0, -1]], ["block", [0, 0, -1]]]);
});

test("the outer polygon is cut where nothing bounds it", () => {
  const area = (p) => p.reduce((sum, [x, y], k) => sum + (x * p[(k + 1) % p.length][1] - y * p[(k + 1) % p.length][0]) / 2, 0);
  const edges = tower().report.region.outer;
  assert.ok(Math.abs(area(stand.outerCorners(edges, 10)) - 1) < 1e-5);
  assert.ok(Math.abs(area(stand.outerCorners(edges.slice(0, 1), 10)) - 20 * 10.5) < 1e-4);
  assert.ok(Math.abs(area(stand.outerCorners([], 2)) - 16) < 1e-9);
});

test("lines of a report are what they are about and what they say", () => {
  const lines = stand.linesOf(tower().words);
  assert.deepEqual(lines[1].map((x) => x.slice(0, 6)), ["STANDS", "proved"]);
  assert.deepEqual(lines[2][0], "tilt x");
  assert.deepEqual(lines[3], ["", "fails by 1 hinge (ground|lower)"]);
});
