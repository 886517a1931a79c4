"""Runs studies as a Prefect flow: their units go to the shared executor, and what is finished is stored.

A study that is stopped makes only the missing units at its next start. A unit's key has the code of the study and of
all that it may use of `studies` and `heldout`, so that changed code gives new results.
"""

import ast
import functools
import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from prefect import flow

from heldout import digests
from studies import findings_page
from studies.catalogue import load
from tasks.fits.fan_out import run_all
from tasks.fits.work import Work
from tasks.params.running import Execution
from tasks.storage import fit_cache

log = logging.getLogger("heldout")


@flow(name="studies", validate_parameters=False)
def studies(names: Sequence[str], quick: bool, data: Path | None, execution: Execution) -> None:
    """Run each study, and write its findings, its pictures and its page."""
    for name in names:
        experiment = load(name)
        units = list(experiment.units(quick))
        keys = [unit_key(name, unit) for unit in units]
        missing = [
            Work(f"{name} {place + 1}/{len(units)}", measure, (name, unit, data, key), (key,))
            for place, (unit, key) in enumerate(zip(units, keys, strict=True))
            if not fit_cache.store.has(key)
        ]
        run_all(execution, name, missing, len(units) - len(missing))
        results = pd.DataFrame([record for key in keys for record in fit_cache.store.load(key)])
        findings_page.write(name, experiment, results, quick)
        log.info("%s: %d findings", name, len(experiment.findings(results)))
    if not quick:
        findings_page.write_pages()


def measure(name: str, unit: Any, data: Path | None, key: str) -> None:
    """Store the results of a unit; in a worker."""
    fit_cache.store.save(key, load(name).measure(unit, data))


def unit_key(name: str, unit: Any) -> str:
    """The key of a unit's results: of the code that makes them too."""
    return digests.key("study", name, repr(unit), *_sources(name))


@functools.cache
def _sources(name: str) -> tuple[str, ...]:
    """The hashes of the code that a study's results may depend on."""
    files = {*Path("heldout").rglob("*.py"), *_imported(name)}
    return tuple(f"{path}:{hashlib.sha256(_code(path).encode()).hexdigest()}" for path in sorted(files))


def _code(path: Path) -> str:
    """A file's code without comments, docstrings, and what a study makes from its results."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _left_out(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _left_out(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return text or (isinstance(node, ast.FunctionDef) and node.name in ("units", "findings", "pictures"))


def _imported(name: str) -> set[Path]:
    """The file of the study, and of the modules of `studies` that it imports, wherever in the file."""
    found = {Path("studies/study.py")}
    todo = [Path(f"studies/{name}.py")]
    while todo:
        path = todo.pop()
        if path not in found and path.exists():
            found.add(path)
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("studies"):
                    modules = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
                    todo += [Path(*module.split(".")).with_suffix(".py") for module in modules]
    return found - {Path("studies/study.py")}
