"""What people see of a `Validation`: text, what a notebook shows, a page and a picture."""

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.decision.judging import no_bound
from heldout.decision.ship import Decision, won_by
from heldout.display import about_plan, about_race, cells, strip_html
from heldout.display.cells import cell, marks
from heldout.display.strip import Strip
from heldout.estimates import lacking_text
from heldout.fits import baseline
from heldout.losses.amounts import amount, rounded, with_unit
from heldout.notebook import as_html, as_page, as_text
from heldout.notebook.as_strip import strip_of
from heldout.notebook.decision import planned
from heldout.printable import printable
from heldout.selection import equal_candidates

if TYPE_CHECKING:
    from heldout.display.picture import Picture
    from heldout.notebook.result import Validation


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
        """The decision, and the table."""
        made = self._made
        notes = {
            **self._of_equal,
            **about_race.lines(made.dropped, self._design.loss, about_race.FEW),
            **self._of_failed,
        }
        names = dict.fromkeys([*self._order, *notes, *([] if made.judged is None else [baseline.NAME])])
        return as_text.text(made, self._first, [*names], notes, self._worse, self._remarks)

    def html(self, *, whole: bool = False) -> str:
        """What a notebook shows; the `whole` has every estimate."""
        made, loss, ranked = self._made, self._design.loss, self._made.ranked
        rows = dict.fromkeys(self._order, "")
        if ranked and len(rows) > 1:
            rows[ranked[0].candidate] = f"least {ranked[0].estimate}"
        rows |= {**self._of_equal, **about_race.lines(made.dropped, loss), **self._of_failed}
        if made.judged is not None:
            rows[baseline.NAME] = loss.constant.says
        columns = self._columns(whole=whole)
        return as_html.html(
            [record for record in [*made.estimates, *made.baseline] if record.estimate in columns],
            rows,
            self._title,
            self._first or [self._headline],
            self._drawn(whole=whole) if made.judged else "",
            self._worse,
            self._remarks,
            self._sentences,
            loss,
        )

    def picture(self, *, whole: bool = False) -> "Picture":
        """The estimates of every candidate; the `whole` has each. Raises ImportError without matplotlib."""
        try:
            from heldout.display import picture
        except ImportError:
            raise ImportError("plot() needs matplotlib, which is not installed: pip install matplotlib") from None
        made = self._made
        records = [record for record in made.estimates if record.estimate in self._columns(whole=whole)]
        return picture.draw(records, self._order, made.baseline, self._design.loss, self._headline)

    def page(self) -> str:
        """The text of an HTML file that holds everything."""
        from heldout import __version__

        made, winner = self._made, self._made.winner
        try:
            picture: Picture | str = self.picture(whole=True)
        except ImportError as error:
            picture = f"The picture is left out: {error}"
        count = len(made.started) + len(made.failed)
        left_out = {name: f"failed, and is left out: {why}" for name, why in made.failed.items()}
        return as_page.page(
            f"{count} candidate{'s' * (count > 1)} on {self._rows}",
            self.html(whole=True),
            picture,
            winner,
            made.differences(winner),
            next((one.value for one in made.ranked if (one.candidate, one.estimate) == (winner, "E_cv")), None),
            made.warnings,
            {**self._of_lacking, **left_out},
            self._design,
            __version__,
        )

    def _drawn(self, *, whole: bool) -> str:
        """The strip: for a notebook a picture, which a viewer shows that trusts no style; else as a page draws it."""
        if not whole:
            with suppress(ImportError):  # matplotlib is not there
                from heldout.display import strip_picture

                return strip_picture.draw(self.strip).image()
        return strip_html.html(self.strip)

    @cached_property
    def strip(self) -> Strip:
        """The numbers of the decision, on one axis."""
        return strip_of(self._made, self._made.winner, self._design)

    @cached_property
    def _sentences(self) -> dict[str, str]:
        advice = self._decision.sentence if self._made.judged else ""
        return as_text.sentences(self._made, self._made.winner, advice)

    @cached_property
    def _remarks(self) -> dict[str, str]:
        """What is said below the table: what the checks ask, which estimates some lack, and intervals too narrow."""
        name, told = "not credible", self._sentences
        looked = self._made.looked.remarks if self._made.judged is not None else {}
        return {**looked, **self._of_lacking, **({name: told[name]} if name in told else {})}

    @cached_property
    def _first(self) -> list[str]:
        """What to read first: the decision, who is not ruled out, what speaks against it, and on what it rests."""
        made, design = self._made, self._design
        if made.judged is None:
            return []
        decision, plan = self._decision, planned(made, made.winner)
        lines = [decision.advice, decision.others, *(f"caveat: {caveat}" for caveat in decision.further)]
        if plan is None:
            return [line for line in lines if line]
        count, groups = len(made.started), design.dependence.groups
        bound = made.bound(made.winner).value if no_bound(design) is None else None
        rests_on = about_plan.rests_on(
            plan,
            design.loss,
            f"{100 * design.level:g} %",
            str(plan.record.n_tested),
            won=won_by(made.judged.estimate, made.winner, made.estimates) == plan.record.estimate,
            of="" if groups is None or plan.record.estimate == "E_test" else f" of {groups} groups",
            bound=""
            if bound is None
            else f"at most {amount(bound, design.loss)}, for {count} candidate{'s' * (count > 1)}",
        )
        return [line for line in (*lines, f"plan with {rests_on}") if line]

    @cached_property
    def _worse(self) -> dict[str, tuple[str, str]]:
        """How much more than the winner each other one errs, on the same rows."""
        made, judged = self._made, self._made.judged
        if judged is None:
            return {}
        error = next((one.value for one in made.ranked if one.candidate == made.winner), 0.0)
        return cells.worse(made.differences(made.winner), error, self._design.loss)

    @cached_property
    def _decision(self) -> Decision:
        """About the candidate of least E_cv, or E_val without it."""
        return self._made.decide(self._made.judged.estimate)  # type: ignore[union-attr]  # asked for where it exists

    def _columns(self, *, whole: bool) -> list[str]:
        """The estimates of a table."""
        computed = dict.fromkeys(record.estimate for record in self._made.estimates)
        return [*computed] if whole else cells.first(computed)

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
    def _of_equal(self) -> dict[str, str]:
        """What tables say of each candidate that is equal to an earlier one."""
        return {name: equal_candidates.line(earlier) for name, earlier in self._made.equal.items()}

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
        worse = (
            f"; {cells.WORSE}: {made.judged.estimate} above that of the first" if made.judged and self._worse else ""
        )
        return f"{design.loss.scale('y')}{below}{by}{worse}{doubted}"

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
