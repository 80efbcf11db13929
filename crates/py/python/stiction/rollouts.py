"""Many worlds: trajectories under given controls, and worlds that step together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._stiction import InputError, StepError, World, _rollout, _Worlds


if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import TypeAlias

    from .types import Floats

Worlds: TypeAlias = Union[World, Sequence[World]]
# Numbers of a body's state: position, quaternion, velocity, angular velocity.
BODY = 13


def _wrong(path: str, problem: str) -> InputError:
    error = InputError(f"{path}: {problem}")
    error.path = path
    return error


def _several(worlds: Worlds) -> list[World]:
    found = [worlds] if isinstance(worlds, World) else list(worlds)
    for k, world in enumerate(found):
        if not isinstance(world, World):
            raise _wrong(f"worlds[{k}]", f"must be a World, found {world!r:.40} (run_scenes takes scene texts)")
    if not found:
        raise _wrong("worlds", "must have a world, found none")
    return found


def _array(value: ArrayLike | None, path: str, sides: int, kind: str) -> Floats | None:
    if value is None:
        return None
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong(path, f"must be an array of real numbers, found {value!r:.40}") from error
    if array.ndim != sides:
        raise _wrong(path, f"must have shape {kind}, found {array.shape}")
    return array


def _outputs(batch: tuple[int, ...], nx: int, ns: int) -> dict[str, NDArray[Any]]:
    return {
        "states": np.empty((*batch, nx)),
        "sensors": np.empty((*batch, ns)),
        "status": np.zeros(batch, np.uint8),
        "contact_count": np.zeros(batch, np.int32),
        "normal_force": np.zeros(batch),
        "residual": np.zeros(batch),
        "penetration": np.zeros(batch),
    }


class Rollout:
    """Trajectories of B worlds over T controls, as `rollout` gives them.

    A world stops at its first failed step: its later states repeat the last one, and their status is `StepCode.NOT_MADE`.
    """

    __slots__ = {
        "contact_count": "Contacts of the last step of each control, (B, T).",
        "messages": "What was said of the step that failed, or None, for each world.",
        "normal_force": "Sum of their normal forces [N], (B, T).",
        "penetration": "Deepest overlap at the start of one of these steps [m], (B, T).",
        "residual": "Worst residual of the steps of each control, (B, T).",
        "sensors": "Readings of the sensors after each control, (B, T, ns).",
        "state_hashes": "Hashes of the states at the end.",
        "states": "State vectors after each control, (B, T, nx): 13 numbers for each body that is not fixed, as `World.state`.",
        "status": "How the steps of each control ended, (B, T): a StepCode.",
        "steps": "Steps made, (B,).",
        "times": "Times at the end [s], (B,).",
    }

    states: Floats
    sensors: Floats
    status: NDArray[np.uint8]
    contact_count: NDArray[np.int32]
    normal_force: Floats
    residual: Floats
    penetration: Floats
    steps: NDArray[np.int64]
    times: Floats
    state_hashes: list[int]
    messages: list[str | None]

    def __init__(self, **fields: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, fields[name])

    @property
    def solved(self) -> bool:
        """Whether every step has a verified answer."""
        return all(message is None for message in self.messages)

    @property
    def bodies(self) -> Floats:
        """The states by body, a view of shape (B, T, m, 13)."""
        return self.states.reshape(*self.states.shape[:2], -1, BODY)

    def raise_for_status(self) -> None:
        """Raises a StepError where a world has stopped."""
        for world, message in enumerate(self.messages):
            if message is not None:
                raise StepError(f"world {world}, step {int(self.steps[world])}: {message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rollout_of, ({name: getattr(self, name) for name in self.__slots__},)

    def __repr__(self) -> str:
        batch, length, nx = self.states.shape
        failed = sum(message is not None for message in self.messages)
        return f"Rollout(worlds={batch}, controls={length}, nx={nx}, failed={failed})"

    def _repr_html_(self) -> str:
        from ._show import html

        failed = sum(message is not None for message in self.messages)
        names = ["worlds, controls, numbers of a state", "worlds that failed", "worst residual", "deepest penetration"]
        worst = [float(np.nanmax(x)) if x.size else 0.0 for x in (self.residual, self.penetration)]
        return html("Rollout", names, [", ".join(map(str, self.states.shape)), failed, *worst])


def _rollout_of(fields: dict[str, Any]) -> Rollout:
    return Rollout(**fields)


def rollout(
    worlds: Worlds,
    controls: ArrayLike | None = None,
    initial: ArrayLike | None = None,
    *,
    steps: int | None = None,
    count: int | None = None,
    substeps: int = 1,
    threads: int | None = None,
    wrenches: ArrayLike | None = None,
    bodies: Sequence[str] = (),
    states: Floats | None = None,
    sensors: Floats | None = None,
) -> Rollout:
    """Trajectories of copies of a world, or of several worlds, under given controls, on several threads and without the GIL.

    controls: (B, T, nu), one control a row, each held for `substeps` steps. initial: (B, nx), states as `World.state`; None starts from the worlds as they are. wrenches: (B, T, k, 6), force
    [N] and torque [N m] on the `bodies` of these k names. Without controls, steps is T and count is B. threads: None takes one a core. states and sensors: arrays to write to, as large as the
    result's. The bits do not depend on the number of threads, and are those of a loop that sets `world.ctrl` and calls `world.step`.

    >>> import numpy as np, stiction
    >>> scene = stiction.Scene(friction=0.5)
    >>> scene.add_plane()
    >>> scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    >>> pushes = np.zeros((3, 100, 1, 6))
    >>> pushes[:, :, 0, 0] = np.array([[0.0], [4.0], [8.0]])
    >>> found = stiction.rollout(stiction.World(scene), wrenches=pushes, bodies=["box"])
    >>> found.states.shape
    (3, 100, 13)
    >>> [bool(moved > 1e-3) for moved in found.bodies[:, -1, 0, 0]]
    [False, False, True]
    """
    all_worlds = _several(worlds)
    ctrl = _array(controls, "controls", 3, "(B, T, nu)")
    start = _array(initial, "initial", 2, "(B, nx)")
    pushes = _array(wrenches, "wrenches", 4, "(B, T, k, 6)")
    batches = [len(array) for array in (ctrl, pushes, start) if array is not None]
    batch = batches[0] if batches else count if count is not None else len(all_worlds)
    if len(all_worlds) not in (1, batch):
        raise _wrong("worlds", f"must be one World or {batch}, one for each trajectory, found {len(all_worlds)}")
    lengths = [array.shape[1] for array in (ctrl, pushes) if array is not None]
    if not lengths and steps is None:
        raise _wrong("controls", "must be given, or else steps, found nothing")
    length = lengths[0] if lengths else _count(steps, "steps", 0)
    nx, ns = len(all_worlds[0].moving_names) * BODY, all_worlds[0].sensor_count
    out = _outputs((batch, length), nx, ns)
    for name, given in (("states", states), ("sensors", sensors)):
        if given is not None:
            out[name] = _buffer(given, name, out[name].shape)
    made, times, hashes, messages = _rollout(
        all_worlds, (batch, length), _count(substeps, "substeps", 1), threads, start, ctrl, pushes, list(bodies), out
    )
    return Rollout(
        **out, steps=np.array(made, np.int64), times=np.array(times), state_hashes=hashes, messages=messages
    )


def _count(value: Any, path: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise _wrong(path, f"must be a whole number from {least}, found {value!r:.40}")
    return int(value)


def _buffer(given: Floats, name: str, shape: tuple[int, ...]) -> Floats:
    fits = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.shape == shape
    if fits and given.flags.c_contiguous and given.flags.writeable:
        return given
    found = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else f"{given!r:.40}"
    raise _wrong(name, f"must be a writable float64 array of shape {shape}, rows first, found {found}")


class VectorWorld:
    """Worlds of one kind that step together, for a policy's loop: arrays in, arrays out, on several threads and without the GIL.

    `state`, `sensors`, `status` and the other arrays are written to in place by `step` and `reset`.

    >>> import stiction
    >>> scene = stiction.Scene(friction=0.5)
    >>> scene.add_ball("ball", radius=0.1, position=(0, 0, 1))
    >>> worlds = stiction.VectorWorld(stiction.World(scene), 4)
    >>> worlds.step(substeps=100).shape
    (4, 13)
    >>> bool((worlds.state[:, 2] < 1.0).all())
    True
    """

    def __init__(self, worlds: Worlds, count: int | None = None, *, threads: int | None = None) -> None:
        """worlds: one World, of which `count` copies are made, or one for each."""
        found = _several(worlds)
        batch = len(found) if count is None else _count(count, "count", 1)
        if len(found) not in (1, batch):
            raise _wrong("worlds", f"must be one World or {batch}, found {len(found)}")
        self._worlds = _Worlds(found, batch, threads)
        self._count = batch
        nx, self._nu, ns = self._worlds.widths
        self._out = _outputs((batch,), nx, ns)
        self.messages: dict[int, str] = {}
        """What was said of the worlds whose last step failed, by index."""
        self.reset()

    @property
    def count(self) -> int:
        """Number of worlds B."""
        return self._count

    @property
    def nu(self) -> int:
        """Number of actuators."""
        return self._nu

    @property
    def state(self) -> Floats:
        """State vectors, (B, nx), as `World.state`."""
        return self._out["states"]

    @property
    def sensors(self) -> Floats:
        """Readings of the sensors, (B, ns)."""
        return self._out["sensors"]

    @property
    def status(self) -> NDArray[np.uint8]:
        """How the last step ended, (B,): a StepCode."""
        return self._out["status"]

    @property
    def contact_count(self) -> NDArray[np.int32]:
        """Contacts of the last step, (B,)."""
        return self._out["contact_count"]

    @property
    def normal_force(self) -> Floats:
        """Sum of their normal forces [N], (B,)."""
        return self._out["normal_force"]

    @property
    def times(self) -> Floats:
        """Times [s], (B,)."""
        return np.array(self._worlds.times())

    @property
    def state_hashes(self) -> list[int]:
        """Hashes of the states."""
        return self._worlds.hashes()

    def step(
        self,
        ctrl: ArrayLike | None = None,
        *,
        substeps: int = 1,
        wrenches: ArrayLike | None = None,
        bodies: Sequence[str] = (),
    ) -> Floats:
        """Steps all worlds under their controls (B, nu), None for those before; gives `state`. wrenches: (B, k, 6) on the bodies of these k names [N, N m].

        A world whose step fails stays as it was: its status says so, and the others go on.
        """
        given = _array(ctrl, "ctrl", 2, "(B, nu)")
        pushes = _array(wrenches, "wrenches", 3, "(B, k, 6)")
        self.messages = self._worlds.step(_count(substeps, "substeps", 1), given, pushes, list(bodies), self._out)
        return self.state

    def reset(self, which: ArrayLike | None = None, initial: ArrayLike | None = None) -> Floats:
        """Puts worlds back to their start: those of the indices or of the mask `which`, None for all; initial: their states, (k, nx). Gives `state`."""
        chosen = np.arange(self._count) if which is None else np.asarray(which)
        chosen = np.atleast_1d(chosen)
        if chosen.dtype == np.bool_:
            if chosen.shape != (self._count,):
                raise _wrong("which", f"must be a mask of shape ({self._count},), found {chosen.shape}")
            chosen = np.flatnonzero(chosen)
        elif chosen.size and not (chosen.ndim == 1 and np.issubdtype(chosen.dtype, np.integer)):
            raise _wrong("which", f"must be a list of whole numbers or a mask, found {which!r:.40}")
        if chosen.size and not (0 <= chosen.min() and chosen.max() < self._count):
            raise _wrong("which", f"must be indices below {self._count}, found {which!r:.40}")
        start = _array(initial, "initial", 2, "(k, nx)")
        self._worlds.reset([int(k) for k in chosen], start, self._out)
        return self.state

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"VectorWorld(count={self._count}, nu={self._nu}, nx={self.state.shape[1]})"


