"""What packages of others add (losses, intervals, estimates, rules, shortcuts, kinds of columns, readers), by name.

A package offers them as entry points of `GROUPS` (`importlib.metadata`). A registry asks here when it is imported, and
gets those whose module is in a module that somebody named, by `allow` or in the environment variable `VARIABLE`, which
worker processes inherit. Of other packages nothing is imported, not even to see what they hold: an installed package
runs no code before it is named. What is wrong with a named one is an error at once, before any fit.

Allowing a package changes no result by itself: a loss, an interval, a rule, an estimate or a kind of columns has to be
named too, and a shortcut is exact.
"""

import functools
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

from heldout.errors import BadArgument

VARIABLE = "HELDOUT_EXTENSIONS"  # modules with their submodules, separated by commas
# the groups of entry points, and the module whose import reads each
GROUPS: Mapping[str, str] = {
    "heldout.losses": "heldout.losses",
    "heldout.intervals": "heldout.intervals",
    "heldout.estimates": "heldout.estimates.methods",
    "heldout.selection.rules": "heldout.selection.rules",
    "heldout.shortcuts": "heldout.shortcuts",
    "heldout.column_kinds": "heldout.rows.foreign_kinds",
    "heldout.readers": "heldout.predictions.readers",
}
CHANGING_FITS = ("heldout.losses", "heldout.estimates", "heldout.shortcuts", "heldout.column_kinds")
Named = TypeVar("Named")

_read: list["Extension"] = []


@dataclass(frozen=True)
class Extension:
    """An entry point: its group, its name, what it points to (module:object), and the package that has it."""

    group: str
    name: str
    value: str
    package: str
    version: str

    @property
    def module(self) -> str:
        """The module that is imported for it."""
        return self.value.partition(":")[0].strip()

    def __str__(self) -> str:
        return f"{self.package} {self.version}: the entry point {self.name!r} of {self.group} ({self.value})"


def allow(*modules: str) -> None:
    """Take up what packages of others offer: their losses, intervals, estimates, rules, shortcuts and kinds of columns.

    Call it right after `import heldout`, before anything of it is used or imported further: the lists of all names are
    made then. All that is allowed is imported by this call, so that what is wrong is said here.

    Parameters
    ----------
    *modules : str
        Modules as one imports them, as in "my_package": what they and their submodules hold is imported, and may run
        code.

    Raises
    ------
    BadArgument
        For a module without an entry point; for an entry point that cannot be imported, gives an object of the wrong
        type, or has a name that exists; and if heldout was used before without the module.

    Examples
    --------
    >>> allow("no_package_of_this_name")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heldout.errors.BadArgument: no_package_of_this_name has no entry point of heldout.losses, ...; install ...
    """
    before = os.environ.get(VARIABLE)
    names = tuple(dict.fromkeys([*allowed(), *modules]))
    _check_offered(names)
    if _decided.cache_info().currsize and not {*modules} <= {*_decided()}:
        raise BadArgument(
            "modules",
            f"{', '.join(modules)} cannot be allowed any more: heldout was used before, and its names are listed; "
            f"start Python again, and call heldout.allow right after import heldout, or set "
            f"{VARIABLE}={','.join(names)} in the environment",
        )
    use(names)
    try:
        load()
    except BaseException:
        use(before.split(",") if before else ())
        raise


def use(names: Sequence[str]) -> None:
    """Let `VARIABLE` name these modules, for this process and those that it starts."""
    if names:
        os.environ[VARIABLE] = ",".join(names)
    else:
        os.environ.pop(VARIABLE, None)


def load() -> None:
    """Import every registry, and with it all that is allowed. Raises BadArgument as `allow`."""
    for registry in GROUPS.values():
        import_module(registry)


def allowed() -> tuple[str, ...]:
    """The modules that `VARIABLE` names. Raises BadArgument for a text that is no list of modules."""
    text = os.environ.get(VARIABLE, "")
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not all(part.isidentifier() for name in names for part in name.split(".")):
        raise BadArgument(
            VARIABLE,
            f"{VARIABLE} is {text!r}; it must name modules as one imports them, separated by commas, as in my_package",
        )
    return names


def offered_by(modules: Iterable[str]) -> tuple[Extension, ...]:
    """What is installed for heldout in these modules and their submodules; nothing is imported."""
    names = tuple(modules)
    if not names:  # the search takes time in a large environment
        return ()
    return tuple(one for one in _installed() if any(f"{one.module}.".startswith(f"{name}.") for name in names))


def loaded() -> tuple[Extension, ...]:
    """What the registries of this process hold from other packages."""
    return tuple(_read)


def identity(groups: Collection[str] = tuple(GROUPS)) -> tuple[str, ...]:
    """The packages from which this process has taken up extensions of `groups`: name, version, hash of their files."""
    found = {(one.package, one.version, one.module.partition(".")[0]) for one in loaded()}
    used = {one.package for one in loaded() if one.group in groups}
    return tuple(
        f"{package} {version} {_hash(module)}" for package, version, module in sorted(found) if package in used
    )


