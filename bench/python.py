"""What a call from Python costs: `solve` against the same solves in Rust alone, and rollouts on one and two threads.

python bench/python.py [--towers N] [--steps N] [--rounds N]
"""

from __future__ import annotations

import argparse
import math
import statistics
import time

import numpy as np
import stiction
from stiction._stiction import _time_solve

ROUNDS = 20
TURNS = 20
SOLVES = 20

TOWER = """
format = 1
world = {{ friction = 0.5, density = 1000 }}
[[body]]
name = "ground"
shape = {{ half_space = [0, 0, 1] }}
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
[[stack]]
name = "tower"
box = [0.2, 0.2, 0.2]
count = 5
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
"""


def peg(contacts: int, rng: np.random.Generator) -> stiction.ContactProblem:
    """A peg in its hole: two rings of contacts, pushed at random (Lloyd 2005, section 6)."""
    radius, length = 0.25, 2.0
    across = (3.0 * radius**2 + length**2) / 12.0
    body = {
        "mass": 1.0,
        "inertia": [across, across, radius**2 / 2.0],
        "position": [0.0, 0.0, 0.0],
        "velocity": rng.normal(size=6) * [1.0, 1.0, 1.0, 0.5, 0.5, 0.5],
        "wrench": np.zeros(6),
    }
    angles = [2.0 * math.pi * i / (contacts // 2) for i in range(contacts // 2)]
    touching = [
        {
            "a": 0,
            "point": [radius * math.cos(t), radius * math.sin(t), height],
            "normal": [-math.cos(t), -math.sin(t), 0.0],
            "mu": 0.3,
        }
        for height in (0.5, -0.5)
        for t in angles
    ]
    return stiction.ContactProblem.from_bodies([body], touching, dt=0.01)


def overhead(law: stiction.Law) -> tuple[float, float, float]:
    """Medians over pegs with 32 contacts of the time in Rust, the time from Python and their difference [us]."""
    rng = np.random.default_rng(1)
    rust, python = [], []
    for _ in range(ROUNDS):
        problem = peg(32, rng)
        stiction.solve(problem, law=law)
        ours: list[float] = []
        theirs: list[float] = []
        # By turns, so that what else runs on the machine slows both alike.
        for _ in range(TURNS):
            theirs += _time_solve(problem, SOLVES, law=law)
            for _ in range(SOLVES):
                start = time.perf_counter()
                stiction.solve(problem, law=law)
                ours.append(time.perf_counter() - start)
        rust.append(statistics.median(theirs))
        python.append(statistics.median(ours))
    more = [p - r for p, r in zip(python, rust)]
    return 1e6 * statistics.median(rust), 1e6 * statistics.median(python), 1e6 * statistics.median(more)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--towers", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    laws: list[stiction.Law] = ["coulomb", "polyhedral"]
    for law in laws:
        rust, python, more = overhead(law)
        print(f"peg, 32 contacts, {law:<12} Rust {rust:8.2f} us   Python {python:8.2f} us   overhead {more:5.2f} us")
    rng = np.random.default_rng(2)
    scenes = [TOWER.format(tilt=tilt) for tilt in rng.uniform(0.0, 11.0, arguments.towers)]
    seconds = dict.fromkeys((1, 2), math.inf)
    busy = dict.fromkeys((1, 2), math.inf)
    hashes = {}
    # By turns, the best of each: what else runs on the machine slows both.
    for _ in range(arguments.rounds):
        for threads in (1, 2):
            start, cpu = time.perf_counter(), time.process_time()
            ends = stiction.run_scenes(scenes, arguments.steps, threads)
            seconds[threads] = min(seconds[threads], time.perf_counter() - start)
            busy[threads] = min(busy[threads], time.process_time() - cpu)
            hashes[threads] = [end.state_hash for end in ends]
    assert hashes[1] == hashes[2], "the bits must not depend on threads"
    ratio = seconds[1] / seconds[2]
    print(
        f"rollout of {arguments.towers} towers, {arguments.steps} steps: "
        f"1 thread {seconds[1]:.2f} s, 2 threads {seconds[2]:.2f} s, {ratio:.2f} times; "
        f"processor time {busy[1]:.2f} s and {busy[2]:.2f} s, {2.0 * busy[1] / busy[2]:.2f} times on cores of its own"
    )


if __name__ == "__main__":
    main()
