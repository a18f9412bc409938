"""What Doxygen is given of a public header: the header, with the comment of each declaration right before it.

The headers are written for people who read them from top to bottom. What a declaration without a comment of its own means
is said by the first of these:

- the comment above a declaration of the same name, up to the next blank line;
- the comment of its struct, where that names the field;
- docs/vocabulary.md, which explains the words that mean the same everywhere;
- the comment above its neighbours, up to a blank line: for functions whose names begin or end alike, and for fields of one type;
- the comment that opens the section, which stands between blank lines: for functions.

Doxygen wants a comment for each declaration; its copy of a header says again what holds for it. Lines keep their numbers.
"""
import re

TOKEN = re.compile(r"""
    (?P<line_comment>//[^\n]*) | (?P<comment>/\*.*?\*/) | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*") | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')
  | (?P<blank>\n(?=[ \t]*\n)) | (?P<space>\s+)
  | (?P<word>\w+) | (?P<mark>.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
IGNORED = re.compile(r"^(using\s+namespace|static_assert|public\b|protected\b|private\b|BROADSIDE_\w+\s*$)")


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


def name_of(statement, owner):
    """The word of the vocabulary that a declaration is called by: its name, or what kind of function it is."""
    statement = re.sub(r"\[\[.*?\]\]|alignas\([^)]*\)|__attribute__\(\(.*?\)\)", " ", statement)
    while match := re.match(r"\s*(template\s*<|requires\b)", statement):
        # The list of a template goes to its own >.
        depth, at = 0, match.end() - 1
        if statement[at] != "<":
            at = statement.find("\n", at) if "\n" in statement[at:] else len(statement) - 1
        else:
            for at in range(at, len(statement)):
                depth += {"<": 1, ">": -1}.get(statement[at], 0)
                if depth == 0:
                    break
        statement = statement[at + 1:]
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
    a, b = a.split("_"), b.split("_")
    return a[0] == b[0] or a[-1] == b[-1]


def word_for(name, kind, words):
    """Fields may be called as functions are, not the other way round; enumerators are called by their own names."""
    functions, fields = words
    words = fields if kind == "enum" else {**functions, **fields} if kind else functions
    if kind == "enum":
        return next((words[end] for end in words if end == "_FORCE_32_BITS" and name.endswith(end)), "")
    return words.get(name) or next((words[end] for end in words if end.startswith("_") and name.endswith(end)), "")


def is_scope(statement):
    statement = re.sub(r"^template\s*<.*?>\s*(?=struct|class)", "", statement, flags=re.DOTALL)
    match = re.match(r"(?:inline\s+)?(namespace|class|struct|union|enum|extern\s*\"|typedef\s+(?:struct|enum|union))", statement)
    if not match or "(" in re.sub(r"\[\[.*?\]\]|alignas\([^)]*\)|__attribute__\(\(.*?\)\)", "", statement):
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


def filtered(name, text, words):
    is_c = name.endswith(".h")
    opening = opening_of(text)
    out, scopes = [f"/** @file {name} {clean(opening)} */" + "\n" * opening.count("\n")], []
    text = text[len(opening):]
    statement, statement_at, depth = "", None, 0
    held = ""           # the comment that holds until a blank line
    held_by = ("", "")  # the name and the type of what it stands before
    is_own = False      # it stands right before the next declaration
    plain = ""          # a comment that is not for callers, unless a blank line follows
    section = ""        # the comment that holds until the next of its kind
    skipped = 0         # depth of braces of a body that is no scope

    def declare():
        """The statement that ends here; what it lacks goes before it."""
        nonlocal held_by, is_own, statement, statement_at
        declared = statement.strip()
        scope = scopes[-1][0] if scopes else "namespace"
        is_declaration = bool(declared) and not IGNORED.match(declared) and not re.match(
            r"(class|struct|enum|union)\s+(class\s+)?\w+$|friend\s+(class|struct)\b|template\s*<[^>]*>\s*(class|struct)\s+\w+$",
            declared)
        if is_declaration and not any(kind == "hidden" for kind, *_ in scopes):
            owner = scopes[-1][1] if scopes else ""
            name = declared.split("=")[0].strip() if scope == "enum" else name_of(declared, owner)
            # What is a function has no type here: a comment holds for its neighbours whatever they answer.
            bare = re.sub(r"alignas\(\d+\)\s*", "", declared)
            kind = scope if scope == "enum" else "" if re.match(r"[^={]*\(", bare) else bare.split(name)[0]
            if is_own:
                held_by = (name, kind)
            said = held if name == held_by[0] else ""
            if not said and kind and mentions(scopes[-1][2] if scopes else "", name):
                said = scopes[-1][2]
            said = said or word_for(name, kind, words)
            if not said and kind == held_by[1] and kind != "enum" and (
                    kind or name[:8] == held_by[0][:8] == "operator" or alike(name, held_by[0])):
                said, held_by = held, (name, kind)
            if not said and not kind:
                said = section
            several = re.fullmatch(r"(const |alignas\(\d+\) )*([\w:]+[\s*]+)(\w+(?:\s*,\s*[*\w]+)+)", declared)
            if several and (said or is_own):
                # Doxygen takes these apart and gives the comment to the first alone.
                names = [name.strip() for name in several[3].split(",")]
                type_of = declared[:several.start(3)]
                for at in range(statement_at, len(out) - 1):
                    out[at] = "".join(re.findall(r"\n", out[at]))
                out[statement_at] += " ".join(
                    f"/** {word_for(name.strip('*'), kind, words) or said or held} */ {type_of}{name};" if not (is_own and i == 0)
                    else f"{type_of}{name};" for i, name in enumerate(names))
                out[-1] = ""
            elif said and not is_own:
                out[statement_at] = f"/** {said} */ " + out[statement_at]
        is_own = False
        statement, statement_at = "", None

    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        out.append(token)
        if skipped:
            skipped += {"{": 1, "}": -1}.get(token, 0) if kind == "mark" else 0
            if not skipped and not re.search(r"=\s*$|[\w>\]]\s*$", statement) or (not skipped and "(" in statement):
                declare()
            continue
        if kind == "blank" and not depth:
            if not statement.strip():
                if plain or (is_c and is_own):
                    section = plain or held
                held, plain, is_own = "", "", False
        elif kind in ("line_comment", "comment"):
            if statement.strip() or depth:
                continue
            if token.startswith("///<") or token.startswith("/**<"):
                continue
            if kind == "comment" if is_c else token.startswith("///"):
                if is_c:
                    out[-1] = token = token.replace("/*", "/**", 1)
                held = f"{held} {clean(token)}".strip() if is_own else clean(token)
                is_own = True
            else:
                plain = f"{plain} {clean(token)}".strip()
                held, is_own = "", False
        elif kind == "directive" and not statement.strip():
            if re.match(r"\s*#\s*define", token):
                if not is_c:
                    # The macros of the C++ headers are the library's own.
                    out[-1] = "\n" * token.count("\n")
                elif is_own:
                    held_by = ("", "macro")
                elif held and held_by[1] == "macro":
                    out[-1] = f"/** {held} */ {token}"
            is_own = False
        elif kind in ("directive", "blank", "space"):
            if statement:
                statement += " " if kind == "space" else ""
        else:
            if token in "([":
                depth += 1
            elif token in ")]":
                depth -= 1
            plain = ""
            if depth or kind != "mark" or token not in "{};,:":
                if statement_at is None:
                    statement_at = len(out) - 1
                statement += token
                continue
            scope = scopes[-1][0] if scopes else "namespace"
            if token == "{":
                entered = is_scope(statement.strip())
                if entered:
                    name = re.sub(r"\[\[.*?\]\]|alignas\([^)]*\)", " ", statement).split(":")[0].split("final")[0]
                    name = re.findall(r"\w+", re.sub(r"<.*>", "", name))
                    if entered in ("namespace", "extern"):
                        statement, statement_at, is_own, held = "", None, False, ""
                    else:
                        declare()
                    scopes.append((entered, name[-1] if name else "", held))
                    held = section = ""
                else:
                    skipped = 1
            elif token == "}":
                if scope == "enum":
                    declare()
                if scopes:
                    scopes.pop()
                    section = "" if scope not in ("namespace", "extern") else section
                statement, statement_at, held, is_own = "", None, "", False
                # What stands behind the brace of a struct is its name in C, or nothing.
            elif token == ";" or (token == "," and scope == "enum"):
                if re.fullmatch(r"\s*\w*\s*", statement) and scope != "enum":
                    statement, statement_at, is_own = "", None, False
                else:
                    declare()
            elif token == ":" and statement.strip() in ("public", "private", "protected"):
                if scopes[-1][0] in ("class", "struct", "hidden"):
                    scopes[-1] = ("hidden" if statement.strip() == "private" else "class", *scopes[-1][1:])
                statement, statement_at, held, section, is_own = "", None, "", "", False
            else:
                if statement_at is None:
                    statement_at = len(out) - 1
                statement += token
    return "".join(out)


FOLDERS = ("core/include", "simd/include", "broadphase/include", "narrowphase/include", "stage/include",
           "bindings/c/include")


def copy_headers(root, folder):
    """All public headers of a checkout, below the folder and as callers include them."""
    words = vocabulary(root)
    for room in FOLDERS:
        for header in sorted((root / room).rglob("*.h*")):
            copy = folder / room / header.relative_to(root / room)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(filtered(header.name, header.read_text(), words))
