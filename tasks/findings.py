"""What `init` says: what a table holds, what is left out and why, and what will be run."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tasks.leaks import percent
from tasks.profile import Profile
from tasks.template import Path

_MOST_CLASSES, _RARE = 12, 20


def lines(profile: Profile, values: Mapping[Path, Any], name: str) -> Iterator[str]:
    """One finding a line, each under the word that says what it is about."""
    kinds = Counter(profile.kinds.values())
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield f"table     {name}: {profile.rows} rows; {len(profile.kinds)} features stay: {counted}"
    yield f"target    {profile.target}: {_task(profile)}"
    if profile.labeled < profile.rows:
        yield f"          {profile.rows - profile.labeled} rows have no label: they are served as unlabelled rows"
    for one in profile.dropped:
        yield f"dropped   {one.column}: {one.why}"
    for remark in profile.remarks:
        yield f"found     {remark}"
    yield from _plan(profile, values)


def _task(profile: Profile) -> str:
    if not profile.classes:
        return "numbers, so regression with squared error"
    shown = ", ".join(
        f"{value} {percent(count / profile.labeled)} ({count})" for value, count in profile.classes[:_MOST_CLASSES]
    )
    more = ", …" if len(profile.classes) > _MOST_CLASSES else ""
    rarest = profile.classes[-1]
    warning = f"; the rarest, {rarest[0]}, has {rarest[1]} rows" if rarest[1] < _RARE else ""
    return f"{len(profile.classes)} classes: {shown}{more}{warning}"


def _plan(profile: Profile, values: Mapping[Path, Any]) -> Iterator[str]:
    names = ", ".join(candidate["name"] for candidate in values[("candidates",)])
    kept = values[("data", "labeled_rows")]
    if kept is not None:
        yield (
            f"plan      {kept} rows keep their label, so that a run takes minutes; the rest are served as unlabelled; "
            "data.labeled_rows: null keeps all"
        )
    if profile.classes and not values[("split", "stratify")]:
        yield "plan      parts are not stratified: the rarest class has too few rows for a share in each"
    yield (
        f"plan      {percent(values[('split', 'test_fraction')])} of the labelled rows are the test part, opened once; "
        f"{values[('split', 'folds')]} folds; candidates: {names}"
    )
