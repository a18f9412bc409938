"""The vcpkg port and the Conan recipe, run as far as possible without either tool: functions that record their
arguments replace those of the tools.

It cannot see whether vcpkg and Conan have these functions by these names, nor their own checks of a package.
Called as: recipes_test.py <checkout> <cmake> <empty folder>
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import types
import unittest
from unittest import mock

CHECKOUT, CMAKE, FOLDER = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
sys.dont_write_bytecode = True
PORT = CHECKOUT / "packaging/vcpkg/broadside"


def text_of(path):
    return (CHECKOUT / path).read_text()


def known_options():
    text = text_of("cmake/broadside_options.cmake")
    return set(re.findall(r"^(?:option|set)\((BROADSIDE_\w+)", text, flags=re.M))


def project_version():
    return re.search(r"project\(broadside VERSION (\S+)", text_of("CMakeLists.txt"))[1]


# Every vcpkg function that the port calls, replaced by one that records its arguments.
VCPKG = """
set(CURRENT_PACKAGES_DIR "${FOLDER}/packages")
set(PORT broadside)
foreach(name IN ITEMS cmake_configure cmake_install cmake_config_fixup fixup_pkgconfig install_copyright)
    cmake_language(EVAL CODE "
        function(vcpkg_${name})
            file(APPEND \\"${FOLDER}/calls.txt\\" \\"${name};\\${ARGV}\\n\\")
        endfunction()")
endforeach()
function(vcpkg_check_features)
    set(FEATURE_OPTIONS -DBROADSIDE_BUILD_C=ON PARENT_SCOPE)
    file(APPEND "${FOLDER}/calls.txt" "check_features;${ARGV}\\n")
endfunction()
include("${PORTFILE}")
"""


class VcpkgPort(unittest.TestCase):
    def test_manifest(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        self.assertEqual(manifest["version"], project_version())
        self.assertEqual(manifest["license"], "MIT")
        self.assertIn("xsimd", [each["name"] for each in manifest["dependencies"]])
        self.assertEqual(list(manifest["features"]), ["c"])

    def test_portfile(self):
        (FOLDER / "port.cmake").write_text(VCPKG)
        subprocess.run([CMAKE, f"-DFOLDER={FOLDER}", f"-DPORTFILE={PORT / 'portfile.cmake'}", "-P",
                        FOLDER / "port.cmake"], check=True)
        calls = dict(line.split(";", 1) if ";" in line else (line, "")
                     for line in (FOLDER / "calls.txt").read_text().splitlines())
        self.assertEqual(list(calls), ["check_features", "cmake_configure", "cmake_install", "cmake_config_fixup",
                                       "fixup_pkgconfig", "install_copyright"])
        arguments = calls["cmake_configure"].split(";")
        self.assertEqual(pathlib.Path(arguments[arguments.index("SOURCE_PATH") + 1]), CHECKOUT)
        options = set(re.findall(r"-D(BROADSIDE_\w+)=", calls["cmake_configure"]))
        self.assertLessEqual(options, known_options())
        self.assertIn("BROADSIDE_BUILD_TESTS", options)
        self.assertIn("c;BROADSIDE_BUILD_C", calls["check_features"])
        # Where the package files are, by broadside_install.cmake.
        self.assertIn("CONFIG_PATH;lib/cmake/broadside", calls["cmake_config_fixup"])
        self.assertIn(str(CHECKOUT / "LICENSE"), calls["install_copyright"])
        self.assertTrue((FOLDER / "packages/share/broadside/usage").exists())


class Versions(unittest.TestCase):
    """Each package names a version of each that it depends on."""

    def test_vcpkg(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        for each in manifest["dependencies"]:
            # vcpkg's own scripts are versioned by dates.
            self.assertRegex(each["version>="], r"^\d{4}-\d\d-\d\d$" if each.get("host") else r"^\d+\.\d+\.\d+$")
        # Only a top-level manifest has a baseline: that of a port is not read.
        self.assertNotIn("builtin-baseline", manifest)

    def test_conan(self):
        recipe, required = load_recipe(), []
        recipe.requires = lambda name, **_: required.append(name)
        recipe.requirements()
        for name in required:
            self.assertRegex(name, r"^\w+/\[?[>=]*[0-9]+[.]")
        self.assertRegex(text_of("packaging/conan/conanfile.py"), r'required_conan_version = ">=[0-9]')

    def test_python(self):
        lists = re.findall(r"^(?:requires|dependencies|test|distributed) = \[(.*)\]$", text_of("bindings/python/pyproject.toml"),
                           re.MULTILINE)
        self.assertEqual(len(lists), 4)
        for name in re.findall(r'"([^"]+)"', ",".join(lists)):
            self.assertRegex(name, r"^\w+>=[0-9]")


class Wheel(unittest.TestCase):
    """The publisher in the metadata, by setup.py with a stand-in for setuptools."""

    def metadata(self, publisher):
        given = {}
        modules = {"setuptools": {"Extension": lambda name, sources: name, "setup": given.update},
                   "setuptools.command": {}, "setuptools.command.build_ext": {"build_ext": object}}
        for name, content in modules.items():
            modules[name] = types.ModuleType(name)
            vars(modules[name]).update(content)
        path = CHECKOUT / "bindings/python/setup.py"
        with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, {"BROADSIDE_PUBLISHER": publisher}):
            exec(compile(path.read_text(), "setup.py", "exec"), {"__file__": str(path), "__name__": "setup"})
        self.assertEqual(given["version"], project_version())
        return given

    def test_a_wheel_names_its_publisher_or_is_private(self):
        self.assertIn("Private :: Do Not Upload", self.metadata("")["classifiers"])
        given = self.metadata("A B <a@b.test>;https://b.test/broadside.git")
        self.assertNotIn("Private :: Do Not Upload", given["classifiers"])
        self.assertEqual((given["author"], given["author_email"], given["project_urls"]),
                         ("A B", "a@b.test", {"Repository": "https://b.test/broadside.git"}))
        for wrong in ("A B <a@b.test>", "A B;https://b.test", "A <a@b.test>;b.test", " "):
            with self.assertRaisesRegex(SystemExit, "^BROADSIDE_PUBLISHER is "):
                self.metadata(wrong)


class Recorder:
    """Replaces the objects that the recipe gets from Conan."""

    def __init__(self, *_):
        self.cache_variables = {}
        made.append(self)

    def generate(self):
        pass


class Component:
    def __init__(self):
        self.properties = {}

    def set_property(self, name, value):
        self.properties[name] = value


made = []


def load_recipe():
    modules = {
        "conan": {"ConanFile": object},
        "conan.errors": {"ConanInvalidConfiguration": ValueError},
        "conan.tools": {},
        "conan.tools.build": {"check_min_cppstd": lambda *_: None},
        "conan.tools.cmake": {"CMake": Recorder, "CMakeToolchain": Recorder, "cmake_layout": lambda _: None},
        "conan.tools.files": {"copy": lambda recipe, pattern, src, dst: copied.append((pattern, src)), "rmdir": None},
    }
    for name, content in modules.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    scope = {}
    exec(compile(text_of("packaging/conan/conanfile.py"), "conanfile.py", "exec"), scope)
    return scope["Broadside"]()


copied = []


class ConanRecipe(unittest.TestCase):
    def setUp(self):
        self.recipe = load_recipe()
        self.recipe.recipe_folder = str(CHECKOUT / "packaging/conan")
        self.recipe.export_sources_folder = "sources"
        self.recipe.options = types.SimpleNamespace(with_c=True, shared=False)
        self.recipe.dependencies = {"xsimd": types.SimpleNamespace(package_folder="xsimd")}

    def test_version(self):
        self.assertEqual(self.recipe.version, project_version())

    def test_options_are_ours(self):
        self.recipe.generate()
        variables = made[-1].cache_variables
        self.assertLessEqual(set(variables), known_options())
        self.assertFalse(variables["BROADSIDE_BUILD_TESTS"])
        self.assertTrue(variables["BROADSIDE_BUILD_C"])

    def test_every_folder_of_the_library_is_exported(self):
        self.recipe.export_sources()
        patterns = [pattern for pattern, _ in copied]
        for folder in re.search(r"set\(BROADSIDE_FOLDERS ([^)]*)\)", text_of("CMakeLists.txt"))[1].split():
            self.assertIn(folder + "/*", patterns)
        for pattern, source in copied:
            self.assertTrue(list(pathlib.Path(source).glob(pattern)), pattern)

    def test_other_systems_are_refused(self):
        self.recipe.settings = types.SimpleNamespace(os="Windows", arch="x86_64")
        with self.assertRaises(ValueError):
            self.recipe.validate()
        self.recipe.settings.os = "Linux"
        self.recipe.validate()

    def test_targets_are_those_of_our_package(self):
        self.recipe.cpp_info = Component()
        self.recipe.cpp_info.components = collections.defaultdict(Component)
        self.recipe.package_info()
        names = {each.properties["cmake_target_name"]: each.libs
                 for each in self.recipe.cpp_info.components.values()}
        self.assertEqual(names, {"broadside::broadside": ["broadside"], "broadside::broadside_c": ["broadside_c"]})


class Meson(unittest.TestCase):
    def test_version(self):
        text = text_of("meson.build")
        self.assertEqual(re.search(r"version: '([\d.]+)', license", text)[1], project_version())
        major_minor = ".".join(project_version().split(".")[:2])
        self.assertEqual(re.findall(r"soversion: '([^']+)'", text)[0], major_minor)
        abi = re.search(r"BROADSIDE_C_ABI (\d+)", text_of("bindings/c/include/broadside_c/base.h"))[1]
        self.assertEqual(re.findall(r"soversion: '([^']+)'", text)[1], abi)

    def test_sources_of_the_c_api_are_those_of_cmake(self):
        listed = set(re.findall(r"\bsrc/\w+\.cpp", text_of("bindings/c/CMakeLists.txt")))
        self.assertEqual(listed, {name.split("bindings/c/")[1] for name in
                                  re.findall(r"bindings/c/src/\w+\.cpp", text_of("meson.build"))})

    def test_flags_are_those_of_cmake(self):
        flags = set(re.findall(r"'(-m\w+)'", text_of("meson.build")))
        cmake = text_of("cmake/broadside_isa.cmake")
        listed = re.findall(r"set\(BROADSIDE_ISA_FLAGS_avx\w+ ([^)]*)\)", cmake)
        self.assertEqual(flags, set(re.findall(r"-m\w+", " ".join(listed))))


if __name__ == "__main__":
    (FOLDER / "calls.txt").unlink(missing_ok=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
