"""Blocks that stand on each other, given by their meshes: interfaces are found, and `stability` says with proof whether the blocks stand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._stiction import BlockInterface, InputError, Stability, _Blocks


def _wrong(path: str, problem: str) -> InputError:
    error = InputError(f"{path}: {problem}")
    error.path = path
    return error


class Assembly:
    """Blocks with the interfaces between them. Make one with `from_blocks`, `from_folder` or `from_compas`.

    Two faces are an interface where they are no farther apart than `gap` [m], overlap by `area` [m²] or more, and their normals are opposite
    within `angle` [degrees]. Faces may be concave; meshes must be closed.
    """

    def __init__(
        self,
        blocks: Sequence[tuple[str, ArrayLike, Iterable[Sequence[int]]]],
        supports: Iterable[str],
        friction: float,
        *,
        density: float = 1.0,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        gap: float = 1e-4,
        area: float = 1e-6,
        angle: float = 1.0,
    ) -> None:
        names = [name for name, _, _ in blocks]
        fixed = set(supports)
        for name in fixed:
            if name not in names:
                raise _wrong("supports", f"must be names of blocks, found {name!r}")
        meshes = []
        for k, (name, vertices, faces) in enumerate(blocks):
            points = np.asarray(vertices, dtype=float)
            if points.ndim != 2 or points.shape[1] != 3:
                raise _wrong(f"blocks[{k}].vertices", f"must have the shape (n, 3), found {points.shape}")
            meshes.append((name, points.tolist(), [[int(i) for i in face] for face in faces], name in fixed))
        self._blocks = _Blocks(meshes, [gap, area, angle], (float(density), float(friction)), gravity)
        self.names = tuple(names)
        self.supports = tuple(name for name in names if name in fixed)

    @property
    def interfaces(self) -> list[BlockInterface]:
        """Where blocks touch."""
        return self._blocks.interfaces

    @property
    def volumes(self) -> dict[str, float]:
        """Volumes of the blocks [m³]."""
        return dict(zip(self.names, self._blocks.volumes, strict=True))

    def stability(
        self,
        *,
        tilt: str | Sequence[str] | None = None,
        acceleration: str | Sequence[str] | None = None,
        tries: int = 3,
    ) -> Stability:
        """Whether the blocks stand, with proof, and how far gravity may lean, or how hard the ground may accelerate [g], towards x, -x, y, -y, z, -z, or any."""
        return self._blocks.stability(tilt=tilt, acceleration=acceleration, tries=tries)

    def __repr__(self) -> str:
        count = len(self.interfaces)
        return f"Assembly({len(self.names)} blocks, {len(self.supports)} supports, {count} interfaces)"

    @classmethod
    def from_blocks(
        cls, meshes: Sequence[tuple[ArrayLike, Iterable[Sequence[int]]]], supports: Iterable[int], friction: float, **options: Any
    ) -> Assembly:
        """Blocks as (vertices, faces), supports by their places among them."""
        fixed = list(supports)
        for k in fixed:
            if not 0 <= k < len(meshes):
                raise _wrong("supports", f"must be below {len(meshes)}, found {k}")
        blocks = [(str(k), vertices, faces) for k, (vertices, faces) in enumerate(meshes)]
        return cls(blocks, [str(k) for k in fixed], friction, **options)

    @classmethod
    def from_folder(
        cls, pattern: str | os.PathLike[str], supports: Iterable[str], friction: float, **options: Any
    ) -> Assembly:
        """Blocks in OBJ files, a block a file: a folder, or a pattern such as "blocks/*.obj". A block's name is its file's, without the ending."""
        given = Path(pattern)
        folder, glob = (given, "*.obj") if given.is_dir() else (given.parent, given.name)
        files = sorted(folder.glob(glob))
        if not files:
            raise _wrong("pattern", f"must name OBJ files, found none in {os.fspath(given)!r}")
        return cls([(file.stem, *_read_obj(file)) for file in files], supports, friction, **options)

    @classmethod
    def from_compas(cls, assembly: Any, friction: float = 0.84, **options: Any) -> Assembly:
        """An assembly of compas_assembly or compas_cra; or its JSON, as a path or as what json.load gives, without compas.

        Supports are the nodes with `is_support`. Interfaces are computed from the meshes, with the given tolerances.
        """
        if isinstance(assembly, (str, os.PathLike)):
            with open(assembly, encoding="utf-8") as file:
                assembly = json.load(file)
        blocks, supports = [], []
        if isinstance(assembly, Mapping):
            for name, node in _nodes(assembly).items():
                mesh = node["block"]["data"] if "data" in node["block"] else node["block"]
                order = {key: k for k, key in enumerate(mesh["vertex"])}
                points = [[p.get("x", 0.0), p.get("y", 0.0), p.get("z", 0.0)] for p in mesh["vertex"].values()]
                faces = [[order[str(i)] for i in face] for face in mesh["face"].values()]
                blocks.append((str(name), points, faces))
                if node.get("is_support"):
                    supports.append(str(name))
        else:
            graph = getattr(assembly, "graph", assembly)
            if not (hasattr(graph, "nodes") and hasattr(graph, "node_attribute")):
                raise _wrong(
                    "assembly",
                    f"must be an assembly of compas, its JSON or a path, found {type(assembly).__name__}",
                )
            for node in graph.nodes():
                points, faces = graph.node_attribute(node, "block").to_vertices_and_faces()
                blocks.append((str(node), points, faces))
                if graph.node_attribute(node, "is_support"):
                    supports.append(str(node))
        return cls(blocks, supports, friction, **options)


def _nodes(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The nodes of an assembly's JSON, however deep compas has put them."""
    for key in ("data", "graph"):
        inner = data.get(key)
        if isinstance(inner, Mapping) and "node" not in data:
            return _nodes(inner)
    if not isinstance(data.get("node"), Mapping):
        raise _wrong("assembly", "must hold a graph with nodes, found none")
    nodes: Mapping[str, Any] = data["node"]
    return nodes


def _read_obj(file: Path) -> tuple[list[list[float]], list[list[int]]]:
    """Corners and faces of a Wavefront file; textures, normals and groups are passed over."""
    points: list[list[float]] = []
    faces: list[list[int]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                points.append([float(x) for x in words[1:4]])
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) for word in words[1:]]
                faces.append([k - 1 if k > 0 else len(points) + k for k in corners])
        except ValueError:
            raise _wrong(f"{file.name}:{number}", f"must hold numbers, found {line.strip()!r}") from None
    return points, faces
