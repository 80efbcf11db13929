"""A block on a floor, pushed sideways: does it hold, and which forces can be trusted?"""

from __future__ import annotations

import numpy as np
import stiction

DT = 0.01
MASS = 2.0
GRAVITY = 10.0


def block(push: float) -> stiction.ContactProblem:
    """A block of 2 kg with four corners on a floor of friction 0.5, pushed with a force [N]."""
    body: stiction.BodyFields = {
        "mass": MASS,
        "inertia": [0.02, 0.02, 0.02],
        "position": [0.0, 0.0, 0.1],
        "velocity": np.zeros(6),
        "wrench": [push, 0.0, -MASS * GRAVITY, 0.0, 0.0, 0.0],
    }
    corners: list[stiction.ContactFields] = [
        {"a": 0, "b": None, "point": [x, y, 0.0], "normal": [0.0, 0.0, 1.0], "mu": 0.5}
        for x in (-0.2, 0.2)
        for y in (-0.2, 0.2)
    ]
    return stiction.ContactProblem.from_bodies([body], corners, dt=DT)


def main() -> None:
    for push in (9.9, 10.1):
        solution = stiction.solve(block(push), law="coulomb", unique=True)
        assert solution.status == "solved", solution
        assert solution.unique is not None
        print(f"push of {push} N: {solution.state[0]}, velocity {abs(solution.velocity[0]):.6f} m/s")
        print(f"  weight carried {solution.normal_impulse.sum() / DT:.6f} N, residual {solution.residual.worst / 1e-15:.1f}e-15")
        print(f"  forces that are the only ones possible: {int(solution.unique.sum())} of {len(solution.unique)}")
    assert stiction.solve(block(9.9)).state == ["sticking"] * 4
    sliding = stiction.solve(block(10.1))
    assert sliding.state == ["sliding"] * 4
    assert abs(sliding.velocity[0] - 0.1 / MASS * DT) < 1e-12


if __name__ == "__main__":
    main()
