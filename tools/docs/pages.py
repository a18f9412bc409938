"""The Markdown pages of the repository: what stands in them, as GitHub and the site read it."""
import dataclasses
import os
import pathlib
import re

from markdown_it import MarkdownIt

SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__"}


def parser():
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    is_fenced: bool


class Page:
    def __init__(self, root, path):
        self.path = path
        self.text = (root / path).read_text()
        self.tokens = parser().parse(self.text)
        self.blocks = []
        self.headings = []  # level, text, anchor
        self.links = []     # line, target
        self.code = []      # line, text of a code span
        self.texts = {}     # anchor of a heading: what stands below it, up to the next one
        seen, below = {}, []
        for i, token in enumerate(self.tokens):
            line = token.map[0] + 1 if token.map else 0
            if token.type in ("fence", "code_block"):
                self.blocks.append(Block(line, token.info.strip(), token.content, token.type == "fence"))
                below.append(token.content)
            elif token.type == "heading_open":
                text = plain_text(self.tokens[i + 1])
                anchor = anchor_of(text, seen)
                self.headings.append((int(token.tag[1]), text, anchor))
                token.attrSet("id", anchor)
                below = self.texts[anchor] = []
            elif token.type == "inline":
                below.append(plain_text(token))
                for child in token.children:
                    if child.type == "link_open":
                        self.links.append((line, child.attrGet("href")))
                    elif child.type == "image":
                        self.links.append((line, child.attrGet("src")))
                    elif child.type == "code_inline":
                        self.code.append((line, child.content))

    @property
    def title(self):
        return self.headings[0][1] if self.headings else self.path

    def anchors(self):
        return {anchor for _, _, anchor in self.headings}

    def text_below(self, anchor):
        return " ".join(self.texts[anchor])


def plain_text(inline):
    return "".join(" " if child.type == "softbreak" else child.content for child in inline.children
                   if child.type in ("text", "code_inline", "softbreak"))


def anchor_of(text, seen):
    """The name that GitHub gives to a heading; `seen` counts those of the page."""
    anchor = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    count = seen.get(anchor, 0)
    seen[anchor] = count + 1
    return f"{anchor}-{count}" if count else anchor


def all_pages(root):
    """Every page of the repository by its path."""
    pages = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".md"):
                path = (pathlib.Path(folder) / name).relative_to(root).as_posix()
                pages[path] = Page(root, path)
    return pages


def contents(pages):
    """The order of the guide: the sections of docs/README.md, each with path, name and heading of what it lists."""
    sections = []
    page = pages["docs/README.md"]
    in_heading = False
    for token in page.tokens:
        if token.type == "heading_open":
            in_heading = True
        elif token.type == "inline":
            if in_heading:
                sections.append((plain_text(token), []))
                in_heading = False
            for i, child in enumerate(token.children):
                if child.type == "link_open":
                    target, hash_mark, anchor = child.attrGet("href").partition("#")
                    target = os.path.normpath(os.path.join("docs", target))
                    if target in pages:
                        sections[-1][1].append((target, token.children[i + 1].content, hash_mark + anchor))
    return [(title, listed) for title, listed in sections if listed]
