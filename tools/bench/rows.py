"""The rows of a bench executable, and the choice of rows for a run."""

import re
import subprocess
from dataclasses import dataclass

# Endings that Google Benchmark appends to a name: the number of runs, if it is fixed, and the kind of time.
MODIFIERS = re.compile(r"(/iterations:\d+)?(/(manual|real|process)_time)?$")


@dataclass(frozen=True)
class Row:
    suite: str
    full_name: str

    @property
    def name(self):
        return plain_name(self.full_name)


@dataclass(frozen=True)
class Suites:
    widest_isa: str
    rows: list
    # Suite to its regular expressions, "widest" already replaced.
    quick_patterns: dict


def plain_name(full_name):
    """folder/algorithm/scene/count/isa, or the name of a peer in place of the ISA."""
    return MODIFIERS.sub("", full_name, count=1)


def list_suites(executable):
    listing = subprocess.run([executable, "--list_suites"], check=True, capture_output=True, text=True)
    return parse_listing(listing.stdout)


def parse_listing(text):
    widest, suite, rows, quick = "", "", [], {}
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == "widest":
            widest = value
        elif key == "suite":
            suite = value
            quick[suite] = []
        elif key == "quick":
            quick[suite].append(re.sub(r"\bwidest\b", widest, value))
        elif line:
            rows.append(Row(suite, line))
    return Suites(widest, rows, quick)


def quick_rows(suites):
    def is_quick(row):
        return any(re.fullmatch(pattern, row.name) for pattern in suites.quick_patterns[row.suite])

    return [row for row in suites.rows if is_quick(row)]


def rows_matching(rows, pattern):
    return [row for row in rows if re.search(pattern, row.name)]


def exact_filter(rows):
    """A --benchmark_filter for these rows and no others."""
    return "^(" + "|".join(row.full_name for row in rows) + ")$"


def suite_names(rows):
    """The suites of the rows, for BROADSIDE_BENCH_SUITES."""
    return ",".join(dict.fromkeys(row.suite for row in rows))
