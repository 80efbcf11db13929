#!/usr/bin/env python3
"""Whole steps of our simulator and of other engines on the same scenes, in one run.

usage: scene_peers.py [--peers-src DIR] [--work DIR] [--driver FILE] [--rounds K] [--machine NAME]

Needs the drivers of the other engines (default ../shared/peers/scenes below the project's root), which bring the scenes, and our own:
`cargo build --release -p stiction-sim --example flat_scene`.  MuJoCo runs where `import mujoco` works; ODE where pkg-config knows `ode`
(its driver is compiled into --work); Rapier where cargo can build its driver.  What is missing is skipped and said so.

Every step is timed with collision, dt 1 ms, one thread, sleeping off; the median over the second half of a run counts, and of several
rounds, in which the engines take turns, the fastest.  `moved` is how far any body was displaced at the end: nothing should move in
these scenes.  MuJoCo runs at its defaults (soft contact, the speed floor), Rapier at its most faithful settings, ODE with its
exact `dWorldStep`.

With --machine NAME the table goes to bench/results/NAME/scene_peers.md.
"""
import argparse
import importlib.util
import math
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DT = 1e-3
ENGINES = ["stiction", "mujoco-default", "rapier-best", "ode-step"]
STEPS = {"box": 5000, "tower": 3000, "stack": 3000, "wall": 600}
BUDGET = {"ode-step": 15.0}  # seconds of stepping; its step on the wall takes half a second


def scenes(peers):
    """The scenes, as the drivers describe them."""
    sys.path.insert(0, peers)
    import scenes as library
    lean = math.radians(10.0)  # 1.3 degrees short of tipping
    tilted = [library.G * math.sin(lean), 0.0, -library.G * math.cos(lean)]
    found = {
        "box": library.incline("box", 0.99, 0),
        "tower": dict(library.stack("tower", [1.0] * 5), gravity=tilted),
        "stack": library.stack("stack", [1.0] * 10),
        "wall": library.wall("wall"),
    }
    for name, scene in found.items():
        scene["duration"] = STEPS[name] * DT
        scene["sample_dt"] = scene["duration"]
    return found, library.to_text


def build(peers, work, driver):
    """Command of each engine that is here; a word on each that is not."""
    os.makedirs(work, exist_ok=True)
    have = {}
    if os.path.exists(driver):
        have["stiction"] = [driver]
    else:
        sys.exit(f"no driver at {driver}: cargo build --release -p stiction-sim --example flat_scene")
    if importlib.util.find_spec("mujoco"):
        have["mujoco-default"] = [sys.executable, os.path.abspath(__file__), "--mujoco", peers]
    else:
        print("mujoco: not installed, skipped")
    ode = os.path.join(work, "ode_driver")
    if not os.path.exists(ode) and shutil.which("pkg-config") and shutil.which("g++"):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "ode"], capture_output=True, text=True)
        if flags.returncode == 0:
            subprocess.run(["g++", "-O2", "-o", ode, os.path.join(peers, "ode", "ode_driver.cpp"), *flags.stdout.split()])
    rapier = os.path.join(work, "rapier_driver")
    if not os.path.exists(rapier):
        copy = os.path.join(work, "rapier")
        shutil.copytree(os.path.join(peers, "rapier"), copy, dirs_exist_ok=True)
        subprocess.run(["cargo", "build", "--release", "--target-dir", os.path.join(work, "target")], cwd=copy)
        made = os.path.join(work, "target", "release", "rapier_driver")
        if os.path.exists(made):
            shutil.copy(made, rapier)
    for name, path in [("rapier-best", rapier), ("ode-step", ode)]:
        if os.path.exists(path):
            have[name] = [path]
        else:
            print(f"{name}: its driver could not be built, skipped")
    return have


