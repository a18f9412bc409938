# Makes the documentation. Sourced by ./run, which provides root, say and fail, and with python.sh, which finds the
# Python with Debian's packages.
# shellcheck shell=bash disable=SC2154

run_docs() {
    [[ $# -eq 0 || $* == --check ]] || fail "unknown argument '$1'; docs takes only --check"
    set_up docs
    say "make the documentation"
    "$python" "$root/tools/docs/make_site.py" "$@" || fail "faults in the documentation, see above"
}
