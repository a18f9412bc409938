#!/usr/bin/env python3
"""The words and openings that docs/style.md bans become fewer, never more, in comments, pages and names of tests.

Called as: words_test.py <checkout>, or words_test.py <checkout> <folder or file>..., which lists what it counts there."""
import ast
import collections
import io
import re
import sys
import tempfile
import tokenize
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]

# The most that each folder may have; '.' is the files beside the folders. A count that has fallen by more than a
# twentieth is written down. A change that must raise a number edits it here and says why in its commit.
MOST = {
    '.': 2, 'bench': 10, 'bindings': 53, 'broadphase': 12, 'cmake': 2, 'core': 14, 'docs': 42, 'extras': 37,
    'narrowphase': 4, 'simd': 9, 'stage': 8, 'tests': 45, 'tools': 3}

SUFFIXES = {'.hpp': 'c', '.cpp': 'c', '.h': 'c', '.js': 'c', '.mjs': 'c', '.ts': 'c', '.css': 'c', '.py': 'python',
            '.sh': 'hash', '.cmake': 'hash', '.txt': 'hash', '.md': 'page'}
# The table of the style page shows what it bans.
LEFT_OUT = {'docs/style.md'}
FOLDERS_LEFT_OUT = re.compile(r'^(build.*|node_modules|\..+|_.+)$')

# People, after whom "who" is right.
PERSON = r'(?:\b(?:authors?|contributors?|developers?|engineers?|maintainers?|people|person|readers?|users?|you|\w+one) )'

WORDS = re.compile(r'''
    (?<!\bin\ )(?<!\btake\ )(?<!\btakes\ )(?<!\btook\ )(?<!\bdecimal\ )(?<!\blast\ )\bplaces?\b
    | \b(?:taken\ up | reborn | worn | answer(?:s|ed)? | questions? | as\ found | for\ ever | but\ for)\b
    | \bwho(?:m|ever)?\b
    | ,\ for\ (?!example\b|instance\b)''', re.VERBOSE | re.IGNORECASE)
OPENING = re.compile(r'(?:Those|What|Who|Whoever|Which|Where)\b', re.IGNORECASE)


def findings(text):
    """The banned words and openings of a paragraph."""
    text = ' '.join(re.sub(r'`[^`]*`', 'code', text).split())
    for found in WORDS.finditer(text):
        is_of_person = found.group().lower() in ('who', 'whom') and re.search(PERSON + '$', text[:found.start()], re.I)
        if not is_of_person:
            yield found.group()
    # A name of a test begins with a small letter, every other sentence that begins so is the end of an abbreviation.
    for index, sentence in enumerate(re.split(r'(?<=[.!?:])\s+', text)):
        if OPENING.match(sentence) and (index == 0 or sentence[0].isupper()) and not sentence.endswith('?'):
            yield sentence.split()[0] + ' ...'


def paragraphs_of_lines(lines, mark):
    """Joins the comments of neighbouring lines: pairs of a line number and a text, of lines that hold nothing else."""
    first, words = 0, []
    for number, line in lines:
        match = re.match(mark, line)
        text = line[match.end():].strip() if match else ''
        if not text and words:
            yield first, ' '.join(words)
            words = []
        if text:
            first = first if words else number
            words.append(text)
    if words:
        yield first, ' '.join(words)


TOKENS_OF_C = re.compile(r'''
    (?P<raw>R"(?P<end>[^()\s\\]{0,16})\((?:.|\n)*?\)(?P=end)")
    | (?P<name>\b(?:TEST_CASE(?:_TEMPLATE|_FIXTURE)?|SUBCASE)\(\s*(?:"(?:\\.|[^"\\\n])*"\s*)+)
    | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|`(?:\\.|[^`\\])*`)
    | (?P<line>//[^\n]*) | (?P<block>/\*(?:.|\n)*?\*/)''', re.VERBOSE)


def texts_of_c(text):
    """Comments and names of tests of C++, C, JavaScript and style sheets."""
    comments, lines = [], text.split('\n')
    for token in TOKENS_OF_C.finditer(text):
        number = text.count('\n', 0, token.start()) + 1
        if token.group('line'):
            is_whole_line = lines[number - 1].lstrip().startswith('//')
            # An empty line ends a paragraph: before a comment behind code, and after it.
            if not is_whole_line or comments and comments[-1][0] != number - 1:
                comments.append((number, ''))
            comments.append((number, token.group()))
            if not is_whole_line:
                comments.append((number, ''))
        elif token.group('block'):
            inner = token.group()[2:-2].split('\n')
            yield from paragraphs_of_lines([(number + i, line) for i, line in enumerate(inner)], r'\s*\**[!<]?')
        elif token.group('name'):
            yield number, ''.join(re.findall(r'"((?:\\.|[^"\\\n])*)"', token.group()))
    yield from paragraphs_of_lines(comments, r'///?<?')


def texts_of_hash(text):
    """Comments of shells and CMake."""
    lines = []
    for number, line in enumerate(text.split('\n'), 1):
        comment = re.search(r'(?:^|\s)(#(?!!).*)', line)
        is_whole_line = line.lstrip().startswith('#')
        if not comment or not is_whole_line:
            lines.append((number, ''))
        if comment:
            lines.append((number, comment.group(1)))
    yield from paragraphs_of_lines(lines, '#+')


