"""Brute force by Python's own numbers, which compare exactly whatever their types."""

import itertools
import math

import numpy as np


def valid(box):
    axes = len(box) // 2
    return all(not (math.isnan(low) or math.isnan(high)) and low <= high and low != math.inf and high != -math.inf
               for low, high in zip(box[:axes], box[axes:]))


def overlap(a, b):
    axes = len(a) // 2
    return valid(a) and valid(b) and all(
        a[axis] <= b[axis + axes] and b[axis] <= a[axis + axes] for axis in range(axes))


def rows(array):
    """Python's numbers: int of any size, or float, both of which compare exactly with each other."""
    return [tuple(row) for row in np.asarray(array).tolist()]


def pairs(a, b=None):
    if b is None:
        own = rows(a)
        return [[i, j] for i, j in itertools.combinations(range(len(own)), 2) if overlap(own[i], own[j])]
    return [[i, j] for i, one in enumerate(rows(a)) for j, other in enumerate(rows(b)) if overlap(one, other)]


# In numpy and double precision, with shapes of (n, 1, 3) against boxes of (1, m, 3) mostly.

def distance_to_boxes(points, boxes):
    """(n, m) distances of points (n, axes) to boxes."""
    axes = boxes.shape[1] // 2
    p, low, high = points[:, None, :].astype(float), boxes[None, :, :axes].astype(float), boxes[None, :, axes:].astype(float)
    return np.sqrt((np.maximum(np.maximum(low - p, p - high), 0) ** 2).sum(axis=2))


def ray_times(origins, directions, boxes):
    """(n, m) where rays enter boxes, inf where they miss."""
    axes = boxes.shape[1] // 2
    o, d = origins[:, None, :].astype(float), directions[:, None, :].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t1, t2 = (boxes[None, :, :axes] - o) / d, (boxes[None, :, axes:] - o) / d
    parallel = np.broadcast_to(d == 0, t1.shape)
    outside = parallel & ((o < boxes[None, :, :axes]) | (o > boxes[None, :, axes:]))
    near = np.where(parallel, -np.inf, np.minimum(t1, t2)).max(axis=2)
    far = np.where(parallel, np.inf, np.maximum(t1, t2)).min(axis=2)
    enter = np.maximum(near, 0)
    return np.where((enter <= far) & ~outside.any(axis=2), enter, np.inf)


def first_below(distance, limit, steps=60):
    """When functions of t that fall and then rise are first at most the limit, in [0, 1], inf for never. (n, m) of t."""
    low, high = np.zeros_like(limit), np.ones_like(limit)
    for _ in range(steps * 2):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        falls = distance(one) > distance(two)
        low, high = np.where(falls, one, low), np.where(falls, high, two)
    least = (low + high) / 2
    start, end = np.zeros_like(limit), least.copy()
    for _ in range(steps):
        middle = (start + end) / 2
        is_below = distance(middle) <= limit
        start, end = np.where(is_below, start, middle), np.where(is_below, middle, end)
    return np.where(distance(np.zeros_like(limit)) <= limit, 0, np.where(distance(least) <= limit, end, np.inf))
