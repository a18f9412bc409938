"""A step of a simulation in one call: pairs, impacts, hits and movers of moving boxes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Sequence, Type, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import BoxesLike, Invalid, _array, as_boxes, as_choice, as_floats, as_rows, as_workers, wrong
from ._mesh import TriangleMesh
from ._movers import Movers, MoverSettings, MoverSteps, as_mover_settings, as_movers, native_scene
from ._pairs import ALGORITHMS, Algorithm
from ._queries import _TOUCH, BoxRows, Casts, HitList, Obbs, Rays, Spheres, Touch, _Queries
from ._scene import MeshScene, as_meshes

Report = Literal["closest", "all"]
_REPORTS = ("closest", "all")
_Kind = TypeVar("_Kind", bound=_Queries)


class Impacts(NamedTuple):
    """Bodies that meet within the step, ascending by t, then by both indices."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    t: NDArray[np.float32]
    """When, as a fraction of the step; 0 where they overlap from the start."""
    face: NDArray[np.uint8]
    """The face of the first one's box that the second one reaches, see `Hits`."""


class TriangleImpacts(NamedTuple):
    """Oriented boxes and triangles that they meet within the step, ascending by both indices."""

    obb: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    axis: NDArray[np.uint8]
    """Which axis decides: 0 to 2 the box's, 3 the triangle's normal, 4 to 12 products of edges, 13 none, since they overlap
    from the start."""


class StageMeshHits(NamedTuple):
    """The first hit of each ray among all meshes, ascending by ray; rays that hit none are left out."""

    query: NDArray[np.int64]
    mesh: NDArray[np.int64]
    """The index of the mesh; of a scene's hits that of the instance."""
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class StageMeshImpacts(NamedTuple):
    """The first impact of each oriented box among all meshes, ascending; boxes that meet none are left out."""

    obb: NDArray[np.int64]
    mesh: NDArray[np.int64]
    """The index of the mesh; of a scene's impacts that of the instance."""
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    axis: NDArray[np.uint8]
    """See `TriangleImpacts`."""


class Frame(NamedTuple):
    """The results of a step. Lists of absent inputs are empty."""

    candidate_pairs: NDArray[np.int64]
    """Bodies whose swept boxes overlap, (k, 2), i < j, ascending."""
    impacts: Impacts
    ray_hits: HitList
    """Bodies that rays hit, ascending by ray, then by body."""
    cast_hits: HitList
    """The same of casts of boxes, and of spheres."""
    sphere_cast_hits: HitList
    box_overlaps: NDArray[np.int64]
    """Shapes and bodies that they overlap, (k, 2), ascending."""
    sphere_overlaps: NDArray[np.int64]
    obb_overlaps: NDArray[np.int64]
    triangle_impacts: TriangleImpacts
    mesh_hits: StageMeshHits
    mesh_impacts: StageMeshImpacts
    scene_hits: StageMeshHits
    scene_impacts: StageMeshImpacts
    movers: MoverSteps
    """An entry for each mover."""
    hash: int
    """The same for the same results on every machine and for any number of workers."""
    seconds: float
    """What the step took."""


