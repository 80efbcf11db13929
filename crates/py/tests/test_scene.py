"""Scenes built in Python: the same worlds as scene files, checked call by call; worlds that change while they run."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import stiction

from conftest import ROOT

SCENES = sorted((ROOT / "scenes").glob("*.toml"))


def table() -> stiction.Scene:
    scene = stiction.Scene(friction=0.5, density=1000)
    scene.add_plane()
    scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    return scene


@pytest.mark.parametrize("file", SCENES, ids=lambda f: f.stem)
def test_scene_files_are_written_as_they_were_read(file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stiction.SceneWarning)
        scene = stiction.Scene.load(file)
        text = scene.to_toml()
        again = stiction.Scene.parse(text, scene.folder)
        assert again.to_toml() == text
        made, read = stiction.World(scene), stiction.World.read(file)
    assert made.save() == read.save()
    assert (made.name, made.scene_steps) == (read.name, read.scene_steps)


def test_calls_give_the_world_of_the_file() -> None:
    built = stiction.World(table())
    text = """
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "box", shape = { box = [0.2, 0.2, 0.2] }, mass = 1, position = [0, 0, 0.1] },
        ]"""
    read = stiction.World.parse(text)
    built.step(50)
    read.step(50)
    assert built.state_hash == read.state_hash


def test_every_shape_can_be_added(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    faces = [(1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "tetrahedron.obj").write_text("\n".join(lines))
    scene = stiction.Scene(friction=0.5, density=1000, folder=tmp_path)
    scene.add_plane(position=(0, 0, -1))
    scene.add_box("box", size=np.array([0.1, 0.1, 0.1]))
    scene.add_ball("ball", 0.1, position=(1, 0, 0))
    scene.add_capsule("capsule", 0.1, 0.2, position=(2, 0, 0))
    scene.add_cylinder("cylinder", 0.1, 0.2, position=(3, 0, 0), orientation={"axis": (1, 0, 0), "degrees": 90})
    scene.add_ellipsoid("ellipsoid", (0.1, 0.2, 0.3), position=(4, 0, 0))
    scene.add_hull("hull", corners, position=(5, 0, 0))
    scene.add_mesh("mesh", "tetrahedron.obj", scale=2.0, position=(6, 0, 0))
    scene.add_body("prism", {"prism": {"sides": 6, "radius": 0.1, "height": 0.1}}, position=(7, 0, 0))
    scene.add_compound("two", [{"ball": 0.1}, {"ball": 0.1, "position": (0.2, 0, 0)}], position=(8, 0, 0))
    scene.add_heights("hill", np.array([[0, 0], [0, 0.1]]), spacing=(1, 1), position=(20, 0, 0))
    scene.add_stack("tower", (0.1, 0.1, 0.1), 3, base=(9, 0, 0))
    scene.add_grid("wall", (0.1, 0.1, 0.1), rows=2, columns=2, gap=0.01, base=(12, 0, 0))
    world = stiction.World(scene)
    assert world.body_names == scene.body_names
    assert world.step(5).status == "solved"


def test_a_rope_about_a_bollard_holds_more_than_its_weight() -> None:
    scene = stiction.Scene(friction=0.5)
    scene.add_box("beam", size=(4, 0.2, 0.2), kind="fixed", position=(0, 0, 3.1))
    scene.add_ball("load", 0.1, mass=10, position=(-1, 0, 1))
    scene.add_ball("weight", 0.1, mass=1, position=(1, 0, 1))
    scene.add_rope(
        "rope",
        [("load", (-1, 0, 1)), ("beam", (-1, 0, 3)), ("beam", (0, 0, 3), 0.3, 1.5), ("beam", (1, 0, 3)), ("weight", (1, 0, 1))],
    )
    world = stiction.World(scene)
    assert world.joints["rope"].tensions is None
    world.step(100).raise_for_status()
    assert world.joints["rope"].tensions == pytest.approx((98.1, 9.81), abs=1e-9)
    assert np.abs(world.velocities).max() < 1e-13
    with pytest.raises(stiction.InputError, match=r"points: must be pairs of a body's name and a point"):
        scene.add_rope("other", [("load", (-1, 0, 1)), ("beam",)])  # type: ignore[list-item]


def test_joints_gears_ropes_and_pairs_can_be_added() -> None:
    scene = table()
    scene.add_material("ice", friction=0.01)
    scene.add_material("steel", friction=0.3, restitution=0.5)
    scene.add_material_pair("ice", "steel", friction=0.02)
    scene.add_box("post", size=(0.1, 0.1, 0.1), kind="fixed", position=(3, 0, 1), groups=[])
    for k, name in enumerate(("first", "second")):
        at = (3 + k, 0, 1)
        scene.add_cylinder(name, 0.2, 0.1, mass=1, material="steel", position=at, groups=[])
        scene.add_joint(f"{name}_axle", "revolute", name, "post", position=at, friction=0.01)
    scene.add_gear("gear", ("first_axle", "second_axle"), (1, 2))
    scene.add_rope("rope", [("box", (0, 0, 0.2)), ("post", (3, 0, 1))], length=4.0)
    scene.add_pair("box", "ground", friction=0.1)
    scene.add_force("box", (1, 0, 0), start=0.0, until=0.01)
    scene.add_ball("hand", 0.01, kind="kinematic", position=(0, 0, 3), motion={"slide": {"amplitude": (0, 0, 0.1), "rate": 2}})
    scene.add_ball("tool", 0.01, mass=0.1, position=(0, 0, 3), groups=[])
    scene.add_coupling("tool", "hand", stiffness=(100, 0), damping=(1, 0))
    world = stiction.World(scene)
    world.joints["first_axle"].velocity = 1.0
    assert world.step(20).status == "solved"
    assert world.joints["second_axle"].velocity / world.joints["first_axle"].velocity == pytest.approx(2.0, abs=1e-9)
    assert world.joint_names == ["first_axle", "second_axle", "gear", "rope"] == list(world.joints)


def test_planar_scenes_are_built_with_the_same_calls() -> None:
    scene = stiction.Scene(planar=True, friction=0.5)
    scene.add_plane()
    scene.add_box("box", size=(0.2, 0.2), mass=1, position=(0, 0.1))
    scene.add_ball("disc", 0.1, mass=1, position=(1, 0.1), angle={"degrees": 10})
    world = stiction.World(scene)
    assert world.planar
    assert world.step(10).status == "solved"
    world.add_hull("plate", [(0, 0), (0.1, 0), (0, 0.1)], mass=1, position=(2, 0))
    assert world.step(10).status == "solved"


def test_bodies_and_joints_come_and_go() -> None:
    world = stiction.World(table())
    world.step(20)
    world.add_ball("ball", radius=0.05, mass=0.2, position=(0, 0, 0.25))
    assert world.step(20).status == "solved"
    assert world.contacts.normal_force.sum() == pytest.approx(4 * 0 + 1.2 * 9.81 + 0.2 * 9.81, rel=1e-6)
    world.add_joint("hook", "spherical", "ball", "box", position=world.positions[2])
    assert world.joints["hook"].bodies == ("ball", "box")
    assert world.joints["hook"].error == pytest.approx((0.0, 0.0), abs=1e-12)
    world.step(20)
    twin = pickle.loads(pickle.dumps(world))
    twin.step(20)
    world.step(20)
    assert twin.state_hash == world.state_hash
    world.remove_joint("hook")
    world.remove_body("ball")
    assert (world.body_names, world.joint_names) == (["ground", "box"], [])
    assert world.step(20).status == "solved"
    assert pickle.loads(pickle.dumps(world)).state_hash == world.state_hash


def test_poses_momenta_and_motions_are_set() -> None:
    world = stiction.World(table())
    world.set_pose("box", position=(0, 0, 1))
    assert world.positions[1].tolist() == [0, 0, 1]
    half = np.sqrt(0.5)
    world.set_pose("box", orientation=(0, 0, half, half))
    assert np.allclose(world.orientations[1], (0, 0, half, half), atol=1e-15)
    world.apply_impulse("box", (0, 2, 0))
    assert world.velocities[1, :3].tolist() == [0, 2, 0]
    world.add_box("lift", size=(1, 1, 0.1), kind="kinematic", position=(5, 0, 0.5))
    world.prescribe("lift", {"slide": {"amplitude": (0, 0, 0.1), "rate": 3.0}})
    world.step(10)
    assert world.positions[2, 2] == pytest.approx(0.5 + 0.1 * np.sin(3.0 * world.time), abs=1e-12)
    twin = pickle.loads(pickle.dumps(world))
    world.step(10)
    twin.step(10)
    assert twin.state_hash == world.state_hash
    world.prescribe("lift", None)
    world.keep_apart("box", "ground")
    world.step(1000)
    assert world.positions[1, 2] < -0.5


def test_rays_and_distances() -> None:
    world = stiction.World(table())
    hit = world.cast_ray((0, 0, 5), (0, 0, -2))
    assert hit is not None
    assert (hit.body, hit.normal.tolist()) == ("box", [0, 0, 1])
    assert hit.distance == pytest.approx(4.8)
    ground = world.cast_ray((0, 0, 5), (0, 0, -1), among=["ground"])
    assert ground is not None
    assert ground.body == "ground"
    assert world.cast_ray((0, 0, 5), (0, 0, -1), 1.0) is None
    world.set_pose("box", position=(0, 0, 0.3))
    apart = world.distance("box", "ground")
    assert apart is not None
    assert apart.distance == pytest.approx(0.2)
    near = world.distance_to_point("box", (0, 0, 1))
    assert near is not None
    assert near.distance == pytest.approx(0.6)
    assert near.point == pytest.approx([0, 0, 0.4])


def test_joints_are_read_and_set_by_name() -> None:
    scene = stiction.Scene()
    scene.add_ball("post", 0.01, kind="fixed", groups=[])
    scene.add_box("arm", size=(0.4, 0.05, 0.05), mass=1, position=(0.2, 0, 0), groups=[])
    scene.add_joint("shoulder", "revolute", "arm", "post", position=(0, 0, 0), axis=(0, 1, 0), limits=(-1.5, 1.5))
    world = stiction.World(scene)
    shoulder = world.joints["shoulder"]
    assert (shoulder.kind, shoulder.bodies, shoulder.limit) == ("revolute", ("arm", "post"), (-1.5, 1.5))
    shoulder.position = 0.3
    shoulder.velocity = -0.1
    assert (world.q[0], world.v[0]) == (pytest.approx(0.3), pytest.approx(-0.1))
    shoulder.motor = {"target": 0.5, "stiffness": 1e4, "damping": 100.0}
    world.step(1000)
    assert shoulder.position == pytest.approx(0.5, abs=1e-3)
    # The motor holds the arm's weight at half its length.
    assert shoulder.force == pytest.approx(-9.81 * 0.2 * np.cos(shoulder.position), rel=1e-6)
    shoulder.limit = (-0.6, 0.6)
    shoulder.motor = None
    twin = pickle.loads(pickle.dumps(world))
    for each in (world, twin):
        each.step(2000)
        assert each.joints["shoulder"].position == pytest.approx(0.6, abs=1e-6)
    assert twin.state_hash == world.state_hash
    assert "knee" not in world.joints
    assert len(world.joints) == 1


def test_contacts_are_arrays_and_records() -> None:
    world = stiction.World(table())
    world.apply("box", (3.0, 0, 0))
    world.step(10)
    contacts = world.contacts
    assert contacts.state == [stiction.ContactState.STICKING] * 4 == ["sticking"] * 4
    for k, contact in enumerate(contacts):
        assert contact == contacts[k]
        assert {contact.a, contact.b} == {"ground", "box"}
        assert contact.force.tolist() == contacts.force[k].tolist()
        assert contact.share == pytest.approx(np.linalg.norm(contact.friction_force) / (0.5 * contact.normal_force))
        assert not contact.unique
        assert contact.state is stiction.ContactState.STICKING
    assert contacts[-1] == contacts[3]
    with pytest.raises(IndexError, match="must be below 4, found 4"):
        contacts[4]
    sign = 1.0 if contacts[0].a == "box" else -1.0
    assert sign * contacts.force.sum(axis=0) == pytest.approx([-3.0, 0, 9.81])
    world.apply("box", (8.0, 0, 0))
    world.step(10)
    assert world.contacts.state == [stiction.ContactState.SLIDING] * 4
    assert world.contacts.share == pytest.approx(np.ones(4))
    assert sign * world.contacts.slip[0][0] > 0


def test_the_steps_own_problem_is_solved_again_to_the_same_answer() -> None:
    world = stiction.World(table())
    world.apply("box", (2.0, 1.0, 0))
    world.step(5)
    problem, solution = world.problem(), world.solution()
    assert solution.status == "solved"
    assert problem.jacobian.shape == (4, 3, 6)
    again = stiction.ContactProblem.from_arrays(
        problem.mass,
        problem.v_free,
        problem.jacobian,
        problem.mu,
        bias=problem.bias,
        joints=problem.joints,
        joint_bias=problem.joint_bias,
    )
    assert again.jacobian.tobytes() == problem.jacobian.tobytes()
    found = stiction.solve(again)
    assert found.velocity == pytest.approx(solution.velocity, abs=1e-12)
    force = solution.normal_impulse.sum() / world.solved_length
    assert force == pytest.approx(world.contacts.normal_force.sum(), rel=1e-12)
    # v = v_free + M^-1 J^T p: the rows are those of the motion.
    impulses = np.column_stack([solution.normal_impulse, solution.friction_impulse])
    push = np.einsum("nkd,nk->d", problem.jacobian, impulses)
    assert solution.velocity == pytest.approx(problem.v_free + np.linalg.solve(problem.mass[0], push), abs=1e-12)
    assert solution.velocities is not None
    assert solution.velocities.shape == (1, 6)


def test_a_number_stands_for_all_contacts() -> None:
    world = stiction.World(table())
    world.step()
    p = world.problem()
    each = stiction.ContactProblem.from_arrays(p.mass, p.v_free, p.jacobian, [0.3] * 4, restitution=[0.1] * 4)
    all_alike = stiction.ContactProblem.from_arrays(p.mass, p.v_free, p.jacobian, 0.3, restitution=0.1)
    assert each.mu.tobytes() == all_alike.mu.tobytes()
    assert each.restitution.tobytes() == all_alike.restitution.tobytes()
    local = stiction.ContactProblem.from_local(np.eye(3), [-1.0, 0.5, 0], 0.4)
    assert local.mu.tolist() == [0.4]


def test_printing_shows_numbers() -> None:
    world = stiction.World(table())
    report = world.step(3)
    assert "newton_cone" in str(report)
    text = str(world.solution())
    assert "solved" in text
    assert "0.0024525" in text
    lines = str(world.contacts).splitlines()
    assert len(lines) == 6
    assert "sticking" in lines[-1]
    assert "2.4525" in lines[-1]
    assert report.methods == ["newton_cone"]
    assert (report.substeps, report.fallbacks) == (3, 0)


def test_actuators_follow_their_controls_and_sensors_read() -> None:
    scene = stiction.Scene()
    scene.add_ball("post", 0.01, kind="fixed", groups=[])
    scene.add_box("arm", size=(0.4, 0.05, 0.05), mass=1, position=(0.2, 0, 0), groups=[])
    scene.add_joint("shoulder", "revolute", "arm", "post", position=(0, 0, 0), axis=(0, 1, 0), armature=0.01)
    scene.add_actuator("servo", "shoulder", "position", kp=1000.0, kv=50.0, ctrl_range=(-1, 1), ctrl=0.2)
    scene.add_sensor("angle", "jointpos", joint="shoulder")
    scene.add_sensor("tip", "framepos", body="arm", position=(0.4, 0, 0))
    world = stiction.World(scene)
    assert world.actuator_names == ["servo"]
    assert world.actuators[0].gain.tolist() == [1000.0, 0.0, 0.0]
    assert world.ctrl.tolist() == [0.2]
    world.ctrl = [0.5]
    world.step(2000).raise_for_status()
    angle = world.sensor("angle")
    assert angle == world.q[0] == world.sensor_values[0]
    # The servo holds the weight with the error that its stiffness allows.
    assert 1000.0 * (0.5 - angle) == pytest.approx(-9.81 * 0.2 * np.cos(angle), rel=1e-6)
    assert world.actuator_force("servo") == pytest.approx(world.actuator_forces[0])
    assert world.sensor("tip") == pytest.approx([0.4 * np.cos(angle), 0, -0.4 * np.sin(angle)])
    world.add_actuator("helper", "shoulder", "motor")
    world.ctrl = [0.5, -1.0]
    twin = pickle.loads(pickle.dumps(world))
    twin.step(10)
    world.step(10)
    assert twin.state_hash == world.state_hash
    assert twin.ctrl.tolist() == [0.5, -1.0]


def test_controls_of_rollouts_are_those_of_the_world() -> None:
    scene = stiction.Scene()
    scene.add_ball("post", 0.01, kind="fixed", groups=[])
    scene.add_box("arm", size=(0.4, 0.05, 0.05), mass=1, position=(0.2, 0, 0), groups=[])
    scene.add_joint("shoulder", "revolute", "arm", "post", position=(0, 0, 0), axis=(0, 1, 0))
    scene.add_actuator("drive", "shoulder")
    scene.add_sensor("angle", "jointpos", joint="shoulder")
    world = stiction.World(scene)
    controls = np.random.default_rng(1).uniform(-3, 3, (3, 20, 1))
    found = stiction.rollout(world, controls, substeps=5)
    together = stiction.VectorWorld(world, 3)
    assert together.nu == 1
    for b in range(3):
        alone = world.copy()
        for t in range(20):
            alone.ctrl = controls[b, t]
            alone.step(5)
            assert found.states[b, t].tobytes() == alone.state.tobytes()
            assert found.sensors[b, t].tobytes() == alone.sensor_values.tobytes()
    for t in range(20):
        together.step(controls[:, t], substeps=5)
    assert together.state_hashes == found.state_hashes
    assert together.sensors.tobytes() == np.ascontiguousarray(found.sensors[:, -1]).tobytes()


def test_dynamics_in_joint_coordinates() -> None:
    scene = stiction.Scene(friction=0.5)
    scene.add_plane()
    scene.add_box("base", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    scene.add_box("arm", size=(0.4, 0.05, 0.05), mass=0.5, position=(0.2, 0, 0.3))
    scene.add_joint("hinge", "revolute", "arm", "base", position=(0, 0, 0.3), axis=(0, 1, 0), friction=5.0)
    world = stiction.World(scene)
    world.set_velocity("base", (0.1, 0.2, 0), (0, 0, 0.3))
    world.joints["hinge"].velocity = 0.7
    u, mass = world.generalized_velocity, world.mass_matrix()
    assert world.nv == len(u) == 7
    assert mass.shape == (7, 7)
    assert np.linalg.eigvalsh(mass).min() > 0
    # The Jacobian gives the bodies' own velocities, and the mass matrix their energy.
    for k, name in enumerate(world.body_names[1:], start=1):
        assert world.jacobian(name) @ u == pytest.approx(world.velocities[k], abs=1e-12)
    # Forces for no acceleration are the bias.
    assert world.inverse_dynamics(np.zeros(7)) == pytest.approx(world.bias_force(), abs=1e-12)
    a = np.arange(7.0)
    assert world.inverse_dynamics(a) == pytest.approx(mass @ a + world.bias_force(), abs=1e-9)
    world.step(500).raise_for_status()
    rows = world.contact_jacobian()
    assert rows.shape == (len(world.contacts), 3, 7)
    assert np.abs(world.velocities).max() < 1e-9
    # At rest the forces of contacts and of the hinge carry the weight: J^T f = bias.
    solution, n = world.solution(), len(world.contacts)
    impulses = np.column_stack([solution.normal_impulse[:n], solution.friction_impulse[:n]])
    push = np.einsum("nkd,nk->d", rows, impulses / world.solved_length)
    hinge = world.joints["hinge"].force
    assert hinge is not None
    push[0] += hinge
    assert push == pytest.approx(world.bias_force(), abs=1e-7)


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="rod">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
</robot>
"""
MJCF = """<mujoco>
  <worldbody>
    <body name="rod" pos="0 0 1">
      <joint name="hinge" type="hinge" axis="0 1 0" range="-60 60" damping="0.1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="hinge" kp="50" kv="5"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>
"""


