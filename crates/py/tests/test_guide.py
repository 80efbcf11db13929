"""The Python blocks of README and pages run; what the pages say that examples print is what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    (page, block)
    for page in PAGES
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("page", "block"), BLOCKS, ids=[f"{page.stem}-{i}" for i, (page, _) in enumerate(BLOCKS)])
def test_block(page: Path, block: str) -> None:
    exec(compile(block, str(page), "exec"), {})


def test_the_guide_has_blocks() -> None:
    assert sum(page.name == "python.md" for page, _ in BLOCKS) == 5


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
