#!/usr/bin/env python3
"""Every program that a script calls comes from a package that tools/setup.sh installs for it, or is in every Debian.

The test reads bash scripts, lists of arguments in Python, and commands in CMake. It ignores programs that are looked
for first (command -v, shutil.which, find_program) and programs of the build. Called as: programs_test.py <checkout>"""
import ast
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]

# Programs of a bare Debian (debootstrap --variant=minbase).
BARE = ("apt bash coreutils dash debianutils diffutils dpkg findutils grep gzip hostname libc-bin mawk mount ncurses-bin "
        "perl-base procps-none sed tar util-linux").split()

# The package of each program.
PACKAGE_OF = {program: package for package, programs in {
    'apt': 'apt-get apt-cache apt-config',
    'bash': 'bash',
    'binutils': 'nm objdump strip',
    'cmake': 'cmake ctest cpack',
    'coreutils': 'basename cat chmod chroot cp cut date dirname env head id ln mkdir mktemp mv nice nproc paste realpath rm '
                 'seq sha256sum sort stat tail tee timeout touch tr uname uniq wc',
    'cppcheck': 'cppcheck',
    'dash': 'sh',
    'clang-tidy': 'clang-tidy run-clang-tidy',
    'debootstrap': 'debootstrap',
    'diffutils': 'diff cmp',
    'doxygen': 'doxygen',
    'dpkg': 'dpkg dpkg-deb dpkg-query',
    'file': 'file',
    'findutils': 'find xargs',
    'g++': 'g++ c++ gcov',
    'git': 'git',
    'grep': 'grep',
    'mawk': 'awk',
    'mount': 'mount umount',
    'ninja-build': 'ninja',
    'nodejs': 'node',
    'npm': 'npm npx',
    'python3': 'python3',
    'sed': 'sed',
    'tar': 'tar',
    'util-linux': 'unshare',
    'valgrind': 'valgrind',
}.items() for program in programs.split()}

# Programs that a program calls by itself.
CALLS = {'cpack': ['file']}

# CMake's variables for programs that it has found.
VARIABLES = {'CMAKE_NM': 'nm', 'CMAKE_OBJDUMP': 'objdump', 'CMAKE_STRIP': 'strip', 'CMAKE_CPACK_COMMAND': 'cpack'}

# Lists of tools/setup.sh that the scripts of a path may rely on; the first match counts. A script that users start
# themselves, beside ./run, may need more.
SCOPES = (
    ('tools/javascript.sh', 'demo javascript page test'),
    ('tools/python.sh', 'python'),
    ('bindings/python/', 'python'),
    ('tools/docs', 'docs'),
    ('tools/lint.sh', 'cppcheck tidy test'),
    ('tools/fresh.sh', 'fresh'),
    ('tools/bench.sh', 'bench'),
    ('tools/', 'test'),
    ('extras/', 'test'),
    ('tests/', 'test'),
    ('cmake/', 'test'),
    ('run', 'test'),
    ('.ci/run', 'test'))

# Programs that are optional: git without a clone, sudo for root.
NOT_NEEDED = {('.ci/run', 'git'), ('tools/bench.sh', 'git'), ('tools/setup.sh', 'sudo')}


def installed(root):
    """The packages of each list in tools/setup.sh."""
    text = re.sub(r'(^|\s)#.*', '', (root / 'tools/setup.sh').read_text(), flags=re.MULTILINE)
    lists = {name: words.split() for name, words in re.findall(r'^(\w+)_packages=\(([^)]*)\)', text, re.MULTILINE)}
    for name, words in lists.items():
        for word in list(words):
            other = re.match(r'"\$\{(\w+)_packages\[@\]\}"', word)
            if other:
                words += lists[other.group(1)]
    # The two linters are named at their installation.
    for name in ('cppcheck', 'tidy'):
        lists[name] = re.search(rf'^\s*{name}\) packages\+=\(([^)]*)\)', text, re.MULTILINE).group(1).split()
    return lists


WORDS_OF_BASH = set('''! [ [[ alias bg break builtin case cd command compgen continue coproc declare do done echo elif else esac
    eval exit export false fi for function getopts hash if in let local mapfile popd printf pushd pwd read readarray readonly
    return select set shift shopt source test then time trap true type typeset ulimit umask unset until wait while { } . :
    fg jobs kill'''.split())
# Another command follows these; an option's value of `nice` is a number.
PREFIXES = set('! if elif else then do while until { time exec env command builtin nice sudo'.split())


