# The packages that ./run installs by apt, and the headers that it unpacks into build/deps. Sourced by ./run, which
# provides root, log_dir, say and fail.
# shellcheck shell=bash disable=SC2154,SC2016

deps_dir=$root/build/deps

# The library alone needs the compiler; the demo needs zlib, CLI11, nlohmann-json and oneTBB (for --threads).
demo_packages=(g++ cmake ninja-build binutils zlib1g-dev libcli11-dev nlohmann-json3-dev libtbb-dev)
# Draws the page of the demo and of the viewer; without it they run, and write none.
page_packages=(libjs-three libjs-chart.js)
# Python and Chart.js are for the bench report, which a test opens in the browser. valgrind counts instructions, pkgconf
# reads the installed broadside.pc, meson uses the wrap, cpack inspects programs with file.
test_packages=("${demo_packages[@]}" doctest-dev libgmp-dev python3 libjs-chart.js valgrind pkgconf meson file)
browser_package=chromium-headless-shell
# Chart.js draws the report's plots.
bench_packages=("${demo_packages[@]}" libbenchmark-dev python3 libjs-chart.js)
# For the example that runs Bullet's dynamics on a World, which is left out without it.
bullet_package=libbullet-dev
# For the example with one World per rank; any MPI will do, and without one it is left out.
mpi_packages=(libopenmpi-dev openmpi-bin)
# For the example of a manager of FCL; likewise.
fcl_package=libfcl-dev
# For the example with DART's collision detector; likewise. 150 packages come with it, all of Boost among them, so it is
# installed on request only: ./run setup dart.
dart_package=libdart-dev
# Peers for measurements, on request.
peer_packages=(libembree-dev libcgal-dev libbullet-dev libfcl-dev libode-dev libboost-dev libgeos++-dev)
# Machines for cross-compiled tests that run under qemu-user: Debian's name of each, and its compilers.
declare -A machine_architecture=([neon64]=arm64 [riscv64]=riscv64 [s390x]=s390x [i386]=i386)
declare -A machine_triple=(
    [neon64]=aarch64-linux-gnu [riscv64]=riscv64-linux-gnu [s390x]=s390x-linux-gnu [i386]=i686-linux-gnu)
# node and npm are often installed from elsewhere.
javascript_packages=(cmake ninja-build emscripten nodejs npm)

# Debian's Python, and packages to build a wheel for it without a network; hypothesis and pytest test it.
python_packages=(g++ cmake ninja-build python3-dev python3-pip python3-setuptools python3-wheel python3-numpy
    pybind11-dev python3-pytest python3-hypothesis python3-distributed)
# Peers of the package's bench, and packages that draw the example's pictures.
python_peer_packages=(python3-shapely python3-rtree python3-scipy python3-matplotlib)

# Doxygen reads the headers, markdown-it the pages.
docs_packages=(python3 python3-markdown-it doxygen cmake)
# Make a bare Debian with the files of a clone.
fresh_packages=(debootstrap git)

