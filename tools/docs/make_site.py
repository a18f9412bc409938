#!/usr/bin/env python3
"""Makes the documentation site: the pages of the repository, and the reference of its headers by Doxygen.

Everything that could rot is checked on the way: links and headings, code in pages, public symbols without a comment, and
every link of what was made. Needs markdown-it (Debian: python3-markdown-it) and doxygen; no network, now or later.
"""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import blocks
import declarations
import headers
import links
import pages as page_files

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parents[1]
SHOWN_AS_TEXT = {".cpp", ".hpp", ".c", ".h", ".py", ".sh", ".txt", ".cmake", ".wrap", ".json", ".md", "", ".js", ".ts"}
KEYWORDS = {
    "cpp": "alignas auto bool break case char class const constexpr continue default do double else enum explicit extern "
           "false float for if inline int long namespace noexcept nullptr operator private public return short signed "
           "sizeof static struct switch template this true typedef typename union unsigned using void volatile while",
    "python": "and as assert break class continue def del elif else except False finally for from global if import in is "
              "lambda None not or pass raise return True try while with yield",
    "js": "async await break case class const continue default else export false for from function if import let new null "
          "of return switch this true typeof undefined var while yield",
}
KEYWORDS["c"] = KEYWORDS["cpp"]


# --- faults before anything is made ---

def contents_faults(pages):
    listed = {path for _, section in page_files.contents(pages) for path, *_ in section}
    return [f"docs/README.md: does not list {path}" for path in pages
            if path.startswith("docs/") and path not in listed and path != "docs/README.md"]


def page_faults(root, pages):
    return links.page_faults(root, pages) + blocks.page_faults(root, pages) + contents_faults(pages)


# --- the reference ---

def make_reference(root, folder, frame):
    """Runs Doxygen over a copy of the headers; what it complains of, and what it knows of names."""
    work = folder / "work"
    work.mkdir(parents=True)
    headers.copy_headers(root, work / "headers")
    (work / "headers/namespace.hpp").write_text("/** The library: one namespace. */\nnamespace broadside {}\n")
    before, after = frame.split("@CONTENT@")
    (work / "header.html").write_text(before)
    (work / "footer.html").write_text(after)
    (work / "Doxyfile").write_text((TOOLS / "Doxyfile").read_text() + f"""
INPUT = "{work}/headers"
STRIP_FROM_PATH = {" ".join(f'"{work}/headers/{room}"' for room in headers.FOLDERS)}
STRIP_FROM_INC_PATH = {" ".join(f'"{work}/headers/{room}"' for room in headers.FOLDERS)}
OUTPUT_DIRECTORY = "{folder}"
HTML_HEADER = "{work}/header.html"
HTML_FOOTER = "{work}/footer.html"
GENERATE_TAGFILE = "{work}/tags.xml"
""")
    done = subprocess.run(["doxygen", str(work / "Doxyfile")], capture_output=True, text=True)
    lines = dict.fromkeys(line for line in done.stderr.splitlines() if line.strip())
    faults = [line.replace(f"{work}/headers/", "") for line in lines]
    if done.returncode and not faults:
        faults = [f"doxygen failed with {done.returncode}"]
    return faults, work / "tags.xml"


