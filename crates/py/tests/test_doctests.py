"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import warnings

import pytest

MODULES = ["stiction.scene", "stiction.rollouts", "stiction.gym"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    if name == "stiction.gym":
        pytest.importorskip("gymnasium")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
