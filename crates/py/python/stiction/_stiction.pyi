"""Types of the compiled part; the package `stiction` exports all of it. Shapes: n contacts, m bodies, r joint rows."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from .scene import Scene, _Adder
from .types import (
    BodyFields,
    ContactFields,
    ContactState,
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
_OUTCOMES: list[str]
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
    def from_local(W: ArrayLike, q: ArrayLike, mu: ArrayLike) -> ContactProblem:
        """From a Delassus matrix W, the relative velocities q without impulses, and coefficients of friction."""
    @staticmethod
    def read(path: str | os.PathLike[str], case: str | None = None) -> ContactProblem:
        """From a file in any format that the tool reads; case names one problem of a set."""
    @property
    def contact_count(self) -> int:
        """Number of contacts."""
    @property
    def joint_count(self) -> int:
        """Number of rows of joints."""
    @property
    def block_count(self) -> int:
        """Number of mass blocks."""
    @property
    def group_count(self) -> int:
        """Number of groups of contacts of which one must hold."""
    @property
    def forces(self) -> bool:
        """Whether forces and accelerations are sought."""
    @property
    def dof(self) -> int:
        """Number of velocities."""
    def __copy__(self) -> ContactProblem: ...
    def __deepcopy__(self, _memo: object) -> ContactProblem: ...
    @property
    def v_free(self) -> Floats:
        """Velocity without contact, (dof,)."""
    @property
    def mass(self) -> list[Floats]:
        """Mass blocks, each (k, k) [kg, kg m^2]."""
    @property
    def jacobian(self) -> Floats:
        """Rows normal, tangent, tangent of each contact, (n, 3, dof)."""
    @property
    def mu(self) -> Floats:
        """Friction coefficients, (n,)."""
    @property
    def bias(self) -> Floats:
        """Added to the velocity at each contact [m/s], (n, 3)."""
    @property
    def restitution(self) -> Floats:
        """After Poisson, (n,)."""
    @property
    def viscosity(self) -> Floats:
        """Impulse per slip velocity [kg], (n,)."""
    @property
    def joints(self) -> Floats:
        """Rows of joints, (r, dof)."""
    @property
    def joint_bias(self) -> Floats:
        """(r,)."""
    @property
    def joint_compliance(self) -> Floats:
        """0 where a row is firm, (r,)."""
    @property
    def joint_most(self) -> Floats:
        """Largest impulses, inf for none, (r,)."""

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
    def gap(self) -> float:
        """Of contacts that overlap."""
    @property
    def sign(self) -> float:
        """Of normal impulses that pull."""
    @property
    def complementarity(self) -> float:
        """Of impulses at contacts that part."""
    @property
    def cone(self) -> float:
        """Of friction beyond its limit."""
    @property
    def dissipation(self) -> float:
        """Of friction that does not oppose the slip."""
    @property
    def joints(self) -> float:
        """Of joint rows."""

@final
class Stats(_Record):
    """Counts of one solve."""

    @property
    def pivots(self) -> int:
        """Pivots."""
    @property
    def newton_steps(self) -> int:
        """Newton steps."""
    @property
    def handovers(self) -> int:
        """Fallbacks from Newton's method to pivoting."""
    @property
    def handover_reason(self) -> str | None:
        """Why the last of them happened, or None."""
    @property
    def methods(self) -> list[Method]:
        """Methods in the order in which they ran; the last gave the answer."""
    @property
    def fallbacks(self) -> int:
        """Fallbacks from one method to another."""
    @property
    def islands(self) -> int:
        """Islands: parts that do not touch."""
    @property
    def warm_starts(self) -> int:
        """Islands that started from an earlier answer."""
    @property
    def warm_fallbacks(self) -> int:
        """Of these, those that had to start again."""
    @property
    def rest_preferred(self) -> int:
        """Islands that stay at rest although another answer is lawful too."""
    @property
    def choices(self) -> int:
        """Choices of sides of nonconvex groups that were tried."""
    @property
    def choices_cut(self) -> bool:
        """Whether the search over choices was cut short."""

@final
class Ray(_Record):
    """Internal forces that squeeze without bound."""

    @property
    def contacts(self) -> list[tuple[int, float]]:
        """Index and impulse of contacts that squeeze."""
    @property
    def joints(self) -> list[tuple[int, float]]:
        """Index and impulse of joint rows that squeeze."""
    @property
    def work(self) -> float:
        """Work that the impulses would do on the velocity without contact."""
    @property
    def infeasible(self) -> bool:
        """No velocity satisfies the contacts; proven in rationals."""
    @property
    def least_speed(self) -> float:
        """Least speed by which some contact must be violated [m/s]."""
    @property
    def defect(self) -> float:
        """How far the impulses are from cancelling."""
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
    def driven(self) -> int:
        """Contact that was driven."""
    @property
    def contacts(self) -> list[tuple[int, float, tuple[float, float]]]:
        """Index, normal impulse and impulses along the tangents."""
    @property
    def joints(self) -> list[tuple[int, float]]:
        """Index and impulse of joint rows."""

