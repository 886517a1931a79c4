"""Names of columns as a file has them, and as they are read: a name that occurs again gets a number.

The number depends on the names alone, so a run and each shard with the same header have the same columns.
"""

from collections import Counter
from collections.abc import Sequence

from tasks.storage.findings import RecordedFinding

_MOST_NAMES = 5


def numbered(written: Sequence[str]) -> list[str]:
    """The names in which the second `a` is `a_2`, the third `a_3`; a number that is a name already is passed over."""
    counts: Counter[str] = Counter()
    taken = {*written}
    names = []
    for name in written:
        counts[name] += 1
        new = name
        if counts[name] > 1:
            while (new := f"{name}_{counts[name]}") in taken:
                counts[name] += 1
            taken.add(new)
        names.append(new)
    return names


def about(file: str, written: Sequence[str], names: Sequence[str]) -> tuple[RecordedFinding, ...]:
    """The finding about the columns of `file` that have another name than it says, if there are any."""
    new = tuple(name for name, old in zip(names, written, strict=True) if name != old)
    if not new:
        return ()
    counts = {name: count for name, count in Counter(written).items() if count > 1}
    listed = ", ".join(f"{count} columns are called {name!r}" for name, count in [*counts.items()][:_MOST_NAMES])
    more = f", and {len(counts) - _MOST_NAMES} more names stand for several" if len(counts) > _MOST_NAMES else ""
    called = [name for name, old in zip(names, written, strict=True) if old in counts]
    done = f"read as {', '.join(called[:_MOST_NAMES])}{', …' if len(called) > _MOST_NAMES else ''}"
    return (RecordedFinding("found", f"{file}: {listed}{more}", columns=new, done=done),)
