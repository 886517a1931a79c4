"""DVC's cache: what was made long ago, and is named by nothing that git or the folder has.

`dvc gc` removes whatever no commit names, also what was made this night; it knows no age. Here both are asked for.
"""

import json
import re
import subprocess
import time
from datetime import timedelta
from pathlib import Path

CACHE = Path(".dvc/cache/files/md5")
_NAMES = ("dvc.lock", "*.dvc")  # where DVC names what it has, by hash
_HASH = re.compile(r"\b[0-9a-f]{32}(?:\.dir)?(?![0-9a-z])")
_FOLDER = ".dir"  # ends the hash of a folder, whose file has the hashes of what lies in it


def remove(keep: timedelta) -> tuple[int, int]:
    """Remove from the cache of this folder what is older than `keep`, and named nowhere; returns how many, and bytes.

    Named is what stands in a `dvc.lock` or a `.dvc` file of the folder, or of any state that git still has: branches,
    tags, stashes, experiments of DVC, and where a branch stood before. Without git nothing is removed. A cache
    elsewhere (`cache.dir`), which others may share, is left alone.
    """
    before = time.time() - keep.total_seconds()
    # the time of the last change of the inode: DVC moves a file into its cache with the time at which it was written
    old = [path for path in CACHE.glob("??/*") if path.is_file() and path.stat().st_ctime <= before]
    if not old:
        return 0, 0
    named = _named()
    if named is None:
        return 0, 0
    gone = [path for path in old if f"{path.parent.name}{path.name}" not in named]
    size = sum(path.stat().st_size for path in gone)
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone), size


def _named() -> set[str] | None:
    """The hashes that are named, with those inside of folders; None without git."""
    before = _text_of_git()
    here = _git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *_NAMES)
    if before is None or here is None:
        return None
    files = [Path(name) for name in here.decode().split("\0") if name]
    texts = [before, *(path.read_text(encoding="utf-8") for path in {*files, Path("dvc.lock")} if path.is_file())]
    named = {found for text in texts for found in _HASH.findall(text)}
    for folder in [found for found in named if found.endswith(_FOLDER)]:
        path = CACHE / folder[:2] / folder[2:]
        if path.is_file():
            named |= {str(entry["md5"]) for entry in json.loads(path.read_text(encoding="utf-8"))}
    return named


def _text_of_git() -> str | None:
    """The texts of all such files of all states that git has; None without git."""
    listed = _git("rev-list", "--all", "--reflog", "--objects", "--", *_NAMES)
    if listed is None:
        return None
    ids = [line.split()[0] for line in listed.decode(errors="replace").splitlines() if _is_one_of_them(line)]
    content = _git("cat-file", "--batch=%(objectsize)", given="\n".join(ids).encode())
    return None if content is None else content.decode(errors="replace")


def _is_one_of_them(line: str) -> bool:
    _, _, path = line.partition(" ")
    return path.endswith(("dvc.lock", ".dvc"))


def _git(*arguments: str, given: bytes = b"") -> bytes | None:
    try:
        ran = subprocess.run(["git", *arguments], input=given, capture_output=True, check=False)  # noqa: S603, S607
    except OSError:
        return None
    return None if ran.returncode else ran.stdout
