"""Worlds that are pickled or copied go on with the same bits."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from pathlib import Path

import pytest
import stiction


@pytest.mark.parametrize("name", ["ramp-slide", "tower-tilt", "four-bar", "planar-ramp"])
def test_worlds_go_on_with_the_same_bits(name: str, root: Path) -> None:
    world = stiction.World.read(root / "scenes" / f"{name}.toml")
    world.step(40)
    others = [pickle.loads(pickle.dumps(world, protocol)) for protocol in (2, pickle.HIGHEST_PROTOCOL)]
    others += [copy.copy(world), copy.deepcopy(world), world.copy()]
    for other in others:
        assert (other.name, other.time, other.step_count) == (world.name, world.time, 40)
        assert other.scene_steps == world.scene_steps
        assert other.state_hash == world.state_hash
    world.step(60)
    for other in others:
        other.step(60)
        assert other.save() == world.save()


def test_forces_and_changes_are_kept() -> None:
    scene = 'format = 1\nname = "one"\nbody = [{ name = "box", shape = { box = [1, 1, 1] } }]\n'
    world = stiction.World.parse(scene)
    world.apply("box", [1.0, 2.0, 3.0], [0.1, 0.0, 0.0])
    world.set_velocity("box", [0.0, 0.0, 4.0])
    world.step(3)
    again = pickle.loads(pickle.dumps(world))
    world.step(5)
    again.step(5)
    assert again.save() == world.save()
    assert again.energy == world.energy


def test_meshes_are_found_again(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = [f for f in sorted((root / "scenes").rglob("*.toml")) if ".stl" in f.read_text() or ".obj" in f.read_text()]
    if not scenes:
        pytest.skip("no scene with a mesh")
    # By a path that only holds in one folder.
    monkeypatch.chdir(scenes[0].parent)
    world = stiction.World.read(scenes[0].name)
    world.step(2)
    data = pickle.dumps(world)
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(data)
    again.step(2)
    world.step(2)
    assert again.state_hash == world.state_hash


def step(world: stiction.World) -> stiction.World:
    world.step(20)
    return world


def test_worlds_go_to_other_processes_and_back(root: Path) -> None:
    world = stiction.World.read(root / "scenes/ramp-slide.toml")
    world.step(10)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(step, (world,))
    world.step(20)
    assert there.state_hash == world.state_hash


def test_problems_are_their_own_copies() -> None:
    problem = stiction.ContactProblem.from_bodies([], [], dt=0.01)
    assert copy.copy(problem) is problem
    assert copy.deepcopy(problem) is problem
