"""What reading a scene file costs: instructions that grow as the file does, and memory within the limits.

Called as: reading_costs_test.py <broadside_read_scene> <broadside-record> <folder> [valgrind]
"""

import gzip
import json
import pathlib
import re
import struct
import subprocess
import sys

reader, recorder, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
valgrind = sys.argv[4] if len(sys.argv) > 4 else None
folder.mkdir(parents=True, exist_ok=True)
failures = []


def expect(is_true, text):
    if not is_true:
        failures.append(text)
        print("FAILED:", text)


# Work ----------------------------------------------------------------------------------------------------------------

PLY_BEGIN = "ply\nformat ascii 1.0\n"
PLY_VERTEX = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
PLY_FACE = "element face 1\nproperty list int int vertex_indices\nend_header\n"
PLY_CORNERS = ("0 0 0", "1 0 0", "0 1 0")


def ply_of_elements(n):
    elements = "".join(f"element e{i} 0\n" for i in range(n))
    return PLY_BEGIN + elements + PLY_VERTEX + PLY_FACE + "\n".join(PLY_CORNERS) + "\n3 0 1 2\n"


def ply_of_properties(n):
    properties = "".join(f"property float p{i}\n" for i in range(n))
    rows = "".join(corner + " 0" * n + "\n" for corner in PLY_CORNERS)
    return PLY_BEGIN + PLY_VERTEX + properties + PLY_FACE + rows + "3 0 1 2\n"


def ply_of_comments(n):
    return PLY_BEGIN + "comment c\n" * n + PLY_VERTEX + PLY_FACE + "\n".join(PLY_CORNERS) + "\n3 0 1 2\n"


def ply_of_one_face(n):
    return PLY_BEGIN + PLY_VERTEX + PLY_FACE + "\n".join(PLY_CORNERS) + f"\n{n}" + " 1" * n + "\n"


def ply_of_faces(n):
    header = PLY_VERTEX.replace("3", str(n), 1) + PLY_FACE.replace("1", str(n), 1)
    return PLY_BEGIN + header + "".join(f"{i} 0 0\n" for i in range(n)) + "3 0 1 2\n" * n


def ply_of_bytes(n):
    header = (PLY_VERTEX.replace("3", str(n), 1) + PLY_FACE.replace("1", str(n), 1)).replace("list int", "list uchar")
    text = PLY_BEGIN.replace("ascii", "binary_little_endian") + header
    body = b"".join(struct.pack("<3f", i, 0, 0) for i in range(n)) + struct.pack("<B3i", 3, 0, 1, 2) * n
    return text.encode() + body


def obj_of_faces(n):
    return "".join(f"v {i} 0 0\nf -1 1 1\n" for i in range(n))


def obj_of_one_statement(n):
    return "v 0 0 0\nf" + " 1\\\n" * n + " 1 1 1\n"


def obj_of_comments(n):
    return "v 0 0 0\nf 1 1 1\n" + "# c\n\n" * n


def stl_text(n):
    facet = "facet normal 0 0 1\nouter loop\nvertex {0} 0 0\nvertex {0} 1 0\nvertex {0} 0 1\nendloop\nendfacet\n"
    return "solid s\n" + "".join(facet.format(i) for i in range(n)) + "endsolid s\n"


def stl_of_solids(n):
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
    return "solid s\n" + facet + "endsolid\n" + "solid s\nendsolid\n" * n


def stl_bytes(n):
    facets = b"".join(struct.pack("<12fH", 0, 0, 1, i, 0, 0, i, 1, 0, i, 0, 1, 0) for i in range(n))
    return bytes(80) + struct.pack("<I", n) + facets


def record(box_id):
    return struct.pack("<2I6f", box_id, 0, box_id, 0, 0, box_id + 1, 1, 1)


def recording(box_counts):
    frames = b"".join(struct.pack("<I", n) + b"".join(map(record, range(n))) for n in box_counts)
    return b"BOXREC01" + struct.pack("<I", len(box_counts)) + frames


def gzip_members(n):
    whole = recording([n])
    return b"".join(gzip.compress(whole[i : i + 32], mtime=0) for i in range(0, len(whole), 32))


