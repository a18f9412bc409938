# A copy of the checkout without build products, and commands that record their calls. Sourced.
# shellcheck shell=bash

# copy_checkout <checkout> <folder>: the copy is <folder>/checkout. Both are absolute.
copy_checkout() {
    [[ $1 == /* && $2 == /* ]] || { printf 'not absolute: %s %s\n' "$1" "$2" >&2; exit 1; }
    rm -rf "$2"
    mkdir -p "$2/checkout" "$2/masked"
    local excluded=(--exclude=./build --exclude='./build-*' --exclude=./.git --exclude=./.cache) below
    # A build folder of another name.
    below=${2#"$1"/}
    [[ $below == "$2" ]] || excluded+=("--exclude=./${below%%/*}")
    tar -C "$1" "${excluded[@]}" -cf - . |
        tar -C "$2/checkout" -xf -
}

# mask <folder> <exit code> <commands...>: those in <folder>/masked write their call to <folder>/called, and do nothing.
mask() {
    local folder=$1 code=$2 command
    for command in "${@:3}"; do
        printf '#!/bin/sh\necho "%s $*" >>"%s/called"\nexit %d\n' "$command" "$folder" "$code" \
            >"$folder/masked/$command"
        chmod +x "$folder/masked/$command"
    done
}
