# Argument checks of ./run before it installs or builds anything: arguments that the program would refuse later. Sourced
# by ./run, which provides root and fail.
# shellcheck shell=bash disable=SC2154

# check_arguments <file of tools/help> <where help is, for messages> <arguments...>: checks them as CLI11 would. The
# file is the program's own help, as a test ensures, and has the values of every argument.
check_arguments() {
    local file=$1 hint="./run $2 --help shows all"
    shift 2
    local -A id_of=() type_of=() min_of=() max_of=() count_of=()
    local positionals=() required=()
    read_help
    local id value name only_positionals=false
    while [[ $# -gt 0 ]]; do
        value=
        if ! $only_positionals && [[ $1 == -- ]]; then
            only_positionals=true
            shift
            continue
        elif ! $only_positionals && [[ $1 == --* ]]; then
            name=${1%%=*}
            [[ $1 != *=* ]] || value=${1#*=}
        elif ! $only_positionals && [[ $1 == -?* ]]; then
            name=${1:0:2} value=${1:2}
        else
            take_positional "$1"
            shift
            continue
        fi
        id=${id_of[$name]:-}
        [[ -n $id ]] || fail "unknown argument '$1'; $hint"
        local is_inline=false
        [[ $1 == "$name" ]] || is_inline=true
        shift
        count_of[$id]=0
        [[ ${max_of[$id]} -gt 0 ]] || continue
        if $is_inline; then take_value "$value"; fi
        while [[ $# -gt 0 && ${count_of[$id]} -lt ${max_of[$id]} ]]; do
            # A required value may look like anything; an optional one is no option.
            [[ ${count_of[$id]} -lt ${min_of[$id]} || $1 != -?* ]] || break
            take_value "$1"
            shift
        done
        [[ ${count_of[$id]} -ge ${min_of[$id]} && ${count_of[$id]} -le ${max_of[$id]} ]] ||
            fail "$name: expected ${min_of[$id]} of ${type_of[$id]}, found ${count_of[$id]}; $hint"
    done
    for id in "${required[@]}"; do
        [[ ${count_of[$id]:-0} -ge ${min_of[$id]} ]] || fail "$id is required; $hint"
    done
}

# Helpers of check_arguments, whose variables they use.
read_help() {
    local lines line section='' spec names type id name i
    mapfile -t lines <"$file"
    for i in "${!lines[@]}"; do
        line=${lines[i]}
        [[ ! $line =~ ^([A-Z][a-z]+):$ ]] || section=${BASH_REMATCH[1]}
        [[ $line =~ ^"  "[^\ ] ]] || continue
        # The description is in column 30, on the next line if there is no room.
        spec=${line:2}
        [[ ${lines[i + 1]:-} == "                              "* ]] || spec=${line:2:27}
        spec=${spec%%"  "*}
        spec=${spec% }
        names=${spec%% *}
        type=${spec#"$names"}
        type=${type# }
        id=${names##*,}
        if [[ $section == Positionals ]]; then
            positionals+=("$id")
        else
            for name in ${names//,/ }; do id_of[$name]=$id; done
        fi
        if [[ $type == *" REQUIRED" ]]; then
            required+=("$id")
            type=${type% REQUIRED}
        fi
        min_of[$id]=1 max_of[$id]=1
        if [[ -z $type ]]; then
            min_of[$id]=0 max_of[$id]=0
        elif [[ $type == *" ..." ]]; then
            max_of[$id]=1000000
        elif [[ $type =~ " x "([0-9]+)$ ]]; then
            min_of[$id]=${BASH_REMATCH[1]} max_of[$id]=${BASH_REMATCH[1]}
        else
            # "FILE [FILE]"
            name=${type//[^[]/}
            [[ $type == *" in ["* ]] || max_of[$id]=$((1 + ${#name}))
        fi
        type_of[$id]=$type
    done
}

take_positional() {
    for id in "${positionals[@]}"; do
        [[ ${count_of[$id]:-0} -lt ${max_of[$id]} ]] || continue
        take_value "$1"
        return
    done
    fail "unknown argument '$1'; $hint"
}

# One argument of $id, or several separated by commas.
take_value() {
    local type=${type_of[$id]} parts=("$1") part
    if [[ $type == *" ..." || $type == *" x "* ]]; then IFS=, read -ra parts <<<"$1"; fi
    for part in "${parts[@]}"; do
        check_value "$type" "$part" || fail "$id: expected $expected, found '$part'; $hint"
        count_of[$id]=$((${count_of[$id]:-0} + 1))
    done
}

# check_value <type as in the help> <value>: or sets the expected text.
check_value() {
    local base=${1%% *}
    base=${base%%=*}
    expected=${base#*:}
    case $base in
        FILE)
            expected="a file that exists"
            [[ -e $2 ]] || return 1
            ;;
        UINT*)
            expected="a whole number"
            [[ $2 =~ ^\+?(0[xX][0-9a-fA-F]+|[0-9]+)$ ]] || return 1
            [[ $base != *:POSITIVE || ! $2 =~ ^\+?0+$ ]] || { expected+=" above 0"; return 1; }
            ;;
        FLOAT*)
            expected="a number"
            [[ $2 =~ ^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$ ]] || return 1
            ;;
        *:*) [[ "|$expected|" == *"|$2|"* ]] || return 1 ;;
        TEXT) ;;
        *) fail "tools/arguments.sh does not know the type $base" ;;
    esac
    [[ $1 =~ " in ["([^\ ]+)" - "([^]]+)"]" ]] || return 0
    expected+=" from ${BASH_REMATCH[1]} to ${BASH_REMATCH[2]}"
    awk -v value="$2" -v min="${BASH_REMATCH[1]}" -v max="${BASH_REMATCH[2]}" \
        'BEGIN {exit !(value + 0 >= min + 0 && value + 0 <= max + 0)}'
}

# check_record_arguments <command> <arguments...>
check_record_arguments() {
    local help=$root/tools/help/record-${1:-}.txt
    [[ ${1:-} =~ ^[a-z]+$ && -r $help ]] ||
        fail "record what? expected one of$(printf ' %s' "$root"/tools/help/record-*.txt |
            sed 's|[^ ]*/record-||g; s|[.]txt||g'), found '${1:-nothing}'"
    check_arguments "$help" "record $1" "${@:2}"
}

# check_ctest_arguments <arguments...>: ctest itself ignores unknown ones. Its help has a line for each option: "  -R
# <regex>, --tests-regex <regex>", "  --rerun-failed".
check_ctest_arguments() {
    command -v ctest >/dev/null || return 0
    local -A takes=()
    local name rest
    while read -r name rest; do takes[$name]=$rest; done < <(ctest --help | awk '/^  -/ {
        sub(/ += .*/, "")
        count = split($0, forms, /, */)
        for (i = 1; i <= count; ++i) {
            sub(/^ +/, "", forms[i])
            has_value = forms[i] ~ /[<=\[]/ || $0 ~ /</
            sub(/[ =<\[].*/, "", forms[i])
            print forms[i], has_value
        }
    }')
    while [[ $# -gt 0 ]]; do
        name=${1%%=*}
        # -j4, -Rguard
        [[ $name == --* || -n ${takes[$name]:-} ]] || name=${1:0:2}
        [[ $name == -* && -n ${takes[$name]:-} ]] ||
            fail "unknown argument '$1'; ./run test --help shows the variants, ctest --help the options of ctest"
        rest=$1
        shift
        # Its value, which may look like anything except an option.
        if [[ ${takes[$name]} == 1 && $rest == "$name" && $# -gt 0 && $1 != -* ]]; then shift; fi
    done
}
