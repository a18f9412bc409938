#!/usr/bin/env python3
"""The library as two files, broadside.hpp and broadside.cpp, for use without a build system.

    tools/packaging/amalgamate.py build/amalgamation
    g++ -std=c++20 -O2 -c build/amalgamation/broadside.cpp

That has the scalar kernels and needs nothing. With -DBROADSIDE_XSIMD, xsimd 13 or newer in the include path and flags
for a processor, it has the kernels of one more instruction set, the best that the flags allow:

    g++ -std=c++20 -O2 -march=x86-64-v3 -DBROADSIDE_XSIMD -I xsimd/include -c build/amalgamation/broadside.cpp

The program then runs on processors with that instruction set only. The results are the same bits.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

# A run leaves the checkout clean.
sys.dont_write_bytecode = True
from sources import FOLDERS, ROOT, library_sources

NATIVE = ROOT / "simd/src/native"
# Needs the headers of oneTBB.
LEFT_OUT = {"tbb_task_runner.hpp"}

# Empty without shadow verification, and the only ones that include behind a condition.
SHADOW = re.compile(r"/shadow/tables[.]cpp$|/find_pairs/shadow[.]cpp$")

INCLUDE = re.compile(r'^#\s*include\s*[<"]([^>"]+)[>"].*$')

# The instruction sets that the choice below is made of, and their tags in simd/src/arch.hpp.
ARCHES = {"sse2": "Sse2", "avx2": "Avx2", "avx512": "Avx512", "neon64": "Neon64"}

# Chooses the instruction set; the names are those of broadside_isa.cmake.
CHOICE = """
// One file is compiled with one set of flags, so that it has the kernels of one instruction set, beside the scalar ones.
#if defined(BROADSIDE_XSIMD)
#if defined(__AVX512F__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && \\
    defined(__AVX512VL__) && defined(__AVX512IFMA__) && defined(__AVX512VBMI__) && defined(__AVX512VBMI2__)
