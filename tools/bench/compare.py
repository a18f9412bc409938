"""Two builds, measured in turns by short processes, and a verdict for each row."""

import json
import os
import statistics
import subprocess
import time

from results import time_of
from rows import exact_filter, plain_name, suite_names
from verdict import Round, judge

ROUNDS = 8
MIN_SECONDS = 0.02
# Rows measured by one process; with fewer, the two builds' measurements of one row are closer in time.
ROWS_AT_ONCE = 6


def groups_of(rows):
    """Adjacent rows of one suite, because they share their scenes."""
    group = []
    for row in rows:
        if group and (row.suite != group[0].suite or len(group) == ROWS_AT_ONCE):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def measure(executable, rows):
    """Nanoseconds by name; rows that this build does not have are missing."""
    command = [
        str(executable),
        f"--benchmark_filter={exact_filter(rows)}",
        f"--benchmark_min_time={MIN_SECONDS}",
        "--benchmark_format=json",
    ]
    environment = dict(os.environ, BROADSIDE_BENCH_SUITES=suite_names(rows))
    output = subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if not output.stdout.strip():
        return {}
    return {
        plain_name(run["run_name"]): time_of(run)
        for run in json.loads(output.stdout)["benchmarks"]
        if not run.get("error_occurred")
    }


def measure_rounds(base, new, rows, round_count):
    """Name to its rounds."""
    rounds = {}
    for index in range(round_count):
        order = "ABBA" if index % 2 == 0 else "BAAB"
        times = {"A": [], "B": []}
        for side in order:
            times[side].append(measure(base if side == "A" else new, rows))
        for row in rows:
            if all(row.name in measured for measured in times["A"] + times["B"]):
                rounds.setdefault(row.name, []).append(
                    Round(*(tuple(measured[row.name] for measured in times[side]) for side in "AB"))
                )
    return rounds


def median_time(rounds, side):
    return statistics.median(time for one in rounds for time in getattr(one, side))


def line_of(name, rounds, verdict):
    word = verdict.word.upper() if verdict.word != "same" else ""
    return (
        f"{name:<68} {median_time(rounds, 'a') / 1e3:>12.2f} {median_time(rounds, 'b') / 1e3:>12.2f} "
        f"{verdict.ratio:>7.3f}  ±{100 * verdict.noise:4.1f} %  {word}"
    )


def run(base, base_name, new, rows, round_count=ROUNDS):
    """Prints a line a row as soon as it is known, and returns everything in the form of JSON."""
    start, done, missing, found = time.monotonic(), 0, [], []
    print(
        f"A is {base_name}, B is this build; {len(rows)} rows, {round_count} rounds of two times each. The ratio is "
        f"B's time over A's;\n± is what two equal builds differ by here."
    )
    print(f"{'':18}{'row':<68} {'A µs':>12} {'B µs':>12} {'B/A':>7}")
    for group in groups_of(rows):
        rounds = measure_rounds(base, new, group, round_count)
        for row in group:
            done += 1
            if row.name not in rounds:
                missing.append(row.name)
                continue
            verdict = judge(rounds[row.name], len(rows))
            print(
                f"[{time.monotonic() - start:4.0f}s] {done:>4}/{len(rows):<4} "
                f"{line_of(row.name, rounds[row.name], verdict)}",
                flush=True,
            )
            found.append(
                {
                    "name": row.name,
                    "a_ns": median_time(rounds[row.name], "a"),
                    "b_ns": median_time(rounds[row.name], "b"),
                    "ratio": verdict.ratio,
                    "noise": verdict.noise,
                    "verdict": verdict.word,
                    "rounds": [{"a": one.a, "b": one.b} for one in rounds[row.name]],
                }
            )
    print_summary(found, missing)
    return {"base": base_name, "rows": found, "missing_in_base": missing}


def print_summary(found, missing):
    words = [row["verdict"] for row in found]
    print(
        f"{words.count('faster')} faster, {words.count('slower')} slower, {words.count('same')} the same within the "
        f"noise"
    )
    if found:
        print(f"median ratio of all rows: {statistics.median(row['ratio'] for row in found):.3f}")
    if missing:
        print(f"not in A: {', '.join(missing[:5])}{f' and {len(missing) - 5} more' if missing[5:] else ''}")
