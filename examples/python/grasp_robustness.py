"""How sure is a grasp? Four cubes held between a wall and a plate, with friction and force drawn at random.

Statics: the row holds iff the plate presses with at least 4 W / (2 mu). Every draw is a scene; all of them run at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import stiction

SCENE = (Path(__file__).resolve().parents[2] / "scenes/grasp-4.toml").read_text()
STEPS = 50
WEIGHT = 9.81
# A row that slips falls freely at first or slides; one that holds stands still.
STILL = 1e-6


def uniforms(seed: int) -> Iterator[float]:
    """Numbers from 0 to 1 by splitmix64: the same in every language and version."""
    state, mask = seed, (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield ((z ^ (z >> 31)) >> 11) * 2.0**-53


def normal(source: Iterator[float]) -> float:
    """A number of mean 0 and deviation 1, nearly normal: twelve uniform ones less six."""
    total = 0.0
    for _ in range(12):
        total += next(source)
    return total - 6.0


def draw(seed: int, count: int) -> tuple[list[str], list[bool]]:
    """Scenes with friction 0.5 (5 %) and force 42 N (10 %), and whether statics says that they hold."""
    source = uniforms(seed)
    scenes, holds = [], []
    for _ in range(count):
        friction = max(0.5 + 0.025 * normal(source), 0.1)
        force = max(42.0 + 4.2 * normal(source), 1.0)
        scenes.append(SCENE.replace("friction = 0.5", f"friction = {friction!r}").replace("-39.24003924", f"{-force!r}"))
        holds.append(force >= 4.0 * WEIGHT / (2.0 * friction))
    return scenes, holds


def run(scenes: list[str], threads: int) -> tuple[stiction.Floats, list[int]]:
    """Fastest velocity at the end [m/s, rad/s] and hash of the state of each scene."""
    ends = stiction.run_scenes(scenes, STEPS, threads)
    for end in ends:
        end.raise_for_status()
    return np.array([float(abs(end.velocities).max()) for end in ends]), [end.state_hash for end in ends]


def main() -> None:
    scenes, expected = draw(seed=1, count=200)
    fastest, hashes = run(scenes, threads=2)
    holds = [bool(speed < STILL) for speed in fastest]
    print(f"holds in {sum(holds)} of {len(holds)} draws; statics says {sum(expected)}")
    print(f"states from {hashes[0]:016x} to {hashes[-1]:016x}")
    assert holds == expected
    assert run(scenes[:20], threads=1)[1] == hashes[:20]


if __name__ == "__main__":
    main()