class CollisionStage:
    """The whole pipeline in one call a frame. It keeps trees and memory from step to step; results do not depend on what
    it kept, so that a new one returns the same."""

    def __init__(self) -> None:
        self._native = _broadside.Stage()

    def __reduce__(self) -> Any:
        return CollisionStage, ()

    def step(self, boxes: BoxesLike = (), displacements: Optional[ArrayLike] = None, *, rays: Optional[Rays] = None,
             casts: Optional[Casts] = None, sphere_casts: Optional[Casts] = None,
             overlap_boxes: Optional[BoxesLike] = None, overlap_spheres: Optional[Spheres] = None,
             overlap_obbs: Optional[Obbs] = None, obbs: Optional[Obbs] = None,
             obb_displacements: Optional[ArrayLike] = None, triangles: Optional[ArrayLike] = None,
             meshes: Sequence[TriangleMesh] = (), scene: Optional[MeshScene] = None, movers: Optional[Movers] = None,
             mover_settings: Optional[MoverSettings] = None, touch: Touch = "closed", ray_report: Report = "closest",
             cast_report: Report = "closest", algorithm: Algorithm = "automatic", workers: Optional[int] = 1,
             invalid: Invalid = "raise") -> Frame:
        """The results of one step. In float32, three axes; boxes of other types are rounded as a `World` rounds.

        Parameters
        ----------
        boxes : the bodies at the start of the step.
        displacements : how far each moves in the step, (n, 3) or one for all; None rests.
        rays : at the bodies at the start of the step, and at the meshes.
        casts, sphere_casts : `Casts` of boxes and of `Spheres` at the bodies, which rest meanwhile.
        overlap_boxes, overlap_spheres, overlap_obbs : shapes of which the overlaps with the bodies are wanted.
        obbs : oriented boxes that move by `obb_displacements` against triangles, meshes and the scene.
        triangles : (m, 3, 3) corners.
        meshes, scene : stand still; rays, oriented boxes and movers meet them.
        movers : move through the bodies, which rest meanwhile, the meshes and the scene.
        touch : of impacts and casts: 'closed', where a graze counts, or 'open'.
        ray_report, cast_report : 'closest', or 'all' that each meets.
        """
        own = as_boxes(boxes if isinstance(boxes, np.ndarray) or len(boxes) else np.empty((0, 6), dtype=np.float32),  # type: ignore[arg-type]
                       "boxes", axes=3, invalid=invalid)
        touching = as_choice(touch, "touch", _TOUCH)
        ray_queries = _of_kind(rays, "rays", Rays)
        moving = [_casts_of(casts, "casts", BoxRows, touching), _casts_of(sphere_casts, "sphere_casts", Spheres, touching)]
        oriented = _of_kind(obbs, "obbs", Obbs)
        count = 0 if oriented is None else len(oriented)
        rows = (
            _vectors(displacements, "displacements", own.count, invalid), _rows(ray_queries, 7), _rows(moving[0], 10),
            _rows(moving[1], 8),
            _rows(None if overlap_boxes is None else BoxRows(
                as_boxes(overlap_boxes, "overlap_boxes", axes=3, invalid=invalid)), 6),
            _rows(_of_kind(overlap_spheres, "overlap_spheres", Spheres), 4),
            _rows(_of_kind(overlap_obbs, "overlap_obbs", Obbs), 15), _rows(oriented, 15),
            _vectors(obb_displacements, "obb_displacements", count, invalid), _triangles(triangles, invalid))
        moved = Movers(np.empty((0, 3)), np.empty((0, 3))) if movers is None else as_movers(movers)
        rules = (touching, 2 if ray_queries is None else ray_queries.rule, as_choice(ray_report, "ray_report", _REPORTS),
                 as_choice(cast_report, "cast_report", _REPORTS), as_choice(algorithm, "algorithm", ALGORITHMS))
        found = self._native.step(
            own.min, own.max, rows, [mesh._native for mesh in as_meshes(meshes)], native_scene(scene), moved._columns,
            as_mover_settings(mover_settings, "mover_settings")._fields(), rules, as_workers(workers))
        (pairs, impacts, ray_hits, cast_hits, sphere_cast_hits, box_overlaps, sphere_overlaps, obb_overlaps,
         triangle_impacts, mesh_hits, mesh_impacts, scene_hits, scene_impacts, steps, number, seconds) = found
        return Frame(pairs, Impacts(*impacts), HitList(*ray_hits), HitList(*cast_hits), HitList(*sphere_cast_hits),
                     box_overlaps, sphere_overlaps, obb_overlaps, TriangleImpacts(*triangle_impacts),
                     StageMeshHits(*mesh_hits), StageMeshImpacts(*mesh_impacts), StageMeshHits(*scene_hits),
                     StageMeshImpacts(*scene_impacts), MoverSteps(*steps), number, seconds)


def _of_kind(value: Any, name: str, kind: Type[_Kind]) -> Optional[_Kind]:
    if value is not None and not isinstance(value, kind):
        raise wrong(name, repr(value), kind.__name__, TypeError)
    if value is not None and len(value) and value.axis_count != 3:
        raise wrong(name, f"{value.axis_count} axes", "3")
    return value


def _casts_of(value: Optional[Casts], name: str, shapes: Type[_Queries], touching: int) -> Optional[Casts]:
    casts = _of_kind(value, name, Casts)
    if casts is None:
        return None
    if casts._hit_kind != (shapes.KIND or 1):
        raise wrong(name, repr(casts), f"Casts of {'boxes' if shapes is BoxRows else shapes.__name__}", TypeError)
    if shapes is BoxRows and casts.rule != touching:
        raise wrong(name, f"touch {_TOUCH[casts.rule]!r}", f"{_TOUCH[touching]!r}, the touch of the step")
    return casts


def _rows(queries: Optional[_Queries], width: int) -> NDArray[np.float32]:
    return np.empty((0, width), dtype=np.float32) if queries is None else queries.rows()


def _vectors(value: Optional[ArrayLike], name: str, count: int, invalid: str) -> NDArray[np.float32]:
    return as_floats(np.empty((0, 3)) if value is None else as_rows(value, name, (3,), count=count, invalid=invalid)[0])


def _triangles(value: Optional[ArrayLike], invalid: str) -> NDArray[np.float32]:
    if value is None:
        return np.empty((0, 9), dtype=np.float32)
    array = _array(value, "triangles")
    if array.size and array.shape[-2:] != (3, 3) or array.ndim > 3:
        raise wrong("triangles", f"shape {array.shape}", "(m, 3, 3)")
    return as_floats(as_rows(array.reshape(-1, 9), "triangles", (9,), invalid=invalid)[0])
