"""Types of the compiled part; the package `stiction` exports all of it. Shapes: n contacts, m bodies, r joint rows."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from .types import (
    BodyFields,
    ContactFields,
    Floats,
    Groups,
    JointFields,
    Law,
    LcpMethod,
    LcpStatus,
    MatrixClass,
    Method,
    State,
    Status,
    StepStatus,
    TouchingFields,
)

LAWS: list[Law]
METHODS: list[Method]
LCP_METHODS: list[LcpMethod]
__version__: str

class SceneWarning(UserWarning):
    """A scene that most likely says something else than was meant."""

class InputError(ValueError):
    """Data or options that cannot be used."""

    path: str
    """Path of the field, such as `contacts[2].mu`."""

class StepError(RuntimeError):
    """A step without a verified answer; raised by `raise_for_status` alone."""

class _Record:
    """Frozen; equal where all bits are; can be pickled."""

    def __new__(cls, *fields: Any) -> Self: ...
    def _repr_html_(self) -> str: ...
    __hash__: None  # type: ignore[assignment]

@final
class ContactProblem:
    """A contact problem: impulses over a step, or forces at one moment. It does not change."""

    @staticmethod
    def from_bodies(
        bodies: Sequence[BodyFields] | Sequence[Mapping[str, Any]],
        contacts: Sequence[ContactFields] | Sequence[Mapping[str, Any]],
        joints: Sequence[JointFields] | Sequence[Mapping[str, Any]] | None = None,
        *,
        dt: float,
        restitution: Literal["newton", "poisson"] = "newton",
        groups: Groups | None = None,
    ) -> ContactProblem:
        """Impulses over a step of dt [s]."""
    @staticmethod
    def at_acceleration(
        bodies: Sequence[BodyFields] | Sequence[Mapping[str, Any]],
        contacts: Sequence[TouchingFields] | Sequence[Mapping[str, Any]],
        joints: Sequence[JointFields] | Sequence[Mapping[str, Any]] | None = None,
    ) -> ContactProblem:
        """Forces [N] and accelerations [m/s^2] at one moment; results name them impulses and velocities."""
    @staticmethod
    def impulsive(
        bodies: Sequence[BodyFields] | Sequence[Mapping[str, Any]],
        contacts: Sequence[TouchingFields] | Sequence[Mapping[str, Any]],
        joints: Sequence[JointFields] | Sequence[Mapping[str, Any]] | None = None,
        *,
        dt: float,
    ) -> ContactProblem:
        """Impulses over a step of dt [s] where no finite force exists."""
    @staticmethod
    def from_arrays(
        mass: ArrayLike | Sequence[ArrayLike],
        v_free: ArrayLike,
        jacobian: ArrayLike,
        mu: ArrayLike,
        *,
        bias: ArrayLike | None = None,
        restitution: ArrayLike | None = None,
        viscosity: ArrayLike | None = None,
        slip: ArrayLike | None = None,
        joints: ArrayLike | None = None,
        joint_bias: ArrayLike | None = None,
        joint_compliance: ArrayLike | None = None,
        joint_most: ArrayLike | None = None,
        groups: Groups | None = None,
        forces: bool = False,
    ) -> ContactProblem:
        """Mass blocks, velocity without contact (dof,), rows (n, 3, dof) and friction (n,)."""
    @staticmethod
    def from_local(W: ArrayLike, q: ArrayLike, mu: ArrayLike) -> ContactProblem: ...
    @property
    def contact_count(self) -> int: ...
    @property
    def joint_count(self) -> int: ...
    @property
    def block_count(self) -> int: ...
    @property
    def group_count(self) -> int: ...
    @property
    def forces(self) -> bool:
        """Whether forces and accelerations are sought."""
    @property
    def dof(self) -> int: ...
    def __copy__(self) -> ContactProblem: ...
    def __deepcopy__(self, _memo: object) -> ContactProblem: ...
    @property
    def v_free(self) -> Floats:
        """Velocity without contact, (dof,)."""

@final
class Residual(_Record):
    """What the judge found; each figure relative to what acts on its row."""

    @property
    def worst(self) -> float:
        """Largest of the figures."""
    @property
    def beyond_rounding(self) -> float:
        """The same without what rounding of the terms of each row explains."""
    @property
    def gap(self) -> float: ...
    @property
    def sign(self) -> float: ...
    @property
    def complementarity(self) -> float: ...
    @property
    def cone(self) -> float: ...
    @property
    def dissipation(self) -> float: ...
    @property
    def joints(self) -> float: ...

@final
class Stats(_Record):
    """Counts of one solve."""

    @property
    def pivots(self) -> int: ...
    @property
    def newton_steps(self) -> int: ...
    @property
    def handovers(self) -> int: ...
    @property
    def handover_reason(self) -> str | None: ...
    @property
    def methods(self) -> list[Method]:
        """Methods in the order in which they ran; the last gave the answer."""
    @property
    def fallbacks(self) -> int: ...
    @property
    def islands(self) -> int: ...
    @property
    def warm_starts(self) -> int: ...
    @property
    def warm_fallbacks(self) -> int: ...
    @property
    def rest_preferred(self) -> int: ...
    @property
    def choices(self) -> int: ...
    @property
    def choices_cut(self) -> bool: ...

@final
class Ray(_Record):
    """Internal forces that squeeze without bound."""

    @property
    def contacts(self) -> list[tuple[int, float]]: ...
    @property
    def joints(self) -> list[tuple[int, float]]: ...
    @property
    def work(self) -> float: ...
    @property
    def infeasible(self) -> bool:
        """No velocity satisfies the contacts; proven in rationals."""
    @property
    def least_speed(self) -> float: ...
    @property
    def defect(self) -> float: ...
    @property
    def proof(self) -> tuple[list[tuple[int, str]], list[tuple[int, str]]] | None:
        """Impulses of contacts and of joint rows that cancel exactly, as rationals such as "5/6"."""

@final
class Compression(_Record):
    """The compression of a bounce after Poisson: the whole normal impulse is at least (1 + restitution) times that of the compression."""

    @property
    def normal_impulse(self) -> Floats:
        """[N s], (n,)."""
    @property
    def friction_impulse(self) -> Floats:
        """Along the two tangents [N s], (n, 2)."""
    @property
    def joint_impulse(self) -> Floats:
        """[N s], (r,)."""

@final
class Drive(_Record):
    """Direction in which forces can rise without bound."""

    @property
    def driven(self) -> int: ...
    @property
    def contacts(self) -> list[tuple[int, float, tuple[float, float]]]: ...
    @property
    def joints(self) -> list[tuple[int, float]]: ...

@final
class ContactSolution(_Record):
    """Impulses and velocities of a contact problem. Arrays are read-only."""

    @property
    def status(self) -> Status: ...
    @property
    def solved(self) -> bool: ...
    @property
    def law(self) -> Law: ...
    @property
    def normal_impulse(self) -> Floats:
        """[N s], (n,)."""
    @property
    def friction_impulse(self) -> Floats:
        """Along the two tangents [N s], (n, 2)."""
    @property
    def friction_world(self) -> Floats | None:
        """Friction impulse on body a in world axes [N s], (n, 3); None unless the problem was made from bodies."""
    @property
    def phi(self) -> Floats:
        """Polyhedral law: impulse along each direction [N s], (n * directions,); else empty."""
    @property
    def directions(self) -> int: ...
    @property
    def joint_impulse(self) -> Floats:
        """[N s], (r,)."""
    @property
    def compression(self) -> Compression | None:
        """Where contacts bounced after Poisson."""
    @property
    def velocity(self) -> Floats:
        """After the step, all blocks one after the other, (dof,)."""
    @property
    def contact_velocity(self) -> Floats:
        """Normal and tangential velocity at each contact, bias included [m/s], (n, 3)."""
    @property
    def state(self) -> list[State]: ...
    @property
    def unique(self) -> NDArray[np.bool_] | None:
        """Whether each impulse is the only one possible, (n,); None unless asked for."""
    @property
    def accuracy(self) -> Literal["full", "rounding"] | None:
        """Of an answer that is solved: rounding where only excused rounding brings it within the tolerance."""
    @property
    def residual(self) -> Residual: ...
    @property
    def ray(self) -> Ray | None: ...
    @property
    def drive(self) -> Drive | None: ...
    @property
    def stats(self) -> Stats: ...

@final
class LcpResidual(_Record):
    """How far z is from solving the problem."""

    @property
    def natural(self) -> float: ...
    @property
    def relative(self) -> float:
        """Decides whether the status is solved."""
    @property
    def excused(self) -> float:
        """The same with rounding of the terms of each row excused."""
    @property
    def backward(self) -> float: ...
    @property
    def complementarity(self) -> float: ...
    @property
    def roundings(self) -> float: ...
    @property
    def worst_row(self) -> int: ...

@final
class LcpStats(_Record):
    """What a solve cost."""

    @property
    def pivots(self) -> int: ...
    @property
    def factorizations(self) -> int: ...
    @property
    def runs(self) -> list[tuple[LcpMethod, LcpStatus, int]]: ...
    @property
    def method(self) -> LcpMethod | None: ...

@final
class Certificate(_Record):
    """Evidence for a status other than solved."""

    @property
    def kind(self) -> Literal["farkas", "exhaustion", "ray", "other"]: ...
    @property
    def y(self) -> list[str] | None:
        """Farkas vector in rationals such as '3/7', (n,)."""
    @property
    def cones(self) -> int | None: ...
    @property
    def direction(self) -> Floats | None: ...

@final
class LcpSolution(_Record):
    """An answer with its evidence. Arrays are read-only."""

    @property
    def status(self) -> LcpStatus: ...
    @property
    def accuracy(self) -> Literal["full", "rounding"] | None:
        """Of an answer that is solved: rounding where only excused rounding brings it within the tolerance."""
    @property
    def solved(self) -> bool: ...
    @property
    def z(self) -> Floats: ...
    @property
    def w(self) -> Floats: ...
    @property
    def residual(self) -> LcpResidual: ...
    @property
    def proven(self) -> bool: ...
    @property
    def certificate(self) -> Certificate | None: ...
    @property
    def stats(self) -> LcpStats: ...

def solve(
    problem: ContactProblem | Mapping[str, Any],
    *,
    law: Law = ...,
    method: Method | None = None,
    directions: int = 8,
    tolerance: float = 1e-10,
    unique: bool = False,
    epsilon: float = 1e-3,
) -> ContactSolution:
    """Solves a contact problem; a mapping has the form of a contact, contact-acceleration or contact-raw file."""

def solve_lcp(
    M: ArrayLike,
    q: ArrayLike,
    *,
    method: LcpMethod | None = None,
    tolerance: float = 1e-10,
    matrix_class: MatrixClass = "unknown",
) -> LcpSolution:
    """Finds z >= 0 with w = M z + q >= 0 and z.w = 0. M: (n, n), q: (n,)."""

def solve_mlcp(
    M: ArrayLike,
    q: ArrayLike,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    free: Sequence[int] | None = None,
    method: LcpMethod | None = None,
    tolerance: float = 1e-10,
    matrix_class: MatrixClass = "unknown",
) -> LcpSolution:
    """Finds lower <= z <= upper; bounds are 0 and inf by default, none for the indices in free."""

@final
class StepReport(_Record):
    """What a call of World.step did."""

    @property
    def status(self) -> StepStatus: ...
    @property
    def message(self) -> str | None: ...
    @property
    def steps(self) -> int:
        """Steps made."""
    @property
    def contacts(self) -> int: ...
    @property
    def islands(self) -> int: ...
    @property
    def pivots(self) -> int: ...
    @property
    def newton_steps(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def penetration(self) -> float:
        """Deepest overlap at the start of a step [m]."""
    def raise_for_status(self) -> None: ...

@final
class Contacts(_Record):
    """Contacts of a step and the forces that acted in it: they push a along +normal and b along -normal."""

    @property
    def a(self) -> list[str]: ...
    @property
    def b(self) -> list[str]: ...
    @property
    def point(self) -> Floats:
        """[m], (n, 3)."""
    @property
    def normal(self) -> Floats:
        """From b to a, (n, 3)."""
    @property
    def gap(self) -> Floats:
        """At the start of the step [m], (n,)."""
    @property
    def normal_force(self) -> Floats:
        """[N], (n,)."""
    @property
    def friction_force(self) -> Floats:
        """On a, in world axes [N], (n, 3)."""
    @property
    def state(self) -> list[State]: ...
    def __len__(self) -> int: ...

@final
class Energy(_Record):
    """Energy [J]."""

    @property
    def kinetic(self) -> float: ...
    @property
    def potential(self) -> float: ...
    @property
    def dissipated(self) -> float:
        """Taken by contacts and joints: slip and impacts."""
    @property
    def slip(self) -> float:
        """Taken by friction while nothing arrives."""
    @property
    def impacts(self) -> float:
        """Taken by arrivals: bounces, and steps in which a contact closes or a joint arrives at its limit."""
    @property
    def injected(self) -> float:
        """Given by applied forces, motors and moving ground."""
    @property
    def eased(self) -> float:
        """Given by penetration correction."""
    @property
    def stepping(self) -> float:
        """Taken by the time stepping itself: the sum of what is numerical."""
    @property
    def numerical(self) -> NumericalEnergy: ...
    @property
    def worst_gain(self) -> float:
        """Largest rise in one step that nothing explains."""

@final
class NumericalEnergy(_Record):
    """Energy that the time stepping took [J]; velocity + closing - returned + flight is `Energy.stepping`."""

    @property
    def velocity(self) -> float:
        """Taken by the velocity projection; not negative."""
    @property
    def closing(self) -> float:
        """Taken by closing gaps and joints; negative where that lifts bodies."""
    @property
    def returned(self) -> float:
        """Of both, given back by scaling velocities."""
    @property
    def flight(self) -> float:
        """The remainder: the loss of steps of first order; rounding in midpoint steps."""

@final
class World:
    """Bodies that move and touch."""

    @staticmethod
    def parse(text: str, folder: str | os.PathLike[str] = ".") -> World: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> World: ...
    def step(self, steps: SupportsIndex = 1) -> StepReport: ...
    def record(self, steps: SupportsIndex | None = None, *, every: SupportsIndex | None = None) -> Recording:
        """Steps and keeps a replay; steps None is the scene's duration, every None about 60 frames a second."""
    def copy(self) -> World: ...
    def __copy__(self) -> World: ...
    def __deepcopy__(self, _memo: object) -> World: ...
    def save(self) -> bytes: ...
    def load(self, state: bytes, *, force: bool = False) -> None: ...
    def apply(self, body: str, force: ArrayLike, torque: ArrayLike | None = None) -> None: ...
    def set_velocity(self, body: str, velocity: ArrayLike, spin: ArrayLike | None = None) -> None: ...
    def set_motor(
        self,
        joint: str,
        *,
        target: float | None = None,
        target_speed: float | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        force: float | None = None,
        most: float | None = None,
    ) -> None:
        """Drives a joint: stiffness (target - q) + damping (target_speed - v) + force, held to most [N m, N]; what is not given stays."""
    @property
    def joint_names(self) -> list[str]: ...
    def joint_slice(self, joint: str) -> slice:
        """Where the coordinates of a joint are in q and v."""
    @property
    def q(self) -> Floats:
        """Coordinates of all joints [rad, m]."""
    @q.setter
    def q(self, q: ArrayLike) -> None: ...
    @property
    def v(self) -> Floats:
        """Their velocities [rad/s, m/s]."""
    @v.setter
    def v(self, v: ArrayLike) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def scene_steps(self) -> int: ...
    @property
    def warnings(self) -> list[str]:
        """What is doubtful about the scene, one line each."""
    @property
    def time(self) -> float:
        """[s]."""
    @property
    def step_count(self) -> int: ...
    @property
    def dt(self) -> float:
        """[s]."""
    @property
    def state_hash(self) -> int: ...
    @property
    def body_names(self) -> list[str]: ...
    @property
    def positions(self) -> Floats:
        """Centres of mass [m], (m, 3)."""
    @property
    def orientations(self) -> Floats:
        """Quaternions x, y, z, w, (m, 4)."""
    @property
    def velocities(self) -> Floats:
        """[m/s, rad/s], (m, 6)."""
    @property
    def contacts(self) -> Contacts: ...
    @property
    def energy(self) -> Energy: ...
    def _repr_html_(self) -> str: ...

