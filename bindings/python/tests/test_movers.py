"""step_movers and CollisionStage against brute force in numpy."""

import pickle

import numpy as np
import pytest

import broadside
import oracle
from test_mesh import distances_to_triangles
from test_queries import random, rotations, shapes_and_overlaps
from test_scene import SMALL, Scene, matrices
from test_world import scene

FLOOR = [-50, -50, -1, 50, 50, 0]


def distances_of(form, positions, boxes, radius=0.4, half_length=0.5, extents=(0.4, 0.3, 0.5)):
    """(n, m) of movers to boxes; of capsules along z."""
    if form == "box":
        low, high = positions - extents, positions + extents
        gaps = np.maximum(np.maximum(boxes[None, :, :3] - high[:, None], low[:, None] - boxes[None, :, 3:]), 0)
        return np.linalg.norm(gaps, axis=2)
    if form == "capsule":
        boxes = boxes + np.array([0, 0, -half_length, 0, 0, half_length])
    return oracle.distance_to_boxes(positions, boxes) - radius


@pytest.mark.parametrize("form", broadside.MOVER_FORMS)
def test_movers_end_inside_nothing_and_go_as_far_as_they_can(form):
    boxes = np.vstack((scene(60, 1) + np.float32([0, 0, 1] * 2), np.float32([FLOOR])))
    tree = broadside.BoxTree(boxes)
    rng = np.random.default_rng(2)
    positions = (rng.random((150, 3)) * 12 - 1).astype(np.float32)
    ways = (rng.normal(size=(150, 3)) * 2).astype(np.float32)
    movers = broadside.Movers(positions, ways, form=form, half_extents=(0.4, 0.3, 0.5), radii=0.4, half_lengths=0.5)
    steps = broadside.step_movers(movers, boxes=tree, workers=2)
    words = [broadside.MOVER_STATUSES[status] for status in steps.status]
    start = distances_of(form, positions, boxes).min(axis=1)
    end = distances_of(form, steps.positions.astype(float), boxes).min(axis=1)
    inside = np.array(words) == "started_inside"
    assert 5 < inside.sum() < 145
    assert np.array_equal(steps.positions[inside], positions[inside])
    # How deep a mover may be for a push out is about the offset; boxes touch where their gap is 0.
    assert (start[inside] <= 1e-6).all() and (start[~inside] > -0.02).all()
    assert (end[~inside] > 0).all()
    # A mover with nothing near on its way goes all of it.
    way = positions + np.linspace(0, 1, 50)[:, None, None] * ways.astype(float)
    free = np.min([distances_of(form, each, boxes).min(axis=1) for each in way], axis=0) > 0.3
    assert free.sum() > 10
    np.testing.assert_allclose(steps.positions[free], (positions + ways)[free], atol=1e-4)
    assert (steps.iteration_count[free] == 0).all()
    smaller = {"radius": 0.3, "extents": (0.3, 0.2, 0.4)}
    blocked = np.min([distances_of(form, each, boxes, **smaller).min(axis=1) for each in way], axis=0) <= 0
    moved = np.linalg.norm(steps.positions - (positions + ways), axis=1)
    assert blocked.sum() > 10 and (moved[blocked & ~inside] > 1e-3).all()
    for i in range(0, 150, 30):
        one = broadside.step_movers(broadside.Movers(positions[i], ways[i], form=form, half_extents=(0.4, 0.3, 0.5),
                                                     radii=0.4, half_lengths=0.5), boxes=tree)
        assert np.array_equal(one.positions, steps.positions[i]) and one.status == steps.status[i]