READ = {
    "elements.ply": (ply_of_elements, 2000),
    "properties.ply": (ply_of_properties, 2000),
    "comments.ply": (ply_of_comments, 2000),
    "one_face.ply": (ply_of_one_face, 2000),
    "faces.ply": (ply_of_faces, 1000),
    "bytes.ply": (ply_of_bytes, 2000),
    "faces.obj": (obj_of_faces, 1000),
    "one_statement.obj": (obj_of_one_statement, 2000),
    "comments.obj": (obj_of_comments, 2000),
    "text.stl": (stl_text, 500),
    "solids.stl": (stl_of_solids, 1000),
    "bytes.stl": (stl_bytes, 1000),
    "bounds.txt": (lambda n: "0 0 0 1 1 1\n" * n, 2000),
    "one_frame.boxrec": (lambda n: recording([n]), 2000),
    "frames.boxrec": (lambda n: recording([1] * n), 2000),
    "empty_frames.boxrec": (lambda n: recording([0] * n), 5000),
    "members.boxrec.gz": (gzip_members, 500),
}


def replay(n):
    """A replay of `n` frames, made from one that the program wrote."""
    source = folder / "source.boxrec"
    source.write_bytes(recording([3, 3]))
    written = folder / "source.json"
    subprocess.run([recorder, "replay", source, "-o", written], check=True, stdout=subprocess.DEVNULL)
    made = json.loads(written.read_text())
    made["frames"] = [made["frames"][i % 2] for i in range(n)]
    return json.dumps(made)


def instructions(*command):
    ran = subprocess.run(
        [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", ran.stderr)
    if ran.returncode != 0 or found is None:
        sys.exit(f"{command}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return int(found[1])


def check_work(name, make, n, command):
    # Four times the file, without the cost of starting a program: 4 if the work is linear, 4.7 if it is n log n, 16 if
    # it is quadratic.
    counts = []
    for count in (n // 16, n, 4 * n):
        path = folder / name
        contents = make(count)
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        counts.append(instructions(*command(path)))
    growth = (counts[2] - counts[0]) / (counts[1] - counts[0])
    expected = (4 * n - n // 16) / (n - n // 16)
    print(f"{name}: {n} and {4 * n} items, instructions times {growth:.2f}")
    expect(growth < 1.3 * expected, f"{name}: instructions times {growth:.2f} for items times {expected:.2f}")


if valgrind is not None:
    for name, (make, n) in READ.items():
        check_work(name, make, n, lambda path: (reader, path))
    check_work("replay.json", replay, 200, lambda path: (recorder, "compare", path, path))
else:
    print("no valgrind here, so instructions are not counted")


# Memory --------------------------------------------------------------------------------------------------------------

BOX_BYTES, FRAME_BYTES, OWN_BYTES = 32, 72, 1 << 20  # as boxrec.hpp has them


def read_within(path, *limit):
    ran = subprocess.run([reader, path, *map(str, limit)], capture_output=True, text=True)
    peak, message = ran.stdout.split(" ", 1)
    return int(peak), message.strip()


for name, box_counts in {
    "empty": [0] * 300000,
    "one_large": [300000],
    "equal": [1000] * 300,
    "growing": list(range(0, 600, 1)),
    "ones": [1] * 100000,
}.items():
    path = folder / f"{name}.boxrec.gz"
    path.write_bytes(gzip.compress(recording(box_counts), 1, mtime=0))
    # The frame being read counts twice.
    needed = held = 0
    for count in box_counts:
        held += FRAME_BYTES + BOX_BYTES * count
        needed = max(needed, held + BOX_BYTES * count)
    peak, message = read_within(path, needed)
    print(f"{name}: {peak} bytes at a time, {needed} allowed")
    expect(message == "", f"{name}: refused within its limit: {message}")
    expect(peak <= needed + OWN_BYTES, f"{name}: {peak} bytes, but {needed} are allowed")
    for limit in (needed - 1, needed // 2, 1000):
        peak, message = read_within(path, limit)
        expect(f"{limit} bytes" in message, f"{name}: not refused with a limit of {limit} bytes: {message}")
        expect(peak <= limit + OWN_BYTES, f"{name}: {peak} bytes, but {limit} are allowed")

# A small file of very many empty frames, refused at its header.
bomb = folder / "bomb.boxrec.gz"
frame_count = 1 << 27
with gzip.open(bomb, "wb", compresslevel=9) as file:
    file.write(b"BOXREC01" + struct.pack("<I", frame_count))
    for _ in range(frame_count >> 20):
        file.write(bytes(4 << 20))
peak, message = read_within(bomb)
print(f"{frame_count} empty frames in {bomb.stat().st_size} bytes: {peak} bytes at a time; {message}")
expect("byte 8: expected at most" in message, f"a great many empty frames are not refused: {message}")
expect(peak <= OWN_BYTES, f"a great many empty frames: {peak} bytes before they are refused")

sys.exit(1 if failures else 0)
