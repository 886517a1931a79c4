"""The sections of the report page, one a file, in the order in which people read them.

A section is a function of the summary in a file of its own: it returns a `Section`, or None where it has nothing to
say. Its line in `SECTIONS` is all that it takes to be in the page.
"""

from collections.abc import Callable, Iterator

from tasks.report.section import Section
from tasks.report.sections import (
    class_errors,
    columns,
    differences,
    estimates,
    families,
    found,
    hard_rows,
    more_rows,
    prediction_powered,
    prediction_sets,
    progressive,
    shard_disagreement,
    shards,
    targets,
    test_set,
    to_label,
    winner_curves,
)
from tasks.report.summary import Summary

SECTIONS: tuple[Callable[[Summary], Section | None], ...] = (
    found.section,
    estimates.section,
    differences.section,
    more_rows.section,
    class_errors.section,
    test_set.section,
    winner_curves.section,
    progressive.section,
    families.section,
    columns.section,
    hard_rows.section,
    shard_disagreement.section,
    to_label.section,
    prediction_sets.section,
    prediction_powered.section,
    shards.section,
    targets.section,
)


def made(summary: Summary) -> Iterator[Section]:
    """The sections that have something to say; inside of `tasks.report.style.drawing`."""
    for section in SECTIONS:
        found = section(summary)
        if found is not None:
            yield found