def bash_words(text):
    """Pairs: the kind of a token ('word', 'operator'), and its text; newlines are operators. Quotes stay."""
    place, end, heredocs = 0, len(text), []
    while place < end:
        character = text[place]
        if character == '\n':
            place += 1
            for word in heredocs:
                stop = re.compile(rf'^\t*{re.escape(word)}$', re.MULTILINE).search(text, place)
                place = stop.end() if stop else end
            heredocs = []
            yield 'operator', '\n'
        elif text.startswith('\\\n', place):
            place += 2
        elif character in ' \t':
            place += 1
        elif character == '#':
            place = text.find('\n', place) if '\n' in text[place:] else end
        elif (found := re.compile(r"<<-?\s*(['\"]?)(\w+)\1").match(text, place)) and text[place:place + 3] != '<<<':
            heredocs.append(found.group(2))
            place = found.end()
        elif (found := re.compile(r'<<<|[<>]\(|\d*[<>]+&?|&>+|&&|\|\||;;&?|;&|[;&|()]').match(text, place)):
            place = found.end()
            yield 'operator', found.group().lstrip('0123456789')
        else:
            start = place
            while place < end and text[place] not in ' \t\n;&|()<>':
                place = end_of_part(text, place)
            yield 'word', text[start:place]


def end_of_part(text, place):
    """The end of a quoted string, a substitution or a character."""
    if text[place] == '\\':
        return place + 2
    if text[place] == "'":
        return text.index("'", place + 1) + 1
    if text[place] == '"':
        place += 1
        while text[place] != '"':
            place = end_of_part(text, place) if text[place] in '\\$' else place + 1
        return place + 1
    for opening, closing in (('$((', '))'), ('$(', ')'), ('${', '}')):
        if text.startswith(opening, place):
            place += len(opening)
            while not text.startswith(closing, place):
                place = (place + 1 + text[place:].index(')') if opening == '$(' and text[place] == '('
                         else end_of_part(text, place))
            return place + len(closing)
    return place + 1


def bash_commands(text):
    """The words at the position of a bash command, those of substitutions included."""
    expects, array, is_pattern, redirects, in_test, previous = True, False, False, False, False, ''
    # Of `case` and `for`, whose `in` has another meaning each.
    before_in = ''
    for kind, token in bash_words(text):
        if kind == 'word':
            for inner in substitutions(token):
                yield from bash_commands(inner)
        if in_test:
            in_test = token != ']]'
            expects = False
            continue
        if kind == 'operator':
            if array:
                array = token != ')'
            elif token == '(' and re.search(r'^[\w\[\]"$@{}#]+\+?=$', previous):
                array = True
            elif token in (';;', ';;&', ';&'):
                is_pattern, expects = True, False
            elif is_pattern and token == ')':
                is_pattern, expects = False, True
            elif is_pattern:
                pass
            elif token in ('<(', '>('):
                expects, redirects = True, False
            elif token[0] in '<>' or token.startswith('&>'):
                redirects = True
            else:
                expects = token != ')'
            previous = ''
            continue
        before, previous = previous, token
        if array or is_pattern and token != 'esac':
            continue
        if redirects:
            redirects = False
            continue
        if token == 'esac':
            is_pattern = expects = False
        elif token == 'in' and before_in:
            is_pattern, before_in = before_in == 'case', ''
        elif expects:
            if token in ('case', 'for'):
                expects, before_in = False, token
            elif token == '[[':
                in_test = True
            elif token in PREFIXES or re.match(r'^\w+(\[[^]]*\])?\+?=', token) or re.match(r'^-|^\d+$', token):
                # Looked for, and perhaps missing.
                expects = token != 'command'
            elif token == 'logged':
                expects, previous = False, 'logged'
            else:
                expects = False
                yield token
        elif before == 'logged':
            # Its first argument names the log.
            expects = True


def substitutions(token):
    """The texts of $(...) in a word, outside single quotes."""
    place, is_quoted = 0, False
    while place < len(token):
        if token[place] == '"':
            place, is_quoted = place + 1, not is_quoted
        elif token[place] == "'" and not is_quoted:
            place = end_of_part(token, place)
        elif token.startswith('$(', place) and not token.startswith('$((', place):
            end = end_of_part(token, place)
            yield token[place + 2:end - 1]
            place = end
        else:
            place += 2 if token[place] == '\\' else 1