@final
class ContactSolution(_Record):
    """Impulses and velocities of a contact problem. Arrays are read-only."""

    @property
    def status(self) -> Status:
        """How the solve ended."""
    @property
    def solved(self) -> bool:
        """Whether the answer is verified."""
    @property
    def law(self) -> Law:
        """Law of contact."""
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
    def directions(self) -> int:
        """Friction directions of the polyhedral law; else 0."""
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
    def velocities(self) -> Floats | None:
        """The same for free bodies, a view of shape (m, 6); None where blocks have other sizes."""
    @property
    def contact_velocity(self) -> Floats:
        """Normal and tangential velocity at each contact, bias included [m/s], (n, 3)."""
    @property
    def state(self) -> list[State]:
        """State of each contact."""
    @property
    def unique(self) -> NDArray[np.bool_] | None:
        """Whether each impulse is the only one possible, (n,); None unless requested."""
    @property
    def accuracy(self) -> Literal["full", "rounding"] | None:
        """Of an answer that is solved: rounding where only excused rounding brings it within the tolerance."""
    @property
    def residual(self) -> Residual:
        """What the judge found."""
    @property
    def ray(self) -> Ray | None:
        """Where a path ended on a ray: the squeeze; else None."""
    @property
    def drive(self) -> Drive | None:
        """Where no finite force exists: the direction of an impulse; else None."""
    @property
    def stats(self) -> Stats:
        """Counts of the solve."""

@final
class LcpResidual(_Record):
    """How far z is from solving the problem."""

    @property
    def natural(self) -> float:
        """Largest |min(z, w)|, or the distance from the bounds."""
    @property
    def relative(self) -> float:
        """Decides whether the status is solved."""
    @property
    def excused(self) -> float:
        """The same with rounding of the terms of each row excused."""
    @property
    def backward(self) -> float:
        """Least relative change of the data for which z is exact."""
    @property
    def complementarity(self) -> float:
        """Largest |z w|."""
    @property
    def roundings(self) -> float:
        """The residual in roundings of its row."""
    @property
    def worst_row(self) -> int:
        """Row of the largest residual."""

@final
class LcpStats(_Record):
    """What a solve cost."""

    @property
    def pivots(self) -> int:
        """Pivots of all methods."""
    @property
    def factorizations(self) -> int:
        """Factorisations of all methods."""
    @property
    def runs(self) -> list[tuple[LcpMethod, LcpStatus, int]]:
        """Methods that ran: name, status and pivots of each."""
    @property
    def method(self) -> LcpMethod | None:
        """Method that gave the answer, or None."""

@final
class Certificate(_Record):
    """Evidence for a status other than solved."""

    @property
    def kind(self) -> Literal["farkas", "exhaustion", "ray", "other"]:
        """farkas: multipliers y; exhaustion: all cones; ray: a direction; other."""
    @property
    def y(self) -> list[str] | None:
        """Farkas vector in rationals such as '3/7', (n,)."""
    @property
    def cones(self) -> int | None:
        """Complementary cones that were looked at, or None."""
    @property
    def direction(self) -> Floats | None:
        """Direction of the ray, (n,), or None."""

@final
class LcpSolution(_Record):
    """An answer with its evidence. Arrays are read-only."""

    @property
    def status(self) -> LcpStatus:
        """How the solve ended."""
    @property
    def accuracy(self) -> Literal["full", "rounding"] | None:
        """Of an answer that is solved: rounding where only excused rounding brings it within the tolerance."""
    @property
    def solved(self) -> bool:
        """Whether the answer is verified."""
    @property
    def z(self) -> Floats:
        """The answer, (n,)."""
    @property
    def w(self) -> Floats:
        """M z + q, (n,)."""
    @property
    def residual(self) -> LcpResidual:
        """How far z is from solving the problem."""
    @property
    def proven(self) -> bool:
        """Whether the answer, or that there is none, is proven in rationals."""
    @property
    def certificate(self) -> Certificate | None:
        """Evidence for a status other than solved, or None."""
    @property
    def stats(self) -> LcpStats:
        """What the solve cost."""

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
    def status(self) -> StepStatus:
        """How the last step ended."""
    @property
    def message(self) -> str | None:
        """What was said of a step that failed, or None."""
    @property
    def steps(self) -> int:
        """Steps made."""
    @property
    def contacts(self) -> int:
        """Contacts of the last step."""
    @property
    def islands(self) -> int:
        """Islands of the last step: parts that do not touch."""
    @property
    def pivots(self) -> int:
        """Pivots of the answers."""
    @property
    def newton_steps(self) -> int:
        """Newton steps of the answers."""
    @property
    def residual(self) -> float:
        """Worst residual of the steps."""
    @property
    def penetration(self) -> float:
        """Deepest overlap at the start of a step [m]."""
    @property
    def methods(self) -> list[Method]:
        """Methods that solved the contact problems, in the order in which they first did."""
    @property
    def substeps(self) -> int:
        """Parts in which the steps were made: one each, and more where a whole step had no verified answer."""
    @property
    def fallbacks(self) -> int:
        """Fallbacks from one method to another, and warm starts given up."""
    @property
    def work(self) -> Work:
        """All work of the steps; pivots and newton_steps are those of the answers."""
    def raise_for_status(self) -> None:
        """Raises a StepError where a step has no verified answer."""

