"""The Python blocks of the guide run."""

from __future__ import annotations

import re
from pathlib import Path


def test_guide(root: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (root / "docs/guide/python.md").read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), {})
