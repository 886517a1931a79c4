"""The look at a table before a verdict: what `heldout.audit` knows of it by itself, without a fit of a candidate.

It is made when somebody first asks for a decision, once, so that a call that asks for numbers alone needs no pandas.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heldout.errors import BadArgument
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.schemes.design import Design

_MOST_NAMES = 5  # in one line


@dataclass(frozen=True)
class Looked:
    """The findings that can hold a verdict back; or why nobody looked."""

    findings: tuple[Finding, ...] = ()
    why_not: str = ""

    @property
    def for_verdict(self) -> list[tuple[Any, str]]:
        """The severity and the text of each finding, with its code."""
        return [(one.severity, checks.with_code(one.code, one.text)) for one in self.findings]

    @property
    def remarks(self) -> dict[str, str]:
        """What to do about each finding, by its code; and why nobody looked."""
        said: dict[str, list[str]] = {}
        for one in self.findings:
            said.setdefault(one.code, []).append(
                f"{', '.join(one.columns)}: {one.decide}" if one.columns else one.decide
            )
        about = {code: f"{'; '.join(texts)} ({checks.page_of([code])})" for code, texts in said.items()}
        return {**about, **({"not looked at": self.why_not} if self.why_not else {})}


class Look:
    """A look at the rows X of a call, shape (N, p), and its `unlabeled` rows, that is made where somebody asks."""

    def __init__(self, X: Any, unlabeled: Any, design: Design, muted: Iterable[str], *, own_folds: bool) -> None:
        self._X, self._unlabeled, self._design, self._own_folds = X, unlabeled, design, own_folds
        self._muted = frozenset(muted)

    @cached_property
    def looked(self) -> Looked:
        """What was found."""
        if self._muted >= {*checks.CODES}:
            return Looked()
        if self._design.loss.labels > 1:
            return Looked(why_not="the checks of a table are for one label a row")
        if hasattr(self._X, "tocsr"):
            return Looked(why_not="the checks of a table need columns with names or places, and X is a sparse matrix")
        try:
            from heldout.checks import doubts
        except ImportError:
            return Looked(why_not="the checks of a table need pandas, which is not installed: pip install pandas")
        design = self._design
        skipped = {*self._muted, checks.WHOLE_NUMBERS.code}  # the loss is chosen, or was warned of
        if design.loss.name != "squared":
            skipped.add(checks.OUTLIERS.code)
        try:
            found = doubts.of_rows(
                self._X,
                design.y,
                unlabeled=self._unlabeled,
                classes=design.loss.of_classes,
                dependent=design.dependence.kind is not None,
                skipped=skipped,
                folds=(design.partition.fold, *design.further_folds) if self._own_folds else (),
            )
        except BadArgument as error:
            return Looked(why_not=f"the checks of a table cannot read it: {error}")
        return Looked(tuple(one.without_params() for one in found))
