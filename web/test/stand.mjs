/** Answers of `stiction stand` that are known by hand: two cubes on each other, and a block that walls may hold or not. */

const cube = (name, kind, [x, y, z], side = 1) => ({
  body: { name, kind, mass: kind === "dynamic" ? 1000 * side ** 3 : null, friction: 0.8, restitution: 0, origin_body: [0, 0, 0], shape: { type: "box", half: [side / 2, side / 2, side / 2] } },
  at: [x, y, z],
});

/** The world of some cubes on a plane. */
function worldOf(cubes) {
  const ground = { name: "ground", kind: "fixed", mass: null, friction: 0.8, restitution: 0, origin_body: [0, 0, 0], shape: { type: "half_space", normal: [0, 0, 1] } };
  const all = [{ body: ground, at: [0, 0, 0] }, ...cubes];
  return {
    world: { format: 2, time: 0, planar: false, gravity: [0, 0, -10], dt: 0.001, law: "coulomb", method: null, bodies: all.map((c) => c.body), joints: [] },
    poses: {
      time: 0,
      step: 0,
      names: [],
      positions: all.map((c) => c.at),
      orientations: all.map(() => [0, 0, 0, 1]),
      velocities: all.map(() => [0, 0, 0, 0, 0, 0]),
    },
    bodies: all.map(({ body, at }) => ({ name: body.name, center: at, ...(body.kind === "dynamic" ? { mass: body.mass, load: [0, 0, -10 * body.mass, 0, 0, 0] } : {}) })),
  };
}

const faces = (a, b, z) => [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(([x, y]) => ({ a, b, point: [x, y, z], normal: [0, 0, 1], tangents: [[1, 0, 0], [0, 1, 0]], friction: 0.8 }));

/** Two cubes of a tonne: they tip about an edge of the lower where gravity leans by tan θ = 1/2. */
export function tower() {
  const { world, poses, bodies } = worldOf([cube("lower", "dynamic", [0, 0, 0.5]), cube("upper", "dynamic", [0, 0, 1.5])]);
  const contacts = [...faces(1, 0, 0), ...faces(2, 1, 1)];
  const resting = { contacts: contacts.map((_, j) => [j < 4 ? 5000 : 2500, 0, 0]) };
  // At the limit the edge at x = 1/2 carries all; friction along x.
  const leaning = { contacts: contacts.map((c, j) => (c.point[0] > 0 ? [j < 4 ? 10000 : 5000, j < 4 ? -5000 : -2500, 0] : [0, 0, 0])) };
  // About y through (1/2, ·, 0): v = ω × r.
  const about = ([x, , z]) => [z, 0, 0.5 - x, 0, 1, 0];
  const mechanism = { velocity: [about([0, 0, 0.5]), about([0, 0, 1.5])], limits: { contact: null, joint: null }, pairs: [{ a: 1, b: 0, motion: "hinge" }] };
  const report = {
    kind: "stand",
    format: 1,
    scene: "two cubes",
    planar: false,
    gravity: [0, 0, -10],
    verdict: "stands",
    reason: null,
    bodies,
    contacts,
    rows: [],
    evidence: { forces: resting },
    motion: null,
    margins: [
      {
        kind: "tilt",
        name: "x",
        axis: [1, 0, 0],
        low: 0.4999999,
        high: 0.5000001,
        estimate: 0.5,
        degrees: { low: 26.56504, found: 26.56504, high: 26.56506 },
        forces: leaning,
        mechanism,
        found: { rests: 0.4999999, moves: 0.5000001, cones: null, agree: true },
      },
    ],
    region: {
      axes: [[1, 0, 0], [0, 1, 0]],
      radius: { low: 0.4999999, high: 0.5000001 },
      inner: [[0.49, -0.49], [0.49, 0.49], [-0.49, 0.49], [-0.49, -0.49]].map((at) => ({ at })),
      outer: [[1, 0], [0, 1], [-1, 0], [0, -1]].map((normal) => ({ normal, offset: 0.5000001 })),
    },
  };
  const words = `two cubes: 2 bodies that can move, 8 contacts
STANDS       proved, and rest is the only answer: normal forces alone carry the loads
tilt x       26.57°: beyond it falls, proved (tan 0.4999999…5, gap 2e-7)
             fails by 1 hinge (ground|lower)
tilt any     26.57° in every direction, proved; 26.57° in the weakest is too much, proved (8 programs)
`;
  return { format: 1, words, report, world, poses };
}

/** A cube between two others that stand fast: friction may hold it, or nothing may press and it falls. */
export function wedged() {
  const { world, poses, bodies } = worldOf([cube("left", "fixed", [-1, 0, 2]), cube("block", "dynamic", [0, 0, 2]), cube("right", "fixed", [1, 0, 2])]);
  const side = (a, b, x, normal) => [[-0.5, 1.5], [0.5, 1.5], [0.5, 2.5], [-0.5, 2.5]].map(([y, z]) => ({ a, b, point: [x, y, z], normal, tangents: [[0, 0, 1], [0, 1, 0]], friction: 0.8 }));
  const contacts = [...side(2, 1, -0.5, [1, 0, 0]), ...side(2, 3, 0.5, [-1, 0, 0])];
  const falls = { velocity: [[0, 0, -1, 0, 0, 0]], pairs: [{ a: 2, b: 1, motion: "slider" }, { a: 2, b: 3, motion: "slider" }] };
  const report = {
    kind: "stand",
    format: 1,
    scene: "wedged",
    planar: false,
    gravity: [0, 0, -10],
    verdict: "may_fall",
    reason: null,
    bodies,
    contacts,
    rows: [],
    evidence: { forces: { contacts: contacts.map(() => [2000, 1250, 0]) } },
    motion: { ...falls, contacts: contacts.map(() => [0, 0, 0]), rows: [], speed: 0.1, step: 0.01 },
    margins: [],
  };
  const words = `wedged: 1 body that can move, 8 contacts
MAY FALL     rest is one lawful answer, a motion that begins with 10 m/s² another (both verified)
             it holds only if something squeezes it: give the squeeze as a load or a motor, or a ledge
`;
  return { format: 1, words, report, world, poses };
}
