"""The contract tests find what is broken: an example of each kind that breaks one law alone, and is named for it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from heldout import testing
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.estimates.methods import DEFAULTS
from heldout.intervals import wilson
from heldout.intervals.method import IntervalMethod
from heldout.losses.absolute import ABSOLUTE
from heldout.losses.absolute import KIND as OF_NUMBERS
from heldout.losses.constant import Constant
from heldout.losses.kind import LossKind
from heldout.losses.log import KIND as OF_CHANCES
from heldout.losses.pinball import KIND as PINBALL
from heldout.losses.zero_one import KIND as OF_CLASSES
from heldout.losses.zero_one import ZERO_ONE
from heldout.records import Interval
from heldout.rows.column_kind import ColumnKind
from heldout.rows.foreign_kinds import KINDS
from heldout.selection.rules import RULES, SelectionRule
from heldout.shortcuts.least_squares import LeastSquares
from studies.intervals import student_t

WILSON, T = wilson.METHOD, student_t.METHOD


def made(loss, of=OF_NUMBERS, **changes) -> LossKind:
    return replace(of, name=loss.name, make=lambda *_: loss, **changes)


def at(bounds):
    """Wilson's method with other bounds: of the error e of n losses, and of Wilson's own at the level."""
    return replace(WILSON, bounds=lambda seen, level: bounds(seen, *wilson.METHOD.bounds(seen, level), level))


INTERVALS: dict[str, tuple[IntervalMethod, str]] = {
    "an upper bound below the error": (at(lambda seen, low, *_: (low, low)), "higher level must widen"),
    "a level without effect": (at(lambda seen, *_: wilson.METHOD.bounds(seen, 0.9)), "higher level must widen"),
    "a level the wrong way round": (
        at(lambda seen, low, high, level: wilson.METHOD.bounds(seen, 1.4 - 0.9 * level)),
        "higher level must not narrow",
    ),
    "a width that does not shrink": (
        at(lambda seen, low, high, level: (seen.error * (1 - level / 2), seen.error + (1 - seen.error) * level / 2)),
        "halve the width",
    ),
    "a width that is not said": (replace(WILSON, keeps_width=False), "where keeps_width says so"),
    "no width at a guaranteed level": (replace(T, validity="finite-sample"), "can be asymptotic alone"),
    "steps in any order": (replace(WILSON, order_matters=True), "order_matters: errors that fall"),
    "the first row counts more": (
        at(lambda seen, low, high, _: (low * (1 - 1e-4 * seen.losses[0]), high)),
        "another order of the rows must give the same",
    ),
    "no mirror": (at(lambda seen, low, high, _: ((1 - 1e-4) * low, high)), "1 minus that of the loss"),
    "a seed without draws": (replace(WILSON, random=True), "depend on the seed where random says so"),
    "an estimate that does not exist": (replace(WILSON, covers={"E_none": "independent"}), "covers must map"),
    "no assumption": (replace(WILSON, covers={"E_val": "large n"}), "how examples come"),
    "further fits that nobody makes": (replace(WILSON, needs="luck"), "needs must be one of"),
    "a loss that does not exist": (replace(WILSON, losses="all"), "losses must be one of"),
}


@pytest.mark.parametrize("broken", INTERVALS)
def test_a_broken_interval_is_found(broken):
    method, law = INTERVALS[broken]
    with pytest.raises(AssertionError, match=f"^{method.name}: .*{law}"):
        testing.check_interval(method)


class Careless(IntervalMethod):
    """An upper bound of 0 where no loss is above 0."""

    def interval(self, estimate, observed, level):
        found = super().interval(estimate, observed, level)
        return found if observed.error else replace(found, high=0.0)


class Low(IntervalMethod):
    """An upper bound below the error."""

    def interval(self, estimate, observed, level):
        found = super().interval(estimate, observed, level)
        return replace(found, high=0.99 * observed.error)


class Lax(IntervalMethod):
    """No check of what is given, and no cut."""

    def interval(self, estimate, observed, level):
        low, high = self.bounds(observed, level)
        return Interval(low, high, level, self.name, self.covers[estimate])


def of_class(kind: type[IntervalMethod], of: IntervalMethod) -> IntervalMethod:
    return kind(**{name: getattr(of, name) for name in of.__dataclass_fields__})


@pytest.mark.parametrize(
    ("method", "law"),
    [
        (of_class(Careless, T), "losses of 0 and a known limit must have an upper bound"),
        (of_class(Low, T), "the bounds must bracket the estimate"),
        (of_class(Lax, T), "the bounds must bracket the estimate, and not pass the range"),
        (of_class(Lax, WILSON), "a level outside 0 and 1 must raise BadArgument"),
    ],
)
def test_a_method_with_an_interval_of_its_own_is_found(method, law):
    with pytest.raises(AssertionError, match=law):
        testing.check_interval(method)


def _signed(y, answers):
    return np.asarray(answers, dtype=float) - np.asarray(y, dtype=float)


def _shifted(y, answers):
    return ABSOLUTE.pointwise(y, answers) + 0.1


def _whole(y, answers):
    return ABSOLUTE.pointwise(y, answers).astype(int)


def _one_way(one, other):
    return np.maximum(_signed(one, other), 0)


def _half(y, answers):
    return 0.5 * ZERO_ONE.pointwise(y, answers)


def _zeros(labels):
    return np.zeros(len(labels.means)) + 1e6


LOSSES: dict[str, tuple[LossKind, str]] = {
    "another name": (replace(OF_NUMBERS, name="other"), "the name of the kind"),
    "another target": (replace(OF_NUMBERS, targets="classes"), "a loss of classes must need"),
    "no words": (made(replace(ABSOLUTE, says="")), "say what it is"),
    "below 0": (made(replace(ABSOLUTE, pointwise=_signed)), "between 0 and the limit"),
    "past its limit": (made(replace(ABSOLUTE, limit=0.001)), "between 0 and the limit, 0.001"),
    "whole numbers": (made(replace(ABSOLUTE, pointwise=_whole)), "an array of float64"),
    "not binary": (made(replace(ZERO_ONE, pointwise=_half), OF_CLASSES), "must be 0 or 1"),
    "a price of the truth": (made(replace(ABSOLUTE, pointwise=_shifted)), "the truth must have a loss of 0"),
    "a bad constant": (
        made(replace(ABSOLUTE, constant=Constant("a million", _zeros))),
        "constant answer of least mean",
    ),
    "no distance": (made(replace(ABSOLUTE, disagreement_loss=None)), "must have a disagreement_loss"),
    "a distance of one direction": (
        made(replace(ABSOLUTE, disagreement_loss=replace(ABSOLUTE, pointwise=_one_way))),
        "the same both ways",
    ),
    "a distance of equal answers": (
        made(replace(ABSOLUTE, disagreement_loss=replace(ABSOLUTE, pointwise=_shifted))),
        "equal answers must have no distance",
    ),
    "too large a promise": (made(replace(ABSOLUTE, pair_factor=0.6)), "at least pair_factor times"),
    "a bound without words": (replace(OF_NUMBERS, bound="none"), "bound must be 'none' where"),
    "no reason for no bound": (
        made(replace(ABSOLUTE, pair_factor=None, bound_factor=None), bound="none", pair_bound="none"),
        "without a bound must say why",
    ),
    "a lambda": (made(replace(ABSOLUTE, pointwise=lambda y, f: ABSOLUTE.pointwise(y, f))), "a worker must be able"),
    "other classes": (
        replace(OF_CHANCES, make=lambda target, _: OF_CHANCES.make(replace(target, y=1 + target.y), None)),
        "must name the classes",
    ),
    "any value": (
        replace(PINBALL, parameter=replace(PINBALL.parameter, check=lambda value: None)),
        "a wrong value of its parameter",
    ),
    "nothing that it takes": (replace(OF_NUMBERS, refuses=lambda target: "it is Monday"), "must take .* it is Monday"),
}


@pytest.mark.parametrize("broken", LOSSES)
def test_a_broken_loss_is_found(broken):
    kind, law = LOSSES[broken]
    with pytest.raises(AssertionError, match=f"^{kind.name}: .*{law}"):
        testing.check_loss(kind)


class Worst(SelectionRule):
    def take(self, compared):
        return [*compared.values][-1]


RULES_BROKEN: dict[str, tuple[SelectionRule, str]] = {
    "no words": (replace(RULES["minimum"], says=" "), "says must be"),
    "no reach and no losses": (SelectionRule("x", "x", needs_losses=False), "needs_losses must be True"),
    "a reach below the best": (SelectionRule("x", "x", True, lambda least, error: 0.9 * least), "least value must be"),
    "the last": (Worst("x", "x", True, RULES["minimum"].largest), "take the first candidate within reach"),
    "numbers alone": (
        SelectionRule("x", "x", True, lambda least, error: least + math.sqrt(error) if np.ndim(error) == 0 else least),
        "largest must take arrays",
    ),
}


@pytest.mark.parametrize("broken", RULES_BROKEN)
def test_a_broken_rule_is_found(broken):
    rule, law = RULES_BROKEN[broken]
    with pytest.raises(AssertionError, match=f"^{rule.name}: .*{law}"):
        testing.check_rule(rule)


E_VAL, E_BBC = ESTIMATES["E_val"], ESTIMATES["E_bbc"]


def shifted(design, evidence, candidate):
    return replace(E_VAL.of_candidate(design, evidence, candidate), value=2.0)


def unnamed(design, evidence, candidate):
    return replace(E_VAL.of_candidate(design, evidence, candidate), estimate="E_other")


def half_an_interval(design, evidence, candidate):
    return replace(E_VAL.of_candidate(design, evidence, candidate), low=None)


def restless(design, evidence, candidate, calls=[0.0]):  # noqa: B006
    calls[0] += 1e-6
    return replace(E_VAL.of_candidate(design, evidence, candidate), n_train=calls[0])


ESTIMATES_BROKEN = {
    "no sentence": (replace(E_VAL, meaning="an error"), "meaning must be a sentence"),
    "no words": (replace(E_VAL, about=""), "must be words"),
    "no words after the choice": (replace(E_BBC, after_the_choice=""), "after_the_choice"),
    "no scheme": (replace(E_VAL, scheme="luck"), "its schemes must be among"),
    "a scheme of nobody": (replace(E_VAL, own_schemes=ESTIMATES["E_boot"].own_schemes), "own_schemes must be"),
    "a scheme without numbers": (replace(E_VAL, of_candidate=None), "has a scheme"),
    "a method of others": (replace(E_VAL, methods=(ESTIMATES["E_boot"].methods[0],)), "name it in covers"),
    "a default of classes alone": (replace(E_VAL, default=replace(DEFAULTS["E_val"], other=WILSON)), "admit these"),
    "nothing for numbers in groups": (replace(E_VAL, valid={"groups": (WILSON,)}), "valid must have a method"),
    "carried from nowhere": (replace(E_VAL, carried_from="E_none"), "carried_from must be"),
    "a value outside": (replace(E_VAL, of_candidate=shifted), "bracket the value"),
    "another name": (replace(E_VAL, of_candidate=unnamed), "there is none"),
    "half an interval": (replace(E_VAL, of_candidate=half_an_interval), "both bounds, or none"),
    "another result each time": (replace(E_VAL, of_candidate=restless), "the same seed must give"),
}


@pytest.mark.parametrize("broken", ESTIMATES_BROKEN)
def test_a_broken_estimate_is_found(broken, monkeypatch):
    definition, law = ESTIMATES_BROKEN[broken]
    monkeypatch.setattr("heldout.estimates._DEFINITIONS", (definition,))
    monkeypatch.setitem(ESTIMATES, definition.name, definition)
    with pytest.raises(AssertionError, match=f"^{definition.name}: .*{law}"):
        testing.check_estimate(definition)


def test_an_estimate_that_is_not_in_the_registry_is_refused():
    with pytest.raises(BadArgument, match="^E_val is not in the registry of estimates; .*heldout.allow"):
        testing.check_estimate(replace(E_VAL, meaning="Other."))


def convert(values):
    return np.array([float(text[1:]) if text[:1] == "#" else np.nan for text in values], dtype=np.float64)


def recognises(values):
    return bool(values) and all(text.startswith("#") for text in values)


NUMBERED = ColumnKind("numbered", "#7", recognises, convert)


def restless_numbers(values, calls=[0.0]):  # noqa: B006
    calls[0] += 1.0
    return convert(values) + calls[0]


def zero_for_none(values):
    return np.nan_to_num(convert(values))


def numbers_too(values):
    return np.array([np.inf if text == "0" else number for text, number in zip(values, convert(values), strict=True)])


def ranked(values):
    found = convert(values)
    return found + np.arange(len(found)) * (len(found) > 1)


def restless_answer(values, calls=[0]):  # noqa: B006
    calls[0] += 1
    return recognises(values) if len(values) < 2 else calls[0] % 2 == 0 and "#7" in values


def by_the_first(values):
    return bool(values) and values[0].startswith("#")


COLUMN_KINDS_BROKEN = {
    "a name of heldout's own": (replace(NUMBERED, name="text"), "a kind of heldout's own"),
    "a name of two words": (replace(NUMBERED, name="two words"), "one word"),
    "an example of another kind": (replace(NUMBERED, example="7"), "the example must be recognised"),
    "an example without a number": (
        replace(NUMBERED, recognises=lambda strings: [*strings] == ["7"], example="7"),
        "the example must convert to a finite number",
    ),
    "a list": (replace(NUMBERED, convert=lambda strings: convert(strings).tolist()), "an array of float64"),
    "single precision": (replace(NUMBERED, convert=lambda strings: convert(strings).astype("f4")), "of float64"),
    "only what is one": (
        replace(NUMBERED, convert=lambda strings: convert([text for text in strings if text[:1] == "#"])),
        "one for each string",
    ),
    "zero for words": (replace(NUMBERED, convert=zero_for_none), "must give NaN for a string that is none"),
    "infinite numbers": (replace(NUMBERED, convert=numbers_too), "must give finite numbers, or NaN"),
    "another number each time": (replace(NUMBERED, convert=restless_numbers), "convert must give the same each time"),
    "the others count": (replace(NUMBERED, convert=ranked), "read each string by itself"),
    "words": (replace(NUMBERED, recognises=lambda strings: strings[:1] != ["1"]), "must be False for words"),
    "numbers": (
        replace(NUMBERED, recognises=lambda strings: recognises(strings) or strings[:1] == ["1"]),
        "must be False for numbers",
    ),
    "whole numbers": (
        replace(NUMBERED, recognises=lambda strings: recognises(strings) or strings == ["1", "2", "30"]),
        "must be False for whole numbers",
    ),
    "no string": (
        replace(NUMBERED, recognises=lambda strings: all(text[:1] == "#" for text in strings)),
        "must be False for no strings",
    ),
    "no truth value": (
        replace(NUMBERED, recognises=lambda strings: recognises(strings) and 1),
        "recognises must give True or False",
    ),
    "another answer each time": (replace(NUMBERED, recognises=restless_answer), "recognises must give the same"),
    "the order counts": (replace(NUMBERED, recognises=by_the_first), "whatever the order of the strings"),
}


def test_a_kind_of_columns_that_keeps_the_laws_passes():
    testing.check_column_kind(NUMBERED)


@pytest.mark.parametrize("broken", COLUMN_KINDS_BROKEN)
def test_a_broken_kind_of_columns_is_found(broken):
    kind, law = COLUMN_KINDS_BROKEN[broken]
    with pytest.raises(AssertionError, match=f"^{kind.name}: .*{law}"):
        testing.check_column_kind(kind)


def test_a_kind_of_columns_whose_name_another_allowed_package_has_is_found(monkeypatch):
    monkeypatch.setitem(KINDS, "numbered", NUMBERED)
    testing.check_column_kind(NUMBERED)
    with pytest.raises(AssertionError, match="^Numbered: an allowed package has a kind of this name"):
        testing.check_column_kind(replace(NUMBERED, name="Numbered"))


class Nearly(LeastSquares):
    def folds(self, fold, method="predict"):
        return super().folds(fold, method) * (1 + 1e-7)


class Short(LeastSquares):
    def part(self, train, test_rows, method="predict"):
        return super().part(train, test_rows, method)[:-1]


class Blocked(LeastSquares):
    def blocks(self, step, block, method="predict"):
        return super().blocks(step, block + 1, method)


class NoShortcut:
    @classmethod
    def of(cls, *given):
        return cls()


@pytest.mark.parametrize(
    ("shortcut", "learner", "law"),
    [
        (Nearly, Ridge(), "predict for folds: answers must be those of the refit; they differ by "),
        (Short, Ridge(), "predict for a part: answers must have the shape"),
        (Blocked, Ridge(), "predict for blocks: answers must be those of the refit"),
        (LeastSquares, Ridge(positive=True), "LeastSquares: it must take rows that are well conditioned"),
        (NoShortcut, Ridge(), "NoShortcut: `of` must give a Shortcut"),
        (Ridge, Ridge(), "Ridge: it must have a class method `of`"),
    ],
)
def test_a_broken_shortcut_is_found(shortcut, learner, law):
    X = np.random.default_rng(0).normal(size=(24, 2))
    with pytest.raises(AssertionError, match=f"^{law}"):
        testing.check_shortcut(shortcut, learner, X, X[:, 0] + X[:, 1] ** 2)
