#!/usr/bin/env python3
"""Makes the cases and their golden results, in exact arithmetic and without the library.

Called as: make_cases.py <folder>. The files are the same on every machine."""
import itertools
import math
import random
import struct
import sys
from fractions import Fraction
from pathlib import Path

FLT_MAX = struct.unpack('<f', struct.pack('<I', 0x7f7fffff))[0]
FLT_MIN = 2.0 ** -126
DENORMAL = 2.0 ** -149
INFINITY = math.inf


def rounded(value):
    """The nearest float."""
    return struct.unpack('<f', struct.pack('<f', value))[0]


def text(number):
    """A float that every C library reads back bit for bit."""
    if math.isnan(number) or math.isinf(number):
        return str(number)
    mantissa, exponent = float(number).hex().split('p')
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}p{exponent}"


def is_valid(box):
    """A box holds a finite point."""
    return all(low <= high and low < INFINITY and high > -INFINITY for low, high in zip(box[:3], box[3:]))


def overlaps(a, b):
    """Closed boxes share a point. Comparisons of floats are exact."""
    return is_valid(a) and is_valid(b) and all(
        a[axis] <= b[axis + 3] and b[axis] <= a[axis + 3] for axis in range(3))


def answer_pairs(boxes):
    """i < j, ascending."""
    return [f'{i} {j}' for (i, a), (j, b) in itertools.combinations(enumerate(boxes), 2) if overlaps(a, b)]


def first_time(lows, highs, starts, directions, most):
    """The least t in [0, most] with low <= start + t·direction <= high on every axis, exactly; else None."""
    begin, end = Fraction(0), Fraction(most)
    for low, high, start, direction in zip(lows, highs, starts, directions):
        low, high, start = Fraction(low), Fraction(high), Fraction(start)
        if direction == 0:
            if not low <= start <= high:
                return None
            continue
        near, far = sorted([(low - start) / Fraction(direction), (high - start) / Fraction(direction)])
        begin, end = max(begin, near), min(end, far)
    return begin if begin <= end else None


def answer_impact(row):
    """The first time at which the second box, which moves, touches the first: both at the start, and the step is 1."""
    resting, mover, step = row[:6], row[6:12], row[12:]
    if not (is_valid(resting) and is_valid(mover) and all(map(math.isfinite, step))):
        return 'none'
    # The mover as a point, the other box grown by it.
    lows = [Fraction(resting[axis]) - Fraction(mover[axis + 3]) for axis in range(3)]
    highs = [Fraction(resting[axis + 3]) - Fraction(mover[axis]) for axis in range(3)]
    time = first_time(lows, highs, [0, 0, 0], step, 1)
    return 'none' if time is None else text(float(time))


def answer_ray(row):
    """The entry of a ray into a box; 0 if it starts inside."""
    origin, direction, most, box = row[:3], row[3:6], row[6], row[7:]
    if not (is_valid(box) and all(map(math.isfinite, origin + direction)) and most >= 0):
        return 'none'
    time = first_time(box[:3], box[3:], origin, direction, min(most, FLT_MAX))
    return 'none' if time is None else text(float(time))


def small(rng, reach=4):
    """A multiple of a quarter: sums, differences and products of a few are exact in floats."""
    return rng.randint(-4 * reach, 4 * reach) / 4


def grid_box(rng, reach=4, size=3):
    """Faces, edges and corners that coincide; one box in four has no extent on some axis."""
    low = [float(rng.randint(-reach, reach)) for _ in range(3)]
    return low + [x + rng.randint(0, size) for x in low]


def any_box(rng, reach=10, size=3):
    """Anywhere."""
    low = [rounded(rng.uniform(-reach, reach)) for _ in range(3)]
    return low + [rounded(x + rng.uniform(0, size)) for x in low]


def pair_cases():
    """Lists of boxes by name."""
    rng = random.Random(17)
    special = [0.0, -0.0, DENORMAL, -DENORMAL, FLT_MIN, -FLT_MIN, 1.0, -1.0, FLT_MAX, -FLT_MAX]
    yield 'touching_grid', [grid_box(rng) for _ in range(150)]
    yield 'anywhere', [any_box(rng) for _ in range(300)]
    yield 'points', [[x, y, z] * 2 for x, y, z in ([small(rng, 1) for _ in range(3)] for _ in range(120))]
    yield 'zeros_and_denormals', [sum(zip(*[sorted([rng.choice(special[:6]), rng.choice(special[:6])])
                                            for _ in range(3)]), ()) for _ in range(100)]
    yield 'huge', [sum(zip(*[sorted([rng.choice(special), rng.choice(special)]) for _ in range(3)]), ())
                   for _ in range(100)]
    yield 'one_ulp_apart', [[0, 0, 0, 1, 1, 1], [math.nextafter(1, 2), 0, 0, 2, 1, 1],
                            [rounded(1 + 2 ** -23), 0, 0, 2, 1, 1], [1, 0, 0, 2, 1, 1],
                            [0, rounded(1 - 2 ** -24), 0, 1, 3, 1]]
    sizes = [[small(rng) * 2.0 ** exponent for _ in range(3)] for exponent in range(-120, 120, 3)]
    yield 'all_sizes', [[-abs(x) for x in low] + [abs(x) for x in low] for low in sizes]
    yield 'infinite_sides', [[rng.choice([-INFINITY, x]) for x in box[:3]] +
                             [rng.choice([INFINITY, x]) for x in box[3:]]
                             for box in (grid_box(rng) for _ in range(60))]
    bad = [grid_box(rng) for _ in range(60)]
    for box in bad[::3]:
        box[rng.randrange(6)] = math.nan
    for box in bad[1::3]:
        box[0], box[3] = box[3] + 1, box[0]
    yield 'invalid_among_others', bad


