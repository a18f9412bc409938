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
