"""The same on Ray: scene texts go to the workers, arrays and hashes come back, equal to the local ones to the bit.

In Python only: Ray's workers are Python processes. Needs `pip install ray`. On a cluster, `ray.init(address="auto")` and one task a few hundred scenes.
"""

from __future__ import annotations

import numpy as np
import ray
from grasp_robustness import draw, run

BATCH = 25
WORKERS = 2


def main() -> None:
    scenes, _ = draw(seed=1, count=100)
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    try:
        task = ray.remote(run)
        parts = [task.remote(scenes[k : k + BATCH], 1) for k in range(0, len(scenes), BATCH)]
        found = ray.get(parts)
    finally:
        ray.shutdown()
    fastest = np.concatenate([part[0] for part in found])
    hashes = [h for part in found for h in part[1]]
    here, here_hashes = run(scenes, threads=2)
    assert hashes == here_hashes
    assert fastest.tobytes() == here.tobytes()
    print(f"{len(hashes)} scenes in {len(parts)} tasks on {WORKERS} workers: the same bits as here")


if __name__ == "__main__":
    main()
