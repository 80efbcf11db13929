"""Forces at one moment, nonconvex groups, blocks and rows: the same bits as the command, and closed forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stiction

from conftest import ROOT, Run
from test_same_as_rust import same

FORCES = sorted((ROOT / "problems/contact-acceleration").glob("*.json"))
LAWS: list[stiction.Law] = ["coulomb-acceleration", "coulomb-acceleration-as-published", "frictionless", "viscous-explicit"]
BLOCK: dict[str, Any] = {
    "mass": 2.0,
    "inertia": [0.02, 0.02, 0.02],
    "position": [0, 0, 0],
    "velocity": [3, 0, 0, 0, 0, 0],
    "wrench": [0, 0, -20, 0, 0, 0],
}
FLOOR: dict[str, Any] = {"a": 0, "b": None, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("file", FORCES, ids=lambda f: f.stem)
def test_force_files(file: Path, law: stiction.Law, run: Run) -> None:
    problem, theirs = json.loads(file.read_text()), run("solve", file, "--law", law)
    ours = stiction.solve(problem, law=law)
    assert (ours.status, ours.law) == (theirs["status"], theirs["law"])
    contacts = theirs["contacts"]
    same("forces", ours.normal_impulse, [c["normal_force"] for c in contacts])
    assert ours.friction_world is not None
    same("friction", ours.friction_world, [c["friction_force"] for c in contacts])
    same("accelerations", ours.velocity, [b["acceleration"] for b in theirs["bodies"]])
    same("joints", ours.joint_impulse, [x for j in theirs.get("joints", []) for x in j["force"]])
    made = stiction.ContactProblem.at_acceleration(problem["bodies"], problem["contacts"], problem.get("joints"))
    assert made.forces
    assert stiction.solve(made, law=law) == ours


def test_the_law_that_is_left_out_follows_the_problem() -> None:
    forces = stiction.ContactProblem.at_acceleration([BLOCK], [FLOOR])
    found = stiction.solve(forces)
    assert found.law == "coulomb-acceleration"
    assert abs(found.normal_impulse[0] - 20.0) < 1e-12, "a force [N]"
    assert abs(found.velocity[0] + 5.0) < 1e-12, "an acceleration [m/s^2]: - mu g"
    impulses = stiction.ContactProblem.from_bodies([BLOCK], [FLOOR], dt=0.01)
    assert not impulses.forces
    assert stiction.solve(impulses).law == "coulomb"


def test_biases_and_viscosity_are_read() -> None:
    lifted = stiction.ContactProblem.at_acceleration([BLOCK], [FLOOR | {"normal_bias": 4.0, "tangent_bias": [0.0, 0.0, 0.0]}])
    assert abs(stiction.solve(lifted, law="frictionless").normal_impulse[0] - 2.0 * (10.0 - 4.0)) < 1e-12
    oil = FLOOR | {"viscosity": 0.5}
    slowed = stiction.solve(stiction.ContactProblem.at_acceleration([BLOCK], [oil]), law="viscous-explicit")
    assert abs(slowed.velocity[0] + 0.5 * 3.0 / 2.0) < 1e-12
    # c = 0.5 N s/m over 0.01 s: v = v0 m / (m + h c).
    step = stiction.solve(stiction.ContactProblem.from_bodies([BLOCK], [oil], dt=0.01), law="viscous")
    assert abs(step.velocity[0] - 3.0 * 2.0 / (2.0 + 0.005)) < 1e-12


def test_impulses_where_no_force_exists(root: Path, run: Run) -> None:
    file = root / "problems/contact-acceleration/painleve-rod.json"
    rod = json.loads(file.read_text())
    found = stiction.solve(rod)
    assert found.status == "unbounded_drive"
    assert found.drive is not None
    impulses = stiction.solve(stiction.ContactProblem.impulsive(rod["bodies"], rod["contacts"], dt=0.01))
    theirs = run("solve", file, "--impulse", 0.01)["impulse"]
    assert impulses.status == theirs["status"] == "solved"
    same("impulses", impulses.normal_impulse, [c["normal_impulse"] for c in theirs["contacts"]])


def corner() -> dict[str, Any]:
    """A point mass before an edge that stands out: it may pass the wall or the floor, and passing the floor costs less."""
    body = BLOCK | {"velocity": [-2, 0, -1, 0, 0, 0], "wrench": [0] * 6}
    wall, floor = FLOOR | {"normal": [1, 0, 0], "mu": 0.0}, FLOOR | {"mu": 0.0}
    return {"kind": "contact", "dt": 0.01, "bodies": [body], "contacts": [wall, floor], "groups": [[0, [1]]]}


def test_of_a_group_one_side_must_hold(run: Run, tmp_path: Path) -> None:
    problem = corner()
    made = stiction.ContactProblem.from_bodies(problem["bodies"], problem["contacts"], dt=0.01, groups=problem["groups"])
    assert made.group_count == 1
    found = stiction.solve(made)
    assert (found.status, found.stats.methods[-1]) == ("solved", "nonconvex_max")
    assert np.allclose(found.normal_impulse, [0.0, 2.0], atol=1e-14)
    file = tmp_path / "corner.json"
    file.write_text(json.dumps(problem))
    theirs = run("solve", file)
    same("impulses", stiction.solve(problem).normal_impulse, [c["normal_impulse"] for c in theirs["contacts"]])
    convex = stiction.solve({key: value for key, value in problem.items() if key != "groups"})
    assert np.allclose(convex.normal_impulse, [4.0, 2.0], atol=1e-14)


def test_the_summation_form(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "corner.json"
    file.write_text(json.dumps(corner()))
    theirs = run("solve", file, "--method", "nonconvex_sum", "--epsilon", 0.1)
    ours = stiction.solve(corner(), method="nonconvex_sum", epsilon=0.1)
    assert (ours.status, ours.law) == (theirs["status"], "polyhedral")
    same("impulses", ours.normal_impulse, [c["normal_impulse"] for c in theirs["contacts"]])


RAW: dict[str, Any] = {
    "kind": "contact-raw",
    "name": "jaw",
    "blocks": [{"mass": [[2]], "v_free": [-1]}, {"mass": [[1, 0], [0, 3]], "v_free": [0, 0.5]}],
    "contacts": [
        {
            "parts": [
                {"block": 0, "normal": [1], "tangents": [[0], [0]]},
                {"block": 1, "normal": [-1, 0], "tangents": [[0, 1], [0, 0]]},
            ],
            "mu": 0.5,
            "bias": [0.1, 0.2, 0],
            "viscosity": 0.3,
            "slip": [0.5, 0],
        }
    ],
    "joints": [{"parts": [{"block": 1, "row": [1, 1]}], "bias": 0.05, "compliance": 0.01, "most": 0.2}],
}


@pytest.mark.parametrize("law", ["coulomb", "polyhedral", "viscous", "viscous-explicit"])
def test_blocks_and_rows(law: stiction.Law, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "jaw.json"
    file.write_text(json.dumps(RAW))
    theirs, ours = run("solve", file, "--law", law), stiction.solve(RAW, law=law)
    assert ours.status == theirs["status"] == "solved"
    same("impulses", ours.normal_impulse, [c["normal_impulse"] for c in theirs["contacts"]])
    same("friction", ours.friction_impulse, [c["friction_impulse"] for c in theirs["contacts"]])
    same("velocities", ours.velocity, [x for b in theirs["blocks"] for x in b["velocity"]])
    same("joints", ours.joint_impulse, theirs["joint_impulse"])
    # The same as arrays.
    jacobian = np.array([[[1, -1, 0], [0, 0, 1], [0, 0, 0]]], dtype=float)
    arrays = stiction.ContactProblem.from_arrays(
        [[[2.0]], [[1.0, 0.0], [0.0, 3.0]]],
        [-1.0, 0.0, 0.5],
        jacobian,
        [0.5],
        bias=[[0.1, 0.2, 0.0]],
        viscosity=[0.3],
        slip=[[0.5, 0.0]],
        joints=[[0.0, 1.0, 1.0]],
        joint_bias=[0.05],
        joint_compliance=[0.01],
        joint_most=[0.2],
    )
    assert stiction.solve(arrays, law=law) == ours


def test_arrays_of_forces() -> None:
    # A point mass of 2 kg that slides at 3 m/s: - mu g.
    rows = np.eye(3)[[2, 0, 1]][None]
    problem = stiction.ContactProblem.from_arrays([2.0 * np.eye(3)], [0, 0, -10], rows, [0.5], slip=[[3, 0]], forces=True)
    found = stiction.solve(problem)
    assert found.law == "coulomb-acceleration"
    assert np.allclose(found.velocity, [-5.0, 0.0, 0.0], atol=1e-14)
    grouped = stiction.ContactProblem.from_arrays([2.0 * np.eye(3)], [0, 0, -1], rows, [0.0], groups=[[[0]]])
    assert grouped.group_count == 1
