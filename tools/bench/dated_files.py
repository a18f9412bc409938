"""Files of runs that no other run overwrites: each has its date in the name, and the plain name links to the last."""

import itertools
import os
import time


def make_dated_file(folder, stem, suffix, when=None):
    """An empty file <stem>-<date>_<time><suffix>, with a number added if there is one of the same second."""
    folder.mkdir(parents=True, exist_ok=True)
    date = time.strftime("%Y-%m-%d_%H%M%S", time.localtime(when))
    for number in itertools.count(1):
        path = folder / f"{stem}-{date}{'' if number == 1 else f'-{number}'}{suffix}"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path


def link_as_last(path, stem):
    """Makes <stem><suffix> beside the file a link to it. An old file of that name keeps its contents under its own
    date."""
    link = path.with_name(stem + path.suffix)
    if link.is_file() and not link.is_symlink():
        link.replace(make_dated_file(link.parent, stem, link.suffix, link.stat().st_mtime))
    # In one step, because another run may end at the same time.
    new_link = path.with_name(f"{path.name}.link")
    os.symlink(path.name, new_link)
    new_link.replace(link)
    return link