@final
class Recording:
    """A replay of a world's steps; in a notebook it plays inline."""

    def __new__(
        cls, name: str, frame_count: int, report: StepReport | None, replay: str, unfinished: str | None = None
    ) -> Self: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> Recording:
        """A recording in MCAP; one that was cut short is read as far as it is whole, with a warning."""
    @property
    def unfinished(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def report(self) -> StepReport | None: ...
    def html(self) -> str:
        """One page that needs nothing else."""
    def write_html(self, path: str | os.PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...
    __hash__: None  # type: ignore[assignment]

@final
class Rollout(_Record):
    """How a world of a rollout ended."""

    @property
    def status(self) -> StepStatus: ...
    @property
    def message(self) -> str | None: ...
    @property
    def steps(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def state_hash(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def penetration(self) -> float: ...
    @property
    def positions(self) -> Floats: ...
    @property
    def orientations(self) -> Floats: ...
    @property
    def velocities(self) -> Floats: ...
    def raise_for_status(self) -> None: ...

def rollout(
    scenes: Sequence[str | os.PathLike[str] | World],
    steps: SupportsIndex,
    threads: SupportsIndex | None = None,
    *,
    folder: str | os.PathLike[str] = ".",
) -> list[Rollout]:
    """Steps many worlds, each on its own; the bits do not depend on the number of threads."""

def _world(text: str, path: str | os.PathLike[str], is_file: bool, state: bytes) -> World:
    """A world that was pickled."""

def _time_solve(problem: ContactProblem, repeat: int, *, law: Law = "coulomb") -> list[float]:
    """Times of warm solves in Rust alone [s]."""