@final
class Work(_Record):
    """All work of some steps, what was taken back and a step that failed included."""

    @property
    def tries(self) -> int:
        """Tries of the steps and of their substeps."""
    @property
    def solves(self) -> int:
        """Contact problems solved."""
    @property
    def passes(self) -> int:
        """Passes over the islands of these problems."""
    @property
    def newton_steps(self) -> int:
        """Newton steps."""
    @property
    def factorisations(self) -> int:
        """Factorisations of matrices."""
    @property
    def pivots(self) -> int:
        """Pivots."""
    @property
    def fallbacks(self) -> int:
        """Fallbacks from one method to another, and warm starts given up."""
    @property
    def corrections(self) -> int:
        """Of the solves, those of penetration correction."""
    @property
    def correction_steps(self) -> int:
        """Of the Newton steps, those of penetration correction."""
    @property
    def operations(self) -> int:
        """Floating-point operations, by estimate: what max_work limits."""

@final
class Contacts(_Record):
    """Contacts of a step and the forces that acted in it: they push a along +normal and b along -normal."""

    @property
    def a(self) -> list[str]:
        """Name of the body that is pushed along +normal."""
    @property
    def b(self) -> list[str]:
        """Name of the body that is pushed along -normal."""
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
    def force(self) -> Floats:
        """On a, normal and friction force [N], (n, 3)."""
    @property
    def slip(self) -> Floats:
        """Tangential velocity of a against b [m/s], (n, 3)."""
    @property
    def friction(self) -> Floats:
        """Friction coefficient, (n,)."""
    @property
    def share(self) -> Floats:
        """Part of the largest friction force that acts, 1 where it slides; nan where there is none, (n,)."""
    @property
    def state(self) -> list[ContactState]:
        """Separating, sticking or sliding."""
    @property
    def unique(self) -> NDArray[np.bool_]:
        """Whether the force is the only one possible, (n,)."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Contact: ...
    def __iter__(self) -> Iterator[Contact]: ...

@final
class Contact(_Record):
    """A contact of a step, an item of Contacts."""

    @property
    def a(self) -> str:
        """Name of the body that is pushed along +normal."""
    @property
    def b(self) -> str:
        """Name of the body that is pushed along -normal."""
    @property
    def point(self) -> Floats:
        """[m], (3,)."""
    @property
    def normal(self) -> Floats:
        """From b to a, (3,)."""
    @property
    def gap(self) -> float:
        """At the start of the step [m]."""
    @property
    def normal_force(self) -> float:
        """[N]."""
    @property
    def friction_force(self) -> Floats:
        """On a, in world axes [N], (3,)."""
    @property
    def force(self) -> Floats:
        """On a, normal and friction force [N], (3,)."""
    @property
    def slip(self) -> Floats:
        """Tangential velocity of a against b [m/s], (3,)."""
    @property
    def friction(self) -> float:
        """Friction coefficient."""
    @property
    def share(self) -> float:
        """Part of the largest friction force that acts, 1 where it slides; nan where there is none."""
    @property
    def state(self) -> ContactState:
        """Separating, sticking or sliding."""
    @property
    def unique(self) -> bool:
        """Whether the force is the only one possible."""

@final
class RayHit(_Record):
    """Where a ray meets a body."""

    @property
    def body(self) -> str:
        """Name of the body."""
    @property
    def point(self) -> Floats:
        """[m], (3,)."""
    @property
    def normal(self) -> Floats:
        """Of the surface, towards where the ray came from, (3,)."""
    @property
    def distance(self) -> float:
        """From the ray's origin [m]."""

@final
class Separation(_Record):
    """How far two bodies are from each other."""

    @property
    def distance(self) -> float:
        """[m]; negative where they overlap."""
    @property
    def points(self) -> Floats:
        """Closest points of a and b [m], (2, 3)."""
    @property
    def normal(self) -> Floats:
        """From b to a, (3,)."""

@final
class Nearest(_Record):
    """The place of a body's surface that is nearest to a point."""

    @property
    def distance(self) -> float:
        """[m]; negative inside the body."""
    @property
    def point(self) -> Floats:
        """[m], (3,)."""
    @property
    def normal(self) -> Floats:
        """Outwards, (3,)."""

@final
class ImportReport(_Record):
    """What a robot's file holds and what becomes of it: names of elements and attributes of the file, each with how often it is there."""

    @property
    def name(self) -> str:
        """Name of the robot."""
    @property
    def format(self) -> Literal["MJCF", "URDF"]:
        """Format of the file."""
    @property
    def bodies(self) -> int:
        """Number of bodies that move."""
    @property
    def coordinates(self) -> int:
        """Number of coordinates of all joints."""
    @property
    def actuators(self) -> int:
        """Number of actuators."""
    @property
    def sensors(self) -> int:
        """Number of sensors."""
    @property
    def keyframes(self) -> int:
        """Number of keyframes."""
    @property
    def mass(self) -> float:
        """Mass of the bodies that move [kg]."""
    @property
    def taken(self) -> dict[str, int]:
        """Taken as it is."""
    @property
    def changed(self) -> dict[str, int]:
        """Taken otherwise than the file says, each with how."""
    @property
    def ignored(self) -> dict[str, int]:
        """Ignored, as it has no meaning here or is not supported."""
    @property
    def warnings(self) -> list[str]:
        """What is doubtful, one line each."""

