#!/usr/bin/env python3
"""Replaces an executable of the benches, with made-up times: for tests of the programs that run benches. MADE_SLOW
names a row that takes twice as long; MADE_LACKS one that this build does not have; MADE_FAILS makes it fail."""

import json
import os
import re
import sys

LISTING = """widest avx2
suite first
quick a/one/scene/(10|100)/widest
quick a/one/scene/10/.*
a/one/scene/10/scalar
a/one/scene/10/avx2
a/one/scene/100/scalar
a/one/scene/100/avx2/manual_time
a/one/scene/1000/avx2
suite first_peers
quick a/one/scene/10/.*
a/one/scene/10/peer
a/one/scene/100/peer
suite second
quick b/two/scene/10/widest
b/two/scene/10/scalar
b/two/scene/10/avx2
b/two/scene/10/avx2_more
"""
CONTEXT = {"date": "today", "num_cpus": 2, "load_avg": [], "caches": [], "isas": "scalar avx2"}


def option(name, default=None):
    values = [
        argument.split("=", 1)[1] for argument in sys.argv[1:] if argument.startswith(f"--benchmark_{name}=")
    ]
    return values[-1] if values else default


def rows():
    found, suite = [], ""
    wanted = os.environ.get("BROADSIDE_BENCH_SUITES", "").split(",")
    for line in LISTING.splitlines():
        if line.startswith("suite "):
            suite = line.split()[1]
        elif "/" in line and not line.startswith("quick ") and suite in wanted:
            if re.search(option("filter"), line) and line != os.environ.get("MADE_LACKS"):
                found.append(line)
    return found


def run_of(name):
    time = 2000.0 if name == os.environ.get("MADE_SLOW") else 1000.0
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "iterations": 1,
        "real_time": time,
        "cpu_time": time,
        "time_unit": "ns",
        "per_box": time * 1e-11,
    }


def main():
    if "--list_suites" in sys.argv:
        print(LISTING, end="")
        return 0
    if "MADE_FAILS" in os.environ:
        print("a/one/scene/10/scalar: the result differs from the scalar reference", file=sys.stderr)
        return 1
    repetitions = int(option("repetitions", "1"))
    document = {
        "context": CONTEXT,
        "benchmarks": [run_of(name) for name in rows() for _ in range(repetitions)],
    }
    if option("format") == "json":
        # Google Benchmark prints nothing but a message where nothing matches.
        if document["benchmarks"]:
            print(json.dumps(document))
        return 0
    for name in rows():
        for _ in range(repetitions):
            print(f"{name:<60} 1000 ns 1000 ns 5 per_box=10ns")
        if repetitions > 1:
            print(f"{name + '_median':<60} 1000 ns 1000 ns 3 per_box=10ns")
            print(f"{name + '_cv':<60} 0.00 % 0.00 % 3 per_box=0.00%")
    with open(option("out"), "w", encoding="utf-8") as stream:
        json.dump(document, stream)
    return 0


if __name__ == "__main__":
    sys.exit(main())
