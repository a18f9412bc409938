"""Makes the report of a run: one HTML file that needs only a browser."""

import argparse
import html
import json
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
from report_plots import Answers, make_sections  # noqa: E402
from results import read_results  # noqa: E402

HERE = Path(__file__).resolve().parent
# Debian's libjs-chart.js.
CHART_JS = Path("/usr/share/javascript/chart.js/chart.min.js")


def significant(value):
    """Three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def time_text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{significant(nanoseconds / size)} {unit}"
    return f"{significant(nanoseconds)} ns"


def facts(context, results):
    """The context that a reader needs to believe the numbers: name and value."""
    caches = ", ".join(
        f"L{cache['level']} {cache['type'].lower()} {cache['size'] // 1024:,} KiB".replace(" unified", "")
        for cache in context.get("caches", [])
    )
    spreads = [result.spread for result in results.values() if result.spread is not None]
    rows = f"{len(results)}"
    if spreads:
        rows += f"; repetitions of a row differ by {100 * statistics.median(spreads):.1f} % in the median"
    load = context.get("load_avg", [])
    busy = [f"{load[0]:.1f} at the start, on {context['num_cpus']} processors"] if load else []
    return [
        ("Processor", context.get("cpu", "unknown")),
        ("Caches", caches or "unknown"),
        ("Compiler", f"{context.get('compiler', 'unknown')}, {context.get('flags', '')}"),
        ("Commit", context.get("commit", "unknown")),
        ("Instruction sets", context.get("isas", "unknown").replace(" ", ", ")),
        ("Date", context.get("date", "unknown").replace("T", " ")),
        ("Load of the machine", busy[0] if busy else "unknown"),
        ("Rows", rows),
    ]


def warnings(context):
    found = []
    load = context.get("load_avg", [])
    if load and load[0] > 0.5 * context.get("num_cpus", 1):
        found.append("Other programs were running: trust ratios of neighbouring rows, not absolute times.")
    if context.get("cpu_scaling_enabled"):
        found.append(
            "The processor changes its clock: trust ratios of neighbouring rows, not absolute times."
        )
    if str(context.get("commit", "")).endswith("-dirty"):
        found.append("The sources had changes that are in no commit.")
    return found


def range_text(ratios):
    return f"median of {len(ratios)} rows, from {significant(min(ratios))} to {significant(max(ratios))}"


def tiles(answers):
    """The figures of the first screen: value, unit, description."""
    found = []
    for count in (100_000, 10_000):
        pairs = answers.find("broadphase", "find_pairs", "uniform", count)
        if pairs is not None:
            found.append(
                (
                    significant(pairs.per_item_ns),
                    "ns per box",
                    f"find_pairs, {count:,} uniform boxes, {answers.widest}, one thread: "
                    f"{time_text(pairs.time_ns)} a call",
                )
            )
            break
    speed_ups, peer_ratios = [], []
    for question, by_answerer in answers.by_question.items():
        ours = answers.ours(question)
        if ours is None:
            continue
        if "scalar" in by_answerer and answers.widest != "scalar":
            speed_ups.append(by_answerer["scalar"].time_ns / ours.time_ns)
        peers = [result.time_ns for result in answers.peers(question).values()]
        if peers:
            peer_ratios.append(min(peers) / ours.time_ns)
    if speed_ups:
        found.append(
            (
                significant(statistics.median(speed_ups)),
                "times as fast",
                f"{answers.widest} as scalar: {range_text(speed_ups)}",
            )
        )
    if peer_ratios:
        found.append(
            (
                significant(statistics.median(peer_ratios)),
                "times as fast",
                f"{answers.widest} as the fastest alternative measured: {range_text(peer_ratios)}",
            )
        )
    stage = [question for question in answers.questions() if question.folder == "stage"]
    if stage and answers.ours(stage[0]) is not None:
        value, unit = time_text(answers.ours(stage[0]).time_ns).split()
        found.append(
            (
                value,
                f"{unit} a frame",
                f"the whole stage, {stage[0].scene} scene, {stage[0].count:,} boxes, {answers.widest}",
            )
        )
    return found


def scene_meanings(readme):
    """The table of the section "Scenes" of bench/README.md, whose rows name one scene or several."""
    section = readme.partition("\n## Scenes\n")[2].partition("\n## ")[0]
    meanings = {}
    for names, meaning in re.findall(r"^\| (`.+?) \| (.+?) \|$", section, re.MULTILINE):
        for name in re.findall(r"`(.+?)`", names):
            meanings[name] = meaning.replace("`", "")
    return meanings


def meaning_of(scene, meanings):
    """`…_moving` stands for every scene with this ending; the part before may be explained too."""
    parts = [meanings[scene]] if scene in meanings else []
    for ending, meaning in meanings.items():
        if not parts and ending.startswith("…") and scene.endswith(ending[1:]):
            layout = meanings.get(scene.removesuffix(ending[1:]))
            parts = [layout, meaning] if layout else [meaning]
    return "; ".join(parts)


def scene_list(answers):
    meanings = scene_meanings((HERE / "../../bench/README.md").read_text(encoding="utf-8"))
    explained = {scene: meaning_of(scene, meanings) for scene in {one.scene for one in answers.by_question}}
    return "\n".join(
        f"<div><dt>{html.escape(scene)}</dt><dd>{html.escape(meaning)}</dd></div>"
        for scene, meaning in sorted(explained.items())
        if meaning
    )


def table_rows(results):
    cells = []
    for result in sorted(results.values(), key=lambda one: one.name):
        per_item = f"{significant(result.per_item_ns)} ns / {result.item}" if result.item else ""
        spread = f"{100 * result.spread:.1f} %" if result.spread is not None else ""
        cells.append(
            "<tr><td>"
            + "</td><td>".join(
                html.escape(text) for text in (result.name, time_text(result.time_ns), per_item, spread)
            )
            + "</td></tr>"
        )
    return "\n".join(cells)


def section_html(section):
    figures = "\n".join(
        f'<figure class="{plot["kind"]}"><figcaption>{html.escape(plot["title"])}</figcaption>'
        f'<div class="canvas"><canvas id="{section["id"]}-{index}" role="img" '
        f'aria-label="{html.escape(section["title"] + ": " + plot["title"], quote=True)}"></canvas></div></figure>'
        for index, plot in enumerate(section["plots"])
    )
    return (
        f'<section id="{section["id"]}"><h2>{html.escape(section["title"])}</h2>'
        f'<p>{html.escape(section["text"])}</p><div class="figures">{figures}</div></section>'
    )


def make_report(context, results, chart_js):
    answers = Answers(context, results)
    sections = make_sections(answers)
    fields = {
        "facts": "\n".join(
            f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
            for name, value in facts(context, results)
        ),
        "warnings": "\n".join(f'<p class="warning">{html.escape(text)}</p>' for text in warnings(context)),
        "tiles": "\n".join(
            f"<div><strong>{html.escape(value)}</strong> <b>{html.escape(unit)}</b>"
            f"<span>{html.escape(text)}</span></div>"
            for value, unit, text in tiles(answers)
        ),
        "links": " ".join(
            f'<a href="#{section["id"]}">{html.escape(section["title"])}</a>' for section in sections
        ),
        "sections": "\n".join(section_html(section) for section in sections),
        "scenes": scene_list(answers),
        "rows": table_rows(results),
        "row_count": str(len(results)),
        "style": "".join(path.read_text(encoding="utf-8") for path in (HERE / "../../extras/support/look.css", HERE / "report.css")),
        "chart": chart_js,
        "script": (HERE / "report.js").read_text(encoding="utf-8"),
        # A script element ends at the first "</", whatever it holds.
        "data": json.dumps({"widest": answers.widest, "sections": sections}).replace("</", "<\\/"),
    }
    page = (HERE / "report.html").read_text(encoding="utf-8")
    for name, text in fields.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def write_report(results_path, report_path, chart_js=CHART_JS):
    if not Path(chart_js).is_file():
        raise FileNotFoundError(
            f"{chart_js} is missing; ./run setup bench installs it (Debian's libjs-chart.js)"
        )
    context, results = read_results(results_path)
    page = make_report(context, results, Path(chart_js).read_text(encoding="utf-8"))
    Path(report_path).write_text(page, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", help="JSON of the benches")
    parser.add_argument("report", help="HTML file to write")
    parser.add_argument("--chart-js", default=CHART_JS, help="Chart.js 3 or newer, one file")
    arguments = parser.parse_args()
    try:
        write_report(arguments.results, arguments.report, arguments.chart_js)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"report: error: {error}")


if __name__ == "__main__":
    main()
