"""Environments: Gymnasium's own check, the same bits alone and in a vector, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import stiction.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

NAMES = sorted(stiction.gym.TASKS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_environments_pass_gymnasiums_check(name: str) -> None:
    check_env(gymnasium.make(f"stiction/{name}-v0").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_each_world_begins_as_its_own_seed_says(name: str) -> None:
    alone, together = stiction.gym.make_env(name), stiction.gym.make_vector_env(name, 3)
    seen, _ = together.reset(seed=[1, 2, 3])
    seeds: list[Any] = [1, np.int64(2), 3]
    for k, seed in enumerate(seeds):
        assert seen[k].tobytes() == alone.reset(seed=seed)[0].tobytes()
    again, _ = together.reset(seed=[1, 2, 3])
    assert again.tobytes() == seen.tobytes()
    first, _ = together.reset(seed=7)
    same, _ = together.reset(seed=np.int64(7))  # type: ignore[arg-type]
    assert first.tobytes() == same.tobytes()
    with pytest.raises(stiction.InputError, match="seed: must be one number, or 3, one a world, found 2"):
        together.reset(seed=[1, 2])


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_of_one_has_the_bits_of_the_environment(name: str) -> None:
    alone, together = stiction.gym.make_env(name), stiction.gym.make_vector_env(name, 1)
    seen, _ = alone.reset(seed=3)
    both, _ = together.reset(seed=3)
    assert both[0].tobytes() == seen.tobytes()
    rng = np.random.default_rng(1)
    for _ in range(5):
        action = rng.uniform(-1, 1, alone.task.actions)
        seen, reward, ended, cut, info = alone.step(action)
        both, rewards, all_ended, all_cut, _ = together.step(action[None])
        assert both[0].tobytes() == seen.tobytes()
        assert (rewards[0], all_ended[0], all_cut[0]) == (reward, ended, cut)
        assert info["status"] == stiction.StepCode.SOLVED
        assert np.isfinite(seen).all()
    assert together.state[0].tobytes() == alone.state.tobytes()


def test_vectors_do_not_depend_on_threads_and_begin_again() -> None:
    ends = []
    for threads in (1, 2):
        worlds = stiction.gym.make_vector_env("PushBox", 3, threads=threads)
        worlds._episodes.task.length = 4  # type: ignore[misc]
        seen, _ = worlds.reset(seed=5)
        first = seen.copy()
        for step in range(1, 7):
            seen, reward, _, cut, _ = worlds.step(np.full((3, 2), 0.5))
            assert cut.all() == (step == 4)
            assert (reward == 0).all() == (step == 5), "the step after the last begins the next episode"
        ends.append(seen.tobytes())
        assert seen.tobytes() != first.tobytes()
    assert ends[0] == ends[1]


def test_a_script_puts_the_peg_into_the_hole() -> None:
    env = stiction.gym.make_env("PegInHole")
    for seed in range(2):
        seen, _ = env.reset(seed=seed)
        total, ended = 0.0, False
        for _ in range(env.task.length):
            x, y, z = 0.05 * seen[:3]
            # First above the hole, then down.
            down = -0.5 if np.hypot(x, y) < 5e-4 or z < 0.038 else 0.0
            seen, reward, ended, _, _ = env.step([-100 * x, -100 * y, down])
            total += reward
            if ended:
                break
        assert ended, f"seed {seed}: the tip is at {seen[:3] * 0.05}"
        assert total > 0.0


def test_a_script_grasps_and_lifts_the_box() -> None:
    env = stiction.gym.make_env("GraspLiftShake")
    env.reset(seed=0)
    for step in range(env.task.length):
        env.step([1.0, 0.0 if step < 25 else 0.8])
    box = env.task.index["box"]
    assert env.state[box + 2] > 0.1


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(stiction.InputError, match="name: must be one of PegInHole, PushBox, .*, found 'Push'"):
        stiction.gym.make_env("Push")