def test_a_mover_slides_steps_and_stands():
    tree = broadside.BoxTree(np.float32([FLOOR, [2, -9, 0, 9, 9, 0.3], [-9, 2, 0, 9, 9, 9]]))
    at = [0, 0, 0.91]
    ball = {"form": "sphere", "radii": 0.9}
    flat = broadside.step_movers(broadside.Movers(at, [-1, 0, -1], **ball), boxes=tree)
    np.testing.assert_allclose(flat.positions, [-1, 0, 0.91], atol=1e-3)
    assert flat.is_grounded and flat.ground_normal.tolist() == [0, 0, 1] and not flat.has_stepped
    wall = broadside.step_movers(broadside.Movers(at, [0, 3, 0], **ball), boxes=tree)
    np.testing.assert_allclose(wall.positions, [0, 2 - 0.91, 0.91], atol=1e-3)
    assert wall.wall_normal.tolist() == [0, -1, 0]
    box = {"form": "box", "half_extents": [0.5, 0.5, 0.9]}
    low = broadside.step_movers(broadside.Movers(at, [4, 0, 0], **box), boxes=tree)
    high = broadside.step_movers(broadside.Movers(at, [4, 0, 0], **box), boxes=tree,
                                 settings=broadside.MoverSettings(step_height=0.4))
    assert low.positions[0] < 1.5 and not low.has_stepped
    assert high.positions[0] > 2 and high.has_stepped and abs(high.positions[2] - 1.21) < 0.01
    passed = broadside.step_movers(broadside.Movers(at, [4, 0, 0], ignored_boxes=1, **box), boxes=tree)
    np.testing.assert_allclose(passed.positions, [4, 0, 0.91], atol=1e-3)
    lying = broadside.MoverSettings(up=[1, 0, 0], contact_offset=0.1)
    over = broadside.step_movers(broadside.Movers([-5, 0, 2], [0, 0, -4], radii=0.5, half_lengths=2), boxes=tree, settings=lying)
    np.testing.assert_allclose(over.positions, [-5, 0, 0.6], atol=1e-2)
    many = broadside.step_movers(broadside.Movers([at, at], [0, 0, 1], form=["sphere", "box"], radii=[0.9, 0],
                                                  half_extents=[0.5, 0.5, 0.9]), boxes=tree)
    np.testing.assert_allclose(many.positions, [[0, 0, 1.91]] * 2, atol=1e-4)
    lost = broadside.step_movers(broadside.Movers([at, [np.nan] * 3], [0, 0, 1], invalid="ignore"), boxes=tree)
    assert [broadside.MOVER_STATUSES[status] for status in lost.status] == ["finished", "invalid"]


def test_movers_among_meshes():
    own = Scene(3, 8, 8)
    rng = np.random.default_rng(4)
    positions, ways = rng.random((80, 3)) * 12 - 2, rng.normal(size=(80, 3)) * 2
    movers = broadside.Movers(positions, ways, form="sphere", radii=0.3)
    by_scene = broadside.step_movers(movers, scene=own.scene)
    corners = [broadside.TriangleMesh(each.reshape(-1, 3), np.arange(3 * len(each)).reshape(-1, 3)) for each in own.each]
    by_meshes = broadside.step_movers(movers, meshes=corners)
    inside = distances_to_triangles(positions, own.corners).min(axis=1) < 0.3
    for steps in (by_scene, by_meshes):
        stays = steps.status == broadside.MOVER_STATUSES.index("started_inside")
        assert stays.sum() > 2 and inside[stays].all()
        assert (distances_to_triangles(steps.positions[~stays].astype(float), own.corners).min(axis=1) > 0.3).all()
    np.testing.assert_allclose(by_scene.positions, by_meshes.positions, atol=1e-3)
    assert (np.linalg.norm(by_scene.positions - (positions + ways), axis=1) > 0.01).sum() > 10


# The stage.

def swept_times(boxes, ways):
    """(n, n) when moving boxes first touch, inf for never."""
    relative = ways[:, None].astype(float) - ways[None]
    low, high = boxes[:, :3].astype(float), boxes[:, 3:].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t1, t2 = (low[None] - high[:, None]) / relative, (high[None] - low[:, None]) / relative
    apart = (low[None] > high[:, None]) | (high[None] < low[:, None])
    still = relative == 0
    near = np.where(still, -np.inf, np.minimum(t1, t2)).max(axis=2)
    far = np.where(still, np.inf, np.maximum(t1, t2)).min(axis=2)
    enter = np.maximum(near, 0)
    return np.where((enter <= np.minimum(far, 1)) & ~(still & apart).any(axis=2), enter, np.inf)


