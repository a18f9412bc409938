"""A recipe for Conan 2 of the checkout that it stands in: conan create packaging/conan"""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.0"


class Broadside(ConanFile):
    name = "broadside"
    version = "0.1.0"
    description = "SIMD broadphase and narrowphase collision stage with the same bits on every instruction set"
    license = "MIT"
    topics = ("collision-detection", "broadphase", "simd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "with_c": [True, False]}
    default_options = {"shared": False, "with_c": True}

    def export_sources(self):
        checkout = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "core/*", "simd/*", "broadphase/*", "narrowphase/*",
                        "stage/*", "bindings/c/*"):
            copy(self, pattern, src=checkout, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Header-only, and users of the package do not need it.
        self.requires("xsimd/13.0.0", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("broadside is for Linux on x86-64 and AArch64")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCHMARKS", "EXTRAS", "EXAMPLES"):
            toolchain.cache_variables[f"BROADSIDE_BUILD_{part}"] = False
        toolchain.cache_variables["BROADSIDE_BUILD_C"] = bool(self.options.with_c)
        toolchain.cache_variables["BROADSIDE_INSTALL"] = True
        toolchain.cache_variables["BROADSIDE_WARNINGS_AS_ERRORS"] = False
        toolchain.cache_variables["BROADSIDE_FETCH_XSIMD"] = False
        toolchain.cache_variables["BROADSIDE_XSIMD_DIR"] = self.dependencies["xsimd"].package_folder
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan makes these files itself.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "broadside")
        self.cpp_info.components["cpp"].set_property("cmake_target_name", "broadside::broadside")
        self.cpp_info.components["cpp"].libs = ["broadside"]
        if self.options.with_c:
            self.cpp_info.components["c"].set_property("cmake_target_name", "broadside::broadside_c")
            self.cpp_info.components["c"].libs = ["broadside_c"]