class Symbols:
    """The addresses of names in the reference."""

    def __init__(self, tags):
        self.places = {}    # as it is called in a page: address below the site's root
        self.index = []     # for the search: name, address, kind
        self.files = {}     # header, as it lies in the checkout: address
        for compound in xml.etree.ElementTree.parse(tags).getroot():
            kind, name = compound.get("kind"), compound.findtext("name")
            address = "reference/" + compound.findtext("filename", "")
            if not address.endswith(".html"):
                address += ".html"
            if kind == "file":
                path = pathlib.Path(compound.findtext("path", "") + name).relative_to(tags.parent / "headers").as_posix()
                self.files[path] = address
                self.add(path.partition("/include/")[2], address, "header")
                self.places.setdefault(name, address)
            elif kind in ("class", "struct", "union"):
                self.add(name, address, kind)
            if kind not in ("class", "struct", "union", "namespace", "file"):
                continue
            for member in compound.findall("member"):
                place = f"reference/{member.findtext('anchorfile')}#{member.findtext('anchor')}"
                prefix = "" if kind in ("file", "namespace") else name.removeprefix("broadside::") + "::"
                self.add(prefix + member.findtext("name"), place, member.get("kind"))
                for value in member.findall("enumvalue"):
                    self.add(f"{member.findtext('name')}::{value.text}", place, "value")

    def add(self, name, address, kind):
        short = name.removeprefix("broadside::")
        if short not in self.places:
            self.places[short] = address
            self.index.append((short, address, kind))

    def faults_of(self, page):
        """Names of members that a page speaks of and no class has."""
        faults = []
        for line, code in page.code:
            match = re.fullmatch(r"(?:broadside::)?([A-Z]\w+)::(\w+)(?:\(.*\))?", code)
            if match and match[1] in self.places and f"{match[1]}::{match[2]}" not in self.places:
                faults.append(f"{page.path}:{line}: `{code}`: {match[1]} has no {match[2]}")
        return faults

    def address_of(self, code):
        code = re.sub(r"^<?broadside/|>$", "", re.sub(r"\(.*\)$", "", code.strip())).removeprefix("broadside::")
        return self.places.get(code)


# --- pages ---

def output_of(path):
    """The site begins with the README of the repository."""
    return "index.html" if path == "README.md" else path.removesuffix(".md") + ".html"


