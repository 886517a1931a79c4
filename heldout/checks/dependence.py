"""Columns along which rows are alike: each is tried, and proposed if it changes the error of a quick learner."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from heldout.checks import cuts, identifier_like
from heldout.checks.column_kind import kind_of_dtype
from heldout.checks.row_order import Order, is_named_like_time, is_sorted_by, rises
from heldout.checks.uninformative import is_fraction, is_row_number
from heldout.findings import checks
from heldout.findings.finding import Finding, Key
from heldout.findings.words import percent

_FEWEST_ROWS, _FEWEST_VALUES = 100, 7  # of fewer values, chance alone puts all on one side
_MOST_TIMES, _MOST_GROUPS = 2, 4  # columns that are tried
_LEVEL = 0.005  # chance of all trials together
_LARGEST_SHARE, _LEAST_ROWS_A_VALUE = 1 / 3, 1.5  # of the rows in the largest group; mean of all groups
_EQUAL_SIZES = 0.3  # standard deviation of the sizes of groups that are numbers, over their mean: counts differ more
# values that recur: rows of each in the mean, standard deviation of the sizes over it, correlation of errors
_MOST_ROWS_A_VALUE, _UNLIKE_SIZES, _ALIKE = 20, 1.0, 0.1
_REMEMBERED = 0.5  # error where the values were seen over that on others: labels that last, and no mere feature
_RUNS = 1.5  # runs of equal values down the file for each value, where the values are blocks
_NAMED_LIKE_GROUPS = re.compile(
    r"(^|[_\W])(id|subj|subject|patient|participant|person|user|account|customer|client|member|player|author|writer"
    r"|speaker|student|group|batch|session|block|site|station|machine|device|family|household|animal|plate|lot|school"
    r"|hospital|firm|company|store)s?($|[_\W]|\d)|[a-z]I[dD]$|id$",
    re.IGNORECASE,
)
_LAST_NUMBER = r"[\W_]*\d+$"

Kind = Literal["time", "groups"]
_USES: Mapping[Kind, str] = {"time": "later rows", "groups": "rows of new values"}
_CODES: Mapping[Kind, str] = {"time": checks.TIME.code, "groups": checks.GROUPS.code}
_OTHER_USES: Mapping[Kind, str] = {"time": "rows between the known rows", "groups": "further rows of the same values"}


@dataclass(frozen=True)
class Proposal:
    """A column along which rows depend, and both errors of the quick learner.

    With `stem` the rows belong together whose value differs in its last number alone. `gaps` rows have no value. With
    `remembered` the learner gives a row the labels of other rows of its value, as one does that has it as a feature.
    With `together` it does not show, but rows of one value err together.
    """

    kind: Kind
    column: str
    cut: cuts.Cut
    stem: bool = False
    gaps: int = 0
    remembered: bool = False
    together: cuts.Together | None = None
    values: int = 0
    rows: int = 0

    @property
    def tells(self) -> bool:
        """Whether the errors differ; where the values are remembered, as labels do that last."""
        return self.cut.differs and (not self.remembered or self.cut.random <= _REMEMBERED * self.cut.along)

    @property
    def name(self) -> str:
        """What holds the groups or the time."""
        return f"{self.column} without its last number" if self.stem else self.column


def look(
    columns: pd.DataFrame, features: pd.DataFrame, target: pd.Series, order: Order, *, classes: bool
) -> tuple[dict[str, str], list[Finding], str | None]:
    """A comment for each role that a column may take, the lines about the order and the groups of the rows, and the
    column that is the groups without being asked: one that names things which repeat, in a file without a time."""
    found = proposals(columns, features, target, classes=classes, time=order.time)
    if order.time is not None:
        along = along_time(order.time, columns, features, target, classes=classes)
        lines = [finding(along, classes=classes, written=order.remark)]
    elif order.remark is not None and not any(one.kind == "time" for one in found):
        lines = [_in_order(features, target, order, order.remark, classes=classes)]
    else:
        lines = []
    sure = next((one for one in found if order.time is None and _is_sure(one, columns)), None)
    comments: dict[str, str] = {}
    for one in found:
        if one is sure:
            comments[one.kind] = f"null, if you predict {_OTHER_USES[one.kind]}"
            written = f"{columns[one.column].nunique()} values in {len(columns)} rows"
            lines.append(finding(one, classes=classes, written=written))
        else:
            comments[one.kind] = f"proposed: {one.name}, if you predict {_USES[one.kind]}"
            lines.append(finding(one, classes=classes))
    return comments, lines, None if sure is None else sure.column


def proposals(
    columns: pd.DataFrame, features: pd.DataFrame, target: pd.Series, *, classes: bool, time: str | None = None
) -> list[Proposal]:
    """The column that tells most as `data.time`, and the column that tells most as `data.groups`, if any does.

    A column tells if testing on later rows, or on values that were left out, raises the error by a tenth, and by more
    than chance does in one of two hundred tables. `columns` are all columns but the target, in their dtypes, `features`
    those that stay; both have the rows with a label in file order. With a known `time`, only groups are tried.
    """
    if len(target) < _FEWEST_ROWS:
        return []
    times = _times(columns, target, classes) if time is None else []
    tried = [
        along_time(name, columns, features, target, classes=classes)
        for name in times
        if not _without(features, name).empty
    ]
    tried += [
        Proposal(
            "groups",
            name,
            cuts.by_groups(_without(features, name), target, values, classes=classes),
            stem,
            gaps=int(columns[name].isna().sum()),
        )
        for name, values, stem in _groups(columns, features, target, classes=classes)
        if not _without(features, name).empty
    ]
    tried += [
        _remembered(one, features, target, columns, classes=classes)
        for one in tried
        if one.kind == "groups" and not (one.stem or one.gaps) and one.column in features and _repeats(one, columns)
    ]
    sure = [one for one in tried if one.tells and one.cut.chance <= _LEVEL / len(tried)]
    groups = sorted(
        (one for one in sure if one.kind == "groups"),
        key=lambda one: (not _is_sure(one, columns), one.remembered, one.cut.chance),
    )[:1]
    if not groups:
        groups = _recurring(columns, features, target, classes=classes)
    known = [one.column for one in groups]  # blocks of rows also differ from later blocks: one line says it
    later = sorted(
        (one for one in sure if one.kind == "time" and one.column not in known),
        key=lambda one: (not _is_time(columns[one.column]), one.cut.chance),
    )
    return [*later[:1], *groups]


def along_time(
    column: str, columns: pd.DataFrame, features: pd.DataFrame, target: pd.Series, *, classes: bool
) -> Proposal:
    """Both errors along a column of times."""
    cut = cuts.forward(_without(features, column), target, columns[column], classes=classes)
    return Proposal("time", column, cut)


def finding(proposal: Proposal, *, classes: bool, written: str | None = None) -> Finding:
    """The line about a proposal; `written` is the reason where params.yaml follows it already."""
    kind, name = proposal.kind, proposal.name
    if proposal.together is not None:
        return _of_together(proposal, proposal.together, columns=(proposal.column,), classes=classes)
    learner = " that has seen other rows of the value" if proposal.remembered else ""
    errors, evidence = _errors(kind, proposal.cut, classes, learner), _evidence(proposal.cut)
    columns = (proposal.column,)
    if written is not None:
        right = f"right to predict {_USES[kind]}, so data.{kind} is {name}; to predict {_OTHER_USES[kind]}"
        text, decide = f"{name}: {written}; {errors}", f"{right}, set it to null"
        return Finding(
            kind,
            text,
            columns=columns,
            evidence=evidence,
            decide=decide,
            undone="care",
            asked=_asked(proposal),
            asked_by=_keys(kind),
            in_python=_in_python(proposal),
            code=_CODES[kind],
        )
    return Finding(
        kind,
        f"{name}: {errors}",
        severity="care",
        columns=columns,
        evidence=evidence,
        decide=_asked(proposal),
        keys=_keys(kind),
        in_python=_in_python(proposal),
        code=_CODES[kind],
    )


def _of_together(proposal: Proposal, together: cuts.Together, columns: tuple[str, ...], *, classes: bool) -> Finding:
    """The line about values that recur, whose rows err together."""
    loss = "Brier loss" if classes else "squared error"
    return Finding(
        "groups",
        f"{proposal.column}: {proposal.values} values recur in {proposal.rows} rows, and rows of one err together: "
        f"the errors of a quick forest without the column correlate by {together.correlation:.2f} within a value",
        severity="care",
        columns=columns,
        evidence={"correlation within a value": together.correlation, f"{loss} under random cuts": together.error},
        decide=_asked(proposal),
        keys=_keys(proposal.kind),
        in_python=_in_python(proposal),
        code=_CODES[proposal.kind],
    )


def _keys(kind: Kind) -> tuple[Key, ...]:
    return ("data.time",) if kind == "time" else ("data.groups",)


def _asked(proposal: Proposal) -> str:
    """What to decide in params.yaml, where nothing is written yet."""
    kind, name = proposal.kind, proposal.name
    key = "write it as a column, and name that in data.groups" if proposal.stem else f"set data.{kind}: {name}"
    if proposal.gaps:
        key = f"fill its {proposal.gaps} gaps, with a new name in each row that stands alone, and {key}"
    return f"to predict {_USES[kind]}, {key}; to predict {_OTHER_USES[kind]}, leave it null"


def _in_python(proposal: Proposal) -> str:
    """What to decide where there is no params.yaml."""
    to_predict = f"to predict {_USES[proposal.kind]}"
    otherwise = f"; to predict {_OTHER_USES[proposal.kind]}, leave it as it is"
    if proposal.kind == "time":
        return f"{to_predict}, train on the earlier rows and test on the later ones: random parts err less{otherwise}"
    given = proposal.name if proposal.stem else f"X[{proposal.column!r}]"
    filled = f", its {proposal.gaps} gaps filled with a new name each" if proposal.gaps else ""
    return f"{to_predict}, give heldout.validate groups, {given}{filled}{otherwise}"


def _remembered(
    proposal: Proposal, features: pd.DataFrame, target: pd.Series, columns: pd.DataFrame, *, classes: bool
) -> Proposal:
    """The groups of a feature, for a learner that has it: one that could not tell whose rows they are by the others."""
    name = proposal.column
    cut = cuts.by_groups(_without(features, name), target, columns[name], classes=classes, remembered=True)
    return replace(proposal, cut=cut, remembered=True)


def _is_sure(proposal: Proposal, columns: pd.DataFrame) -> bool:
    """Whether the groups are written: towns are only proposed, a stem is no column, and each row needs a group.

    Codes that are remembered may be those of places, so they need the name of what they name too. Values whose rows err
    together are only proposed: what they name nobody knows.
    """
    if proposal.kind != "groups" or proposal.stem or proposal.gaps or proposal.together is not None:
        return False
    return _repeats(proposal, columns) and (not proposal.remembered or identifier_like.is_named(proposal.column))


def _repeats(proposal: Proposal, columns: pd.DataFrame) -> bool:
    return identifier_like.repeats(proposal.column, columns[proposal.column])


def _evidence(cut: cuts.Cut) -> dict[str, float]:
    return {"error under random cuts": cut.random, "error along it": cut.along, "error of a constant": cut.constant}


def _errors(kind: Kind, cut: cuts.Cut, classes: bool, learner: str = "") -> str:
    random, along = (percent(error) if classes else f"{error:.4g}" for error in (cut.random, cut.along))
    where = "on later rows" if kind == "time" else "where whole values are left out"
    errs = f"a quick forest{learner} errs {random} under random cuts, {along} {where}"
    return errs if classes else f"{errs} (squared error)"


def _in_order(features: pd.DataFrame, target: pd.Series, order: Order, remark: str, *, classes: bool) -> Finding:
    """The finding about neighbouring rows that are alike, where no column is their time."""
    if not order.hints or len(target) < _FEWEST_ROWS:
        return Finding("found", remark, code=checks.ORDER.code)
    position = pd.Series(np.arange(len(target)), index=target.index)
    cut = cuts.forward(features, target, position, classes=classes)
    return Finding(
        "found",
        f"{remark}; {_errors('time', cut, classes)}",
        severity="care" if cut.differs else "note",
        evidence=_evidence(cut),
        decide="if rows near each other stay together in use (time, place, person), name the column in data.time or "
        "data.groups: random parts put neighbours on both sides",
        keys=("data.time", "data.groups"),
        in_python="if rows near each other stay together in use (time, place, person), give heldout.validate groups of "
        "them: random parts put neighbours on both sides",
        code=checks.ORDER.code,
    )


def _recurring(columns: pd.DataFrame, features: pd.DataFrame, target: pd.Series, *, classes: bool) -> list[Proposal]:
    """The column of values that recur a few times each, and whose rows err together most surely, if there is one.

    Names of things are known by how they recur, not by how they are spelled: many values of a few rows each, none of
    which has far more rows than others, as towns and words have. Of numbers the sizes are nearly equal, and values next
    to each other are not alike, as those of a measurement are.
    """
    found = []
    for name in columns.columns:
        column = columns[name]
        if not _recurs(column) or _without(features, str(name)).empty:
            continue
        if (likeness := _likeness(column, target, classes=classes)) > 0:
            found.append((-likeness, str(name)))
    made = []
    for _, name in sorted(found)[:_MOST_GROUPS]:
        together = cuts.together(_without(features, name), target, columns[name], classes=classes)
        ordered = kind_of_dtype(columns[name].dtype) == "numeric"
        beyond = together.correlation - (max(together.of_neighbours, 0.0) if ordered else 0.0)
        if beyond >= _ALIKE and together.chance <= _LEVEL / len(found):
            cut = cuts.Cut(together.error, together.error, together.error, together.chance)
            values = int(columns[name].nunique())
            made.append(Proposal("groups", name, cut, together=together, values=values, rows=len(columns)))
    return sorted(made, key=lambda one: one.cut.chance)[:1]


def _recurs(column: pd.Series) -> bool:
    """Whether the values are many, and of a few rows each."""
    kind = kind_of_dtype(column.dtype)
    if kind not in ("text", "numeric", "category") or column.isna().any() or is_fraction(column):
        return False
    if is_named_like_time(column) and not identifier_like.is_named(str(column.name)):
        return False
    sizes = np.bincount(pd.factorize(column)[0])
    few = _LEAST_ROWS_A_VALUE <= sizes.mean() <= _MOST_ROWS_A_VALUE
    if len(sizes) < identifier_like.MANY or not few:
        return False
    return bool(sizes.std() <= (_EQUAL_SIZES if kind == "numeric" else _UNLIKE_SIZES) * sizes.mean())


def _without(features: pd.DataFrame, name: str) -> pd.DataFrame:
    return features.drop(columns=name, errors="ignore")


def _times(columns: pd.DataFrame, target: pd.Series, classes: bool) -> list[str]:
    """Dates, and whole numbers that only rise or only fall down the file; one column for each order of the rows.

    What has the name or the dtype of a time comes first. The number of the row, as programs write it, is no time.
    """
    found: list[str] = []
    for name, column in sorted(columns.items(), key=lambda item: not _is_time(item[1])):
        if not (_is_date(column) or rises(column)) or is_row_number(column):
            continue
        if column.isna().any() or column.nunique() < _FEWEST_VALUES:
            continue
        if is_sorted_by(column, target, classes=classes):
            continue
        found.append(str(name))
    of_orders: dict[bytes, str] = {}
    for name in found if len(found) > 1 else ():
        of_orders.setdefault(columns[name].rank(method="dense").to_numpy().tobytes(), name)
    return list(of_orders.values())[:_MOST_TIMES] or found


def _is_date(column: pd.Series) -> bool:
    return kind_of_dtype(column.dtype) == "date"


def _is_time(column: pd.Series) -> bool:
    return _is_date(column) or is_named_like_time(column)


def _groups(
    columns: pd.DataFrame, features: pd.DataFrame, target: pd.Series, *, classes: bool
) -> list[tuple[str, pd.Series, bool]]:
    """The columns whose repeated values may be groups: named or ordered so, then with the most alike labels."""
    found = []
    for name in columns.columns:
        for values, stem in _values(columns[name]):
            rank = _rank(str(name), values, stem=stem, is_feature=name in features.columns)
            likeness = _likeness(values, target, classes=classes) if rank else 0.0
            if rank > 1 or likeness > 0:
                found.append((-rank, -likeness, str(name), values, stem))
    found.sort(key=lambda item: item[:3])
    return [(name, values, stem) for *_, name, values, stem in found[:_MOST_GROUPS]]


def _values(column: pd.Series) -> Iterator[tuple[pd.Series, bool]]:
    """The column, if it has whole numbers or strings and is no time; and its strings without their last number.

    A gap is a value of its own, in a column that is named like one of groups.
    """
    kind = kind_of_dtype(column.dtype)
    if is_fraction(column):
        return
    named = identifier_like.is_named(str(column.name))
    if kind in ("date", "boolean") or (is_named_like_time(column) and not named):
        return
    if kind == "numeric" and not (column.dropna() % 1 == 0).all():
        return
    if column.isna().any():
        if named:
            yield _apart(column), False
        return
    if kind == "numeric":
        yield column, False
        return
    yield column, False
    if kind == "text" and column.is_unique:
        yield column.astype(str).str.replace(_LAST_NUMBER, "", regex=True), True


def _apart(column: pd.Series) -> pd.Series:
    """The number of each value, and another for each gap."""
    codes = pd.Series(pd.factorize(column)[0], column.index, name=column.name)
    gaps = codes < 0
    return codes.where(~gaps, codes.max() + gaps.cumsum())


def _rank(name: str, values: pd.Series, *, stem: bool, is_feature: bool) -> int:
    """How plausible it is that the values are groups: 0 for no, 1 for many values of few rows each, 2 for more."""
    codes = pd.factorize(values)[0]
    sizes = np.bincount(codes)
    rows = len(codes)
    if len(sizes) < _FEWEST_VALUES or rows < _LEAST_ROWS_A_VALUE * len(sizes) or sizes.max() > _LARGEST_SHARE * rows:
        return 0
    blocks = 1 + np.count_nonzero(codes[1:] != codes[:-1]) <= _RUNS * len(sizes)
    if stem or blocks or _NAMED_LIKE_GROUPS.search(name) or identifier_like.is_named(name):
        return 2
    if len(sizes) < identifier_like.MANY or rows > identifier_like.ROWS_OF_EACH * len(sizes):
        return 0
    counts = pd.api.types.is_numeric_dtype(values) and sizes.std() > _EQUAL_SIZES * sizes.mean()
    return int((is_feature and not counts) or identifier_like.is_code(values))


def _likeness(values: pd.Series, target: pd.Series, *, classes: bool) -> float:
    """The share of the target's variance between the groups, beyond chance; 0 where chance may give so much."""
    from scipy.stats import f

    codes = pd.factorize(values)[0]
    labels = (
        pd.get_dummies(target).to_numpy(dtype=np.float64) if classes else target.to_numpy(dtype=np.float64)[:, None]
    )
    rows, groups = len(codes), int(codes.max()) + 1
    labels = labels - labels.mean(axis=0)
    sums = np.stack([np.bincount(codes, weights=column) for column in labels.T])
    between = float((sums**2 / np.bincount(codes)).sum())
    within = float((labels**2).sum()) - between
    kinds = max(1, labels.shape[1] - 1)
    if within <= 0:
        return 1.0
    ratio = (between / (groups - 1)) / (within / (rows - groups))
    chance = float(f.sf(ratio, (groups - 1) * kinds, (rows - groups) * kinds))
    return 1 - within / (rows - groups) * (rows - 1) / (within + between) if chance < _LEVEL else 0.0
