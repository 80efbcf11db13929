#!/usr/bin/env python3
"""Our LCP solver and other people's on the same dense friction LCPs, in one run.

usage: lcp_peers.py [--binary FILE] [--scenarios a,b,...] [--peers p,q,...] [--count K]
                    [--csv FILE] [--svg FILE]

Needs NumPy and cargo.  The drivers of the peers are in bench/problems; `bench/problems/setup.sh` installs the peers
into target/peers (PEERS_DIR names another folder): then run it with that folder's Python.  Peers that are not installed
are named and skipped.  All peers are direct solvers: they run at their defaults, which are the best settings that we
know; `drake.unrev` and the other methods of one library are columns of their own.

Problems are Lloyd's LCP (8) with 8 friction directions.  Per problem each solver is run repeatedly and its best
time counts; per scenario the median over the problems is shown.  Ours is timed by `stiction solve --repeat`, problem
construction excluded, as for the peers.  The residual is computed here for everybody: max |min(z, w)| / max(1, max |q|).
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from peer_runs import SOURCE, needs, peer, problems, tool

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RIGHT = 1e-6          # what counts as right for a peer
PEERS = ["quantecon", "siconos.lexicolemke", "drake.lemke", "drake.unrev", "bullet327.lemke", "dart.lemke"]
SCENARIOS = ["s01_point1", "s02_edge2", "s03_tripod3", "s04_face4", "s05_face6", "s06_vgroove8", "s07_face8",
             "s08_ballrim10", "s09_corner12", "s10_groove16", "stack1_4", "stack1_8", "stack2_8", "stack2_12",
             "stack3_12", "stack3_20", "stack4_16", "stack4_24", "stack5_20", "stack5_32", "stack10_40",
             "grasp36_dup", "grasp36_face", "peg16_jit", "s09_corner12_jit", "stack5_32_jit", "peg16_mu1.5",
             "ratio5_20", "peg8", "peg16", "peg24", "peg32", "peg64", "peg128", "stack20_80"]
LARGE = {"peg128": 3, "stack20_80": 3}      # fewer problems: dense matrices of 800 and 1280 rows
PEER_WALL = 15                              # seconds a peer gets for a scenario; what it did by then counts


def ours(binary, M, q, folder, metrics, budget):
    """One problem through the command-line tool."""
    path = os.path.join(folder, "problem.json")
    with open(path, "w") as f:
        json.dump({"kind": "lcp", "M": M.tolist(), "q": q.tolist()}, f)
    run = [binary, "solve", path, "--json"]
    first = json.loads(subprocess.run(run, capture_output=True, text=True).stdout)
    repeat = max(3, min(200, int(budget * 1e6 / max(first["stats"]["time_us"], 1.0))))
    out = json.loads(subprocess.run(run + ["--repeat", str(repeat)], capture_output=True, text=True).stdout)
    import numpy as np
    r = metrics.lcp(M, q, np.array(out["z"]))
    return dict(ok=out["status"] == "solved", tmin=out["stats"]["time_min_us"], res=r["res"],
                fallbacks=out["stats"]["fallbacks"])


def summary(results):
    """Right, silently wrong, falsely alarmed; median time of the right ones, worst residual."""
    right = [r for r in results if r["res"] <= RIGHT]
    times = sorted(r["tmin"] for r in right)
    return dict(tried=len(results), right=len(right),
                wrong=sum(1 for r in results if r["ok"] and r["res"] > RIGHT),
                alarms=sum(1 for r in right if not r["ok"]),
                median_us=times[len(times) // 2] if times else math.nan,
                worst=max((r["res"] for r in results), default=math.nan))


def cell(s, count):
    if s is None or not s["tried"]:
        return "none"
    text = f"{s['median_us']:.1f}" if s["right"] else "-"
    if s["right"] < count:
        text += f" r{s['right']}/{count}"
    if s["wrong"]:
        text += f" !{s['wrong']}"
    if s["alarms"]:
        text += f" f{s['alarms']}"
    return text


def plot(path, rows):
    """Time against variables, log-log, written as plain SVG."""
    width, height, left, bottom, top, right = 760, 440, 70, 50, 20, 170
    series = {}
    for r in rows:
        if r["right"] and math.isfinite(r["median_us"]):
            series.setdefault(r["solver"], []).append((r["n"], r["median_us"], r["right"] == r["count"]))
    xs = [p[0] for s in series.values() for p in s]
    ys = [p[1] for s in series.values() for p in s]
    x0, x1 = math.log10(min(xs)), math.log10(max(xs))
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    px = lambda v: left + (math.log10(v) - x0) / (x1 - x0) * (width - left - right)
    py = lambda v: height - bottom - (math.log10(v) - y0) / (y1 - y0) * (height - bottom - top)
    names = sorted(series, key=lambda s: (s != "stiction", s))
    colours = ["#c2410c", "#1d4ed8", "#047857", "#7c3aed", "#a16207", "#0e7490", "#be185d", "#4b5563", "#65a30d", "#334155"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for e in range(y0, y1 + 1):
        label = {0: "1 µs", 3: "1 ms", 6: "1 s"}.get(e, f"{10 ** e:g} µs" if e < 3 else f"{10 ** (e - 3):g} ms" if e < 6 else f"{10 ** (e - 6):g} s")
        out.append(f'<line x1="{left}" y1="{py(10 ** e):.1f}" x2="{width - right}" y2="{py(10 ** e):.1f}" stroke="#e5e7eb"/>')
        out.append(f'<text x="{left - 8}" y="{py(10 ** e) + 4:.1f}" text-anchor="end" fill="#374151">{label}</text>')
    for n in (10, 20, 40, 80, 160, 320, 640, 1280):
        if min(xs) <= n <= max(xs):
            out.append(f'<line x1="{px(n):.1f}" y1="{top}" x2="{px(n):.1f}" y2="{height - bottom}" stroke="#f3f4f6"/>')
            out.append(f'<text x="{px(n):.1f}" y="{height - bottom + 18}" text-anchor="middle" fill="#374151">{n}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle" fill="#111827">variables</text>')
    for k, name in enumerate(names):
        colour = colours[k % len(colours)]
        for n, t, all_right in series[name]:
            fill = colour if all_right else "#ffffff"
            out.append(f'<circle cx="{px(n):.1f}" cy="{py(t):.1f}" r="{5 if name == "stiction" else 3.5}" fill="{fill}" stroke="{colour}" stroke-width="1.3"/>')
        y = top + 12 + 19 * k
        out.append(f'<circle cx="{width - right + 18}" cy="{y - 4}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{width - right + 28}" y="{y}" fill="#111827">{name}</text>')
    y = top + 12 + 19 * len(names) + 8
    out.append(f'<text x="{width - right + 12}" y="{y}" fill="#4b5563" font-size="11">full: every problem right</text>')
    out.append(f'<text x="{width - right + 12}" y="{y + 15}" fill="#4b5563" font-size="11">hollow: only some</text>')
    out.append("</svg>\n")
    with open(path, "w") as f:
        f.write("\n".join(out))


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--binary", help="the tool; default a release build of this tree")
    ap.add_argument("--scenarios", default=",".join(SCENARIOS))
    ap.add_argument("--peers", default=",".join(PEERS))
    ap.add_argument("--count", type=int, default=20)
    ap.add_argument("--budget", type=float, default=0.02, help="seconds of repetitions per problem")
    ap.add_argument("--csv")
    ap.add_argument("--svg")
    a = ap.parse_args()
    needs("numpy")
    binary = tool(a.binary)
    sys.path.insert(0, SOURCE)
    sys.dont_write_bytecode = True
    import contactgen
    import metrics
    peers = a.peers.split(",")
    rows = []
    print("| scenario | variables | stiction | worst residual | " + " | ".join(peers) + " | fastest right peer : stiction |")
    print("|---" * (5 + len(peers)) + "|")
    for scenario in a.scenarios.split(","):
        P = contactgen.load(os.path.join(problems(), scenario + ".npz"))
        A = contactgen.assemble(P, "lcp8")
        count = LARGE.get(scenario, a.count)
        with tempfile.TemporaryDirectory() as folder:
            mine = [ours(binary, A["M"], A["q"][i], folder, metrics, a.budget) for i in range(count)]
        table = {"stiction": summary(mine)}
        for name in peers:
            table[name] = summary(peer(name, "lcp8", scenario, count, a.budget, PEER_WALL))
        n = len(A["q"][0])
        for name, s in table.items():
            rows.append(dict(scenario=scenario, n=n, solver=name, count=count, **s))
        right = [s["median_us"] for name, s in table.items() if name != "stiction" and s["right"] == count]
        ratio = f"{min(right) / table['stiction']['median_us']:.1f}" if right else "-"
        print(f"| {scenario} | {n} | {cell(table['stiction'], count)} | {table['stiction']['worst']:.0e} | "
              + " | ".join(cell(table[p], count) for p in peers) + f" | {ratio} |", flush=True)
    print("\nMedian over the problems of the best time [us]; rK/N: only K of N right; !K: K silently wrong; fK: K right "
          "answers called failures.")
    if a.csv:
        os.makedirs(os.path.dirname(a.csv) or ".", exist_ok=True)
        with open(a.csv, "w", newline="") as f:
            w = csv.DictWriter(f, fieldnames=list(rows[0]))
            w.writeheader()
            w.writerows(rows)
    if a.svg:
        plot(a.svg, rows)


if __name__ == "__main__":
    main()
