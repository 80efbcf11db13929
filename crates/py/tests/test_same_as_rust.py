"""The same answers as the command, to the bit."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stiction

from conftest import ROOT, Run

CONTACT = sorted((ROOT / "problems/contact").glob("*.json"))
LCP = sorted(f for f in (ROOT / "problems/lcp").glob("*.json") if not f.name.endswith(".answer.json"))
LAWS: list[stiction.Law] = ["coulomb", "polyhedral", "frictionless", "no-slip", "viscous"]
RANDOM = 1000


def same(name: str, ours: Any, theirs: Any) -> None:
    """Compares bits; the sign of a zero does not count, as files do not keep it."""
    ours, theirs = np.asarray(ours, dtype=float).ravel() + 0.0, np.asarray(theirs, dtype=float).ravel() + 0.0
    assert ours.tobytes() == theirs.tobytes(), f"{name}: {ours} and {theirs}"


def compare(problem: dict[str, Any], law: stiction.Law, theirs: dict[str, Any]) -> None:
    ours = stiction.solve(problem, law=law)
    assert ours.status == theirs["status"]
    assert ours.law == theirs["law"]
    contacts = theirs["contacts"]
    same("normal_impulse", ours.normal_impulse, [c["normal_impulse"] for c in contacts])
    assert ours.friction_world is not None
    same("friction_world", ours.friction_world, [c["friction_impulse"] for c in contacts])
    assert ours.state == [c["state"] for c in contacts]
    same("velocity", ours.velocity, [b["velocity"] for b in theirs["bodies"]])
    same("joint_impulse", ours.joint_impulse, [x for j in theirs.get("joints", []) for x in j["impulse"]])
    same("residual", [ours.residual.worst], [theirs["residual"]])
    if law == "polyhedral":
        same("phi", ours.phi, [c["phi"] for c in contacts])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("file", CONTACT, ids=lambda f: f.stem)
def test_contact_files(file: Path, law: stiction.Law, run: Run) -> None:
    compare(json.loads(file.read_text()), law, run("solve", file, "--law", law))


@pytest.mark.parametrize("file", LCP, ids=lambda f: f.stem)
def test_lcp_files(file: Path, run: Run) -> None:
    problem = json.loads(file.read_text())
    options = {key: problem[key] for key in ("lower", "upper", "free") if key in problem}
    known = problem.get("class", "unknown")
    if options:
        for key, none in (("lower", -np.inf), ("upper", np.inf)):
            if key in options:
                options[key] = [none if x is None else float(x) for x in options[key]]
        ours = stiction.solve_mlcp(problem["M"], problem["q"], matrix_class=known, **options)
    else:
        ours = stiction.solve_lcp(problem["M"], problem["q"], matrix_class=known)
    theirs = run("solve", file)
    assert ours.status == theirs["status"]
    same("z", ours.z, theirs["z"])
    same("w", ours.w, theirs["w"])


def random_problem(rng: np.random.Generator) -> dict[str, Any]:
    """Boxes that meet each other and the world at random points."""
    count = int(rng.integers(1, 5))
    bodies = []
    for _ in range(count):
        sides, mass = rng.uniform(0.2, 2.0, 3), float(rng.uniform(0.1, 10.0))
        inertia = mass / 12.0 * (np.sum(sides**2) - sides**2)
        bodies.append(
            {
                "mass": mass,
                "inertia": inertia.tolist(),
                "position": rng.normal(size=3).tolist(),
                "velocity": rng.normal(size=6).tolist(),
                "wrench": rng.normal(scale=20.0, size=6).tolist(),
            }
        )
    contacts = []
    for _ in range(int(rng.integers(1, 9))):
        a = int(rng.integers(count))
        b = int(rng.integers(count))
        normal = rng.normal(size=3)
        contacts.append(
            {
                "a": a,
                "b": None if a == b else b,
                "point": rng.normal(size=3).tolist(),
                "normal": (normal / np.linalg.norm(normal)).tolist(),
                "mu": float(rng.uniform(0.0, 1.0)),
                "gap": float(rng.uniform(0.0, 0.01)),
            }
        )
    return {"kind": "contact", "dt": 0.01, "bodies": bodies, "contacts": contacts}


def test_random_problems(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    problems = [random_problem(rng) for _ in range(RANDOM)]

    def check(number: int) -> None:
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(problems[number]))
        law = LAWS[number % 2]
        compare(problems[number], law, run("solve", file, "--law", law))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(check, range(RANDOM)))


@pytest.mark.parametrize("name", ["ramp-hold", "ramp-slide", "tower-tilt", "planar-ramp", "four-bar"])
def test_scenes(name: str, run: Run, root: Path) -> None:
    file = root / "scenes" / f"{name}.toml"
    theirs = run("run", file, "--steps", 200)
    world = stiction.World.read(file)
    report = world.step(200)
    assert (report.status, report.steps) == ("solved", 200)
    assert f"{world.state_hash:016x}" == theirs["hash"]
    same("positions", world.positions, [b["position"] for b in theirs["bodies"]])
    same("velocities", world.velocities, [b["velocity"] for b in theirs["bodies"]])
