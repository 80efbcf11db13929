"""Models of robots against MuJoCo: mass, places, dynamics, actuators, and motion without contact.

Needs the package mujoco (pip install mujoco); skipped where it is absent.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stiction

from conftest import ROOT

mujoco: Any = pytest.importorskip("mujoco", reason="skipped: mujoco models: the package mujoco is not installed")

FOLDERS = [ROOT / "data/models", ROOT / "../shared/data/models"]
MODELS = next((folder for folder in FOLDERS if folder.is_dir()), None)
FEATURES = ROOT / "crates/sim/tests/models/features.xml"
OWN = [ROOT / "scenes/robots/walker.xml", FEATURES]
SAMPLES = 100
MANY = 60

# What is precisely not supported, by file: the reader must say so.
REFUSED = {
    "hopper.xml": "coordinate: must be local",
    "walker2d.xml": "coordinate: must be local",
    "TwoJointRobot_wo_fixedJoints.urdf": "must have no moment above the sum of the others",
}
# A single link: compared as it floats.
FLOATING = ["block.urdf", "capsule.urdf"]


def files(ending: str) -> list[Path]:
    found = sorted(MODELS.rglob(f"*.{ending}")) if MODELS else []
    return found + (OWN if ending == "xml" else [])


def named(file: Path) -> str:
    return file.name


def world_of(file: Path, gravity: Any = (0, 0, -9.81), dt: float = 0.001, **options: Any) -> stiction.World:
    """A world with this model alone."""
    is_urdf = file.suffix == ".urdf"
    scene = stiction.Scene(folder=str(file.parent), dt=dt, gravity=[float(x) for x in gravity])
    if is_urdf:
        scene.add_urdf(file.name, fixed_base=file.name not in FLOATING, **options)
    else:
        scene.add_mjcf(file.name, **options)
    return stiction.World(scene)


def rotation_vector(q: Any) -> Any:
    """From w, x, y, z."""
    q = q if q[0] >= 0 else -q
    sine = np.linalg.norm(q[1:])
    return np.zeros(3) if sine == 0 else q[1:] * (2 * math.atan2(sine, q[0]) / sine)


def matrix(q: Any) -> Any:
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, q)
    return out.reshape(3, 3)


def floating(file: Path) -> Any:
    """A URDF file of MuJoCo's with its root free: MuJoCo alone would make it part of the world."""
    spec = mujoco.MjSpec.from_file(str(file))
    spec.compiler.fusestatic = False
    spec.bodies[1].add_freejoint()
    return spec.compile()


def cross(x: Any) -> Any:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


