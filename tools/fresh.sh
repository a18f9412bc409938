# ./run test --fresh: the two commands of the README on a bare machine. Sourced by ./run, which provides root, jobs,
# log_dir, say and fail, and with setup.sh, which installs.
# shellcheck shell=bash disable=SC2154,SC2016

# The oldest Debian whose compiler is new enough.
fresh_suite=bookworm

# Runs in namespaces of its own, whose end removes its mounts: proc, sys and dev as in a container.
# Called as: bash -c "$fresh_commands" <name for errors> <folder> <environment...>
fresh_commands='
set -euo pipefail
cd "$1"
mount -t proc proc root/proc
mount --rbind /sys root/sys
mount --rbind /dev root/dev
for command in demo test; do
    start=$SECONDS
    chroot root /usr/bin/env -i "${@:2}" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/bash -c "cd /broadside && ./run $command"
    printf "fresh: ./run %s passed in %d s\n" "$command" $((SECONDS - start))
done'

run_fresh() {
    local dir=$root/build/fresh mirror environment=("CMAKE_BUILD_PARALLEL_LEVEL=$jobs") packages=() variable start
    [[ $(id -u) -eq 0 ]] || fail "--fresh makes a root file system of Debian, which needs root"
    set_up fresh
    mirror=$(debian_mirror)
    [[ -n $mirror ]] || fail "apt has no mirror of Debian configured"
    git -C "$root" rev-parse --quiet --verify HEAD >/dev/null || fail "this is not a clone, so its list of files is unknown"
    [[ -z $(git -C "$root" status --porcelain) ]] || say "uncommitted changes are left out"
    [[ $mirror != https:* ]] || packages=(--include=ca-certificates)

    # Made anew each time; packages are kept, so that the second time is quicker.
    start=$SECONDS
    rm -rf --one-file-system "$dir/root"
    mkdir -p "$dir/root" "$dir/packages"
    say "debootstrap $fresh_suite of $mirror into build/fresh/root"
    logged debootstrap debootstrap --variant=minbase --cache-dir="$dir/packages" "${packages[@]}" "$fresh_suite" \
        "$dir/root" "$mirror" || fail "debootstrap failed (build/log/debootstrap.log)"
    # The network settings are the machine's.
    cp /etc/resolv.conf /etc/hosts "$dir/root/etc/"
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$dir/root/etc/apt/apt.conf.d/90machine" || true
    for variable in http_proxy https_proxy no_proxy; do
        [[ -z ${!variable:-} ]] || environment+=("$variable=${!variable}")
    done
    mkdir "$dir/root/broadside"
    git -C "$root" archive HEAD | tar -C "$dir/root/broadside" -xf -
    printf 'fresh: a bare Debian in %d s\n' $((SECONDS - start))
    unshare --mount --pid --fork --kill-child --propagation private \
        bash -c "$fresh_commands" fresh "$dir" "${environment[@]}" || fail "a command failed on the bare Debian, see above"
}