#define BROADSIDE_BUILT_AVX512 1
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI__) && defined(__BMI2__)
#define BROADSIDE_BUILT_AVX2 1
#elif defined(__SSE2__)
#define BROADSIDE_BUILT_SSE2 1
#elif defined(__aarch64__)
#define BROADSIDE_BUILT_NEON64 1
#else
#error "broadside: BROADSIDE_XSIMD is for x86-64 and AArch64; leave it out here"
#endif
#endif
"""

# Every sum of a product rounds twice, on every instruction set: no flag of the caller's may change that.
CONTRACTION = """
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
"""

# Templates that nobody instantiates name these.
NO_XSIMD = """
#if defined(BROADSIDE_XSIMD)
#include <xsimd/xsimd.hpp>
#if XSIMD_VERSION_MAJOR < 13
#error "broadside: needs xsimd 13 or newer"
#endif
#else
namespace xsimd {
struct sse2;
struct avx2;
struct avx512bw;
struct neon64;
struct wasm;
template <class Arch>
struct fma3;
template <class T, class Arch>
struct batch;
template <class T, class Arch>
struct batch_bool;
%s
}  // namespace xsimd
#endif
"""


class Amalgam:
    """One file that grows out of others, each once."""

    def __init__(self, known):
        # Files already in the text.
        self.known = set(known)
        self.lines = []

    def find(self, name):
        """The file that an include names, or None for one that is not ours."""
        if name.startswith("broadside/"):
            for folder in FOLDERS:
                path = ROOT / folder / "include" / name
                if path.exists():
                    return path
            sys.exit(f"amalgamate.py: no public header {name}")
        path = ROOT / name
        return path if name.split("/")[0] in FOLDERS and path.exists() else None

    def add(self, path):
        """Adds the file, after its includes that are not there yet."""
        if path in self.known:
            return
        self.known.add(path)
        if path == NATIVE / "native.hpp":
            self.add_native()
            return
        self.lines += ["", f"// ---- {path.relative_to(ROOT)}"]
        for line in path.read_text().splitlines():
            self.add_line(line)

    def add_native(self):
        """The operations of the instruction set, each of which includes narrower ones; shared ones come twice."""
        self.add(NATIVE / "operations.hpp")
        shared = set(self.known)
        for name, wider in (("sse2", " || BROADSIDE_BUILT_AVX2 || BROADSIDE_BUILT_AVX512"),
                            ("avx2", " || BROADSIDE_BUILT_AVX512"), ("avx512", "")):
            self.lines.append(f"#if BROADSIDE_BUILT_{name.upper()}{wider}")
            self.add(NATIVE / f"{name}.hpp")
        self.lines += ["#endif", "#endif", "#elif BROADSIDE_BUILT_NEON64"]
        self.known = shared | {NATIVE / "native.hpp"}
        self.add(NATIVE / "neon64.hpp")
        self.lines.append("#else")
        self.add(NATIVE / "none.hpp")
        self.lines.append("#endif")

    def add_line(self, line):
        include = INCLUDE.match(line)
        if line.startswith("#pragma once") or (include and include[1] == "xsimd/xsimd.hpp"):
            return
        found = self.find(include[1]) if include else None
        if found is None:
            self.lines.append(line)
        else:
            self.add(found)

    def add_unit(self, path, isa, arch):
        """The file for an instruction set; its includes are shared with the others."""
        self.lines += ["", f"// ---- {path.relative_to(ROOT)}, {isa}"]
        for line in path.read_text().splitlines():
            if '"simd/src/unit.hpp"' in line or re.match(r"using simd::UnitArch;", line):
                if "unit.hpp" in line:
                    self.add(ROOT / "simd/src/arch.hpp")
                continue
            line = re.sub(r"\bBROADSIDE_UNIT_ISA\b", isa, line)
            line = re.sub(r"\b(simd::)?UnitArch\b", "simd::" + arch, line)
            self.add_line(line)


def licence():
    text = (ROOT / "LICENSE").read_text().rstrip().splitlines()
    return [("// " + line).rstrip() for line in text]


def version():
    text = (ROOT / "core/include/broadside/version.hpp").read_text()
    return ".".join(re.search(rf"kVersion{part} = (\d+)", text)[1] for part in ("Major", "Minor", "Patch"))


def commit():
    # Making the files needs neither git nor a clone.
    git = shutil.which("git")
    if not git:
        return "no commit"
    found = subprocess.run([git, "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or "no commit"


def xsimd_names(text):
    """Declarations of the functions of xsimd that templates call by name."""
    names = sorted(set(re.findall(r"xsimd::(\w+)(?=[(<])", text)) - {"batch", "batch_bool", "fma3"})
    declarations = []
    for name in names:
        if re.search(rf"xsimd::{name}<", text):
            declarations.append(f"template <class To, class... From>\nvoid {name}(const From&...);")
        else:
            declarations.append(f"template <class... From>\nvoid {name}(const From&...);")
    return "\n".join(declarations)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder for the two files")
    folder = parser.parse_args().folder

    header = Amalgam([])
    for each in FOLDERS:
        for path in sorted((ROOT / each / "include" / "broadside").glob("*.hpp")):
            if path.name not in LEFT_OUT | {"broadside.hpp"}:
                header.add(path)
    head = [f"// broadside {version()} ({commit()}) as one header; made by tools/packaging/amalgamate.py.", "//"]
    head += licence() + ["#pragma once"]

    listed = library_sources()
    sources = [name for name in listed["sources"] if not SHADOW.search(name)]
    units, eight_wide, four_wide = listed["units"], listed["eight_wide"], listed["four_wide"]

    # The header consists of the umbrella.
    code = Amalgam(header.known | {ROOT / "stage/include/broadside/broadside.hpp"})
    # Macros that depend on the built instruction sets come before the first header that uses them.
    for name in units + eight_wide + four_wide:
        code.add_unit(ROOT / name, "scalar", "Scalar")
    known = set(code.known)
    for isa, arch in ARCHES.items():
        code.lines += ["", f"#if BROADSIDE_BUILT_{isa.upper()}"]
        for name in units + (eight_wide if isa != "avx512" else []):
            code.add_unit(ROOT / name, isa, arch)
        for name in four_wide:
            code.add_unit(ROOT / name, isa if isa == "neon64" else "sse2", arch if isa == "neon64" else "Sse2")
        code.lines.append("#endif")
    assert known == code.known, "a header would stand behind a condition"
    for name in sources:
        code.add(ROOT / name)

    text = "\n".join(code.lines)
    built = "".join(f"#if !defined(BROADSIDE_BUILT_{isa})\n#define BROADSIDE_BUILT_{isa} 0\n#endif\n"
                    for isa in ("SSE2", "AVX2", "AVX512", "NEON64", "WASM128"))
    top = [f"// broadside {version()} ({commit()}) as one source; made by tools/packaging/amalgamate.py.", "//"]
    top += licence() + [CONTRACTION + CHOICE + built + NO_XSIMD % xsimd_names(text), '#include "broadside.hpp"']

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "broadside.hpp").write_text("\n".join(head + header.lines) + "\n")
    (folder / "broadside.cpp").write_text("\n".join(top) + text + "\n")


if __name__ == "__main__":
    main()
