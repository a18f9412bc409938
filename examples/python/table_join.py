"""A join of two tables by their boxes: which deliveries fall into which zones, and what each zone costs.

usage: python3 table_join.py
"""

import numpy as np

import broadside

# Two tables, column by column: a delivery is a rectangle of streets, a zone has a price.
rng = np.random.default_rng(1)
count = 20_000
deliveries = {"x": rng.random(count) * 100, "y": rng.random(count) * 100, "weight": rng.integers(1, 30, count)}
zones = {"left": np.arange(0, 100, 10.0), "right": np.arange(0, 100, 10.0) + 12, "price": np.arange(1, 11)}


def delivery_boxes(table, reach=0.05):
    """(n, 4): min x y, max x y."""
    return np.stack((table["x"] - reach, table["y"] - reach, table["x"] + reach, table["y"] + reach), axis=1)


def zone_boxes(table):
    """Zones reach over all y."""
    everywhere = np.full(len(table["left"]), np.inf)
    return np.stack((table["left"], -everywhere, table["right"], everywhere), axis=1)


# The join: a row for each delivery and zone that overlap, as two columns of row numbers.
delivery, zone = broadside.find_pairs(delivery_boxes(deliveries), zone_boxes(zones)).T

# Columns of both tables beside each other, and a sum for each zone.
cost = deliveries["weight"][delivery] * zones["price"][zone]
total = np.bincount(zone, weights=cost, minlength=len(zones["price"]))
for row, sum_of_zone in enumerate(total):
    print(f"zone {row}: {np.count_nonzero(zone == row)} deliveries, {sum_of_zone:.0f}")

# The same by comparing all with all.
x = deliveries["x"]
is_in = (x[:, None] + 0.05 >= zones["left"]) & (x[:, None] - 0.05 <= zones["right"])
assert np.array_equal(np.argwhere(is_in), np.stack((delivery, zone), axis=1))
