"""Results: frozen, equal by bits, pickled, shown in notebooks; statuses are data."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import stiction
from stiction.types import Law, LcpMethod, Method


def solution(root: Path, name: str = "block-on-floor", *, unique: bool = False) -> stiction.ContactSolution:
    return stiction.solve(json.loads((root / f"problems/contact/{name}.json").read_text()), unique=unique)


def test_pickle_keeps_every_bit(root: Path) -> None:
    world = stiction.World.read(root / "scenes/ramp-hold.toml")
    report = world.step(3)
    records = [
        solution(root, unique=True),
        solution(root, "closing-walls"),
        stiction.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]),
        stiction.solve_lcp([[-1.0]], [-1.0]),
        report,
        world.contacts,
        world.energy,
        stiction.run_scenes([world], 2, 1)[0],
    ]
    for record in records:
        again = pickle.loads(pickle.dumps(record))
        assert again == record
        assert type(again) is type(record)
        assert repr(again) == repr(record)
        assert copy.deepcopy(record) == record


def test_results_are_frozen(root: Path) -> None:
    found = solution(root)
    with pytest.raises(AttributeError):
        found.status = "ray"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.velocity[0] = 1.0
    assert found.velocity is found.velocity


def test_frozen_arrays_cannot_be_thawed(root: Path) -> None:
    # They could: an array that owns its numbers takes its flag back, and so does the base of a view.
    found = solution(root, unique=True)
    world = stiction.World.parse("format = 1\nbody = [{ name = 'ball', shape = { ball = 1.0 } }]")
    copied = [pickle.loads(pickle.dumps(found)), copy.deepcopy(found)]
    arrays = [record.velocity for record in [found, *copied]]
    arrays += [found.normal_impulse, found.friction_impulse, found.unique, found.phi, world.positions]
    arrays += [stiction.solve_lcp([[1.0]], [-1.0]).z, stiction.run_scenes([world], 1)[0].positions]
    for array in arrays:
        for held in [array, array.base, array.reshape(-1)]:
            if isinstance(held, np.ndarray):
                with pytest.raises(ValueError, match="WRITEABLE"):
                    held.setflags(write=True)
                assert not held.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous
    assert found.phi.shape == (0,)
    assert (found.velocity * 2.0).flags.writeable


def test_results_differ_where_a_bit_differs(root: Path) -> None:
    assert solution(root) == solution(root)
    assert solution(root) != solution(root, "ramp-stick")
    other: object = 3
    assert solution(root) != other


def test_notebooks_show_a_table(root: Path) -> None:
    html = solution(root)._repr_html_()
    assert html.startswith("<table><caption>ContactSolution</caption>")
    assert "<th>status</th><td><pre>solved</pre></td>" in html
    # One row for each of the four contacts, with its numbers.
    assert "<th>normal_impulse</th>" in html
    assert html.count("<td>sticking</td>") == 4


def test_statuses_are_data(root: Path) -> None:
    walls = solution(root, "closing-walls")
    assert (walls.status, walls.solved) == ("ray", False)
    assert walls.ray is not None
    assert walls.ray.infeasible
    none = stiction.solve_lcp([[-1.0]], [-1.0])
    assert (none.status, none.proven) == ("infeasible", True)
    assert none.certificate is not None
    assert none.certificate.kind == "farkas"


def test_which_forces_can_be_trusted(root: Path) -> None:
    assert solution(root).unique is None
    four = solution(root, unique=True).unique
    assert four is not None
    assert four.dtype == np.bool_
    assert not four.any(), "four corners on a floor share the weight in many ways"


def test_types_list_what_the_library_knows() -> None:
    assert list(get_args(Law)) == stiction.LAWS
    assert list(get_args(Method)) == stiction.METHODS
    assert list(get_args(LcpMethod)) == stiction.LCP_METHODS


def test_everything_is_documented() -> None:
    for name in stiction.__all__:
        value = getattr(stiction, name)
        if name[0].isupper() and isinstance(value, type) or callable(value) and name[0].islower():
            assert value.__doc__, name
