"""What a learner or a function of the user's reaches by imports: each module of theirs, and each installed package.

The imports are read and not made: so those inside of a function count before it is called, and every process finds the
same. What a module loads by a name that it computes, or reads from another file, is not found.
"""

import ast
import functools
import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import NamedTuple

from tasks.params.allowed_imports import DEFAULT, PROJECT, is_installed

_BY_NAME = ("import_module", "__import__")


class Reached(NamedTuple):
    """The SHA-256 of the file of each module of the user's, by its name, and the version of each installed package."""

    own: dict[str, str]
    installed: dict[str, str]


def reached(*modules: str) -> Reached:
    """What `modules` import, with themselves; without Python's own modules, and those that are allowed by default."""
    own: dict[str, str] = {}
    installed: dict[str, str] = {}
    waiting, seen = [*modules], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in (PROJECT, *DEFAULT):
            continue
        spec = _spec(top)
        if spec is not None and is_installed(_place(spec)):
            installed |= versions(top)
        elif spec is not None:
            for module, file in _files(name, spec):
                if module not in own:
                    text = file.read_bytes()
                    own[module] = hashlib.sha256(text).hexdigest()
                    if file.suffix in SOURCE_SUFFIXES:
                        waiting += _imports(text, module, file.stem == "__init__")
    return Reached(dict(sorted(own.items())), dict(sorted(installed.items())))


def _spec(top: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(top)
    except (ImportError, ValueError):  # as __main__ has none
        return None


def _place(spec: ModuleSpec) -> str | None:
    """The file of a module, or the first folder of a package without one."""
    return spec.origin if spec.has_location else next(iter(spec.submodule_search_locations or ()), None)


def _files(name: str, spec: ModuleSpec) -> Iterator[tuple[str, Path]]:
    """The files that `import name` runs, of packages before what is in them; `spec` is that of the first part."""
    module, *rest = name.split(".")
    if spec.has_location:
        yield module, Path(str(spec.origin))
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    for part in rest:
        if part == "*":  # a package may name any of its modules in __all__
            files = [file for folder in folders for file in folder.glob("*.py") if file.stem != "__init__"]
            yield from ((f"{module}.{file.stem}", file) for file in files)
            return
        module = f"{module}.{part}"
        below = [folder / part for folder in folders]
        file = next(filter(Path.is_file, _candidates(below)), None)
        if file is not None:
            yield module, file
        folders = [folder for folder in below if folder.is_dir()]


def _candidates(below: list[Path]) -> Iterator[Path]:
    for folder in below:
        yield folder / "__init__.py"
        yield from (folder.with_name(f"{folder.name}{suffix}") for suffix in (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES))


@functools.lru_cache(maxsize=1024)
def _imports(text: bytes, module: str, is_package: bool) -> tuple[str, ...]:
    """The name of every module that the file of a `module` may import, wherever the import is written in it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # it cannot be imported either
        return ()
    package = module if is_package else module.rpartition(".")[0]
    return tuple(name for node in ast.walk(tree) for name in _named(node, package))


def _named(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        if (home := _absolute("." * node.level + (node.module or ""), package)) is not None:
            yield home
            yield from (f"{home}.{alias.name}" for alias in node.names)  # which may be a module or not
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _BY_NAME:
        given = [argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant)]
        yield from (home for name in given if (home := _absolute(str(name), package)) is not None)


def _absolute(name: str, package: str) -> str | None:
    """The name of a module, which may begin with the dots of a relative import inside of `package`."""
    try:
        return importlib.util.resolve_name(name, package or None)
    except ImportError:
        return None


def files_of(tops: Iterable[str]) -> list[Path]:
    """The file of each module at the top of an import path, or the folder of a package."""
    found = []
    for top in tops:
        spec = _spec(top)
        if spec is not None:
            folder = next(iter(spec.submodule_search_locations or ()), None)
            found.append(Path(folder or str(spec.origin)))
    return found


@functools.cache
def versions(top: str) -> dict[str, str]:
    """The version of the package that is called like a module; else of each that has installed one of this name."""
    try:
        return {top: importlib.metadata.version(top)}
    except importlib.metadata.PackageNotFoundError:
        return {owner: importlib.metadata.version(owner) for owner in _owners().get(top, ())}


@functools.cache
def _owners() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())
