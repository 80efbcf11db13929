"""Trajectories: the bits of a loop, on any number of threads; worlds that step together."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
import stiction


def pushed() -> stiction.World:
    scene = stiction.Scene(friction=0.5, dt=0.002)
    scene.add_plane()
    scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    scene.add_ball("ball", radius=0.05, mass=0.1, position=(0.5, 0, 0.05))
    return stiction.World(scene)


def random_pushes(worlds: int, controls: int) -> stiction.Floats:
    drawn = np.random.default_rng(3).uniform(-8, 8, (worlds, controls, 1, 6))
    drawn[..., 2:] = 0.0
    return drawn


def test_a_rollout_has_the_bits_of_a_loop_on_any_number_of_threads() -> None:
    world, pushes = pushed(), random_pushes(5, 40)
    found = [stiction.rollout(world, wrenches=pushes, bodies=["box"], threads=n, substeps=3) for n in (1, 2, 3)]
    for other in found[1:]:
        assert other.states.tobytes() == found[0].states.tobytes()
        assert other.state_hashes == found[0].state_hashes
    for b in range(5):
        alone = world.copy()
        for t in range(40):
            alone.apply("box", pushes[b, t, 0, :3], pushes[b, t, 0, 3:])
            report = alone.step(3)
            assert found[0].states[b, t].tobytes() == alone.state.tobytes()
            assert found[0].contact_count[b, t] == len(alone.contacts)
            assert found[0].normal_force[b, t] == pytest.approx(alone.contacts.normal_force.sum(), abs=1e-12)
            assert found[0].residual[b, t] == report.residual
        assert alone.state_hash == found[0].state_hashes[b]
        assert (found[0].steps[b], found[0].times[b]) == (120, alone.time)
    assert (found[0].status == stiction.StepCode.SOLVED).all()
    assert found[0].solved
    assert world.step_count == 0, "the world itself stays as it is"


def test_initial_states_are_those_of_the_world() -> None:
    world = pushed()
    assert world.moving_names == ["box", "ball"]
    assert world.state.shape == (26,)
    starts = np.tile(world.state, (3, 1))
    starts[:, 0] = [0.0, 0.1, 0.2]
    starts[2, 13 + 7] = 1.0
    found = stiction.rollout(world, initial=starts, steps=10)
    assert found.bodies.shape == (3, 10, 2, 13)
    assert found.bodies[:, -1, 0, 0] == pytest.approx([0.0, 0.1, 0.2], abs=1e-12)
    assert found.bodies[2, -1, 1, 0] > 0.51
    world.state = starts[2]
    assert world.state.tobytes() == starts[2].tobytes()
    world.step(10)
    assert world.state.tobytes() == found.states[2, -1].tobytes()


def test_buffers_of_the_caller_are_filled() -> None:
    world, pushes = pushed(), random_pushes(2, 5)
    states = np.full((2, 5, 26), np.nan)
    found = stiction.rollout(world, wrenches=pushes, bodies=["box"], states=states)
    assert found.states is states
    assert np.isfinite(states).all()
    with pytest.raises(stiction.InputError, match=r"states: must be a writable float64 array of shape \(2, 5, 26\)"):
        stiction.rollout(world, wrenches=pushes, bodies=["box"], states=np.zeros((2, 5, 25)))


def test_a_step_that_fails_ends_its_world_alone() -> None:
    world = pushed()
    pushes = np.zeros((2, 4, 1, 6))
    pushes[1, 1, 0, 0] = 1e300  # beyond what numbers can hold
    found = stiction.rollout(world, wrenches=pushes, bodies=["box"])
    assert found.status.tolist() == [[0, 0, 0, 0], [0, *[stiction.StepCode.ERROR], *[stiction.StepCode.NOT_MADE] * 2]]
    assert found.states[1, 3].tobytes() == found.states[1, 0].tobytes()
    assert found.messages[0] is None
    assert found.messages[1] is not None
    assert found.steps.tolist() == [4, 1]
    with pytest.raises(stiction.StepError, match="world 1, step 1: "):
        found.raise_for_status()


def test_several_worlds_go_their_own_ways() -> None:
    worlds = []
    for friction in (0.1, 0.9):
        scene = stiction.Scene(friction=friction)
        scene.add_plane()
        scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
        worlds.append(stiction.World(scene))
    pushes = np.zeros((2, 50, 1, 6))
    pushes[..., 0] = 5.0
    found = stiction.rollout(worlds, wrenches=pushes, bodies=["box"])
    assert found.bodies[0, -1, 0, 0] > 1e-3
    assert abs(found.bodies[1, -1, 0, 0]) < 1e-12


def test_worlds_step_together_as_in_a_rollout() -> None:
    world, pushes = pushed(), random_pushes(4, 30)
    found = stiction.rollout(world, wrenches=pushes, bodies=["box"])
    together = stiction.VectorWorld(world, 4, threads=2)
    for t in range(30):
        state = together.step(wrenches=pushes[:, t], bodies=["box"])
        assert state.tobytes() == np.ascontiguousarray(found.states[:, t]).tobytes()
    assert together.state_hashes == found.state_hashes
    assert together.messages == {}
    ahead = together.state.copy()
    together.reset([1, 3])
    assert together.state[1].tobytes() == world.state.tobytes()
    assert together.state[0].tobytes() == ahead[0].tobytes()
    assert together.times.tolist() == [pytest.approx(0.06), 0.0, pytest.approx(0.06), 0.0]
    together.reset(np.array([True, False, False, False]), initial=found.states[:1, 10])
    assert together.state[0].tobytes() == found.states[0, 10].tobytes()


def test_copies_have_the_bits_of_worlds_of_their_own() -> None:
    world, pushes = pushed(), random_pushes(5, 40)
    copies = stiction.VectorWorld(world, 5, threads=2)
    own = stiction.VectorWorld([pushed() for _ in range(5)], threads=2)
    for t in range(40):
        # What is applied stays until it is applied again.
        given = {"wrenches": pushes[:, t], "bodies": ["box"]} if t % 3 == 0 else {}
        for worlds in (copies, own):
            worlds.step(**given)  # type: ignore[arg-type]
            if t == 20:
                worlds.reset([2])
        assert copies.state_hashes == own.state_hashes
        assert copies.state.tobytes() == own.state.tobytes()
        assert copies.normal_force.tobytes() == own.normal_force.tobytes()


def test_codes_have_the_names_of_statuses() -> None:
    from stiction._stiction import _OUTCOMES

    assert [code.name.lower() for code in stiction.StepCode] == _OUTCOMES


def test_rollouts_are_pickled() -> None:
    found = stiction.rollout(pushed(), steps=3, count=2)
    again = pickle.loads(pickle.dumps(found))
    assert again.states.tobytes() == found.states.tobytes()
    assert repr(again) == repr(found) == "Rollout(worlds=2, controls=3, nx=26, failed=0)"
    assert "worlds that failed" in found._repr_html_()


def test_what_is_said_of_wrong_calls() -> None:
    world = pushed()
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: stiction.rollout(world), "controls: must be given, or else steps, found nothing"),
        (lambda: stiction.rollout(world, np.zeros((2, 5))), "controls: must have shape (B, T, nu), found (2, 5)"),
        (lambda: stiction.rollout(world, np.zeros((2, 5, 3))), "controls: must have shape (2, 5, 0), found (2, 5, 3)"),
        (lambda: stiction.rollout(world, initial=np.zeros((2, 5)), steps=1), "initial: must have shape (2, 26), found (2, 5)"),
        (
            lambda: stiction.rollout(world, wrenches=np.zeros((1, 1, 1, 6)), bodies=["bix"]),
            "bodies[0]: must be the name of a body, found 'bix'",
        ),
        (lambda: stiction.rollout("scene.toml", steps=1), "worlds[0]: must be a World, found 's' (run_scenes takes scene texts)"),  # type: ignore[arg-type]
        (lambda: stiction.VectorWorld(world, 0), "count: must be a whole number from 1, found 0"),
        (lambda: stiction.VectorWorld(world, 2).reset([2]), "which: must be indices below 2, found [2]"),
        (lambda: stiction.VectorWorld(world, 2).reset([0.5]), "which: must be a list of whole numbers or a mask, found [0.5]"),
        (lambda: stiction.VectorWorld(world, 2).reset([True]), "which: must be a mask of shape (2,), found (1,)"),
    ]
    for call, text in cases:
        with pytest.raises(stiction.InputError) as caught:
            call()
        assert str(caught.value) == text
