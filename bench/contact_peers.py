#!/usr/bin/env python3
"""Our contact solver and other people's on the same contact problems, in one run.

usage: contact_peers.py [--binary FILE] [--scenarios a,b,...] [--count K] [--budget S]
                        [--machine NAME]

Needs NumPy and cargo.  The drivers of the peers are in bench/problems; `bench/problems/setup.sh` installs the peers
into target/peers (PEERS_DIR names another folder): then run it with that folder's Python.  Peers that are not installed
are named and skipped.

Two laws.  Polyhedral, 8 friction directions: QuantEcon's `lcp_lemke` on Lloyd's dense LCP (8).  Round cone:
Pinocchio's ADMM on the Delassus matrix, at its default tolerance of 1e-6 and at the best that we know, 1e-9 (its
iterations are not limited by us).  Ours gets the same bodies and contacts as a
`contact-raw` file (mass blocks and rows), chooses its method itself, and is timed by `stiction solve --repeat`:
each solver starts cold, problem construction excluded for everybody.

Per problem each solver is run repeatedly and its best time counts; per scenario the median over the right answers is
shown.  The residual is computed here for everybody, from the returned vector: for the LCP max |min(z, w)| / max(1,
max |q|), for the cone the natural map of Coulomb's law with De Saxcé's shift, in the same units.

With --machine NAME the figures go to bench/results/NAME/contact_peers.csv and the table to contact_peers.md.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

from peer_runs import SOURCE, needs, peer, problems, tool

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RIGHT = 1e-5          # what counts as right: ten times the tolerance that the iterative peer is given
DIRECTIONS = 8
LAWS = {"polyhedral": ("lcp8", ["quantecon"]), "coulomb": ("cone", ["pin.admm:1e-6", "pin.admm:1e-9"])}
DENSE_ROWS = 1300     # largest dense LCP given to the peer
SCENARIOS = ["s01_point1", "s02_edge2", "s03_tripod3", "s04_face4", "s05_face6", "s06_vgroove8", "s07_face8",
             "s08_ballrim10", "s09_corner12", "s10_groove16", "stack1_4", "stack1_8", "stack2_8", "stack2_12",
             "stack3_12", "stack3_20", "stack4_16", "stack4_24", "stack5_20", "stack5_32", "stack10_40", "stack20_80",
             "stack50_200", "peg8", "peg16", "peg24", "peg32", "peg64", "peg128", "grasp36_dup", "grasp36_face",
             "wall5x5", "wall10x10", "peg16_jit", "s09_corner12_jit", "stack5_32_jit", "peg16_mu1.5", "ratio5_20"]
PEER_WALL = 30        # seconds a peer gets for a scenario; what it did by then counts


def blocks(P):
    """Coordinates of each body: (basis of its free directions, mass in them).  A locked direction has no row in minv."""
    import numpy as np
    out = []
    for minv in P["minv"]:
        size, axes = np.linalg.eigh(minv)
        free = size > 1e-12 * size.max()
        basis = np.eye(6) if free.all() else axes[:, free]
        mass = np.linalg.inv(basis.T @ minv @ basis)
        out.append((basis, (mass + mass.T) / 2))
    return out


def raw(P, frames, i):
    """Problem i of a scenario as a contact-raw file."""
    import numpy as np
    k = P["k"][i].reshape(-1, 6)
    doc = {"kind": "contact-raw", "name": f"{P['name']}-{i}", "blocks": [], "contacts": []}
    for body, (basis, mass) in enumerate(frames):
        v = basis.T @ P["minv"][body] @ k[body]
        doc["blocks"].append({"mass": mass.tolist(), "v_free": v.tolist()})
    for c in range(len(P["a"])):
        parts = []
        for body, sign in ((P["a"][c], 1.0), (P["b"][c], -1.0)):
            if body < 0:
                continue
            lever = P["point"][c] - P["com"][body]
            row = lambda d: (sign * np.concatenate([d, np.cross(lever, d)]) @ frames[body][0]).tolist()
            parts.append({"block": int(body), "normal": row(P["normal"][c]),
                          "tangents": [row(P["t1"][c]), row(P["t2"][c])]})
        doc["contacts"].append({"parts": parts, "mu": float(P["mu"][c])})
    return doc


def vector(law, out):
    """Our answer as the vector that the metrics expect."""
    import numpy as np
    contacts = out["contacts"]
    theta = np.array([c["normal_impulse"] for c in contacts])
    if law == "coulomb":
        return np.array([[c["normal_impulse"], *c["friction_impulse"]] for c in contacts]).ravel()
    phi = np.array([c["phi"] for c in contacts]).ravel()
    # lambda is the least that keeps every row D'v + E lambda >= 0.
    a = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    slip = np.array([c["velocity"][1:] for c in contacts]) @ np.array([np.cos(a), np.sin(a)])
    return np.concatenate([theta, phi, np.maximum(0.0, -slip.min(axis=1))])


def ours(binary, path, law, A, q, metrics, budget):
    """One problem through the command-line tool."""
    run = [binary, "solve", path, "--law", law, "--json"]
    if law == "polyhedral":
        run += ["--directions", str(DIRECTIONS)]
    done = subprocess.run(run, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(run)}: {done.stderr.strip()}")
    first = json.loads(done.stdout)
    repeat = max(3, min(1000, int(budget * 1e6 / max(first["stats"]["time_us"], 1.0))))
    out = json.loads(subprocess.run(run + ["--repeat", str(repeat)], capture_output=True, text=True).stdout)
    z = vector(law, out)
    r = metrics.cone(A["M"], q, A["mu"], z) if law == "coulomb" else metrics.lcp(A["M"], q, z)
    return dict(ok=out["status"] == "solved", tmin=out["stats"]["time_min_us"], res=r["res"])


def summary(results):
    """Right, silently wrong, falsely alarmed; median time of the right ones, worst residual."""
    right = [r for r in results if r["res"] <= RIGHT]
    times = sorted(r["tmin"] for r in right)
    half = len(times) // 2
    median = math.nan if not times else times[half] if len(times) % 2 else (times[half - 1] + times[half]) / 2
    return dict(tried=len(results), right=len(right),
                wrong=sum(1 for r in results if r["ok"] and not r["res"] <= RIGHT),
                alarms=sum(1 for r in right if not r["ok"]), median_us=median,
                worst=max((r["res"] for r in results), default=math.nan))


def cell(s, count):
    if not s["tried"]:
        return "none"
    text = f"{s['median_us']:.1f}" if s["right"] else "-"
    if s["right"] < count:
        text += f" r{s['right']}/{count}"
    if s["wrong"]:
        text += f" !{s['wrong']}"
    if s["alarms"]:
        text += f" f{s['alarms']}"
    return text


def number(x, form):
    return format(x, form) if math.isfinite(x) else "-"


def one(scenario, a, binary, contactgen, metrics):
    """The rows of one scenario: both laws, ours and the peers."""
    P = contactgen.load(os.path.join(problems(), scenario + ".npz"))
    frames = blocks(P)
    count, n, rows = min(a.count, len(P["k"])), len(P["a"]), []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            with open(os.path.join(folder, f"{i}.json"), "w") as f:
                json.dump(raw(P, frames, i), f)
        for law, (form, names) in LAWS.items():
            A = contactgen.assemble(P, form)
            mine = [ours(binary, os.path.join(folder, f"{i}.json"), law, A, A["q"][i], metrics, a.budget)
                    for i in range(count)]
            dense = form.startswith("lcp") and len(A["M"]) > DENSE_ROWS
            theirs = [[] if dense else peer(name, form, scenario, count, a.budget, PEER_WALL) for name in names]
            for solver, results in [("stiction", mine), *zip(names, theirs)]:
                rows.append(dict(scenario=scenario, bodies=len(P["com"]), contacts=n, law=law, solver=solver,
                                 count=count, **summary(results)))
    return rows


def table_line(rows):
    line = f"| {rows[0]['scenario']} | {rows[0]['bodies']} | {rows[0]['contacts']} |"
    for row in rows:
        line += f" {cell(row, row['count'])} | {number(row['worst'], '.0e')} |"
        if row["solver"] == "stiction":
            mine = row
        else:
            line += f" {number(row['median_us'] / mine['median_us'], '.1f')} |"
    return line


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--binary", help="the tool; default a release build of this tree")
    ap.add_argument("--scenarios", default=",".join(SCENARIOS))
    ap.add_argument("--count", type=int, default=20)
    ap.add_argument("--budget", type=float, default=0.02, help="seconds of repetitions per problem")
    ap.add_argument("--machine", help="name of the folder below bench/results")
    a = ap.parse_args()
    needs("numpy")
    binary = tool(a.binary)
    sys.path.insert(0, SOURCE)
    sys.dont_write_bytecode = True
    import contactgen
    import metrics
    head = "| scenario | bodies | contacts |"
    for law, (_, names) in LAWS.items():
        head += f" stiction, {law} [us] | residual |"
        head += "".join(f" {name} [us] | residual | {name} : stiction |" for name in names)
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    print("\n".join(lines), flush=True)
    rows = []
    for scenario in a.scenarios.split(","):
        found = one(scenario, a, binary, contactgen, metrics)
        rows += found
        lines.append(table_line(found))
        print(lines[-1], flush=True)
    lines.append("\nMedian over the problems of the best time; rK/N: only K of N right (residual up to 1e-5); !K: K wrong and "
                 "called right;\nfK: K right answers called failures; none: not tried or nothing returned. Residuals are the "
                 "worst of all that was returned.")
    print(lines[-1])
    if a.machine:
        folder = os.path.join(ROOT, "bench", "results", a.machine)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "contact_peers.csv"), "w", newline="") as f:
            w = csv.DictWriter(f, fieldnames=list(rows[0]))
            w.writeheader()
            w.writerows(rows)
        with open(os.path.join(folder, "contact_peers.md"), "w") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
