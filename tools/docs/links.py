"""Checks of links: those of the pages, to files and headings of the repository, and those of the site that is made."""
import html.parser
import os
import pathlib
import urllib.parse


def page_faults(root, pages):
    faults = []
    for page in pages.values():
        for line, target in page.links:
            fault = fault_of(root, pages, page, target)
            if fault:
                faults.append(f"{page.path}:{line}: {target}: {fault}")
    return faults


def is_external(target):
    return bool(urllib.parse.urlsplit(target).scheme)


def fault_of(root, pages, page, target):
    parts = urllib.parse.urlsplit(target)
    if parts.scheme:
        # Nobody asks the network: an address has to look like one.
        host = parts.netloc.partition(":")[0]
        is_good = parts.scheme in ("http", "https") and "." in host and " " not in target
        return None if is_good or parts.scheme == "mailto" and "@" in parts.path else "no address"
    path = urllib.parse.unquote(parts.path)
    linked = page.path
    if path:
        linked = os.path.normpath(os.path.join(os.path.dirname(page.path), path))
        if linked.startswith("..") or linked.split("/")[0] == "build":
            return "outside of the repository"
        if not (root / linked).exists():
            return "no such file"
    if parts.fragment:
        if linked not in pages:
            return "a heading of what is no page"
        if parts.fragment not in pages[linked].anchors():
            return "no such heading"
    return None


class Site(html.parser.HTMLParser):
    """The anchors of a page of the site, and the addresses that it asks for."""

    def __init__(self, text):
        super().__init__()
        self.names, self.wanted, self.fetched = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.wanted.append(value)
                # A reader may go elsewhere; the page itself must not.
                if tag != "a" and is_external(value):
                    self.fetched.append(value)


def unreached(folder, begin):
    """Pages of a site that no way leads to."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.html")}
    seen, waiting = set(), [path for path in begin if path in files]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            for target in Site(files[path].read_text()).wanted:
                linked = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.urlsplit(target).path))
                if linked in files:
                    waiting.append(linked)
    return sorted(set(files) - seen)


def site_faults(folder):
    folder = pathlib.Path(folder)
    files = {path.relative_to(folder).as_posix(): Site(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    faults = []
    for path, page in files.items():
        faults += [f"{path}: {target}: asks a network" for target in page.fetched]
        for target in page.wanted:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            linked = path
            if parts.path:
                linked = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
            if not (folder / linked).is_file():
                faults.append(f"{path}: {target}: not on the site")
            elif parts.fragment and linked in files and urllib.parse.unquote(parts.fragment) not in files[linked].names:
                faults.append(f"{path}: {target}: no such place")
    return faults
