"""Runs of other people's solvers, shared by the comparisons in this folder."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Problems, drivers and residuals.
SOURCE = os.path.join(HERE, "problems")
# Where setup.sh installs the peers, and where problems are written.
PEERS = os.environ.get("PEERS_DIR") or os.path.join(ROOT, "target", "peers")
# Peers that gave nothing, and why.
missing = {}


def needs(*modules):
    """Stops with one line where a Python module is not installed."""
    import importlib.util
    for module in modules:
        if importlib.util.find_spec(module) is None:
            sys.exit(f"{os.path.basename(sys.argv[0])}: needs {module}: python3 -m pip install {' '.join(modules)}")


def tool(path):
    """The tool `stiction`: the one that was named, or a release build of this tree."""
    if path:
        return path
    folder = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "stiction-cli"], cwd=ROOT, check=True)
    return os.path.join(folder, "release", "stiction")


def problems():
    """Folder of the problems, which are written once; always the same ones."""
    folder = os.path.join(PEERS, "problems")
    if not os.path.isdir(folder):
        subprocess.run([sys.executable, os.path.join(SOURCE, "contactgen.py"), folder], check=True)
    return folder


def peer(name, form, scenario, count, budget, wall):
    """All problems of a scenario through one peer, in a process of its own: some crash.

    What the peer did within `wall` seconds counts. One that is not installed is named once and skipped."""
    if name in missing:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.jsonl")
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", PEERS_DIR=PEERS)
        run = [sys.executable, os.path.join(SOURCE, "run_peer.py"), name, scenario, form, path,
               "--count", str(count), "--budget", str(budget)]
        said = ""
        try:
            said = subprocess.run(run, env=env, cwd=folder, timeout=wall, capture_output=True, text=True).stderr
        except subprocess.TimeoutExpired:
            pass
        if not os.path.exists(path):
            missing[name] = said.strip().splitlines()[-1] if said.strip() else "gave nothing in time"
            print(f"skipped: {name}: {missing[name]}", file=sys.stderr, flush=True)
            return []
        with open(path) as f:
            lines = [json.loads(line) for line in f if line.strip()]
    return [line for line in lines if "i" in line and "tmin" in line]