@final
class Actuators:
    """The actuators of a world, by name or number, in the order of ctrl."""

    def __getitem__(self, key: str | int, /) -> Actuator: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Actuator]: ...
    def keys(self) -> list[str]:
        """Names of the actuators."""
    def values(self) -> list[Actuator]:
        """The actuators."""
    def items(self) -> list[tuple[str, Actuator]]:
        """Names and actuators."""

@final
class Actuator:
    """force = (gain[0] + gain[1] l + gain[2] l') u + bias[0] + bias[1] l + bias[2] l', with l = gear times the joint's coordinate and u the control."""

    @property
    def name(self) -> str:
        """Name."""
    @property
    def kind(self) -> Literal["motor", "position", "velocity", "general"]:
        """What files call it."""
    @property
    def joint(self) -> str:
        """Name of the joint that it drives."""
    @property
    def gear(self) -> float:
        """Length l per coordinate; the force acts gear times along the coordinate."""
    @property
    def gain(self) -> Floats:
        """Force per control at l = l' = 0, and its change with l and l', (3,)."""
    @property
    def bias(self) -> Floats:
        """Force at l = l' = 0, and its change with l and l', (3,)."""
    @property
    def ctrl_range(self) -> tuple[float, float] | None:
        """Least and largest control that counts, or None."""
    @property
    def force_range(self) -> tuple[float, float] | None:
        """Least and largest force before the gear [N m or N], or None."""
    @property
    def ctrl(self) -> float:
        """Control: constant until it is set again."""
    @ctrl.setter
    def ctrl(self, ctrl: float) -> None: ...
    @property
    def force(self) -> float:
        """At the control as the joint is now, before the gear [N m or N]."""

@final
class Joint:
    """A joint of a world; what it says is how the joint is now."""

    @property
    def name(self) -> str:
        """Name."""
    @property
    def kind(self) -> str:
        """revolute, prismatic, spherical, fixed, planar, distance, gear or rope."""
    @property
    def bodies(self) -> tuple[str, str]:
        """Names of its two bodies."""
    @property
    def slice(self) -> slice:
        """Where its coordinates are in q and v."""
    @property
    def position(self) -> Any:
        """Coordinate [rad or m]: a number, or an array where there are several."""
    @position.setter
    def position(self, position: ArrayLike) -> None: ...
    @property
    def velocity(self) -> Any:
        """[rad/s or m/s], as position."""
    @velocity.setter
    def velocity(self, velocity: ArrayLike) -> None: ...
    @property
    def force(self) -> float | None:
        """Of motor and dry friction in the last step [N m or N]; the pull of a rope."""
    @property
    def tensions(self) -> tuple[float, float] | None:
        """Pull of a rope at its first and at its last end in the last step [N]."""
    @property
    def motor_force(self) -> float | None:
        """Of the force, that of the motor [N m or N]."""
    @property
    def friction_force(self) -> float | None:
        """Of the force, that of dry friction [N m or N]."""
    @property
    def limit(self) -> tuple[float, float] | None:
        """Least and largest coordinate [rad or m]."""
    @limit.setter
    def limit(self, limit: ArrayLike | None) -> None: ...
    @property
    def friction(self) -> float:
        """Largest force of dry friction [N m or N]."""
    @property
    def armature(self) -> float:
        """Inertia of the rotor that moves with its coordinate [kg m^2 or kg]."""
    @armature.setter
    def armature(self, armature: float) -> None: ...
    @property
    def motor(self) -> dict[str, float] | None:
        """Arguments of World.set_motor; None for no motor."""
    @motor.setter
    def motor(self, motor: Mapping[str, float] | None) -> None: ...
    @property
    def error(self) -> tuple[float, float] | None:
        """Distance [m] and angle [rad] by which it is apart."""

@final
class Joints:
    """The joints of a world by name."""

    def __getitem__(self, name: str, /) -> Joint: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> list[str]:
        """Names of the joints."""
    def values(self) -> list[Joint]:
        """The joints."""
    def items(self) -> list[tuple[str, Joint]]:
        """Names and joints."""

