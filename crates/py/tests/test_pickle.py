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
    scene = 'format = 1\nworld.density = 1000\nname = "one"\nbody = [{ name = "box", shape = { box = [1, 1, 1] } }]\n'
    world = stiction.World.parse(scene)
    world.apply("box", [1.0, 2.0, 3.0], [0.1, 0.0, 0.0])
    world.set_velocity("box", [0.0, 0.0, 4.0])
    world.step(3)
    again = pickle.loads(pickle.dumps(world))
    world.step(5)
    again.step(5)
    assert again.save() == world.save()
    assert again.energy == world.energy


MESH = """
format = 1
world = { friction = 0.5, density = 1000 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "part", shape = { mesh = "part.obj" }, position = [0, 0, 0.5] },
]
"""
CORNERS = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
FACES = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"


@pytest.mark.parametrize("by_file", [True, False])
def test_meshes_are_found_again(by_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.obj").write_text(CORNERS + FACES)
    (tmp_path / "scene.toml").write_text(MESH)
    # By a path that only holds in one folder.
    monkeypatch.chdir(tmp_path)
    world = stiction.World.read("scene.toml") if by_file else stiction.World.parse(MESH)
    world.step(2)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    data = pickle.dumps(world)
    again = pickle.loads(data)
    again.step(2)
    world.step(2)
    assert again.state_hash == world.state_hash
    (tmp_path / "part.obj").unlink()
    with pytest.raises(stiction.InputError, match="part.obj"):
        pickle.loads(data)


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
