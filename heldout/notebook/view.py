"""What people see of a `Validation`: text, what a notebook shows, a page and a picture."""

from functools import cached_property
from typing import TYPE_CHECKING

from heldout.decision.ship import Decision
from heldout.estimates import lacking_text
from heldout.fits import baseline
from heldout.losses.amounts import rounded, with_unit
from heldout.notebook import as_html, as_page, as_text
from heldout.notebook.as_strip import strip_of
from heldout.printable import printable
from heldout.shown import about_race, strip_html
from heldout.shown.cells import cell, marks
from heldout.shown.strip import Strip

if TYPE_CHECKING:
    from heldout.notebook.result import Validation
    from heldout.shown.picture import Picture


class View:
    """What is shown of a result, each part made once."""

    def __init__(self, made: "Validation") -> None:
        self._made, self._design = made, made.design

    def line(self) -> str:
        """A line for whoever prints many results."""
        made, count = self._made, len(self._made.started)
        left = f", {len(made.dropped)} dropped" if made.dropped else ""
        left += f", {len(made.failed)} failed" if made.failed else ""
        return f"<Validation: {count} candidate{'s' * (count > 1)}{left}, {self._rows}; {printable(self._headline)}>"

    def text(self) -> str:
        """The table and the sentences."""
        made, loss = self._made, self._design.loss
        first = made.judged is not None and not made.beats_baseline(made.winner)
        notes = {**about_race.lines(made.dropped, loss, about_race.FEW), **self._of_failed}
        return as_text.text(made, self._order, notes, self._sentences, loss, first=first)

    def html(self) -> str:
        """What a notebook shows."""
        made, loss, ranked = self._made, self._design.loss, self._made.ranked
        rows = dict.fromkeys(self._order, "")
        if ranked and len(rows) > 1:
            rows[ranked[0].candidate] = f"least {ranked[0].estimate}"
        rows |= {**about_race.lines(made.dropped, loss), **self._of_failed}
        if made.judged is not None:
            rows[baseline.NAME] = loss.constant.says
        return as_html.html(
            [*made.estimates, *made.baseline],
            rows,
            self._title,
            self._decision.advice if made.judged else "",
            self._headline,
            strip_html.html(self.strip) if made.judged else "",
            self._sentences,
            loss,
        )

    def picture(self) -> "Picture":
        """Every estimate of every candidate. Raises ImportError without matplotlib."""
        try:
            from heldout.shown import picture
        except ImportError:
            raise ImportError("plot() needs matplotlib, which is not installed: pip install matplotlib") from None
        made = self._made
        return picture.draw(made.estimates, self._order, made.baseline, self._design.loss, self._headline)

    def page(self) -> str:
        """The text of an HTML file that holds everything."""
        from heldout import __version__

        made, winner = self._made, self._made.winner
        try:
            picture: Picture | str = self.picture()
        except ImportError as error:
            picture = f"The picture is left out: {error}"
        count = len(made.started) + len(made.failed)
        left_out = {name: f"failed, and is left out: {why}" for name, why in made.failed.items()}
        return as_page.page(
            f"{count} candidate{'s' * (count > 1)} on {self._rows}",
            self.html(),
            picture,
            winner,
            made.differences(winner),
            next((one.value for one in made.ranked if (one.candidate, one.estimate) == (winner, "E_cv")), None),
            made.warnings,
            {**self._of_lacking, **left_out},
            self._design,
            __version__,
        )

    @cached_property
    def strip(self) -> Strip:
        """The numbers of the decision, on one axis."""
        return strip_of(self._made, self._made.winner, self._design)

    @cached_property
    def _sentences(self) -> dict[str, str]:
        advice = self._decision.sentence if self._made.judged else ""
        return {**self._of_lacking, **as_text.sentences(self._made, self._made.winner, advice)}

    @cached_property
    def _decision(self) -> Decision:
        """About the candidate of least E_cv, or E_val without it."""
        return self._made.decide(self._made.judged.estimate)  # type: ignore[union-attr]  # asked for where it exists

    @property
    def _order(self) -> list[str]:
        """The candidates, that of the least error first."""
        made = self._made
        return list(dict.fromkeys([*(record.candidate for record in made.ranked), *made.candidates]))

    @property
    def _rows(self) -> str:
        """How many rows there are, and of how many groups."""
        groups = self._design.dependence.groups
        return f"{len(self._design.y)} rows{'' if groups is None else f' of {groups} groups'}"

    @property
    def _of_failed(self) -> dict[str, str]:
        """What tables say of each candidate that failed."""
        return {name: f"failed: {reason}" for name, reason in self._made.failed.items()}

    @property
    def _of_lacking(self) -> dict[str, str]:
        """Which estimates candidates lack, and why, in words."""
        found = {name: lacking_text(self._design, of) for name, of in self._made.evidence.items()}
        return {name: text for name, text in found.items() if text}

    @property
    def _title(self) -> str:
        made, design = self._made, self._design
        levels = {record.level for record in made.estimates if record.level is not None}
        below = f", below each its interval at {100 * design.level:g} %" if levels else ""
        by = "".join(f"; the least {record.estimate} first" for record in made.ranked[:1])
        doubted = marks(any(record.not_credible is not None for record in [*made.estimates, *made.baseline]))
        return f"{design.loss.scale('y')}{below}{by}{doubted}"

    @property
    def _headline(self) -> str:
        """The candidate of the least error, that error, and that of the baseline."""
        made, loss = self._made, self._design.loss
        if not (ranked := made.ranked):
            return ", ".join(dict.fromkeys(record.estimate for record in made.estimates))
        best = ranked[0]
        value, ends = cell(best.value, best.low, best.high, loss)
        of_constant = {record.estimate: record.value for record in made.baseline}[best.estimate]
        interval, against = f" [{ends}]" if ends else "", with_unit(rounded(of_constant, loss), loss)
        return f"{best.candidate}: {best.estimate} {with_unit(value, loss)}{interval}, baseline {against}"