def impact_cases():
    """Rows of a resting box, a moving one and its displacement."""
    rng = random.Random(18)
    yield 'grid', [grid_box(rng) + grid_box(rng) + [float(rng.randint(-8, 8)) for _ in range(3)]
                   for _ in range(300)]
    yield 'anywhere', [any_box(rng) + any_box(rng) + [rounded(rng.uniform(-12, 12)) for _ in range(3)]
                       for _ in range(300)]
    cube = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    yield 'edges', [
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [-1.0, 0.0, 0.0],  # at the very end
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [-2.0, 0.0, 0.0],
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [-0.75, 0.0, 0.0],
        cube + [1.0, 0.0, 0.0, 2.0, 1.0, 1.0] + [1.0, 0.0, 0.0],  # from which they part
        cube + [1.0, 1.0, 1.0, 2.0, 2.0, 2.0] + [-1.0, -1.0, -1.0],  # corner to corner
        cube + [2.0, 1.0, 0.0, 3.0, 2.0, 1.0] + [-4.0, 0.0, 0.0],  # along a face
        cube + [2.0, 2.0, 0.0, 3.0, 3.0, 1.0] + [-2.0, -2.0, 0.0],  # edge to edge
        cube + [2.0, 2.0, 0.0, 3.0, 3.0, 1.0] + [-1.0, -2.0, 0.0],
        cube + cube + [0.0, 0.0, 0.0],
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [-0.0, 0.0, 0.0],
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [-INFINITY, 0.0, 0.0],
        cube + [2.0, 0.0, 0.0, 3.0, 1.0, 1.0] + [math.nan, 0.0, 0.0],
        [0.5, 0.5, 0.5] * 2 + [2.5, 0.5, 0.5] * 2 + [-4.0, 0.0, 0.0],  # points
    ]


def ray_cases():
    """Rows of origin, direction, t_max and box."""
    rng = random.Random(19)
    yield 'grid', [[float(rng.randint(-6, 6)) for _ in range(3)] + [float(rng.randint(-2, 2)) for _ in range(3)] +
                   [float(rng.randint(0, 6))] + grid_box(rng) for _ in range(300)]
    yield 'anywhere', [[rounded(rng.uniform(-8, 8)) for _ in range(3)] +
                       [rounded(rng.uniform(-2, 2)) for _ in range(3)] + [FLT_MAX] + any_box(rng, 5, 6)
                       for _ in range(300)]
    cube = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    yield 'edges', [
        [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 9.0] + cube,  # along an edge
        [-1.0, 1.0, 0.5, 1.0, 0.0, 0.0, 9.0] + cube,  # within a face
        [-1.0, 1.0, 0.5, 1.0, -0.0, 0.0, 9.0] + cube,
        [-1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0] + cube,  # ends on the face
        [-1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.75] + cube,
        [0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 9.0] + cube,  # starts inside
        [1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 9.0] + cube,  # starts on a face, outwards
        [0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 9.0] + cube,  # a point
        [1.5, 0.5, 0.5, 0.0, 0.0, 0.0, 9.0] + cube,
        [-1.0, -1.0, 0.5, 1.0, 1.0, 0.0, 9.0] + cube,  # through an edge
        [-1.0, 2.0, 0.5, 1.0, -1.0, 0.0, 9.0] + cube,
        [-1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 9.0, math.nan, 0.0, 0.0, 1.0, 1.0, 1.0],
        [-1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0],
        [-1.0, 0.5, 0.5, 1.0, 0.0, 0.0, math.nan] + cube,
    ]


def main():
    """Writes <kind>/<name>.in and <kind>/<name>.out."""
    folder = Path(sys.argv[1])
    for kind, cases, answers in (('pairs', pair_cases(), answer_pairs),
                                 ('impacts', impact_cases(), lambda rows: map(answer_impact, rows)),
                                 ('rays', ray_cases(), lambda rows: map(answer_ray, rows))):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, rows in cases:
            rows = [[rounded(number) for number in row] for row in rows]
            lines = [' '.join(map(text, row)) for row in rows]
            (folder / kind / f'{name}.in').write_text(''.join(line + '\n' for line in lines))
            (folder / kind / f'{name}.out').write_text(''.join(line + '\n' for line in answers(rows)))


main()
