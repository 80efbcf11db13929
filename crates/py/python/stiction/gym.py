"""Gymnasium environments whose contacts are exact: peg in hole, grasp and shake, pushing a box, a quadruped. Needs `pip install stiction[gym]`.

>>> import gymnasium, stiction.gym
>>> env = gymnasium.make("stiction/PegInHole-v0")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> worlds = gymnasium.make_vec("stiction/PegInHole-v0", num_envs=16)
>>> worlds.reset(seed=1)[0].shape
(16, 10)

Each is a Task, which says in arrays what the world is, what is seen, and what is rewarded; `Environment` steps one world of it, `VectorEnvironment` many at once, on several threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ._stiction import World
from .rollouts import BODY, VectorWorld
from .scene import Scene
from .types import Floats

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError:  # pragma: no cover
    raise ImportError("stiction.gym needs gymnasium: pip install stiction[gym]") from None

__all__ = [
    "Environment",
    "GraspLiftShake",
    "PegInHole",
    "PushBox",
    "QuadrupedWalk",
    "Task",
    "VectorEnvironment",
    "make_env",
    "make_vector_env",
]


class Task:
    """What a world is, what an agent sees of it, and what is rewarded; all in arrays over B worlds."""

    name: ClassVar[str]
    """Name of the environment."""
    substeps: ClassVar[int] = 10
    """Steps of the world in one step of the environment."""
    length: ClassVar[int] = 100
    """Steps of an episode."""
    actions: ClassVar[int]
    """Numbers of an action, each from -1 to 1."""
    observations: ClassVar[int]
    """Numbers of an observation."""
    goals: ClassVar[int] = 0
    """Numbers that an episode has besides the state, such as where a target is."""
    pushed: ClassVar[Sequence[str]] = ()
    """Bodies that `pushes` acts on."""

    def __init__(self) -> None:
        self.world = World(self.scene())
        self.start: Floats = self.world.state
        self.index = {name: k * BODY for k, name in enumerate(self.world.moving_names)}

    def scene(self) -> Scene:
        """The scene."""
        raise NotImplementedError

    def initial(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        """States and goals at the start of `count` episodes: (count, nx) and (count, goals)."""
        raise NotImplementedError

    def controls(self, actions: Floats) -> Floats:
        """Controls for actions (B, actions): (B, nu)."""
        raise NotImplementedError

    def pushes(self, rng: np.random.Generator, age: np.ndarray[Any, np.dtype[np.int64]]) -> Floats | None:
        """Forces and torques on the bodies `pushed` at the ages (B,) of the episodes: (B, k, 6), or None."""
        return None

    def observe(self, worlds: VectorWorld, goals: Floats) -> Floats:
        """What agents see: (B, observations)."""
        raise NotImplementedError

    def judge(
        self, worlds: VectorWorld, goals: Floats, actions: Floats
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
        """Rewards (B,), and whether episodes have come to their end (B,)."""
        raise NotImplementedError

    def part(self, worlds: VectorWorld, body: str, first: int, count: int) -> Floats:
        """Some of the 13 numbers of a body: position 0 to 2, quaternion 3 to 6, velocity 7 to 9, spin 10 to 12; (B, count)."""
        at = self.index[body] + first
        return worlds.state[:, at : at + count]

    def shifted(self, count: int, offsets: dict[str, Floats]) -> Floats:
        """States at the start, with bodies moved by (count, 3)."""
        states = np.tile(self.start, (count, 1))
        for body, offset in offsets.items():
            states[:, self.index[body] : self.index[body] + 3] += offset
        return states


def gantry(scene: Scene, axes: str, at: tuple[float, float, float], tool: Callable[[], str]) -> None:
    """Slides along `axes` that carry a tool, each with a servo of velocity."""
    scene.add_ball("frame", 0.01, kind="fixed", position=at, groups=[])
    below = "frame"
    directions = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    for k, axis in enumerate(axes):
        if k + 1 < len(axes):
            name = f"carriage_{axis}"
            scene.add_ball(name, 0.01, mass=0.2, position=at, groups=[])
        else:
            name = tool()
        scene.add_joint(f"slide_{axis}", "prismatic", name, below, position=at, axis=directions[axis])
        scene.add_actuator(f"drive_{axis}", f"slide_{axis}", "velocity", kv=200.0, force_range=(-40, 40))
        below = name


class PegInHole(Task):
    """A peg on a compliant wrist is put into a hole with a clearance of 1 mm.

    Action: velocity along x, y, z. Seen: place of the peg's tip against the hole's bottom, velocity, tilt and its rate, contact force. Reward: less the tip's distance from the bottom for each
    step, and 50 once the peg is in, which ends the episode.
    """

    name = "PegInHole"
    actions = 3
    observations = 10
    RADIUS, LENGTH, CLEARANCE, DEPTH = 0.02, 0.1, 0.001, 0.04

    def scene(self) -> Scene:
        scene = Scene(friction=0.3, density=1000, dt=0.002)
        wall, half = 0.04, self.RADIUS + self.CLEARANCE
        parts = []
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            size = (wall, 2 * (half + wall), self.DEPTH) if x else (2 * half, wall, self.DEPTH)
            place = (x * (half + wall / 2), y * (half + wall / 2), -self.DEPTH / 2)
            parts.append({"box": size, "position": place})
        scene.add_compound("block", parts, kind="fixed")
        height = 0.02 + self.LENGTH / 2

        def wrist() -> str:
            scene.add_ball("wrist", 0.01, mass=0.2, position=(0, 0, height + 0.05), groups=[])
            scene.add_cylinder("peg", self.RADIUS, self.LENGTH, mass=0.2, position=(0, 0, height))
            scene.add_joint(
                "compliance",
                "revolute",
                "peg",
                "wrist",
                position=(0, 0, height + 0.05),
                axis=(0, 1, 0),
                limits=(-0.3, 0.3),
                motor={"target": 0.0, "stiffness": 5.0, "damping": 0.05},
            )
            return "wrist"

        gantry(scene, "xyz", (0, 0, height + 0.05), wrist)
        return scene

    def initial(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        along = np.zeros((count, 3))
        along[:, :2] = rng.uniform(-0.015, 0.015, (count, 2))
        x = along * [1, 0, 0]
        offsets = {"carriage_x": x, "carriage_y": along, "wrist": along, "peg": along}
        return self.shifted(count, offsets), np.zeros((count, 0))

    def controls(self, actions: Floats) -> Floats:
        return 0.1 * actions

    def _tip(self, worlds: VectorWorld) -> Floats:
        """Place of the tip against the bottom of the hole [m], (B, 3)."""
        x, y, z, w = self.part(worlds, "peg", 3, 4).T
        down = -0.5 * self.LENGTH * np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
        return self.part(worlds, "peg", 0, 3) + down + [0, 0, self.DEPTH]

    def observe(self, worlds: VectorWorld, goals: Floats) -> Floats:
        y, w = self.part(worlds, "peg", 4, 1), self.part(worlds, "peg", 6, 1)
        seen = [
            self._tip(worlds) / 0.05,
            self.part(worlds, "wrist", 7, 3) / 0.1,
            2 * np.arctan2(y, w) / 0.1,
            self.part(worlds, "peg", 11, 1),
            np.minimum(worlds.normal_force / 40, 5)[:, None],
            (worlds.contact_count > 0)[:, None],
        ]
        return np.concatenate(seen, axis=1)

    def judge(
        self, worlds: VectorWorld, goals: Floats, actions: Floats
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
        tip = self._tip(worlds)
        inside = tip[:, 2] < 0.2 * self.DEPTH
        across = np.hypot(tip[:, 0], tip[:, 1])
        return 50.0 * inside - 10 * (np.abs(tip[:, 2]) + 2 * across), inside


class PushBox(Task):
    """A finger pushes a box over a table to a target.

    Action: velocity of the finger along x and y. Seen: finger, box (place, heading, velocity), target. Reward: less the box's distance from the target and, less, the finger's from the box;
    20 once the box is within 2 cm, which ends the episode.
    """

    name = "PushBox"
    length = 150
    actions = 2
    observations = 15
    goals = 2

    def scene(self) -> Scene:
        scene = Scene(friction=0.4, density=1000, dt=0.002)
        scene.add_plane("table")
        scene.add_box("box", size=(0.1, 0.1, 0.1), mass=0.5, position=(0, 0, 0.05))

        def finger() -> str:
            scene.add_ball("finger", 0.02, mass=0.3, position=(-0.2, 0, 0.05))
            return "finger"

        gantry(scene, "xy", (-0.2, 0, 0.05), finger)
        return scene

    def initial(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        box = np.zeros((count, 3))
        box[:, :2] = rng.uniform(-0.05, 0.05, (count, 2))
        states = self.shifted(count, {"box": box})
        target = np.column_stack([rng.uniform(0.15, 0.3, count), rng.uniform(-0.1, 0.1, count)])
        return states, target

    def controls(self, actions: Floats) -> Floats:
        return 0.4 * actions

    def observe(self, worlds: VectorWorld, goals: Floats) -> Floats:
        finger, box = self.part(worlds, "finger", 0, 2), self.part(worlds, "box", 0, 2)
        heading = 2 * np.arctan2(self.part(worlds, "box", 5, 1), self.part(worlds, "box", 6, 1))
        seen = [
            finger / 0.2,
            self.part(worlds, "finger", 7, 2) / 0.4,
            box / 0.2,
            np.sin(heading),
            np.cos(heading),
            self.part(worlds, "box", 7, 2) / 0.4,
            self.part(worlds, "box", 12, 1),
            (goals - box) / 0.2,
            (box - finger) / 0.2,
        ]
        return np.concatenate(seen, axis=1)

    def judge(
        self, worlds: VectorWorld, goals: Floats, actions: Floats
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
        finger, box = self.part(worlds, "finger", 0, 2), self.part(worlds, "box", 0, 2)
        far = np.linalg.norm(goals - box, axis=1)
        near = np.linalg.norm(box - finger, axis=1)
        there = far < 0.02
        return 20.0 * there - 2 * far - 0.2 * near, there


class GraspLiftShake(Task):
    """Two fingers grasp a box, lift it, and hold it while it is shaken.

    Action: grip force, and velocity of the hand upwards. Seen: hand, fingers and box. After one second random forces of up to 2 N act on the box. Reward: the box's height up to 15 cm, less a
    little for the grip.
    """

    name = "GraspLiftShake"
    length = 125
    actions = 2
    observations = 15
    pushed = ("box",)
    LIFTED = 0.15

    def scene(self) -> Scene:
        scene = Scene(friction=0.6, density=1000, dt=0.002)
        scene.add_plane("floor")
        scene.add_box("box", size=(0.06, 0.06, 0.06), mass=0.2, position=(0, 0, 0.03))

        def hand() -> str:
            scene.add_ball("hand", 0.01, mass=0.5, position=(0, 0, 0.15), groups=[])
            return "hand"

        gantry(scene, "z", (0, 0, 0.15), hand)
        for side, x in (("left", -0.06), ("right", 0.06)):
            scene.add_box(side, size=(0.02, 0.04, 0.05), mass=0.1, position=(x, 0, 0.04))
            inwards = (-math.copysign(1.0, x), 0, 0)
            scene.add_joint(f"{side}_slide", "prismatic", side, "hand", position=(x, 0, 0.04), axis=inwards)
            scene.add_actuator(f"{side}_grip", f"{side}_slide", "general", gain=(1, 0, 0), bias=(0, 0, -5))
        return scene

    def initial(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        box = np.zeros((count, 3))
        box[:, 0] = rng.uniform(-0.01, 0.01, count)
        box[:, 1] = rng.uniform(-0.005, 0.005, count)
        return self.shifted(count, {"box": box}), np.zeros((count, 0))

    def controls(self, actions: Floats) -> Floats:
        grip = 10.0 * actions[:, 0]
        return np.column_stack([0.2 * actions[:, 1], grip, grip])

    def pushes(self, rng: np.random.Generator, age: np.ndarray[Any, np.dtype[np.int64]]) -> Floats | None:
        forces = np.zeros((len(age), 1, 6))
        forces[:, 0, :3] = rng.uniform(-2, 2, (len(age), 3)) * (age >= 50)[:, None]
        return forces

    def observe(self, worlds: VectorWorld, goals: Floats) -> Floats:
        hand, box = self.part(worlds, "hand", 2, 1), self.part(worlds, "box", 0, 3)
        gaps = [self.part(worlds, side, 0, 1) - box[:, :1] for side in ("left", "right")]
        seen = [
            (hand - 0.15) / 0.1,
            self.part(worlds, "hand", 9, 1) / 0.2,
            box / 0.1,
            self.part(worlds, "box", 7, 3) / 0.2,
            *[gap / 0.05 for gap in gaps],
            *[self.part(worlds, side, 7, 1) / 0.2 for side in ("left", "right")],
            (hand - box[:, 2:] - 0.12) / 0.05,
            np.minimum(worlds.normal_force / 20, 5)[:, None],
            (worlds.contact_count > 4)[:, None],
        ]
        return np.concatenate(seen, axis=1)

    def judge(
        self, worlds: VectorWorld, goals: Floats, actions: Floats
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
        height = np.clip(self.part(worlds, "box", 2, 1)[:, 0] - 0.03, 0, self.LIFTED) / self.LIFTED
        return height - 0.01 * np.abs(actions).sum(axis=1), np.zeros(worlds.count, np.bool_)


class QuadrupedWalk(Task):
    """A robot with four legs of two joints each walks forwards.

    Action: angles of hips and knees about those of standing, for position servos. Seen: attitude and velocities of the trunk, angles and rates of the joints. Reward: speed along x, less effort;
    an episode ends where the trunk falls.
    """

    name = "QuadrupedWalk"
    substeps = 5
    length = 250
    actions = 8
    observations = 11 + 16
    LEGS: ClassVar = {"fl": (0.18, 0.1), "fr": (0.18, -0.1), "hl": (-0.18, 0.1), "hr": (-0.18, -0.1)}
    UPPER, LOWER, FOOT, LEAN = 0.16, 0.16, 0.02, 0.6

    def scene(self) -> Scene:
        scene = Scene(friction=0.8, density=1000, dt=0.004)
        scene.add_plane("ground", groups=list(range(10)))
        reach = (self.UPPER + self.LOWER) * math.cos(self.LEAN) + self.FOOT
        scene.add_box("trunk", size=(0.4, 0.16, 0.08), mass=5.0, position=(0, 0, reach), groups=[0])
        for k, (leg, (x, y)) in enumerate(self.LEGS.items()):
            # The thigh leans back, the shank forwards: the foot stands below the hip.
            knee = (x - self.UPPER * math.sin(self.LEAN), y, reach - self.UPPER * math.cos(self.LEAN))
            foot = (x, y, self.FOOT)
            for part, top, bottom, lean in (("thigh", (x, y, reach), knee, 1), ("shank", knee, foot, -1)):
                scene.add_capsule(
                    f"{leg}_{part}",
                    self.FOOT,
                    self.UPPER,
                    mass=0.4,
                    position=tuple((a + b) / 2 for a, b in zip(top, bottom)),
                    orientation={"axis": (0, 1, 0), "degrees": math.degrees(lean * self.LEAN)},
                    # No part meets another of the robot: each shares a group with the ground alone.
                    groups=[1 + 2 * k + (part == "shank")],
                )
                joint, above = (f"{leg}_hip", "trunk") if part == "thigh" else (f"{leg}_knee", f"{leg}_thigh")
                scene.add_joint(joint, "revolute", f"{leg}_{part}", above, position=top, axis=(0, 1, 0), armature=0.005)
                scene.add_actuator(f"{joint}_servo", joint, "position", kp=60.0, kv=1.5, force_range=(-25, 25))
                scene.add_sensor(f"{joint}_angle", "jointpos", joint=joint)
                scene.add_sensor(f"{joint}_rate", "jointvel", joint=joint)
        return scene

    def initial(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        states = np.tile(self.start, (count, 1))
        # A push in any direction: all parts move alike.
        speed = rng.uniform(-0.1, 0.1, (count, 2))
        for start in self.index.values():
            states[:, start + 7 : start + 9] = speed
        return states, np.zeros((count, 0))

    def controls(self, actions: Floats) -> Floats:
        return 0.5 * actions

    def observe(self, worlds: VectorWorld, goals: Floats) -> Floats:
        readings = worlds.sensors
        seen = [
            self.part(worlds, "trunk", 2, 1) / 0.3 - 1,
            self.part(worlds, "trunk", 3, 4),
            self.part(worlds, "trunk", 7, 3),
            self.part(worlds, "trunk", 10, 3) / 5,
            readings[:, 0::2],
            readings[:, 1::2] / 10,
        ]
        return np.concatenate(seen, axis=1)

    def judge(
        self, worlds: VectorWorld, goals: Floats, actions: Floats
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
        height = self.part(worlds, "trunk", 2, 1)[:, 0]
        x, y = self.part(worlds, "trunk", 3, 1)[:, 0], self.part(worlds, "trunk", 4, 1)[:, 0]
        fallen = (height < 0.15) | (1 - 2 * (x * x + y * y) < 0.6)
        speed = self.part(worlds, "trunk", 7, 1)[:, 0]
        return np.clip(speed, -1, 1) + 0.1 - 0.01 * (actions**2).sum(axis=1) - 2.0 * fallen, fallen


TASKS: dict[str, type[Task]] = {task.name: task for task in (PegInHole, PushBox, GraspLiftShake, QuadrupedWalk)}


class _Episodes:
    """Episodes of a task in many worlds: what one environment and a vector of them have in common."""

    def __init__(self, task: Task, count: int, threads: int | None) -> None:
        self.task = task
        self.worlds = VectorWorld(task.world, count, threads=threads)
        self.goals = np.zeros((count, task.goals))
        self.age = np.zeros(count, np.int64)

    def begin(self, which: np.ndarray[Any, np.dtype[np.bool_]], rng: np.random.Generator) -> None:
        states, goals = self.task.initial(rng, int(which.sum()))
        self.worlds.reset(which, states)
        self.goals[which], self.age[which] = goals, 0

    def observe(self) -> Floats:
        return np.clip(self.task.observe(self.worlds, self.goals), -10.0, 10.0)

    def step(
        self, actions: Floats, rng: np.random.Generator
    ) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]], np.ndarray[Any, np.dtype[np.bool_]]]:
        """Rewards, ends by the task, ends by length or by a step without answer."""
        task = self.task
        actions = np.clip(np.asarray(actions, dtype=np.float64), -1.0, 1.0)
        pushes = task.pushes(rng, self.age)
        self.worlds.step(task.controls(actions), substeps=task.substeps, wrenches=pushes, bodies=task.pushed)
        self.age += 1
        reward, ended = task.judge(self.worlds, self.goals, actions)
        failed = self.worlds.status != 0
        return reward, ended & ~failed, (self.age >= task.length) | failed


def _spaces(task: Task) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
    seen = spaces.Box(-10.0, 10.0, (task.observations,), np.float64)
    return seen, spaces.Box(-1.0, 1.0, (task.actions,), np.float32)


class Environment(gymnasium.Env[Any, Any]):
    """One world of a task as a Gymnasium environment. `info["status"]` is the StepCode of the step."""

    metadata = {"render_modes": []}

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._episodes = _Episodes(task, 1, 1)
        self.observation_space, self.action_space = _spaces(task)

    @property
    def task(self) -> Task:
        """The task."""
        return self._episodes.task

    @property
    def state(self) -> Floats:
        """The state vector of the world, as `World.state`."""
        return np.array(self._episodes.worlds.state[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=_seed(seed))
        self._episodes.begin(np.ones(1, np.bool_), self.np_random)
        return self._episodes.observe()[0], {}

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Applies an action for `task.substeps` steps of the world."""
        actions = np.asarray(action, dtype=np.float64).reshape(1, -1)
        reward, ended, cut = self._episodes.step(actions, self.np_random)
        info = {"status": int(self._episodes.worlds.status[0])}
        return self._episodes.observe()[0], float(reward[0]), bool(ended[0]), bool(cut[0]), info


