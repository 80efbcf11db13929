"""Blocks from meshes, and whether they stand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stiction

FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
Mesh = tuple[list[list[float]], list[list[int]]]


def brick(low: tuple[float, float, float], high: tuple[float, float, float]) -> Mesh:
    corners = [[(high if k >> a & 1 else low)[a] for a in range(3)] for k in range(8)]
    return corners, FACES


def tower(count: int) -> list[Mesh]:
    ground = brick((-2, -2, -1), (2, 2, 0))
    return [ground, *(brick((-0.5, -0.5, k), (0.5, 0.5, k + 1)) for k in range(count))]


def test_a_tower_tips_at_a_slope_of_one_over_its_height() -> None:
    assembly = stiction.Assembly.from_blocks(tower(4), [0], 0.6)
    assert repr(assembly) == "Assembly(5 blocks, 1 supports, 4 interfaces)"
    assert assembly.volumes["1"] == pytest.approx(1)
    found = assembly.stability(tilt="x")
    assert found.verdict == "stands" and found.proof == "forces" and found.forces is not None
    assert found.forces[:, 0].sum() == pytest.approx(9.81 * (1 + 2 + 3 + 4), rel=1e-6)
    margin = found.margin
    assert margin is not None and margin.low is not None and margin.high is not None
    assert margin.low <= math.degrees(math.atan(0.25)) <= margin.high
    assert margin.high - margin.low < 1e-4
    assert margin.mechanism is not None and margin.mechanism.shape == (4, 6)


def test_what_nothing_carries_falls_with_a_mechanism() -> None:
    meshes = [*tower(1), brick((1.5, 0, 2), (2.5, 1, 3))]
    found = stiction.Assembly.from_blocks(meshes, [0], 0.6).stability()
    assert found.verdict == "falls" and found.proof == "mechanism" and found.mechanism is not None
    assert found.margin is None and json.loads(found.json)["verdict"] == "falls"


def test_blocks_come_from_obj_files_and_from_the_json_of_compas(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {}
    for name, (points, faces) in zip(["ground", "brick"], tower(1), strict=True):
        lines = ["# a block", *(f"v {x} {y} {z}" for x, y, z in points)]
        lines += ["f " + " ".join(f"{k + 1}/1/1" for k in face) for face in faces]
        (tmp_path / f"{name}.obj").write_text("\n".join(lines))
        vertex = {str(k): dict(zip("xyz", p, strict=True)) for k, p in enumerate(points)}
        mesh = {"data": {"vertex": vertex, "face": {str(k): face for k, face in enumerate(faces)}}}
        nodes[str(len(nodes))] = {"block": mesh, "is_support": name == "ground"}
    by_files = stiction.Assembly.from_folder(tmp_path, ["ground"], 0.5)
    file = tmp_path / "assembly.json"
    file.write_text(json.dumps({"data": {"graph": {"data": {"node": nodes, "edge": {}}}}}))
    by_compas = stiction.Assembly.from_compas(file, 0.5)
    assert by_files.names == ("brick", "ground") and by_compas.supports == ("0",)
    for assembly in (by_files, by_compas):
        [interface] = assembly.interfaces
        assert interface.area == pytest.approx(1) and abs(interface.normal[2]) == pytest.approx(1)
        assert assembly.stability().verdict == "stands"


def test_the_vault_of_compas_cra_has_its_interfaces(root: Path) -> None:
    for folder in (root / "data", root.parent / "shared" / "data"):
        file = folder / "compas-cra" / "armadillo_cra.json"
        if file.exists():
            break
    else:
        pytest.skip("compas-cra/armadillo_cra.json: not fetched")
    assembly = stiction.Assembly.from_compas(file, 0.7, gap=0.05, angle=20, area=1e-3)
    assert len(assembly.names) == 399
    assert len(assembly.interfaces) > 900


def test_mistakes_are_said_with_their_place() -> None:
    with pytest.raises(stiction.InputError, match="supports: must be below 2, found 7"):
        stiction.Assembly.from_blocks(tower(1), [7], 0.5)
    points, faces = brick((0, 0, 0), (1, 1, 1))
    with pytest.raises(stiction.InputError, match="must be closed"):
        stiction.Assembly.from_blocks([(points, faces[:-1])], [], 0.5)
    with pytest.raises(stiction.InputError, match="tilt"):
        stiction.Assembly.from_blocks(tower(1), [0], 0.5).stability(tilt="up")


def test_a_world_says_whether_it_stands() -> None:
    text = """
format = 1
world = { density = 1 }
material = [{ name = "wood", friction = 0.6 }]
body = [{ name = "ground", shape = { half_space = [0, 0, 1] }, material = "wood" }]
stack = [{ name = "box", box = [1, 1, 1], count = 2, material = "wood" }]
"""
    found = stiction.World.parse(text).stability(tilt=["x", "y"])
    assert found.verdict == "stands" and [margin.name for margin in found.margins] == ["x", "y"]
    for margin in found.margins:
        assert margin.low is not None and margin.high is not None
        assert margin.low <= math.degrees(math.atan(0.5)) <= margin.high


def test_grasps_in_a_batch_have_their_closures_squeezes_and_qualities() -> None:
    corner = 1 / np.sqrt(3)
    ball = corner * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    pinch = np.array([[1.0, 0, 0], [-1, 0, 0], [1, 0, 0], [-1, 0, 0]])
    points = np.stack([ball, pinch])
    found = stiction.grasps(points, -points, 0.5, quality=True)
    assert found["force_closure"].tolist() == [True, False]
    assert abs(found["squeeze"][1] - 9.81 / 2) < 1e-5
    assert 0.348 < found["quality_low"][0] <= found["quality_high"][0] <= 0.3584
    one = stiction.grasps(ball, -ball, 0.5)
    assert abs(one["squeeze"][0] - found["squeeze"][0]) < 1e-6
    with pytest.raises(ValueError, match=r"points: must have shape"):
        stiction.grasps([1, 2, 3], [1, 2, 3], 0.5)


def test_wrong_tries_and_assemblies_are_named() -> None:
    with pytest.raises(ValueError, match="assembly: must be an assembly of compas"):
        stiction.Assembly.from_compas(3)
    assembly = stiction.Assembly.from_blocks(tower(1), [0], 0.6)
    with pytest.raises(ValueError, match="tries: must not be negative"):
        assembly.stability(tries=-1)
