"""Results in Google Benchmark's format, of times by a formula: for tests of the readers of results."""

ISAS = {"scalar": 1.0, "sse2": 0.4, "avx2": 0.2, "avx512": 0.15}
PEERS = {"embree": 2.5, "cgal": 3.5}
REPETITIONS = 3

CONTEXT = {
    "date": "2026-01-02T03:04:05+00:00",
    "num_cpus": 8,
    "load_avg": [0.5, 0.5, 0.5],
    "cpu_scaling_enabled": False,
    "caches": [{"type": "Data", "level": 1, "size": 49152}, {"type": "Unified", "level": 2, "size": 1048576}],
    "cpu": "Processor <of> a & test",
    "compiler": "GNU 12.2.0",
    "flags": "-O3 -DNDEBUG",
    "commit": "0123456",
    "isas": " ".join(ISAS),
}


def runs_of(name, time_ns, item, count, **counters):
    """Repetitions a few per cent apart, followed by their aggregates."""
    # Rows with this ending are measured by wall time; the other clock gets nonsense.
    is_wall = name.endswith("/manual_time")
    real, cpu = (1, 3) if is_wall else (3, 1)

    def run(factor, **more):
        return {
            "run_name": name,
            "repetitions": REPETITIONS,
            "threads": 1,
            "iterations": 10,
            "time_unit": "us",
            "real_time": real * time_ns * factor / 1e3,
            "cpu_time": cpu * time_ns * factor / 1e3,
            f"per_{item}": time_ns * factor / count * 1e-9,
            **counters,
            **more,
        }

    found = [
        run(factor, name=name, run_type="iteration", repetition_index=index)
        for index, factor in enumerate((1.0, 0.98, 1.03))
    ]
    for aggregate in ("mean", "median", "stddev", "cv"):
        found.append(
            run(
                1.0,
                name=f"{name}_{aggregate}",
                run_type="aggregate",
                aggregate_name=aggregate,
                aggregate_unit="time",
            )
        )
    return found


def make_document():
    benchmarks = []
    for count in (1000, 10000, 100000):
        for scene, factor in (("uniform", 1.0), ("pile", 4.0)):
            for who, part in {**ISAS, **PEERS}.items():
                benchmarks += runs_of(
                    f"broadphase/find_pairs/{scene}/{count}/{who}",
                    80.0 * count * factor * part,
                    "box",
                    count,
                    pairs=1.0 * count,
                )
            for phase, part in (("plan", 0.05), ("scatter", 0.3), ("sort", 0.2)):
                benchmarks += runs_of(
                    f"broadphase/phase_{phase}/{scene}/{count}/avx512",
                    12.0 * count * factor * part,
                    "box",
                    count,
                )
            benchmarks += runs_of(
                f"broadphase/find_pairs_canonical/{scene}/{count}/avx512", 15.0 * count * factor, "box", count
            )
            for algorithm, part in (("automatic", 1.0), ("cells", 1.2), ("sweep_and_prune", 1.5)):
                benchmarks += runs_of(
                    f"broadphase/choice_{algorithm}/{scene}/{count}/avx512", 12.0 * count * part, "box", count
                )
        for who, part in {**ISAS, "bullet_dbvt": 6.0}.items():
            microseconds = 0.1 * count * part
            benchmarks += runs_of(
                f"broadphase/world/static90/{count}/{who}/manual_time",
                1e3 * microseconds,
                "box",
                count,
                find_us=0.6 * microseconds,
                rest_us=0.1 * microseconds,
                compare_us=0.2 * microseconds,
            )
    for isa, part in ISAS.items():
        benchmarks += runs_of(f"narrowphase/ray_boxes/t/1024/{isa}", 4500.0 * part, "test", 1024)
        benchmarks += runs_of(f"stage/step/street/10000/{isa}", 6e6 * part, "box", 10000)
    return {"context": dict(CONTEXT), "benchmarks": benchmarks}
