"""Everything that a world can do in Rust it can do in Python: a list of both, held to the sources."""

from __future__ import annotations

import ast
import inspect
import re

import pytest
import stiction

from conftest import ROOT

# Rust's name, and where it is in Python: an attribute of World, `Joint.` of a joint, or a reason why it needs none.
NAMES = {
    "new": "World",
    "from_scene": "World",
    "add_scene": "_add",
    "step": "step",
    "add_body": "add_body",
    "add_joint": "add_joint",
    "add_urdf": "add_urdf",
    "add_mjcf": "add_mjcf",
    "add_actuator": "add_actuator",
    "add_sensor": "add_sensor",
    "add_frame": "add_frame",
    "remove_body": "remove_body",
    "remove_joint": "remove_joint",
    "keep_apart": "keep_apart",
    "set_pair": "add_pair",
    "schedule": "add_force",
    "couple": "add_coupling",
    "prescribe": "prescribe",
    "motion": "has_motion",
    "set_pose": "set_pose",
    "set_velocity": "set_velocity",
    "apply": "apply",
    "apply_impulse": "apply_impulse",
    "set_motor": "set_motor",
    "set_limits": "Joint.limit",
    "armature": "Joint.armature",
    "set_armature": "Joint.armature",
    "joints": "joints",
    "joint_span": "joint_slice",
    "joint_coordinate": "Joint.position",
    "joint_error": "Joint.error",
    "joint_forces": "Joint.force",
    "rope_tension": "Joint.force",
    "rope_tensions": "Joint.tensions",
    "joints_that_fail": "joints_that_fail",
    "redundant_joints": "redundant_joints",
    "freedom_count": "nv",
    "velocities": "generalized_velocity",
    "mass_matrix": "mass_matrix",
    "bias_force": "bias_force",
    "inverse_dynamics": "inverse_dynamics",
    "jacobian": "jacobian",
    "q": "q",
    "v": "v",
    "set_joints": "q",
    "actuators": "actuators",
    "ctrl": "ctrl",
    "set_ctrl": "ctrl",
    "actuator_force": "actuator_force",
    "sensors": "sensor_names",
    "sensor_count": "sensor_count",
    "sensor_values": "sensor_values",
    "frames": "frame_names",
    "frame_pose": "frame",
    "bodies": "body_names",
    "state": "state",
    "settings": "settings",
    "contacts": "contacts",
    "tangents": "problem",
    "problem": "problem",
    "solution": "solution",
    "solved_length": "solved_length",
    # What `why` is made from.
    "statics": "why",
    "joint_reactions": "why",
    "ledger": "energy",
    "work": "work",
    "set_max_work": "max_work",
    "save": "save",
    "load": "load",
    "load_forced": "load",
    "cast_ray": "cast_ray",
    "cast_ray_at": "cast_ray",
    "distance": "distance",
    "distance_to_point": "distance_to_point",
    "time_stages": "time_stages",
    "stage_times": "stage_times",
    # Names take the place of indices.
    "find_body": "",
    "find_actuator": "",
    "find_frame": "",
    "body_id": "",
    "body_with_id": "",
    "revision": "",
    "check_body": "",
    # How VectorWorld lets many worlds take turns.
    "member": "",
    "exchange": "",
    # Materials have names, and come with a scene.
    "set_material_number": "",
    "set_material_pair": "",
}


def of_rust() -> set[str]:
    """Public functions of World in the library's sources."""
    found: set[str] = set()
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        if "py" in file.parts:
            continue
        for block in re.findall(r"^impl World \{(.*?)^\}", file.read_text(), re.DOTALL | re.MULTILINE):
            found.update(re.findall(r"^    pub (?:const )?fn (\w+)", block, re.MULTILINE))
        for block in re.findall(r"^pub trait WorldExt.*?\{(.*?)^\}", file.read_text(), re.DOTALL | re.MULTILINE):
            found.update(re.findall(r"^    fn (\w+)", block, re.MULTILINE))
        for block in re.findall(r"^pub trait WorldExt: Sized \{(.*?)^\}", file.read_text(), re.DOTALL | re.MULTILINE):
            found.update(re.findall(r"^    fn (\w+)", block, re.MULTILINE))
    return found


def test_python_has_all_that_a_world_has_in_rust() -> None:
    rust = of_rust()
    assert len(rust) > 50
    assert sorted(rust - NAMES.keys()) == [], "new in Rust: wrap it and add its name here"
    assert sorted(NAMES.keys() - rust) == [], "no longer in Rust"
    for name in NAMES.values():
        holder, _, attribute = name.rpartition(".")
        if name and name != "World":
            assert hasattr(stiction.Joint if holder == "Joint" else stiction.World, attribute or name), name


def bare(holder: type, name: str) -> list[str]:
    """Public attributes of a class that say nothing; those that are inherited may say it in the base."""
    found = []
    slots = vars(holder).get("__slots__", {})
    for attribute, member in vars(holder).items():
        if attribute.startswith("_") or not (callable(member) or hasattr(member, "__get__")):
            continue
        said = isinstance(slots, dict) and slots.get(attribute)
        if not said and not (inspect.getdoc(getattr(holder, attribute)) or "").strip():
            found.append(f"{name}.{attribute}")
    return found


def test_everything_public_has_a_docstring() -> None:
    found = []
    for name in stiction.__all__:
        value = getattr(stiction, name)
        if callable(value) and (getattr(value, "__module__", "") or "").startswith("stiction") and not (value.__doc__ or "").strip():
            found.append(name)
        if isinstance(value, type) and value.__module__.startswith("stiction"):
            found += bare(value, name)
    assert found == []


def test_everything_public_of_the_environments_has_a_docstring() -> None:
    gym = pytest.importorskip("stiction.gym", reason="skipped: stiction.gym: the package gymnasium is not installed")
    found = []
    for name, value in vars(gym).items():
        if name.startswith("_") or getattr(value, "__module__", None) != "stiction.gym":
            continue
        if not (inspect.getdoc(value) or "").strip():
            found.append(name)
        if isinstance(value, type):
            found += bare(value, name)
    assert found == []


def test_every_public_entry_of_the_stubs_has_a_docstring() -> None:
    tree = ast.parse((ROOT / "crates/py/python/stiction/_stiction.pyi").read_text())
    found = []
    for holder in tree.body:
        inner = holder.body if isinstance(holder, ast.ClassDef) else [holder]
        name = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
        if name.startswith("_"):
            continue
        if isinstance(holder, ast.ClassDef) and not ast.get_docstring(holder):
            found.append(holder.name)
        for entry in inner:
            if not isinstance(entry, ast.FunctionDef) or entry.name.startswith("_"):
                continue
            is_setter = any(isinstance(mark, ast.Attribute) and mark.attr == "setter" for mark in entry.decorator_list)
            if not is_setter and not ast.get_docstring(entry):
                found.append(name + entry.name)
    assert found == []
