"""The notebooks run, cell by cell, and the last value of each cell can be shown. Without Jupyter: a cell is Python."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def run_cell(source: str, names: dict[str, Any], label: str) -> Any:
    """Runs a cell; gives the value of its last line where that is an expression."""
    tree = ast.parse(source, label)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, label, "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), label, "eval"), names)
    return None


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_a_notebook_runs(file: Path) -> None:
    cells = json.loads(file.read_text())["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = 0
    for k, cell in enumerate(cells):
        assert not cell.get("outputs"), "kept without outputs"
        if cell["cell_type"] == "code":
            value = run_cell("".join(cell["source"]), names, f"{file.name}[{k}]")
            if hasattr(value, "_repr_html_"):
                html = value._repr_html_()
                assert html.startswith(("<table>", "<iframe"))
                shown += 1
    assert shown > 0


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