class Pair:
    """A model in both, with the coordinates of one as those of the other."""

    def __init__(self, file: Path, dt: float = 0.001) -> None:
        self.model = floating(file) if file.name in FLOATING else mujoco.MjModel.from_xml_path(str(file))
        self.data = mujoco.MjData(self.model)
        self.world = world_of(file, self.model.opt.gravity, dt)
        known = {name: self.world.joint_slice(name) for name in self.world.joint_names}
        self.slices: list[slice] = []
        if file.name in FLOATING:
            # No joint of ours places a body that floats: it has a pose and a velocity of its centre.
            self.free: str | None = self.world.body_names[0]
            return
        self.free = None
        for k in range(self.model.njnt):
            name = self.model.joint(k).name
            if name not in known:
                # Joints without a name have their number.
                name = f"joint{k}"
            self.slices.append(known[name])

    def draw(self, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
        """Coordinates, velocities and the matrix that takes velocities of MuJoCo to ours."""
        m = self.model
        q, v = np.zeros(m.nq), rng.normal(size=m.nv)
        if self.free is not None:
            q[:] = rng.normal(size=7)
            q[3:] /= np.linalg.norm(q[3:])
            T = np.eye(6)
            T[3:, 3:] = matrix(q[3:])
            T[:3, 3:] = -cross(T[3:, 3:] @ m.body_ipos[1]) @ T[3:, 3:]
            return q, v, np.zeros(0), T
        ours, T = np.zeros(len(self.world.q)), np.zeros((m.nv, m.nv))
        for k, place in enumerate(self.slices):
            a, b, kind = m.jnt_qposadr[k], m.jnt_dofadr[k], m.jnt_type[k]
            if kind in (0, 1):
                turn = rng.normal(size=4)
                turn /= np.linalg.norm(turn)
                at = a + (3 if kind == 0 else 0)
                q[at : at + 4] = turn
                if kind == 0:
                    q[a : a + 3] = rng.normal(size=3)
                    ours[place.start : place.start + 3] = q[a : a + 3]
                    T[place.start : place.start + 3, b : b + 3] = np.eye(3)
                ours[place.stop - 3 : place.stop] = rotation_vector(turn)
                at = b + (3 if kind == 0 else 0)
                T[place.stop - 3 : place.stop, at : at + 3] = matrix(turn)
            else:
                low, high = m.jnt_range[k] if m.jnt_limited[k] else (-1.4, 1.4)
                q[a] = ours[place.start] = rng.uniform(low, high)
                T[place.start, b] = 1
        return q, v, ours, T

    def at(self, q: Any, v: Any, ours: Any, T: Any) -> None:
        """Puts both there."""
        self.data.qpos[:], self.data.qvel[:] = q, v
        if self.free is not None:
            twist = T @ v
            self.world.set_pose(self.free, q[:3] + T[3:, 3:] @ self.model.body_ipos[1], np.roll(q[3:], -1))
            self.world.set_velocity(self.free, twist[:3], twist[3:])
        else:
            self.world.q, self.world.v = ours, T @ v
        mujoco.mj_forward(self.model, self.data)

    def mass(self, T: Any) -> Any:
        """MuJoCo's mass matrix in our velocities."""
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, M, self.data.qM) if _has_old_full() else mujoco.mj_fullM(self.model, self.data, M)
        back = np.linalg.inv(T)
        return back.T @ M @ back


def _has_old_full() -> bool:
    return hasattr(mujoco.MjData, "qM") and mujoco.mj_fullM.__doc__ is not None and "dst" in mujoco.mj_fullM.__doc__.split("M:")[0]


def near(found: Any, expected: Any, tolerance: float, what: str) -> float:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: {found.shape} {expected.shape}"
    worst = float(np.abs(found - expected).max(initial=0.0))
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert worst <= tolerance * scale, f"{what}: {worst}"
    return worst


