"""table_checks.yaml: what `init` found in the table, next to params.yaml and in git, so that no report loses it.

What a run finds by itself is not written there: nobody but `init` and the user writes that file.
It is data: text and numbers, whoever wrote it. Findings of another source or target are not used. `prepare` writes
those that count, and its own, to data/prepared/findings.json, where `select` and `report` read them.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from heldout.findings import checks, finding
from heldout.findings.finding import Key, Severity, Topic
from tasks.params import Settings, read_yaml
from tasks.params.messages import problems
from tasks.params.written import Written, first_errors
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files

PATH = Path("table_checks.yaml")
_LONGEST, _MOST_LETTERS = 2000, 1_000_000  # letters of a text that is written, and of a file that is read
BY_THE_RUN = "found by this run"
_COMMENT = f"""\
# What `{COMMAND} init` found in the table; every report shows it. Commit it together with params.yaml.
# severity: note; care, then no report says "Ship" without it; stop, then none says "Ship". When you have decided about
# a finding, write why at `decided`: it stays in the reports, and holds nothing back.
"""


class RecordedFinding(BaseModel):
    """A finding of `heldout.findings.finding`, or one about a file; `decided` says why it is settled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: Topic
    text: str
    severity: Severity = "note"
    columns: tuple[str, ...] = ()
    evidence: dict[str, float] = {}
    done: str = ""
    decide: str = ""
    keys: tuple[Key, ...] = ()
    code: str = ""  # of the check; an earlier version wrote none
    decided: str = ""

    def __init__(self, *topic_and_text: str, **named: Any) -> None:
        super().__init__(**dict(zip(("topic", "text"), topic_and_text, strict=False)), **named)

    @classmethod
    def of(cls, found: finding.Finding) -> Self:
        """What an examination found, as a run of the pipeline has it."""
        return cls(**{name: value for name, value in vars(found).items() if name in cls.model_fields})

    @property
    def line(self) -> str:
        """The finding in a line."""
        done = f"; {self.done}" if self.done else ""
        return f"{self.text}{done}{f': {self.decide}' if self.decide else ''}"

    def is_asked_by(self, other: "RecordedFinding") -> bool:
        """Whether another finding asks the same, or did and was decided: not, where it was worth a note alone."""
        same = self.code == other.code if other.code else self.topic == other.topic
        return same and self.columns == other.columns and bool(other.severity != "note" or other.decided)

    @property
    def open(self) -> bool:
        """Whether somebody should decide about it."""
        return self.severity != "note" and not self.decided


@dataclass(frozen=True)
class Found:
    """The findings that count for a run, and a remark where the file is about another table, or an earlier one."""

    findings: tuple[RecordedFinding, ...] = ()
    remark: str = ""

    def with_more(self, more: Sequence[RecordedFinding]) -> "Found":
        """With what a run found by itself, first."""
        return replace(self, findings=(*more, *self.findings)) if more else self


class _File(BaseModel):
    """table_checks.yaml."""

    model_config = ConfigDict(extra="forbid")

    source: str
    target: str
    content: str = ""  # the hash of the table, where it is a file
    findings: list[RecordedFinding] = []


def text_of(source: str, target: str, table: Path, findings: Sequence[RecordedFinding]) -> str:
    """The text of table_checks.yaml for the `source` of params.yaml, whose file is now at `table`."""
    written = [_written(finding) for finding in findings]
    about = {"source": source, "target": target, "content": _hash(table), "findings": written}
    return _COMMENT + yaml.dump(about, Dumper=read_yaml.Dumper, sort_keys=False, allow_unicode=True, width=116)


