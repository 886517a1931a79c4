"""The start with a user's table: profiled, copied below data/raw, params.yaml written; all of it or nothing."""

import csv
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import yaml

from tasks.data import file_formats, prepare_tables, read_source, total_row
from tasks.data.text_form import USUAL, TextForm
from tasks.init import (
    describe,
    edit_params,
    find_form,
    import_raw,
    learners,
    profile,
    propose_params,
    search,
    unlabeled_sample,
)
from tasks.init.afford import afford
from tasks.init.fetch import fetched
from tasks.init.find_form import Read
from tasks.init.profile import Profile
from tasks.init.search import Search
from tasks.params import Settings, load, read_yaml
from tasks.params.left_out import default_of
from tasks.plans.budget import Choice
from tasks.runtime import own_code
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.storage import findings

PARAMS = Path("params.yaml")
SHIPPED = own_code.FOLDER / PARAMS
_MOST_NEIGHBOURS, _HEADER_LINES = 50, 20


def initialize(
    source: str,
    target: str,
    unlabeled: str | None,
    here: Path,
    text: TextForm = USUAL,
    budget: float | None = None,
) -> list[str]:
    """Write params.yaml for `source`, and return the findings as lines; relative paths start at `here`.

    `text` is how the user says that its text is written; what it leaves open is found, or refused if it must be known.
    Rows, fits and candidates are those that a run can make in `budget` minutes; None takes execution.budget, or five.
    Raises UserError, with params.yaml and data/raw as they were.
    """
    with ExitStack() as copies:
        paths = [copies.enter_context(fetched(path)) for path in (source, unlabeled) if path is not None]
        return _initialize([_absolute(here, path) for path in paths], target, text, budget)


def _initialize(sources: list[str], target: str, text_form: TextForm, given: float | None) -> list[str]:
    unlabeled = sources[1] if len(sources) > 1 else None
    shards = None if unlabeled is None else read_source.unlabeled_files(unlabeled)
    read = find_form.read(sources[0], text_form)
    profiled = _profiled(read, target, None if shards is None else unlabeled_sample.read(shards, read.text))
    places = [import_raw.place(sources[0])]
    places += [import_raw.place(path, places) for path in sources[1:]]
    old = _template()
    execution = read_yaml.read(old).get("execution") or {}
    minutes = execution.get("budget", propose_params.BUDGET_MINUTES) if given is None else given
    gone = _of_other_columns(read_yaml.read(old), [*map(str, read.table.columns)])
    form = {key: value for key, value in asdict(read.text).items() if value is not None}
    fixed: dict[edit_params.KeyPath, Any] = {("data", "read"): form, **gone}
    if "budget" in execution:
        fixed["execution", "budget"] = minutes

    def propose(searched: Search, choice: Choice | None = None) -> _Accepted:
        shards_at = places[1] if unlabeled is not None else None
        values = propose_params.decide(profiled, places[0], shards_at, searched, choice)
        return _accepted(old, {**values, **fixed}, sources[0])

    alike = [f"next to   {name} has the same columns, and is not used" for name in _alike(sources[0], read.text)]
    accepted = propose(search.EACH_ONCE)
    choice, found = afford(accepted.settings, accepted.prepared, shards, learners.families(profiled), minutes)
    if choice.seconds is None and found == search.NONE:  # rows and parts stay as they were accepted
        accepted = _searched(accepted, found.values(learners.families(profiled)), old)
    else:
        accepted = propose(found, choice)
    text, values, refusals = accepted.text, accepted.values, accepted.refusals
    about = findings.text_of(places[0], target, Path(sources[0]), profiled.findings)
    with import_raw.copied(sources, places):
        old_file = _replace({PARAMS: text, findings.PATH: about})
    lines = [*read.lines, *describe.lines(profiled, values, Path(sources[0]).name)]
    lines += describe.chosen(choice, values, minutes)
    lines += [f"plan      changed, since `prepare` refuses the first plan: {refusal}" for refusal in refusals[:1]]
    return [*lines, *alike, f"wrote     {PARAMS} and {findings.PATH}, for {places[0]}{old_file}", "next      dvc repro"]


def _profiled(read: Read, target: str, unlabeled: pd.DataFrame | None) -> Profile:
    """The profile with what was found about the file, which may be why the target is no column."""
    for finding in read.findings:
        if f"columns are called {target!r}" in finding.text:
            raise UserError(f"--target: {finding.text}, {finding.done}; rename all but the one that is meant")
    table, of_total = total_row.without(read.table, target)
    try:
        profiled = profile.look(table, target, read.text, unlabeled)
    except UserError as error:
        why = "" if target in read.table.columns else "; ".join(finding.line for finding in read.findings)
        raise UserError(f"{error} {why}".rstrip()) from None
    return replace(profiled, findings=(*read.findings, *of_total, *profiled.findings))


def _absolute(here: Path, path: str) -> str:
    return os.path.normpath(here / path) if import_raw.is_path(path) else path


def _template() -> str:
    """The params.yaml of the current folder; if there is none, the file that is shipped with the code."""
    for path in (PARAMS, SHIPPED):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            try:
                if isinstance(read_yaml.read(text), dict):
                    return text
            except yaml.YAMLError as error:
                raise UserError(
                    f"{path} is not valid YAML, so its comments and settings cannot be kept ({error}); move it away"
                ) from None
    raise UserError(f"there is no {PARAMS}, here or next to the code; `git checkout {PARAMS}` restores it")