@final
class Energy(_Record):
    """Energy [J]."""

    @property
    def kinetic(self) -> float:
        """Of the motion now."""
    @property
    def potential(self) -> float:
        """Of the weight now."""
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
    def numerical(self) -> NumericalEnergy:
        """What the time stepping took, by cause."""
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
class World(_Adder):
    """Bodies that move and touch. The add_ methods are those of Scene."""

    def __new__(cls, scene: Scene) -> Self: ...
    @staticmethod
    def parse(text: str, folder: str | os.PathLike[str] = ".") -> World:
        """From the text of a scene file; meshes and robots are sought below the folder."""
    @staticmethod
    def read(path: str | os.PathLike[str]) -> World:
        """From a scene file."""
    def step(self, steps: SupportsIndex = 1) -> StepReport:
        """Makes steps; stops at the first one that fails."""
    def record(self, steps: SupportsIndex | None = None, *, every: SupportsIndex | None = None) -> Recording:
        """Steps and keeps a replay; steps None is the scene's duration, every None about 60 frames a second."""
    def stability(
        self,
        *,
        tilt: str | Sequence[str] | None = None,
        acceleration: str | Sequence[str] | None = None,
        tries: int = 3,
    ) -> Stability:
        """Whether the world stands as it is, with proof, and how far gravity may lean, or how hard the ground may accelerate [g], towards x, -x, y, -y, z, -z, or any."""
    def why(
        self, *, body: str | None = None, pair: Sequence[str] | None = None, ranges: SupportsIndex = 10
    ) -> Why:
        """Who holds what in the last step, and by how much; `ranges`: for how many pairs it is worked out what their forces could be."""
    def copy(self) -> World:
        """A world that goes on by itself from here."""
    def __copy__(self) -> World: ...
    def __deepcopy__(self, _memo: object) -> World: ...
    def save(self) -> bytes:
        """The state as bytes; the scene is not in them."""
    def load(self, state: bytes, *, force: bool = False) -> None:
        """Takes a state that save gave; one of another model is refused, or taken with a warning by force."""
    def apply(self, body: str, force: ArrayLike, torque: ArrayLike | None = None) -> None:
        """Pushes a body at its centre of mass from now on [N, N m], until it is set again."""
    def set_velocity(self, body: str, velocity: ArrayLike, spin: ArrayLike | None = None) -> None:
        """Sets the velocity [m/s] and spin [rad/s] of a body."""
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
    def set_pose(self, body: str, position: ArrayLike | None = None, orientation: ArrayLike | None = None) -> None:
        """Puts a body's centre of mass somewhere else [m], turned as a quaternion x, y, z, w says."""
    def apply_impulse(self, body: str, impulse: ArrayLike, point: ArrayLike | None = None) -> None:
        """Changes the momentum of a dynamic body at once [N s], at a point of the world [m]."""
    def remove_body(self, body: str) -> None:
        """Takes a body out, with its joints."""
    def remove_joint(self, joint: str) -> None:
        """Takes a joint out."""
    def keep_apart(self, a: str, b: str) -> None:
        """Lets two bodies never collide."""
    def prescribe(self, body: str, motion: Mapping[str, Any] | None) -> None:
        """Lets a kinematic body follow a motion, as `body.motion` in scene files; None lets it go."""
    def _prescribe(self, body: str, motion: str) -> None: ...
    def cast_ray(
        self, origin: ArrayLike, direction: ArrayLike, reach: float = ..., *, among: Sequence[str] | None = None
    ) -> RayHit | None:
        """The first body that a ray meets within a reach [m]."""
    def distance(self, a: str, b: str) -> Separation | None:
        """How far two bodies are from each other."""
    def distance_to_point(self, body: str, point: ArrayLike) -> Nearest | None:
        """The place of a body's surface that is nearest to a point [m]."""
    def problem(self) -> ContactProblem:
        """The contact problem of the last step."""
    def solution(self) -> ContactSolution:
        """Its answer: impulses over `solved_length`; contacts in the order of `contacts`, then limits of joints."""
    @property
    def solved_length(self) -> float:
        """Length of the step, or of the substep of it, that problem and solution belong to [s]."""
    def joints_that_fail(self) -> list[tuple[str, float, float]]:
        """Joints that do not hold: name, distance [m], angle [rad]."""
    def redundant_joints(self) -> list[tuple[str, int]] | None:
        """Joints with rows that follow from those before them, and how many."""
    def time_stages(self) -> None:
        """Measures from now on where the time of steps goes."""
    @property
    def stage_times(self) -> list[tuple[str, float]]:
        """Times of collision, problem, solve and integrate since then [s]."""
    def _add(
        self, tables: str, folder: str | os.PathLike[str], mentions: Sequence[str], joints: Sequence[str] = ...
    ) -> tuple[list[tuple[str, str]], list[str], list[str]]:
        """Adds tables of a scene file."""
    @property
    def nv(self) -> int:
        """Velocities in joint coordinates: those of v, and six for each body that moves and that no joint places."""
    @property
    def generalized_velocity(self) -> Floats:
        """v, then velocity and spin of each body that no joint places, (nv,)."""
    def mass_matrix(self) -> Floats:
        """In joint coordinates, (nv, nv)."""
    def bias_force(self) -> Floats:
        """Centrifugal and Coriolis forces and the weight, (nv,) [N m or N]."""
    def inverse_dynamics(self, acceleration: ArrayLike) -> Floats:
        """M a + bias, (nv,) [N m or N]."""
    def jacobian(self, body: str, point: ArrayLike | None = None) -> Floats:
        """How a point of a body and the body itself move with the generalized velocity, (6, nv): velocity, then spin."""
    def contact_jacobian(self) -> Floats:
        """How the points of contacts move, a against b, along normal and tangents, (n, 3, nv)."""
    @property
    def joints(self) -> Joints:
        """Joints by name: `world.joints["knee"].position`."""
    @property
    def actuators(self) -> Actuators:
        """By name or number, in the order of ctrl: `world.actuators["knee"].ctrl`."""
    @property
    def actuator_names(self) -> list[str]:
        """Names of the actuators."""
    @property
    def ctrl(self) -> Floats:
        """Controls, one an actuator, (nu,): constant until they are set again."""
    @ctrl.setter
    def ctrl(self, ctrl: ArrayLike) -> None: ...
    @property
    def actuator_forces(self) -> Floats:
        """At the controls as the joints are now, before the gear [N m or N], (nu,)."""
    def actuator_force(self, actuator: str) -> float | None:
        """Force of one actuator, by name [N m or N]."""
    @property
    def sensor_names(self) -> list[str]:
        """Names of the sensors."""
    @property
    def sensor_values(self) -> Floats:
        """What all sensors read, one after the other, (ns,)."""
    def sensor(self, sensor: str) -> Any:
        """What a sensor reads: a number, or an array where it reads several."""
    def frame(self, frame: str) -> tuple[Floats, Floats]:
        """Where a named frame is: position [m] and quaternion x, y, z, w."""
    @property
    def frame_names(self) -> list[str]:
        """Names of the frames."""
    @property
    def frame_positions(self) -> Floats:
        """[m], (f, 3)."""
    @property
    def sensor_count(self) -> int:
        """Number of readings of all sensors."""
    @property
    def moving_names(self) -> list[str]:
        """Names of the bodies that `state` has: all that are not fixed."""
    @property
    def state(self) -> Floats:
        """13 numbers for each body that is not fixed: centre of mass [m], quaternion x, y, z, w, velocity [m/s], spin [rad/s]."""
    @state.setter
    def state(self, state: ArrayLike) -> None: ...
    @property
    def folder(self) -> str:
        """Where meshes and robots of the scene are sought."""
    @property
    def settings(self) -> dict[str, Any]:
        """How the world is stepped: the keys of [world] in scene files."""
    def has_motion(self, body: str) -> bool:
        """Whether a kinematic body follows a motion."""
    def add_frame(
        self, name: str, body: str, position: ArrayLike | None = None, orientation: ArrayLike | None = None
    ) -> None:
        """Adds a named frame in a body: place from the centre of mass [m], quaternion x, y, z, w."""
    @property
    def gravity(self) -> Floats:
        """[m/s^2], (3,)."""
    @property
    def planar(self) -> bool:
        """Whether bodies move in the plane of x and y only."""
    @property
    def law(self) -> Law:
        """Law of friction."""
    @property
    def work(self) -> Work:
        """All work of the last step."""
    @property
    def masses(self) -> Floats:
        """[kg], inf for bodies that forces do not move, (m,)."""
    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
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
    def name(self) -> str:
        """Name of the scene."""
    @property
    def scene_steps(self) -> int:
        """Steps of the scene's duration."""
    @property
    def warnings(self) -> list[str]:
        """What is doubtful about the scene, one line each."""
    @property
    def notes(self) -> list[str]:
        """The parts of robots' files that were changed or ignored, one line each."""
    @property
    def time(self) -> float:
        """[s]."""
    @property
    def step_count(self) -> int:
        """Steps made."""
    @property
    def dt(self) -> float:
        """[s]."""
    @property
    def max_work(self) -> int | None:
        """Operations that a step may take, by estimate; None is no limit."""
    @max_work.setter
    def max_work(self, max_work: SupportsIndex | None) -> None: ...
    @property
    def state_hash(self) -> int:
        """Hash of all bits of the state."""
    @property
    def body_names(self) -> list[str]:
        """Names of the bodies."""
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
    def contacts(self) -> Contacts:
        """Contacts of the last step."""
    @property
    def energy(self) -> Energy:
        """Energy by cause since the start [J]."""
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
    def unfinished(self) -> str | None:
        """Where the file ends, if its run was stopped; None of a complete one."""
    @property
    def name(self) -> str:
        """Name of the scene."""
    @property
    def frame_count(self) -> int:
        """Frames that are kept."""
    @property
    def report(self) -> StepReport | None:
        """What the steps did; None of a recording that was read from a file."""
    def html(self) -> str:
        """One page that needs nothing else."""
    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
    def _repr_html_(self) -> str: ...
    __hash__: None  # type: ignore[assignment]

