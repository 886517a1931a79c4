"""What the packages import is declared in pyproject.toml, and what is declared is imported or has its reason here."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"flows", "heldout", "heldout_pipeline", "tasks"}
DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "pyyaml"}  # where it is not the name of the module
EXTRAS = {"heldout": ["notebook"], "tasks": ["pipeline", "s3"], "flows": ["pipeline"]}
NOT_IMPORTED = {
    "dvc-s3": "DVC looks for it",
    "lightgbm": "a candidate names it",
    "psycopg": "SQLAlchemy looks for it",
    "python-calamine": "pandas looks for it",
    "whenever": "Prefect plans with it",
    "xgboost-cpu": "a candidate names it",
}
OTHERWISE = {"heldout": {"loky"}}  # joblib's copy, where it is missing
OF_USERS = ("pipeline", "postgres", "s3", "notebook", "boosting")  # not the tools of developers


def declared(*extras: str) -> set[str]:
    """The distributions that the core and these extras need."""
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    return {re.match(r"[\w-]+", one)[0] for some in lists for one in some}


@cache
def imported(package: str) -> set[str]:
    """The distributions that a package imports, at the top of a file or inside of a function."""
    found = set()
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    outside = found - OURS - set(sys.stdlib_module_names)
    return {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in outside}


@pytest.mark.parametrize(("package", "extras"), EXTRAS.items())
def test_what_a_package_imports_is_declared(package, extras):
    assert OTHERWISE.get(package, set()) == imported(package) - declared(*extras)


def test_what_is_declared_is_imported_or_has_its_reason():
    used = set().union(*(imported(package) for package in EXTRAS))
    assert {*NOT_IMPORTED} == declared(*OF_USERS) - used
