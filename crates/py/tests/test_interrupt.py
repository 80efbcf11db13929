"""Ctrl-C ends long calls and leaves worlds in a whole step."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import stiction

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")

TOWER = """
format = 1
world = { friction = 0.5, density = 1000 }
body = [{ name = "ground", shape = { half_space = [0, 0, 1] } }]
stack = [{ name = "tower", box = [0.2, 0.2, 0.2], count = 5 }]
"""
FOREVER = 10**12


@contextmanager
def interrupted(ready: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Sends Ctrl-C to this process again and again until it ends the block: the third time that the block is ready for it.

    A call that does not look for signals handles those of its whole duration as one, after its end.
    """
    ended = threading.Event()
    calls = 0

    def handle(*_: object) -> None:
        nonlocal calls
        calls += ready()
        # Only one raises: another could come after the block.
        if calls >= 3 and not ended.is_set():
            ended.set()
            raise KeyboardInterrupt

    def send() -> None:
        while not ended.wait(0.1):
            os.kill(os.getpid(), signal.SIGINT)

    # A shell starts what it puts into the background with the signal ignored, and Python leaves it so.
    before = signal.signal(signal.SIGINT, handle)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        ended.set()
        sender.join()
        signal.signal(signal.SIGINT, before)


def test_steps_end_with_a_whole_one() -> None:
    world = stiction.World.parse(TOWER)
    with interrupted(lambda: world.step_count > 0):
        world.step(FOREVER)
    made = world.step_count
    twin = stiction.World.parse(TOWER)
    twin.step(made)
    assert twin.save() == world.save()
    assert world.step().status == "solved"


def test_recordings_end() -> None:
    world = stiction.World.parse(TOWER)
    with interrupted(lambda: world.step_count > 0):
        world.record(FOREVER, every=1000)


@pytest.mark.parametrize("threads", [1, 2])
def test_rollouts_end(threads: int) -> None:
    world = stiction.World.parse(TOWER)
    with interrupted():
        stiction.run_scenes([TOWER, world, TOWER], FOREVER, threads)
    assert world.step_count == 0
    assert [end.steps for end in stiction.run_scenes([TOWER, world], 3, threads)] == [3, 3]


def test_long_solves_end() -> None:
    # In rationals, each pivot with longer ones: seconds of work.
    n = 160
    factor = np.random.default_rng(1).normal(size=(n, n))
    with interrupted():
        stiction.solve_lcp(factor @ factor.T, factor[0], method="lemke_exact")
    assert stiction.solve_lcp(np.eye(n), -np.ones(n)).status == "solved"


def test_large_contact_problems_end() -> None:
    # Hundreds of contacts over the same coordinates by a dense method: seconds of work.
    n = 400
    rng = np.random.default_rng(2)
    jacobian = rng.normal(size=(n, 3, n))
    problem = stiction.ContactProblem.from_arrays([np.eye(n)], rng.normal(size=n), jacobian, [0.5] * n)
    with interrupted():
        stiction.solve(problem, law="polyhedral", method="lemke_standard")


def test_handlers_may_look_at_the_world() -> None:
    world = stiction.World.parse(TOWER)
    seen: list[int] = []

    def look(*_: object) -> None:
        # The first may come before the first step.
        if world.step_count > 0:
            seen.append(world.step_count)
        if len(seen) == 3:
            raise TimeoutError

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        with pytest.raises(TimeoutError):
            world.step(FOREVER)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert seen[0] <= seen[1] <= seen[2] == world.step_count


def test_a_world_is_stepped_by_one_thread_at_a_time() -> None:
    world = stiction.World.parse(TOWER)
    stop = threading.Event()
    refused: list[str] = []

    def other() -> None:
        while not stop.is_set() and not refused:
            try:
                world.step()
            except RuntimeError as error:
                refused.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    try:
        for _ in range(200):
            try:
                world.step(100)
            except RuntimeError as error:
                refused.append(str(error))
            if refused:
                break
    finally:
        stop.set()
        thread.join()
    assert set(refused) <= {"world: is being stepped by another thread"}
