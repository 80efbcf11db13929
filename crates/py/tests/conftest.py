"""Where things are: the project's root and the command `stiction`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

Run = Callable[..., Any]


def binary() -> Path | None:
    """The command, built beside the tests or named by STICTION."""
    if named := os.environ.get("STICTION"):
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "stiction" for profile in ("release", "debug")]
    return max((b for b in built if b.is_file()), key=lambda b: b.stat().st_mtime, default=None)


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs the command with --json and gives what it prints."""
    command = binary()
    if command is None:
        pytest.skip("needs the command: cargo build, or STICTION=path")

    def call(*arguments: object) -> Any:
        done = subprocess.run([command, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    return call


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
