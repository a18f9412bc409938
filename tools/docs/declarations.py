"""The reference of the npm package: what bindings/javascript/index.d.ts declares, as a page, and its names for the search."""
import dataclasses
import html
import re

FILE = "bindings/javascript/index.d.ts"
PAGE = "reference/javascript.html"


@dataclasses.dataclass
class Declaration:
    name: str
    comment: str
    code: str
    members: list


def clean(comment):
    lines = [re.sub(r"^\s*\*?\s?", "", line).strip() for line in comment.strip().removeprefix("/**").removesuffix("*/").splitlines()]
    return " ".join(line for line in lines if line)


def statements(lines):
    """Statements with the comment above each; a statement ends where its brackets do, in a semicolon or a brace."""
    comment, code, is_comment = [], [], False
    for line in lines:
        text = line.strip()
        if not code and (is_comment or text.startswith("/**")):
            comment.append(text)
            is_comment = not text.endswith("*/")
        elif code or text and not text.startswith("//"):
            code.append(line)
            joined = "\n".join(code)
            depth = sum(joined.count(mark) for mark in "({[") - sum(joined.count(mark) for mark in ")}]")
            if depth == 0 and text.endswith((";", "}")):
                yield clean("\n".join(comment)), code
                comment, code = [], []


def name_of(code):
    text = code[0].strip()
    text = re.sub(r"^(export |declare |readonly |interface |class |type |function |get |set )+", "", text)
    return re.match(r"\w+", text)[0]


def read(root):
    declarations = []
    for comment, code in statements((root / FILE).read_text().splitlines()):
        members = []
        has_body = re.search(r"\b(interface|class)\b", code[0]) and code[0].endswith("{")
        if has_body:
            for member_comment, member in statements(code[1:-1]):
                text = "\n".join(line.removeprefix("    ") for line in member)
                members.append(Declaration(name_of(member), member_comment, text, []))
        shown = code[0].removesuffix(" {") if has_body else "\n".join(code)
        declarations.append(Declaration(name_of(code), comment, shown, members))
    return declarations


def names(root):
    """For the search: name, address, comment."""
    for declaration in read(root):
        yield declaration.name, f"{PAGE}#{declaration.name}", declaration.comment
        for member in declaration.members:
            name = f"{declaration.name}.{member.name}"
            yield name, f"{PAGE}#{name}", member.comment


def prose(comment):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(comment, quote=False))


def content(root, highlighted):
    rows = ["<h1>JavaScript</h1>",
            "<p>All that the npm package exports: its types, with their comments. The page of the package has examples.</p>"]

    def add(level, name, declaration):
        rows.append(f'<h{level} id="{name}"><code>{html.escape(name)}</code></h{level}>')
        rows.append(f"<pre><code>{highlighted(declaration.code, 'js')}</code></pre>")
        if declaration.comment:
            rows.append(f"<p>{prose(declaration.comment)}</p>")

    for declaration in read(root):
        add(2, declaration.name, declaration)
        for member in declaration.members:
            add(3, f"{declaration.name}.{member.name}", member)
    return "\n".join(rows)
