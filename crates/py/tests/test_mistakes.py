"""Natural mistakes, and what is said to them: every line is kept as it is printed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import stiction


def arm() -> stiction.Scene:
    scene = stiction.Scene(friction=0.5, density=1000)
    scene.add_plane()
    scene.add_box("base", size=(0.2, 0.2, 0.2), kind="fixed", position=(0, 0, 0.1))
    scene.add_box("arm", size=(0.4, 0.05, 0.05), mass=1, position=(0.2, 0, 0.5))
    scene.add_joint("elbow", "revolute", "arm", "base", position=(0, 0, 0.5), axis=(0, 1, 0))
    scene.add_actuator("servo", "elbow", "position", kp=100.0)
    return scene


def fixed_pair() -> stiction.Scene:
    scene = arm()
    scene.add_ball("post", 0.1, kind="fixed", position=(1, 0, 0))
    return scene


def world() -> stiction.World:
    return stiction.World(arm())


def setting(name: str, value: object) -> Callable[[], object]:
    return lambda: setattr(world(), name, value)


def joint(name: str, value: object) -> Callable[[], object]:
    return lambda: setattr(world().joints["elbow"], name, value)


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "two sides of a box": (
        lambda: arm().add_box("b", size=(0.1, 0.2)),
        "add_box('b'): size: must have 3 entries, found 2",
    ),
    "a negative side": (
        lambda: arm().add_box("b", size=(0.1, -0.2, 0.1)),
        "add_box('b'): size[1]: must be positive, found -0.2",
    ),
    "a radius in words": (
        lambda: arm().add_ball("b", radius="big"),  # type: ignore[arg-type]
        "add_ball('b'): radius: must be a number, found \"big\"",
    ),
    "a body as its own name": (
        lambda: arm().add_box(3, size=(1, 1, 1)),  # type: ignore[arg-type]
        "add_box(3): name: must be a text, found 3",
    ),
    "a name twice": (
        lambda: arm().add_box("arm", size=(1, 1, 1)),
        "add_box('arm'): name: must be the name of one body only, found 'arm'",
    ),
    "no mass": (
        lambda: arm().add_ball("b", 0.1, mass=0.0),
        "add_ball('b'): mass: must be positive, found 0.0",
    ),
    "mass and density": (
        lambda: arm().add_ball("b", 0.1, mass=1.0, density=100.0),
        "add_ball('b'): mass: must not be given beside density, found 1.0",
    ),
    "negative friction": (
        lambda: arm().add_ball("b", 0.1, friction=-0.5),
        "add_ball('b'): friction: must not be negative or nan, found -0.5",
    ),
    "colour": (
        lambda: arm().add_ball("b", 0.1, positon=(0, 0, 1)),  # type: ignore[call-arg]
        "add_ball('b'): positon: must be one of " + ", ".join(stiction.BodyOptions.__annotations__) + ", "
        "found 'positon'; did you mean position?",
    ),
    "Euler angles for a quaternion": (
        lambda: arm().add_ball("b", 0.1, orientation=(0, 0, 90)),
        "add_ball('b'): orientation: must have 4 entries, found 3 (a quaternion x, y, z, w, or a dict with axis and degrees)",
    ),
    "a quaternion of length 2": (
        lambda: arm().add_ball("b", 0.1, orientation=(0, 0, 0, 2)),
        "add_ball('b'): orientation: must have length 1 to 1e-6, found length 2",
    ),
    "a material that is not there": (
        lambda: arm().add_ball("b", 0.1, material="rubber"),
        "add_ball('b'): material: must be the name of a material, found \"rubber\"",
    ),
    "a missing mesh": (
        lambda: arm().add_mesh("b", "bunny.stl"),
        "add_mesh('b'): file: must be a file, found nothing of the name bunny.stl",
    ),
    "a mesh elsewhere": (
        lambda: arm().add_mesh("b", "../bunny.stl"),
        "add_mesh('b'): file: must be a path below the scene's folder, found ../bunny.stl",
    ),
    "a joint to a body that is not there": (
        lambda: arm().add_joint("j", "revolute", "arm", "bas", position=(0, 0, 0)),
        "add_joint('j'): b: must be the name of a body, found 'bas'; did you mean base?",
    ),
    "a hinge": (
        lambda: arm().add_joint("j", "hinge", "arm", "base", position=(0, 0, 0)),
        "add_joint('j'): kind: must be one of revolute, prismatic, spherical, fixed, planar, distance, gear, rope, "
        'found "hinge"',
    ),
    "a joint without a place": (
        lambda: arm().add_joint("j", "revolute", "arm", "base"),
        "add_joint('j'): position: must be given, found nothing",
    ),
    "limits in degrees": (
        lambda: arm().add_joint("j", "revolute", "arm", "base", position=(0, 0, 0), limits=(-90, 90)),
        "add_joint('j'): limits: must lie within 10 turns, -20 pi and 20 pi, found [-90, 90] "
        "(angles are in radians: -90 degrees are -1.571)",
    ),
    "an axis of length 2": (
        lambda: arm().add_joint("j", "revolute", "arm", "base", position=(0, 0, 0), axis=(0, 0, 2)),
        "add_joint('j'): axis: must have length 1 to 1e-6, found [0, 0, 2] of length 2",
    ),
    "an actuator of a joint that is not there": (
        lambda: arm().add_actuator("a", "elbo"),
        "add_actuator('a'): joint: must be the name of a joint with one coordinate, found \"elbo\"; did you mean elbow?",
    ),
    "an unknown kind of actuator": (
        lambda: arm().add_actuator("a", "elbow", "servo"),
        "add_actuator('a'): kind: must be one of motor, position, velocity, general, found \"servo\"",
    ),
    "too many controls": (setting("ctrl", [1.0, 2.0]), "ctrl: must have shape (1,), found (2,)"),
    "a control that is not a number": (setting("ctrl", [np.nan]), "ctrl[0]: must be finite, found NaN"),
    "one coordinate too many": (setting("q", [0.0, 0.0]), "q: must have shape (1,), found (2,)"),
    "an angle in degrees": (
        joint("position", 90),
        "position: must lie within 10 turns, -20 pi and 20 pi, found 90 (angles are in radians: 90 degrees are 1.5708)",
    ),
    "a target in degrees": (
        lambda: world().set_motor("elbow", target=90.0, stiffness=10.0),
        "target: must lie within 10 turns, -20 pi and 20 pi, found 90 (angles are in radians: 90 degrees are 1.5708)",
    ),
    "limits that shut the joint out": (
        joint("limit", (0.5, 1.0)),
        "joints[0].limits: must have the coordinate between them, found 0",
    ),
    "a joint that is not there": (
        lambda: world().joints["ellbow"],
        "joint: must be the name of a joint, found 'ellbow'; did you mean elbow?",
    ),
    "a body that is not there": (
        lambda: world().apply("Arm", (0, 0, 1)),
        "body: must be the name of a body, found 'Arm'; did you mean arm?",
    ),
    "a force of two numbers": (lambda: world().apply("arm", (0, 1)), "force: must have shape (3,), found (2,)"),
    "an index for a name": (lambda: world().apply(1, (0, 0, 1)), "body: must be the name of a body, found 1"),  # type: ignore[arg-type]
    "a world of a path": (
        lambda: stiction.World("scene.toml"),  # type: ignore[arg-type]
        "scene: must be a Scene (World.parse takes a scene's text, World.read a scene file), found 'scene.toml'",
    ),
    "a ray without direction": (lambda: world().cast_ray((0, 0, 1), (0, 0, 0)), "direction: must not be zero, found (0, 0, 0)"),
    "a time for a number of steps": (
        lambda: world().step(0.5),  # type: ignore[arg-type]
        "steps: must be a whole number from 0, below 2**64, found 0.5 (a step lasts world.dt; Scene(dt=...) sets it)",
    ),
    "a joint between fixed bodies": (
        lambda: fixed_pair().add_joint("j", "revolute", "post", "base", position=(0, 0, 0)),
        "add_joint('j'): b: must be a dynamic body, since a is not one, found \"base\"",
    ),
    "a matrix of another size": (
        lambda: stiction.solve_lcp([[1, 0], [0, 1]], [1]),
        "M: must have shape (1, 1), as q has 1 entries, found (2, 2)",
    ),
    "controls without time": (
        lambda: stiction.rollout(world(), np.zeros((8, 1))),
        "controls: must have shape (B, T, nu), found (8, 1)",
    ),
    "controls of another robot": (
        lambda: stiction.rollout(world(), np.zeros((8, 5, 2))),
        "controls: must have shape (8, 5, 1), found (8, 5, 2)",
    ),
    "gravity as a number": (
        lambda: stiction.Scene(gravity=-9.81),
        "Scene: gravity: must be a list, found -9.81",
    ),
    "a time step of a minute": (
        lambda: stiction.Scene(dt=-0.001),
        "Scene: dt: must be positive, found -0.001",
    ),
    "an unknown law": (
        lambda: stiction.Scene(law="columb"),
        'Scene: law: must be one of frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous, found "columb"; '
        "did you mean coulomb?",
    ),
    "a robot that is not there": (
        lambda: arm().add_urdf("robot.urdf"),
        "add_urdf('robot.urdf'): file: robot.urdf: must be a file, found nothing of the name robot.urdf",
    ),
    "an absolute path elsewhere": (
        lambda: stiction.Scene(folder="/usr").add_urdf("/tmp/robot.urdf"),
        "add_urdf('/tmp/robot.urdf'): file: must be below the scene's folder /usr (Scene(folder=...)), found /tmp/robot.urdf",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_said(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, text = MISTAKES[name]
    with pytest.raises(stiction.InputError) as caught:
        call()
    assert str(caught.value) == text
    path = caught.value.path
    assert path
    assert f"{path}: " in text


def test_there_are_thirty() -> None:
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("qpos", "; it has world.q"),
        ("xpos", "; it has world.positions"),
        ("bodies", "; it has world.body_names"),
        ("veloctities", "; did you mean velocities?"),
        ("frobnicate", ""),
    ],
)
def test_names_of_mujoco_are_answered(name: str, said: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(world(), name)
    assert str(error.value) == f"'World' object has no attribute {name!r}{said}"
    assert not hasattr(world(), name)


def test_a_missing_argument_names_the_scene() -> None:
    with pytest.raises(TypeError) as error:
        arm().add_box("b", half_size=(1, 1, 1))  # type: ignore[call-arg]
    assert str(error.value) == "Scene.add_box() missing 1 required positional argument: 'size'"


ARM_IN_MJCF = """<mujoco><worldbody><body name="b"><joint name="a"/><geom size=".1"/><site name="s"/></body></worldbody>
<actuator><motor site="s"/></actuator><keyframe><key name="home" qpos="0"/></keyframe></mujoco>"""


def test_a_keyframe_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM_IN_MJCF)
    scene = stiction.Scene(folder=tmp_path)
    with pytest.raises(stiction.InputError) as error:
        scene.add_mjcf("arm.xml", keyframe="stand")
    assert str(error.value) == (
        "add_mjcf('arm.xml'): keyframe: must be the name or the number of a keyframe of the model (home), found \"stand\""
    )


def test_an_actuator_that_is_ignored_is_doubted(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM_IN_MJCF)
    scene = stiction.Scene(folder=tmp_path)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        scene.add_mjcf("arm.xml")
        found = stiction.World(scene)
    assert len(said) == 1, [str(one.message) for one in said]
    assert "arm.xml: has actuators that are ignored: they have no control (the notes name them), found 1" in str(said[0].message)
    assert any("actuator motor on" in note for note in found.notes), found.notes


def test_a_quaternion_with_w_first_is_doubted() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        arm().add_ball("b", 0.1, orientation=(1, 0, 0, 0))
    assert [str(warning.message) for warning in said] == [
        "add_ball('b'): orientation: is half a turn about x, as quaternions are x, y, z, w; no turn is (0, 0, 0, 1)"
    ]
    assert said[0].category is stiction.SceneWarning
    assert said[0].filename == __file__


def test_a_wrong_call_changes_nothing() -> None:
    scene, running = arm(), world()
    before, hash_before = scene.to_toml(), running.state_hash
    for add in (scene.add_box, running.add_box):
        with pytest.raises(stiction.InputError):
            add("b", size=(0.1, -0.2, 0.1))
    assert scene.to_toml() == before
    assert running.state_hash == hash_before
    assert running.body_names == ["ground", "base", "arm"]
