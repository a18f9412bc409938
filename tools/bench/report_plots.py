"""The contents of the report as data: which results make up which plot. report.js draws the plots."""

import os
from dataclasses import dataclass

# Rows of these kinds are for developers: they are in the table and in sections of their own.
SPECIAL_KINDS = ("phase_", "choice_", "filter_")
# The sections that readers look for first.
FIRST_ALGORITHMS = ("step", "find_pairs", "find_pairs_canonical", "world")
LARGEST_BAR_COUNT = 40

PHASES = (("plan", "phase_plan"), ("scatter into cells", "phase_scatter"), ("sort cells", "phase_sort"))
WORLD_PHASES = (
    ("find pairs", "find_us"),
    ("look after resting boxes", "rest_us"),
    ("compare with before", "compare_us"),
)


@dataclass(frozen=True)
class Question:
    folder: str
    algorithm: str
    scene: str
    count: int

    @property
    def label(self):
        name = "stage step" if self.folder == "stage" else self.algorithm
        return f"{name} · {self.scene} · {self.count:,}"

    @property
    def order(self):
        first = FIRST_ALGORITHMS.index(self.algorithm) if self.algorithm in FIRST_ALGORITHMS else 99
        return (first, self.folder, self.algorithm, self.scene, self.count)


class Answers:
    """The results by query, and by contender: our ISAs or a peer."""

    def __init__(self, context, results):
        self.isas = context.get("isas", "scalar sse2 avx2 avx512 neon64 wasm128").split()
        self.by_question = {}
        for result in results.values():
            folder, algorithm, scene, count, answerer = result.parts
            question = Question(folder, algorithm, scene, int(count))
            self.by_question.setdefault(question, {})[answerer] = result
        present = [isa for isa in self.isas if any(isa in answers for answers in self.by_question.values())]
        self.widest = present[-1] if present else ""

    def questions(self):
        return sorted(self.by_question, key=lambda question: question.order)

    def ours(self, question):
        return self.by_question[question].get(self.widest)

    def peers(self, question):
        return {who: result for who, result in self.by_question[question].items() if who not in self.isas}

    def find(self, folder, algorithm, scene, count):
        return self.by_question.get(Question(folder, algorithm, scene, count), {}).get(self.widest)


def is_special(question):
    return question.algorithm.startswith(SPECIAL_KINDS)


def point(x, y, result):
    return {"x": x, "y": y, "spread": result.spread, "row": result.name}


def series_of(named_points):
    """Lines by name, points in the order of x; a line needs two."""
    return [
        {"name": name, "points": sorted(points, key=lambda at: at["x"])}
        for name, points in named_points.items()
        if len(points) > 1
    ]


def scaling_plots(answers):
    """Time against count: ours beside the peers if there are any, else the scenes of an algorithm in one plot."""
    with_peers, alone = {}, {}
    for question in answers.questions():
        ours = answers.ours(question)
        if ours is None or is_special(question):
            continue
        lines = with_peers.setdefault((question.algorithm, question.scene), {})
        lines.setdefault(f"broadside {answers.widest}", []).append(point(question.count, ours.time_ns, ours))
        for peer, result in answers.peers(question).items():
            lines.setdefault(peer, []).append(point(question.count, result.time_ns, result))
        lines = alone.setdefault(question.algorithm, {})
        lines.setdefault(question.scene, []).append(point(question.count, ours.time_ns, ours))
    plots, plotted = [], set()
    for (algorithm, scene), lines in with_peers.items():
        series = series_of(lines)
        if len(series) > 1:
            plots.append(line_plot(f"{algorithm}, {scene}", "time of a call", "answerer", series))
            plotted.add(algorithm)
    left = [
        (algorithm, "", series_of(lines)) for algorithm, lines in alone.items() if algorithm not in plotted
    ]
    for title, _, names, series in join_families(left):
        plots.append(line_plot(f"{title}, {answers.widest}", "time of a call", names, series))
    return plots