def read(settings: Settings, path: Path = PATH) -> Found:
    """The findings about the table of these parameters, those that the parameters answer as decided.

    Raises UserError for a file that cannot be used, or that is missing where DVC needs it.
    """
    if not path.exists():
        if not Path(".dvc").is_dir():
            return Found()
        raise UserError(
            f"{path} is missing, on which the stages of dvc.yaml depend; `git checkout {path}` restores it, and "
            f"`{COMMAND} init` writes it"
        )
    about = _parsed(path)
    source, target = settings.data.source, settings.data.target or files.TARGET
    if (about.source, about.target) != (source, target):
        other = f"{path} is about {about.target} in {about.source}, and not about {target} in {source}"
        return Found(remark=f"{other}: its findings are not used" if about.findings else "")
    now, settled = _hash(Path(source)), tuple(_settled(one, settings) for one in about.findings)
    # a table that grows each night changes each night: said while somebody has to decide
    earlier = any(one.open for one in settled) and about.content and now and about.content != now
    remark = f"{source} has changed since `init` looked at it: the findings are about an earlier version"
    return Found(settled, remark if earlier else "")


def write_applied(folder: Path, found: Found) -> None:
    """Write findings.json into a folder of prepared files."""
    content = {"remark": found.remark, "findings": [finding.model_dump() for finding in found.findings]}
    files.write_json(folder / files.FINDINGS.name, content)


def read_applied(muted: Collection[str] = ()) -> Found:
    """What `prepare` left; findings of checks that somebody `muted` are decided."""
    content = files.read_json(files.FINDINGS)
    found = (RecordedFinding(**one) for one in content["findings"])
    return Found(tuple(_muted(one) if one.code in muted else one for one in found), content["remark"])


def by_the_run(finding: RecordedFinding, settings: Settings) -> RecordedFinding:
    """A finding of a run itself, decided where a key of the parameters answers it."""
    return _settled(finding.model_copy(update={"done": BY_THE_RUN}), settings)


def _muted(finding: RecordedFinding) -> RecordedFinding:
    said = f"{checks.MUTED} in params.yaml has {finding.code}"
    return finding if finding.decided else finding.model_copy(update={"decided": said})


def _parsed(path: Path) -> _File:
    if path.stat().st_size > _MOST_LETTERS:
        raise UserError(f"{path}: has more than {_MOST_LETTERS} bytes; remove findings from it")
    written = Written(path, _File.model_fields)
    try:
        return _File.model_validate(written.value)
    except ValidationError as error:
        found = problems(error, _File, written.value)
        raise UserError(first_errors([f"{written.where(one.place)}: {one.text}" for one in found])) from None


def _written(finding: RecordedFinding) -> dict[str, Any]:
    """A finding as the file has it: what is empty is left out, but for `decided`, and long texts are cut."""
    values = finding.model_dump(mode="json", exclude={"decided"})
    kept = {name: _cut(value) for name, value in values.items() if value or name == "severity"}
    if finding.severity != "note":
        kept["decided"] = finding.decided
    return kept


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]} …"
    if isinstance(value, dict):
        return {name: float(f"{number:.4g}") for name, number in value.items() if math.isfinite(number)}
    return [_cut(one) for one in value]


def _settled(finding: RecordedFinding, settings: Settings) -> RecordedFinding:
    """The finding, decided where a key of the parameters answers it."""
    answers = [answer for key in finding.keys if (answer := _answer(key, finding, settings))]
    if finding.decided or not answers:
        return finding
    return finding.model_copy(update={"decided": f"{answers[0]} in params.yaml answers it"})


def _answer(key: Key, finding: RecordedFinding, settings: Settings) -> str:
    """The key of the parameters that answers the finding, empty if none does; another may leave its columns out."""
    match key:
        case "data.time":
            answered = settings.data.time is not None
        case "data.groups":
            answered = settings.data.groups is not None
        case "data.drop" | "data.known_after":
            keys = {settings.data.left_out.get(name, "") for name in finding.columns}
            return "" if "" in keys else " and ".join(sorted(keys))
        case "split.duplicates":
            answered = settings.split.duplicates == "keep_together"
        case "loss":
            answered = settings.loss is not None
    return key if answered else ""


def _hash(path: Path) -> str:
    return files.file_hash(path) if path.is_file() else ""
