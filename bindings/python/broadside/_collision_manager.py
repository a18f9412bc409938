"""Named meshes that move, and their collisions, by the names of trimesh."""

from __future__ import annotations

from typing import Any, Dict, Hashable, List, Optional, Set, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import wrong
from ._mesh import RELATIONS, TriangleMesh, as_transforms
from ._scene import Clashes, MeshScene, find_clashes

Name = Hashable
_EYE = np.eye(4)
_TOUCHING = RELATIONS.index("touching")


class CollisionManager:
    """Named meshes, each placed by a matrix, as trimesh's `CollisionManager`.

    Two objects collide if their surfaces meet, a touch included; exact triangles decide. A mesh of trimesh may be given
    where a `TriangleMesh` is: its `vertices` and `faces` are read once, when it is added.

    Parameters
    ----------
    find_contained : whether an object inside a closed one collides with it, too; of trimesh it does not.
    """

    def __init__(self, *, find_contained: bool = False) -> None:
        self._find_contained = bool(find_contained)
        self._objects: Dict[Name, Tuple[TriangleMesh, NDArray[np.float64]]] = {}
        self._scene: Optional[MeshScene] = None
        self._has_moved = False

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"CollisionManager({len(self)} objects)"

    def add_object(self, name: Name, mesh: Any, transform: Optional[ArrayLike] = None) -> None:
        """Adds a mesh, placed by a matrix (4, 4), or where it is. An object of that name is replaced."""
        self._objects[name] = _mesh_of(mesh), _matrix_of(transform)
        self._scene = None

    def remove_object(self, name: Name) -> None:
        """Removes an object."""
        del self._objects[self._known(name)]
        self._scene = None

    def set_transform(self, name: Name, transform: ArrayLike) -> None:
        """Moves an object."""
        mesh, _ = self._objects[self._known(name)]
        self._objects[name] = mesh, _matrix_of(transform)
        self._has_moved = True

    def in_collision_internal(self, return_names: bool = False) -> Union[bool, Tuple[bool, Set[Tuple[Name, Name]]]]:
        """Whether two objects collide; with `return_names` also the pairs of names, each ascending (in the order of adding if
        the names have no order)."""
        names = list(self._objects)
        found = [_ascending(names[i], names[j]) for i, j in self._colliding(find_clashes(
            self._current(), find_contained=self._find_contained))]
        return (bool(found), set(found)) if return_names else bool(found)

    def in_collision_other(self, other_manager: CollisionManager, return_names: bool = False
                           ) -> Union[bool, Tuple[bool, Set[Tuple[Name, Name]]]]:
        """Whether an object collides with one of another manager; with `return_names` also the pairs of names, whose first
        ones are of this manager."""
        if not isinstance(other_manager, CollisionManager):
            raise wrong("other_manager", type(other_manager).__name__, "a CollisionManager", TypeError)
        names, others = list(self._objects), list(other_manager._objects)
        found = [(names[i], others[j]) for i, j in self._colliding(find_clashes(
            self._current(), other_manager._current(), find_contained=self._find_contained))]
        return (bool(found), set(found)) if return_names else bool(found)

    def in_collision_single(self, mesh: Any, transform: Optional[ArrayLike] = None, return_names: bool = False
                            ) -> Union[bool, Tuple[bool, Set[Name]]]:
        """Whether a mesh collides with an object; with `return_names` also the names of these objects."""
        names = list(self._objects)
        one = MeshScene([_mesh_of(mesh)], [_matrix_of(transform)])
        found = [names[i] for i, _ in self._colliding(find_clashes(
            self._current(), one, find_contained=self._find_contained))]
        return (bool(found), set(found)) if return_names else bool(found)

    def scene(self) -> MeshScene:
        """The objects as they are placed now, in the order of adding: it has all other queries."""
        meshes, matrices = self._parts()
        return MeshScene(meshes, matrices if meshes else None)

    def _colliding(self, clashes: Clashes) -> List[List[int]]:
        """Pairs of indices that meet, or of which one holds the other."""
        meets = clashes.relation >= _TOUCHING
        for relation in ("a_in_b", "b_in_a"):
            meets |= clashes.relation == RELATIONS.index(relation)
        pairs: List[List[int]] = clashes.pairs[meets].tolist()
        return pairs

    def _current(self) -> MeshScene:
        if self._scene is None:
            self._scene = self.scene()
        elif self._has_moved:
            self._scene.update(np.array(self._parts()[1]))
        self._has_moved = False
        return self._scene

    def _parts(self) -> Tuple[List[TriangleMesh], List[NDArray[np.float64]]]:
        return [mesh for mesh, _ in self._objects.values()], [matrix for _, matrix in self._objects.values()]

    def _known(self, name: Name) -> Name:
        if name not in self._objects:
            raise wrong("name", repr(name), f"one of {list(self._objects)}")
        return name


def _ascending(a: Any, b: Any) -> Tuple[Name, Name]:
    try:
        return (b, a) if b < a else (a, b)
    except TypeError:
        return a, b


def _mesh_of(mesh: Any) -> TriangleMesh:
    if isinstance(mesh, TriangleMesh):
        return mesh
    if not hasattr(mesh, "vertices") or not hasattr(mesh, "faces"):
        raise wrong("mesh", type(mesh).__name__, "a TriangleMesh, or a mesh with vertices and faces", TypeError)
    return TriangleMesh(mesh.vertices, mesh.faces)


def _matrix_of(transform: Optional[ArrayLike]) -> NDArray[np.float64]:
    if transform is None:
        return _EYE
    as_transforms(transform, "transform", 1)
    matrix: NDArray[np.float64] = np.array(transform, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise wrong("transform", f"shape {matrix.shape}", "(4, 4)")
    return matrix
