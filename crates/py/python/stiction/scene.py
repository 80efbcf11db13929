"""Scenes built in Python: every call becomes a table of a scene file, which the one parser of scene files reads and checks at once."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike

from ._stiction import InputError, SceneWarning, World, _did_you_mean, _read_tables, _tables

if TYPE_CHECKING:
    from typing_extensions import Self, TypeAlias, Unpack

Vector: TypeAlias = ArrayLike
Orientation: TypeAlias = Union[ArrayLike, Mapping[str, Any]]


class BodyOptions(TypedDict, total=False):
    """Options of every body; each may be omitted."""

    kind: str
    """`dynamic` (forces move it, the default), `kinematic` (keeps its velocity, or follows a motion) or `fixed`."""
    mass: float
    """[kg]; instead of a density."""
    density: float
    """[kg/m^3]."""
    inertia: ArrayLike
    """Beside a mass: three moments, or (3, 3), about the centre of mass [kg m^2]."""
    centre: ArrayLike
    """Beside an inertia: centre of mass in the body's frame [m]."""
    position: ArrayLike
    """Origin of the body's frame [m]."""
    orientation: Orientation
    """A quaternion x, y, z, w, or `{"axis": (0, 1, 0), "degrees": 30}`."""
    angle: float | Mapping[str, float]
    """In planar scenes instead of an orientation [rad], or `{"degrees": 30}`."""
    velocity: ArrayLike
    """Of the centre of mass [m/s]."""
    spin: ArrayLike
    """Angular velocity [rad/s]; a number in planar scenes."""
    material: str
    """Name of a material of the scene."""
    friction: float
    """Of a material of its own; inf: no slip while pressed."""
    restitution: float
    """Of a material of its own, 0 to 1."""
    viscosity: float
    """Of a material of its own [N s/m]."""
    groups: Sequence[int]
    """Numbers 0 to 31; two bodies meet where they share one."""
    level: int | Sequence[int]
    """In planar scenes instead of groups."""
    motion: Mapping[str, Any]
    """Of a kinematic body: slide, turn or keyframes, as in scene files."""


# Keys of a body beside its name and shape, and those of its material.
_BODY = [key for key in BodyOptions.__annotations__ if key not in ("friction", "restitution", "viscosity")]
_SURFACE = ["friction", "restitution", "viscosity"]
# How arguments are called where the tables have other keys.
_ARGUMENTS = {"material.friction": "friction", "material.restitution": "restitution", "material.viscosity": "viscosity"}
# A message of the parser: its place in the text, which nobody has seen, the table, then the argument and what is wrong.
_PLACE = re.compile(r"^scene:(?:\d+:\d+:)? ?(?:[a-z]+(?:\[\d+\])?\.?)?([^\s:]*): (.*)$")
_NAME = re.compile(r"^[A-Za-z0-9_-]+$")


def _plain(value: object, path: str) -> Any:
    """A value as TOML knows it: numbers, texts, booleans, lists and tables."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{path}.{key}") for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple, range)):
        return [_plain(item, f"{path}[{k}]") for k, item in enumerate(value)]
    raise _input_error(path, f"must be numbers, text, a list or a dict, found {value!r:.40}")


def _written(value: Any) -> str:
    """A plain value as TOML; floats read back with the same bits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value) if -(2**63) <= value < 2**63 else repr(float(value))
    if isinstance(value, str):
        # As JSON; TOML requires one more character to be escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return "{ " + ", ".join(f"{_key(key)} = {_written(item)}" for key, item in value.items()) + " }"


def _key(key: str) -> str:
    return key if _NAME.match(key) else json.dumps(key)


def _tables_of(kind: str, table: Mapping[str, Any]) -> str:
    lines = [f"{_key(key)} = {_written(value)}" for key, value in table.items()]
    return "\n".join([f"[[{kind}]]", *lines, ""])


def _input_error(path: str, problem: str, call: str = "") -> InputError:
    error = InputError(f"{call}: {path}: {problem}" if call else f"{path}: {problem}")
    error.path = path
    return error


