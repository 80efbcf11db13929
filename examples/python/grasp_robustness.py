"""How sure is a grasp? Four cubes held between a wall and a plate, with friction and force drawn at random.

Statics: the row holds iff the plate presses with at least 4 W / (2 mu). Every draw is a scene; all of them run at once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import stiction

SCENE = (Path(__file__).resolve().parents[2] / "scenes/grasp-4.toml").read_text()
STEPS = 50
WEIGHT = 9.81
# A row that slips falls freely at first or slides; one that holds stands still.
STILL = 1e-6


def draw(seed: int, count: int) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Scenes with friction 0.5 (5 %) and force 42 N (10 %), and whether statics says that they hold."""
    rng = np.random.default_rng(seed)
    friction = rng.normal(0.5, 0.025, count).clip(0.1)
    force = rng.normal(42.0, 4.2, count).clip(1.0)
    scenes = [
        SCENE.replace("friction = 0.5", f"friction = {float(mu)!r}").replace("-39.24003924", f"{-float(p)!r}")
        for mu, p in zip(friction, force)
    ]
    return scenes, force >= 4.0 * WEIGHT / (2.0 * friction)


def run(scenes: list[str], threads: int) -> tuple[stiction.Floats, list[int]]:
    """Fastest velocity at the end [m/s, rad/s] and hash of the state of each scene."""
    ends = stiction.rollout(scenes, STEPS, threads)
    for end in ends:
        end.raise_for_status()
    return np.array([float(abs(end.velocities).max()) for end in ends]), [end.state_hash for end in ends]


def main() -> None:
    scenes, expected = draw(seed=1, count=200)
    fastest, hashes = run(scenes, threads=2)
    holds = fastest < STILL
    print(f"holds in {holds.sum()} of {len(holds)} draws; statics says {expected.sum()}")
    assert (holds == expected).all()
    assert run(scenes[:20], threads=1)[1] == hashes[:20]


if __name__ == "__main__":
    main()
