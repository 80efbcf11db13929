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


NAN = float("nan")
BOX = 'format = 1\nbody = [{ name = "box", shape = { box = [1, 1, 1] } }]\n'


def world() -> Any:
    """A world of which mypy knows nothing: wrong calls are meant."""
    return stiction.World.parse(BOX)


def forces(**contact: Any) -> stiction.ContactProblem:
    return stiction.ContactProblem.at_acceleration([BODY], [CONTACT | contact])


def raw(part: dict[str, Any]) -> dict[str, Any]:
    """A point mass that moves along a line."""
    return {"kind": "contact-raw", "blocks": [{"mass": [[1]], "v_free": [0]}], "contacts": [{"parts": [part]}]}


# What it is, the call, the path, the text.
CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "a law that is not there": (
        solve(of(), law="coulumb"),
        "law",
        "law: must be one of frictionless, polyhedral, coulomb, coulomb-acceleration, coulomb-acceleration-as-published, no-slip, viscous, viscous-explicit, coulomb-viscous, coulomb-viscous-acceleration, found 'coulumb'",
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
        "directions: must be a whole number from 3 to 64, found 2",
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
        "kind",
        "kind: must be contact, contact-acceleration or contact-raw, found 'lcp'",
    ),
    "another kind": (
        solve(of(kind="lcp")),
        "kind",
        "kind: must be contact, contact-acceleration or contact-raw, found 'lcp'",
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
        "mu: must be one number or have shape (1,), found (2,)",
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
        "M: must have shape (2, 2), as q has 2 entries, found (2, 3)",
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
        lambda: stiction.run_scenes([3], 1),  # type: ignore[list-item]
        "scenes[0]",
        "scenes[0]: must be scene text, a path or a World, found 3",
    ),
    "a rollout without threads": (
        lambda: stiction.run_scenes([GROUND], 1, 0),
        "threads",
        "threads: must be a whole number from 1 to 1024, found 0",
    ),
    "a rollout with a wrong scene": (
        lambda: stiction.run_scenes([GROUND, SCENE], 1),
        "scenes[1].body[0].shape.box[2]",
        "scenes[1]: scene:2:48: body[0].shape.box[2]: must be positive, found -1",
    ),
    "a negative number of steps": (
        lambda: world().step(-1),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found -1",
    ),
    "a float for a number of steps": (
        lambda: world().step(2.0),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found 2.0",
    ),
    "more steps than can be counted": (
        lambda: world().step(2**70),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found 1180591620717411303424",
    ),
    "None for a number of steps": (
        lambda: world().step(None),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found None",
    ),
    "True for a number of steps": (
        lambda: world().step(True),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found True",
    ),
    "a text for a number of steps": (
        lambda: world().step("3"),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found '3'",
    ),
    "a rollout of negative steps": (
        lambda: stiction.run_scenes([GROUND], -1),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found -1",
    ),
    "a rollout on negative threads": (
        lambda: stiction.run_scenes([GROUND], 1, -1),
        "threads",
        "threads: must be a whole number from 1 to 1024, found -1",
    ),
    "a rollout on half a thread": (
        lambda: stiction.run_scenes([GROUND], 1, 1.5),  # type: ignore[arg-type]
        "threads",
        "threads: must be a whole number from 1 to 1024, found 1.5",
    ),
    "a rollout of a text": (
        lambda: stiction.run_scenes(GROUND, 1),
        "scenes",
        "scenes: must be a sequence, found 'format = 1\\nbody = [{ name = \"ground\", ...",
    ),
    "a rollout of nothing": (
        lambda: stiction.run_scenes(None, 1),  # type: ignore[arg-type]
        "scenes",
        "scenes: must be a sequence, found None",
    ),
    "a folder that is no path": (
        lambda: stiction.run_scenes([GROUND], 1, folder=3),  # type: ignore[arg-type]
        "folder",
        "folder: must be a path, found 3",
    ),
    "None for a law": (
        solve(of(), law=None),
        "law",
        "law: must be one of frictionless, polyhedral, coulomb, coulomb-acceleration, coulomb-acceleration-as-published, no-slip, viscous, viscous-explicit, coulomb-viscous, coulomb-viscous-acceleration, found None",
    ),
    "a number for a law": (
        solve(of(), law=3),
        "law",
        "law: must be one of frictionless, polyhedral, coulomb, coulomb-acceleration, coulomb-acceleration-as-published, no-slip, viscous, viscous-explicit, coulomb-viscous, coulomb-viscous-acceleration, found 3",
    ),
    "a number for a method": (
        solve(of(), method=3),
        "method",
        "method: must be one of lemke_reduced, lemke_structural, lemke_standard, newton_cone, dantzig, ppm_modified, nonconvex_max, nonconvex_sum, found 3",
    ),
    "a float for directions": (
        solve(of(), law="polyhedral", directions=8.0),
        "directions",
        "directions: must be a whole number from 3 to 64, found 8.0",
    ),
    "None for directions": (
        solve(of(), directions=None),
        "directions",
        "directions: must be a whole number from 3 to 64, found None",
    ),
    "a tolerance that is no number": (
        solve(of(), tolerance=NAN),
        "tolerance",
        "tolerance: must lie between 0 and 1, both excluded, found NaN",
    ),
    "a tolerance in words": (
        solve(of(), tolerance="small"),
        "tolerance",
        "tolerance: must be a number, found 'small'",
    ),
    "a number for a flag": (
        solve(of(), unique=1),
        "unique",
        "unique: must be True or False, found 1",
    ),
    "epsilon for another method": (
        solve(of(), epsilon=0.1),
        "epsilon",
        "epsilon: must be given with the method nonconvex_sum, found no method",
    ),
    "an epsilon that is no number": (
        solve(of(), epsilon=NAN, method="nonconvex_sum"),
        "epsilon",
        "epsilon: must be finite and positive, found NaN",
    ),
    "a law of forces for impulses": (
        solve(of(), law="coulomb-acceleration"),
        "law",
        "law: must be one of frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous where impulses are sought, found 'coulomb-acceleration'",
    ),
    "a law of impulses for forces": (
        lambda: stiction.solve(forces(), law="coulomb"),
        "law",
        "law: must be one of frictionless, coulomb-acceleration, coulomb-acceleration-as-published, viscous-explicit, coulomb-viscous-acceleration where forces are sought, found 'coulomb'",
    ),
    "a gap where forces are sought": (
        lambda: forces(gap=0.1),
        "contacts[0].gap",
        "contacts[0].gap: must be 0 or absent where forces are sought, found 0.1",
    ),
    "a bias that is no number": (
        lambda: forces(normal_bias=NAN),
        "contacts[0].normal_bias",
        "contacts[0].normal_bias: must be finite, found NaN",
    ),
    "a bias of two numbers": (
        lambda: forces(tangent_bias=[1, 2]),
        "contacts[0].tangent_bias",
        "contacts[0].tangent_bias: must have shape (3,), found (2,)",
    ),
    "impulses over a negative step": (
        lambda: stiction.ContactProblem.impulsive([BODY], [CONTACT], dt=-1),
        "dt",
        "dt: must be finite and positive, found -1",
    ),
    "a group of a contact that is not there": (
        solve(of(groups=[[0, 1]])),
        "groups[0][1][0]",
        "groups[0][1][0]: must be below 1, found 1",
    ),
    "a group in words": (
        solve(of(groups=[["a"]])),
        "groups[0][0]",
        "groups[0][0]: must be a contact's index or a list of them, found 'a'",
    ),
    "groups as a number": (
        solve(of(groups=3)),
        "groups",
        "groups: must be a sequence, found 3",
    ),
    "a raw contact with a block that is not there": (
        solve(raw({"block": 1, "normal": [1], "tangents": [[0], [0]]})),
        "contacts[0].parts[0].block",
        "contacts[0].parts[0].block: must be below 1, found 1",
    ),
    "a raw contact with one tangent": (
        solve(raw({"block": 0, "normal": [1], "tangents": [[0]]})),
        "contacts[0].parts[0].tangents",
        "contacts[0].parts[0].tangents: must have shape (2, 1), found (1, 1)",
    ),
    "a kind that is no text": (
        solve(of(kind=3)),
        "kind",
        "kind: must be contact, contact-acceleration or contact-raw, found 3",
    ),
    "a time step that is no number": (
        solve(of(dt=NAN)),
        "dt",
        "dt: must be finite and positive, found NaN",
    ),
    "a time step that is true": (
        solve(of(dt=True)),
        "dt",
        "dt: must be a number, found True",
    ),
    "a body by a float": (
        solve(of(contact={"a": 0.0})),
        "contacts[0].a",
        "contacts[0].a: must be an index from 0, found 0.0",
    ),
    "a viscosity that is no number": (
        solve(of(contact={"viscosity": NAN})),
        "contacts[0].viscosity",
        "contacts[0].viscosity: must be finite and not negative, found NaN",
    ),
    "friction in words": (
        solve(of(contact={"mu": "high"})),
        "contacts[0].mu",
        "contacts[0].mu: must be a number, found 'high'",
    ),
    "None for a rule of restitution": (
        lambda: stiction.ContactProblem.from_bodies([BODY], [CONTACT], dt=0.01, restitution=None),  # type: ignore[arg-type]
        "restitution",
        "restitution: must be one of newton, poisson, found None",
    ),
    "joints as a number": (
        solve(of(joints=3)),
        "joints",
        "joints: must be a sequence, found 3",
    ),
    "joint rows of six numbers": (
        solve(of(joints=[{"a": 0, "rows": [[1] * 6], "bias": [0]}])),
        "joints[0].rows",
        "joints[0].rows: must have shape (any, 12), found (1, 6)",
    ),
    "a negative viscosity of an array": (
        arrays(viscosity=[-1]),
        "viscosity[0]",
        "viscosity[0]: must be finite and not negative, found -1",
    ),
    "slips of one number": (
        arrays(slip=[1.0]),
        "slip",
        "slip: must have shape (1, 2), found (1,)",
    ),
    "a slip that is no number": (
        arrays(slip=[[NAN, 0]]),
        "slip[0][0]",
        "slip[0][0]: must be finite, found NaN",
    ),
    "a compliance that is no number": (
        arrays(joints=np.eye(3)[:1], joint_compliance=[NAN]),
        "joint_compliance[0]",
        "joint_compliance[0]: must be finite and not negative, found NaN",
    ),
    "a negative limit of a joint": (
        arrays(joints=np.eye(3)[:1], joint_most=[-1]),
        "joint_most[0]",
        "joint_most[0]: must not be negative or NaN, found -1",
    ),
    "a limit without joints": (
        arrays(joint_most=[1]),
        "joint_most",
        "joint_most: must be given with joints, found it alone",
    ),
    "masses as a text": (
        arrays(mass="m"),
        "mass",
        "mass: must be a sequence, found 'm'",
    ),
    "friction that is no number": (
        arrays(mu=[NAN]),
        "mu[0]",
        "mu[0]: must not be negative or NaN, found NaN",
    ),
    "a Delassus matrix of another size": (
        lambda: stiction.ContactProblem.from_local(np.eye(2), [0, 0, 0], [0.1]),
        "W",
        "W: must have shape (3, 3), found (2, 2)",
    ),
    "a number for a method of an LCP": (
        lambda: stiction.solve_lcp([[1]], [1], method=1),  # type: ignore[arg-type]
        "method",
        "method: must be one of lemke, lemke_lexicographic, lemke_extended, lemke_exact, dantzig, ppm, least_squares, lemke_howson, branch_and_bound, enumerate, found 1",
    ),
    "None for a class": (
        lambda: stiction.solve_lcp([[1]], [1], matrix_class=None),  # type: ignore[arg-type]
        "matrix_class",
        "matrix_class: must be one of unknown, psd, p, copositive, found None",
    ),
    "a vector of no dimension": (
        lambda: stiction.solve_lcp([[1]], 3),
        "q",
        "q: must have shape (any,), found ()",
    ),
    "None for a matrix": (
        lambda: stiction.solve_lcp(None, [1]),  # type: ignore[arg-type]
        "M",
        "M: must be an array of real numbers, found None",
    ),
    "free variables as a number": (
        lambda: stiction.solve_mlcp([[1]], [1], free=0),  # type: ignore[arg-type]
        "free",
        "free: must be a sequence, found 0",
    ),
    "a free variable by a float": (
        lambda: stiction.solve_mlcp([[1]], [1], free=[0.0]),  # type: ignore[list-item]
        "free[0]",
        "free[0]: must be an index from 0, found 0.0",
    ),
    "a bound that is no number": (
        lambda: stiction.solve_mlcp([[1]], [1], lower=[NAN]),
        "lower[0]",
        "lower[0]: must be finite, found NaN",
    ),
    "a scene as a number": (
        lambda: stiction.World.parse(3),  # type: ignore[arg-type]
        "text",
        "text: must be a text, found 3",
    ),
    "a scene of bytes": (
        lambda: stiction.World.parse(b"x"),  # type: ignore[arg-type]
        "text",
        "text: must be a text, found b'x'",
    ),
    "a scene file as a number": (
        lambda: stiction.World.read(3),  # type: ignore[arg-type]
        "path",
        "path: must be a path, found 3",
    ),
    "a state as a text": (
        lambda: world().load("x"),
        "state",
        "state: must be bytes, found 'x'",
    ),
    "a body by its number": (
        lambda: world().apply(0, [0, 0, 1]),
        "body",
        "body: must be the name of a body, found 0",
    ),
    "a force of two numbers": (
        lambda: world().apply("box", [0, 1]),
        "force",
        "force: must have shape (3,), found (2,)",
    ),
    "a force that is no number": (
        lambda: world().apply("box", [0, 0, NAN]),
        "force[2]",
        "force[2]: must be finite, found NaN",
    ),
    "a force in words": (
        lambda: world().apply("box", "up"),
        "force",
        "force: must be an array of real numbers, found 'up'",
    ),
    "an infinite torque": (
        lambda: world().apply("box", [0, 0, 1], [0, 0, np.inf]),
        "torque[2]",
        "torque[2]: must be finite, found inf",
    ),
    "a velocity with None": (
        lambda: world().set_velocity("box", [0, 0, None]),
        "velocity[2]",
        "velocity[2]: must be a number, found None",
    ),
    "a velocity that is no number": (
        lambda: world().set_velocity("box", [0, NAN, 0]),
        "velocity[1]",
        "velocity[1]: must be finite, found NaN",
    ),
    "a recording of negative steps": (
        lambda: world().record(-1),
        "steps",
        "steps: must be a whole number from 0, below 2**64, found -1",
    ),
    "a recording of every no step": (
        lambda: world().record(1, every=0),
        "every",
        "every: must be a whole number from 1, below 2**64, found 0",
    ),
    "a recording that is not there": (
        lambda: stiction.Recording.read("none.mcap"),
        "",
        "none.mcap: No such file or directory (os error 2)",
    ),
    "a recording as a number": (
        lambda: stiction.Recording.read(3),  # type: ignore[arg-type]
        "path",
        "path: must be a path, found 3",
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
