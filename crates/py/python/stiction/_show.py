"""Results as text and as tables, for `print` and for notebooks."""

from __future__ import annotations

import enum
import html as _html
from collections.abc import Sequence
from typing import Any

import numpy as np

# Rows of a table, and entries of an array, that are shown.
ROWS = 20
DIGITS = 6


def _number(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.{DIGITS}g}"
    if isinstance(value, enum.Enum):
        return value.name.lower()
    return str(value)


def _cell(value: object) -> str:
    """A value in a few characters."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.size <= 6:
        return "(" + ", ".join(map(_number, value)) + ")"
    if isinstance(value, np.ndarray):
        with np.printoptions(precision=DIGITS, threshold=60, edgeitems=3, suppress=False, linewidth=100):
            return str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(x, (str, enum.Enum, int, float)) for x in value):
        shown = [_number(x) for x in value[:ROWS]]
        return ", ".join(shown + (["..."] if len(value) > ROWS else [])) or "none"
    if hasattr(value, "_repr_html_"):
        return repr(value)
    return "none" if value is None else _number(value)


def _columns(names: Sequence[str], values: Sequence[Any]) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """Fields that have one entry a contact (as many as `state` has), and the others."""
    fields = list(zip(names, values))
    states = next((v for n, v in fields if n == "state" and not isinstance(v, enum.Enum)), None)
    if states is None or not len(states):
        return [], fields
    n = len(states)

    def each(value: Any) -> bool:
        return isinstance(value, (list, np.ndarray)) and len(value) == n and not (np.ndim(value) == 1 and n == 0)

    # Joint impulses and velocities of bodies may have as many entries by chance.
    others = ("velocity", "joint_impulse", "phi")
    columns = [(name, v) for name, v in fields if each(v) and name not in others]
    return columns, [(name, v) for name, v in fields if all(name != c for c, _ in columns)]


def text(kind: str, names: Sequence[str], values: Sequence[Any]) -> str:
    """Lines for `print`."""
    columns, rest = _columns(names, values)
    # What is not there needs no line.
    rest = [(name, value) for name, value in rest if not (value is None or np.ndim(value) > 0 and np.size(value) == 0)]
    width = max((len(name) for name, _ in rest), default=0)
    lines = [kind]
    for name, value in rest:
        shown = _cell(value).replace("\n", "\n" + " " * (width + 4))
        lines.append(f"  {name:<{width}}  {shown}")
    if columns:
        count = len(columns[0][1])
        table = [[name for name, _ in columns]]
        table += [[_cell(column[i]) for _, column in columns] for i in range(min(count, ROWS))]
        widths = [max(len(row[k]) for row in table) for k in range(len(columns))]
        lines += ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in table]
        if count > ROWS:
            lines.append(f"  and {count - ROWS} more")
    return "\n".join(lines)


def html(kind: str, names: Sequence[str], values: Sequence[Any]) -> str:
    """A table of the fields, and one with a row for each contact."""
    columns, rest = _columns(names, values)
    parts = [f"<table><caption>{_html.escape(kind)}</caption>"]
    for name, value in rest:
        inner = getattr(value, "_repr_html_", None)
        shown = inner() if inner is not None else f"<pre>{_html.escape(_cell(value))}</pre>"
        parts.append(f"<tr><th>{name}</th><td>{shown}</td></tr>")
    parts.append("</table>")
    if columns:
        count = len(columns[0][1])
        head = "".join(f"<th>{name}</th>" for name, _ in columns)
        parts.append(f"<table><tr><th></th>{head}</tr>")
        for i in range(min(count, ROWS)):
            cells = "".join(f"<td>{_html.escape(_cell(column[i]))}</td>" for _, column in columns)
            parts.append(f"<tr><th>{i}</th>{cells}</tr>")
        if count > ROWS:
            parts.append(f"<tr><td colspan={len(columns) + 1}>and {count - ROWS} more</td></tr>")
        parts.append("</table>")
    return "".join(parts)
