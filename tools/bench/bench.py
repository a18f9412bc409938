"""Runs the benches, or compares two builds of them. ./run bench builds their executables and calls this."""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
import compare  # noqa: E402
import report  # noqa: E402
from dated_files import link_as_last, make_dated_file  # noqa: E402
from rows import exact_filter, list_suites, plain_name, quick_rows, rows_matching, suite_names  # noqa: E402

# Long enough for a few calls of the slowest row, and short enough that all repetitions see the same machine.
MIN_SECONDS = 0.05
REPETITIONS = 3

# A line of Google Benchmark's console output: name, aggregate, time, CPU time, iterations, counters.
CONSOLE_LINE = re.compile(
    r"^(\S+?/\S+?)(?:_(mean|median|stddev|cv))?\s+([\d.e+-]+ \S+)\s+[\d.e+-]+ \S+\s+\d+(.*)$"
)
# Other lines of the output, beside rows and messages. Debian builds its library without NDEBUG; our loops are not in
# it.
USELESS_LINE = re.compile(r"^(-+$|Benchmark +Time|\*\*\*WARNING\*\*\* Library was built as DEBUG)")


def parse_arguments(argv):
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__, allow_abbrev=False)
    parser.add_argument("--executable", required=True, type=Path)
    parser.add_argument("--results", required=True, type=Path, help="folder of the JSON and the report")
    parser.add_argument("--full", action="store_true", help="every row instead of the quick ones")
    parser.add_argument("--filter", metavar="REGEX", help="every row whose name matches")
    parser.add_argument("--base", type=Path, help="executable to compare with")
    parser.add_argument("--base-name", default="base")
    parser.add_argument("--rounds", type=int, default=compare.ROUNDS)
    return parser.parse_known_args(argv)


def value_of(benchmark_arguments, name, default=None):
    """The value of the caller's last --benchmark_<name>=... argument."""
    found = default
    for argument in benchmark_arguments:
        key, _, value = argument.partition("=")
        if key == f"--benchmark_{name}":
            found = value
    return found


def select_rows(arguments, benchmark_arguments):
    suites = list_suites(arguments.executable)
    pattern = arguments.filter or value_of(benchmark_arguments, "filter")
    if pattern is not None:
        rows = rows_matching(suites.rows, pattern)
    else:
        rows = suites.rows if arguments.full else quick_rows(suites)
        if arguments.base is not None:
            # Only our rows are compared, and a change shows on one ISA as on all.
            rows = [row for row in rows if row.name.endswith("/" + suites.widest_isa)]
    if not rows:
        sys.exit(f"run: error: no row matches '{pattern}'; --benchmark_list_tests shows all")
    return rows


def show_progress(stream, row_count, repetition_count):
    """A line a row, as soon as it is known: progress, name, time, time per item."""
    start, done = time.monotonic(), 0
    for line in stream:
        match = CONSOLE_LINE.match(line)
        if match is None:
            if not USELESS_LINE.match(line):
                print(line, end="", flush=True)
            continue
        name, aggregate, elapsed, counters = match.groups()
        if aggregate != ("median" if repetition_count > 1 else None):
            continue
        done += 1
        per_item = re.search(r"per_(\w+)=(\S+)", counters)
        note = f"{per_item[2]}/{per_item[1]}" if per_item else ""
        print(
            f"[{time.monotonic() - start:3.0f}s] {done:>4}/{row_count:<4} {plain_name(name):<66} {elapsed:>12} "
            f"{note:>16}",
            flush=True,
        )


def run(arguments, benchmark_arguments):
    rows = select_rows(arguments, benchmark_arguments)
    out_format = value_of(benchmark_arguments, "out_format", "json")
    own_path = value_of(benchmark_arguments, "out")
    if own_path is None:
        results_path = make_dated_file(arguments.results, "results", f".{out_format}")
    else:
        results_path = Path(own_path)
        # The plain name links to the results of another run.
        if results_path.is_symlink():
            results_path.unlink()
    try:
        measure(arguments, benchmark_arguments, rows, results_path)
    except BaseException:
        if own_path is None:
            results_path.unlink(missing_ok=True)
        raise
    print(f"results: {results_path}")
    if own_path is None:
        print(f"         {link_as_last(results_path, 'results')}")
    if out_format == "json":
        report_path = make_dated_file(arguments.results, "report", ".html")
        report.write_report(results_path, report_path)
        print(f"report:  {report_path}")
        print(f"         {link_as_last(report_path, 'report')}")


def measure(arguments, benchmark_arguments, rows, results_path):
    # Google Benchmark takes the last of several, so the caller's arguments win.
    command = [
        str(arguments.executable),
        f"--benchmark_min_time={MIN_SECONDS}",
        f"--benchmark_repetitions={REPETITIONS}",
        f"--benchmark_out={results_path}",
        "--benchmark_out_format=json",
        *benchmark_arguments,
        f"--benchmark_filter={exact_filter(rows)}",
    ]
    environment = dict(os.environ, BROADSIDE_BENCH_SUITES=suite_names(rows))
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        show_progress(
            process.stdout, len(rows), int(value_of(benchmark_arguments, "repetitions", REPETITIONS))
        )
    if process.returncode != 0:
        sys.exit(f"run: error: the benches ended with {process.returncode}")


def main():
    arguments, benchmark_arguments = parse_arguments(sys.argv[1:])
    unknown = [argument for argument in benchmark_arguments if not argument.startswith("--benchmark_")]
    if unknown:
        sys.exit(f"run: error: unknown argument '{unknown[0]}'; ./run bench --help shows all")
    if any(argument.startswith("--benchmark_list_tests") for argument in benchmark_arguments):
        sys.exit(subprocess.run([arguments.executable, *benchmark_arguments], check=False).returncode)
    try:
        if arguments.base is None:
            run(arguments, benchmark_arguments)
        else:
            rows = select_rows(arguments, benchmark_arguments)
            verdicts = compare.run(
                arguments.base, arguments.base_name, arguments.executable, rows, arguments.rounds
            )
            path = make_dated_file(arguments.results, "compare", ".json")
            path.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")
            print(f"results: {path}")
            print(f"         {link_as_last(path, 'compare')}")
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, ValueError, re.error, subprocess.CalledProcessError) as error:
        sys.exit(f"run: error: {error}")


if __name__ == "__main__":
    main()
