"""The same on Ray: scene texts go to the workers, arrays, trajectories and hashes come back, equal to the local ones to the bit.

In Python only: Ray's workers are Python processes. Needs `pip install ray`. On a cluster, `ray.init(address="auto")` and one task a few hundred scenes.
"""

from __future__ import annotations

import zlib

import numpy as np
import ray
import stiction
from grasp_robustness import draw, run

BATCH = 25
WORKERS = 2


def trajectories(scenes: list[str]) -> stiction.Floats:
    """States of all steps under random pushes on the first cube, (scenes, 20, nx). Worlds go to workers as texts, and each draws its own pushes."""
    worlds = [stiction.World.parse(scene) for scene in scenes]
    pushes = np.zeros((len(worlds), 20, 1, 6))
    for k, scene in enumerate(scenes):
        pushes[k, :, 0, :3] = np.random.default_rng(zlib.crc32(scene.encode())).uniform(-1, 1, (20, 3))
    found = stiction.rollout(worlds, wrenches=pushes, bodies=[worlds[0].moving_names[0]], threads=1)
    found.raise_for_status()
    return found.states


def main() -> None:
    scenes, _ = draw(seed=1, count=100)
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    try:
        task = ray.remote(run)
        parts = [task.remote(scenes[k : k + BATCH], 1) for k in range(0, len(scenes), BATCH)]
        found = ray.get(parts)
        task = ray.remote(trajectories)
        states = np.concatenate(ray.get([task.remote(scenes[k : k + BATCH]) for k in range(0, len(scenes), BATCH)]))
    finally:
        ray.shutdown()
    fastest = np.concatenate([part[0] for part in found])
    hashes = [h for part in found for h in part[1]]
    here, here_hashes = run(scenes, threads=2)
    assert hashes == here_hashes
    assert fastest.tobytes() == here.tobytes()
    assert states.tobytes() == trajectories(scenes).tobytes()
    print(f"{len(hashes)} scenes in {len(parts)} tasks on {WORKERS} workers: the same bits as here")
    print(f"trajectories of shape {states.shape}: the same bits as here")


if __name__ == "__main__":
    main()
