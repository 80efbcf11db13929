"""Moving scenes: one description each, written for Stiction (TOML), MuJoCo (MJCF and what it cannot hold) and Rapier (words).

A scene is a dict of gravity, friction, duration and bodies; a body is a dict of shape, mass, pose, velocities and, where it is driven, its motion
p(t) = p + velocity t + amplitude sin(rate t).  Shapes: ("box", half x, half y, half z), ("ball", radius), ("capsule", radius, length),
("cylinder", radius, height), the last two along z.  Quaternions are (w, x, y, z).
"""
import math
import random

G = 9.81
KEYFRAME = 0.002  # [s] between keyframes of a driven path


def unit(q):
    size = math.sqrt(sum(x * x for x in q))
    return [x / size for x in q]


def body(name, shape, mass, position, quat=(1, 0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0), motion=None, touches=True):
    kind = "dynamic" if mass > 0 else "kinematic" if motion else "fixed"
    return dict(name=name, shape=shape, mass=float(mass), position=[float(x) for x in position], quat=unit(quat), kind=kind,
                velocity=[float(x) for x in velocity], spin=[float(x) for x in spin], motion=motion, touches=touches)


def box(name, half, mass, position, **more):
    return body(name, ("box", *half), mass, position, **more)


def scene(name, bodies, duration, friction, gravity=(0, 0, -G), plane=True, floor_friction=None, joints=()):
    return dict(name=name, bodies=bodies, duration=duration, friction=friction, gravity=[float(x) for x in gravity], plane=plane,
                floor_friction=friction if floor_friction is None else floor_friction, joints=list(joints))


def leaning(degrees):
    a = math.radians(degrees)
    return (G * math.sin(a), 0, -G * math.cos(a))


def inertia(b):
    """Principal moments [kg m²]."""
    m, (kind, *size) = b["mass"], b["shape"]
    if kind == "box":
        x, y, z = size
        return [m / 3 * (y * y + z * z), m / 3 * (x * x + z * z), m / 3 * (x * x + y * y)]
    if kind == "ball":
        return [0.4 * m * size[0] ** 2] * 3
    r, length = size
    if kind == "cylinder":
        across = m * (3 * r * r + length * length) / 12
        return [across, across, m * r * r / 2]
    tube, ends = math.pi * r * r * length, 4 / 3 * math.pi * r ** 3
    tube, ends = m * tube / (tube + ends), m * ends / (tube + ends)
    across = tube * (3 * r * r + length * length) / 12 + ends * (0.4 * r * r + length * length / 4 + 3 * r * length / 8)
    return [across, across, tube * r * r / 2 + 0.4 * ends * r * r]


def tumbling_box():
    thrown = box("box", (0.1, 0.15, 0.2), 1, (0, 0, 1), quat=(0.9, 0.3, 0.2, 0.1), velocity=(4, 0.5, 0), spin=(3, 9, 1))
    return scene("tumbling box", [thrown], 1.2, 0.4)


def toppling_tower(count=5):
    boxes = [box(f"b{i}", (0.1,) * 3, 1, (0, 0, 0.1 + 0.2 * i)) for i in range(count)]
    return scene("toppling tower of 5", boxes, 1.6, 0.6, gravity=leaning(13))


def sliding_stack(count=10):
    slabs = [box(f"b{i}", (0.3, 0.3, 0.05), 1, (0, 0, 0.05 + 0.1 * i)) for i in range(count)]
    return scene("sliding stack of 10", slabs, 2.0, 0.8, floor_friction=0.05, gravity=leaning(8))


def shaken_stack(count=10):
    motion = dict(velocity=(0, 0, 0), amplitude=(0.0005, 0, 0), rate=40.0)
    table = box("table", (0.5, 0.5, 0.1), 0, (0, 0, -0.1), motion=motion)
    boxes = [box(f"b{i}", (0.1,) * 3, 1, (0, 0, 0.1 + 0.2 * i)) for i in range(count)]
    return scene("shaken stack of 10", [table, *boxes], 2.0, 0.5, plane=False)


def shaken_grasp():
    """Two fingers squeeze four boxes with 150 N, lift and shake them."""
    motion = dict(velocity=(0, 0, 0.1), amplitude=(0, 0.02, 0.005), rate=25.0)
    bodies, joints = [box("hand", (0.6, 0.05, 0.02), 0, (0, 0, 1.4), motion=motion, touches=False)], []
    for i in range(6):
        place, side = (-0.5 + 0.2 * i, 0, 1.0), {0: 1, 5: -1}.get(i, 0)
        bodies.append(box(f"b{i}", (0.1,) * 3, 1, place))
        if side:
            joints.append(dict(a=f"b{i}", b="hand", position=place, axis=(1, 0, 0), force=150.0 * side))
    return scene("shaken grasp of 4", bodies, 2.0, 1.0, plane=False, joints=joints)


