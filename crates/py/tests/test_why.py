"""Who holds what: a world, a recording and the command say the same."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stiction

RAMP = """
format = 1
world = { duration = 0.01, density = 1000 }
material = [{ name = "wood", friction = 0.5 }]
body = [{ name = "ramp", shape = { half_space = [0, 0, 1] }, orientation = { axis = [0, 1, 0], degrees = 26 }, material = "wood" }]
stack = [{ name = "box", box = [0.2, 0.2, 0.2], count = 1, orientation = { axis = [0, 1, 0], degrees = 26 }, material = "wood" }]
"""


def ramp() -> stiction.Why:
    world = stiction.World.parse(RAMP)
    world.step()
    return world.why()


def test_a_box_on_a_ramp_is_as_far_from_slipping_and_tipping_as_statics_says() -> None:
    why = ramp()
    assert len(why) == 1 and why.law == "coulomb" and why.step == 1
    pair = why[0]
    theta = math.radians(26)
    assert (pair.a, pair.b, pair.state, pair.known) == ("ramp", "box[0]", "sticking", "sum")
    assert pair.used == pytest.approx(math.tan(theta) / 0.5, abs=1e-9)
    assert pair.slip_angle == pytest.approx(math.degrees(math.atan(0.5)) - 26, abs=1e-7)
    assert pair.tip_angle == pytest.approx(19, abs=1e-7)
    assert pair.carries == ("box[0]",)
    assert pair.normal_low is None and pair.points == ()
    assert "97.5 %" in why.text and pair.sentence in why.text


def test_a_pair_that_is_asked_for_has_its_contacts_with_their_ranges() -> None:
    world = stiction.World.parse(RAMP)
    world.step()
    points = world.why(pair=("box[0]", "ramp"))[-1].points
    assert len(points) == 4
    for point in points:
        assert point.unique is False and point.normal_range is not None
        low, high = point.normal_range
        assert low - 1e-6 <= point.normal_force <= high + 1e-6


def test_names_that_no_body_has_are_refused_with_the_nearest() -> None:
    world = stiction.World.parse(RAMP)
    with pytest.raises(stiction.InputError, match="must be the name of a body, found rampe; did you mean ramp") as caught:
        world.why(body="rampe")
    assert caught.value.path == "body"
    with pytest.raises(stiction.InputError, match="must be the names of two bodies"):
        world.why(pair=["ramp"])
    assert len(world.why()) == 0
    with pytest.raises(IndexError):
        world.why()[0]


def test_rows_are_frozen_pickled_and_compared() -> None:
    pair = ramp()[0]
    with pytest.raises(AttributeError):
        pair.used = 0.5  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert pickle.loads(pickle.dumps(ramp())) == ramp()


def test_a_recording_and_the_command_say_the_same(tmp_path: Path, run: Callable[..., Any]) -> None:
    scene, recording = tmp_path / "ramp.toml", tmp_path / "ramp.mcap"
    scene.write_text(RAMP)
    run("run", scene, "-o", recording)
    said = run("why", recording, "--time", 0.005)
    why = stiction.why(recording, 0.005)
    assert (why.step, why.time) == (5, said["time"]) and said["step"] == 5
    [pair], [other] = why.pairs, said["pairs"]
    assert (pair.normal_force, pair.used, pair.sentence) == (other["normal_force"], other["used"], other["sentence"])
    assert (pair.slip_force, pair.tip_angle) == (other["slip"]["force"], other["tip"]["angle"])


def test_pandas_gets_a_row_a_pair() -> None:
    pytest.importorskip("pandas")
    frame = ramp().to_pandas()
    assert list(frame["state"]) == ["sticking"] and frame["contacts"][0] == 4
