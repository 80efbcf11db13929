"""Trajectories of many worlds under random controls: `stiction.rollout` beside `mujoco.rollout`, both on the same number of threads.

python bench/rollout_peers.py [--worlds N] [--steps N] [--threads N] [--rounds N] [--clock wall|cpu]

Prints a table of steps per second and their ratio, for a box pushed about on a floor and for a grasp that is opened, closed and lifted by motors.
Both read the same MJCF and step it by the same time; MuJoCo at its defaults. Stiction's steps are all verified. `VectorWorld.step` is the loop of a
policy: one call from Python a step. The clock `cpu` counts the time of all threads: on a machine that is shared.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np
import stiction

DT = 0.002
# Steps for which a control stays.
HELD = 10
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}

BOX = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="10 10 1" friction="0.5 0.005 0.0001"/>
    <body name="box" pos="0 0 0.1">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5 0.005 0.0001"/>
    </body>
  </worldbody>
</mujoco>
"""

GRASP = """
<mujoco>
  <option timestep="0.002"/>
  <default><geom friction="0.8 0.005 0.0001"/></default>
  <worldbody>
    <geom type="plane" size="10 10 1"/>
    <body name="box" pos="0 0 0.05">
      <freejoint/>
      <geom type="box" size="0.05 0.05 0.05" mass="0.5"/>
    </body>
    <body name="hand" pos="0 0 0.3">
      <joint name="lift" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>
      <body name="left" pos="-0.075 0 -0.24">
        <joint name="left" type="slide" axis="1 0 0"/>
        <geom type="box" size="0.02 0.03 0.04" mass="0.2"/>
      </body>
      <body name="right" pos="0.075 0 -0.24">
        <joint name="right" type="slide" axis="-1 0 0"/>
        <geom type="box" size="0.02 0.03 0.04" mass="0.2"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="lift" joint="lift"/>
    <motor name="left" joint="left"/>
    <motor name="right" joint="right"/>
  </actuator>
</mujoco>
"""


def world_of(text: str) -> stiction.World:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.xml").write_text(text)
        scene = stiction.Scene(folder=folder, dt=DT)
        scene.add_mjcf("model.xml")
        return stiction.World(scene)


class Inputs:
    """Random controls (worlds, steps, nu) and forces on bodies (worlds, steps, bodies, 6) [N, N m], constant over some steps."""

    def __init__(self, kind: str, worlds: int, steps: int) -> None:
        rng = np.random.default_rng(7)
        held = (steps + HELD - 1) // HELD
        self.controls: stiction.Floats | None = None
        self.wrenches: stiction.Floats | None = None
        self.bodies: list[str] = []
        if kind == "box":
            # MuJoCo's actuators on a free body have no counterpart here: it is pushed by forces.
            drawn = np.zeros((worlds, held, 1, 6))
            drawn[:, :, 0, :2] = rng.uniform(-8.0, 8.0, (worlds, held, 2))
            self.wrenches = np.repeat(drawn, HELD, axis=1)[:, :steps]
            self.bodies = ["box"]
        else:
            drawn = rng.uniform(5.0, 15.0, (worlds, held, 3))
            # About the weight of hand and box, 11.8 N.
            drawn[:, :, 0] = rng.uniform(4.0, 20.0, (worlds, held))
            self.controls = np.repeat(drawn, HELD, axis=1)[:, :steps]
        given = self.controls if self.controls is not None else self.wrenches
        assert given is not None
        self.worlds, self.steps = given.shape[:2]


def ours(world: stiction.World, inputs: Inputs, threads: int, clock: str) -> tuple[float, int]:
    """Time [s], and how many worlds failed."""
    start = CLOCKS[clock]()
    found = stiction.rollout(
        world,
        inputs.controls,
        count=inputs.worlds,
        wrenches=inputs.wrenches,
        bodies=inputs.bodies,
        threads=threads,
    )
    return CLOCKS[clock]() - start, sum(message is not None for message in found.messages)


def by_steps(world: stiction.World, inputs: Inputs, threads: int, clock: str) -> tuple[float, int]:
    """The same, one call a step."""
    worlds = stiction.VectorWorld(world, inputs.worlds, threads=threads)
    failed: set[int] = set()
    start = CLOCKS[clock]()
    for step in range(inputs.steps):
        ctrl = None if inputs.controls is None else inputs.controls[:, step]
        pushes = None if inputs.wrenches is None else inputs.wrenches[:, step]
        worlds.step(ctrl, wrenches=pushes, bodies=inputs.bodies)
        failed.update(worlds.messages)
    return CLOCKS[clock]() - start, len(failed)


def theirs(text: str, inputs: Inputs, threads: int, clock: str) -> float:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros(size)
    mujoco.mj_getState(model, data, initial, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    if inputs.controls is not None:
        control, spec = inputs.controls, mujoco.mjtState.mjSTATE_CTRL
    else:
        assert inputs.wrenches is not None
        # Forces on all bodies, the world's first.
        control = np.zeros((inputs.worlds, inputs.steps, model.nbody, 6))
        control[:, :, model.body(inputs.bodies[0]).id] = inputs.wrenches[:, :, 0]
        control, spec = control.reshape(inputs.worlds, inputs.steps, -1), mujoco.mjtState.mjSTATE_XFRC_APPLIED
    start = CLOCKS[clock]()
    with mujoco.rollout.Rollout(nthread=threads) as pool:
        pool.rollout(
            model,
            [mujoco.MjData(model) for _ in range(threads)],
            np.tile(initial, (inputs.worlds, 1)),
            control,
            control_spec=int(spec),
            nstep=inputs.steps,
        )
    return CLOCKS[clock]() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    options = parser.parse_args()
    unit = "steps/s" if options.clock == "wall" else "steps per second of processor time"
    print(
        f"Made by `bench/rollout_peers.py`, MuJoCo {mujoco.__version__} at its defaults, {options.worlds} worlds, {options.steps} steps of {DT} s,\n"
        f"{options.threads} threads, the fastest of {options.rounds} rounds.\n"
    )
    print(f"| scene | call | ours [{unit}] | MuJoCo [{unit}] | ratio | worlds that failed |\n|---|---|---|---|---|---|")
    for kind, text in (("box", BOX), ("grasp", GRASP)):
        world, inputs = world_of(text), Inputs(kind, options.worlds, options.steps)
        total = options.worlds * options.steps
        peer, runs = np.inf, {"rollout": (np.inf, 0), "VectorWorld.step": (np.inf, 0)}
        # By turns, so that what else runs on the machine slows all alike.
        for _ in range(options.rounds):
            peer = min(peer, theirs(text, inputs, options.threads, options.clock))
            runs["rollout"] = min(runs["rollout"], ours(world, inputs, options.threads, options.clock))
            runs["VectorWorld.step"] = min(runs["VectorWorld.step"], by_steps(world, inputs, options.threads, options.clock))
        for call, (here, failed) in runs.items():
            print(f"| {kind} | {call} | {total / here:.0f} | {total / peer:.0f} | {peer / here:.3f} | {failed} |", flush=True)


if __name__ == "__main__":
    main()