def test_a_step_of_a_stage_is_its_parts():
    stage = broadside.CollisionStage()
    own = Scene(5)
    shapes, overlaps = next(shapes_and_overlaps(scene(150, 9)))
    for step in range(3):
        boxes, ways = scene(150, step), (random(step, 150, 3) - 3) * np.float32(0.2)
        origins, along = random(11, 60, 3), random(12, 60, 3) - 3
        rays = broadside.Rays(origins, along)
        casts = broadside.Casts(scene(30, 7), random(13, 30, 3) - 3)
        balls = broadside.Casts(broadside.Spheres(random(14, 30, 3), 0.2), random(15, 30, 3) - 3)
        obbs = broadside.Obbs(random(16, 25, 3), rotations(1, 25), np.full(3, 0.2))
        obb_ways = random(17, 25, 3) - 3
        movers = broadside.Movers(random(18, 20, 3) + 9, random(19, 20, 3) - 3, form="sphere", radii=0.2)
        given = {"rays": rays, "casts": casts, "sphere_casts": balls, "overlap_boxes": scene(20, 8), "overlap_spheres": shapes,
                 "overlap_obbs": obbs, "obbs": obbs, "obb_displacements": obb_ways, "triangles": own.each[0],
                 "meshes": [SMALL], "scene": own.scene, "movers": movers,
                 "mover_settings": broadside.MoverSettings(step_height=0.2), "ray_report": "all"}
        frame = stage.step(boxes, ways, **given)

        times = swept_times(boxes, ways)
        sure = np.abs(np.where(np.isfinite(times), times, 2) - 1) > 1e-4
        expected = [[i, j] for i, j in np.argwhere(np.triu(np.isfinite(times) & sure, 1))]
        found = np.stack((frame.impacts.first, frame.impacts.second), axis=1)
        assert sorted(pair for pair in found.tolist() if sure[tuple(pair)]) == expected and len(expected) > 20
        np.testing.assert_allclose(frame.impacts.t, times[tuple(found.T)], atol=1e-5)
        order = list(zip(frame.impacts.t, *found.T))
        assert order == sorted(order)
        assert set(map(tuple, found.tolist())) <= set(map(tuple, frame.candidate_pairs.tolist()))

        entered = oracle.ray_times(origins, along, boxes)
        assert np.stack((frame.ray_hits.query, frame.ray_hits.target), axis=1).tolist() == np.argwhere(
            np.isfinite(entered)).tolist()
        np.testing.assert_allclose(frame.ray_hits.t, entered[np.isfinite(entered)], rtol=1e-4, atol=1e-5)
        assert frame.box_overlaps.tolist() == oracle.pairs(scene(20, 8), boxes)
        near = oracle.distance_to_boxes(shapes.numbers[:, :3], boxes) <= shapes.numbers[:, 3:4]
        assert frame.sphere_overlaps.tolist() == np.argwhere(near).tolist() and near.sum() > 5

        # Calls that have tests of their own.
        tree = broadside.BoxTree(boxes)
        assert frame.obb_overlaps.T.tolist() == tree.query(obbs).tolist()
        for name, queries in (("cast_hits", casts), ("sphere_cast_hits", balls)):
            alone, listed = tree.closest_hits(queries), getattr(frame, name)
            met = alone.target >= 0
            assert listed.query.tolist() == np.flatnonzero(met).tolist() and met.sum() > 3
            for one, other in ((listed.target, alone.target), (listed.t, alone.t), (listed.face, alone.face)):
                assert np.array_equal(one, other[met])
        hits = own.scene.closest_hits(rays)
        met = hits.instance >= 0
        assert frame.scene_hits.query.tolist() == np.flatnonzero(met).tolist() and met.sum() > 3
        assert np.array_equal(frame.scene_hits.mesh, hits.instance[met]) and np.array_equal(frame.scene_hits.t, hits.t[met])
        assert np.array_equal(frame.scene_hits.triangle, hits.triangle[met])
        t, instance, triangle = own.scene.cast(broadside.Casts(obbs, obb_ways))
        met = instance >= 0
        assert frame.scene_impacts.obb.tolist() == np.flatnonzero(met).tolist() and met.sum() > 3
        assert np.array_equal(frame.scene_impacts.t, t[met]) and np.array_equal(frame.scene_impacts.triangle, triangle[met])
        assert np.array_equal(frame.scene_impacts.mesh, instance[met])
        first = SMALL.closest_hits(rays)
        assert frame.mesh_hits.query.tolist() == np.flatnonzero(first.triangle >= 0).tolist()
        assert np.array_equal(frame.mesh_hits.triangle, first.triangle[first.triangle >= 0]) and (frame.mesh_hits.mesh == 0).all()
        t, triangle = SMALL.cast(broadside.Casts(obbs, obb_ways))
        assert np.array_equal(frame.mesh_impacts.obb, np.flatnonzero(triangle >= 0))
        assert np.array_equal(frame.mesh_impacts.t, t[triangle >= 0])
        mesh = broadside.TriangleMesh(own.each[0].reshape(-1, 3), np.arange(3 * len(own.each[0])).reshape(-1, 3))
        t, triangle = mesh.cast(broadside.Casts(obbs, obb_ways))
        earliest = {obb: when for obb, when in sorted(zip(frame.triangle_impacts.obb, frame.triangle_impacts.t), reverse=True)}
        assert sorted(earliest) == np.flatnonzero(triangle >= 0).tolist() and len(earliest) > 1
        np.testing.assert_allclose([earliest[obb] for obb in sorted(earliest)], t[triangle >= 0], atol=1e-5)
        steps = broadside.step_movers(movers, boxes=tree, meshes=[SMALL], scene=own.scene,
                                      settings=broadside.MoverSettings(step_height=0.2))
        assert all(np.array_equal(one, other) for one, other in zip(frame.movers, steps))

        for again in (broadside.CollisionStage().step(boxes, ways, workers=2, **given),
                      pickle.loads(pickle.dumps(stage)).step(boxes, ways, algorithm="brute_force", **given)):
            assert again.hash == frame.hash and np.array_equal(again.impacts.t, frame.impacts.t)
        assert stage.step(boxes, -ways, **given).hash != frame.hash


