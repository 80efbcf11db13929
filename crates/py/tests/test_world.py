"""Worlds and rollouts."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import stiction

TOWER = """
format = 1
world = {{ friction = 0.5, density = 1000 }}
[[body]]
name = "ground"
shape = {{ half_space = [0, 0, 1] }}
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
[[stack]]
name = "tower"
box = [0.2, 0.2, 0.2]
count = 5
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
"""


def test_forces_carry_the_weight() -> None:
    world = stiction.World.parse(TOWER.format(tilt=0))
    world.step(10).raise_for_status()
    contacts = world.contacts
    weight = 5 * 0.2**3 * 1000.0 * 9.81
    on_ground = [k for k in range(len(contacts)) if "ground" in (contacts.a[k], contacts.b[k])]
    assert len(on_ground) == 4
    total = float(contacts.normal_force[on_ground].sum())
    assert abs(total - weight) < 1e-9 * weight
    assert set(contacts.state) == {"sticking"}
    assert np.allclose(np.abs(contacts.normal[:, 2]), 1.0)


def test_a_world_knows_its_state(root: Path) -> None:
    world = stiction.World.read(root / "scenes/ramp-hold.toml")
    assert (world.name, world.time, world.step_count, world.dt) == ("ramp-hold", 0.0, 0, 1e-3)
    assert world.scene_steps == 10_000
    assert world.body_names == ["ramp", "box[0]"]
    shapes = (world.positions.shape, world.orientations.shape, world.velocities.shape)
    assert shapes == ((2, 3), (2, 4), (2, 6))
    before = world.positions
    report = world.step(100)
    assert (report.status, report.steps, report.message) == ("solved", 100, None)
    assert np.abs(world.positions - before).max() < 1e-12, "the box does not creep"
    assert world.energy.kinetic < 1e-20
    assert repr(world).startswith('World(name="ramp-hold", bodies=2, time=0.1')


def test_the_ledger_says_where_energy_went(root: Path) -> None:
    world = stiction.World.read(root / "scenes/ramp-slide.toml")
    start = world.energy.kinetic + world.energy.potential
    world.step(200).raise_for_status()
    energy = world.energy
    assert energy.slip > 0 and energy.impacts == 0
    assert energy.dissipated == energy.slip + energy.impacts
    numerical = energy.numerical
    parts = numerical.velocity + numerical.closing - numerical.returned + numerical.flight
    assert energy.stepping == parts and numerical.velocity >= 0
    taken = energy.dissipated + energy.stepping - energy.injected - energy.eased
    assert abs(energy.kinetic + energy.potential + taken - start) < 1e-12


GROUND_AND_BOX = """
format = 1
body = [
    {{ name = "ground", shape = {{ half_space = [0, 0, 1] }} }},
    {{ name = "box", shape = {{ box = [1, 1, 1] }}, mass = {mass}, position = [0, 0, 0.5] }},
]
"""


def test_saved_worlds_go_on_with_the_same_bits(root: Path) -> None:
    file = root / "scenes/ramp-slide.toml"
    world = stiction.World.read(file)
    world.step(50)
    state = world.save()
    twin = world.copy()
    world.step(50)
    other = stiction.World.read(file)
    other.load(state)
    other.step(50)
    twin.step(50)
    assert world.state_hash == other.state_hash == twin.state_hash
    assert world.save() == other.save()
    with pytest.raises(stiction.InputError, match="saved state"):
        other.load(state[:-1])
    assert other.state_hash == world.state_hash, "a refused state changes nothing"


def test_states_of_another_model_are_refused_unless_forced() -> None:
    heavy, light = (stiction.World.parse(GROUND_AND_BOX.format(mass=mass)) for mass in (3, 2))
    heavy.step(5)
    with pytest.raises(stiction.InputError, match=r"saved state: bodies\[1\].mass: must be 2 as in the world, found 3"):
        light.load(heavy.save())
    assert light.step_count == 0
    with pytest.warns(UserWarning, match=r"bodies\[1\].mass: must be 2 as in the world, found 3"):
        light.load(heavy.save(), force=True)
    assert light.step_count == 5


def test_forces_and_velocities_can_be_set() -> None:
    world = stiction.World.parse(TOWER.format(tilt=0))
    top = world.body_names[-1]
    world.apply(top, [0.0, 0.0, 2000.0])
    world.step(10)
    assert world.velocities[-1, 2] > 0.0
    world.set_velocity(top, np.array([0.0, 0.0, 1.0], dtype=np.float32))
    assert world.velocities[-1, 2] == 1.0


def test_a_step_without_answer_is_data() -> None:
    # A force beyond what numbers can hold.
    world = stiction.World.parse(TOWER.format(tilt=0))
    world.apply("tower[4]", [0.0, 0.0, -1e300])
    before = world.state_hash
    report = world.step(5)
    assert report.status == "error"
    assert report.steps == 0
    assert world.state_hash == before
    with pytest.raises(stiction.StepError, match="must be finite"):
        report.raise_for_status()


def test_threads_do_not_change_bits() -> None:
    scenes = [TOWER.format(tilt=k % 12) for k in range(24)]
    want = []
    for scene in scenes:
        world = stiction.World.parse(scene)
        world.step(30)
        want.append(world.state_hash)
    for threads in (1, 2, 3, 8, None):
        ends = stiction.run_scenes(scenes, 30, threads)
        assert [end.state_hash for end in ends] == want
    assert len(set(want)) == 12


def test_rollouts_take_texts_files_and_worlds(root: Path) -> None:
    file = root / "scenes/ramp-hold.toml"
    world = stiction.World.read(file)
    before = world.state_hash
    ends = stiction.run_scenes([file.read_text(), file, world], 20, 2)
    assert len({end.state_hash for end in ends}) == 1
    assert world.state_hash == before, "worlds are copied"
    assert (ends[0].steps, ends[0].status) == (20, "solved")
    assert ends[0].positions.shape == (2, 3)
    assert stiction.run_scenes([], 5) == []


def test_a_thousand_worlds() -> None:
    ends = stiction.run_scenes([TOWER.format(tilt=1)] * 1000, 2, 2)
    assert len({end.state_hash for end in ends}) == 1


def test_python_goes_on_during_a_rollout() -> None:
    done = threading.Event()

    def work() -> None:
        stiction.run_scenes([TOWER.format(tilt=5)] * 100, 50, 1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.wait(1e-4):
        turns += 1
    thread.join()
    assert turns > 20


def test_solving_on_many_threads_gives_the_same_bits() -> None:
    problem = stiction.ContactProblem.from_arrays(
        [np.diag([2.0, 2.0, 2.0])], [0.3, 0.1, -1.0], [np.eye(3)[[2, 0, 1]]], [0.1]
    )
    want = stiction.solve(problem)
    found: list[stiction.ContactSolution] = []

    def work() -> None:
        found.extend(stiction.solve(problem) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert all(one == want for one in found)


def many_islands() -> bytes:
    """Impulses of twenty blocks with four contacts each: enough for several threads."""
    corners = [np.eye(3)[[2, 0, 1]] for _ in range(4)]
    jacobian = np.zeros((80, 3, 60))
    for k in range(80):
        jacobian[k, :, 3 * (k // 4) : 3 * (k // 4) + 3] = corners[k % 4]
    problem = stiction.ContactProblem.from_arrays(np.tile(np.eye(3), (20, 1, 1)), [0.3, 0.1, -1.0] * 20, jacobian, [0.2] * 80)
    solution = stiction.solve(problem)
    assert solution.stats.islands == 20
    return solution.normal_impulse.tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_solve_too() -> None:
    want = many_islands()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = [pool.apply_async(many_islands) for _ in range(4)]
        assert all(one.get(timeout=600) == want for one in found)


ARM = """
format = 1
world = { dt = 0.001 }
[[body]]
name = "post"
kind = "fixed"
shape = { ball = 0.01 }
[[body]]
name = "upper"
shape = { box = [0.4, 0.05, 0.05] }
mass = 1
position = [0.2, 0, 0]
groups = []
[[body]]
name = "lower"
shape = { box = [0.4, 0.05, 0.05] }
mass = 1
position = [0.6, 0, 0]
groups = []
[[joint]]
name = "shoulder"
kind = "spherical"
a = "upper"
b = "post"
position = [0, 0, 0]
[[joint]]
name = "elbow"
kind = "revolute"
a = "lower"
b = "upper"
position = [0.4, 0, 0]
axis = [0, 1, 0]
"""


def test_joint_coordinates_are_read_and_set() -> None:
    world = stiction.World.parse(ARM)
    assert world.joint_names == ["shoulder", "elbow"]
    assert world.joint_slice("shoulder") == slice(0, 3, 1)
    assert world.joint_slice("elbow") == slice(3, 4, 1)
    assert np.array_equal(world.q, np.zeros(4))
    world.q = [0.1, -0.2, 0.3, 0.4]
    world.v = np.array([0.0, 0.0, 2.0, 1.0])
    assert np.allclose(world.q, [0.1, -0.2, 0.3, 0.4], atol=1e-14)
    assert np.allclose(world.v, [0.0, 0.0, 2.0, 1.0], atol=1e-14)
    # The upper arm turns about the post.
    assert abs(float(np.linalg.norm(world.positions[1])) - 0.2) < 1e-15
    with pytest.raises(stiction.InputError, match=r"q: must have shape \(4,\)"):
        world.q = [0.0, 0.0]
    with pytest.raises(stiction.InputError, match=r"v\[1\]: must be finite"):
        world.v = [0.0, np.nan, 0.0, 0.0]
    with pytest.raises(stiction.InputError, match="joint: must be the name of a joint, found 'knee'"):
        world.joint_slice("knee")


def test_a_motor_holds_a_joint_where_it_is_told() -> None:
    world = stiction.World.parse(ARM)
    world.set_motor("elbow", target=0.5, stiffness=1e4, damping=100)
    world.step(400).raise_for_status()
    elbow = world.joint_slice("elbow")
    assert abs(float(world.q[elbow][0]) - 0.5) < 0.01
    world.set_motor("elbow", target=-0.5)
    world.step(400).raise_for_status()
    assert abs(float(world.q[elbow][0]) + 0.5) < 0.01
    with pytest.raises(stiction.InputError, match="joint: must be revolute or prismatic, found 'shoulder'"):
        world.set_motor("shoulder", target=0.1)
    with pytest.raises(stiction.InputError, match="stiffness"):
        world.set_motor("elbow", stiffness=-1)


def test_all_work_is_counted_and_limited() -> None:
    world = stiction.World.parse(TUMBLING)
    report = world.step(200)
    work = report.work
    assert work.tries >= 200 and work.solves >= 200 and work.passes >= work.solves
    assert work.newton_steps >= report.newton_steps and work.pivots >= report.pivots
    assert work.corrections <= work.solves and work.operations > 0
    assert world.max_work is None
    world.max_work = 10**12
    assert world.max_work == 10**12 and world.copy().max_work == 10**12
    world.max_work = None
    assert world.max_work is None
    with pytest.raises(stiction.InputError, match="max_work"):
        world.max_work = 0
    assert stiction.World.parse("format = 1\n[world]\nmax_work = 5\n").max_work == 5


TUMBLING = """
format = 1
[world]
dt = 0.005
friction = 0.5
[[body]]
name = "ground"
shape = { half_space = [0, 0, 1] }
[[body]]
name = "box"
shape = { box = [0.1, 0.1, 0.1] }
mass = 1
position = [0, 0, 0.3]
orientation = { axis = [1, 2, 3], degrees = 35 }
"""