# The file that a package is needed for; a machine that has it from elsewhere does not need the package.
declare -A package_provides=(
    [g++]=bin/g++ [cmake]=bin/cmake [ninja-build]=bin/ninja [binutils]=bin/nm
    [zlib1g-dev]=include/zlib.h [libcli11-dev]=include/CLI/CLI.hpp
    [nlohmann-json3-dev]=include/nlohmann/json.hpp [doctest-dev]=include/doctest/doctest.h
    [libgmp-dev]=include/gmpxx.h [valgrind]=include/valgrind/callgrind.h
    [libtbb-dev]=include/tbb/tbb.h [pkgconf]=bin/pkg-config [meson]=bin/meson
    [chromium-headless-shell]=bin/chromium-headless-shell
    [libbenchmark-dev]=include/benchmark/benchmark.h [python3]=bin/python3
    [libjs-chart.js]=share/javascript/chart.js/chart.min.js
    [libjs-three]=share/javascript/three/three.min.js
    [libembree-dev]=include/embree3/rtcore.h [libcgal-dev]=include/CGAL/version.h
    [libopenmpi-dev]=bin/mpicxx [openmpi-bin]=bin/mpirun
    [libbullet-dev]=include/bullet/btBulletCollisionCommon.h [libdart-dev]=include/dart/dart.hpp [libfcl-dev]=include/fcl/fcl.h
    [libgeos++-dev]=include/geos/index/strtree/TemplateSTRtree.h [libode-dev]=include/ode/ode.h [libboost-dev]=include/boost/geometry.hpp
    [g++-aarch64-linux-gnu]=bin/aarch64-linux-gnu-g++ [g++-riscv64-linux-gnu]=bin/riscv64-linux-gnu-g++
    [g++-s390x-linux-gnu]=bin/s390x-linux-gnu-g++ [g++-i686-linux-gnu]=bin/i686-linux-gnu-g++
    [qemu-user]=bin/qemu-aarch64 [g++-mingw-w64-x86-64-posix]=bin/x86_64-w64-mingw32-g++-posix [wine64]=lib/wine/wine64
    [wine]=bin/wine
    [python3-dev]=share/doc/python3-dev [python3-pip]=lib/python3/dist-packages/pip
    [python3-setuptools]=lib/python3/dist-packages/setuptools [python3-wheel]=lib/python3/dist-packages/wheel
    [python3-numpy]=lib/python3/dist-packages/numpy [pybind11-dev]=include/pybind11/pybind11.h
    [python3-distributed]=lib/python3/dist-packages/distributed
    [python3-pytest]=lib/python3/dist-packages/pytest [python3-hypothesis]=lib/python3/dist-packages/hypothesis
    [python3-shapely]=lib/python3/dist-packages/shapely [python3-rtree]=lib/python3/dist-packages/rtree
    [python3-scipy]=lib/python3/dist-packages/scipy [python3-matplotlib]=lib/python3/dist-packages/matplotlib
    [python3-markdown-it]=lib/python3/dist-packages/markdown_it [doxygen]=bin/doxygen
    [clang-16]=bin/clang++-16 [clang-19]=bin/clang++-19
    [debootstrap]=sbin/debootstrap [git]=bin/git [file]=bin/file
    [emscripten]=bin/emcc [nodejs]=bin/node [npm]=bin/npm [cppcheck]=bin/cppcheck [clang-tidy]=bin/clang-tidy)

have_package() {
    local provides=${package_provides[$1]} status
    if [[ $provides == bin/* ]]; then
        command -v "${provides#bin/}" >/dev/null
        return
    fi
    status=$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) || status=
    [[ $status == installed || -e /usr/$provides || -e /usr/local/$provides ]]
}

have_packages() {
    local package
    for package in "$@"; do have_package "$package" || return 1; done
}

# logged <name> <command...>: output goes to build/log/<name>.log.
logged() {
    local log=$log_dir/$1.log
    shift
    mkdir -p "$log_dir"
    "$@" >>"$log" 2>&1 </dev/null
}

# apt_as_root <name> <apt-get arguments...>
apt_as_root() {
    local name=$1 prefix=(env)
    shift
    [[ $(id -u) -eq 0 ]] || prefix=(sudo env)
    logged "$name" "${prefix[@]}" DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=120 "$@"
}

# Installs the missing ones of the packages, and reports them.
install_packages() {
    local package missing=()
    for package in "$@"; do
        have_package "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    command -v apt-get >/dev/null ||
        fail "no apt-get here; install the equivalents of these Debian packages: ${missing[*]}"
    if [[ $(id -u) -ne 0 ]] && ! sudo -v 2>/dev/null; then
        fail "not root and no sudo; these packages are missing: ${missing[*]}"
    fi
    # A fresh machine has no lists at all, an old one may have lists of versions that the mirror dropped.
    local is_updated=false
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
        say "apt-get update"
        apt_as_root apt-update update || fail "apt-get update failed (build/log/apt-update.log)"
        is_updated=true
    fi
    say "install by apt: ${missing[*]}"
    if ! apt_as_root apt-install install -y --no-install-recommends "${missing[@]}"; then
        if ! $is_updated; then
            say "apt-get update, and try again"
            apt_as_root apt-update update || fail "apt-get update failed (build/log/apt-update.log)"
            apt_as_root apt-install install -y --no-install-recommends "${missing[@]}" && return 0
        fi
        fail "apt-get could not install ${missing[*]} (build/log/apt-install.log)"
    fi
}

# Prints the address of the Debian archive that this machine's apt is configured with, or nothing.
debian_mirror() {
    local mirror codename
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' \
        'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1) || true
    # Before the first apt-get update apt does not know the origin Debian; the name of the suite has to do.
    if [[ -z $mirror ]]; then
        codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
        mirror=$(apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' \
            'Component: main' "Release: $codename" 2>/dev/null | head -n 1) || true
    fi
    printf '%s' "$mirror"
}

# unpack_packages <folder in build/deps> <suite> <architecture> <packages...>: downloads packages of any suite and
# architecture and unpacks them, with a state of apt of our own; the system's apt and dpkg do not know about it.
# Signatures are checked as always.
unpack_packages() {
    local folder=$deps_dir/$1 suite=$2 architecture=$3 wanted="$2 $3 ${*:4}"
    shift 3
    [[ $(cat "$folder/.unpacked" 2>/dev/null) != "$wanted" ]] || return 0
    local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    command -v apt-get >/dev/null && mirror=$(debian_mirror) && [[ -n $mirror ]] || return 1
    say "unpack into build/deps/${folder##*/}, from $suite of $mirror: $*"

    local apt=$deps_dir/apt/$suite-$architecture
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages"
    local options="arch=$architecture"
    [[ ! -r $keyring ]] || options+=" signed-by=$keyring"
    printf 'deb [%s] %s %s main\n' "$options" "$mirror" "$suite" >"$apt/sources.list"
    local apt_get=(apt-get
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Default-Release=
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none
        # The suites of a frozen mirror expire; their signatures do not.
        -o Acquire::Check-Valid-Until=false
        -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache")

    # Clean-up hooks of the system fail here without root; the download shows whether the lists are there.
    logged "unpack-${folder##*/}" "${apt_get[@]}" update || true
    rm -f -- "$apt"/packages/*.deb
    (cd "$apt/packages" && logged "unpack-${folder##*/}" "${apt_get[@]}" download "$@") || return 1
    rm -rf "$folder"
    mkdir -p "$folder"
    local package
    for package in "$apt"/packages/*.deb; do
        logged "unpack-${folder##*/}" dpkg-deb -x "$package" "$folder" || return 1
    done
    # With the package's own dates, ninja would not see a change of version.
    find "$folder" -type f -exec touch {} +
    printf '%s\n' "$wanted" >"$folder/.unpacked"
    # Lists are tens of megabytes and useless after the download.
    rm -rf "$apt"
}

