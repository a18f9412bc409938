# ./run bench: builds the benches, and another build of them to compare with. Sourced by ./run, which provides root,
# log_dir, say, fail, configure and build. tools/bench/bench.py runs the benches and shows their results.
# shellcheck shell=bash disable=SC2154

help_bench() {
    cat <<'TEXT'
usage: ./run bench [--full | --filter REGEX] [--peers] [arguments of Google Benchmark]
       ./run bench --compare BASE [--full | --filter REGEX] [--rounds N] [--peers]

Builds preset release, runs the benches, and writes results and a report into build/bench, each under its date;
results.json, report.html and, of a comparison, compare.json there are links to the last ones.

  (none)          the quick rows: every suite in about four minutes
  --full          every row; an hour or more
  --filter REGEX  every row whose name matches, for example 'find_pairs/(city|pile)/.*/avx2$'
  --peers         install the other libraries that ours are measured against: Embree, CGAL, Bullet, FCL, ODE, Boost;
                  they take part from then on
  --compare BASE  measure in turns with another build, and tell for each row whether this one is faster or slower
                  beyond the machine's noise. BASE is a commit, which is built in build/compare, or a build folder,
                  or an executable of the benches. Without --full or --filter: the quick rows on the widest ISA,
                  some ten minutes
  --rounds N      rounds of a comparison; each measures both builds twice (default 8)

Arguments that begin with --benchmark_ reach Google Benchmark: --benchmark_repetitions=9, --benchmark_list_tests.
TEXT
}

bench_program() { printf '%s' "$root/build/release/bench/broadside_bench"; }

# A variable of the cache of build/release.
release_setting() { sed -n "s/^$1:[A-Z]*=//p" "$root/build/release/CMakeCache.txt"; }

# Builds the benches of a commit in a worktree of its own, with the compiler of build/release. Without peers, because
# only ours are compared, and they take longest to compile.
build_base() {
    local commit=$1 folder=$root/build/compare/$1 settings peer
    if [[ ! -e $folder/.git ]]; then
        say "check out $commit in build/compare"
        git -C "$root" worktree prune
        logged compare git -C "$root" worktree add --force --detach "$folder" "$commit" ||
            fail "git could not check out $commit (build/log/compare.log)"
    fi
    # Older commits call the extras tools.
    settings=(-DBROADSIDE_BUILD_TESTS=OFF -DBROADSIDE_BUILD_EXTRAS=OFF -DBROADSIDE_BUILD_TOOLS=OFF
        -DBROADSIDE_BUILD_EXAMPLES=OFF -DBROADSIDE_BUILD_BENCHMARKS=ON -DCMAKE_CXX_COMPILER="$(release_setting CMAKE_CXX_COMPILER)")
    for peer in embree CGAL Bullet fcl ODE Boost; do settings+=("-DCMAKE_DISABLE_FIND_PACKAGE_$peer=ON"); done
    [[ ! -d $deps_dir/xsimd ]] || settings+=(-DBROADSIDE_XSIMD_DIR="$deps_dir/xsimd")
    # For configure and build, which see the variables of their caller.
    # shellcheck disable=SC2034
    local log_dir=$root/build/log/compare-$commit root=$folder
    configure release --preset release "${settings[@]}"
    build release broadside_bench
}

# Sets base_program, base_name and base_commit, empty if nothing has to be built, from a commit, a build folder or an
# executable.
find_base() {
    local base=$1
    base_name=$base base_commit=
    if [[ -f $base && -x $base ]]; then
        base_program=$base
    elif [[ -d $base ]]; then
        base_program=$base/bench/broadside_bench
        [[ -x $base_program ]] || fail "no bench/broadside_bench in $base"
    else
        base_commit=$(git -C "$root" rev-parse --quiet --verify --short=12 "$base^{commit}" 2>/dev/null) ||
            fail "'$base' is neither a commit nor a build folder nor an executable"
        base_name=$(git -C "$root" log -1 --format='%h %s' "$base_commit")
        base_program=$root/build/compare/$base_commit/build/release/bench/broadside_bench
    fi
}

# Options of Google Benchmark, without --benchmark_.
benchmark_options=(color context counters_tabular display_aggregates_only enable_random_interleaving filter format
    list_tests min_time min_warmup_time out out_format perf_counters repetitions report_aggregates_only time_unit)

check_benchmark_option() {
    local name=${1#--benchmark_}
    [[ " ${benchmark_options[*]} " == *" ${name%%=*} "* ]] ||
        fail "unknown argument '$1'; known after --benchmark_: ${benchmark_options[*]}"
}

run_bench() {
    local base='' commands=(bench) arguments=() rows='' rounds='' base_program base_name base_commit=
    while [[ $# -gt 0 ]]; do
        case $1 in
            --peers) commands+=(peers) ;;
            --compare=*) base=${1#*=} ;;
            --compare)
                [[ $# -gt 1 ]] || fail "--compare needs a commit, a build folder or an executable"
                base=$2
                shift
                ;;
            --filter | --rounds)
                [[ $# -gt 1 ]] || fail "$1 needs a value; ./run bench --help shows all"
                set -- "$1=$2" "${@:3}"
                continue
                ;;
            --rounds=*)
                rounds=${1#*=}
                [[ $rounds =~ ^[1-9][0-9]{0,5}$ ]] || fail "--rounds needs a number above 0, found '$rounds'"
                arguments+=("$1")
                ;;
            --full | --filter=*)
                [[ -z $rows || $rows == "${1%%=*}" ]] || fail "--full and --filter: only one of them"
                rows=${1%%=*}
                arguments+=("$1")
                ;;
            --benchmark_*)
                check_benchmark_option "$1"
                arguments+=("$1")
                ;;
            *) fail "unknown argument '$1'; ./run bench --help shows all" ;;
        esac
        shift
    done
    [[ -z $rounds || -n $base ]] || fail "--rounds is for --compare BASE"
    [[ -z $base ]] || find_base "$base"
    set_up "${commands[@]}"
    configure_release
    build release broadside_bench
    if [[ -n $base ]]; then
        [[ -z $base_commit ]] || build_base "$base_commit"
        arguments+=(--base "$base_program" --base-name "$base_name")
        say "compare with $base_name"
    else
        say "run the benches"
    fi
    exec python3 "$root/tools/bench/bench.py" --executable "$(bench_program)" --results "$root/build/bench" \
        "${arguments[@]}"
}
