"""Import paths of params.yaml: which modules may be imported at all, and the class or function that a path names."""

import difflib
import functools
import importlib
import importlib.util
import inspect
import re
import site
import sys
import sysconfig
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

DEFAULT = ("sklearn", "lightgbm", "xgboost")  # scikit-learn, and the extra `boosting`
PROJECT = "heldout"  # always allowed


def resolve(path: str, allowed: Collection[str] = DEFAULT) -> type[Any]:
    """The class at an import path. Nothing is imported, and nothing called, outside of the `allowed` modules.

    Raises ValueError for a path that is not a class, and for a class that an allowed module has from a module that is
    not allowed. The message follows a key, as in "is 'SVC', …", and names the nearest valid path.
    """
    if not _is_path(path):
        raise ValueError(f"is {path!r}, which is not an import path; write it as in sklearn.svm.SVC{_like(path)}")
    module_name = path.rpartition(".")[0]
    if not is_allowed(module_name, allowed):
        raise ValueError(f"is {path!r}, which {_refused(module_name, allowed)}{_like(path)}")
    resolved = _imported(path)
    if not isinstance(resolved, type):
        raise ValueError(f"is {path!r}, which is not a class")
    home = str(resolved.__module__)
    if not is_allowed(home, allowed):
        raise ValueError(f"is {path!r}, the class {home}.{resolved.__qualname__}, which {_refused(home, allowed)}")
    return resolved


def function(path: str, allowed: Collection[str]) -> Callable[..., Any]:
    """The function at an import path, of a module that somebody named: none of the modules that are allowed by default.

    These have functions that read files and ask servers. Raises ValueError as `resolve`.
    """
    module_name = path.rpartition(".")[0]
    if not _is_path(path):
        raise ValueError(f"is {path!r}, which is not an import path; write it as in my_losses.stock")
    named = [name for name in allowed if name not in DEFAULT]
    if not is_inside(module_name, named) or is_inside(module_name, (PROJECT, *DEFAULT)):
        raise ValueError(f"is {path!r}, which {_refused(module_name, named)}")
    found = _imported(path)
    if not inspect.isfunction(found):
        raise ValueError(f"is {path!r}, which is not a function")
    if not is_inside(found.__module__, named):
        raise ValueError(f"is {path!r}, which {_refused(found.__module__, named)}")
    return found


def _is_path(path: str) -> bool:
    return "." in path and all(part.isidentifier() for part in path.split("."))


def _imported(path: str) -> Any:
    """What is at an import path whose module may be imported. Raises ValueError where nothing is."""
    module_name, _, name = path.rpartition(".")
    try:
        module = importlib.import_module(module_name)
        resolved = getattr(module, name, None)
    except (Exception, SystemExit) as error:  # a user's own module may raise anything
        raise ValueError(f"is {path!r}, which cannot be imported ({error}); {_remedy(path)}") from None
    if resolved is None:
        near = difflib.get_close_matches(name, [other for other in dir(module) if not other.startswith("_")], n=1)
        hint = f"; did you mean {module_name}.{near[0]}?" if near else _like(path)
        raise ValueError(f"is {path!r}, which cannot be imported: {module_name} has no {name!r}{hint}")
    return resolved


def named(raw: dict[Any, Any]) -> list[str]:
    """What execution.allowed_modules will be, known before anything is imported; none if it is no list."""
    execution = raw.get("execution")
    section = execution if isinstance(execution, dict) else {}
    names = section.get("allowed_modules", DEFAULT)
    names = names if isinstance(names, list | tuple) else ()
    return [name for name in names if isinstance(name, str) and all(part.isidentifier() for part in name.split("."))]


def is_allowed(module: str, allowed: Collection[str]) -> bool:
    """Whether a module may be imported: it is named, or is inside a named module."""
    return is_inside(module, (PROJECT, *allowed))


def is_inside(module: str, names: Collection[str]) -> bool:
    """Whether a module is one of those named, or inside one."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


def use_folder(folder: str, allowed: Collection[str]) -> None:
    """Let the user's own `allowed` modules, which are in `folder` and nowhere else, be imported.

    The folder comes last, and only for a module that is named: a file in it never replaces an installed module, nor
    a default module that is not installed.
    """
    user_modules = {name.partition(".")[0] for name in allowed} - {*DEFAULT, PROJECT}
    if folder not in sys.path and not all(map(_is_found, user_modules)):
        sys.path.append(folder)


def is_own(kind: type[Any]) -> bool:
    """Whether a class is of the user's own module: a file that is not installed."""
    file = getattr(importlib.import_module(kind.__module__), "__file__", None)
    return not is_installed(file) and kind.__module__.partition(".")[0] != PROJECT


def is_installed(file: str | None) -> bool:
    """Whether a file of Python is where packages are installed; None is that of a module without one."""
    return file is None or file.startswith(_installed())


@functools.cache
def _installed() -> tuple[str, ...]:
    of_python = {sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib")}
    return tuple({*of_python, *site.getsitepackages(), site.getusersitepackages()})


def _is_found(module: str) -> bool:
    return module in sys.modules or importlib.util.find_spec(module) is not None


def _refused(module: str, allowed: Collection[str]) -> str:
    names = ", ".join(allowed) or "none"
    return (
        f"is in the module {module}, which execution.allowed_modules does not name (it names {names}); "
        "a module that is imported runs its code: add it if you trust it"
    )


def _remedy(path: str) -> str:
    if path.partition(".")[0] in DEFAULT[1:]:
        return "it comes with the optional extra: pip install '.[boosting]'"
    return f"write it as in sklearn.svm.SVC{_like(path)}"


def _like(path: str) -> str:
    near = difflib.get_close_matches(path.rpartition(".")[2], _public(), n=1, cutoff=0.8)
    public = _public()[near[0]] if near else path
    return f"; did you mean {public}?" if public != path else ""


@functools.cache
def _public() -> dict[str, str]:
    """The import path of each class that scikit-learn makes public, by its name; read, not imported: that is slow."""
    import sklearn

    root = Path(sklearn.__file__).parent
    paths: dict[str, str] = {}
    for file in sorted(root.rglob("*.py"), key=lambda file: (len(file.parts), file)):
        parts = ["sklearn", *file.relative_to(root).with_suffix("").parts]
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") or part in ("tests", "externals") for part in parts):
            text = file.read_text(encoding="utf-8")
            named = re.search(r"^__all__ = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
            listed = re.findall(r'"([A-Z]\w*)"', named[1]) if named else re.findall(r"(?m)^class ([A-Z]\w*)", text)
            for name in listed:
                paths.setdefault(name, ".".join([*parts, name]))
    return paths