have_new_xsimd() {
    local folder major
    for folder in /usr/include /usr/local/include; do
        major=$(awk '/define XSIMD_VERSION_MAJOR/ {print $3}' \
            "$folder/xsimd/config/xsimd_config.hpp" 2>/dev/null) || continue
        [[ ${major:-0} -lt 13 ]] || return 0
    done
    return 1
}

# A failure is no error: CMake then tries the pinned release, and decides.
set_up_xsimd() {
    local architecture
    architecture=$(dpkg --print-architecture 2>/dev/null) || architecture=
    unpack_packages xsimd "${BROADSIDE_XSIMD_SUITE:-trixie}" "$architecture" libxsimd-dev ||
        say "no xsimd package available (build/log/unpack-xsimd.log); CMake will fetch a release"
}

# The libraries of the tests and the demo for a machine, of the cross compiler's suite. Debian 12 was not released for
# RISC-V: its libraries are of the next suite, with the C library that they were made for.
set_up_machine_libraries() {
    local machine=$1 suite packages
    suite=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    packages=(zlib1g zlib1g-dev libcli11-dev nlohmann-json3-dev doctest-dev libgmp-dev libgmpxx4ldbl
        libtbb-dev libtbb12 libtbbbind-2-5 libtbbmalloc2)
    if [[ $machine == riscv64 && $suite == bookworm ]]; then
        suite=trixie
        packages+=(libgmp10 libc6 libstdc++6 libgcc-s1)
    else
        packages+=(libgmp10)
    fi
    unpack_packages "$machine" "$suite" "${machine_architecture[$machine]}" "${packages[@]}" ||
        fail "the libraries of $suite for $machine are not available (build/log/unpack-$machine.log)"
}

# The tests of the library need only a header.
set_up_windows_libraries() {
    local suite architecture
    suite=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    architecture=$(dpkg --print-architecture)
    unpack_packages windows "$suite" "$architecture" doctest-dev ||
        fail "the libraries of $suite for Windows are not available (build/log/unpack-windows.log)"
}

