#!/usr/bin/env python3
"""The sources of the library, from the CMakeLists.txt of its folders; for builds by other systems than CMake.

    sources.py sources     ordinary ones
    sources.py units       compiled once for each instruction set
    sources.py eight_wide  units of at most eight lanes
    sources.py four_wide   units of four lanes on every instruction set
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["core", "simd", "broadphase", "narrowphase", "stage"]

KINDS = {"target_sources": "sources", "broadside_add_isa_units": "units", "EIGHT_WIDE": "eight_wide",
         "FOUR_WIDE": "four_wide"}


def library_sources():
    """A dictionary of the four kinds."""
    found = {kind: [] for kind in KINDS.values()}
    for folder in FOLDERS:
        text = re.sub(r"#.*", "", (ROOT / folder / "CMakeLists.txt").read_text())
        # Sources behind a condition are for builds with shadow verification.
        text = re.sub(r"\bif\(.*?\bendif\(\)", "", text, flags=re.S)
        for command, arguments in re.findall(r"(\w+)\(([^)]*)\)", text):
            kind = KINDS.get(command)
            for word in arguments.split() if kind else []:
                kind = KINDS.get(word, kind)
                if word.endswith(".cpp"):
                    found[kind].append(folder + "/" + word)
    if len(found["sources"]) < 60 or len(found["units"]) < 13 or not (found["eight_wide"] and found["four_wide"]):
        sys.exit("sources.py: the CMakeLists.txt of a folder has an unexpected form")
    return found


if __name__ == "__main__":
    print("\n".join(library_sources()[sys.argv[1]]))
