"""The lines that `init` prints: what a table holds, what is left out and why, and what will run."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from heldout.checks import uninformative
from heldout.findings.words import percent
from tasks.init.edit_params import KeyPath
from tasks.init.profile import Dropped, Profile
from tasks.plans.budget import Choice

_MOST_CLASSES, _MOST_NAMES, _RARE = 12, 8, 20
_MOST_KEYS = 3


def lines(profile: Profile, values: Mapping[KeyPath, Any], name: str) -> Iterator[str]:
    """A line for each finding; it starts with its topic."""
    features = "1 feature stays" if len(profile.kinds) == 1 else f"{len(profile.kinds)} features stay"
    yield f"table     {name}: {profile.rows} rows; {features}: {kinds(profile)}"
    yield f"target    {profile.target}: {task(profile)}"
    if profile.labeled < profile.rows:
        yield f"          {profile.rows - profile.labeled} rows have no label: they are served as unlabelled rows"
    for dropped in profile.dropped:
        if not dropped.is_leak:
            yield f"dropped   {dropped.column}: {dropped.why}"
    if names := [one.column for one in profile.dropped if _may_name_a_row(one)]:
        yield (
            f"key       {' or '.join(names[:_MOST_KEYS])}: does it stay with a row from one delivery to the next? then "
            f"data.key: {names[0]}, by which a corrected row is no new one"
        )
    for finding in profile.findings:
        yield f"{finding.topic:<10}{finding.line}"
    yield from _plan(profile, values)


def _may_name_a_row(dropped: Dropped) -> bool:
    """Whether a column that is no feature may be data.key."""
    return dropped.why.startswith(uninformative.IDENTIFIER) and not uninformative.named_like_a_row_number(
        dropped.column
    )


def kinds(profile: Profile) -> str:
    """How many features are of each kind; a few features that are not numeric are named."""
    counted = []
    for kind, count in Counter(profile.kinds.values()).most_common():
        names = [name for name, kind_of_name in profile.kinds.items() if kind_of_name == kind]
        listed = f" ({', '.join(names)})" if kind != "numeric" and count <= _MOST_NAMES else ""
        counted.append(f"{count} {kind}{listed}")
    return ", ".join(counted)


def task(profile: Profile) -> str:
    """What is predicted, with the share of each class."""
    if not profile.classes:
        return "numbers, so regression with squared error"
    shown = ", ".join(
        f"{value} {percent(count / profile.labeled)} ({count})" for value, count in profile.classes[:_MOST_CLASSES]
    )
    more = ", …" if len(profile.classes) > _MOST_CLASSES else ""
    rarest, rows = profile.classes[-1]
    warning = f"; the rarest, {rarest}, has {rows} row{'s' * (rows != 1)}" if rows < _RARE else ""
    return f"{len(profile.classes)} classes: {shown}{more}{warning}"


def _plan(profile: Profile, values: Mapping[KeyPath, Any]) -> Iterator[str]:
    candidates = values[("candidates",)]
    drawn = {name: candidate.get("search", {}).get("draws", 0) for name, candidate in candidates.items()}
    names = ", ".join(f"{name} and {draws} like it" if draws else name for name, draws in drawn.items())
    if profile.classes and values[("split", "stratify")] is False:
        yield "plan      parts are not stratified: the rarest class has too few rows for a share in each"
    yield (
        f"plan      {percent(values[('split', 'test_fraction')])} of the labelled rows are the test set, opened once; "
        f"{values[('split', 'folds')]} folds; candidates: {names}"
    )
    if (finalists := values[("selection", "finalists")]) is not None:
        yield (
            f"plan      {len(candidates) + sum(drawn.values())} candidates start, most with parameters drawn by the "
            f"seed; at most {finalists}, those of the least E_prog, get every fit (selection.finalists)"
        )


def chosen(choice: Choice, values: Mapping[KeyPath, Any], minutes: float | None) -> Iterator[str]:
    """The rows and the fits that the estimates rest on, and the seconds that they take."""
    used = "all" if choice.rows == choice.labeled else f"{choice.rows} of"
    yield (
        f"plan      estimates on {used} {choice.labeled} labelled rows outside of the test set; the delivered model "
        "is trained on all of them"
    )
    interval = values[("intervals",)]
    if interval is not None:
        yield (
            f"plan      no subsamples, {choice.effort.halvings} halvings, {choice.effort.blocks} blocks, so that more "
            f"rows can be used; the interval of E_cv that is valid then is {interval['E_cv']}, which is wide"
        )
    if choice.seconds is None or minutes is None:
        return
    budget = 60 * minutes
    yield f"plan      {choice.seconds:.0f} s expected, of the {budget:.0f} s that it may take (init --budget)"
    if choice.seconds > budget:
        yield "plan      no smaller plan is known: leave out the slowest candidates, or allow more minutes"
