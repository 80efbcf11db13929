"""Linear complementarity problems: one that is solved, one with a free variable, one proven to have no answer."""

from __future__ import annotations

import numpy as np
import stiction


def text(values: stiction.Floats) -> str:
    return ", ".join(f"{value:.6f}" for value in values)


def main() -> None:
    murty = stiction.solve_lcp(np.array([[2.0, 1.0], [1.0, 2.0]]), [-5.0, -6.0])
    print(f"{murty.status}: z = {text(murty.z)}, w = {text(murty.w)}, residual {murty.residual.relative / 1e-15:.1f}e-15")
    assert np.allclose(murty.z, [4 / 3, 7 / 3], atol=1e-15)

    mixed = stiction.solve_mlcp([[1.0, -1.0], [1.0, 1.0]], [0.0, -4.0], free=[0])
    print(f"{mixed.status}: z = {text(mixed.z)}")
    assert list(mixed.z) == [2.0, 2.0]

    none = stiction.solve_lcp([[-1.0]], [-1.0])
    assert none.certificate is not None
    assert none.certificate.y is not None
    assert none.proven
    print(f"{none.status}: {none.certificate.kind} vector {', '.join(none.certificate.y)}, proven")


if __name__ == "__main__":
    main()