def test_robots_are_read_from_their_files(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.xml").write_text(MJCF)
    scene = stiction.Scene(friction=0.5, folder=tmp_path)
    scene.add_plane(position=(0, 0, -5))
    scene.add_urdf("arm.urdf", fixed_base=True, prefix="u_", motor={"stiffness": 100.0, "damping": 10.0})
    scene.add_mjcf("arm.xml", prefix="m_", position=(2, 0, 0))
    # A body on a link of a robot, and a sensor of its joint.
    scene.add_ball("hand", 0.05, mass=0.1, position=(0, 0, 0), groups=[])
    scene.add_joint("grip", "fixed", "hand", "u_rod", position=(0, 0, 0))
    scene.add_sensor("u_angle", "jointpos", joint="u_hinge")
    world = stiction.World(scene)
    assert {"u_hinge", "m_hinge", "grip"} <= set(world.joint_names)
    assert world.actuator_names == ["m_servo"]
    assert world.joints["u_hinge"].limit == (-1, 1)
    assert world.joints["m_hinge"].limit == pytest.approx((-np.pi / 3, np.pi / 3))
    world.ctrl = [0.4]
    world.step(2000).raise_for_status()
    assert world.sensor("m_angle") == pytest.approx(world.joints["m_hinge"].position)
    # kp (u - q) holds the rod's weight.
    q = world.joints["m_hinge"].position
    assert 50 * (0.4 - q) == pytest.approx(-0.5 * 9.81 * 0.15 * np.cos(q), rel=1e-3)
    twin = pickle.loads(pickle.dumps(world))
    assert twin.state_hash == world.state_hash
    assert stiction.World(stiction.Scene.parse(scene.to_toml(), tmp_path)).body_names == world.body_names


def test_robots_join_a_world_that_runs(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    scene = stiction.Scene(friction=0.5, folder=tmp_path)
    scene.add_plane(position=(0, 0, -5))
    scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    world = stiction.World(scene)
    world.step(10)
    world.add_urdf(tmp_path / "arm.urdf", fixed_base=True, position=(3, 0, 0))
    world.add_sensor("angle", "jointpos", joint="hinge")
    world.joints["hinge"].position = 0.5
    assert world.sensor("angle") == pytest.approx(0.5)
    assert world.step(10).status == "solved"
    twin = pickle.loads(pickle.dumps(world))
    twin.step(10)
    world.step(10)
    assert twin.state_hash == world.state_hash


ARM = """<mujoco model="arm"><compiler fusestatic="false"/><worldbody><body name="arm"><joint name="arm" axis="0 1 0"/>
<geom size="0.1" pos="1 0 0" rgba="1 0 0 1"/></body></worldbody>
<actuator><motor name="motor" joint="arm" gear="2" ctrlrange="-1 1"/><position name="servo" joint="arm" kp="3"/></actuator></mujoco>"""


def test_actuators_by_name(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    scene = stiction.Scene(folder=tmp_path)
    scene.add_mjcf("arm.xml")
    world = stiction.World(scene)
    world.actuators["servo"].ctrl = 0.5
    assert world.ctrl.tolist() == [0.0, 0.5]
    servo = world.actuators["servo"]
    assert (servo.name, servo.kind, servo.joint, servo.gear, servo.ctrl) == ("servo", "position", "arm", 1.0, 0.5)
    assert servo.force == world.actuator_force("servo") == 1.5
    assert world.actuators[0].ctrl_range == (-1.0, 1.0) and world.actuators[-1].name == "servo"
    assert [actuator.name for actuator in world.actuators] == world.actuators.keys() == world.actuator_names
    assert "servo" in world.actuators and "srvo" not in world.actuators and len(world.actuators) == 2
    assert [name for name, _ in world.actuators.items()] == [one.name for one in world.actuators.values()]
    with pytest.raises(stiction.InputError, match="actuator: must be the name of an actuator, found 'srvo'.*servo"):
        world.actuators["srvo"]
    with pytest.raises(IndexError, match="must have an index below 2, found 2"):
        world.actuators[2]
    with pytest.raises(stiction.InputError, match="ctrl: must be finite"):
        servo.ctrl = float("nan")


def test_import_report(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    report = stiction.import_report(tmp_path / "arm.xml")
    assert (report.name, report.format, report.bodies, report.coordinates, report.actuators) == ("arm", "MJCF", 1, 1, 2)
    taken = {"actuator motor": 1, "actuator position": 1, "body": 1, "geom sphere": 1, "joint hinge": 1}
    assert report.taken == taken
    assert report.ignored == {"compiler.fusestatic": 1, "geom.rgba": 1}
    assert report.changed == {"no ground: a plane is added": 1}
    assert abs(report.mass - 1000 * 4 / 3 * np.pi * 1e-3) < 1e-12 and report.warnings == []
    assert pickle.loads(pickle.dumps(report)) == report
    with pytest.raises(stiction.InputError, match="must be a robot in MJCF or URDF"):
        (tmp_path / "other.xml").write_text("<sdf/>")
        stiction.import_report(tmp_path / "other.xml")


def robot(path: Path, text: str) -> stiction.World:
    (path / "robot.xml").write_text(text)
    scene = stiction.Scene(folder=path)
    scene.add_mjcf("robot.xml")
    return stiction.World(scene)


RIG = """<mujoco><option gravity="0 0 -1.62"/><worldbody><body name="arm" pos="0 0 1"><joint name="w" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><body name="tool" pos="0.3 0 0"><geom size="0.02"/></body></body></worldbody>
    <actuator><position name="servo" joint="w" kp="20" kv="3"/></actuator></mujoco>"""


def test_coordinates_of_a_robot_keep_their_turns(tmp_path: Path) -> None:
    world = robot(tmp_path, RIG)
    world.q = [4.5]
    assert world.q[0] == pytest.approx(4.5)
    world.joints["w"].position = -7.0
    assert world.joints["w"].position == pytest.approx(-7.0)
    copy = world.copy()
    copy.load(world.save())
    assert copy.q[0] == world.q[0] and copy.state_hash == world.state_hash


def test_gravity_is_that_of_the_robots_file(tmp_path: Path) -> None:
    world = robot(tmp_path, RIG)
    assert list(world.gravity) == [0, 0, -1.62]
    assert any("taken: option.gravity" in note for note in world.notes)


def test_frames_of_robots_are_named_where_a_body_is_asked_for(tmp_path: Path) -> None:
    world = robot(tmp_path, RIG)
    place, _ = world.frame("tool")
    assert np.array_equal(world.jacobian("tool"), world.jacobian("arm", place))
    with pytest.raises(stiction.InputError, match="found 'tool', a frame of the body 'arm'"):
        world.apply("tool", [0, 0, 1])


def test_a_robots_file_is_no_scene_file(tmp_path: Path) -> None:
    robot(tmp_path, RIG)
    with pytest.raises(stiction.InputError, match="must be a scene in TOML, found a robot's file.*Scene.add_mjcf"):
        stiction.World.read(tmp_path / "robot.xml")