def texts_of_python(text):
    """Comments and docstrings."""
    lines, before = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith('#!'):
            if token.start[0] != before + 1 or token.line.strip() != token.string:
                lines.append((token.start[0], ''))
            lines.append((token.start[0], token.string))
            before = token.start[0] if token.line.strip() == token.string else 0
    yield from paragraphs_of_lines(lines, '#+')
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                begin = node.body[0].lineno
                yield from paragraphs_of_lines(enumerate(docstring.split('\n'), begin), '')


def texts_of_page(text):
    """Paragraphs, items of lists and cells of tables; a heading may begin as it likes."""
    lines, is_code = [], False
    for number, line in enumerate(text.split('\n'), 1):
        if re.match(r'\s*(```|~~~)', line):
            is_code = not is_code
            line = ''
        if is_code:
            line = ''
        if re.match(r'\s*([-*+]|\d+[.)])\s|#', line):
            lines.append((number, ''))
        if line.startswith('#'):
            lines += [(number, 'Heading: ' + line.lstrip('# ')[:1].lower() + line.lstrip('# ')[1:]), (number, '')]
        elif '|' in line:
            for cell in line.split('|'):
                lines += [(number, cell), (number, '')]
        else:
            lines.append((number, line))
    yield from paragraphs_of_lines(lines, r'\s*(?:[-*+>]|\d+[.)])?\s*')


READERS = {'c': texts_of_c, 'hash': texts_of_hash, 'python': texts_of_python, 'page': texts_of_page}


def kind_of(path):
    if path.suffix in SUFFIXES:
        return SUFFIXES[path.suffix] if path.suffix != '.txt' or path.name == 'CMakeLists.txt' else None
    return 'hash' if path.name in ('run', 'meson.build', 'meson_options.txt') else None


def files(folder):
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not FOLDERS_LEFT_OUT.match(path.name):
            yield from files(path)
        elif path.is_file() and kind_of(path):
            yield path


def count(root):
    """Lines that say what was found, of each folder."""
    found = collections.defaultdict(list)
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if name in LEFT_OUT:
            continue
        folder = found[name.split('/')[0] if '/' in name else '.']
        for number, text in READERS[kind_of(path)](path.read_text(encoding='utf-8')):
            folder += [f'{name}:{number}: "{words}"' for words in findings(text)]
    return found


class WordsTest(unittest.TestCase):
    """The checkout, and texts with a fault each."""

    def test_no_folder_has_more_banned_words_than_it_had(self):
        found = count(ROOT)
        wrong = []
        for folder in sorted(found.keys() | MOST.keys()):
            number, most = len(found[folder]), MOST.get(folder, 0)
            if number > most:
                wrong.append(f'{folder} has {number} banned words and openings, more than {most} '
                             f'(list them with: tests/guards/words_test.py . {folder})')
            elif number + most // 20 < most:
                wrong.append(f'{folder} has {number} banned words and openings, fewer than {most}: write {number} here')
        if wrong:
            self.fail('\n'.join(wrong))

    def test_a_banned_word_is_found(self):
        for name, text in (
                ('a.cpp', '// The place of a box.\n'),
                ('a.cpp', 'int a;  // A list, as found.\n'),
                ('a.cpp', '// The list\n// is as\n// found.\n'),
                ('a.hpp', '/// What is left.\nint a;\n'),
                ('a.cpp', '// A list. Those of a box come first.\n'),
                ('a.cpp', 'TEST_CASE("what is left "\n          "is empty") {}\n'),
                ('a.cpp', '// A box who moves.\n'),
                ('a.h', '/* It is empty, for it was cleared. */\n'),
                ('a.js', '/**\n * Whoever calls.\n */\n'),
                ('a.py', '"""Where there is one."""\n'),
                ('a.py', 'a = 1  # It answers.\n'),
                ('a.sh', '# Nothing but for one.\n'),
                ('CMakeLists.txt', 'set(a b)  # For ever.\n'),
                ('a.md', '# A page\n\nIts slots are\ntaken up.\n'),
                ('a.md', '| a | its place |\n')):
            with self.subTest(name=name, text=text):
                self.assertTrue(self.found_in(name, text))

    def test_plain_english_and_code_are_ignored(self):
        for name, text in (
                ('a.cpp', 'const char* a = "// The place";  // Sorted in place.\n'),
                ('a.cpp', '// A name\nint place;\n// of `place`, which takes place, for example.\n'),
                ('a.cpp', '// A reader who asks which box it is.\n// Which box is it?\n'),
                ('a.py', 'a = "# place"\n'),
                ('a.sh', '#!place\na=${#place}\n'),
                ('a.md', '## What it does\n\n```cpp\n// The place.\n```\n\nWith `the place` in it.\n')):
            with self.subTest(name=name, text=text):
                self.assertEqual(self.found_in(name, text), [])

    def found_in(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_text(text)
            return count(Path(folder))['.']


if __name__ == '__main__':
    if len(sys.argv) > 1 and not sys.argv[1].startswith('-'):
        for folder, lines in count(ROOT).items():
            for line in lines:
                if folder in sys.argv[1:] or line.startswith(tuple(sys.argv[1:])):
                    print(line)
    else:
        unittest.main()
