"""Robots from MJCF that drop, stand on position servos and are pushed: beside MuJoCo at its defaults, in one run.

    python bench/robots_peers.py [MODELS]

MODELS is the folder of models (default data/models, then ../shared/data/models). Prints a table: time a step, height, and how far the sum of contact
forces is from the weight, at rest before the push and after it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import stiction

try:
    import mujoco
except ImportError:
    sys.exit("skipped: mujoco: not installed")

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = [ROOT / "data/models", ROOT / "../shared/data/models"]
DT = 0.002
SECONDS = 4.0
PUSH = 40.0


def phases(seconds: float) -> tuple[tuple[float, float], ...]:
    """Force on the base [N] and how long [s]."""
    return ((0.0, seconds), (PUSH, 0.1), (0.0, seconds))


def humanoid(folders: list[Path]) -> str | None:
    """MuJoCo's humanoid with a position servo for each motor."""
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        return None
    root = ET.parse(folder / "mujoco/model/humanoid/humanoid.xml").getroot()
    actuators = root.find("actuator")
    default = root.find("default")
    assert actuators is not None and default is not None
    default.remove(next(tag for tag in default if tag.tag == "motor"))
    for motor in list(actuators):
        gear = float(motor.get("gear", "1"))
        motor.tag = "position"
        motor.attrib.pop("gear")
        motor.set("kp", str(6 * gear))
        motor.set("kv", str(0.3 * gear))
        motor.set("forcerange", f"{-10 * gear} {10 * gear}")
    return ET.tostring(root, encoding="unicode")


def walker() -> str:
    return (ROOT / "scenes/robots/walker.xml").read_text()


def ours(text: str, keyframe: str | None, base: str, rest: float = SECONDS) -> dict[str, list[float]]:
    """For each phase the time of a step [s], the height of the base [m] and the share of the weight that contact forces miss, at its end."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "robot.xml").write_text(text)
        scene = stiction.Scene(folder=folder, dt=DT)
        scene.add_mjcf("robot.xml", keyframe=keyframe)
        world = stiction.World(scene)
    masses = np.asarray(world.masses)
    weight = float(masses[np.isfinite(masses)].sum()) * 9.81
    # Servos hold the pose of the start.
    world.ctrl = [world.q[world.joint_slice(actuator.joint).start] for actuator in world.actuators]
    body = list(world.body_names).index(base)
    found: dict[str, list[float]] = {"step": [], "height": [], "off": []}
    for pushed, seconds in phases(rest):
        world.apply(base, [0, pushed, 0])
        count = round(seconds / DT)
        start = time.process_time()
        world.step(count).raise_for_status()
        found["step"].append((time.process_time() - start) / count)
        normal = world.contacts.normal
        force = float((np.abs(np.asarray(normal)[:, 2]) * world.contacts.normal_force).sum())
        found["height"].append(float(world.positions[body][2]))
        found["off"].append(abs(force - weight) / weight)
    return found


def theirs(text: str, keyframe: str | None, base: str, rest: float = SECONDS) -> dict[str, list[float]]:
    """The same in MuJoCo."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = DT
    data = mujoco.MjData(model)
    if keyframe is not None:
        mujoco.mj_resetDataKeyframe(model, data, model.key(keyframe).id)
    for k in range(model.nu):
        data.ctrl[k] = data.qpos[model.jnt_qposadr[model.actuator_trnid[k, 0]]]
    weight = model.body_mass[1:].sum() * 9.81
    body = model.body(base).id
    measured: dict[str, list[float]] = {"step": [], "height": [], "off": []}
    for pushed, seconds in phases(rest):
        data.xfrc_applied[body, 1] = pushed
        count = round(seconds / DT)
        start = time.process_time()
        mujoco.mj_step(model, data, nstep=count)
        measured["step"].append((time.process_time() - start) / count)
        force = 0.0
        for k in range(data.ncon):
            found = np.zeros(6)
            mujoco.mj_contactForce(model, data, k, found)
            force += abs(data.contact[k].frame.reshape(3, 3)[0, 2]) * found[0]
        measured["height"].append(float(data.xipos[body][2]))
        measured["off"].append(abs(force - weight) / weight)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folders = FOLDERS if options.models is None else [options.models]
    print(
        f"Made by `bench/robots_peers.py`, MuJoCo {mujoco.__version__} at its defaults: dt {DT} s, {SECONDS} s, a push of {PUSH} N for 0.1 s,\n"
        f"{SECONDS} s more. A step is processor time, the mean of the slower of the two phases at rest, the fastest of {options.rounds} rounds.\n"
    )
    print(
        "| robot | engine | a step [µs] | height at the end [m] | contact forces off the weight before the push | after it |\n"
        "|---|---|---|---|---|---|"
    )
    ratios = []
    for name, text, keyframe, base in (
        ("quadruped", walker(), "stand", "trunk"),
        ("humanoid", humanoid(folders), "squat", "torso"),
    ):
        if text is None:
            print(f"skipped: {name}: no folder of models")
            continue
        best: dict[str, tuple[float, dict[str, list[float]]]] = {}
        # By turns, so that what else runs on the machine slows both alike.
        for _ in range(options.rounds):
            for engine, run in (("stiction", ours), ("mujoco", theirs)):
                row = run(text, keyframe, base)
                step = max(row["step"][0], row["step"][2])
                if engine not in best or step < best[engine][0]:
                    best[engine] = (step, row)
        for engine, (step, row) in best.items():
            off = f"{row['off'][0]:.1e} | {row['off'][2]:.1e}"
            print(f"| {name} | {engine} | {step * 1e6:.1f} | {row['height'][2]:.4f} | {off} |")
        ratios.append(f"{name} {best['stiction'][0] / best['mujoco'][0]:.1f}")
    print(f"\nRatio of a step to MuJoCo's: {', '.join(ratios)}.")


if __name__ == "__main__":
    main()