def python_commands(text):
    """First words of argument lists that are started, and the argument of os.system."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, 'id', '')
        if name in ('run', 'Popen', 'call', 'check_call', 'check_output') and node.args:
            command = node.args[0]
            if isinstance(command, ast.List) and command.elts and isinstance(command.elts[0], ast.Constant):
                yield command.elts[0].value


def cmake_commands(text, targets):
    """Words after COMMAND that are programs and neither variables of ours nor targets."""
    text = re.sub(r'#.*', '', text)
    for word in re.findall(r'\bCOMMAND\s+"?([^\s")]+)', text):
        if not re.search(r'[$<>/]', word) and word not in targets:
            yield word
    yield from (program for variable, program in VARIABLES.items() if variable in text)


def scripts(root):
    """Paths of bash, Python and CMake, and how each is read."""
    targets = set()
    lists = [path for folder in ('cmake', 'tests', 'tools', 'extras', 'bench', 'bindings', 'examples', '.')
             for pattern in ('CMakeLists.txt', '*.cmake')
             for path in (root.glob(pattern) if folder == '.' else (root / folder).rglob(pattern))]
    for path in lists:
        targets |= set(re.findall(r'add_executable\(\s*([\w-]+)', path.read_text()))
    for path in [root / 'run', root / '.ci/run', *root.glob('tools/*.sh'), *root.glob('tests/run/*.sh')]:
        if path.exists():
            yield path, bash_commands
    for folder in ('tools', 'extras', 'tests', 'bindings/python'):
        for path in (root / folder).rglob('*.py'):
            yield path, python_commands
    for path in lists:
        yield path, lambda text: cmake_commands(text, targets)


def faults(root):
    """A line for each program that no list installs."""
    lists = installed(root)
    functions = {name for path, commands in scripts(root) if commands is bash_commands
                 for name in re.findall(r'^\s*(\w+)\(\)', path.read_text(), re.MULTILINE)}
    found, calls = [], 0
    for path, commands in scripts(root):
        name = path.relative_to(root).as_posix()
        scope = next((lists_of for prefix, lists_of in SCOPES if name.startswith(prefix)), 'test').split()
        packages = set(BARE).union(*(lists[each] for each in scope if each in lists))
        text, programs = path.read_text(), set()
        for word in commands(text):
            program = word.strip('"\'').rsplit('/', 1)[-1]
            if not re.search(r'[$=]|[.]/|node_modules', word) and program not in functions | WORDS_OF_BASH:
                programs |= {program, *CALLS.get(program, ())}
        programs -= set(re.findall(r'''(?:which\(|command -v )["']?([\w+-]+)''', text))
        for program in sorted(programs):
            calls += 1
            package = PACKAGE_OF.get(program)
            if (name, program) in NOT_NEEDED:
                continue
            if not package:
                found.append(f'{name} calls {program}, of which programs_test.py does not know the package')
            elif package not in packages:
                found.append(f'{name} calls {program}, and {package} is not among the packages of {" ".join(scope)}')
    return found, calls


class ProgramsTest(unittest.TestCase):
    """The checkout, and scripts with one fault each."""

    def test_every_program_is_of_a_package_that_is_installed(self):
        found, calls = faults(ROOT)
        self.assertEqual(found, [])
        self.assertGreater(calls, 60)

    def test_a_missing_package_is_found(self):
        for name, text in (
                ('run', 'set -e\njq . file\n'),
                ('run', 'x=$(jq . file)\n'),
                ('run', 'say "it\'s $(jq . file)"\n'),
                ('run', 'A="it\'s" jq\n'),
                ('run', 'if true; then jq; fi\n'),
                ('run', 'true || jq\n'),
                ('run', 'case $1 in\n    a) jq ;;\nesac\n'),
                ('run', 'nice -n 19 jq\n'),
                ('run', 'logged name jq\n'),
                ('run', 'A=b jq\n'),
                ('run', 'while read -r x; do true; done < <(jq)\n'),
                ('tools/docs.sh', 'ninja\n'),
                ('tests/run/a.sh', 'git log\n'),
                ('tools/a.py', 'import subprocess\nsubprocess.run(["jq", "."])\n'),
                ('tests/a.py', 'import subprocess\nsubprocess.run(["git", "log"], check=True)\n'),
                ('tests/CMakeLists.txt', 'add_test(NAME a COMMAND jq)\n'),
                ('cmake/a.cmake', 'execute_process(COMMAND git log)\n')):
            with self.subTest(name=name, text=text):
                self.assertEqual(len(self.faults_of(name, text)), 1)

    def test_words_that_are_no_programs_are_ignored(self):
        for name, text in (
                ('run', '# jq\nf() { true; }\nf jq\nx=(jq "$y")\ncat <<\'TEXT\'\njq\nTEXT\n'),
                ('run', "say 'it is $(jq)'\n"),
                ('run', 'command -v jq >/dev/null\necho "jq; jq"\n[[ $1 == jq ]]\necho a >jq\n'),
                ('run', 'case $1 in\n    jq | yq) true ;;\n    "jq") true ;;\nesac\nfor x in jq yq; do true; done\n'),
                ('tests/CMakeLists.txt', 'add_executable(jq a.cpp)\nadd_test(NAME a COMMAND jq)\n# COMMAND yq\n'),
                ('tests/a.py', 'import subprocess\nsubprocess.run([program, "jq"])\n')):
            with self.subTest(name=name, text=text):
                self.assertEqual(self.faults_of(name, text), [])

    def test_programs_called_by_programs_are_required(self):
        text = 'add_test(NAME a COMMAND "${CMAKE_CPACK_COMMAND}")\n'
        self.assertEqual(self.faults_of('tests/CMakeLists.txt', text), [])
        self.assertEqual(self.faults_of('tests/CMakeLists.txt', text, without=' file'),
                         ['tests/CMakeLists.txt calls file, and file is not among the packages of test'])

    def faults_of(self, name, text, without='\0'):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for made in ('tools', 'tests', 'cmake'):
                (root / made).mkdir()
            (root / 'run').write_text('say() { true; }\nfail() { true; }\n')
            (root / 'tools/setup.sh').write_text((ROOT / 'tools/setup.sh').read_text().replace(without, ''))
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            with (root / name).open('a') as file:
                file.write(text)
            return faults(root)[0]


if __name__ == '__main__':
    unittest.main()
