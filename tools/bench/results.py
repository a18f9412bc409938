"""Reads the output of Google Benchmark and reduces it to one record a row: the median, its spread, the counters."""

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from rows import plain_name

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass
class Result:
    name: str
    time_ns: float
    # Largest less smallest repetition, as a part of the median; None for a single one.
    spread: float | None = None
    # "box", "pair", ...: the item of per_item_ns; both None if the row has none.
    item: str | None = None
    per_item_ns: float | None = None
    counters: dict = field(default_factory=dict)

    @property
    def parts(self):
        return self.name.split("/")

    @property
    def question(self):
        """The measured query, without the contender."""
        return self.name.rpartition("/")[0]

    @property
    def answerer(self):
        """One of our ISAs, or a peer."""
        return self.name.rpartition("/")[2]


def time_of(run):
    """Nanoseconds of the clock of the row. Processor time is not disturbed by other programs, but it does not include a
    second thread. If only a part of an iteration counts, the row times it itself.
    """
    is_wall = run["run_name"].endswith(("/real_time", "/manual_time"))
    return (run["real_time"] if is_wall else run["cpu_time"]) * NANOSECONDS[run["time_unit"]]


# Everything else in a run is a counter of the suite.
OWN_KEYS = {
    "name",
    "run_name",
    "run_type",
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
    "label",
}


def read_results(path):
    """The context and the results by name, of repetitions or of aggregates."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    singles, medians = {}, {}
    for run in document["benchmarks"]:
        if run.get("error_occurred"):
            continue
        if run.get("run_type") == "iteration":
            singles.setdefault(run["run_name"], []).append(run)
        elif run.get("aggregate_name") == "median":
            medians[run["run_name"]] = run
    results = [reduce_runs(name, runs) for name, runs in singles.items()]
    results += [reduce_runs(name, [run]) for name, run in medians.items() if name not in singles]
    return document["context"], {result.name: result for result in results}


def reduce_runs(run_name, runs):
    times = [time_of(run) for run in runs]
    median = statistics.median(times)
    result = Result(plain_name(run_name), median)
    if len(times) > 1 and median > 0:
        result.spread = (max(times) - min(times)) / median
    for key in runs[0].keys() - OWN_KEYS:
        value = statistics.median(run[key] for run in runs)
        if key.startswith("per_"):
            result.item = key.removeprefix("per_")
            result.per_item_ns = value * 1e9
        else:
            result.counters[key] = value
    return result