@final
class SceneRun(_Record):
    """How a scene of run_scenes ended."""

    @property
    def status(self) -> StepStatus:
        """How the last step ended."""
    @property
    def message(self) -> str | None:
        """What was said of a step that failed, or None."""
    @property
    def steps(self) -> int:
        """Steps made."""
    @property
    def time(self) -> float:
        """Time at the end [s]."""
    @property
    def state_hash(self) -> int:
        """Hash of the state at the end."""
    @property
    def residual(self) -> float:
        """Worst residual of the steps."""
    @property
    def penetration(self) -> float:
        """Deepest overlap at the start of a step [m]."""
    @property
    def positions(self) -> Floats:
        """Centres of mass [m], (m, 3)."""
    @property
    def orientations(self) -> Floats:
        """Quaternions x, y, z, w, (m, 4)."""
    @property
    def velocities(self) -> Floats:
        """[m/s, rad/s], (m, 6)."""
    def raise_for_status(self) -> None:
        """Raises a StepError where a step has no verified answer."""

def run_scenes(
    scenes: Sequence[str | os.PathLike[str] | World],
    steps: SupportsIndex,
    threads: SupportsIndex | None = None,
    *,
    folder: str | os.PathLike[str] = ".",
) -> list[SceneRun]:
    """Steps many worlds, each on its own; the bits do not depend on the number of threads."""