def _beside(problem: str, path: str) -> str:
    """A hint where numbers look like degrees."""
    found = re.search(r"found \[?\s*(-?[\d.]+)", problem)
    if ("between -pi and pi" in problem or "within 10 turns" in problem) and found:
        degrees = float(found[1])
        problem += f" (angles are in radians: {degrees:g} degrees are {math.radians(degrees):.4g})"
    if path == "orientation" and "4 entries" in problem:
        problem += " (a quaternion x, y, z, w, or a dict with axis and degrees)"
    return problem


def _in_words(error: InputError, call: str, arguments: Mapping[str, str]) -> InputError:
    """The parser's error with the names of the call's arguments."""
    lines, first = [], ""
    for line in str(error).splitlines():
        found = _PLACE.match(line)
        path, problem = (found[1], found[2]) if found else (error.path, line.removeprefix(f"{error.path}: "))
        for key, argument in {**_ARGUMENTS, **arguments}.items():
            if path == key or path.startswith((f"{key}[", f"{key}.")):
                path = argument + path[len(key) :]
                break
        first = first or path
        lines.append(f"{call}: {path}: {_beside(problem, path)}" if path else f"{call}: {_beside(problem, path)}")
    again = InputError("\n".join(lines))
    again.path = first
    return again


class _Adder:
    """What can be added to a scene, and to a world between steps."""

    @property
    def planar(self) -> bool:
        """Whether bodies move in the plane of x and y only."""
        raise NotImplementedError

    @property
    def folder(self) -> str:
        """Where meshes and robots are sought."""
        raise NotImplementedError

    def _put(
        self, call: str, kind: str, table: dict[str, Any], mentions: Sequence[str], arguments: Mapping[str, str] = {}
    ) -> None:
        """Adds a table; `mentions` are the bodies that it names."""
        raise NotImplementedError

    def _body(self, call: str, name: str, shape: dict[str, Any], arguments: Mapping[str, str], options: Any) -> None:
        call = f"{call}({name!r:.40})"
        table: dict[str, Any] = {"name": _text(call, "name", name), "shape": shape}
        for key in options:
            if key not in BodyOptions.__annotations__:
                near = _did_you_mean(key, list(BodyOptions.__annotations__))
                known = ", ".join(BodyOptions.__annotations__)
                raise _input_error(key, f"must be one of {known}, found {key!r}{near}", call)
        for key in _BODY:
            if options.get(key) is not None:
                table[key] = _plain(options[key], key)
        surface = {key: _plain(options[key], key) for key in _SURFACE if options.get(key) is not None}
        if surface and "material" in table:
            key = next(iter(surface))
            raise _input_error(key, f"must not be given beside a material, found {surface[key]}", call)
        if surface:
            table["material"] = surface
        if table.get("orientation") in ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]):
            text = "is half a turn about x, as quaternions are x, y, z, w; no turn is (0, 0, 0, 1)"
            warnings.warn(f"{call}: orientation: {text}", SceneWarning, stacklevel=3)
        self._put(call, "body", table, [], arguments)

    def add_body(self, name: str, shape: Mapping[str, Any], **options: Unpack[BodyOptions]) -> None:
        """Adds a body of any shape that scene files know, such as `{"prism": {"sides": 6, "radius": 0.1, "height": 0.2}}`."""
        self._body("add_body", name, _plain(shape, "shape"), {}, options)

    def add_box(self, name: str, size: Vector, **options: Unpack[BodyOptions]) -> None:
        """Adds a box with full sides `size` [m] about its origin (two of them in planar scenes). Options: BodyOptions."""
        self._body("add_box", name, {"box": _plain(size, "size")}, {"shape.box": "size"}, options)

    def add_ball(self, name: str, radius: float, **options: Unpack[BodyOptions]) -> None:
        """Adds a ball [m]; a disc in planar scenes. Options: BodyOptions."""
        kind = "disc" if self.planar else "ball"
        self._body("add_ball", name, {kind: _plain(radius, "radius")}, {f"shape.{kind}": "radius"}, options)

    def add_capsule(self, name: str, radius: float, length: float, **options: Unpack[BodyOptions]) -> None:
        """Adds a capsule along z (x in planar scenes); its length is that without the caps [m]. Options: BodyOptions."""
        shape = {"capsule": {"radius": _plain(radius, "radius"), "length": _plain(length, "length")}}
        self._body("add_capsule", name, shape, {"shape.capsule.radius": "radius", "shape.capsule.length": "length"}, options)

    def add_cylinder(self, name: str, radius: float, height: float, **options: Unpack[BodyOptions]) -> None:
        """Adds a cylinder along z [m]. Options: BodyOptions."""
        shape = {"cylinder": {"radius": _plain(radius, "radius"), "height": _plain(height, "height")}}
        names = {"shape.cylinder.radius": "radius", "shape.cylinder.height": "height"}
        self._body("add_cylinder", name, shape, names, options)

    def add_ellipsoid(self, name: str, semi_axes: Vector, **options: Unpack[BodyOptions]) -> None:
        """Adds an ellipsoid with three semi-axes [m]. Options: BodyOptions."""
        shape = {"ellipsoid": _plain(semi_axes, "semi_axes")}
        self._body("add_ellipsoid", name, shape, {"shape.ellipsoid": "semi_axes"}, options)

    def add_hull(self, name: str, points: ArrayLike, **options: Unpack[BodyOptions]) -> None:
        """Adds the convex hull of points (n, 3) [m]; a convex polygon (n, 2) in planar scenes. Options: BodyOptions."""
        kind = "polygon" if self.planar else "points"
        self._body("add_hull", name, {kind: _plain(points, "points")}, {f"shape.{kind}": "points"}, options)

    def add_mesh(
        self, name: str, file: str | os.PathLike[str], *, scale: float = 1.0, **options: Unpack[BodyOptions]
    ) -> None:
        """Adds the convex hull of an STL or OBJ file below the scene's folder. Options: BodyOptions."""
        shape = {"mesh": self._below(f"add_mesh({name!r:.40})", file), "scale": _plain(scale, "scale")}
        self._body("add_mesh", name, shape, {"shape.mesh": "file", "shape.scale": "scale"}, options)

    def add_ground(
        self, name: str, file: str | os.PathLike[str], *, scale: float = 1.0, **options: Unpack[BodyOptions]
    ) -> None:
        """Adds the triangles of an STL or OBJ file themselves, fixed. Options: BodyOptions."""
        shape = {"ground": self._below(f"add_ground({name!r:.40})", file), "scale": _plain(scale, "scale")}
        self._body("add_ground", name, shape, {"shape.ground": "file", "shape.scale": "scale"}, options)

    def add_heights(self, name: str, heights: ArrayLike, *, spacing: Vector, **options: Unpack[BodyOptions]) -> None:
        """Adds a fixed ground over a grid about the origin: heights (rows, columns) [m], x along the columns; spacing along x and y [m]."""
        grid = np.atleast_2d(np.asarray(heights, dtype=float))
        rows, columns = grid.shape[0], grid.shape[-1]
        table = {"columns": columns, "rows": rows, "spacing": _plain(spacing, "spacing"), "values": grid.ravel().tolist()}
        names = {"shape.heights.spacing": "spacing", "shape.heights": "heights"}
        self._body("add_heights", name, {"heights": table}, names, options)

    def add_plane(self, name: str = "ground", normal: Vector | None = None, **options: Unpack[BodyOptions]) -> None:
        """Adds everything below a plane through its origin, fixed; the outward normal is by default up. Options: BodyOptions."""
        kind = "half_plane" if self.planar else "half_space"
        up = [0.0, 1.0] if self.planar else [0.0, 0.0, 1.0]
        shape = {kind: up if normal is None else _plain(normal, "normal")}
        self._body("add_plane", name, shape, {f"shape.{kind}": "normal"}, options)

    def add_compound(self, name: str, parts: Sequence[Mapping[str, Any]], **options: Unpack[BodyOptions]) -> None:
        """Adds several shapes that move as one: dicts such as `{"box": (1, 1, 1), "position": (0, 0, 1)}`. Options: BodyOptions."""
        self._body("add_compound", name, {"compound": _plain(parts, "parts")}, {"shape.compound": "parts"}, options)

    def add_joint(
        self,
        name: str,
        kind: str,
        a: str,
        b: str,
        *,
        position: Vector | None = None,
        axis: Vector | None = None,
        limits: Vector | None = None,
        friction: float | None = None,
        armature: float | None = None,
        motor: Mapping[str, Any] | None = None,
        position_a: Vector | None = None,
        position_b: Vector | None = None,
        length: float | None = None,
    ) -> None:
        """Adds a joint between bodies a and b as they are now: revolute (turns about the axis), prismatic (slides along it), spherical, fixed, planar or distance.

        position [m] and axis are in world axes. limits: least and largest coordinate, 0 as it is now [rad or m]. friction: dry friction [N m or N]. armature: inertia of a
        rotor [kg m^2 or kg]. motor: a dict with target, target_speed, stiffness, damping, force, most, wave, held. A distance has position_a, position_b and length instead of a position.
        """
        given = {
            "position": position,
            "axis": axis,
            "limits": limits,
            "friction": friction,
            "armature": armature,
            "motor": motor,
            "position_a": position_a,
            "position_b": position_b,
            "length": length,
        }
        call = f"add_joint({name!r:.40})"
        table = {"name": _text(call, "name", name), "kind": _text(call, "kind", kind)}
        table |= {"a": _text(call, "a", a), "b": _text(call, "b", b)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(call, "joint", table, [a, b])

    def add_actuator(
        self,
        name: str,
        joint: str,
        kind: str = "motor",
        *,
        gear: float | None = None,
        kp: float | None = None,
        kv: float | None = None,
        gain: Vector | None = None,
        bias: Vector | None = None,
        ctrl_range: Vector | None = None,
        force_range: Vector | None = None,
        ctrl: float | None = None,
    ) -> None:
        """Adds an actuator, which drives a joint after its control in `World.ctrl`.

        kind: motor (force = u), position (kp (u - l) - kv l'), velocity (kv (u - l')) or general (gain, bias), with l = gear times the coordinate. ctrl: the control at the start.
        """
        given = {
            "gear": gear,
            "kp": kp,
            "kv": kv,
            "gain": gain,
            "bias": bias,
            "ctrl_range": ctrl_range,
            "force_range": force_range,
            "ctrl": ctrl,
        }
        call = f"add_actuator({name!r:.40})"
        table = {"name": _text(call, "name", name), "kind": _text(call, "kind", kind), "joint": _text(call, "joint", joint)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(call, "actuator", table, [])

    def add_sensor(
        self,
        name: str,
        kind: str,
        *,
        joint: str | None = None,
        actuator: str | None = None,
        body: str | None = None,
        position: Vector | None = None,
        orientation: Orientation | None = None,
        shape: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds a sensor: jointpos and jointvel of a joint; actuatorfrc of an actuator; framepos, framequat, gyro, accelerometer, force, torque and touch of a body.

        Those of a body are at a frame given in the world as it is now, by default the body's own; touch also needs the shape of its zone.
        """
        given = {
            "joint": joint,
            "actuator": actuator,
            "body": body,
            "position": position,
            "orientation": orientation,
            "shape": shape,
        }
        call = f"add_sensor({name!r:.40})"
        table = {"name": _text(call, "name", name), "kind": _text(call, "kind", kind)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(call, "sensor", table, [] if body is None else [body])

    def add_rope(
        self,
        name: str,
        points: Sequence[tuple[str, Vector] | tuple[str, Vector, float] | tuple[str, Vector, float, float]],
        *,
        length: float | None = None,
    ) -> None:
        """Adds a rope over points of bodies, pairs of a body's name and a point in the world as the bodies are now [m]. It pulls and never pushes.

        A third number of a point is the coefficient of friction of the rope there, a fourth the turns about it, as of a rope about a bollard.
        """
        call = f"add_rope({name!r:.40})"
        try:
            keys = ("body", "position", "friction", "turns")
            all_points = [{key: _plain(x, key) for key, x in zip(keys, (point[0], *point[1:]))} for point in points]
            if not all(2 <= len(point) <= 4 for point in points):
                raise ValueError
        except (TypeError, ValueError, IndexError) as error:
            problem = "must be pairs of a body's name and a point, with friction and turns about a bollard beside them"
            raise _input_error("points", f"{problem}, found {points!r:.40}", call) from error
        table: dict[str, Any] = {"name": _text(call, "name", name), "kind": "rope", "points": all_points}
        if length is not None:
            table["length"] = _plain(length, "length")
        self._put(call, "joint", table, [point["body"] for point in all_points])

    def add_pair(
        self,
        a: str,
        b: str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        viscosity: float | None = None,
    ) -> None:
        """Says how two bodies behave against each other, instead of what their materials give."""
        given = {"friction": friction, "restitution": restitution, "viscosity": viscosity}
        call = "add_pair"
        table: dict[str, Any] = {"bodies": [_text(call, "a", a), _text(call, "b", b)]}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(call, "pair", table, [a, b], {"bodies[0]": "a", "bodies[1]": "b"})

    def add_force(
        self,
        body: str,
        force: Vector | None = None,
        torque: Vector | None = None,
        *,
        start: float | None = None,
        until: float | None = None,
    ) -> None:
        """Lets a force [N] and a torque [N m] act on a body's centre of mass in the steps between two times [s]."""
        given = {"force": force, "torque": torque, "from": start, "until": until}
        table: dict[str, Any] = {"body": _text("add_force", "body", body)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put("add_force", "force", table, [body], {"from": "start"})

    def add_coupling(self, body: str, leader: str, *, stiffness: Vector, damping: Vector) -> None:
        """Lets springs and dampers lead a body after a kinematic one: pairs for distance [N/m, N s/m] and angle [N m/rad, N m s/rad]."""
        call = "add_coupling"
        table: dict[str, Any] = {"body": _text(call, "body", body), "leader": _text(call, "leader", leader)}
        table |= {"stiffness": _plain(stiffness, "stiffness"), "damping": _plain(damping, "damping")}
        self._put(call, "coupling", table, [body, leader])

    def add_urdf(
        self,
        file: str | os.PathLike[str],
        *,
        prefix: str | None = None,
        position: Vector | None = None,
        orientation: Orientation | None = None,
        fixed_base: bool | None = None,
        material: str | None = None,
        friction: float | None = None,
        groups: Sequence[int] | None = None,
        positions: Mapping[str, float] | None = None,
        motor: Mapping[str, Any] | None = None,
        motors: Mapping[str, Mapping[str, Any]] | None = None,
        self_collision: bool | None = None,
        neighbours_collide: bool | None = None,
    ) -> None:
        """Adds a robot from a URDF file below the scene's folder. positions: joint coordinates at the start, by name [rad or m]; motor: for every joint; motors: by name."""
        given = {
            "prefix": prefix,
            "position": position,
            "orientation": orientation,
            "fixed_base": fixed_base,
            "material": material if friction is None else {"friction": friction},
            "groups": groups,
            "positions": positions,
            "motor": motor,
            "motors": motors,
            "self_collision": self_collision,
            "neighbours_collide": neighbours_collide,
        }
        table: dict[str, Any] = {"file": self._below(f"add_urdf({os.fspath(file)!r:.60})", file)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(f"add_urdf({os.fspath(file)!r:.60})", "urdf", table, [])

    def add_mjcf(
        self,
        file: str | os.PathLike[str],
        *,
        prefix: str | None = None,
        position: Vector | None = None,
        orientation: Orientation | None = None,
        groups: Sequence[int] | None = None,
        keyframe: str | None = None,
    ) -> None:
        """Adds a model from an MJCF file below the scene's folder, as MuJoCo reads it. keyframe: the one to start from. A scene without gravity takes that of the file. What is not taken from the file, as its time step, is in `World.notes`."""
        given = {
            "prefix": prefix,
            "position": position,
            "orientation": orientation,
            "groups": groups,
            "keyframe": keyframe,
        }
        table: dict[str, Any] = {"file": self._below(f"add_mjcf({os.fspath(file)!r:.60})", file)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put(f"add_mjcf({os.fspath(file)!r:.60})", "mjcf", table, [])

    def _below(self, call: str, file: str | os.PathLike[str]) -> str:
        """A file's path from the scene's folder."""
        path, folder = os.fspath(file), os.path.abspath(self.folder)
        if not os.path.isabs(path):
            return path
        inner = os.path.relpath(path, folder)
        if inner.startswith(os.pardir):
            raise _input_error("file", f"must be below the scene's folder {folder} (Scene(folder=...)), found {path}", call)
        return inner

    def add_stack(self, name: str, size: Vector, count: int, **options: Any) -> None:
        """Adds boxes one on the other; options are those of a stack in scene files: base, orientation, density or mass, material, groups."""
        table = {"name": name, "box": _plain(size, "size"), "count": _plain(count, "count")}
        self._put(f"add_stack({name!r:.40})", "stack", table | _plain(options, "options"), [], {"box": "size"})

    def add_grid(self, name: str, size: Vector, *, rows: int, columns: int, **options: Any) -> None:
        """Adds boxes in rows and columns; options are those of a grid in scene files: layers, gap, offset, tumbled, base, density or mass, material, groups."""
        table = {"name": name, "box": _plain(size, "size"), "rows": rows, "columns": columns}
        self._put(f"add_grid({name!r:.40})", "grid", table | _plain(options, "options"), [], {"box": "size"})



def _text(call: str, path: str, value: object) -> str:
    if not isinstance(value, str):
        raise _input_error(path, f"must be a text, found {value!r:.40}", call)
    return value


class Scene(_Adder):
    """A world as it starts, built call by call. Every call is checked at once by the parser of scene files; `to_toml` gives the scene as such a file.

    >>> import stiction
    >>> scene = stiction.Scene(friction=0.5)
    >>> scene.add_plane()
    >>> scene.add_box("box", size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    >>> world = stiction.World(scene)
    >>> world.step(100).status
    'solved'
    >>> print(round(float(world.contacts.normal_force.sum()), 9))
    9.81
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        gravity: Vector | None = None,
        dt: float | None = None,
        duration: float | None = None,
        friction: float | None = None,
        density: float | None = None,
        planar: bool = False,
        law: str | None = None,
        method: str | None = None,
        stepper: str | None = None,
        directions: int | None = None,
        tolerance: float | None = None,
        max_work: int | None = None,
        ease: float | None = None,
        restitution_rule: str | None = None,
        relaxation: float | None = None,
        corners: str | None = None,
        folder: str | os.PathLike[str] = ".",
    ) -> None:
        """gravity [m/s^2] is by default 9.81 downwards, dt 0.001 s, duration 1 s. friction and density [kg/m^3] are those of bodies that give none. folder: where files are sought.

        The other arguments are those of `[world]` in scene files.
        """
        given = {
            "planar": planar or None,
            "gravity": gravity,
            "dt": dt,
            "duration": duration,
            "friction": friction,
            "density": density,
            "law": law,
            "method": method,
            "stepper": stepper,
            "directions": directions,
            "tolerance": tolerance,
            "max_work": max_work,
            "ease": ease,
            "restitution_rule": restitution_rule,
            "relaxation": relaxation,
            "corners": corners,
        }
        world = {key: _plain(value, key) for key, value in given.items() if value is not None}
        if dt is not None and duration is None and isinstance(dt, (int, float)) and dt > 1.0:
            world["duration"] = float(dt)
        self._data: dict[str, Any] = {"format": 1}
        if name is not None:
            self._data["name"] = _text("Scene", "name", name)
        if world:
            self._data["world"] = world
        self._folder = os.fspath(folder)
        self._kinds: dict[str, str] = {}
        self._joints: set[str] = set()
        self._check("Scene", "", {})

    @classmethod
    def parse(cls, text: str, folder: str | os.PathLike[str] = ".") -> Self:
        """A scene from the text of a scene file; meshes and robots are sought below the folder."""
        if not isinstance(text, str):
            raise _input_error("text", f"must be a text, found {text!r:.40}")
        scene = cls(folder=folder)
        bodies, joints, _ = _read_tables(text, os.fspath(folder))
        scene._data = _tables(text)
        scene._kinds, scene._joints = dict(bodies), set(joints)
        return scene

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A scene from a scene file."""
        World.read(path)  # says what is wrong with the file, by its name
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)
            scene = cls.parse(text, os.path.dirname(os.fspath(path)) or ".")
        scene._data.setdefault("name", os.path.splitext(os.path.basename(os.fspath(path)))[0])
        return scene

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene to a file, for `stiction run` and `World.read`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_toml())

    def to_toml(self) -> str:
        """The scene as a scene file; reading it gives the same world, to the bit."""
        plain = {key: value for key, value in self._data.items() if not _is_tables(value)}
        lines = [f"{_key(key)} = {_written(value)}" for key, value in plain.items() if not isinstance(value, dict)]
        text = "\n".join(lines) + "\n"
        for key, value in plain.items():
            if isinstance(value, dict):
                inner = "\n".join(f"{_key(k)} = {_written(v)}" for k, v in value.items())
                text += f"\n[{_key(key)}]\n{inner}\n"
        for key, value in self._data.items():
            if _is_tables(value):
                text += "".join("\n" + _tables_of(key, table) for table in value)
        return text

    @property
    def folder(self) -> str:
        """Where meshes and robots are sought."""
        return self._folder

    @property
    def planar(self) -> bool:
        """Whether bodies move in the plane of x and y only."""
        return bool(self._data.get("world", {}).get("planar", False))

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies."""
        return list(self._kinds)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        return [joint["name"] for joint in self._data.get("joint", []) if joint.get("name") in self._joints] + sorted(
            self._joints - {joint.get("name") for joint in self._data.get("joint", [])}
        )

    def add_material(
        self,
        name: str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        viscosity: float | None = None,
    ) -> None:
        """Adds a material that bodies can name: friction coefficient, restitution 0 to 1, viscosity [N s/m]."""
        given = {"friction": friction, "restitution": restitution, "viscosity": viscosity}
        call = f"add_material({name!r:.40})"
        table: dict[str, Any] = {"name": _text(call, "name", name)}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        if any(other["name"] == name for other in self._data.get("material", [])):
            raise _input_error("name", f"must be the name of one material only, found {name!r}", call)
        self._put(call, "material", table, [])

    def add_material_pair(
        self,
        a: str,
        b: str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        viscosity: float | None = None,
    ) -> None:
        """Says how two materials behave against each other."""
        given = {"friction": friction, "restitution": restitution, "viscosity": viscosity}
        table: dict[str, Any] = {"materials": [a, b]}
        table |= {key: _plain(value, key) for key, value in given.items() if value is not None}
        self._put("add_material_pair", "pair", table, [], {"materials[0]": "a", "materials[1]": "b"})

    def add_gear(self, name: str, joints: tuple[str, str], ratio: float | tuple[float, float]) -> None:
        """Couples the coordinates of two revolute or prismatic joints: the first is ratio times the second."""
        call = f"add_gear({name!r:.40})"
        table = {"name": _text(call, "name", name), "kind": "gear", "joints": _plain(joints, "joints")}
        table["ratio"] = _plain(ratio, "ratio")
        self._put(call, "joint", table, [])

    def _text_before(self, mentions: Sequence[str]) -> str:
        """What a table needs before it to be read alone: settings, materials, and bodies of the names that it mentions."""
        text = "format = 1\n"
        if world := self._data.get("world"):
            text += f"world = {_written(world)}\n"
        text += "".join(_tables_of("material", table) for table in self._data.get("material", []))
        shape = {"disc": 1} if self.planar else {"ball": 1}
        for name in dict.fromkeys(mentions):
            kind = self._kinds[name]
            body = {"name": name, "kind": kind, "shape": shape} | ({"mass": 1} if kind == "dynamic" else {})
            text += _tables_of("body", body | {"level" if self.planar else "groups": []})
        return text

    def _check(self, call: str, tables: str, arguments: Mapping[str, str], mentions: Sequence[str] = ()) -> Any:
        try:
            return _read_tables(self._text_before(mentions) + tables, self._folder)
        except InputError as error:
            raise _in_words(error, call, arguments) from None

    def _put(
        self, call: str, kind: str, table: dict[str, Any], mentions: Sequence[str], arguments: Mapping[str, str] = {}
    ) -> None:
        if kind in ("body", "joint") and table["name"] in (self._kinds if kind == "body" else self._joints):
            raise _input_error("name", f"must be the name of one {kind} only, found {table['name']!r}", call)
        robots = any(key in self._data for key in ("urdf", "mjcf"))
        unknown = [name for name in mentions if name not in self._kinds]
        # Links of robots that are fixed to others have names that only the whole scene knows, and so have joints that others name.
        whole = (unknown and robots) or table.get("kind") == "gear" or kind in ("actuator", "sensor")
        if unknown and not whole:
            near = _did_you_mean(unknown[0], list(self._kinds))
            at = next((key for key, value in table.items() if value == unknown[0]), "body")
            at = next((arguments[f"{k}[{i}]"] for k, v in table.items() if isinstance(v, list) for i, x in enumerate(v)
                       if x == unknown[0] and f"{k}[{i}]" in arguments), at)  # fmt: skip
            raise _input_error(at, f"must be the name of a body, found {unknown[0]!r}{near}", call)
        if whole:
            after = Scene(folder=self._folder)
            after._data = self._data | {kind: [*self._data.get(kind, []), table]}
            try:
                _read_tables(after.to_toml(), self._folder)
            except InputError as error:
                raise _in_words(error, call, arguments) from None
            bodies, joints = [], [table["name"]] if kind == "joint" else []
        else:
            known = len(dict.fromkeys(mentions))
            bodies, joints, _ = self._check(call, _tables_of(kind, table), arguments, mentions)
            bodies = bodies[known:]
        for name, moved in bodies:
            if name in self._kinds:
                raise _input_error("name", f"must be the name of one body only, found {name!r}", call)
            self._kinds[name] = moved
        self._joints.update(joints)
        self._data.setdefault(kind, []).append(table)

    def __repr__(self) -> str:
        return f"Scene(bodies={len(self._kinds)}, joints={len(self._joints)})"

    def _repr_html_(self) -> str:
        from ._show import html

        names = ["bodies", "joints", "settings"]
        return html("Scene", names, [self.body_names, self.joint_names, str(self._data.get("world", {}))])


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _put_in_world(
    self: World,
    call: str,
    kind: str,
    table: dict[str, Any],
    mentions: Sequence[str],
    arguments: Mapping[str, str] = {},
) -> None:
    for name in mentions:
        if name not in self.body_names:
            near = _did_you_mean(name, self.body_names)
            raise _input_error(
                next((key for key, value in table.items() if value == name), "body"),
                f"must be the name of a body, found {name!r}{near}",
                call,
            )
    joints = [table["joint"]] if kind in ("actuator", "sensor") and "joint" in table else []
    if kind == "actuator" and table["name"] in self.actuator_names:
        raise _input_error("name", f"must be the name of one actuator only, found {table['name']!r}", call)
    for name in joints:
        if name not in self.joint_names:
            near = _did_you_mean(name, self.joint_names)
            raise _input_error("joint", f"must be the name of a joint, found {name!r}{near}", call)
    try:
        self._add(_tables_of(kind, table), self.folder, list(dict.fromkeys(mentions)), joints)
    except InputError as error:
        raise _in_words(error, call, arguments) from None


def prescribe(self: World, body: str, motion: Mapping[str, Any] | None) -> None:
    """Lets a kinematic body follow a motion: slide, turn or keyframes as `body.motion` in scene files; None lets it go."""
    try:
        self._prescribe(body, "" if motion is None else _written(_plain(motion, "motion")))
    except InputError as error:
        raise _in_words(error, f"prescribe({body!r:.40})", {}) from None


# Names of MuJoCo, and those of the same here.
_NAMES_OF_MUJOCO = {
    "qpos": "q",
    "qvel": "v",
    "qfrc_bias": "bias_force()",
    "xpos": "positions",
    "xquat": "orientations, as x, y, z, w",
    "sensordata": "sensor_values",
    "xfrc_applied": "apply(body, force, torque)",
    "contact": "contacts",
    "body": "positions[world.body_names.index(name)]",
    "bodies": "body_names",
    "joint": "joints[name]",
    "actuator": "actuators[name]",
    "nq": "nv",
    "nu": "actuator_names",
    "opt": "settings",
    "forward": "step(), which computes all that it needs",
    "reset": "load(saved), with the bytes that save() gave before",
    "state_vector": "state",
}


def _no_attribute(self: World, name: str) -> Any:
    """Says which attribute is meant."""
    known = [found for found in dir(type(self)) if not found.startswith("_")]
    same = _NAMES_OF_MUJOCO.get(name)
    hint = f"; it has world.{same}" if same else _did_you_mean(name, known)
    raise AttributeError(f"'World' object has no attribute {name!r}{hint}", name=name, obj=self)


def _attach() -> None:
    """Worlds are added to by the same calls as scenes, between steps."""
    for name, value in vars(_Adder).items():
        if name.startswith("add_") or name in ("_body", "_below"):
            # What Python says of missing arguments names the class that people know.
            value.__qualname__ = f"Scene.{name}"
            setattr(World, name, value)
    for name, value in (("_put", _put_in_world), ("prescribe", prescribe), ("__getattr__", _no_attribute)):
        setattr(World, name, value)


_attach()
