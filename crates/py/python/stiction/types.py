"""Types of arguments and results. Shapes: n contacts, m bodies, r joint rows."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

Law: TypeAlias = Literal[
    "frictionless",
    "polyhedral",
    "coulomb",
    "coulomb-acceleration",
    "coulomb-acceleration-as-published",
    "no-slip",
    "viscous",
    "viscous-explicit",
    "coulomb-viscous",
    "coulomb-viscous-acceleration",
]
Method: TypeAlias = Literal[
    "lemke_reduced",
    "lemke_structural",
    "lemke_standard",
    "newton_cone",
    "dantzig",
    "ppm_modified",
    "nonconvex_max",
    "nonconvex_sum",
]
Status: TypeAlias = Literal[
    "solved",
    "ray",
    "pivot_limit",
    "inaccurate",
    "not_round",
    "unbounded_drive",
    "no_side",
    "search_limit",
]
StepStatus: TypeAlias = Union[Status, Literal["outrun", "spin", "error"]]
State: TypeAlias = Literal["separating", "sticking", "sliding"]
LcpMethod: TypeAlias = Literal[
    "lemke",
    "lemke_lexicographic",
    "lemke_extended",
    "lemke_exact",
    "dantzig",
    "ppm",
    "least_squares",
    "lemke_howson",
    "branch_and_bound",
    "enumerate",
]
LcpStatus: TypeAlias = Literal[
    "solved",
    "infeasible",
    "unsolvable",
    "ray",
    "unbounded_drive",
    "pivot_limit",
    "cycle",
    "singular_basis",
    "inaccurate",
]
MatrixClass: TypeAlias = Literal["unknown", "psd", "p", "copositive"]
Floats: TypeAlias = NDArray[np.float64]
Groups: TypeAlias = Sequence[Sequence[Union[int, Sequence[int]]]]


class ContactState(enum.IntEnum):
    """What a contact does. Equal to its number, and to its name in files: `ContactState.STICKING == "sticking"`."""

    SEPARATING = 0
    """No force."""
    STICKING = 1
    """Pushes and does not slide."""
    SLIDING = 2
    """Pushes and slides; friction opposes the slip with its full strength."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name.lower() == other
        return int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name.lower())

    def __str__(self) -> str:
        return self.name.lower()


class StepCode(enum.IntEnum):
    """How a step of a rollout ended, as a number for arrays; the names are those of StepStatus, in capitals."""

    SOLVED = 0
    RAY = 1
    PIVOT_LIMIT = 2
    INACCURATE = 3
    NOT_ROUND = 4
    UNBOUNDED_DRIVE = 5
    NO_SIDE = 6
    SEARCH_LIMIT = 7
    OUTRUN = 8
    SPIN = 9
    ERROR = 10
    NOT_MADE = 11
    """A step before it failed."""


class BodyFields(TypedDict):
    """A free rigid body; vectors in world axes."""

    name: NotRequired[str]
    mass: float
    inertia: ArrayLike
    position: ArrayLike
    velocity: ArrayLike
    wrench: ArrayLike


class ContactFields(TypedDict):
    """A contact; without `b`, or with None, it touches the fixed world. The normal points from b to a."""

    a: int
    b: NotRequired[int | None]
    point: ArrayLike
    normal: ArrayLike
    mu: NotRequired[float | Literal["inf"]]
    gap: NotRequired[float]
    restitution: NotRequired[float]
    viscosity: NotRequired[float]


class TouchingFields(TypedDict):
    """A contact where forces are sought: closed, without normal velocity."""

    a: int
    b: NotRequired[int | None]
    point: ArrayLike
    normal: ArrayLike
    mu: NotRequired[float | Literal["inf"]]
    normal_bias: NotRequired[float]
    tangent_bias: NotRequired[ArrayLike]
    viscosity: NotRequired[float]


class JointFields(TypedDict):
    """Rows over the velocities of a and b, (k, 12), with bias (k,): r.(v_a, v_b) + bias = 0."""

    a: int
    b: NotRequired[int | None]
    rows: ArrayLike
    bias: ArrayLike