@final
class StabilityMargin(_Record):
    """How far a load can grow: proved to `low`, proved impossible beyond `high`. Angles of a tilt are in degrees."""

    @property
    def name(self) -> str:
        """What grows: a load or a tilt."""
    @property
    def low(self) -> float | None:
        """Proved to stand up to here, or None."""
    @property
    def found(self) -> float | None:
        """Where the exact law leaves rest."""
    @property
    def high(self) -> float | None:
        """Proved to fall beyond, or None; inf where nothing limits it."""
    @property
    def forces(self) -> Floats | None:
        """Normal force and friction along two tangents of each contact [N], (n, 3), or None."""
    @property
    def mechanism(self) -> Floats | None:
        """Velocities of the bodies that can move, or None."""

@final
class Stability(_Record):
    """Whether it stands, with its proof: what `stiction stand` prints as `text` and as `json`."""

    @property
    def verdict(self) -> Literal["stands", "falls", "may_fall", "undecided"]:
        """stands, falls, may_fall or undecided."""
    @property
    def balances(self) -> bool:
        """Whether rest is only a balance: the slightest push fells it."""
    @property
    def proof(self) -> Literal["forces", "mechanism"] | None:
        """What proves it: forces, a mechanism, or None."""
    @property
    def forces(self) -> Floats | None:
        """(n, 3): normal force and friction along two tangents of each contact [N]."""
    @property
    def mechanism(self) -> Floats | None:
        """Velocities of the bodies that can move, where it falls."""
    @property
    def margins(self) -> tuple[StabilityMargin, ...]:
        """How far each load can grow."""
    @property
    def margin(self) -> StabilityMargin | None:
        """The first of the margins, or None."""
    @property
    def text(self) -> str:
        """What `stiction stand` prints."""
    @property
    def json(self) -> str:
        """The same as JSON."""

@final
class BlockInterface(_Record):
    """Where two blocks touch: a polygon [m], its normal from b to a, area [m²] and largest distance of the faces [m]."""

    @property
    def a(self) -> str:
        """Name of the first block."""
    @property
    def b(self) -> str:
        """Name of the second block."""
    @property
    def points(self) -> Floats:
        """Corners of the polygon [m], (n, 3)."""
    @property
    def normal(self) -> Floats:
        """From the second block to the first, (3,)."""
    @property
    def area(self) -> float:
        """[m^2]."""
    @property
    def gap(self) -> float:
        """Largest distance of the faces [m]."""

@final
class _Blocks:
    """Blocks on their interfaces."""

    def __new__(
        cls,
        blocks: Sequence[tuple[str, list[list[float]], list[list[int]], bool]],
        tolerances: Sequence[float],
        matter: tuple[float, float],
        gravity: ArrayLike,
    ) -> Self: ...
    @property
    def interfaces(self) -> list[BlockInterface]: ...
    @property
    def volumes(self) -> list[float]: ...
    def stability(
        self,
        *,
        tilt: str | Sequence[str] | None = None,
        acceleration: str | Sequence[str] | None = None,
        tries: int = 3,
    ) -> Stability: ...

@final
class PointForces(_Record):
    """A contact of a pair; None where a figure does not exist or was not looked for."""

    @property
    def point(self) -> Floats:
        """Where it is [m]."""
    @property
    def normal_force(self) -> float:
        """[N]."""
    @property
    def friction_force(self) -> float:
        """Size of the friction force [N]."""
    @property
    def used(self) -> float | None:
        """Share of the largest friction force, or None."""
    @property
    def state(self) -> Literal["apart", "touching", "sticking", "sliding", "partly_sliding"]:
        """What the contact does."""
    @property
    def unique(self) -> bool | None:
        """Whether its force is the only one possible; None where it was not looked for."""
    @property
    def normal_range(self) -> tuple[float, float] | None:
        """What the normal force could be with the same motion [N]."""