# install_if_any <what is left out without> <packages...>: no error if there are none, as on distributions other than
# Debian.
install_if_any() {
    local left_out=$1 package
    shift
    ! have_packages "$@" || return 0
    local is_root=true
    [[ $(id -u) -eq 0 ]] || sudo -v 2>/dev/null || is_root=false
    if $is_root && command -v apt-get >/dev/null && ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
        say "apt-get update"
        apt_as_root apt-update update || true
    fi
    for package in "$@"; do
        if ! $is_root || [[ -z $(apt-cache madison "$package" 2>/dev/null) ]]; then
            say "$package is not available; leaving out $left_out"
            return 0
        fi
    done
    install_packages "$@"
}

# The newest clang that apt has, with its sanitizers and libFuzzer.
install_newest_clang() {
    local version
    command -v apt-get >/dev/null || return 0
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
        say "apt-get update"
        apt_as_root apt-update update || true
    fi
    for version in {21..16}; do
        [[ -n $(apt-cache madison "clang-$version" 2>/dev/null) ]] || continue
        say "install by apt: clang-$version libclang-rt-$version-dev"
        apt_as_root apt-install install -y --no-install-recommends "clang-$version" "libclang-rt-$version-dev" ||
            fail "apt-get could not install clang-$version (build/log/apt-install.log)"
        return 0
    done
}

set_up_browser() {
    local program
    for program in chromium-headless-shell chromium chromium-browser google-chrome; do
        ! command -v "$program" >/dev/null || return 0
    done
    install_if_any "the tests that look at the bench report and at the viewer" "$browser_package"
}

# set_up <command...>: installs and fetches everything that these commands need.
set_up() {
    local command packages=() machine machines=() want_xsimd=false want_browser=false want_page=false
    local want_bullet=false want_mpi=false want_python_peers=false want_windows=false
    for command in "$@"; do
        case $command in
            demo) packages+=("${demo_packages[@]}") want_page=true ;;
            test) packages+=("${test_packages[@]}") want_browser=true want_page=true want_bullet=true want_mpi=true ;;
            bench) packages+=("${bench_packages[@]}") ;;
            peers) packages+=("${peer_packages[@]}") ;;
            neon64 | riscv64 | s390x | i386)
                machines+=("$command")
                packages+=("g++-${machine_triple[$command]}" qemu-user)
                ;;
            windows)
                want_windows=true
                packages+=(g++-mingw-w64-x86-64-posix wine wine64)
                ;;
            javascript) packages+=("${javascript_packages[@]}") want_xsimd=true ;;
            python) packages+=("${python_packages[@]}") ;;
            docs) packages+=("${docs_packages[@]}") ;;
            cppcheck) packages+=(cppcheck) ;;
            tidy) packages+=(g++ clang-tidy) ;;
            fresh) packages+=("${fresh_packages[@]}") ;;
            dart) packages+=("$dart_package") ;;
            clang16 | clang19) packages+=("clang-${command#clang}") ;;
            python_peers) packages+=("${python_packages[@]}") want_python_peers=true ;;
            *) fail "nothing to set up for '$command'; known: demo test bench peers ${!machine_triple[*]} windows javascript python docs cppcheck tidy clang16 clang19 fresh dart" ;;
        esac
    done
    mapfile -t packages < <(printf '%s\n' "${packages[@]}" | awk '!seen[$0]++')
    install_packages "${packages[@]}"
    if $want_page; then install_if_any "the page of the demo and of the viewer" "${page_packages[@]}"; fi
    if $want_browser; then set_up_browser; fi
    if $want_mpi; then install_if_any "the test of a World a rank" "${mpi_packages[@]}"; fi
    if $want_bullet; then
        install_if_any "the tests of Bullet's dynamics on broadside" "$bullet_package"
        install_if_any "the tests of FCL's managers beside broadside's" "$fcl_package"
    fi
    if $want_python_peers; then install_if_any "some peers of the Python bench" "${python_peer_packages[@]}"; fi
    # A check that reads sources and compiles none needs no header except ours.
    [[ $* != docs && $* != cppcheck && $* != fresh ]] || return 0
    # A cross build finds nothing in the machine's own include folders.
    if [[ ${#machines[@]} -gt 0 ]] || $want_windows || $want_xsimd || ! have_new_xsimd; then set_up_xsimd; fi
    for machine in "${machines[@]}"; do set_up_machine_libraries "$machine"; done
    if $want_windows; then set_up_windows_libraries; fi
}
