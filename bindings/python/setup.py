"""Builds the extension module by CMake, out of the repository that this folder stands in.

BROADSIDE_PYTHON_CMAKE_ARGS adds arguments for CMake: -DBROADSIDE_XSIMD_DIR=... where no xsimd is found, for example.
BROADSIDE_PYTHON_BUILD_DIR is where CMake builds, to build again in less time.
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
                     "-DBROADSIDE_BUILD_BENCHMARKS=OFF", "-DBROADSIDE_BUILD_TOOLS=OFF",
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


VERSION = re.search(r"project\(broadside VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
setup(version=VERSION, ext_modules=[Extension("broadside._broadside", sources=[])], cmdclass={"build_ext": CMakeBuild})
