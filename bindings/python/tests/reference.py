"""Writes docs/python_reference.md: signatures and docstrings of all that the package exports.

usage: python3 reference.py PAGE, with the package on PYTHONPATH.
"""

import inspect
import pathlib
import re
import sys

import broadside
import broadside.distributed

HEAD = """# Python: reference

All that the package exports, from its docstrings; [python.md](python.md) is the guide. A test compares this page with the
package. `bindings/python/tests/reference.py` writes it.
"""


def signature(name, member):
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(member)))
    text = re.sub(r"\(self, ", "(", text).replace("(self)", "()")
    # What NumPy and typing call things in full is longer than what is said by it.
    text = re.sub(r"\b(?:np|numpy|typing|broadside\._\w+)\.", "", text)
    return f"{name}{text}"


def paragraphs(doc):
    """A docstring as Markdown: sections with a rule below their names are lists."""
    lines = inspect.cleandoc(doc or "").splitlines()
    out = []
    i = 0
    is_list = False
    while i < len(lines):
        if i + 1 < len(lines) and lines[i + 1].strip("-") == "" and lines[i + 1]:
            out += [f"{lines[i]}:"] + ([""] if lines[i] == "Parameters" else [])
            is_list = lines[i] == "Parameters"
            i += 2
            continue
        match = re.match(r"(\w[\w, ]*) : (.*)", lines[i])
        if match and (is_list or not out or out[-1] == "" or out[-1].startswith("- ")):
            out.append(f"- `{match[1]}`: {match[2]}")
        elif lines[i].startswith(">>> ") or lines[i].startswith("array("):
            out.append(f"    {lines[i]}")
        else:
            out.append(lines[i])
        i += 1
    fenced = "\n".join(out)
    return re.sub(r"((?:^    .*\n?)+)", lambda block: "```text\n" + inspect.cleandoc(block[1]) + "\n```\n", fenced, flags=re.MULTILINE)


def members_of(kind):
    """Public methods and properties, those of bases that are not exported too, in the order of the sources."""
    found = {}
    for base in kind.__mro__[:-1]:
        if base.__module__.startswith("broadside"):
            for name, member in vars(base).items():
                if not name.startswith("_"):
                    found.setdefault(name, member)
    return found


def section(name, item):
    if isinstance(item, type) and issubclass(item, tuple):
        fields = ", ".join(f"`{field}`" for field in item._fields)
        return [f"## `{name}`", paragraphs(item.__doc__), f"A named tuple: {fields}."]
    if isinstance(item, type):
        parts = [f"## `{name}`", f"`{signature(name, item)}`", paragraphs(item.__doc__)]
        for each, member in members_of(item).items():
            if isinstance(member, property):
                parts.append(f"- `{each}`: {paragraphs(member.__doc__)}")
            elif inspect.isfunction(member):
                parts.append(f"### `{name}.{each}`\n\n`{signature(each, member)}`\n\n{paragraphs(member.__doc__)}")
        return parts
    if callable(item):
        try:
            shown = signature(name, item)
        except ValueError:
            shown = f"{name}()"
        own = paragraphs(item.__doc__) if inspect.isfunction(item) else ""
        return [f"## `{name}`", f"`{shown}`", own]
    return [f"## `{name}`", f"`{item!r}`"]


def text():
    parts = [HEAD.rstrip()]
    for name in sorted(broadside.__all__, key=str.lower):
        parts += section(name, getattr(broadside, name))
    for name in ("find_pairs", "query", "hash_of_pairs", "Result"):
        parts += section(f"distributed.{name}", getattr(broadside.distributed, name))
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(part for part in parts if part)) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
