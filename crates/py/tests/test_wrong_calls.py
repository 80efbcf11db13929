"""What is said of wrong calls, word for word."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import stiction

BODY = {"mass": 2.0, "inertia": [1.0, 1.0, 1.0], "position": [0, 0, 0], "velocity": [0] * 6, "wrench": [0] * 6}
CONTACT = {"a": 0, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5}
SCENE = 'format = 1\nbody = [{ name = "box", shape = { box = [1, 1, -1] } }]\n'
GROUND = 'format = 1\nbody = [{ name = "ground", shape = { half_space = [0, 0, 1] } }]\n'


def of(body: dict[str, Any] | None = None, contact: dict[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    """A problem with one wrong thing."""
    return {"dt": 0.01, "bodies": [BODY | (body or {})], "contacts": [CONTACT | (contact or {})]} | rest


def solve(problem: Any, **options: Any) -> Callable[[], object]:
    return lambda: stiction.solve(problem, **options)


def arrays(**wrong: Any) -> Callable[[], object]:
    good: dict[str, Any] = {"mass": [np.eye(3)], "v_free": np.zeros(3), "jacobian": np.eye(3)[None], "mu": [0.5]}
    return lambda: stiction.ContactProblem.from_arrays(**(good | wrong))


# What it is, the call, the path, the text.
CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "a law that is not there": (
        solve(of(), law="coulumb"),
        "law",
        "law: must be one of frictionless, polyhedral, coulomb, coulomb-acceleration, coulomb-acceleration-as-published, no-slip, viscous, viscous-explicit, found 'coulumb'",
    ),
    "a method that is not there": (
        solve(of(), method="lemke"),
        "method",
        "method: must be one of lemke_reduced, lemke_structural, lemke_standard, newton_cone, dantzig, ppm_modified, nonconvex_max, nonconvex_sum, found 'lemke'",
    ),
    "a method for another law": (
        solve(of(), law="coulomb", method="ppm_modified"),
        "method",
        "method: ppm_modified does not answer the law coulomb; methods that do: newton_cone, dantzig, nonconvex_max",
    ),
    "too few directions": (
        solve(of(), law="polyhedral", directions=2),
        "directions",
        "directions: must lie between 3 and 64, found 2",
    ),
    "a tolerance of zero": (
        solve(of(), tolerance=0.0),
        "tolerance",
        "tolerance: must lie between 0 and 1, both excluded, found 0",
    ),
    "no problem": (
        solve(None),
        "problem",
        "problem: must be a mapping, found None",
    ),
    "an LCP for a contact problem": (
        solve({"kind": "lcp", "M": [[1]], "q": [1]}),
        "problem",
        "problem: must be one of the keys kind, name, dt, bodies, contacts, joints, found 'M'",
    ),
    "another kind": (
        solve(of(kind="lcp")),
        "kind",
        "kind: must be 'contact', found 'lcp'",
    ),
    "no time step": (
        solve({"bodies": [], "contacts": []}),
        "dt",
        "dt: must be given, found nothing",
    ),
    "a time step of zero": (
        solve(of(dt=0.0)),
        "dt",
        "dt: must be finite and positive, found 0",
    ),
    "no mass": (
        solve(of({"mass": None})),
        "bodies[0].mass",
        "bodies[0].mass: must be given, found nothing",
    ),
    "a negative mass": (
        solve(of({"mass": -1.0})),
        "bodies[0].mass",
        "bodies[0].mass: must be finite and positive, found -1",
    ),
    "a mass in words": (
        solve(of({"mass": "heavy"})),
        "bodies[0].mass",
        "bodies[0].mass: must be a number, found 'heavy'",
    ),
    "an inertia that no body has": (
        solve(of({"inertia": [1.0, 1.0, 3.0]})),
        "bodies[0].inertia",
        "bodies[0].inertia: principal moments must satisfy the triangle inequality: largest minus sum of the others, found 1",
    ),
    "a velocity of three numbers": (
        solve(of({"velocity": [0, 0, 0]})),
        "bodies[0].velocity",
        "bodies[0].velocity: must have shape (6,), found (3,)",
    ),
    "a position that is not finite": (
        solve(of({"position": [0.0, float("nan"), 0.0]})),
        "bodies[0].position[1]",
        "bodies[0].position[1]: must be finite, found NaN",
    ),
    "an unknown key": (
        solve(of(contact={"friction": 0.5})),
        "contacts[0]",
        "contacts[0]: must be one of the keys a, b, point, normal, mu, gap, restitution, viscosity, found 'friction'",
    ),
    "negative friction": (
        solve(of(contact={"mu": -0.1})),
        "contacts[0].mu",
        "contacts[0].mu: must not be negative or NaN, found -0.1",
    ),
    "a normal that is not of unit length": (
        solve(of(contact={"normal": [0, 0, 2]})),
        "contacts[0].normal",
        "contacts[0].normal: must have unit length, found 2",
    ),
    "a body that is not there": (
        solve(of(contact={"a": 3})),
        "contacts[0].a",
        "contacts[0].a: must be below 1, found 3",
    ),
    "a body by a negative index": (
        solve(of(contact={"a": -1})),
        "contacts[0].a",
        "contacts[0].a: must be an index from 0, found -1",
    ),
    "a body that touches itself": (
        solve(of(contact={"b": 0})),
        "contacts[0]",
        "contacts[0]: must touch two different bodies, found body 0 twice",
    ),
    "bodies as a mapping": (
        solve(of(bodies=BODY)),
        "bodies",
        "bodies: must be a sequence, found {'mass': 2.0, 'inertia': [1.0, 1.0, 1.0]...",
    ),
    "a mass that is not square": (
        arrays(mass=[np.ones((3, 2))]),
        "mass[0]",
        "mass[0]: must be square, found shape (3, 2)",
    ),
    "a mass that is not positive definite": (
        arrays(mass=[np.diag([1.0, -1.0, 1.0])]),
        "mass[0]",
        "mass[0]: must be positive definite: pivot 1, found -1",
    ),
    "a velocity that is too long": (
        arrays(v_free=np.zeros(4)),
        "v_free",
        "v_free: must have 3 entries, one a coordinate of the blocks, found 4",
    ),
    "a Jacobian for fewer coordinates": (
        arrays(jacobian=np.ones((1, 3, 2))),
        "jacobian",
        "jacobian: must have shape (any, 3, 3), found (1, 3, 2)",
    ),
    "friction for fewer contacts": (
        arrays(mu=[0.5, 0.5]),
        "mu",
        "mu: must have shape (1,), found (2,)",
    ),
    "a Jacobian with infinity": (
        arrays(jacobian=np.full((1, 3, 3), np.inf)),
        "jacobian[0][0][0]",
        "jacobian[0][0][0]: must be finite, found inf",
    ),
    "a Jacobian of zeros": (
        arrays(jacobian=np.zeros((1, 3, 3))),
        "jacobian[0][0]",
        "jacobian[0][0]: must not be zero, found 0",
    ),
    "complex numbers": (
        arrays(v_free=np.zeros(3, dtype=complex)),
        "v_free",
        "v_free: must be an array of real numbers, found dtype complex128",
    ),
    "a matrix that is not square": (
        lambda: stiction.solve_lcp(np.ones((2, 3)), [1.0, 1.0]),
        "M",
        "M: must have shape (2, 2), found (2, 3)",
    ),
    "a matrix with NaN": (
        lambda: stiction.solve_lcp([[np.nan]], [1.0]),
        "M[0][0]",
        "M[0][0]: must be finite, found NaN",
    ),
    "a ragged matrix": (
        lambda: stiction.solve_lcp([[1.0, 2.0], [3.0]], [1.0, 1.0]),
        "M",
        "M: must be an array of real numbers, found [[1.0, 2.0], [3.0]]",
    ),
    "crossed bounds": (
        lambda: stiction.solve_mlcp([[1.0]], [1.0], lower=[2.0], upper=[1.0]),
        "lower[0]",
        "lower[0]: must not exceed upper[0] = 1, found 2",
    ),
    "a free variable that is not there": (
        lambda: stiction.solve_mlcp([[1.0]], [1.0], free=[3]),
        "free[0]",
        "free[0]: must be below 1, found 3",
    ),
    "a scene with a wrong shape": (
        lambda: stiction.World.parse(SCENE),
        "body[0].shape.box[2]",
        "scene:2:48: body[0].shape.box[2]: must be positive, found -1",
    ),
    "a scene file that is not there": (
        lambda: stiction.World.read("none.toml"),
        "",
        "none.toml: must be a file, found nothing of this name",
    ),
    "a state of another world": (
        lambda: stiction.World.parse(GROUND).load(b"nothing"),
        "saved state",
        "saved state: must have 16 bytes at least, found 7",
    ),
    "a force on a body that is not there": (
        lambda: stiction.World.parse(GROUND).apply("box", [0, 0, 1]),
        "body",
        "body: must be the name of a body, found 'box'",
    ),
    "a rollout of a number": (
        lambda: stiction.rollout([3], 1),  # type: ignore[list-item]
        "scenes[0]",
        "scenes[0]: must be scene text, a path or a World, found 3",
    ),
    "a rollout without threads": (
        lambda: stiction.rollout([GROUND], 1, 0),
        "threads",
        "threads: must be 1 to 1024, found 0",
    ),
    "a rollout with a wrong scene": (
        lambda: stiction.rollout([GROUND, SCENE], 1),
        "scenes[1].body[0].shape.box[2]",
        "scenes[1]: scene:2:48: body[0].shape.box[2]: must be positive, found -1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_call(name: str) -> None:
    call, path, text = CASES[name]
    with pytest.raises(stiction.InputError) as caught:
        call()
    assert str(caught.value) == text
    assert caught.value.path == path
    assert isinstance(caught.value, ValueError)


def test_errors_keep_their_path_when_pickled() -> None:
    with pytest.raises(stiction.InputError) as caught:
        stiction.solve(of(), law="none")  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path) == (str(caught.value), "law")


def test_wrong_number_of_arguments_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        stiction.solve()  # type: ignore[call-arg]
