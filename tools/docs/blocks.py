"""Checks of code in pages: that it says what it is written in, parses, and asks for commands, options and names that exist.

C and C++ are not compiled here: such a block is an example of examples/, or a part of one, which the build compiles and
runs and a guard among the tests compares. Python is run by `./run python`.
"""
import functools
import json
import re
import shlex
import shutil
import subprocess
import tempfile

# History names what is gone.
SKIPPED_PAGES = {"CHANGELOG.md"}
COMPILED = {"cpp", "c"}
# Programs of others that a block may call.
PROGRAMS = {"apt-get", "cc", "cd", "chromium-headless-shell", "conan", "cpack", "ctest", "g++", "git", "meson", "node",
            "npm", "python3", "valgrind", "vcpkg", "/usr/bin/python3"}


def page_faults(root, pages):
    faults = []
    for page in pages.values():
        def fault(line, what):
            faults.append(f"{page.path}:{line}: {what}")

        for block in page.blocks:
            if not block.is_fenced:
                fault(block.line, "an indented block does not say what it is; fence it")
            elif block.language not in CHECKS and block.language not in COMPILED:
                fault(block.line, f"'{block.language}' is no language here: {' '.join(sorted({*CHECKS, *COMPILED}))}")
            elif page.path not in SKIPPED_PAGES and block.language in CHECKS:
                for what in CHECKS[block.language](root, block.text):
                    fault(block.line, what)
        if page.path not in SKIPPED_PAGES:
            for line, code in page.code:
                for what in span_faults(root, code):
                    fault(line, f"`{code}`: {what}")
    return faults


def span_faults(root, code):
    """Code within a sentence: commands of the checkout, and names of options."""
    if re.match(r"(\./run|\.ci/run|tools/\S+\.py|cmake|ctest) ", code) and "…" not in code and "..." not in code:
        return shell_faults(root, code)
    if match := re.fullmatch(r"(?:-D)?(BROADSIDE_[A-Z0-9_]+)(=\S*)?", code):
        return [] if match[1] in names_of_sources(root) else ["nothing has this name"]
    return []


# --- shell ---

def shell_faults(root, text):
    parsed = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    if parsed.returncode:
        return [parsed.stderr.strip().replace("bash: ", "")]
    faults = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        command = []
        for word in [*words, ";"]:
            if word in (";", "&&", "||", "|"):
                if command:
                    faults += command_faults(root, command)
                command = []
            elif command or not re.match(r"[A-Z_]+=", word):
                command.append(word.strip("()") if not command or word.endswith(")") and "$(" not in word else word)
    return faults


def command_faults(root, command):
    program, arguments = command[0], command[1:]
    options = [argument.split("=")[0] for argument in arguments if argument.startswith("--") and argument != "--"]
    faults = []
    if program == "./run":
        return run_faults(root, arguments, options)
    if program in ("cmake", "ctest"):
        presets = preset_names(root)
        for option, value in zip(arguments, arguments[1:]):
            if option == "--preset" and value not in presets:
                faults.append(f"no preset {value}")
        for argument in arguments:
            name = re.match(r"-D(BROADSIDE_\w+)", argument)
            if name and name[1] not in option_names(root):
                faults.append(f"no option {name[1]}")
        return faults
    if program == "ninja":
        targets = [word for word in arguments if not word.startswith("-") and "/" not in word]
        return [f"no target {target}" for target in targets if not is_target(root, target)]
    if program == ".ci/run":
        return faults
    if program.startswith("build/") or program.startswith("./broadside") or program.startswith("broadside"):
        name = program.split("/")[-1]
        if not is_target(root, name):
            return [f"no program {name}"]
        return [f"{name} has no option {option}" for option in options if option.lstrip("-") not in all_sources(root)]
    if "/" in program and program not in PROGRAMS:
        if not (root / program).is_file():
            return [f"no file {program}"]
        script = (root / program).read_text()
        return [f"{program} has no option {option}" for option in options if option not in script]
    return [] if program in PROGRAMS else [f"'{program}' is no command that is known here"]


