"""Times compas_cra beside `stiction stand` on the same arches: whether forces exist (RBE) and its coupled rigid-block analysis (CRA).

    python bench/stand_peers.py [--stiction PATH] [--blocks 20,50]

Needs compas_cra 0.8.0, whose wheel holds its solver (IPOPT): `pip install compas_cra==0.8.0` in a virtual environment, no conda. Where it is
missing it is skipped by name. Times are CPU times, so that other work on the machine counts little; those of the tool count its whole process.
"""

import argparse
import contextlib
import importlib.metadata
import io
import json
import math
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

THICKNESS, DEPTH, FRICTION = 0.12, 0.3, 0.7
WANTED = "0.8.0"


def corners(count, k):
    """Eight corners of a voussoir of a semicircular arch of mean radius 1."""
    out = []
    for y in (-DEPTH / 2, DEPTH / 2):
        for i in (k, k + 1):
            for r in (1 - THICKNESS / 2, 1 + THICKNESS / 2):
                turn = math.pi * i / count
                out.append([r * math.cos(turn), y, r * math.sin(turn)])
    return out


# Corners (y, i, r) in binary: each face counterclockwise seen from outside.
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def scene(count):
    """The arch as a scene of stiction."""
    lines = [f"format = 1\nworld = {{ friction = {FRICTION}, density = 1 }}"]
    lines.append('[[body]]\nname = "ground"\nshape = { half_space = [0, 0, 1] }')
    for k in range(count):
        points = corners(count, k)
        middle = [sum(p[c] for p in points) / 8 for c in range(3)]
        local = [[p[c] - middle[c] for c in range(3)] for p in points]
        lines.append(f'[[body]]\nname = "voussoir {k}"\nposition = {middle}\nshape = {{ points = {local} }}')
    return "\n".join(lines) + "\n"


def children():
    """CPU time of all processes that have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(stiction, count, runs):
    """Median CPU time of the tool, its start and the reading of the scene included [s]."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arch.toml"
        file.write_text(scene(count))
        times = []
        for _ in range(runs):
            start = children()
            done = subprocess.run(
                [stiction, "stand", str(file), "--gap", "1e-6", "--json"], capture_output=True, text=True, check=False
            )
            times.append(children() - start)
        return statistics.median(times), json.loads(done.stdout)["verdict"]


def theirs(count):
    """CPU times of rbe_solve and cra_solve [s] on the same blocks and interfaces."""
    from compas.datastructures import Mesh
    from compas_assembly.datastructures import Block
    from compas_cra.algorithms import assembly_interfaces_numpy
    from compas_cra.datastructures import CRA_Assembly
    from compas_cra.equilibrium import cra_solve, rbe_solve

    def assembly():
        made = CRA_Assembly()
        reach = 1.5
        slab = [[x, y, z] for y in (-1, 1) for x in (reach, -reach) for z in (-0.2, 0)]
        made.add_block(Block.from_shape(Mesh.from_vertices_and_faces(slab, FACES)), node=0)
        for k in range(count):
            mesh = Mesh.from_vertices_and_faces(corners(count, k), FACES)
            made.add_block(mesh.copy(cls=Block), node=k + 1)
        made.set_boundary_conditions([0])
        assembly_interfaces_numpy(made, nmax=10, amin=1e-4, tmax=1e-4)
        return made

    times = []
    for solve in (rbe_solve, cra_solve):
        made = assembly()
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            solve(made, mu=FRICTION, density=1, verbose=False, timer=False)
        times.append(time.process_time() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stiction", default=shutil.which("stiction") or "target/release/stiction")
    parser.add_argument("--blocks", default="20,50")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    try:
        version = importlib.metadata.version("compas_cra")
    except importlib.metadata.PackageNotFoundError:
        version = None
    print("| blocks | stiction stand, whole process [ms] | word | compas_cra RBE [s] | CRA [s] | CRA / stiction |")
    print("|---|---|---|---|---|---|")
    why = "" if version else "compas_cra is not installed"
    for count in map(int, given.blocks.split(",")):
        took, word = ours(given.stiction, count, given.runs)
        cells = ["skipped"] * 3
        if version:
            try:
                rbe, cra = theirs(count)
                cells = [f"{rbe:.2f}", f"{cra:.2f}", f"{cra / took:.0f}"]
            except Exception as error:  # A solver that is missing speaks in many ways.
                why = f"compas_cra {version}: {type(error).__name__}: {error}".splitlines()[0]
        print(f"| {count} | {1e3 * took:.1f} | {word} | " + " | ".join(cells) + " |")
    if why:
        print(f"\nskipped: {why}")
    elif version != WANTED:
        print(f"\ncompas_cra {version}, not {WANTED}")


if __name__ == "__main__":
    main()
