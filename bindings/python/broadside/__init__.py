"""All overlapping pairs of boxes, trees and worlds of boxes, and batches of the narrowphase.

Results are exact, and the same bits on every machine and for any number of workers.

>>> import numpy as np, broadside
>>> boxes = np.array([[0, 0, 0, 2, 2, 2], [1, 1, 1, 3, 3, 3], [5, 5, 5, 6, 6, 6]], dtype=np.float32)
>>> broadside.find_pairs(boxes)
array([[0, 1]])
"""

from ._broadside import active_isa, config_string, supported_isas
from ._broadside import version as _version
from ._collision_manager import CollisionManager
from ._isa import set_active_isa
from ._kernels import overlap, ray_boxes, time_of_impact
from ._mesh import RELATIONS, TRIANGLE_PAIR_KINDS, ClosestTriangles, MeshHitList, MeshHits, MeshImpactList
from ._mesh import TriangleMesh, TrianglePairs
from ._movers import MOVER_FORMS, MOVER_STATUSES, Movers, MoverSettings, MoverSteps, step_movers
from ._pairs import ALGORITHMS, BoxFilter, find_pairs, release_memory
from ._queries import Capsules, Casts, HitList, Hits, Obbs, Rays, Spheres
from ._scene import Clashes, MeshScene, SceneHitList, SceneHits, SceneImpactList, find_clashes
from ._stage import CollisionStage, Frame, Impacts, StageMeshHits, StageMeshImpacts, TriangleImpacts
from ._tree import BoxTree
from ._world import KINDS, Update, Where, World, WorldView

__version__ = _version()

__all__ = [
    "ALGORITHMS", "KINDS", "MOVER_FORMS", "MOVER_STATUSES", "RELATIONS", "TRIANGLE_PAIR_KINDS", "BoxFilter",
    "BoxTree", "Capsules", "Casts", "Clashes", "ClosestTriangles", "CollisionManager", "CollisionStage", "Frame",
    "HitList", "Hits", "Impacts", "MeshHitList", "MeshHits", "MeshImpactList", "MeshScene", "MoverSettings",
    "MoverSteps", "Movers", "Obbs", "Rays", "SceneHitList", "SceneHits", "SceneImpactList", "Spheres",
    "StageMeshHits", "StageMeshImpacts", "TriangleImpacts", "TriangleMesh", "TrianglePairs", "Update", "Where",
    "World", "WorldView", "active_isa", "config_string", "find_clashes", "find_pairs", "overlap", "ray_boxes",
    "release_memory", "set_active_isa", "step_movers", "supported_isas", "time_of_impact",
]
