#!/usr/bin/env python3
"""Fetches the public data sets into data/: `scripts/data.sh [SET ...]`, all sets without a name.

files.tsv says of every file where it comes from and what its SHA-256 is; a file whose sum differs is not kept.
Most files are copies. Three kinds are converted: cube tosses (PyTorch files to CSV), ellipse impacts (MATLAB to one
CSV) and random LCPs (MATLAB to JSON); the last two need SciPy. `--from FOLDER` takes the repositories from clones below
FOLDER, as FOLDER/REPOSITORY, and not from the network. Two sets are part
of the project and copied.
"""

import argparse
import hashlib
import io
import json
import pickle
import struct
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Half the side of the cube, the unit of length of its tosses [m].
HALF_CUBE = 0.0524
# Rate at which the tosses were measured [Hz].
TOSS_RATE = 148
MODELS = ["DrumwrightShell", "APPoisson", "APNewton", "Mirtich", "WangMason", "Whittaker"]


class Missing(Exception):
    """A file cannot be had here; says why."""


def from_network(repository, commit, path):
    address = f"https://raw.githubusercontent.com/{repository}/{commit}/{urllib.parse.quote(path)}"
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError) as error:
        raise Missing(f"{address}: {error}") from error


def from_clones(folder):
    def get(repository, commit, path):
        clone = folder / repository.split("/")[1]
        shown = subprocess.run(["git", "-C", clone, "show", f"{commit}:{path}"], capture_output=True, check=False)
        if shown.returncode != 0:
            raise Missing(f"{clone}: {shown.stderr.decode().strip()}")
        return shown.stdout

    return get


class Tensor(pickle.Unpickler):
    """Reads the description of one tensor, and nothing that could run code."""

    def find_class(self, module, name):
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, shape, *rest: shape
        if module == "torch" and name.endswith("Storage"):
            return name
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        raise Missing(f"a tensor must be described by torch alone, found {module}.{name}")

    def persistent_load(self, key):
        return key


def toss(data):
    """A toss from PyTorch: rows of position, quaternion (w, x, y, z), velocity, angular velocity and six zeros."""
    file = io.BytesIO(data)
    for _ in range(3):
        Tensor(file).load()
    rows, columns = Tensor(file).load()[-2:]
    Tensor(file).load()
    (count,) = struct.unpack("<q", file.read(8))
    numbers = struct.unpack(f"<{count}d", file.read(8 * count))
    lines = ["t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"]
    for i in range(rows):
        row = numbers[i * columns : (i + 1) * columns]
        metres = [HALF_CUBE * x for x in row[:3]], [HALF_CUBE * x for x in row[7:10]]
        values = [*metres[0], *row[3:7], *metres[1], *row[10:13]]
        lines.append(",".join([repr(round(i / TOSS_RATE, 9)), *(f"{x:.9g}" for x in values)]))
    return "\n".join(lines) + "\n"


def matlab(data):
    try:
        import scipy.io
    except ImportError as error:
        raise Missing("needs SciPy: pip install scipy") from error
    return scipy.io.loadmat(io.BytesIO(data), simplify_cells=True)


def impacts(get):
    """The ellipse's impacts: states, contact rows, best impulses, and what six models predict."""
    files = ["data_ellipse", "p_models", "p_true_data", "v_models", "w_true_data"]
    table = {name: matlab(get(f"{name}.mat")) for name in files}
    states = table["data_ellipse"]["data"]
    names = ["impact"] + [f"{when}_{x}" for when in ("pre", "post") for x in ("x", "y", "th", "vx", "vy", "w")]
    names += [f"{row}{k}" for row in "nd" for k in (1, 2, 3)]
    names += ["Pt_true", "Pn_true", "wrench_Pt", "wrench_Pn", "wrench_tau"]
    names += [f"{model}_{x}" for model in MODELS for x in ("Pt", "Pn", "vx", "vy", "w")]
    lines = [",".join(names)]
    for i in map(int, (HERE / "ellipse-impacts.txt").read_text().split()):
        values = [*states["states_i"][i], *states["states_f"][i], *states["n"][i], *states["d"][i]]
        values += [*table["p_true_data"]["p_data"][i], *table["w_true_data"]["W"][i]]
        for k in range(len(MODELS)):
            values += [*table["p_models"]["p_models"][i][2 * k : 2 * k + 2]]
            values += [*table["v_models"]["v_models"][i][3 * k : 3 * k + 3]]
        lines.append(",".join([str(i), *(f"{x:.12g}" for x in values)]))
    return "\n".join(lines) + "\n"


def lcp(data):
    problem = matlab(data)
    matrix = problem["M"].toarray() if hasattr(problem["M"], "toarray") else problem["M"]
    return json.dumps({"kind": "lcp", "M": matrix.tolist(), "q": problem["q"].ravel().tolist()})


def content(get, repository, commit, path, conversion):
    if conversion == "ours":
        return (ROOT / path).read_bytes()

    def raw(inner):
        return get(repository, commit, inner)

    if conversion == "toss":
        return toss(raw(path)).encode()
    if conversion == "impacts":
        return impacts(lambda name: raw(f"{path}/{name}")).encode()
    if conversion == "lcp":
        return lcp(raw(path)).encode()
    return raw(path)


def main():
    lines = [line.split("\t") for line in (HERE / "files.tsv").read_text().splitlines() if not line.startswith("#")]
    sets = sorted({line[1].split("/")[0] for line in lines})
    parser = argparse.ArgumentParser(description="Fetches public data sets; docs/reference/data-sets.md names them.")
    parser.add_argument("set", nargs="*", metavar="SET", help=f"one of {', '.join(sets)}; default all")
    parser.add_argument("--from", dest="clones", type=Path, metavar="FOLDER", help="take repositories from clones here")
    parser.add_argument("--into", type=Path, default=ROOT / "data", metavar="FOLDER", help="default data/")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.set) - set(sets))
    if unknown:
        parser.error(f"must be one of {', '.join(sets)}, found {', '.join(unknown)}")
    get = from_clones(arguments.clones) if arguments.clones else from_network
    counts = dict.fromkeys(["fetched", "there", "failed"], 0)
    for checksum, name, repository, commit, path, conversion in lines:
        if arguments.set and name.split("/")[0] not in arguments.set:
            continue
        target = arguments.into / name
        if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == checksum:
            counts["there"] += 1
            continue
        try:
            found = content(get, repository, commit, path, conversion)
            if (sum := hashlib.sha256(found).hexdigest()) != checksum:
                raise Missing(f"SHA-256 must be {checksum}, found {sum}")
        except Missing as error:
            counts["failed"] += 1
            print(f"{name}: {error}", file=sys.stderr)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(found)
        counts["fetched"] += 1
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