def dominoes(count=50):
    row = [box(f"d{i}", (0.01, 0.04, 0.1), 0.2, (0.08 * i, 0, 0.1)) for i in range(count)]
    lean = 0.2  # about the lower edge, which stays on the floor
    row[0]["quat"] = [math.cos(lean / 2), 0.0, math.sin(lean / 2), 0.0]
    row[0]["position"] = [0.01 - 0.01 * math.cos(lean) + 0.1 * math.sin(lean), 0.0, 0.01 * math.sin(lean) + 0.1 * math.cos(lean)]
    row[0]["spin"] = [0.0, 2.0, 0.0]
    return scene("dominoes, 50", row, 2.5, 0.4)


def heap(count, layers=5):
    """Cubes of 0.1 m, turned at random, dropped in layers."""
    rng, pitch = random.Random(1), 0.175
    columns = math.ceil(math.sqrt(-(-count // layers)))
    rows = -(-(-(-count // layers)) // columns)
    cubes = []
    for i in range(count):
        layer, place = divmod(i, columns * rows)
        x, y = place % columns, place // columns
        position = ((x - (columns - 1) / 2) * pitch, (y - (rows - 1) / 2) * pitch, 0.1375 + pitch * layer)
        cubes.append(box(f"p{i}", (0.05,) * 3, 1, position, quat=[rng.gauss(0, 1) for _ in range(4)]))
    return scene(f"heap of {count}", cubes, 2.0, 0.5)


def bricks(rows, columns):
    found = []
    for row in range(rows):
        for column in range(columns):
            x = 0.204 * (column - (columns - 1) / 2 + (0.125 if row % 2 else -0.125))
            found.append(box(f"w{row}_{column}", (0.1, 0.05, 0.05), 1, (x, 0, 0.05 + 0.1 * row)))
    return found


def wall_hit():
    ball = body("ball", ("ball", 0.12), 20, (0.05, -0.6, 0.55), velocity=(0, 5, 0.5))
    return scene("wall of 100 hit by a ball", [*bricks(10, 10), ball], 1.2, 0.6)


def wall_at_rest():
    return scene("wall of 100 at rest", bricks(10, 10), 0.3, 0.6)


def poured(mixed, count=200):
    """Shapes of some 6 cm dropped into a bin of 0.6 m."""
    rng, pitch, wide, thick, high = random.Random(3), 0.11, 0.3, 0.05, 0.6
    bodies = [box("left", (thick, wide + 2 * thick, high), 0, (-wide - thick, 0, high)),
              box("right", (thick, wide + 2 * thick, high), 0, (wide + thick, 0, high)),
              box("front", (wide, thick, high), 0, (0, -wide - thick, high)),
              box("back", (wide, thick, high), 0, (0, wide + thick, high))]
    shapes = [("ball", 0.04), ("box", 0.03, 0.03, 0.03), ("capsule", 0.025, 0.05), ("cylinder", 0.03, 0.06)]
    for i in range(count):
        layer, place = divmod(i, 25)
        x, y = ((k - 2) * pitch + rng.uniform(-0.005, 0.005) for k in (place % 5, place // 5))
        quat = [rng.gauss(0, 1) for _ in range(4)]
        bodies.append(body(f"p{i}", shapes[i % 4 if mixed else 0], 0.3, (x, y, 0.08 + pitch * layer), quat=quat))
    return scene(f"{count} {'mixed shapes' if mixed else 'balls'} in a bin", bodies, 2.0, 0.4)


def all_scenes(large):
    """Scenes in the order of the table; the heap of 1,000 where `large`."""
    return [tumbling_box(), toppling_tower(), sliding_stack(), shaken_stack(), shaken_grasp(), dominoes(), heap(10), heap(30), heap(100), heap(300),
            *([heap(1000)] if large else []), wall_hit(), poured(False), poured(True), wall_at_rest()]


def listed(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def words(v):
    return " ".join(repr(float(x)) for x in v)


def place_at(b, t):
    m = b["motion"]
    return [p + v * t + a * math.sin(m["rate"] * t) for p, v, a in zip(b["position"], m["velocity"], m["amplitude"])]


def toml(s, dt):
    """A scene of ours."""
    out = [f'format = 1\nname = "{s["name"]}"\n[world]\ngravity = {listed(s["gravity"])}\ndt = {dt!r}\nduration = {s["duration"]}',
           f'[[material]]\nname = "m"\nfriction = {s["friction"]}']
    if s["plane"]:
        out.append(f'[[material]]\nname = "floor"\nfriction = {s["friction"]}\n[[pair]]\nmaterials = ["m", "floor"]\nfriction = {s["floor_friction"]}\n'
                   '[[body]]\nname = "ground"\nshape = { half_space = [0, 0, 1] }\nmaterial = "floor"')
    for b in s["bodies"]:
        kind, *size = b["shape"]
        shape = {"box": lambda: f"box = {listed(2 * x for x in size)}", "ball": lambda: f"ball = {size[0]}",
                 "capsule": lambda: f"capsule = {{ radius = {size[0]}, length = {size[1]} }}",
                 "cylinder": lambda: f"cylinder = {{ radius = {size[0]}, height = {size[1]} }}"}[kind]()
        w, x, y, z = b["quat"]
        out.append(f'[[body]]\nname = "{b["name"]}"\nkind = "{b["kind"]}"\nshape = {{ {shape} }}\nposition = {listed(b["position"])}\n'
                   f'orientation = {listed([x, y, z, w])}\nmaterial = "m"')
        if not b["touches"]:
            out.append("groups = []")
        if b["kind"] == "dynamic":
            out.append(f'mass = {b["mass"]!r}\nvelocity = {listed(b["velocity"])}\nspin = {listed(b["spin"])}')
        if b["motion"] and any(b["motion"]["velocity"]):
            times = [KEYFRAME * k for k in range(int((s["duration"] + 0.1) / KEYFRAME))]
            frames = ", ".join(f"{{ time = {t!r}, position = {listed(place_at(b, t))} }}" for t in times)
            out.append(f"motion = {{ keyframes = [{frames}] }}")
        elif b["motion"]:
            out.append(f'motion = {{ slide = {{ amplitude = {listed(b["motion"]["amplitude"])}, rate = {b["motion"]["rate"]} }} }}')
    for j in s["joints"]:
        out.append(f'[[joint]]\nkind = "prismatic"\na = "{j["a"]}"\nb = "{j["b"]}"\nposition = {listed(j["position"])}\naxis = {listed(j["axis"])}\n'
                   f'motor = {{ force = {j["force"]} }}')
    return "\n".join(out) + "\n"


def mjcf(s, dt, option="", contact=""):
    """A model of MuJoCo's. Velocities, forces and motions are for the driver to set."""
    out = [f'<mujoco><option timestep="{dt}" gravity="{words(s["gravity"])}" {option}/><size memory="600M"/><worldbody>']
    if s["plane"]:
        out.append(f'<geom type="plane" size="50 50 1" friction="{s["floor_friction"]} 0.005 0.0001" condim="3" priority="1" {contact}/>')
    held = {j["a"]: j for j in s["joints"]}

    def emit(b, parent=None):
        kind, *size = b["shape"]
        name = b["name"]
        if kind in ("capsule", "cylinder"):
            size[1] /= 2
        place = [x - y for x, y in zip(b["position"], parent["position"])] if parent else b["position"]
        out.append(f'<body name="{name}" pos="{words(place)}" quat="{words(b["quat"])}">')
        if b["kind"] == "dynamic":
            out.append(f'<inertial pos="0 0 0" mass="{b["mass"]}" diaginertia="{words(inertia(b))}"/>')
            axis = words(held[name]["axis"]) if parent else ""
            out.append(f'<joint name="{name}" type="slide" axis="{axis}"/>' if parent else f'<freejoint name="{name}"/>')
        elif b["kind"] == "kinematic":
            heavy = 100 * max(c["mass"] for c in s["bodies"])
            out.append(f'<inertial pos="0 0 0" mass="{heavy}" diaginertia="{heavy} {heavy} {heavy}"/>')
            for a, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
                if b["motion"]["velocity"][a] or b["motion"]["amplitude"][a]:
                    out.append(f'<joint name="{name}.{a}" type="slide" axis="{axis}"/>')
        mask = "" if b["touches"] else 'contype="0" conaffinity="0"'
        type_ = "sphere" if kind == "ball" else kind
        out.append(f'<geom type="{type_}" size="{words(size)}" friction="{s["friction"]} 0.005 0.0001" condim="3" {contact} {mask}/>')
        for child in s["bodies"]:
            if held.get(child["name"], {}).get("b") == name:
                emit(child, b)
        out.append("</body>")

    for b in s["bodies"]:
        if b["name"] not in held:
            emit(b)
    return "\n".join(out) + "</worldbody></mujoco>"


def flat(s):
    """A scene as words, for the driver of Rapier."""
    number = {b["name"]: i for i, b in enumerate(s["bodies"])}
    out = [f'{words(s["gravity"])} {s["friction"]} {int(s["plane"])} {s["floor_friction"]} {s["duration"]} {len(s["bodies"])}']
    for b in s["bodies"]:
        kind, *size = b["shape"]
        m = b["motion"] or dict(velocity=(0, 0, 0), amplitude=(0, 0, 0), rate=0.0)
        moments = inertia(b) if b["mass"] > 0 else [0, 0, 0]
        out.append(f'{b["kind"]} {b["mass"]} {words(moments)} {words(b["position"])} {words(b["quat"])} {words(b["velocity"])} {words(b["spin"])} '
                   f'{words(m["velocity"])} {words(m["amplitude"])} {m["rate"]} {int(b["touches"])} {kind} {words(size)}')
    out.append(str(len(s["joints"])))
    for j in s["joints"]:
        out.append(f'{number[j["a"]]} {number[j["b"]]} {words(j["position"])} {words(j["axis"])} {j["force"]}')
    return "\n".join(out) + "\n"
