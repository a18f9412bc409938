"""Boxes, spheres and capsules that move through boxes and meshes, and slide along what blocks them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import Invalid, as_choice, as_column, as_floats, as_number, as_rows, as_whole, as_workers, of_one, wrong
from ._mesh import LARGEST, TriangleMesh
from ._scene import MeshScene, as_meshes
from ._tree import BoxTree

MoverForm = Literal["box", "sphere", "capsule"]
MOVER_FORMS: Tuple[MoverForm, ...] = ("box", "sphere", "capsule")
MOVER_STATUSES = ("finished", "iterations_used_up", "started_inside", "crowded", "invalid")


class MoverSteps(NamedTuple):
    """The ends of the steps of movers, an entry for each."""

    positions: NDArray[np.float32]
    """Centers at the end of the step, (n, 3)."""
    status: NDArray[np.uint8]
    """How the step ended: an index of `MOVER_STATUSES`."""
    is_grounded: NDArray[np.bool_]
    """Whether each stands on ground: something within twice the contact offset whose slope is low enough."""
    has_stepped: NDArray[np.bool_]
    """Whether each went up a step."""
    iteration_count: NDArray[np.int64]
    """How often each was deflected."""
    ground_normal: NDArray[np.float32]
    """Of the ground that each stands on, (n, 3); zero without."""
    wall_normal: NDArray[np.float32]
    """Of the last wall that deflected each, (n, 3), zero without: what a caller takes out of its velocity."""


class Movers:
    """Boxes, spheres or capsules, and where they want to be. All but the positions may be one for all or one for each.

    Parameters
    ----------
    positions : their centers, (n, 3), or one.
    displacements : what each wants to do in this step, gravity included.
    form : a word of `MOVER_FORMS`. Boxes lie along the axes, capsules along `MoverSettings.up`.
    half_extents : of boxes, (n, 3).
    radii : of spheres and capsules.
    half_lengths : of capsules, from the center to the center of the sphere at an end.
    ignored_boxes : a box of the tree that each passes through, -1 for none.
    """

    def __init__(self, positions: ArrayLike, displacements: ArrayLike, *,
                 form: Union[MoverForm, Sequence[MoverForm]] = "capsule", half_extents: ArrayLike = (0.0, 0.0, 0.0),
                 radii: ArrayLike = 0.0, half_lengths: ArrayLike = 0.0, ignored_boxes: ArrayLike = -1,
                 invalid: Invalid = "raise") -> None:
        own, self.is_single = as_rows(positions, "positions", (3,), invalid=invalid)
        count = len(own)
        ways, _ = as_rows(displacements, "displacements", (3,), count=count, invalid=invalid)
        extents, _ = as_rows(half_extents, "half_extents", (3,), count=count, invalid=invalid)
        bad = np.flatnonzero((extents < 0).any(axis=1))
        if len(bad):
            raise wrong("half_extents", f"row {bad[0]} is {tuple(extents[bad[0]].tolist())}", "0 or more")
        columns = [np.broadcast_to(as_column(value, name, count, np.float32, 0, LARGEST), count).reshape(-1, 1)
                   for value, name in ((radii, "radii"), (half_lengths, "half_lengths"))]
        words = [form] if isinstance(form, str) else list(form)
        if len(words) not in (1, count):
            raise wrong("form", f"{len(words)} words", f"one or {count}")
        forms = np.array([as_choice(word, "form", MOVER_FORMS) for word in words], dtype=np.uint8)
        ignored = as_column(ignored_boxes, "ignored_boxes", count, np.int64, -1, 2 ** 31 - 1)
        # For the extension module: numbers, forms and boxes.
        self._columns = (np.hstack([as_floats(part) for part in (own, ways, extents, *columns)]),
                         np.ascontiguousarray(np.broadcast_to(forms, count)),
                         np.ascontiguousarray(np.broadcast_to(ignored, count)))

    def __len__(self) -> int:
        return len(self._columns[0])

    def __repr__(self) -> str:
        return f"Movers({len(self)})"


class MoverSettings:
    """How movers move; common to all of a call.

    Parameters
    ----------
    up : away from the ground, of any length but zero.
    min_ground_cosine : the cosine of the steepest slope that is ground; 45 degrees without.
    step_height : how far they step up onto ground that is in their way.
    stick_distance : how far down they look for ground to stay on after a step that began on ground.
    contact_offset : how far they stay away from everything: some hundredths of their size.
    max_iterations : how often at most one may be deflected in a step.
    """

    def __init__(self, *, up: ArrayLike = (0.0, 0.0, 1.0), min_ground_cosine: float = 0.70710678,
                 step_height: float = 0.0, stick_distance: float = 0.0, contact_offset: float = 0.01,
                 max_iterations: int = 16) -> None:
        self.up = as_floats(as_rows(up, "up", (3,), count=1)[0])[0]
        if not (self.up != 0).any():
            raise wrong("up", self.up.tolist(), "a direction of some length")
        self.min_ground_cosine = as_number(min_ground_cosine, "min_ground_cosine", 0, 1)
        self.step_height = as_number(step_height, "step_height", 0, LARGEST)
        self.stick_distance = as_number(stick_distance, "stick_distance", 0, LARGEST)
        self.contact_offset = as_number(contact_offset, "contact_offset", 0, LARGEST)
        self.max_iterations = as_whole(max_iterations, "max_iterations", 0, 2 ** 32 - 1)

    def __repr__(self) -> str:
        return f"MoverSettings({', '.join(f'{name}={value}' for name, value in vars(self).items())})"

    def _fields(self) -> Tuple[Any, ...]:
        return (*self.up.tolist(), self.min_ground_cosine, self.step_height, self.stick_distance, self.contact_offset,
                self.max_iterations)


def step_movers(movers: Movers, *, boxes: Optional[BoxTree] = None, meshes: Sequence[TriangleMesh] = (),
                scene: Optional[MeshScene] = None, settings: Optional[MoverSettings] = None,
                workers: Optional[int] = 1) -> MoverSteps:
    """One step of each mover, as if alone, through what rests: it slides along what blocks it, climbs slopes and steps,
    and ends inside nothing. Of one mover the results are those of one.

    Parameters
    ----------
    boxes : solid boxes, a tree of float32 with three axes.
    meshes, scene : their triangles have two sides.
    """
    as_movers(movers)
    if boxes is not None:
        if not isinstance(boxes, BoxTree):
            raise wrong("boxes", type(boxes).__name__, "a BoxTree", TypeError)
        if boxes.dtype != np.float32 or boxes.axis_count != 3:
            raise wrong("boxes", repr(boxes), "a tree of float32 with three axes", TypeError)
    found = _broadside.step_movers(
        *movers._columns, None if boxes is None else boxes._native, [mesh._native for mesh in as_meshes(meshes)],
        native_scene(scene), as_mover_settings(settings)._fields(), as_workers(workers))
    return MoverSteps(*(of_one(movers.is_single, each) for each in found))


def as_movers(movers: Any) -> Movers:
    if not isinstance(movers, Movers):
        raise wrong("movers", type(movers).__name__, "Movers", TypeError)
    return movers


def as_mover_settings(settings: Any, name: str = "settings") -> MoverSettings:
    if settings is None:
        return MoverSettings()
    if not isinstance(settings, MoverSettings):
        raise wrong(name, type(settings).__name__, "MoverSettings", TypeError)
    return settings


def native_scene(scene: Any) -> Optional[_broadside.Scene]:
    if scene is not None and not isinstance(scene, MeshScene):
        raise wrong("scene", type(scene).__name__, "a MeshScene", TypeError)
    return None if scene is None else scene._native