def join_families(entries):
    """Algorithms with a single scene share a plot with their relatives: box_tree_build and box_tree_refit become
    "box_tree". Entries are an algorithm, the item of its measurement, and its scenes as series; the result is a title,
    the item, the kind of the series' names, and the series."""
    families = {}
    for algorithm, item, series in entries:
        if len(series) == 1:
            key = (algorithm.split("_")[0], item, series[0]["name"])
        else:
            key = (algorithm, item, None)
        families.setdefault(key, []).append((algorithm, series))
    joined = []
    for (_, item, scene), members in families.items():
        if len(members) == 1:
            joined += [(algorithm, item, "scene", series) for algorithm, series in members if series]
            continue
        prefix = os.path.commonprefix([algorithm + "_" for algorithm, _ in members]).rpartition("_")[0]
        series = [
            {**one[0], "name": algorithm.removeprefix(prefix).strip("_") or algorithm}
            for algorithm, one in members
        ]
        joined.append((f"{prefix}, {scene}", item, prefix, series))
    return joined


def per_item_plots(answers):
    lines_of = {}
    for question in answers.questions():
        ours = answers.ours(question)
        if ours is None or ours.per_item_ns is None or is_special(question):
            continue
        lines = lines_of.setdefault((question.algorithm, ours.item), {})
        lines.setdefault(question.scene, []).append(point(question.count, ours.per_item_ns, ours))
    entries = [(algorithm, item, series_of(lines)) for (algorithm, item), lines in lines_of.items()]
    return [
        line_plot(f"{title}, {answers.widest}", f"time per {item}", names, series, is_y_log=False)
        for title, item, names, series in join_families(entries)
    ]


def choice_plots(answers):
    lines_of = {}
    for question in answers.questions():
        ours = answers.ours(question)
        if ours is not None and question.algorithm.startswith("choice_"):
            lines = lines_of.setdefault(question.scene, {})
            name = question.algorithm.removeprefix("choice_").replace("_", " ")
            lines.setdefault(name, []).append(point(question.count, ours.per_item_ns, ours))
    plots = [(scene, series_of(lines)) for scene, lines in lines_of.items()]
    return [
        line_plot(f"{scene}, {answers.widest}", "time per box", "algorithm", series)
        for scene, series in plots
        if series
    ]


def line_plot(title, y_title, names, series, is_y_log=True):
    """`names` is the kind of the series' names: one name of a kind has one colour all over the page."""
    return {
        "kind": "lines",
        "title": title,
        "x_title": "count",
        "y_title": y_title,
        "is_y_log": is_y_log,
        "names": names,
        "series": series,
    }


def speed_up_plots(answers):
    """Each ISA over scalar: one query an algorithm, the largest that every ISA has."""
    chosen = {}
    for question in answers.questions():
        by_isa = answers.by_question[question]
        if "scalar" in by_isa and answers.widest in by_isa and answers.widest != "scalar":
            known = chosen.get(question.algorithm)
            if not is_special(question) and (known is None or question.count > known.count):
                chosen[question.algorithm] = question
    questions = list(chosen.values())[:LARGEST_BAR_COUNT]
    series = []
    for isa in answers.isas:
        points = []
        for question in questions:
            by_isa = answers.by_question[question]
            if isa != "scalar" and isa in by_isa:
                speed_up = by_isa["scalar"].time_ns / by_isa[isa].time_ns
                points.append(point(speed_up, question.label, by_isa[isa]))
        if points:
            series.append({"name": isa, "points": points})
    if not series:
        return []
    return [
        {
            "kind": "bars",
            "title": "scalar's time / the instruction set's time",
            "x_title": "times as fast as scalar",
            "names": "isa",
            "labels": [question.label for question in questions],
            "series": series,
        }
    ]


