"""Robots from MJCF drop, stand on position servos, are pushed, and stand again: contact forces sum to the weight.

The robots and the phases are those of bench/robots_peers.py. Needs the package mujoco, which that imports.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from conftest import ROOT

pytest.importorskip("mujoco", reason="skipped: robots beside MuJoCo: the package mujoco is not installed")

# Time to come to rest [s].
REST = 10.0


@pytest.fixture(scope="module")
def bench() -> Any:
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        return importlib.import_module("robots_peers")
    finally:
        sys.path.pop(0)


def stands(found: dict[str, list[float]], height: float) -> None:
    before, _, after = found["off"]
    assert before < 1e-9 and after < 1e-9, found
    assert found["height"][0] > height and found["height"][2] > height, found
    # The push has moved it.
    assert found["off"][1] > 1e-6, found


def test_quadruped_drops_stands_and_is_pushed(bench: Any) -> None:
    stands(bench.ours(bench.walker(), "stand", "trunk", REST), 0.28)


def test_humanoid_drops_stands_and_is_pushed(bench: Any) -> None:
    text = bench.humanoid(bench.FOLDERS)
    if text is None:
        pytest.skip("skipped: humanoid: no folder of models")
    stands(bench.ours(text, "squat", "torso", REST), 0.5)
