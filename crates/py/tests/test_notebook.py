"""What notebooks show: replays inline, in a frame that needs nothing else; tables for results."""

from __future__ import annotations

import html
import json
import pickle
import re
import subprocess
from pathlib import Path

import pytest
import stiction

from conftest import Run, binary

BOX = """
format = 1
world = { friction = 0.5, density = 1000 }
name = "a <box> & \\"more\\""
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
]
"""


def page_is_there() -> bool:
    """Whether the viewer's page was built into the module."""
    try:
        stiction.World.parse(BOX).record(0).html()
    except stiction.InputError as error:
        assert "the viewer's page is not part of this build" in str(error)
        return False
    return True


needs_page = pytest.mark.skipif(not page_is_there(), reason="the page is not built: scripts/build.sh")


def replay_of(shown: str) -> dict[str, object]:
    """The replay inside a frame, as a browser would read it."""
    frame = re.fullmatch(r'<iframe sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', shown)
    assert frame is not None
    page = html.unescape(frame[1])
    script = re.search(r'<script type="application/json" id="stiction-replay">([^<]*)</script>', page)
    assert script is not None
    found: dict[str, object] = json.loads(script[1])
    return found


@needs_page
def test_a_world_shows_itself_as_it_stands() -> None:
    world = stiction.World.parse(BOX)
    world.step(10)
    replay = replay_of(world._repr_html_())
    assert replay["name"] == world.name
    assert (replay["steps"], replay["times"], replay["contact_counts"]) == ([10], [world.time], [4])
    assert replay_of(stiction.World.parse(BOX)._repr_html_())["contact_counts"] == [-1]


@needs_page
def test_a_recording_plays() -> None:
    world, twin = stiction.World.parse(BOX), stiction.World.parse(BOX)
    recording = world.record(100, every=10)
    twin.step(100)
    assert world.state_hash == twin.state_hash, "it is recorded without being changed"
    assert recording.report is not None
    assert (recording.report.status, recording.report.steps, recording.frame_count) == ("solved", 100, 11)
    replay = replay_of(recording._repr_html_())
    assert replay["steps"] == list(range(0, 101, 10))
    assert recording.html() == html.unescape(recording._repr_html_().split('srcdoc="')[1].rsplit('"', 1)[0])


@needs_page
def test_the_page_is_that_of_the_command(root: Path, run: Run, tmp_path: Path) -> None:
    command, mcap, page = binary(), tmp_path / "ramp-hold.mcap", tmp_path / "ramp-hold.html"
    assert command is not None
    run("run", root / "scenes/ramp-hold.toml", "--steps", 50, "--output", mcap)
    done = subprocess.run([command, "export", mcap, "-o", page], capture_output=True, text=True, check=False)
    if "not part of this build" in done.stderr:
        pytest.skip("the command was built without the page")
    assert done.returncode == 0, done.stderr
    recording = stiction.Recording.read(mcap)
    assert (recording.name, recording.frame_count, recording.report) == ("ramp-hold", 51, None)
    recording.write_html(tmp_path / "ours.html")
    assert (tmp_path / "ours.html").read_text() == page.read_text()


def test_a_recording_that_was_cut_is_read_as_far_as_it_is_whole(root: Path, run: Run, tmp_path: Path) -> None:
    mcap, cut = tmp_path / "ramp-hold.mcap", tmp_path / "cut.mcap"
    run("run", root / "scenes/ramp-hold.toml", "--steps", 1200, "--output", mcap)
    whole = stiction.Recording.read(mcap)
    assert whole.unfinished is None
    cut.write_bytes(mcap.read_bytes()[:-20])
    with pytest.warns(UserWarning, match="without an end mark: the run was stopped"):
        recording = stiction.Recording.read(cut)
    assert recording.frame_count == whole.frame_count
    assert recording.unfinished is not None and "t = 1.2 s, step 1200" in recording.unfinished
    assert pickle.loads(pickle.dumps(recording)).unfinished == recording.unfinished


@pytest.mark.skipif(page_is_there(), reason="the page is built")
def test_without_the_page_a_table_says_so() -> None:
    world = stiction.World.parse(BOX)
    for shown in (world._repr_html_(), world.record(5)._repr_html_()):
        assert shown.startswith("<table><caption>")
        assert "a &lt;box&gt; &amp; &quot;more&quot;" in shown
        assert "scripts/build.sh builds both" in shown


def test_recordings_are_frozen_and_pickled() -> None:
    recording = stiction.World.parse(BOX).record(20)
    again = pickle.loads(pickle.dumps(recording))
    assert again == recording
    assert again.report == recording.report
    assert repr(again) == repr(recording)
    assert again != stiction.World.parse(BOX).record(21, every=1)
    with pytest.raises(AttributeError):
        recording.name = "x"  # type: ignore[misc]


def test_a_recording_runs_for_the_scene_s_duration() -> None:
    world = stiction.World.parse(BOX.replace("density = 1000", "density = 1000, duration = 0.05"))
    recording = world.record()
    assert recording.report is not None
    assert recording.report.steps == world.scene_steps == 50
    assert recording.frame_count == 1 + 50 // 16


def test_a_failed_step_is_data_of_the_recording() -> None:
    world = stiction.World.parse(BOX)
    world.apply("box", [0.0, 0.0, -1e300])
    recording = world.record(5)
    assert recording.report is not None
    assert (recording.report.status, recording.report.steps, recording.frame_count) == ("error", 0, 1)


def test_results_show_tables() -> None:
    world = stiction.World.parse(BOX)
    for result in (world.step(), world.contacts, world.energy, stiction.solve_lcp([[1.0]], [-1.0])):
        shown = result._repr_html_()
        assert shown.startswith(f"<table><caption>{type(result).__name__}</caption>")
        assert shown.endswith("</table>")
        assert shown.count("<table>") == shown.count("</table>")
