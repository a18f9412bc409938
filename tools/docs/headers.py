"""Doxygen's copy of a public header: the header, with the comment of each declaration right before it.

The headers are written for people who read them from top to bottom. A declaration without a comment of its own has
the first of these:

- the comment above a declaration of the same name, up to the next blank line;
- the comment of its struct, where that names the field;
- docs/vocabulary.md, which explains the words that mean the same everywhere;
- the comment above its neighbours, up to a blank line: for functions whose names begin or end alike, and for fields of
  one type;
- the comment that opens the section, which stands between blank lines: for functions.

Doxygen wants a comment for each declaration; its copy of a header says again what holds for it. Lines keep their numbers.
"""
import re

FOLDERS = ("core/include", "simd/include", "broadphase/include", "narrowphase/include", "stage/include",
           "bindings/c/include")
TOKEN = re.compile(r"""
    (?P<line_comment>//[^\n]*) | (?P<comment>/\*.*?\*/) | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*") | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')
  | (?P<blank>\n(?=[ \t]*\n)) | (?P<space>\s+)
  | (?P<word>\w+) | (?P<mark>.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
# Declarations that a caller cannot use: forward declarations, friends.
IGNORED = re.compile(r"""(using\s+namespace|static_assert)\b | BROADSIDE_\w+\s*$ | friend\s+(class|struct)\b
  | (template\s*<[^>]*>\s*)?(class|struct|enum|union)\s+(class\s+)?\w+$""", re.VERBOSE)
ATTRIBUTES = re.compile(r"\[\[.*?\]\]|alignas\([^)]*\)|__attribute__\(\(.*?\)\)")


def vocabulary(root):
    """The words of docs/vocabulary.md as two tables, of functions and of fields: name, or how names end, to sentence."""
    functions, fields = {}, {}
    words = functions
    for line in (root / "docs/vocabulary.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("## ") and "ields" in line:
            words = fields
        if line.startswith("| `") and len(cells) == 2:
            for name in re.findall(r"`([^`]+)`", cells[0]):
                words[name.strip("…")] = cells[1]
    return functions, fields


def without_template(statement):
    """The statement without the lists of a template."""
    while match := re.match(r"\s*template\s*<", statement):
        depth, at = 1, match.end()
        while depth and at < len(statement):
            depth += {"<": 1, ">": -1}.get(statement[at], 0)
            at += 1
        statement = statement[at:]
    return statement


def name_of(statement, owner):
    """The word of the vocabulary that a declaration is called by: its name, or what kind of function it is."""
    statement = without_template(ATTRIBUTES.sub(" ", statement))
    if operator := re.search(r"\boperator\s*(\(\)|[^\s(]+)", statement):
        return "operator T" if operator[1][0].isalpha() else f"operator{operator[1]}"
    function = re.match(r"[^=({]*?(~?\w+)\s*\(", statement)
    if function:
        name = function[1]
        if name == owner:
            arguments = statement[function.end():]
            if re.match(rf"\s*(const\s+)?{owner}\s*&", arguments):
                return "T(T&&)"
            if re.match(r"\s*const Allocator&[^,]*\)", arguments):
                return "T(const Allocator&)"
            return "T()" if re.match(r"\s*\)", arguments) else name
        return "~T" if name.startswith("~") else name
    declared = re.split(r"[={]", statement)[0]
    declared = re.sub(r"\[[^\]]*\]", "", declared)
    words = re.findall(r"\w+", declared.split(",")[0] if "<" not in declared else declared)
    return words[-1] if words else ""


def mentions(comment, name):
    """Whether the comment of a struct speaks of the field: in code, or by a name that is no English word."""
    if f"`{name}`" in comment:
        return True
    is_word = len(name) > 2 and re.fullmatch("[a-z]+", name) or name == "a" and not re.search(r"\bb\b", comment)
    return not is_word and bool(re.search(rf"\b{name}\b", comment))


def alike(a, b):
    if a.startswith("operator") and b.startswith("operator"):
        return True
    a, b = a.split("_"), b.split("_")
    return a[0] == b[0] or a[-1] == b[-1]


def word_for(name, kind, words):
    """Fields may be called as functions are, not the other way round; enumerators are called by their own names."""
    functions, fields = words
    words = fields if kind == "enum" else {**functions, **fields} if kind else functions
    if kind == "enum":
        return next((words[end] for end in words if end == "_FORCE_32_BITS" and name.endswith(end)), "")
    return words.get(name) or next((words[end] for end in words if end.startswith("_") and name.endswith(end)), "")


def is_declaration(statement):
    return bool(statement) and not IGNORED.match(statement)


def is_scope(statement):
    statement = re.sub(r"^template\s*<.*?>\s*(?=struct|class)", "", statement, flags=re.DOTALL)
    match = re.match(r"(?:inline\s+)?(namespace|class|struct|union|enum|extern\s*\"|typedef\s+(?:struct|enum|union))",
                     statement)
    if not match or "(" in ATTRIBUTES.sub("", statement):
        return None
    return "enum" if "enum" in match[1] else match[1].split()[-1]


def clean(comment):
    """The text of a comment without its marks, on one line."""
    comment = re.sub(r"^\s*/\*+|\*+/\s*$", "", comment)
    lines = [re.sub(r"^\s*(///<?|//|\*(?!\*))\s?", "", line).strip() for line in comment.splitlines()]
    return " ".join(line for line in lines if line)


def opening_of(text):
    """The comment that opens a file says what lives there."""
    return re.match(r"/\*.*?\*/|(//[^\n]*\n)+", text, re.DOTALL)[0]


def opening_sentence(text):
    return re.match(r".*?[.:;](?=\s|$)|.*", clean(opening_of(text)))[0].rstrip(":;.") + "."


class Reader:
    """Reads one header, token by token, and writes its copy."""

    def __init__(self, name, text, words):
        opening = opening_of(text)
        self.is_c = name.endswith(".h")
        self.words = words
        self.out = [f"/** @file {name} {clean(opening)} */" + "\n" * opening.count("\n")]
        self.text = text[len(opening):]
        self.scopes = []            # of each: what it is, its name, its comment
        self.statement = ""         # the code since the last declaration, and where it begins in `out`
        self.statement_at = None
        self.depth = 0              # of brackets
        self.skipped = 0            # of braces of a body that is no scope
        self.held = ""              # the comment that holds until a blank line
        self.held_by = ("", "")     # the name and the type of what it stands before
        self.is_own = False         # it stands right before the next declaration
        self.plain = ""             # a comment that is not for callers, unless a blank line follows
        self.section = ""           # the comment that holds until the next of its kind

    def copy(self):
        for match in TOKEN.finditer(self.text):
            kind, token = match.lastgroup, match[0]
            self.out.append(token)
            if self.skipped:
                self.skip(kind, token)
            elif kind == "blank" and not self.depth:
                self.end_paragraph()
            elif kind in ("line_comment", "comment"):
                self.take_comment(kind, token)
            elif kind == "directive" and not self.statement.strip():
                self.take_directive(token)
            elif kind in ("directive", "blank", "space"):
                if self.statement and kind == "space":
                    self.statement += " "
            else:
                self.take_code(kind, token)
        return "".join(self.out)

    def skip(self, kind, token):
        self.skipped += {"{": 1, "}": -1}.get(token, 0) if kind == "mark" else 0
        # The body of a function ends it; behind an initialiser comes a semicolon.
        if not self.skipped and ("(" in self.statement or not re.search(r"=\s*$|[\w>\]]\s*$", self.statement)):
            self.declare()

    def end_paragraph(self):
        if not self.statement.strip():
            if self.plain or (self.is_c and self.is_own):
                self.section = self.plain or self.held
            self.held, self.plain, self.is_own = "", "", False

    def take_comment(self, kind, token):
        if self.statement.strip() or self.depth or token.startswith(("///<", "/**<")):
            return
        if kind == "comment" if self.is_c else token.startswith("///"):
            if self.is_c:
                self.out[-1] = token = token.replace("/*", "/**", 1)
            self.held = f"{self.held} {clean(token)}".strip() if self.is_own else clean(token)
            self.is_own = True
        else:
            self.plain = f"{self.plain} {clean(token)}".strip()
            self.held, self.is_own = "", False

    def take_directive(self, token):
        if re.match(r"\s*#\s*define", token):
            if not self.is_c:
                # The macros of the C++ headers are the library's own.
                self.out[-1] = "\n" * token.count("\n")
            elif self.is_own:
                self.held_by = ("", "macro")
            elif self.held and self.held_by[1] == "macro":
                self.out[-1] = f"/** {self.held} */ {token}"
        self.is_own = False

    def take_code(self, kind, token):
        self.depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
        self.plain = ""
        scope = self.scopes[-1][0] if self.scopes else "namespace"
        statement = self.statement.strip()
        if self.depth or kind != "mark" or token not in "{};,:":
            self.go_on(token)
        elif token == "{":
            self.enter(statement)
        elif token == "}":
            self.leave(scope)
        elif token == ";" or (token == "," and scope == "enum"):
            # Behind the brace of a struct is its name in C, or nothing.
            if scope != "enum" and re.fullmatch(r"\w*", statement):
                self.forget_statement()
            else:
                self.declare()
        elif token == ":" and statement in ("public", "private", "protected"):
            self.scopes[-1] = ("hidden" if statement == "private" else "class", *self.scopes[-1][1:])
            self.held = self.section = ""
            self.forget_statement()
        else:
            self.go_on(token)

    def go_on(self, token):
        if self.statement_at is None:
            self.statement_at = len(self.out) - 1
        self.statement += token

    def forget_statement(self):
        self.statement, self.statement_at, self.is_own = "", None, False

    def enter(self, statement):
        entered = is_scope(statement)
        if not entered:
            self.skipped = 1
            return
        name = ATTRIBUTES.sub(" ", statement).split(":")[0].split("final")[0]
        name = re.findall(r"\w+", re.sub(r"<.*>", "", name))
        if entered in ("namespace", "extern"):
            self.held = ""
            self.forget_statement()
        else:
            self.declare()
        self.scopes.append((entered, name[-1] if name else "", self.held))
        self.held = self.section = ""

    def leave(self, scope):
        if scope == "enum":
            self.declare()
        if self.scopes:
            self.scopes.pop()
        if scope not in ("namespace", "extern"):
            self.section = ""
        self.held = ""
        self.forget_statement()

    def declare(self):
        """The statement ends here; what it lacks goes before it."""
        declared = self.statement.strip()
        if is_declaration(declared) and not any(kind == "hidden" for kind, *_ in self.scopes):
            scope, owner, _ = self.scopes[-1] if self.scopes else ("namespace", "", "")
            name = declared.split("=")[0].strip() if scope == "enum" else name_of(declared, owner)
            # A function has no type here: a comment holds for its neighbours whatever they return.
            bare = re.sub(r"alignas\(\d+\)\s*", "", declared)
            kind = scope if scope == "enum" else "" if re.match(r"[^={]*\(", bare) else bare.split(name)[0]
            if self.is_own:
                self.held_by = (name, kind)
            said = self.comment_for(name, kind)
            several = re.fullmatch(r"(const |alignas\(\d+\) )*([\w:]+[\s*]+)(\w+(?:\s*,\s*[*\w]+)+)", declared)
            if several and (said or self.is_own):
                self.take_apart(declared[:several.start(3)], several[3].split(","), kind, said)
            elif said and not self.is_own:
                self.out[self.statement_at] = f"/** {said} */ " + self.out[self.statement_at]
        self.forget_statement()

    def comment_for(self, name, kind):
        if name == self.held_by[0] and self.held:
            return self.held
        of_struct = self.scopes[-1][2] if self.scopes else ""
        if kind and mentions(of_struct, name):
            return of_struct
        if word := word_for(name, kind, self.words):
            return word
        if kind == self.held_by[1] and kind != "enum" and self.held and (kind or alike(name, self.held_by[0])):
            self.held_by = (name, kind)
            return self.held
        return "" if kind else self.section

    def take_apart(self, type_of, names, kind, said):
        """Of several names after one type Doxygen would give the comment to the first alone."""
        for at in range(self.statement_at, len(self.out) - 1):
            self.out[at] = "".join(re.findall(r"\n", self.out[at]))
        fields = []
        for name in (name.strip() for name in names):
            comment = word_for(name.strip("*"), kind, self.words) or said or self.held
            is_said = self.is_own and not fields
            fields.append(f"{type_of}{name};" if is_said else f"/** {comment} */ {type_of}{name};")
        self.out[self.statement_at] += " ".join(fields)
        self.out[-1] = ""


def copy_headers(root, folder):
    """All public headers of a checkout, below the folder and as callers include them."""
    words = vocabulary(root)
    for room in FOLDERS:
        for header in sorted((root / room).rglob("*.h*")):
            copy = folder / room / header.relative_to(root / room)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(Reader(header.name, header.read_text(), words).copy())