def mujoco(peers, arguments):
    """One scene through MuJoCo, in the form of the other drivers."""
    sys.path.insert(0, peers)
    import json
    import run_mujoco
    scene, config, dt, budget, out = arguments
    with open(scene + ".json") as f:
        found = run_mujoco.run(json.load(f), config, float(dt), float(budget))
    with open(out, "w") as f:
        for k in (0, -1):
            rows = zip(*(found[key][k] for key in ("pos", "quat", "vel", "omega")))
            f.write(f"S {found['t'][k]} " + " ".join(str(x) for row in rows for part in row for x in part) + "\n")
        f.write("T " + " ".join(map(str, found["step_times"])) + f"\nX {found['status']}\n")


def measure(command, config, path):
    """Median time of a step in seconds, displacement in metres, stages, status."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.txt")
        env = dict(os.environ, OMP_NUM_THREADS="1", RAYON_NUM_THREADS="1")
        budget = str(BUDGET.get(config, 60.0))
        subprocess.run([*command, path, config, repr(DT), budget, out], env=env, check=True, stderr=subprocess.DEVNULL)
        samples, times, stages, status = [], [], "", ""
        with open(out) as f:
            for line in f:
                kind, rest = line[0], line[2:].strip()
                if kind == "S":
                    samples.append([float(x) for x in rest.split()[1:]])
                elif kind == "T":
                    times = [float(x) for x in rest.split()]
                elif kind == "P":
                    stages = rest
                elif kind == "X":
                    status = rest
    warm = sorted(times[len(times) // 2:])
    first, last = samples[0], samples[-1]
    moved = max(math.dist(first[k:k + 3], last[k:k + 3]) for k in range(0, len(first), 13))
    moved = moved if len(samples) > 1 else math.nan  # cut short before its second sample
    return warm[len(warm) // 2], moved, stages, status


def main():
    if sys.argv[1:2] == ["--mujoco"]:
        return mujoco(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers-src", default=os.path.join(ROOT, "..", "shared", "peers", "scenes"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "scene-peers"))
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser.add_argument("--driver", default=os.path.join(target, "release", "examples", "flat_scene"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--machine")
    a = parser.parse_args()
    if not os.path.isdir(a.peers_src):
        sys.exit(f"no drivers of other engines at {a.peers_src}")
    found, to_text = scenes(a.peers_src)
    have = build(a.peers_src, a.work, a.driver)
    import json
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in found.items():
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.write(to_text(scene))
            with open(path + ".json", "w") as f:
                json.dump(scene, f)
            for turn in range(a.rounds):
                for engine in have:
                    if engine == "ode-step" and name == "wall" and turn > 0:
                        continue
                    new = measure(have[engine], engine, path)
                    if (name, engine) not in best or new[0] < best[name, engine][0]:
                        best[name, engine] = new
    lines = ["| scene | " + " | ".join(f"{e} [µs] | moved [m]" for e in have) + " | " + " | ".join(f"ours : {e}" for e in have if e != "stiction") + " |"]
    lines.append("|" + "---|" * (1 + 2 * len(have) + len(have) - 1))
    for name in found:
        cells = [f"{1e6 * best[name, e][0]:.1f} | {best[name, e][1]:.1e}" for e in have]
        ours = best[name, "stiction"][0]
        ratios = [f"{ours / best[name, e][0]:.3g}" for e in have if e != "stiction"]
        lines.append(f"| {name} | " + " | ".join(cells + ratios) + " |")
    lines += ["", "Where our time goes:", ""]
    lines += [f"- {name}: {best[name, 'stiction'][2]}" for name in found]
    bad = [f"- {engine} on {name}: {r[3]}" for (name, engine), r in best.items() if r[3] not in ("ok", "budget")]
    lines += (["", "Not at the end:", ""] + bad) if bad else []
    print("\n".join(lines))
    if a.machine:
        folder = os.path.join(ROOT, "bench", "results", a.machine)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "scene_peers.md"), "w") as f:
            f.write("# Whole steps beside other engines\n\nMade by `bench/scene_peers.py`; see there for what is measured.\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