def _hash(module: str) -> str:
    """The hash of all Python files of a package, or of the one file of a module."""
    imported = import_module(module)
    folders = [Path(folder) for folder in getattr(imported, "__path__", ())]
    files = [(file.relative_to(folder), file) for folder in folders for file in folder.rglob("*.py")]
    if not folders:
        files = [(Path(module), Path(str(imported.__file__)))]
    digest = hashlib.sha256()
    for name, file in sorted(files):
        digest.update(f"{name.as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def of(
    group: str, kind: type[Named], own: Iterable[Any], refuses: Callable[[Named], str | None] = lambda _: None
) -> Iterator[Named]:
    """The objects of a group that are allowed, one after the other, for the registry of `group`.

    Parameters
    ----------
    group : str
        A key of `GROUPS`.
    kind : type
        Their type, which has a name.
    own : iterable
        What the registry holds already.
    refuses : callable, optional
        Why the registry cannot take an object, a clause that follows its entry point; None if it can.

    Raises
    ------
    BadArgument
        As `allow`.
    """
    taken = {plain(one.name): one.name for one in own}
    for extension, made in _objects(group):
        if not isinstance(made, kind):
            raise _wrong(extension, f"gives an object of type {type(made).__name__}; it must be a {_path(kind)}")
        name: Any = getattr(made, "name", None)
        if not isinstance(name, str) or not name.strip():
            raise _wrong(extension, f"has the name {name!r}; it must be a text that is not empty")
        if plain(name) in taken:
            raise _wrong(extension, f"has the name {name!r}, and {taken[plain(name)]!r} exists; take another name")
        if (reason := refuses(made)) is not None:
            raise _wrong(extension, reason)
        taken[plain(name)] = name
        _read.append(extension)
        yield made


def classes_of(group: str, base: type[Any], exists: Callable[[str], bool]) -> dict[str, type[Any]]:
    """The classes of a group that are allowed, by the names of their entry points, for its registry.

    `exists` says whether the registry has an object for such a name already. Raises BadArgument as `allow`.
    """
    found: dict[str, type[Any]] = {}
    for extension, made in _objects(group):
        if not isinstance(made, type) or not issubclass(made, base):
            raise _wrong(extension, f"gives {made!r:.80}; it must be a class that inherits from {_path(base)}")
        if extension.name in found or exists(extension.name):
            raise _wrong(extension, f"is for {extension.name}, which has one; leave it out")
        found[extension.name] = made
        _read.append(extension)
    return found


def check_names(what: str, names: Iterable[str]) -> None:
    """Raise BadArgument for two objects that have one name."""
    taken: dict[str, str] = {}
    for name in names:
        if plain(name) in taken:
            raise BadArgument(
                "modules",
                f"there are two {what} called {name!r} and {taken[plain(name)]!r}, one of them from {_packages()}; "
                "rename it there",
            )
        taken[plain(name)] = name


def plain(name: str) -> str:
    """Letters and digits alone, in lower case: "Clopper-Pearson" is clopper_pearson, and one name."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _objects(group: str) -> Iterator[tuple[Extension, Any]]:
    names = _decided()
    _read[:] = [one for one in _read if one.group != group]  # a registry that failed is imported again
    for extension in offered_by(names):
        if extension.group != group:
            continue
        try:
            made = EntryPoint(extension.name, extension.value, group).load()
        except (Exception, SystemExit) as error:  # code of others may raise anything
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            raise _wrong(extension, f"cannot be imported ({reason}){_hint(reason)}") from error
        yield extension, made


@functools.cache
def _decided() -> tuple[str, ...]:
    """The modules that are allowed, as they were when the first registry was read: all registries have the same."""
    names = allowed()
    _check_offered(names)
    return names


def _packages() -> str:
    return ", ".join(dict.fromkeys(f"{one.package} {one.version}" for one in _read))


def _hint(reason: str) -> str:
    if "partially initialized" not in reason and "circular import" not in reason:
        return ""
    return (
        "; heldout reads it while it is imported itself: give each kind of thing a module of its own, which imports "
        "from heldout no more than docs/extending.md says, and import heldout before that module"
    )


def _check_offered(names: Iterable[str]) -> None:
    """Raise BadArgument for a module that offers nothing: its name may be mistyped."""
    for name in names:
        if not offered_by([name]):
            raise BadArgument(
                "modules",
                f"{name} has no entry point of {', '.join(GROUPS)}; install the package that has them, and write the "
                "module's name",
            )


@functools.cache
def _installed() -> tuple[Extension, ...]:
    """Every entry point of our groups, in the order of groups, packages and names."""
    found = {
        Extension(group, point.name, point.value, *_package(point))
        for group in GROUPS
        for point in entry_points(group=group)
    }
    places = {group: place for place, group in enumerate(GROUPS)}
    return tuple(sorted(found, key=lambda one: (places[one.group], one.package, one.name, one.value)))


def _package(point: EntryPoint) -> tuple[str, str]:
    return ("", "") if point.dist is None else (str(point.dist.name), str(point.dist.version))


def _wrong(extension: Extension, what: str) -> BadArgument:
    top = extension.module.partition(".")[0]
    return BadArgument(
        "modules", f"{extension} {what}. Without {top} in {VARIABLE} or execution.allowed_modules it is left alone"
    )


def _path(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__name__}"
