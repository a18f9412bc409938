"""Builds the extension module by CMake, out of the repository that this folder stands in.

BROADSIDE_PYTHON_CMAKE_ARGS adds arguments for CMake: -DBROADSIDE_XSIMD_DIR=... where no xsimd is found, for example.
BROADSIDE_PYTHON_BUILD_DIR is where CMake builds, to build again in less time.
BROADSIDE_PUBLISHER names those who publish the wheel, as cmake/broadside_publisher.cmake has it.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# A copy of this folder says where the repository is.
ROOT = pathlib.Path(os.environ.get("BROADSIDE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])


class CMakeBuild(build_ext):
    def build_extension(self, ext: Extension) -> None:
        output = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        build = pathlib.Path(os.environ.get("BROADSIDE_PYTHON_BUILD_DIR", self.build_temp)).resolve()
        configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                     "-DBROADSIDE_BUILD_PYTHON=ON", "-DBROADSIDE_BUILD_TESTS=OFF",
                     "-DBROADSIDE_BUILD_BENCHMARKS=OFF", "-DBROADSIDE_BUILD_EXTRAS=OFF",
                     "-DBROADSIDE_BUILD_EXAMPLES=OFF", "-DBROADSIDE_BUILD_C=OFF", "-DBROADSIDE_INSTALL=OFF",
                     # A newer compiler of who installs it must not end the build with a warning.
                     "-DBROADSIDE_WARNINGS_AS_ERRORS=OFF",
                     f"-DPython3_EXECUTABLE={sys.executable}",
                     *shlex.split(os.environ.get("BROADSIDE_PYTHON_CMAKE_ARGS", ""))]
        subprocess.run(configure, check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(["cmake", "--build", str(build), "--target", "broadside_python", "--parallel", jobs], check=True)
        built = next((build / "bindings" / "python").glob("_broadside*.so"))
        output.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(output))


def publisher_fields(publisher: str) -> dict:
    """Fields of the metadata. Without a publisher the wheel is marked as private, and PyPI refuses it."""
    classifiers = ["Programming Language :: Python :: 3", "Programming Language :: C++", "Typing :: Typed"]
    if not publisher:
        # Empty, because setuptools asks for every field that pyproject.toml calls dynamic.
        return {"classifiers": [*classifiers, "Private :: Do Not Upload"], "author": "", "project_urls": {}}
    found = re.fullmatch(r"([^<>;]+) <([^<>@ ;]+@[^<>@ ;]+)>;((?:https?|ssh|git|file)://[^ ;]+)", publisher)
    if not found:
        raise SystemExit(f"BROADSIDE_PUBLISHER is '{publisher}': a package needs the contact and the address of the "
                         'repository of those who publish it, as in "Name <name@example.org>;https://example.org/broadside.git"')
    return {"classifiers": classifiers, "author": found[1], "author_email": found[2], "project_urls": {"Repository": found[3]}}


VERSION = re.search(r"project\(broadside VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
setup(version=VERSION, ext_modules=[Extension("broadside._broadside", sources=[])], cmdclass={"build_ext": CMakeBuild},
      **publisher_fields(os.environ.get("BROADSIDE_PUBLISHER", "")))
