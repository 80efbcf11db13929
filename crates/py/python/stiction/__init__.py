"""Exact rigid-body contact, every answer verified.

SI units, world axes, right-handed. A contact's normal points from body b to body a; an impulse pushes a along +normal and b along
-normal; gap > 0 is separation. Numbers come in as numpy arrays of any layout or as nested sequences: float64 as it is, float32 and
integers widened to float64 (which changes no value); complex, bool and longer floats are refused. Arrays come out as float64, read-only.

Misuse raises InputError, a ValueError whose `path` names the field. What a solver finds out about a well-formed problem is never an
exception: it is the `status` of the result.
"""

from ._stiction import (
    LAWS,
    LCP_METHODS,
    METHODS,
    Certificate,
    ContactProblem,
    Contacts,
    ContactSolution,
    Drive,
    Energy,
    InputError,
    LcpResidual,
    LcpSolution,
    LcpStats,
    Ray,
    Residual,
    Rollout,
    Stats,
    StepError,
    StepReport,
    World,
    __version__,
    rollout,
    solve,
    solve_lcp,
    solve_mlcp,
)

__all__ = [
    "LAWS",
    "LCP_METHODS",
    "METHODS",
    "Certificate",
    "ContactProblem",
    "ContactSolution",
    "Contacts",
    "Drive",
    "Energy",
    "InputError",
    "LcpResidual",
    "LcpSolution",
    "LcpStats",
    "Ray",
    "Residual",
    "Rollout",
    "Stats",
    "StepError",
    "StepReport",
    "World",
    "__version__",
    "rollout",
    "solve",
    "solve_lcp",
    "solve_mlcp",
]
