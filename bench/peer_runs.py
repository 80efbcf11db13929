"""Runs of other people's solvers, shared by the comparisons in this folder."""
import json
import os
import subprocess
import sys
import tempfile


def peer(name, form, scenario, source, count, budget, wall):
    """All problems of a scenario through one peer, in a process of its own: some crash.

    `source` holds the drivers; what the peer did within `wall` seconds counts."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.jsonl")
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        run = [sys.executable, os.path.join(source, "run_peer.py"), name, scenario, form, path,
               "--count", str(count), "--budget", str(budget)]
        try:
            subprocess.run(run, env=env, cwd=folder, timeout=wall, capture_output=True)
        except subprocess.TimeoutExpired:
            pass
        if not os.path.exists(path):
            return []
        with open(path) as f:
            lines = [json.loads(line) for line in f if line.strip()]
    return [line for line in lines if "i" in line and "tmin" in line]