class VectorEnvironment(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many worlds of a task that step together; one that has ended begins its next episode in the step after."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, task: Task, num_envs: int = 1, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self._episodes = _Episodes(task, num_envs, threads)
        self.single_observation_space, self.single_action_space = _spaces(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, np.bool_)

    @property
    def state(self) -> Floats:
        """The state vectors of the worlds, as `World.state`: (B, nx)."""
        return self._episodes.worlds.state.copy()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins episodes in all worlds. A list of seeds has one a world, each as that of an `Environment`; later episodes then follow from all of them."""
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=_seed(seed))
            self._episodes.begin(np.ones(self.num_envs, np.bool_), self.np_random)
        else:
            self._reset_each([_seed(one) for one in seed])
        self._ended[:] = False
        return self._episodes.observe(), {}

    def _reset_each(self, seeds: list[int | None]) -> None:
        if len(seeds) != self.num_envs:
            from .scene import _input_error

            raise _input_error("seed", f"must be one number, or {self.num_envs}, one a world, found {len(seeds)}")
        known = [seed for seed in seeds if seed is not None]
        whole = int(np.random.SeedSequence(known).generate_state(1)[0]) if known else None
        super().reset(seed=whole)
        for k, seed in enumerate(seeds):
            rng = self.np_random if seed is None else gymnasium.utils.seeding.np_random(seed)[0]
            self._episodes.begin(np.arange(self.num_envs) == k, rng)

    def step(
        self, actions: Any
    ) -> tuple[
        Floats, Floats, np.ndarray[Any, np.dtype[np.bool_]], np.ndarray[Any, np.dtype[np.bool_]], dict[str, Any]
    ]:
        """Applies actions (B, n)."""
        again = self._ended.copy()
        reward, ended, cut = self._episodes.step(actions, self.np_random)
        if again.any():
            self._episodes.begin(again, self.np_random)
            reward[again], ended[again], cut[again] = 0.0, False, False
        self._ended = ended | cut
        return self._episodes.observe(), reward, ended, cut, {"status": self._episodes.worlds.status.copy()}


def _seed(seed: Any) -> int | None:
    """A seed, whatever kind of whole number it is."""
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        from .scene import _input_error

        raise _input_error("seed", f"must be a whole number from 0, or None, found {seed!r:.40}")
    return int(seed)


def _task(name: str) -> Task:
    if name not in TASKS:
        from .scene import _input_error

        raise _input_error("name", f"must be one of {', '.join(TASKS)}, found {name!r}")
    return TASKS[name]()


def make_env(name: str, **options: Any) -> Environment:
    """The environment of a task by its name: PegInHole, PushBox, GraspLiftShake or QuadrupedWalk."""
    return Environment(_task(name), **options)


def make_vector_env(name: str, num_envs: int = 1, **options: Any) -> VectorEnvironment:
    """Many of them that step together, on several threads."""
    return VectorEnvironment(_task(name), num_envs, **options)


for _name in TASKS:
    gymnasium.register(
        id=f"stiction/{_name}-v0",
        entry_point="stiction.gym:make_env",
        vector_entry_point="stiction.gym:make_vector_env",
        kwargs={"name": _name},
    )