def ratio_plots(answers):
    """Each peer's time over ours, if both have the same query in the same run."""
    questions, points_of = [], {}
    for question in answers.questions():
        ours, peers = answers.ours(question), answers.peers(question)
        if ours is None or not peers:
            continue
        questions.append(question)
        for peer, result in peers.items():
            points_of.setdefault(peer, []).append(
                point(result.time_ns / ours.time_ns, question.label, result)
            )
    if not questions:
        return []
    return [
        {
            "kind": "dots",
            "title": f"other library's time / broadside's time, {answers.widest}",
            "x_title": "times broadside's time",
            "names": "answerer",
            "labels": [question.label for question in questions],
            "series": [{"name": peer, "points": points} for peer, points in points_of.items()],
        }
    ]


def phase_plots(answers):
    return [plot for plot in (find_pairs_phases(answers), world_phases(answers)) if plot is not None]


def stack_plot(title, parts_of):
    """parts_of: label to (part, nanoseconds per box, result), in the order of the parts."""
    if not parts_of:
        return None
    series = {}
    for label, parts in parts_of.items():
        for part, value, result in parts:
            # The remainder can be below zero by noise alone.
            series.setdefault(part, []).append(point(max(value, 0.0), label, result))
    return {
        "kind": "stack",
        "title": title,
        "x_title": "ns per box",
        "names": title,
        "labels": list(parts_of),
        "series": [{"name": name, "points": points} for name, points in series.items()],
    }


def find_pairs_phases(answers):
    parts_of = {}
    for question in answers.questions():
        if question.algorithm != "find_pairs":
            continue
        where = (question.folder, question.scene, question.count)
        phases = [answers.find(where[0], row, *where[1:]) for _, row in PHASES]
        whole = answers.ours(question)
        if whole is None or any(phase is None for phase in phases):
            continue
        parts = [(name, phase.per_item_ns, phase) for (name, _), phase in zip(PHASES, phases)]
        parts.append(("scan for pairs", whole.per_item_ns - sum(part[1] for part in parts), whole))
        canonical = answers.find(where[0], "find_pairs_canonical", *where[1:])
        if canonical is not None:
            parts.append(("canonical order", canonical.per_item_ns - whole.per_item_ns, canonical))
        parts_of[question.label] = parts
    return stack_plot(f"find_pairs, {answers.widest}", parts_of)


def world_phases(answers):
    parts_of = {}
    for question in answers.questions():
        whole = answers.ours(question)
        if question.algorithm != "world" or whole is None:
            continue
        if any(key not in whole.counters for _, key in WORLD_PHASES):
            continue
        parts = [(name, whole.counters[key] * 1e3 / question.count, whole) for name, key in WORLD_PHASES]
        left = whole.per_item_ns - sum(part[1] for part in parts)
        parts_of[question.label] = [("set boxes", left, whole), *parts]
    return stack_plot(f"World, a frame, {answers.widest}", parts_of)


def make_sections(answers):
    """Sections with at least one plot, in the order of the page."""
    sections = [
        (
            "scaling",
            "Time against count",
            "Both axes are logarithmic: a straight line at 45° is time in proportion "
            "to count. Where other libraries were measured, they got the same boxes in the same process.",
            scaling_plots(answers),
        ),
        (
            "per-item",
            "Nanoseconds per item",
            "The same times divided by the count; the level that matters for a "
            "frame's budget. Lines that rise leave the caches.",
            per_item_plots(answers),
        ),
        (
            "ratios",
            "Against other libraries",
            "One mark is one query of one library; right of the dashed "
            "line broadside is faster. All results were compared with ours before timing. “book” is the "
            "formula of the textbooks in scalar code.",
            ratio_plots(answers),
        ),
        (
            "speed-up",
            "Speed-up by instruction set",
            "The same source on every instruction set, and the same bits out "
            "of each; the scalar version is ordinary C++ compiled with the same flags.",
            speed_up_plots(answers),
        ),
        (
            "phases",
            "Where the time goes",
            "Phases measured alone, and the rest of a whole call.",
            phase_plots(answers),
        ),
        (
            "choices",
            "Algorithms of find_pairs",
            "The algorithms of the automatic choice.",
            choice_plots(answers),
        ),
    ]
    return [
        {"id": name, "title": title, "text": text, "plots": plots}
        for name, title, text, plots in sections
        if plots
    ]