@pytest.mark.parametrize("file", [*files("xml"), *files("urdf")], ids=named)
def test_a_model_is_the_same_in_mujoco(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if file.name in REFUSED:
        with pytest.raises(stiction.InputError, match=REFUSED[file.name]):
            world_of(file)
        return
    # Ours reads it, whether MuJoCo does or not.
    world_of(file)
    try:
        pair = Pair(file)
    except ValueError as error:
        if isinstance(error, stiction.InputError):
            raise
        pytest.skip(f"skipped: {file.name}: read by Stiction, refused by MuJoCo: {error}")
    m, d, world = pair.model, pair.data, pair.world
    moving = (m.body_weldid != 0) & (m.body_mocapid < 0)
    worst = dict.fromkeys(["mass", "centre", "places", "M", "bias", "actuators"], 0.0)
    masses = np.where(np.isfinite(world.masses), world.masses, 0.0)
    worst["mass"] = near(masses.sum(), m.body_mass[moving].sum(), 1e-9, "mass")
    rng = np.random.default_rng(7)
    frames = world.frame_names
    ignored = [note for note in world.notes if ": actuator " in note]
    compared = 0
    for sample in range(SAMPLES):
        q, v, ours, T = pair.draw(rng)
        if m.nu and not ignored:
            d.ctrl[:] = world.ctrl = rng.normal(size=m.nu)
        pair.at(q, v, ours, T)
        near(world.q, ours, 1e-9, "q")
        if masses.sum() > 0:
            centre = (masses[:, None] * np.asarray(world.positions)).sum(axis=0) / masses.sum()
            theirs = (m.body_mass[moving, None] * d.xipos[moving]).sum(axis=0) / m.body_mass[moving].sum()
            worst["centre"] = max(worst["centre"], near(centre, theirs, 1e-9, "centre of mass"))
        for body in range(1, m.nbody):
            # Bodies without a name have their number.
            name = m.body(body).name or f"body{body}"
            assert name in frames, (name, frames)
            position, turn = world.frame(name)
            worst["places"] = max(worst["places"], near(position, d.xpos[body], 1e-9, f"place of {name}"))
            axes = matrix(np.roll(turn, 1))
            near(axes, d.xmat[body].reshape(3, 3), 1e-9, f"axes of {name}")
            compared += 1
        # Dense matrices of many coordinates take long: fewer of them.
        if m.nv >= MANY and sample >= SAMPLES // 20:
            continue
        worst["M"] = max(worst["M"], near(world.mass_matrix(), pair.mass(T), 1e-8, "mass matrix"))
        bias = np.linalg.inv(T).T @ d.qfrc_bias
        worst["bias"] = max(worst["bias"], near(world.bias_force(), bias, 1e-8, "bias force"))
        if m.nu and not ignored:
            worst["actuators"] = max(worst["actuators"], near(world.actuator_forces, d.actuator_force, 1e-9, "actuators"))
    assert compared >= SAMPLES, "no body was compared"
    with capsys.disabled():
        samples = f"{SAMPLES} q" + (f", {SAMPLES // 20} of them with M, bias and actuators" if m.nv >= MANY else "")
        sizes = ", ".join(f"{what} {size:.1e}" for what, size in worst.items())
        print(f"\n{file.name}: {compared // SAMPLES} bodies at {samples}: {sizes}")


def sensors_of(model: Any, data: Any) -> dict[str, Any]:
    """What MuJoCo's sensors read, quaternions as x, y, z, w."""
    found = {}
    for k in range(model.nsensor):
        at = model.sensor_adr[k]
        read = data.sensordata[at : at + model.sensor_dim[k]].copy()
        is_turn = model.sensor_type[k] == mujoco.mjtSensor.mjSENS_FRAMEQUAT
        found[model.sensor(k).name] = np.roll(read, -1) if is_turn else read
    return found


def test_sensors_read_the_same_in_motion(capsys: pytest.CaptureFixture[str]) -> None:
    # MuJoCo reads accelerations and forces at a moment, Stiction over a step: the step is short. All else is that of the moment.
    over_a_step = ("force", "torque", "accelerometer", "sole")
    pair = Pair(FEATURES, dt=1e-7)
    m, d, world = pair.model, pair.data, pair.world
    rng = np.random.default_rng(11)
    worst: dict[str, float] = {}
    seen: dict[str, float] = {}
    for _ in range(10):
        q, v, ours, T = pair.draw(rng)
        # Far from the ground.
        q[m.jnt_qposadr[4] + 2] += 10
        ours[pair.slices[4].start + 2] += 10
        d.ctrl[:] = world.ctrl = 0.5 * rng.normal(size=m.nu)
        pair.at(q, v, ours, T)
        now = {name: np.atleast_1d(world.sensor(name)) for name in world.sensor_names}
        world.step().raise_for_status()
        expected = sensors_of(m, d)
        assert world.sensor_names == list(expected)
        for name, theirs in expected.items():
            is_over_a_step = name.startswith(over_a_step)
            read = np.atleast_1d(world.sensor(name)) if is_over_a_step else now[name]
            if name == "turn" and read @ theirs < 0:
                read = -read
            worst[name] = max(worst.get(name, 0.0), near(read, theirs, 2e-5 if is_over_a_step else 1e-9, name))
            seen[name] = max(seen.get(name, 0.0), float(np.abs(theirs).max()))
    # Nothing touches; all others read something.
    assert all(size > 1e-2 for name, size in seen.items() if name != "sole"), seen
    with capsys.disabled():
        print("\nsensors in motion: " + ", ".join(f"{name} {size:.1e}" for name, size in worst.items()))


def test_sensors_read_the_same_at_rest() -> None:
    pair = Pair(FEATURES)
    m, d, world = pair.model, pair.data, pair.world
    for _ in range(2000):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    world.step(2000).raise_for_status()
    expected = sensors_of(m, d)
    weight = 2 * 9.81
    assert abs(expected["sole"][0] - weight) < 1e-6 * weight
    assert abs(world.sensor("sole") - weight) < 1e-9 * weight
    near(world.sensor("accelerometer_ball"), expected["accelerometer_ball"], 1e-5, "accelerometer at rest")


@pytest.mark.parametrize("file", [*files("sdf"), *files("world")], ids=named)
def test_sdf_is_refused_by_name(file: Path) -> None:
    with pytest.raises(stiction.InputError, match="must be mujoco, found another element"):
        world_of(file)


DOUBLE_PENDULUM = """<mujoco><worldbody><body name="upper" pos="0 0 2"><joint name="shoulder" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/><body name="lower" pos="0 0 -0.5"><joint name="elbow" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/></body></body></worldbody></mujoco>"""

ARM = """<mujoco><default><joint damping="0.01" armature="0.05"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="a" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.04"/>
<body name="b" pos="0 0 0.3"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
<body name="c" pos="0.4 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body></body></body>
</worldbody><actuator><position joint="a" kp="10" kv="0.01"/><position joint="b" kp="60" kv="0.01"/><motor joint="c" gear="2"/></actuator></mujoco>"""


def humanoid_in_the_air() -> str:
    """MuJoCo's humanoid without ground, limits and tendons: nothing touches and nothing is soft."""
    assert MODELS is not None
    root = ET.parse(MODELS / "mujoco/model/humanoid/humanoid.xml").getroot()
    worldbody = root.find("worldbody")
    assert worldbody is not None
    worldbody.remove(next(g for g in worldbody.findall("geom") if g.get("name") == "floor"))
    for tag in ("tendon", "keyframe"):
        if (found := root.find(tag)) is not None:
            root.remove(found)
    for joint in root.iter("joint"):
        joint.attrib.pop("range", None)
        joint.attrib.pop("limited", None)
    for geom in root.iter("geom"):
        geom.set("contype", "0")
        geom.set("conaffinity", "0")
    return ET.tostring(root, encoding="unicode")


def final(text: str, dt: float, end: float, ctrl: Any, rates: Any, folder: Path) -> dict[str, Any]:
    """Where frames are at the end: angles are known up to whole turns only."""
    file = folder / "model.xml"
    file.write_text(text)
    scene = stiction.Scene(folder=str(folder), dt=dt)
    scene.add_mjcf("model.xml")
    world = stiction.World(scene)
    if len(ctrl):
        world.ctrl = ctrl
    world.v = rates
    world.step(round(end / dt)).raise_for_status()
    return {name: world.frame(name)[0] for name in world.frame_names}


@pytest.mark.parametrize("name", ["double pendulum", "arm", "humanoid"])
def test_free_motion_is_of_second_order_against_rk4(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "humanoid" and MODELS is None:
        pytest.skip("skipped: humanoid: shared data is absent")
    text, end, steps = {
        "double pendulum": (DOUBLE_PENDULUM, 10.0, [2e-3, 1e-3, 5e-4]),
        # Its last link goes round and round, which tells errors apart only where they are small beside the link.
        "arm": (ARM, 10.0, [2.5e-4, 1.25e-4, 6.25e-5]),
        "humanoid": (humanoid_in_the_air() if name == "humanoid" else "", 10.0, [2e-3, 1e-3, 5e-4]),
    }[name]
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-4
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    ctrl, rates = {
        "double pendulum": (np.zeros(0), np.array([3.0, 2.0])),
        "arm": (np.array([0.7, -0.4, 0.5]), np.zeros(3)),
        "humanoid": (rng.uniform(-0.05, 0.05, size=model.nu), 0.5 * rng.normal(size=model.nv)),
    }[name]
    data.ctrl[:], data.qvel[:] = ctrl, rates
    for _ in range(round(end / 1e-4)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    expected = {model.body(k).name: data.xpos[k].copy() for k in range(1, model.nbody)}
    errors = []
    for dt in steps:
        # The free joint starts unturned: velocities are the same in both.
        found = final(text, dt, end, ctrl, rates, tmp_path)
        errors.append(max(float(np.abs(found[name] - place).max()) for name, place in expected.items()))
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:], strict=False)]
    with capsys.disabled():
        print(f"\n{name}, {end} s at {steps}: off by {[f'{e:.1e}' for e in errors]}, orders {[f'{o:.2f}' for o in orders]}")
    assert all(1.7 <= order <= 2.5 for order in orders), (errors, orders)