@final
class PairForces(_Record):
    """Two bodies that touch: who holds what, and by how much. Forces in N, angles in degrees; None where a figure does not exist."""

    @property
    def a(self) -> str:
        """Body that is pushed along the normal."""
    @property
    def b(self) -> str:
        """Body that is pushed the other way."""
    @property
    def contacts(self) -> int:
        """Contacts between them."""
    @property
    def normal_force(self) -> float:
        """Sum of the normal forces [N]."""
    @property
    def friction_force(self) -> float:
        """Size of the sum of the friction forces [N]."""
    @property
    def limit(self) -> float | None:
        """Most that friction can hold [N]; None where nothing limits it."""
    @property
    def used(self) -> float | None:
        """Share of the limit; None where nothing limits it or nothing presses."""
    @property
    def state(self) -> Literal["apart", "touching", "sticking", "sliding", "partly_sliding"]:
        """What the two bodies do."""
    @property
    def slip_speed(self) -> float | None:
        """Fastest slip of a loaded contact [m/s], or None."""
    @property
    def known(self) -> Literal["all", "sum", "none"] | None:
        """Which forces are the only ones possible: of each contact, their sum alone, not even that."""
    @property
    def normal_low(self) -> float | None:
        """Least that the normal force could be [N], or None."""
    @property
    def normal_high(self) -> float | None:
        """Most that the normal force could be [N], or None."""
    @property
    def friction_low(self) -> float | None:
        """Least that friction could be along its direction [N], or None."""
    @property
    def friction_high(self) -> float | None:
        """Most that friction could be along its direction [N], or None."""
    @property
    def point(self) -> Floats | None:
        """Centre of pressure [m]; None where nothing presses."""
    @property
    def normal(self) -> Floats | None:
        """Common normal of the contacts, from b to a; None where they have several."""
    @property
    def twist(self) -> float | None:
        """Torque of friction about the normal [N m], or None."""
    @property
    def slip_force(self) -> float | None:
        """Force to slipping [N], or None."""
    @property
    def slip_angle(self) -> float | None:
        """Angle to slipping [degrees], or None."""
    @property
    def tip_force(self) -> float | None:
        """Force to tipping [N], or None."""
    @property
    def tip_angle(self) -> float | None:
        """Angle to tipping [degrees], or None."""
    @property
    def tip_distance(self) -> float | None:
        """Distance of the centre of pressure from the nearest edge [m], or None."""
    @property
    def tip_used(self) -> float | None:
        """Share of the way to that edge that is used, or None."""
    @property
    def carries(self) -> tuple[str, ...]:
        """Bodies that this pair alone carries."""
    @property
    def sentence(self) -> str:
        """All this in a sentence or two."""
    @property
    def points(self) -> tuple[PointForces, ...]:
        """Contacts one by one, where a pair was requested."""

@final
class Why(_Record):
    """Pairs of bodies that touch at a moment: a sequence of PairForces."""

    @property
    def time(self) -> float:
        """Time of the moment [s]."""
    @property
    def step(self) -> int:
        """Step of the moment."""
    @property
    def law(self) -> Law:
        """Law of contact."""
    @property
    def pairs(self) -> tuple[PairForces, ...]:
        """The pairs, the most loaded first."""
    @property
    def text(self) -> str:
        """What `stiction why` prints of them."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> PairForces: ...
    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row a pair; needs pandas."""

def grasps(
    points: ArrayLike,
    normals: ArrayLike,
    friction: ArrayLike,
    *,
    mass: float = 1.0,
    center: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    length: float = 1.0,
    quality: bool = False,
) -> dict[str, Any]:
    """Force closure, least squeeze and quality of grasps of one body by k fingers, B at once: points and normals of shape (B, k, 3)."""

def import_report(path: str | os.PathLike[str]) -> ImportReport:
    """What is taken of a robot's file in MJCF or URDF, what is changed and what is ignored, as `stiction info` prints it."""

def why(
    path: str | os.PathLike[str],
    time: float | None = None,
    *,
    body: str | None = None,
    pair: Sequence[str] | None = None,
    ranges: SupportsIndex = 10,
) -> Why:
    """Who holds what at a moment of a recording in MCAP: the step nearest to `time` [s], the last where none is given."""

@final
class _Worlds:
    """Worlds that step together."""

    def __new__(cls, worlds: Sequence[World], count: int, threads: int | None) -> Self: ...
    @property
    def widths(self) -> list[int]: ...
    def step(
        self,
        substeps: int,
        controls: Floats | None,
        wrenches: Floats | None,
        bodies: Sequence[str],
        out: Mapping[str, NDArray[Any]],
    ) -> dict[int, str]: ...
    def reset(self, which: Sequence[int], initial: Floats | None, out: Mapping[str, NDArray[Any]]) -> None: ...
    def times(self) -> list[float]: ...
    def hashes(self) -> list[int]: ...

def _rollout(
    worlds: Sequence[World],
    shape: tuple[int, int],
    substeps: int,
    threads: int | None,
    initial: Floats | None,
    controls: Floats | None,
    wrenches: Floats | None,
    bodies: Sequence[str],
    out: Mapping[str, NDArray[Any]],
) -> tuple[list[int], list[float], list[int], list[str | None]]: ...
def _read_tables(
    text: str, folder: str | os.PathLike[str]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Bodies with their kinds, joints and doubts of a scene's text."""

def _tables(text: str) -> dict[str, Any]:
    """TOML as dicts and lists."""

def _did_you_mean(wanted: str, names: Sequence[str]) -> str: ...
def _world(
    text: str,
    path: str | os.PathLike[str],
    is_file: bool,
    state: bytes,
    edits: Sequence[tuple[str, str, str | os.PathLike[str], Sequence[int], Sequence[float] | None]] = ...,
) -> World:
    """A world that was pickled."""

def _time_solve(problem: ContactProblem, repeat: int, *, law: Law = "coulomb") -> list[float]:
    """Times of warm solves in Rust alone [s]."""