def highlighted(text, language):
    if language not in KEYWORDS:
        mark = r"(?P<c>(?:(?<=\s)|^)#[^\n]*)" if language in ("sh", "cmake") else None
    else:
        comment = r"#[^\n]*" if language == "python" else r"//[^\n]*|/\*.*?\*/"
        words = "|".join(KEYWORDS[language].split())
        mark = (rf"(?P<c>{comment})" + r"""|(?P<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
                rf"|(?P<k>\b(?:{words})\b|^\s*\#\s*(?:include|define|if|endif|pragma)\b)")
    if not mark:
        return html.escape(text)
    out, at = [], 0
    for match in re.finditer(mark, text, re.MULTILINE | re.DOTALL):
        out.append(html.escape(text[at:match.start()]))
        out.append(f'<span class="tok-{match.lastgroup}">{html.escape(match[0])}</span>')
        at = match.end()
    return "".join(out) + html.escape(text[at:])


class Writer:
    def __init__(self, root, folder, pages, symbols, contents):
        self.root, self.folder, self.pages, self.symbols, self.contents = root, folder, pages, symbols, contents
        self.sources = set()    # files that pages link to

    def write(self, output, title, content):
        up = "../" * output.count("/")
        page = framed(self.contents, up, output).replace("@TITLE@", html.escape(title))
        place = self.folder / output
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page.replace("@CONTENT@", content))

    def write_page(self, page):
        output = output_of(page.path)
        up = "../" * output.count("/")
        for i, token in enumerate(page.tokens):
            if token.type == "inline":
                in_link = 0
                for child in token.children:
                    in_link += {"link_open": 1, "link_close": -1}.get(child.type, 0)
                    if child.type == "link_open":
                        child.attrSet("href", self.target(page, output, child.attrGet("href")))
                    elif child.type == "image":
                        child.attrSet("src", self.target(page, output, child.attrGet("src")))
                    elif child.type == "code_inline" and not in_link:
                        address = self.symbols.address_of(child.content)
                        if address:
                            child.type, child.tag = "html_inline", ""
                            child.content = f'<a href="{up}{address}"><code>{html.escape(child.content)}</code></a>'
        renderer = page_files.parser().renderer
        renderer.rules["fence"] = lambda tokens, i, options, env: (
            f"<pre><code>{highlighted(tokens[i].content, tokens[i].info.strip())}</code></pre>\n")
        renderer.rules["table_open"] = lambda *_: '<div class="wide"><table>'
        renderer.rules["table_close"] = lambda *_: "</table></div>"
        renderer.rules["heading_close"] = lambda tokens, i, options, env: (
            f'<a class="here" href="#{tokens[i - 2].attrGet("id")}" aria-label="link to here">#</a></{tokens[i].tag}>')
        self.write(output, page.title, renderer.render(page.tokens, page_files.parser().options, {}))

    def target(self, page, output, target):
        path, _, anchor = target.partition("#")
        if links.is_external(target) or not path:
            return target
        linked = os.path.normpath(os.path.join(os.path.dirname(page.path), path))
        if linked in self.pages:
            linked = output_of(linked)
        elif (self.root / linked).suffix in SHOWN_AS_TEXT or (self.root / linked).is_dir():
            self.sources.add(linked)
            linked = f"files/{linked}.html"
        else:
            copy = self.folder / linked
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / linked, copy)
        return os.path.relpath(linked, os.path.dirname(output)) + (f"#{anchor}" if anchor else "")

    def write_sources(self):
        for path in sorted(self.sources):
            place = self.root / path
            if place.is_dir():
                names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in place.iterdir()
                               if not entry.name.startswith((".", "__")))
                text, language = "\n".join(names), "text"
            else:
                text = place.read_text()
                language = {".py": "python", ".sh": "sh", ".c": "c", ".js": "js", ".cpp": "cpp", ".hpp": "cpp",
                            ".h": "c"}.get(place.suffix, "text")
            self.write(f"files/{path}.html", path, f"<h1>{html.escape(path)}</h1>\n<pre><code>"
                       f"{highlighted(text, language)}</code></pre>")

    def write_reference_index(self):
        rows = []
        for room in headers.FOLDERS:
            rows.append(f"<h2>{room.removesuffix('/include')}</h2>\n<ul>")
            for path, address in sorted(self.symbols.files.items()):
                if path.startswith(room):
                    name = path.removeprefix(room + "/")
                    rows.append(f'<li><a href="../{address}"><code>{html.escape(name)}</code></a> '
                                f"{html.escape(headers.opening_sentence((self.root / path).read_text()))}</li>")
            rows.append("</ul>")
        self.write("reference/index.html", "Reference", "<h1>Reference</h1>\n<p>Every public header, of C++ and of C.</p>\n"
                   + "\n".join(rows))
        self.write(declarations.PAGE, "JavaScript", declarations.content(self.root, highlighted))


# --- the search ---

def words_of(text):
    """The words of a text, each once; of names in code the parts, too, between which a reader sees a boundary."""
    words = re.findall(r"[\w+#-]{2,}", text.lower())
    return " ".join(dict.fromkeys(words))


def search_index(root, pages, symbols):
    """Name, address, kind and text of all that the search finds."""
    index = []
    for page in pages.values():
        if page.path == "CHANGELOG.md":
            continue
        kind = "Python" if page.path == "docs/python_reference.md" else "guide"
        for number, (level, heading, anchor) in enumerate(page.headings):
            is_whole = number == 0
            name = page.title if is_whole else heading if kind == "Python" else f"{heading} — {page.title}"
            address = output_of(page.path) + ("" if is_whole else f"#{anchor}")
            index.append((name, address, kind, words_of(page.text_below(anchor))))
    index += [(name, address, kind, "") for name, address, kind in symbols.index]
    index += [(name, address, "JavaScript", words_of(comment)) for name, address, comment in declarations.names(root)]
    return index


def search_words(pages, symbols, path=TOOLS / "search_words.json"):
    """Other words for a thing, and what is not there, with addresses instead of pages and names; what names nothing."""
    words = json.loads(path.read_text())
    faults = []
    for remark in words["absent"]:
        see = []
        for target in remark["see"]:
            page, _, anchor = target.partition("#")
            address = symbols.address_of(target)
            if page in pages and (not anchor or anchor in pages[page].anchors()):
                see.append((pages[page].title, output_of(page) + (f"#{anchor}" if anchor else "")))
            elif address:
                see.append((target, address))
            else:
                faults.append(f"{path.name}: nothing is called {target}")
        remark["see"] = see
    return words, faults


def framed(contents, up, output):
    """The frame of a page with its navigation, the page itself marked."""
    rows = []
    for title, section in contents:
        rows.append(f"<h2>{html.escape(title)}</h2>\n<ul>")
        for path, name, anchor in section:
            mark = ' aria-current="page"' if output_of(path) == output and not anchor else ""
            rows.append(f'<li><a href="{up}{output_of(path)}{anchor}"{mark}>{html.escape(name)}</a></li>')
        rows.append("</ul>")
    rows.append("<h2>Reference</h2>\n<ul>")
    for name, address in (("C++ and C", "reference/index.html"), ("Python", "docs/python_reference.html"),
                          ("JavaScript", declarations.PAGE)):
        is_here = output == address or name == "C++ and C" and output == "reference/"
        mark = ' aria-current="page"' if is_here else ""
        rows.append(f'<li><a href="{up}{address}"{mark}>{name}</a></li>')
    rows.append("</ul>")
    return (TOOLS / "page.html").read_text().replace("@NAVIGATION@", "\n".join(rows)).replace("@ROOT@", up)


def without_toys(page):
    """A page of Doxygen's without the list of its own sections and the arrows that need its scripts."""
    page = re.sub(r'<div class="summary">.*?</div>\n', "", page, flags=re.DOTALL)
    page = re.sub(r'<img src="closed.png"[^>]*/>(&#160;)?', "", page)
    return re.sub(r' onclick="javascript:[^"]*"', "", page)


def make_site(root, pages, folder):
    """Writes the site into a folder, which is made anew; the faults of the reference and of what was written."""
    if folder.exists():
        # Nobody loses a folder of their own by a wrong word.
        if any(folder.iterdir()) and not (folder / "site.css").is_file():
            return [f"{folder} holds something else than a site; name another folder"]
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name in ("site.css", "search.js"):
        shutil.copy(TOOLS / name, folder / name)
    contents = page_files.contents(pages)
    faults, tags = make_reference(root, folder, framed(contents, "../", "reference/").replace("@TITLE@", "$title"))
    if not tags.is_file():
        return faults
    symbols = Symbols(tags)
    writer = Writer(root, folder, pages, symbols, contents)
    for page in pages.values():
        if page.path not in blocks.SKIPPED_PAGES:
            faults += symbols.faults_of(page)
        writer.write_page(page)
    writer.write_sources()
    writer.write_reference_index()
    for place in (folder / "reference").iterdir():
        if place.suffix == ".html":
            place.write_text(without_toys(place.read_text()))
        else:
            # Doxygen's files for menus and trees that this site does not have.
            place.unlink()
    shutil.rmtree(folder / "work")
    wanted = {address.partition("#")[0] for _, address, _ in symbols.index}
    for path in links.unreached(folder, {"index.html", "reference/index.html", declarations.PAGE, *wanted}):
        (folder / path).unlink()
    words, word_faults = search_words(pages, symbols)
    faults += word_faults
    index = [entry for entry in search_index(root, pages, symbols) if (folder / entry[1].partition("#")[0]).is_file()]
    (folder / "index.js").write_text(f"const siteIndex = {json.dumps(index, ensure_ascii=False)};\n"
                                     f"const siteWords = {json.dumps(words, ensure_ascii=False)};\n")
    return faults + links.site_faults(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="check the pages and make nothing")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/docs/site")
    arguments = parser.parse_args()
    pages = page_files.all_pages(ROOT)
    faults = page_faults(ROOT, pages)
    if not arguments.check:
        faults += make_site(ROOT, pages, arguments.output.resolve())
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} faults in the documentation")
    print(f"{len(pages)} pages" + ("" if arguments.check else f" and the reference: {arguments.output}/index.html"))


if __name__ == "__main__":
    main()
