"""The Python blocks of README and pages run; what the pages say that examples print is what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import stiction

from conftest import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# What a block needs stands behind the language: ```python gym.
BLOCKS = [
    (page, need, block)
    for page in PAGES
    for need, block in re.findall(r"^```python *(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    if need not in ("mujoco", "stiction")
]
MOVING = ROOT / "docs/guide/from-mujoco.md"


@pytest.mark.parametrize(("page", "need", "block"), BLOCKS, ids=[f"{page.stem}-{i}" for i, (page, *_) in enumerate(BLOCKS)])
def test_block(page: Path, need: str, block: str) -> None:
    if need == "gym":
        pytest.importorskip("gymnasium")
    exec(compile(block, str(page), "exec"), {})


def side(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[list[float]]:
    """The numbers that one of the two programs of the page prints, line by line."""
    text = MOVING.read_text()
    model = re.findall(r"^```xml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    program = re.findall(rf"^```python {name}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(model) == len(program) == 1
    (folder / "push.xml").write_text(model[0])
    exec(compile(program[0], name, "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    return [[float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line)] for line in lines]


def test_the_program_for_stiction_does_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    finger, box, force = side("stiction", tmp_path, capsys)
    # The servo pulls as much as friction holds: 200 (0.3 - x) = 0.6 * 9.81.
    assert abs(200 * (0.3 - finger[0]) - 0.6 * 9.81) < 1e-3
    assert abs(box[0] - finger[0] - 0.15) < 1e-6
    assert abs(force[0] - 9.81) < 1e-4


def test_the_two_programs_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    both = [side(name, tmp_path, capsys) for name in ("mujoco", "stiction")]
    # MuJoCo's friction creeps: the box is some millimetres farther, and dragged down.
    for (ours, theirs), far in zip(zip(*both), (1e-2, 1e-2, 0.5)):
        assert len(ours) == len(theirs)
        assert max(abs(a - b) for a, b in zip(ours, theirs)) < far


def test_every_name_of_the_page_is_there() -> None:
    table = MOVING.read_text().split("## Names")[1].split("## Units")[0]
    names = re.findall(r"`world\.(\w+)", "".join(line.split("|")[2] for line in table.splitlines() if line.count("|") > 2))
    assert len(names) > 20
    assert [name for name in names if not hasattr(stiction.World, name)] == []


def test_the_guide_has_blocks() -> None:
    assert sum(page.name == "python.md" for page, *_ in BLOCKS) == 7


def test_what_examples_print() -> None:
    shown = r"^\$ python examples/python/(\w+)\.py\n((?:[^$`\n].*\n)*)"
    found = 0
    for page in PAGES:
        for name, text in re.findall(shown, page.read_text(), re.MULTILINE):
            kept = ROOT / "examples/output" / f"{name}.txt"
            if kept.is_file() and text:
                assert text == kept.read_text(), f"{page}: {name}"
                found += 1
    assert found > 0