def _of_other_columns(old: Mapping[str, Any], columns: Sequence[str]) -> dict[edit_params.KeyPath, Any]:
    """The default of each key that no finding decides and that names a column which the table has not."""
    data, report = (old.get(section) or {} for section in ("data", "report"))
    key = data.get("key") or []
    sets = report.get("columns")
    names = {
        ("data", "key"): key if isinstance(key, list) else [key],
        ("report", "slices"): report.get("slices") or [],
        ("report", "columns"): [name for one in sets for name in one] if isinstance(sets, list) else [],
    }
    return {path: default_of(path) for path, of in names.items() if not {*map(str, of)} <= {*columns}}


@dataclass(frozen=True, eq=False)
class _Accepted:
    """Values that `prepare` accepts, the text with them, and what it makes; and why it refused other values before."""

    text: str
    values: Mapping[edit_params.KeyPath, Any]
    settings: Settings
    prepared: prepare_tables.Prepared
    refusals: list[UserError]


def _accepted(old: str, values: Mapping[edit_params.KeyPath, Any], source: str) -> _Accepted:
    """The first of the attempts that `prepare` accepts. Raises the error of the first attempt."""
    refusals: list[UserError] = []
    for attempt in _attempts(values):
        text = edit_params.fill(old, propose_params.named(attempt, read_yaml.read(old)))
        try:
            return _Accepted(text, attempt, *_prepared(text, source), refusals)
        except UserError as error:
            refusals.append(error)
    raise refusals[0]


def _searched(accepted: _Accepted, candidates: Mapping[edit_params.KeyPath, Any], old: str) -> _Accepted:
    """The same with other candidates."""
    values = {**accepted.values, **candidates}
    text = edit_params.fill(old, propose_params.named(values, read_yaml.read(old)))
    return replace(accepted, text=text, values=values)


def _attempts(values: Mapping[edit_params.KeyPath, Any]) -> Iterator[Mapping[edit_params.KeyPath, Any]]:
    """The proposed values; then, in case `prepare` refuses them, without what it may refuse."""
    loose: dict[edit_params.KeyPath, Any] = {
        ("split", "stratify"): False,
        ("split", "folds"): min(5, values[("split", "folds")]),
    }
    unordered: dict[edit_params.KeyPath, Any] = {("data", "time"): None, ("data", "groups"): None}
    yield from (values, {**values, **loose}, {**values, **unordered}, {**values, **loose, **unordered})
    apart: dict[edit_params.KeyPath, Any] = {**loose, **unordered, ("split", "duplicates"): "allow"}
    yield {**values, **apart}
    yield {**values, **apart, ("split", "test_fraction"): 0}  # few rows: by chance none is a test row


def _prepared(text: str, source: str) -> tuple[Settings, prepare_tables.Prepared]:
    """What `prepare` makes with these parameters, of the table in its present place. Raises UserError."""
    trial = PARAMS.with_name(f".{PARAMS.name}.new")
    trial.write_text(text, encoding="utf-8")
    try:
        quoted = yaml.dump(source, Dumper=read_yaml.Dumper, width=10**6).splitlines()[0]
        settings = load(trial, [f"data.source={quoted}", "data.unlabeled=null"])
        return settings, prepare_tables.prepare(settings)
    except UserError as error:
        raise UserError(str(error).replace(f"{trial}: ", "")) from None
    finally:
        trial.unlink()


def _replace(texts: Mapping[Path, str]) -> str:
    """Write each file in one step; returns a clause that says where the old files are, empty if none was replaced."""
    clauses = {_kept(path) for path, text in texts.items() if path.exists() and path.read_bytes() != text.encode()}
    for path, text in texts.items():
        for place in (_last_written(path), path):
            place.parent.mkdir(exist_ok=True)
            fresh = place.with_name(f".{place.name}.new")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(place)
    return "".join(f"; {clause}" for clause in sorted(clauses) if clause)


def _kept(path: Path) -> str:
    """A clause that says where the present file stays; a file that somebody has edited is kept under another name."""
    old, written = path.read_bytes(), _last_written(path)
    if _committed(path) == old:
        return "the old file is in git"
    if written.exists() and written.read_bytes() == old:
        return ""
    shutil.copy2(path, copy := path.with_name(f"{path.name}.old"))
    return f"the old file is {copy}"


def _last_written(path: Path) -> Path:
    """The last file that init wrote there, to recognise an edit."""
    return CACHE / f"init-{path}"


def _committed(path: Path) -> bytes | None:
    """The file in git's last commit, None if it is not there."""
    ran = subprocess.run(["git", "show", f"HEAD:./{path}"], capture_output=True, check=False)  # noqa: S603, S607
    return None if ran.returncode else ran.stdout


def _alike(source: str, text: TextForm) -> Iterator[str]:
    """Files next to `source` with the same columns."""
    path = Path(source)
    if not import_raw.is_path(source) or not path.is_file():
        return
    header = _header(path, text)
    for other in sorted(path.parent.glob("*"))[:_MOST_NEIGHBOURS]:
        if other != path and other.is_file() and header and _header(other, text) == header:
            yield other.name


def _header(path: Path, text: TextForm) -> list[str]:
    try:
        if path.suffix == ".parquet":
            return list(pyarrow.parquet.read_schema(path).names)
        if file_formats.is_text(path):
            lines = file_formats.first_lines(path, _HEADER_LINES)
            return next(csv.reader(lines, delimiter=file_formats.separator(path, text)), [])
    except Exception:  # noqa: S110  # it may be anything, and is no table of this user then
        pass
    return []
