#!/usr/bin/env python3
"""Whole steps of mechanisms and small moving scenes, ours and MuJoCo's, in one run.

usage: moving_peers.py [--work DIR] [--driver FILE] [--rounds K] [--machine NAME]

Our driver, the example `step_times`, is built.  MuJoCo runs where `import mujoco` works, at its defaults and at the
best settings that we know (cone="elliptic" impratio="100" solref="0.002 1" solimp="0.99 0.999 0.001", 20 no-slip
iterations, 200 iterations to 1e-12); where it does not, its columns are left empty and said so.  dt 1 ms, one thread, collision included.  The median step of a run counts, and of several
rounds, in which the engines take turns, the fastest.  A call of MuJoCo's step from Python adds some 0.3 µs to its column.

With --machine NAME the table goes to bench/results/NAME/moving_peers.md.
"""
import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROBOT = os.path.join(ROOT, "scenes", "drumwright", "robots", "quadruped.urdf")
DT = 1e-3
HALF, MASS, PITCH = (0.06, 0.01, 0.01), 0.2, 0.15
STANCE = {f"{end}_{side}_{joint}": angle for end in ("front", "rear") for side in ("left", "right")
          for joint, angle in (("thigh", 0.7), ("knee", -1.4))}
TROT = {"amplitude": 0.15, "rate": 7.85398}


