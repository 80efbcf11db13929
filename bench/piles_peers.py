#!/usr/bin/env python3
"""Whole steps of moving scenes: Stiction beside MuJoCo and Rapier, in one run.

usage: piles_peers.py [--scenes WORD,...] [--dt MS,...] [--budget S] [--large] [--mujoco PYTHON] [--machine NAME]

Needs our driver: `cargo build --release -p stiction-sim --example pile_steps`.  MuJoCo runs where PYTHON (default: this one) can `import mujoco`; Rapier where cargo
can build its driver, in bench/piles/rapier, into --work.  What is missing is skipped and said so.

Scenes are those of bench/piles/scenes.py, with dt of 1 and 5 ms.  MuJoCo runs at its defaults and with the settings that keep closest to Coulomb's law (elliptic cones,
impratio 100, solref 0.002 1, solimp 0.99 0.999 0.001, 20 noslip iterations); Rapier at its defaults and with 20 substeps of 4 iterations, friction in every pass and stiff
contacts.  Every step counts, collision included, in processor time of one thread.  A run ends after S seconds (--budget, default 15), and is killed where one step takes
three times as long: the table then says after how many steps it was stopped.  A step that was killed counts with the time that it took
until then, and the figures are marked ">".  The others make the steps that ours has made.

A step is moving where something touches and a body is faster than gravity makes it in one step.  Memory is the peak of the process; of MuJoCo, what Python needs is taken off.

With --large there is a heap of 1,000.  With --machine NAME the tables go to bench/results/NAME/piles_peers.md.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "bench", "piles")
sys.path.insert(0, HERE)
import scenes as library  # noqa: E402

ENGINES = ["ours", "MuJoCo", "MuJoCo best", "Rapier", "Rapier best"]
PHASES = {"fall": (0.0, 0.1), "impact": (0.1, 0.6), "settling": (0.6, 1.2), "late": (1.2, 2.0)}  # of a heap [s]


def commands(options):
    """How each engine that is here is run; a word on each that is not."""
    if not os.path.exists(options.driver):
        sys.exit(f"no driver at {options.driver}: cargo build --release -p stiction-sim --example pile_steps")
    have = {"ours": [options.driver, "{name}.toml"]}
    if subprocess.run([options.mujoco, "-c", "import mujoco"], capture_output=True).returncode == 0:
        driver = [options.mujoco, os.path.join(HERE, "mujoco_driver.py"), "{name}.json"]
        have["MuJoCo"], have["MuJoCo best"] = [*driver, "default"], [*driver, "best"]
    else:
        print("skipped: MuJoCo is not here", file=sys.stderr)
    target = os.path.join(options.work, "target")
    built = subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target], cwd=os.path.join(HERE, "rapier"))
    rapier = os.path.join(target, "release", "piles-rapier")
    if built.returncode == 0 and os.path.exists(rapier):
        have["Rapier"], have["Rapier best"] = [rapier, "{name}.txt", "default"], [rapier, "{name}.txt", "best"]
    else:
        print("skipped: Rapier's driver could not be built", file=sys.stderr)
    return have


def run(command, budget):
    """Runs a driver: its steps, how it ended, peak memory [kB]."""
    out = command[-1]
    env = dict(os.environ, RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 3 * budget + 10
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > limit:
            process.kill()
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    steps, end, memory = [], "killed", None
    if os.path.exists(out):
        with open(out) as f:
            for line in f:
                if line.startswith("#"):
                    end = line[2:].strip()
                    if "; " in end:
                        end, own = end.rsplit("; ", 1)
                        memory = int(own.split()[0])
                elif line.endswith("\n"):
                    steps.append([float(x) for x in line.split(",")])
    # Processor time of the step in which it was killed.
    hung = usage.ru_utime + usage.ru_stime - sum(step[0] for step in steps) if end == "killed" else 0.0
    if not steps:
        print(f"{' '.join(command)}: {process.stderr.read()[-300:]}", file=sys.stderr)
    return dict(steps=steps, end=end, memory=memory, hung=hung)


def measure(scene, dt, have, options, work):
    name = os.path.join(work, scene["name"].replace(" ", "_").replace(",", ""))
    found, steps = {}, round(scene["duration"] / dt)
    for engine, command in have.items():
        # The others make the steps that ours has made.
        shorter = dict(scene, duration=steps * dt)
        for ending, text in {".toml": library.toml(scene, dt), ".txt": library.flat(shorter), ".json": json.dumps(shorter)}.items():
            with open(name + ending, "w") as f:
                f.write(text)
        words = [word.replace("{name}", name) for word in command]
        budget = options.budget * (1 if engine == "ours" else 2)
        found[engine] = run([*words, repr(dt), str(budget), name + ".csv"], budget)
        if found[engine]["end"].startswith("failed"):
            print(f"{engine}, {scene['name']}, {1e3 * dt:g} ms: {found[engine]['end']}", file=sys.stderr)
        if engine == "ours":
            steps = max(1, len(found[engine]["steps"]))
        if os.path.exists(name + ".csv"):
            os.remove(name + ".csv")
    return found


def mean(run, count):
    """Mean time of the first steps [µs]; none where the engine did not come so far."""
    steps = run["steps"][:count]
    return 1e6 * statistics.fmean(step[0] for step in steps) if steps and len(steps) == count else None


def our_mean(run):
    """Mean of our steps [µs] and a mark: the step in which a run was killed counts with what it took until then."""
    steps, hung = run["steps"], run["hung"]
    if not steps:
        return None, ""
    return 1e6 * (sum(step[0] for step in steps) + hung) / (len(steps) + (hung > 0)), ">" if hung else ""


def figure(x):
    if x is None:
        return "–"
    return f"{x:.3g}" if x < 100 else f"{x:,.0f}"


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def stopped(run, scene, dt):
    count, whole = len(run["steps"]), round(scene["duration"] / dt)
    if run["end"] == "finished":
        return str(count)
    if run["end"] == "killed":
        return f"stopped in step {count + 1} of {whole}, after {run['hung']:.0f} s"
    why = "stopped" if run["end"] == "budget" else run["end"].split(":")[0]
    return f"{why} after {count} of {whole}"


def row(scene, dt, found):
    ours = found["ours"]
    count = len(ours["steps"])
    own, mark = our_mean(ours)
    theirs = [mean(found[engine], count) if engine in found else None for engine in ENGINES[1:]]
    ratios = [mark + figure(own / x) if x and own else "–" for x in theirs]
    cells = [scene["name"], f"{1e3 * dt:g}", stopped(ours, scene, dt), mark + figure(own), *(figure(x) for x in theirs), *ratios]
    return "| " + " | ".join(cells) + " |"


def tail_row(scene, dt, found):
    steps = found["ours"]["steps"]
    if not steps:
        return f"| {scene['name']} | {1e3 * dt:g} |" + " – |" * 9
    times = [1e6 * step[0] for step in steps]
    moving = [step[2] for step in steps if step[3] == 1]
    mark = ">" if found["ours"]["hung"] else ""
    median, worst = quantile(times, 0.5), max([*times, 1e6 * found["ours"]["hung"]])
    factored = f"{statistics.median_low(moving):.0f} / {statistics.fmean(moving):.1f}" if moving else "–"
    again = sum(step[4] > 1 for step in steps)
    depths = [figure(1e3 * max(s[6] for s in found[e]["steps"])) if found.get(e, {}).get("steps") else "–" for e in ("ours", "MuJoCo best", "Rapier best")]
    memory = [figure(found[e]["memory"] / 1024) if found.get(e, {}).get("memory") else "–" for e in ("ours", "MuJoCo", "Rapier")]
    contacts = statistics.fmean(step[1] for step in steps)
    cells = [scene["name"], f"{1e3 * dt:g}", f"{contacts:.0f}", figure(median), figure(quantile(times, 0.99)), mark + figure(worst), mark + figure(worst / median), factored,
             str(again), " / ".join(depths), " / ".join(memory)]
    return "| " + " | ".join(cells) + " |"


def short(results):
    """The table of the README: one row a scene, all time steps in a cell."""
    lines = ["| scene | ours [µs] | : MuJoCo | : MuJoCo best | : Rapier | : Rapier best | worst : median |", "|---|---|---|---|---|---|---|"]
    for name in dict.fromkeys(scene["name"] for scene, _, _ in results):
        cells = []
        for scene, dt, found in (one for one in results if one[0]["name"] == name):
            whole, tail = (line.strip("| ").split(" | ") for line in (row(scene, dt, found), tail_row(scene, dt, found)))
            cut = "" if found["ours"]["end"] == "finished" else "*"
            cells.append([whole[3] + cut, *whole[8:], tail[6]])
        lines.append(f"| {name} | " + " | ".join("; ".join(column) for column in zip(*cells)) + " |")
    return "\n".join(lines) + "\n"


def slope(points):
    """Exponent of growth: the slope of the least-squares line through the logarithms."""
    points = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(points) < 3:
        return None
    x0, y0 = (statistics.fmean(p[k] for p in points) for k in (0, 1))
    spread = sum((x - x0) ** 2 for x, _ in points)
    return sum((x - x0) * (y - y0) for x, y in points) / spread if spread else None


def growth(results, dt):
    """Lines on how the mean step of heaps grows with their contacts, phase by phase."""
    heaps = [(scene, found) for scene, at, found in results if at == dt and scene["name"].startswith("heap")]
    lines = []
    for phase, (begin, end) in PHASES.items():
        cells = []
        for engine in ENGINES:
            points = []
            for _, found in heaps:
                part = found.get(engine, {}).get("steps", [])[round(begin / dt):round(end / dt)]
                if len(part) == round(end / dt) - round(begin / dt):
                    points.append((statistics.fmean(s[1] for s in part), statistics.fmean(s[0] for s in part)))
            exponent = slope(points)
            cells.append("–" if exponent is None else f"{exponent:.2f} ({len(points)})")
        lines.append(f"| {1e3 * dt:g} | {phase}, {begin:g} to {end:g} s | " + " | ".join(cells) + " |")
    return lines


def report(results, have, options):
    names = ", ".join(engine for engine in ENGINES if engine in have)
    lines = ["# Moving scenes beside other engines", "",
             f"Made by `bench/piles_peers.py{' --large' if options.large else ''} --budget {options.budget:g}` with {names}; settings stand at the head of that file. Mean processor time",
             "of a whole step on one thread [µs], over the steps that ours made, and ours divided by theirs.", "",
             "| scene | dt [ms] | steps | " + " | ".join(ENGINES) + " | " + " | ".join(f"ours : {e}" for e in ENGINES[1:]) + " |",
             "|" + "---|" * (3 + len(ENGINES) + len(ENGINES) - 1)]
    lines += [row(*one) for one in results]
    lines += ["", "Ours: median, 99th percentile and worst step [µs]; factorisations of moving steps (median / mean), all work counted; steps that were tried more than once; deepest",
              "overlap [mm] of ours / MuJoCo best / Rapier best; peak memory [MB] of ours / MuJoCo / Rapier.", "",
              "| scene | dt [ms] | contacts | p50 | p99 | worst | worst : p50 | factorisations | tried again | overlap | memory |", "|" + "---|" * 11]
    lines += [tail_row(*one) for one in results]
    lines += ["", "Growth of the mean step of the heaps with their contacts: exponent, and of how many heaps.", "",
              "| dt [ms] | phase | " + " | ".join(ENGINES) + " |", "|" + "---|" * (2 + len(ENGINES))]
    for dt in options.dt:
        lines += growth(results, dt)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser.add_argument("--driver", default=os.path.join(target, "release", "examples", "pile_steps"))
    parser.add_argument("--mujoco", default=sys.executable, help="a Python that has MuJoCo")
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "piles-peers"))
    parser.add_argument("--scenes", help="only scenes with one of these words in their name")
    parser.add_argument("--dt", default="1,5", help="time steps [ms]")
    parser.add_argument("--budget", type=float, default=15.0, help="seconds of a run")
    parser.add_argument("--large", action="store_true", help="with the heap of 1,000")
    parser.add_argument("--machine")
    options = parser.parse_args()
    options.dt = [float(dt) / 1e3 for dt in options.dt.split(",")]
    os.makedirs(options.work, exist_ok=True)
    have = commands(options)
    wanted = (options.scenes or "").split(",")
    results = []
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for scene in library.all_scenes(options.large):
            if any(word in scene["name"] for word in wanted):
                for dt in options.dt:
                    results.append((scene, dt, measure(scene, dt, have, options, work)))
                    print(row(*results[-1]), flush=True)
    text = report(results, have, options)
    print(text + "\nIn short, with time steps of " + ", ".join(f"{1e3 * dt:g}" for dt in options.dt) + f" ms:\n\n{short(results)}")
    if options.machine:
        folder = os.path.join(ROOT, "bench", "results", options.machine)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "piles_peers.md"), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
