#!/usr/bin/env python3
"""Whole steps of our simulator and of other engines on the same scenes, in one run.

usage: scene_peers.py [--work DIR] [--driver FILE] [--rounds K] [--machine NAME]

Scenes and drivers of the other engines are in bench/scenes; our own, the example `flat_scene`, is built.  MuJoCo runs
where `import mujoco` works; ODE where pkg-config knows `ode` (its driver is compiled into --work); Rapier where cargo can
build its driver.  What is missing is named and skipped.

Every step is timed with collision, dt 1 ms, one thread, sleeping off; the median over the second half of a run counts, and of several
rounds, in which the engines take turns, the fastest.  `moved` is how far any body was displaced at the end: nothing should move in
these scenes.  Each engine runs at its defaults and at the best settings that we know, in columns of their own:

- mujoco-best: cone="elliptic" impratio="100" solref="0.002 1" solimp="0.99 0.999 0.0001 0.5 2", discrete integrator,
  200 iterations to 1e-12; mujoco-noslip: the same with integrator Euler, impratio="10" and 50 no-slip iterations;
- rapier-best: 20 solver and 4 inner iterations, friction in the bias pass too, stiff contacts (bench/scenes/rapier);
- ode-quick: `dWorldQuickStep`, the usual choice; ode-step: the exact `dWorldStep`.

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
SOURCE = os.path.join(ROOT, "bench", "scenes")
DT = 1e-3
MUJOCO = ["mujoco-default", "mujoco-best", "mujoco-noslip"]
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
    build = ["cargo", "build", "--release", "--quiet", "-p", "stiction-sim", "--example", "flat_scene"]
    if not os.path.exists(driver):
        subprocess.run(build, cwd=ROOT, check=True)
    have["stiction"] = [driver]
    if importlib.util.find_spec("mujoco"):
        have.update((config, [sys.executable, os.path.abspath(__file__), "--mujoco", peers]) for config in MUJOCO)
    else:
        print("skipped: mujoco: not installed")
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
    for name, path in [("rapier-default", rapier), ("rapier-best", rapier), ("ode-quick", ode), ("ode-step", ode)]:
        if os.path.exists(path):
            have[name] = [path]
        else:
            print(f"skipped: {name}: its driver could not be built")
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
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "scene-peers"))
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser.add_argument("--driver", default=os.path.join(target, "release", "examples", "flat_scene"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--machine")
    a = parser.parse_args()
    found, to_text = scenes(SOURCE)
    have = build(SOURCE, a.work, a.driver)
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