def vector(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def world(duration, extra=""):
    return f"format = 1\n[world]\ndt = {DT}\nduration = {duration}\n{extra}"


def chain(links, hung, height):
    """A chain of boxes with ball joints, along x: hung from a fixed point, or free."""
    text, xml = world(1.0), []
    if hung:
        text += f'[[body]]\nname = "anchor"\nkind = "fixed"\nshape = {{ ball = 0.01 }}\nposition = [0, 0, {height}]\ngroups = []\n'
    size = vector(2 * x for x in HALF)
    for i in range(links):
        x = PITCH * (i + 0.5)
        text += (f'[[body]]\nname = "link{i}"\nshape = {{ box = {size} }}\nmass = {MASS}\nposition = [{x}, 0, {height}]\ngroups = []\n')
        if hung or i:
            other = f"link{i - 1}" if i else "anchor"
            text += f'[[joint]]\nkind = "spherical"\na = "link{i}"\nb = "{other}"\nposition = [{PITCH * i}, 0, {height}]\n'
        place = f"{x} 0 {height}" if i == 0 else f"{PITCH} 0 0"
        joint = f'<joint type="ball" pos="{-0.5 * PITCH} 0 0"/>' if hung or i else "<freejoint/>"
        half = " ".join(map(str, HALF))
        xml.append(f'<body pos="{place}">{joint}<geom type="box" size="{half}" mass="{MASS}" contype="0" conaffinity="0"/>')
    return text, mjcf("".join(xml) + "</body>" * links)


def dropped_chain(links=20):
    """A chain of capsules that falls flat on the floor."""
    text = world(1.0) + '[[body]]\nname = "ground"\nshape = { half_space = [0, 0, 1] }\nmaterial = { friction = 0.5 }\ngroups = [0, 1]\n'
    xml = []
    for i in range(links):
        x = PITCH * i
        text += (f'[[body]]\nname = "link{i}"\nshape = {{ capsule = {{ radius = 0.02, length = 0.08 }} }}\nmass = {MASS}\n'
                 f"position = [{x}, 0, 0.3]\norientation = {{ axis = [0, 1, 0], degrees = 90 }}\nmaterial = {{ friction = 0.5 }}\ngroups = [{i % 2}]\n")
        if i:
            text += f'[[joint]]\nkind = "spherical"\na = "link{i}"\nb = "link{i - 1}"\nposition = [{x - 0.5 * PITCH}, 0, 0.3]\n'
        place = "0 0 0.3" if i == 0 else f"{PITCH} 0 0"
        joint = f'<joint type="ball" pos="{-0.5 * PITCH} 0 0"/>' if i else "<freejoint/>"
        xml.append(f'<body pos="{place}">{joint}<geom type="capsule" size="0.02 0.04" euler="0 90 0" mass="{MASS}" friction="0.5 0.005 0.0001"/>')
    floor = '<geom type="plane" size="9 9 1" friction="0.5 0.005 0.0001"/>'
    return text, mjcf(floor + "".join(xml) + "</body>" * links)


def phase(joint):
    """Diagonal legs go together, knees a quarter of a period after thighs."""
    leg, part = joint.rsplit("_", 1)
    return (0.0 if leg in ("front_left", "rear_right") else math.pi) + (0.5 * math.pi if part == "knee" else 0.0)


def quadruped(trots):
    text = world(2.0) + ('[[body]]\nname = "ground"\nshape = { half_space = [0, 0, 1] }\nmaterial = { friction = 0.8 }\n'
                         f'[[urdf]]\nfile = "{os.path.basename(ROBOT)}"\nposition = [0, 0, 0.34]\nmaterial = {{ friction = 0.8 }}\n'
                         "motor = { stiffness = 300, damping = 3 }\n[urdf.positions]\n")
    text += "".join(f"{joint} = {angle}\n" for joint, angle in STANCE.items())
    if trots:
        text += "[urdf.motors]\n"
        for joint, angle in STANCE.items():
            wave = f'{{ amplitude = {TROT["amplitude"]}, rate = {TROT["rate"]}, phase = {phase(joint)} }}'
            text += f"{joint} = {{ target = {angle}, stiffness = 300, damping = 3, wave = {wave} }}\n"
    return text, ("quadruped", trots)


def bar(name, ends, mass=0.3, shape="capsule"):
    """A capsule between two points, as TOML."""
    (x, y, z), (u, v, w) = ends
    d = (u - x, v - y, w - z)
    length = math.sqrt(sum(c * c for c in d))
    axis = (-d[1], d[0], 0.0)
    angle = math.degrees(math.acos(max(-1.0, min(1.0, d[2] / length))))
    turn = f"{{ axis = {vector(axis)}, degrees = {angle} }}" if math.hypot(*axis) > 1e-12 else "{ axis = [1, 0, 0], degrees = %r }" % angle
    middle = vector(((x + u) / 2, (y + v) / 2, (z + w) / 2))
    return (f'[[body]]\nname = "{name}"\nshape = {{ capsule = {{ radius = 0.02, length = {length - 0.04} }} }}\nmass = {mass}\n'
            f"position = {middle}\norientation = {turn}\ngroups = []\n")


def joint(kind, a, b, at, axis=None, motor=""):
    return f'[[joint]]\nkind = "{kind}"\na = "{a}"\nb = "{b}"\nposition = {vector(at)}\n' + (f"axis = {vector(axis)}\n" if axis else "") + motor


GROUND = '[[body]]\nname = "ground"\nkind = "fixed"\nshape = { ball = 0.01 }\ngroups = []\n'
CRANKED = "motor = { target_speed = 5, damping = 100 }\n"


def four_bar():
    """Crank, coupler and rocker in space, all hinges."""
    a, b, c, d, y = (0, 0, 1), (0, 0, 1.3), (0.9, 0, 1.6), (1, 0, 0.7), (0, 1, 0)
    return (world(2.0) + GROUND + bar("crank", (a, b)) + bar("coupler", (b, c)) + bar("rocker", (c, d))
            + joint("revolute", "crank", "ground", a, y, CRANKED) + joint("revolute", "coupler", "crank", b, y)
            + joint("revolute", "rocker", "coupler", c, y) + joint("revolute", "rocker", "ground", d, y)), None


def slider_crank():
    a, b, c, y = (0, 0, 1), (0, 0, 1.2), (0.8, 0, 1), (0, 1, 0)
    block = f'[[body]]\nname = "slider"\nshape = {{ box = [0.1, 0.1, 0.1] }}\nmass = 1\nposition = {vector(c)}\ngroups = []\n'
    return (world(2.0) + GROUND + bar("crank", (a, b)) + bar("rod", (b, c)) + block
            + joint("revolute", "crank", "ground", a, y, CRANKED) + joint("revolute", "rod", "crank", b, y)
            + joint("revolute", "slider", "rod", c, y) + joint("prismatic", "slider", "ground", c, (1, 0, 0))), None


def stewart():
    """A platform on six legs of two parts each, whose lengths motors hold."""
    text = world(1.0) + GROUND
    text += '[[body]]\nname = "platform"\nshape = { cylinder = { radius = 0.3, height = 0.05 } }\nmass = 5\nposition = [0, 0, 0.8]\ngroups = []\n'
    for k in range(6):
        low = math.radians(60 * (k // 2) * 2 + (25 if k % 2 else -25))
        high = math.radians(60 + 60 * ((k - 1) // 2) * 2 + (25 if k % 2 == 0 else -25))
        a = (0.5 * math.cos(low), 0.5 * math.sin(low), 0.0)
        b = (0.3 * math.cos(high), 0.3 * math.sin(high), 0.8)
        m = tuple((x + y) / 2 for x, y in zip(a, b))
        length = math.dist(a, b)
        axis = tuple((y - x) / length for x, y in zip(a, b))
        text += bar(f"lower{k}", (a, m)) + bar(f"upper{k}", (m, b))
        text += joint("spherical", f"lower{k}", "ground", a) + joint("spherical", f"upper{k}", "platform", b)
        text += joint("prismatic", f"upper{k}", f"lower{k}", m, axis, "motor = { stiffness = 20000, damping = 200 }\n")
    return text, None


def mjcf(bodies):
    return f'<mujoco><option timestep="{DT}"/><worldbody>{bodies}</worldbody></mujoco>'


def ground(friction, extra=""):
    return f'[[body]]\nname = "ground"\nshape = {{ half_space = [0, 0, 1] }}\nmaterial = {{ friction = {friction} }}\n{extra}'


def rolling_ball():
    text = world(2.0) + ground(0.3) + ('[[body]]\nname = "ball"\nshape = { ball = 0.1 }\nmass = 1\nposition = [0, 0, 0.1]\n'
                                        "velocity = [2, 0, 0]\nmaterial = { friction = 0.3 }\n")
    body = '<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.3 0.005 0.0001"/></body>'
    return text, (mjcf('<geom type="plane" size="50 50 1" friction="0.3 0.005 0.0001"/>' + body), [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def wall(rows=10, columns=10):
    text, xml = world(0.3) + ground(0.6), '<geom type="plane" size="50 50 1" friction="0.6 0.005 0.0001"/>'
    for row in range(rows):
        for column in range(columns):
            x = 0.204 * (column - (columns - 1) / 2 + (0.125 if row % 2 else -0.125))
            z = 0.05 + 0.1 * row
            text += (f'[[body]]\nname = "brick{row}_{column}"\nshape = {{ box = [0.2, 0.1, 0.1] }}\nmass = 1\nposition = [{x}, 0, {z}]\n'
                     "material = { friction = 0.6 }\n")
            xml += (f'<body pos="{x} 0 {z}"><freejoint/><geom type="box" size="0.1 0.05 0.05" mass="1" friction="0.6 0.005 0.0001"/></body>')
    return text, mjcf(xml)


def scenes():
    found = {f"swinging chain of {n}": chain(n, True, 2.0) for n in (1, 2, 6, 20, 100)}
    found["chain of 20 in free fall"] = chain(20, False, 50.0)
    found["chain of 20 dropped"] = dropped_chain()
    found["quadruped stands"] = quadruped(False)
    found["quadruped trots"] = quadruped(True)
    found["four-bar linkage"] = four_bar()
    found["slider-crank"] = slider_crank()
    found["Stewart platform"] = stewart()
    found["rolling ball"] = rolling_ball()
    found["wall of 100 at rest"] = wall()
    return found


def robot(mujoco, trots):
    """The quadruped in MuJoCo, its motors as position actuators, and the controls of a time."""
    text = open(ROBOT).read().replace("<inertia ixx", '<inertia ixy="0" ixz="0" iyz="0" ixx')
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = DT
    base = next(body for body in spec.bodies if body.name == "body")
    if not any(j.type == mujoco.mjtJoint.mjJNT_FREE for j in base.joints):
        base.add_freejoint()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1])
    for geom in spec.geoms:
        geom.friction, geom.contype, geom.conaffinity, geom.condim = [0.8, 0.005, 0.0001], 1, 1, 3
    for hinge in spec.joints:
        if hinge.type == mujoco.mjtJoint.mjJNT_HINGE:
            actuator = spec.add_actuator(name=hinge.name, target=hinge.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=300, kv=3)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] = 0.34
    for name, angle in STANCE.items():
        data.qpos[model.joint(name).qposadr[0]] = angle
    names = [model.actuator(i).name for i in range(model.nu)]

    def control(t):
        for i, name in enumerate(names):
            data.ctrl[i] = STANCE.get(name, 0.0)
            if trots and name in STANCE:
                data.ctrl[i] += TROT["amplitude"] * math.sin(TROT["rate"] * t + phase(name))
    return model, data, control


def faithful(mujoco, model):
    """The best settings that we know: stiff contacts with the round cone."""
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.impratio, model.opt.tolerance, model.opt.iterations, model.opt.noslip_iterations = 100, 1e-12, 200, 20
    model.geom_solref[:] = [0.002, 1]
    model.geom_solimp[:, :3] = [0.99, 0.999, 0.001]


def time_mujoco(mujoco, what, duration, best):
    """Median time of a step [µs]."""
    control = None
    if what[0] == "quadruped":
        model, data, control = robot(mujoco, what[1])
    else:
        xml, velocity = what if isinstance(what, tuple) else (what, [])
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        data.qvel[:len(velocity)] = velocity
    if best:
        faithful(mujoco, model)
    times = []
    for k in range(round(duration / DT)):
        if control:
            control((k + 1) * DT)
        start = time.perf_counter_ns()
        mujoco.mj_step(model, data)
        times.append((time.perf_counter_ns() - start) / 1e3)
    times = sorted(times[5:])
    return times[len(times) // 2]


def time_ours(driver, file):
    out = subprocess.run([driver, file], capture_output=True, text=True, env=dict(os.environ, RAYON_NUM_THREADS="1"))
    if out.returncode:
        sys.exit(out.stderr)
    words = out.stdout[len(file):].split(maxsplit=6)
    if len(words) > 6:
        print(f"{os.path.basename(file)}: {words[6]}", file=sys.stderr)
    return float(words[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--work")
    parser.add_argument("--driver", default=os.path.join(ROOT, "target", "release", "examples", "step_times"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--machine")
    options = parser.parse_args()
    if not os.path.exists(options.driver):
        build = ["cargo", "build", "--release", "--quiet", "-p", "stiction-sim", "--example", "step_times"]
        subprocess.run(build, cwd=ROOT, check=True)
    try:
        import mujoco
    except ImportError:
        mujoco = None
        print("skipped: mujoco: not installed", file=sys.stderr)
    lines = ["| scene | ours [µs a step] | MuJoCo, defaults | ratio | MuJoCo, best settings | ratio |", "|---" * 6 + "|"]
    with tempfile.TemporaryDirectory() as own:
        work = options.work or own
        os.makedirs(work, exist_ok=True)
        shutil.copy(ROBOT, work)
        for name, (text, theirs) in scenes().items():
            file = os.path.join(work, name.replace(" ", "_") + ".toml")
            with open(file, "w") as out:
                out.write(text)
            duration = float(text.split("duration = ")[1].split()[0])
            ours, others = [], ([], [])
            for _ in range(options.rounds):
                ours.append(time_ours(options.driver, file))
                if mujoco and theirs:
                    for best, times in enumerate(others):
                        times.append(time_mujoco(mujoco, theirs, duration, bool(best)))
            cells = [f"{min(t):.1f} | {min(ours) / min(t):.2f}" if t else " | " for t in others]
            lines.append(f"| {name} | {min(ours):.1f} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    version = f"MuJoCo {mujoco.__version__}" if mujoco else "without MuJoCo"
    table = f"Made by `bench/moving_peers.py`, {version}, dt 1 ms, median step, the fastest of {options.rounds} rounds.\n\n" + "\n".join(lines) + "\n"
    if options.machine:
        folder = os.path.join(ROOT, "bench", "results", options.machine)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "moving_peers.md"), "w") as out:
            out.write(table)


if __name__ == "__main__":
    main()
