"""Doubtful scenes: warned of, listed, and still used."""

import warnings
from pathlib import Path

import pytest
import stiction

PLAIN = """
format = 1
world = { friction = 0.5, density = 1000 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
]
"""
SUNK = PLAIN.replace("0, 0, 0.5]", "0, 0, 0.4]")
DOUBT = "body[1].position: bodies overlap at the start, found ground and box by 0.1 m"


def test_a_plain_scene_has_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = stiction.World.parse(PLAIN)
    assert world.warnings == []


def test_a_doubtful_scene_is_warned_of_and_used(tmp_path: Path) -> None:
    with pytest.warns(stiction.SceneWarning, match="bodies overlap at the start"):
        world = stiction.World.parse(SUNK)
    assert world.warnings == [f"scene:6:5: {DOUBT}"]
    assert world.copy().warnings == world.warnings
    assert world.step().status == "solved"
    path = tmp_path / "sunk.toml"
    path.write_text(SUNK)
    with pytest.warns(stiction.SceneWarning):
        assert stiction.World.read(path).warnings == [f"{path}:6:5: {DOUBT}"]


def test_a_warning_can_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", stiction.SceneWarning)
        with pytest.raises(stiction.SceneWarning, match="found ground and box by 0.1 m"):
            stiction.World.parse(SUNK)
