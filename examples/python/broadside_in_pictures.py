# %% [markdown]
# # broadside in pictures
# Notebook cells (`# %%`): run the whole file, or cell by cell in an editor that supports them. Pictures go to the given
# folder, by default the current one.

# %%
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle

import broadside

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
FOLDER.mkdir(parents=True, exist_ok=True)
RNG = np.random.default_rng(3)


def draw(axes, boxes, **style):
    patches = [Rectangle(row[:2], *(row[2:] - row[:2])) for row in boxes]
    axes.add_collection(PatchCollection(patches, **style))


# %% [markdown]
# ## All pairs of boxes that overlap
# An array of (n, 4) or (n, 6) in, an array of index pairs out. float64 is decided exactly.

# %%
low = RNG.random((120, 2))
boxes = np.hstack((low, low + 0.02 + 0.06 * RNG.random((120, 2))))
pairs = broadside.find_pairs(boxes)
centers = (boxes[:, :2] + boxes[:, 2:]) / 2

figure, axes = plt.subplots(figsize=(6, 6))
draw(axes, boxes, facecolor="#4477aa40", edgecolor="#4477aa")
axes.add_collection(LineCollection(centers[pairs], colors="#cc3311", linewidths=1))
axes.set(title=f"{len(boxes)} boxes, {len(pairs)} pairs", aspect="equal", xlim=(0, 1.1), ylim=(0, 1.1))
figure.savefig(FOLDER / "pairs.png")

# %% [markdown]
# ## Queries of a tree
# Boxes that overlap a box, in the manner of shapely's `STRtree.query`; rays in the manner of trimesh.

# %%
tree = broadside.BoxTree(boxes.astype(np.float32))
window = np.array([0.3, 0.3, 0.6, 0.5], dtype=np.float32)
found = tree.query(window)
angles = np.linspace(0, 2 * np.pi, 90, endpoint=False)
directions = np.column_stack((np.cos(angles), np.sin(angles)))
origins = np.tile(np.float32([0.52, 0.52]), (len(angles), 1))
distances, hit = tree.ray_distances(origins, directions, reach=0.8)
ends = origins + np.minimum(distances, 0.8)[:, None] * directions

figure, axes = plt.subplots(figsize=(6, 6))
draw(axes, boxes, facecolor="#dddddd", edgecolor="#999999")
draw(axes, boxes[found], facecolor="#4477aa80", edgecolor="#4477aa")
draw(axes, window[None], facecolor="none", edgecolor="#004488", linewidth=2)
axes.add_collection(LineCollection(np.stack((origins, ends), axis=1), colors="#cc3311", linewidths=0.7))
axes.set(title=f"{len(found)} boxes in the window, {np.sum(hit >= 0)} of {len(hit)} rays hit", aspect="equal",
         xlim=(0, 1.1), ylim=(0, 1.1))
figure.savefig(FOLDER / "tree.png")

# %% [markdown]
# ## A world in motion
# Pairs begin and end as boxes move.

# %%
world = broadside.World()
count = 400
position = RNG.random((count, 3)).astype(np.float32)
velocity = (0.02 * RNG.normal(size=(count, 3))).astype(np.float32)
handles = world.add((position, position + np.float32(0.04)))
begun, ended, alive = [], [], []
for frame in range(100):
    position += velocity
    velocity[(position < 0) | (position > 1)] *= -1
    world.set_boxes(handles, (position, position + np.float32(0.04)))
    update = world.update()
    begun.append(len(update.begun))
    ended.append(len(update.ended))
    alive.append(world.pair_count)

figure, axes = plt.subplots(figsize=(7, 4))
axes.plot(alive, label="pairs", color="#004488")
axes.plot(begun[1:], label="begun", color="#228833")
axes.plot(ended[1:], label="ended", color="#cc3311")
axes.set(title=f"{count} boxes in motion", xlabel="frame", ylabel="pairs")
axes.legend()
figure.savefig(FOLDER / "world.png")

# %% [markdown]
# ## Exactness
# 10^15 from the origin a double has steps of 1/8, and a float of 2^26. The gap here is one step.

# %%
far = 1e15
one_step_apart = np.array([[far, 0, far + 1, 1], [far + 1.125, 0, far + 2, 1], [far + 1, 0, far + 1.125, 1]])
print("pairs:", broadside.find_pairs(one_step_apart).tolist(), "- 0 and 1 are apart, 2 touches both")
print("as floats:", broadside.find_pairs(one_step_apart.astype(np.float32)).tolist())