def test_a_stage_of_little():
    stage = broadside.CollisionStage()
    nothing = stage.step()
    assert nothing.candidate_pairs.shape == (0, 2) and len(nothing.impacts.t) == len(nothing.movers.status) == 0
    boxes = [[0, 0, 0, 1, 1, 1], [1, 0, 0, 2, 1, 1]]
    assert stage.step(boxes).impacts.t.tolist() == [0] and len(stage.step(boxes, touch="open").impacts.t) == 0
    assert stage.step(boxes[0], [1, 0, 0]).candidate_pairs.shape == (0, 2)
    gone = stage.step([boxes[0], [np.nan] * 6], invalid="ignore")
    assert len(gone.impacts.t) == 0
    rays = broadside.Rays([0.5, 0.5, 0.5], [1, 0, 0], inside="miss")
    assert stage.step(boxes, rays=rays).ray_hits.target.tolist() == [1]
    assert stage.step(boxes, rays=broadside.Rays([-1, .5, .5], [1, 0, 0])).ray_hits.target.tolist() == [0]


RAYS = broadside.Rays([0, 0, 0], [1, 0, 0])
BALLS = broadside.Spheres([0, 0, 0], 1)
STAGE = broadside.CollisionStage()
MOVER = broadside.Movers([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize("call, error, text", (
    (lambda: broadside.Movers([[0, 0]], [0, 0, 0]), ValueError, "positions: shape (1, 2)"),
    (lambda: broadside.Movers([0, 0, 0], [[0, 0, 0]] * 2), ValueError, "displacements: shape (2, 3); wanted (1, 3)"),
    (lambda: broadside.Movers([0, 0, 0], [0, 0, 0], form="cone"), ValueError, "form: 'cone'; known: box, sphere, capsule"),
    (lambda: broadside.Movers([0, 0, 0], [0, 0, 0], form=["box"] * 2), ValueError, "form: 2 words; wanted one or 1"),
    (lambda: broadside.Movers([[0, 0, 0]] * 2, [0, 0, 0], radii=[1, -1]), ValueError, "radii: row 1 is -1"),
    (lambda: broadside.Movers([0, 0, 0], [0, 0, 0], half_extents=[0, -1, 0]), ValueError, "half_extents: row 0 is (0.0, -1.0"),
    (lambda: broadside.Movers([0, 0, 0], [0, 0, 0], ignored_boxes=-2), ValueError, "ignored_boxes: -2"),
    (lambda: broadside.MoverSettings(up=[0, 0, 0]), ValueError, "up: [0.0, 0.0, 0.0]"),
    (lambda: broadside.MoverSettings(step_height=-1), ValueError, "step_height: -1"),
    (lambda: broadside.MoverSettings(max_iterations=1.5), TypeError, "max_iterations: 1.5"),
    (lambda: broadside.step_movers([0, 0, 0]), TypeError, "movers: list; wanted Movers"),
    (lambda: broadside.step_movers(MOVER, boxes=np.zeros((1, 6))), TypeError, "boxes: ndarray; wanted a BoxTree"),
    (lambda: broadside.step_movers(MOVER, boxes=broadside.BoxTree(np.zeros((1, 6)))), TypeError, "boxes: BoxTree(1 boxes"),
    (lambda: broadside.step_movers(MOVER, meshes=SMALL), TypeError, "meshes: TriangleMesh"),
    (lambda: broadside.step_movers(MOVER, scene=SMALL), TypeError, "scene: TriangleMesh; wanted a MeshScene"),
    (lambda: broadside.step_movers(MOVER, settings=1), TypeError, "settings: int; wanted MoverSettings"),
    (lambda: STAGE.step([[0] * 4]), ValueError, "boxes: 2 axes; wanted 3"),
    (lambda: STAGE.step([[1, 0, 0, 0, 0, 0]]), ValueError, "boxes: row 0 is no box"),
    (lambda: STAGE.step([[0] * 6], [[0, 0, 0]] * 2), ValueError, "displacements: shape (2, 3); wanted (1, 3)"),
    (lambda: STAGE.step(rays=BALLS), TypeError, "rays: Spheres(1); wanted Rays"),
    (lambda: STAGE.step(rays=broadside.Rays([0, 0], [1, 0])), ValueError, "rays: 2 axes; wanted 3"),
    (lambda: STAGE.step(casts=broadside.Casts(BALLS, [1, 0, 0])), TypeError, "casts: Casts(1); wanted Casts of boxes"),
    (lambda: STAGE.step(casts=broadside.Casts([0] * 6, [1, 0, 0], touch="open")), ValueError, "casts: touch 'open'; wanted 'closed'"),
    (lambda: STAGE.step(sphere_casts=RAYS), TypeError, "sphere_casts: Rays(1); wanted Casts"),
    (lambda: STAGE.step(overlap_spheres=RAYS), TypeError, "overlap_spheres: Rays(1); wanted Spheres"),
    (lambda: STAGE.step(triangles=np.zeros((2, 9))), ValueError, "triangles: shape (2, 9); wanted (m, 3, 3)"),
    (lambda: STAGE.step(triangles=np.full((1, 3, 3), np.nan)), ValueError, "triangles: row 0 is "),
    (lambda: STAGE.step(movers=[MOVER]), TypeError, "movers: list; wanted Movers"),
    (lambda: STAGE.step(mover_settings={}), TypeError, "mover_settings: dict"),
    (lambda: STAGE.step(ray_report="first"), ValueError, "ray_report: 'first'; known: closest, all"),
))
def test_errors_of_movers_and_stages(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
