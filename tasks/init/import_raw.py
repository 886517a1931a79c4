"""A user's files, copied below data/raw and given to DVC; after an error everything is as before."""

import filecmp
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import has_magic
from pathlib import Path

from tasks.data import read_source
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands

RAW = Path("data/raw")
Read = Callable[[Path], list[Path]]  # the files of a folder that a run reads
_SCHEMES = ("sklearn:", "openml:")


def is_path(source: str) -> bool:
    """Whether `source` names files, not a data set of scikit-learn or OpenML."""
    return not source.startswith(_SCHEMES)


def place(source: str, taken: Sequence[str] = ()) -> str:
    """The path below data/raw that `source` has, or will have after the copy, as params.yaml names it.

    `taken` are the places of other sources: a source with the same name gets another place.
    """
    if not is_path(source):
        return source
    if _inside(source) is not None:
        return str(_inside(source))
    name = "unlabeled" if _is_glob(source) else Path(source).resolve().name
    path = str(RAW / name)
    return str(RAW / f"unlabeled-{name}") if path in taken else path


@contextmanager
def copied(sources: Sequence[str], places: Sequence[str]) -> Iterator[None]:
    """Copy each of `sources` to its place and give it to DVC; if the block raises, everything is as before.

    The first source is the table, another one the unlabelled rows; of a folder only the files that a run reads are
    copied. A source below data/raw stays there. An older copy is replaced if DVC has it. Raises UserError for another
    file of the same name that DVC does not have, for one that cannot be read, and with DVC's message if it fails.
    """
    undo: list[tuple[Path, Path | None]] = []  # what was written, and where the older file is kept
    try:
        pairs = [(source, Path(place)) for source, place in zip(sources, places, strict=True) if is_path(source)]
        for source, target in pairs:
            read = read_source.parts if source == sources[0] else _shards
            if _inside(source) is None and not _same(source, target, read):
                _set_aside(target, undo)
                _copy(source, target, read)
        _track(sorted({part for _, target in pairs for part in _parts(target)}), undo)
        yield
    except BaseException:
        for written, kept in reversed(undo):
            _remove(written)
            if kept is not None:
                kept.rename(written)
        raise
    for _, kept in undo:
        if kept is not None:
            _remove(kept)


def _inside(source: str) -> Path | None:
    """The path of `source` from the checkout, if it lies below data/raw."""
    path, raw = Path(source).absolute(), RAW.absolute()
    if path.is_relative_to(raw) and path != raw:
        return RAW / path.relative_to(raw)
    return None


def _shards(folder: Path) -> list[Path]:
    return read_source.unlabeled_files(str(folder))


def _same(source: str, target: Path, read: Read) -> bool:
    if Path(source).is_file():
        return target.is_file() and filecmp.cmp(source, target, shallow=False)
    here = _files(source, read)
    there = {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}
    return here.keys() == there.keys() and all(filecmp.cmp(here[name], there[name], shallow=False) for name in here)


def _files(source: str, read: Read) -> dict[str, Path]:
    """The files of a folder or a glob that a run reads, by their names."""
    found = read_source.unlabeled_files(source) if _is_glob(source) else read(Path(source))
    return {path.name: path for path in found if path.is_file()}


def _is_glob(source: str) -> bool:
    return has_magic(source) and not Path(source).exists()


def _parts(target: Path) -> set[Path]:
    """The files and folders directly below data/raw that hold `target`, which may be a glob."""
    paths = read_source.unlabeled_files(str(target)) if _is_glob(str(target)) else [target]
    return {RAW / path.relative_to(RAW).parts[0] for path in paths}


def _copy(source: str, target: Path, read: Read) -> None:
    RAW.mkdir(parents=True, exist_ok=True)
    pairs = {target: Path(source)}
    if not Path(source).is_file():
        target.mkdir()
        pairs = {target / name: path for name, path in _files(source, read).items()}
    for place, path in pairs.items():
        try:
            shutil.copyfile(path, place)
        except PermissionError:
            raise UserError(f"{path} may not be read by this user; give it read permission") from None


def _set_aside(target: Path, undo: list[tuple[Path, Path | None]]) -> None:
    """Move what lies at `target` aside, so that an error can restore it."""
    if target.exists():
        if not dvc_commands.has(target):
            raise UserError(
                f"{target} is there with other content that DVC does not have: remove it, or rename your file"
            )
        aside = target.with_name(f".{target.name}.old")
        _remove(aside)
        target.rename(aside)
        undo.append((target, aside))
    else:
        undo.append((target, None))


def _track(paths: Sequence[Path], undo: list[tuple[Path, Path | None]]) -> None:
    if not paths:
        return
    for written in (dvc_commands.TABLES, RAW / ".gitignore", *map(dvc_commands.pointer, paths)):
        aside = written.with_name(f".{written.name}.old")
        _remove(aside)
        if written.exists():
            shutil.copy2(written, aside)
        undo.append((written, aside if written.exists() else None))
    dvc_commands.track(paths)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