def run_faults(root, arguments, options):
    commands = re.findall(r"^  ([a-z]+) +", run_help(root, ()), re.MULTILINE)
    if not arguments or arguments[0].startswith("-"):
        return []
    if arguments[0] not in commands:
        return [f"./run has no command {arguments[0]}"]
    asked = tuple(arguments[:2]) if arguments[0] == "record" and len(arguments) > 1 else (arguments[0],)
    text = run_help(root, asked)
    faults = [f"./run {asked[0]} has no option {option}" for option in options
              if option != "--help" and option not in text and not option.startswith("--benchmark_")]
    if arguments[0] in ("fuzz", "python", "javascript") and len(arguments) > 1 and not arguments[1].startswith("-"):
        if not re.search(rf"\b{re.escape(arguments[1])}\b", text):
            faults.append(f"./run {arguments[0]} knows no {arguments[1]}")
    return faults


@functools.cache
def run_help(root, command):
    return subprocess.run([str(root / "run"), *command, "--help"], capture_output=True, text=True, check=True).stdout


@functools.cache
def preset_names(root):
    presets = json.loads((root / "CMakePresets.json").read_text())
    return {preset["name"] for kind in presets.values() if isinstance(kind, list) for preset in kind}


@functools.cache
def all_sources(root):
    suffixes = {".cpp", ".hpp", ".h", ".c", ".cmake", ".txt", ".py", ".sh", ".build", ".json"}
    folders = ["core", "simd", "broadphase", "narrowphase", "stage", "bindings", "tools", "extras", "bench", "tests", "examples",
               "cmake", "packaging"]
    files = [path for folder in folders for path in (root / folder).rglob("*") if path.suffix in suffixes]
    # The tests of this know names that do not exist.
    return "\n".join(path.read_text(errors="replace") for path in [*files, root / "CMakeLists.txt", root / "run"]
                     if path.is_file() and root / "tests/docs" not in path.parents)


@functools.cache
def names_of_sources(root):
    return set(re.findall(r"\bBROADSIDE_[A-Z0-9_]+", all_sources(root)))


@functools.cache
def cmake_sources(root):
    # Not in build/, where other tests come and go.
    folders = [path for path in root.iterdir() if path.is_dir() and path.name != "build"]
    files = [path for folder in folders for path in folder.rglob("CMakeLists.txt")]
    return "\n".join(path.read_text() for path in [root / "CMakeLists.txt", *files, *(root / "cmake").glob("*.cmake")])


def option_names(root):
    """Options that CMake declares; macros of the sources have names of the same form."""
    return set(re.findall(r"\b(?:option|set)\(\s*(BROADSIDE_[A-Z0-9_]+)", cmake_sources(root)))


def is_target(root, name):
    """Targets are often named by a loop over the ends of their names."""
    end = re.sub("^broadside[-_]", "", name)
    return bool(re.search(rf"\b({re.escape(name)}|{re.escape(end)})\b", cmake_sources(root)))


# --- the others ---

def cmake_faults(root, text):
    faults = []
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as script:
        script.write(f"if(FALSE)\n{text}\nendif()\n")
        script.flush()
        parsed = subprocess.run(["cmake", "-P", script.name], capture_output=True, text=True)
        if parsed.returncode:
            faults.append(f"CMake does not parse it: {' '.join(parsed.stderr.split())}")
    for name in set(re.findall(r"\bbroadside::(\w+)", text)):
        if not re.search(rf"broadside::{name}\b|EXPORT_NAME {name}\b", cmake_sources(root)):
            faults.append(f"no target broadside::{name}")
    for name in set(re.findall(r"\bBROADSIDE_[A-Z0-9_]+", text)) - option_names(root):
        faults.append(f"no option {name}")
    version = re.search(r"project\(\s*broadside\s+VERSION\s+(\d+\.\d+)", (root / "CMakeLists.txt").read_text())
    for wanted in re.findall(r"find_package\(broadside (\d+\.\d+)", text):
        if version and wanted != version[1]:
            faults.append(f"the version is {version[1]}, not {wanted}")
    return faults


def python_faults(root, text):
    try:
        compile(text, "block", "exec")
    except SyntaxError as error:
        return [f"Python: {error}"]
    return []


def javascript_faults(root, text):
    # Node is not asked for by ./run docs; ./run javascript runs these blocks.
    if not shutil.which("node"):
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as module:
        module.write(text)
        module.flush()
        parsed = subprocess.run(["node", "--check", module.name], capture_output=True, text=True)
        return [f"node: {parsed.stderr.strip()}"] if parsed.returncode else []


CHECKS = {"sh": shell_faults, "cmake": cmake_faults, "python": python_faults, "js": javascript_faults,
          "text": lambda root, text: []}
