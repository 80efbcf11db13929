"""Numbers in: layouts and types; problems from arrays."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import stiction

MASS = np.diag([2.0, 2.0, 2.0])
V_FREE = np.array([0.3, 0.0, -1.0])
ROWS = np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])


def test_point_mass_that_friction_stops() -> None:
    problem = stiction.ContactProblem.from_arrays([MASS], V_FREE, ROWS, [0.5])
    solution = stiction.solve(problem, law="polyhedral")
    assert solution.status == "solved"
    assert abs(solution.normal_impulse[0] - 2.0) < 1e-14
    assert abs(solution.friction_impulse[0, 0] + 0.6) < 1e-14
    assert solution.friction_world is None


def test_blocks_of_different_size() -> None:
    # A planar body of three coordinates beside a point on a rail.
    jacobian = np.zeros((1, 3, 4))
    jacobian[0, 0] = [0.0, 1.0, 0.0, -1.0]
    problem = stiction.ContactProblem.from_arrays([MASS, np.array([[2.0]])], [0.0, -1.0, 0.0, 1.0], jacobian, [0.0])
    assert (problem.block_count, problem.dof, problem.contact_count) == (2, 4, 1)
    solution = stiction.solve(problem)
    assert np.allclose(solution.velocity, 0.0, atol=1e-14)
    assert abs(solution.normal_impulse[0] - 2.0) < 1e-14


def test_joint_rows() -> None:
    joints = np.array([[1.0, 0.0, 0.0]])
    problem = stiction.ContactProblem.from_arrays([MASS], V_FREE, ROWS, [0.0], joints=joints, joint_bias=[0.1])
    solution = stiction.solve(problem)
    assert abs(solution.velocity[0] + 0.1) < 1e-15
    assert abs(solution.joint_impulse[0] + 0.8) < 1e-14


def test_delassus_matrix() -> None:
    problem = stiction.ContactProblem.from_local(0.5 * np.eye(3), [-1.0, 0.2, 0.0], [0.7])
    assert abs(stiction.solve(problem).normal_impulse[0] - 2.0) < 1e-14


def test_a_problem_is_read_from_its_file(tmp_path: Path) -> None:
    block = {
        "mass": 2.0,
        "inertia": [0.02, 0.02, 0.02],
        "position": [0, 0, 0.1],
        "velocity": [0, 0, 0, 0, 0, 0],
        "wrench": [9.9, 0, -20, 0, 0, 0],
    }
    corners = [{"a": 0, "point": [x, y, 0], "normal": [0, 0, 1], "mu": 0.5} for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    made = stiction.ContactProblem.from_bodies([block], corners, dt=0.01)
    file = tmp_path / "block.json"
    file.write_text(json.dumps({"kind": "contact", "dt": 0.01, "bodies": [block], "contacts": corners}))
    read = stiction.ContactProblem.read(file)
    want, found = stiction.solve(made), stiction.solve(read)
    assert want.normal_impulse.tobytes() == found.normal_impulse.tobytes()
    assert want.friction_impulse.tobytes() == found.friction_impulse.tobytes()
    file.write_text(json.dumps({"kind": "lcp", "M": [[1]], "q": [-1]}))
    with pytest.raises(stiction.InputError, match="must be a contact problem, found an LCP"):
        stiction.ContactProblem.read(file)
    with pytest.raises(stiction.InputError, match=r"none\.json: must be a file, found nothing"):
        stiction.ContactProblem.read("none.json")


M = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.5, 1.0, 4.0]])
Q = np.array([-5.0, -6.0, -7.0])


def test_layouts_give_the_same_bits() -> None:
    want = stiction.solve_lcp(M, Q).z.tobytes()
    wide = np.zeros((6, 9))
    wide[::2, ::3] = M
    layouts = [
        np.asfortranarray(M),
        wide[::2, ::3],
        M[::-1].copy()[::-1],
        M.astype(">f8"),
        M.astype(np.float32),
        M.tolist(),
        tuple(map(tuple, M)),
    ]
    for layout in layouts:
        assert stiction.solve_lcp(layout, Q).z.tobytes() == want
    read_only = M.copy()
    read_only.flags.writeable = False
    assert stiction.solve_lcp(read_only, Q).z.tobytes() == want
    odd = np.frombuffer(b"x" + M.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(3, 3)
    assert stiction.solve_lcp(odd, Q).z.tobytes() == want


def test_float32_is_widened_without_rounding() -> None:
    narrow = (0.1 * M).astype(np.float32)
    a = stiction.solve_lcp(narrow, Q)
    b = stiction.solve_lcp(narrow.astype(np.float64), Q)
    assert a.z.tobytes() == b.z.tobytes()
    assert a.z.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.complex128, np.bool_, np.longdouble, object])
def test_types_that_would_lose_something_are_refused(dtype: type) -> None:
    with pytest.raises(stiction.InputError, match="M: must be an array of real numbers, found dtype"):
        stiction.solve_lcp(M.astype(dtype), Q)


def test_input_is_not_changed() -> None:
    matrix, vector = M.copy(), Q.copy()
    stiction.solve_lcp(matrix, vector)
    assert (matrix == M).all()
    assert (vector == Q).all()


def test_empty_problems_are_solved() -> None:
    assert stiction.solve_lcp(np.zeros((0, 0)), []).status == "solved"
    empty = stiction.ContactProblem.from_bodies([], [], dt=0.01)
    assert stiction.solve(empty).status == "solved"


def test_arrays_of_bodies_may_be_numpy(root: Path) -> None:
    problem = json.loads((root / "problems/contact/block-on-floor.json").read_text())
    want = stiction.solve(problem)
    for body in problem["bodies"]:
        for key in ("inertia", "position", "velocity", "wrench"):
            body[key] = np.array(body[key], dtype=float)
        body["inertia"] = np.diag(body["inertia"])
    assert stiction.solve(problem) == want
