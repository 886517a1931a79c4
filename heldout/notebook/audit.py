"""`heldout.audit`: what a table holds that would make an estimate wrong, before any fit."""

from collections.abc import Collection
from typing import Any

from heldout import defaults
from heldout.errors import BadArgument
from heldout.findings import checks
from heldout.losses.choice import unlearnable
from heldout.notebook.audit_findings import SEVERITIES, Audit
from heldout.rows.aligned_rows import aligned
from heldout.rows.frames import library_of


def audit(X: Any, y: Any, *, unlabeled: Any = None, muted_checks: Collection[str] = defaults.MUTED_CHECKS) -> Audit:
    """Look at every column and at the target, and list what a person should know, or decide, before any estimate.

    Columns, sums and gaps that give the target away; an order or groups of the rows that make random parts too
    optimistic; rows recorded twice; numbers that may mean a gap; what the target asks about the loss; and the columns
    that alone say most. The findings are those that `python -m flows init` writes for the same table, by the same
    functions: the same texts and evidence. Nothing is changed here, so what `init` answers in params.yaml by itself
    (it leaves a sure leak out, and sets a time or groups) is of the severity `stop` or `care`, and `decide` says what
    to do in Python.

    What is found only in a file, `init` alone finds: how its text is read (strings that are numbers or dates, markers
    of gaps among numbers, separators, encodings), names that repeat, sheets, a row of totals. Strings stay strings
    here, but for those of a kind that an allowed package adds (`heldout.allow`); write dates and numbers as such.

    Parameters
    ----------
    X : array-like or data frame of shape (N, p)
        The rows with a label, in the order of the file: numbers, truth values, categories, dates, durations, strings.
        A data frame of pandas, polars or pyarrow; the columns of an array are called "column 0" and so on.
    y : array-like of shape (N,)
        Their labels, without gaps. Strings, truth values and whole numbers of at most 20 distinct values are classes,
        other numbers are numbers.
    unlabeled : array-like or data frame of shape (n, q), optional
        Rows without labels. A column that they lack, or that is hardly filled there, is known only after the label.
    muted_checks : collection of str, default ()
        Codes of the checks that are not made (docs/checks.md).

    Returns
    -------
    Audit
        The findings, the worst first; an order that does not depend on chance.

    Raises
    ------
    BadArgument
        For rows or labels that cannot be used (a sparse matrix, a column that mixes types, labels that are missing,
        a single label, a class for each row, an index of pandas with other labels than that of X), and where no column
        is left to learn from.
    ImportError
        Where pandas is not installed.

    Examples
    --------
    >>> import heldout
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=400)
    >>> X = pd.DataFrame({"age": rng.normal(size=400), "refund": 5.0 * y})
    >>> found = heldout.audit(X, y)
    >>> [(one.code, one.severity, one.columns) for one in found][0]
    ('HLD001', 'stop', ('refund',))
    >>> print(found)
    400 rows, 2 columns: 1 stop, 1 note
    stop  HLD001 refund: it alone predicts the target; error 0 % out of fold, 44.8 % for the most frequent class
          is it known before the label? If not, leave it out of X
    note  HLD016 no column of numbers or categories alone is better than a constant (error out of fold: 44.8 %)
    """
    try:
        from heldout.checks import foreign_columns, target_kind, typed_rows
        from heldout.checks.examination import examine
    except ImportError:
        raise ImportError("audit() needs pandas, which is not installed: pip install pandas") from None
    muted = checks.muted(muted_checks)
    X, y = aligned({"X": X, "y": y}).values()
    written, missing = typed_rows.without_infinities(typed_rows.table_of(X, "X"))
    table, of_strings = foreign_columns.read(written)
    target = typed_rows.labels_of(y, table)
    try:
        classes = target_kind.are_classes(target)
    except ValueError as error:
        raise BadArgument("y", f"y: {error}") from None
    if target.nunique() < 2:
        raise BadArgument("y", f"y has the single value {target.unique().tolist()[0]!r}; at least two are needed")
    if classes and (reason := unlearnable(target.to_numpy())) is not None:
        raise BadArgument("y", f"y {reason}")
    others = None if unlabeled is None else typed_rows.unlabeled_of(unlabeled, table)
    examined = examine(
        table,
        target,
        classes=classes,
        written=written,
        unlabeled=others,
        missing=missing,
        loose=[name for one in of_strings for name in one.columns],
        skipped=muted,
    )
    findings = [one.without_params() for one in (*of_strings, *examined.findings)]
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    return Audit(tuple(findings), examined.useless, len(table), table.shape[1], library_of(X))
