"""What a person sees of a `Validation`, and what it chooses: print, plot, target, select."""

import re
import sys
from base64 import b64decode
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_classification
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.display import text_table
from heldout.errors import BadArgument
from heldout.estimates import FIRST, ON_REQUEST
from heldout.estimates.criteria import CRITERIA, WITH_LOSSES
from heldout.selection.rules import RULES

EVERY = ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt", "E_bbc", "E_nested"]
features, y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=6)
X, U = features, np.random.default_rng(0).normal(size=(50, 4))
HOW = {"folds": 4, "repeats": 2, "tested_fraction": 0.3}


@pytest.fixture(scope="module")
def found() -> heldout.Validation:
    learners = {
        "stump": DecisionTreeClassifier(max_depth=1),
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(),
    }
    return heldout.validate(learners, X, y, unlabeled=U, estimates=EVERY, level=0.9, **HOW)


@pytest.fixture(scope="module")
def numbers() -> heldout.Validation:
    learners = {"line": Ridge(), "tree": DecisionTreeRegressor(max_depth=2)}
    return heldout.validate(learners, X, X[:, 0] * 3 + y, loss="squared", estimates=EVERY[:4], **HOW)


@pytest.fixture
def wide(monkeypatch):
    """A terminal that has room for every estimate."""
    monkeypatch.setattr(text_table, "output_width", lambda: 200)


def values(found: heldout.Validation, estimate: str) -> dict[str, float]:
    return {record.candidate: record.value for record in found.estimates if record.estimate == estimate}


# --- print


SHOWN = [name for name in EVERY if name in FIRST]


def table(found: heldout.Validation) -> list[str]:
    """The lines of the table."""
    return str(found).partition("\n\n")[2].splitlines()[:-1]


def test_print_begins_with_the_decision_and_on_what_it_rests(found, wide, capsys):
    print(found)
    shown = capsys.readouterr().out
    assert str(found) + "\n" == shown
    decision, (of_bbc,) = found.decide(), (one for one in found.estimates if one.estimate == "E_bbc")
    first, *caveats, plan = shown.partition("\n\n")[0].splitlines()
    assert decision.advice == first
    assert [decision.others, *(f"caveat: {one}" for one in decision.further)] == caveats
    bound = f"at most {100 * found.bound('stump').value:.1f} %, for 3 candidates"
    assert plan.startswith(f"plan with E_bbc = {100 * of_bbc.value:.1f} %, by cross-validation, ")
    assert plan.endswith(f", at 90 %; {bound}")


def test_print_shows_every_candidate_and_every_value_of_the_first_estimates(found, wide):
    title, header, line, *body = table(found)
    assert "errors in percent, intervals at 90 %; * least E_cv" == title
    assert ["candidate", *SHOWN, "worse", "by"] == header.split()
    assert {"─"} == {*line}
    errors, less = values(found, "E_cv"), {one.against: one for one in found.differences()}
    for name in [*sorted(found.candidates, key=errors.__getitem__), "baseline"]:
        text, *body = body
        mark, cells = text[:2], text[2:].split()
        assert ("* " if name == "stump" else "  ", name) == (mark, cells[0])
        every = [*found.estimates, *found.baseline]
        records = {record.estimate: record for record in every if record.candidate == name}
        worse = f"{-100 * less[name].difference:z.1f}" if name in less else "–"
        assert [*(f"{100 * records[e].value:.1f}" if e in records else "–" for e in SHOWN), worse] == cells[1:]
        bounds = [records[e] for e in SHOWN if e in records and records[e].low is not None]
        ends = [f"{100 * one.low:.1f}–{100 * one.high:.1f}" for one in bounds]
        if name in less:
            ends += f"{-100 * less[name].high:z.1f} to {-100 * less[name].low:z.1f}".split()
        text, *body = body
        assert ends == text.split()
    assert body == []


def test_print_shows_losses_of_numbers_in_their_own_unit(numbers):
    title, header, _, *body = table(numbers)
    assert "RMSE, in units of y, intervals at 95 %; * least E_cv" == title
    assert ["candidate", *EVERY[:4], "worse", "by"] == header.split()
    errors = values(numbers, "E_cv")
    for place, name in enumerate(sorted(errors, key=errors.__getitem__)):
        shown = [float(cell) for cell in body[2 * place][2:].split()[1:-1]]
        # three digits
        assert [values(numbers, estimate)[name] ** 0.5 for estimate in EVERY[:4]] == pytest.approx(shown, rel=5e-3)


def test_the_columns_of_the_table_are_aligned(found, wide):
    _, header, _, *body = table(found)
    ends = [header.index(name) + len(name) for name in header.replace("worse by", "worse_by").split()[1:-1]]
    for line in body[::2]:
        assert all(line[end - 1] != " " and line[end : end + 1] in ("", " ") for end in ends)


def test_a_narrow_terminal_shows_the_columns_in_blocks(found, monkeypatch):
    monkeypatch.setattr(text_table, "output_width", lambda: 60)
    lines = table(found)
    assert all(len(line) <= 60 for line in lines)
    assert 2 * (1 + lines.count("")) == sum(line.startswith(("* stump ", "  tree ")) for line in lines) >= 4


def test_the_representation_shows_no_learner_and_no_data(found):
    assert repr(found).startswith("<Validation: 3 candidates, 60 rows; stump: E_cv ")
    assert "GaussianNB" not in repr(found)


# --- plot


def ranked(found: heldout.Validation) -> list[str]:
    errors = values(found, "E_cv")
    return sorted(errors, key=errors.__getitem__)


@pytest.fixture(scope="module")
def figure(found) -> Figure:
    """The picture of `found`, drawn."""
    made = found.plot()
    made.canvas.draw()
    return made


def panels(figure: Figure) -> dict:
    """Each estimate's panel: its points and its bars, by the name of the candidate, from the top to the bottom."""
    shown = [axes for axes in figure.axes if axes.get_visible()]
    names = [label.get_text() for label in shown[0].get_yticklabels()]
    return {
        axes.get_title("left"): {names[round(one.lines[0].get_ydata()[0])]: one for one in axes.containers}
        for axes in shown
    }


def test_plot_is_a_figure_with_a_panel_for_each_estimate_and_the_candidate_of_least_error_at_the_top(found, figure):
    assert isinstance(figure, Figure)
    assert ranked(found) == [label.get_text() for label in figure.axes[0].get_yticklabels()]
    bottom, top = figure.axes[0].get_ylim()
    assert bottom > top
    points = {name: of for name, of in panels(figure).items() if name}
    assert SHOWN == list(points)
    assert sum(one.estimate in points for one in found.estimates) == sum(len(of) for of in points.values())
    for estimate, of in points.items():
        shown = {name: bars.lines[0].get_xdata()[0] for name, bars in of.items()}
        assert {name: 100 * value for name, value in values(found, estimate).items()} == pytest.approx(shown, rel=1e-12)
    assert "error, %" == figure.get_supxlabel()
    assert figure.get_suptitle().startswith(f"{ranked(found)[0]}: E_cv ")


def test_panels_of_labelled_rows_share_an_axis_that_no_disagreement_flattens(found, figure):
    limits = {axes.get_title("left"): axes.get_xlim() for axes in figure.axes if axes.get_visible()}
    of_labelled = {name: ends for name, ends in limits.items() if name not in ("disagreement", "E_dis", "E_maxdt")}
    assert 1 == len({*of_labelled.values()})
    ends = [e for one in found.estimates if one.estimate in of_labelled for e in (one.value, one.high) if e is not None]
    low, high = of_labelled["E_cv"]
    assert low <= 0 < 100 * max(ends) < high
    some = ["E_cv", "disagreement"]
    shifted = heldout.validate({"line": Ridge()}, X, X[:, 0] + y, unlabeled=U + 1000, estimates=some, **HOW)
    by_name = {axes.get_title("left"): axes.get_xlim()[1] for axes in shifted.plot().axes}
    assert by_name["disagreement"] > 100 * by_name["E_cv"]


def test_the_bars_of_the_plot_reach_to_the_bounds(numbers):
    shown = numbers.plot()
    shown.canvas.draw()
    for estimate, of in panels(shown).items():
        for record in (one for one in numbers.estimates if one.estimate == estimate):
            (segment,) = of[record.candidate].lines[2][0].get_segments()
            ends = (record.value, record.value) if record.low is None else (record.low, record.high)
            assert [end**0.5 for end in ends] == pytest.approx(segment[:, 0], rel=1e-9, abs=1e-12)
    assert "RMSE" == shown.get_supxlabel()


def test_in_a_page_the_plot_has_the_colours_of_the_page_and_its_text_is_text(found):
    one, other = found.plot(), found.plot()
    assert one is not other
    shown = one.svg()
    assert shown == other.svg()
    assert {"#2878c8", "#8c8c8c"} == set(re.findall(" (#[0-9a-f]{6})", shown))  # legible on white and on black
    texts = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", shown)]
    assert {*SHOWN, *ranked(found), "error, %"} <= {*texts}
    assert [] == re.findall(r"<style|<script|<metadata|https?:|url\((?!#)|font-family: ", shown)
    names = re.findall(r' id="([^"]*)"', shown)
    assert len(names) == len({*names})
    assert {*re.findall(r'#(plot-[^")]*)', shown)} == {*names}


def test_a_notebook_shows_the_plot_as_an_image_that_it_need_not_trust(found):
    image = ElementTree.fromstring(found.plot()._repr_html_())
    assert "img" == image.tag
    drawn = ElementTree.fromstring(b64decode(image.attrib["src"].removeprefix("data:image/svg+xml;base64,")))
    assert {*SHOWN, *ranked(found), "error, %"} <= {*drawn.itertext()}


def test_a_name_is_drawn_in_a_page_as_it_is():
    names = {"#000000", '<g id="x">', ' font-family: y;"', 'clip-path="z"', "viewBox="}
    stumps = {name: DecisionTreeClassifier(max_depth=1) for name in names}
    shown = heldout.validate(stumps, X, y, estimates=["E_cv"], folds=4).plot().svg()
    assert names <= {unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", shown)}


def test_every_axis_of_the_plot_begins_at_0_unless_all_errors_are_far_from_it(figure, numbers):
    for of in (figure, numbers.plot()):
        for axes in (axes for axes in of.axes if axes.get_visible()):
            low, high = axes.get_xlim()
            points = [bars.lines[0].get_xdata()[0] for bars in axes.containers]
            assert -0.05 * high <= low <= 0 or low > 0.4 * high, axes.get_title("left")
            assert low < min(points) <= max(points) < high


def test_without_matplotlib_plot_says_what_is_missing(found, monkeypatch):
    monkeypatch.delattr(heldout.display, "picture", raising=False)
    monkeypatch.setitem(sys.modules, "heldout.display.picture", None)
    with pytest.raises(ImportError, match=r"^plot\(\) needs matplotlib, which is not installed: "):
        found.plot()


@pytest.mark.fault("markup")
def test_names_with_markup_and_codes_are_printed_and_drawn_as_they_are(capsys):
    names = ["[/luck]", "a$x$b", r"$\luck{$", "_bayes", "<b>\x1b[2J\u202e\nbound: 0"]
    stumps = {name: DecisionTreeClassifier(max_depth=1 + place) for place, name in enumerate(names)}
    found = heldout.validate(stumps, X, y, estimates=["E_val", "E_cv"], folds=4)
    print(found)
    said = capsys.readouterr().out
    assert [] == [letter for letter in set(said) if not letter.isprintable() and letter != "\n"]
    table = said[said.rindex("─") :].splitlines()[1:11:2]
    assert {*names[:4], r"<b>\x1b[2J\u202e\nbound: 0"} == {line[2:].split("  ")[0] for line in table}
    figure = found.plot()
    figure.canvas.draw()
    shown = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert {*names[:4], r"<b>\x1b[2J\u202e\nbound: 0"} == {text.replace(r"\$", "$") for text in shown}


# --- target


def test_an_unknown_candidate_or_estimate_is_refused_with_those_that_are_there(found, numbers):
    with pytest.raises(BadArgument, match="^candidate is 'lda'; it must be one of stump, bayes, tree$") as caught:
        found.target("lda", "E_cv")
    assert "candidate" == caught.value.argument
    with pytest.raises(
        BadArgument, match="^estimate is 'E_2cv'; of line there are E_cv, E_in, E_prog, E_val$"
    ) as caught:
        numbers.target("line", "E_2cv")
    assert "estimate" == caught.value.argument


def test_the_corrections_have_a_target_of_the_winner_alone(found):
    winner = next(record.candidate for record in found.estimates if record.estimate == "E_bbc")
    for name in found.candidates:
        for estimate in ("E_bbc", "E_nested"):
            if name == winner:
                assert 4 == len(found.target(name, estimate))
            else:
                with pytest.raises(BadArgument, match=f"^estimate is '{estimate}'; of {name} there are "):
                    found.target(name, estimate)


# --- select


COMPUTED = [name for name in CRITERIA if name not in ON_REQUEST]


@pytest.mark.parametrize("criterion", COMPUTED)
def test_the_minimum_is_the_first_candidate_of_least_value(found, criterion):
    chosen = found.select(criterion=criterion, rule="minimum")
    needed = ("E_cv", "E_maxdt") if criterion == "max(E_cv, E_maxdt)" else (criterion,)
    expected = {name: max(values(found, estimate)[name] for estimate in needed) for name in found.candidates}
    assert (expected, criterion, "minimum") == (chosen.values, chosen.criterion, chosen.rule)
    assert min(expected, key=expected.__getitem__) == chosen.selected


def test_unless_told_otherwise_it_is_the_minimum_of_e_cv(found):
    assert found.select("E_cv", "minimum") == found.select()


@pytest.mark.parametrize("criterion", [name for name in WITH_LOSSES if name in COMPUTED])
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_takes_a_candidate_that_the_criterion_allows(found, criterion, rule):
    chosen = found.select(criterion, rule)
    least = found.select(criterion, "minimum").selected
    assert least in chosen.indistinguishable
    # candidates go from simple to complex, and no rule takes one behind the least
    assert found.candidates.index(chosen.selected) <= found.candidates.index(least)
    assert chosen == found.select(criterion, rule)
    if rule == "indistinguishable":
        assert chosen.indistinguishable[0] == chosen.selected


def test_one_standard_error_is_that_of_the_fold_errors_of_the_least(found):
    hypotheses = {name: found.target(name, "E_cv") for name in found.candidates}
    errors = values(found, "E_cv")
    least = min(errors, key=errors.__getitem__)
    fold = found.design.partition.fold
    of_folds = [
        np.mean(hypotheses[least][number].predict(X[fold == number]) != y[fold == number]) for number in range(4)
    ]
    limit = errors[least] + np.std(of_folds, ddof=1) / 2  # sqrt(4)
    first = next(name for name in found.candidates if errors[name] <= limit)
    assert first == found.select("E_cv", "one_standard_error").selected


@pytest.mark.parametrize("criterion", ["E_maxdt", "max(E_cv, E_maxdt)"])
@pytest.mark.parametrize("rule", ["one_standard_error", "indistinguishable"])
def test_a_rule_that_needs_losses_is_refused_for_a_criterion_without(found, criterion, rule):
    with pytest.raises(BadArgument, match=f"^rule is {rule}, but .* is no mean of paired losses") as caught:
        found.select(criterion, rule)
    assert "rule" == caught.value.argument


@pytest.mark.parametrize("criterion", ["E_2cv", "E_maxdt", "max(E_cv, E_maxdt)"])
def test_a_criterion_that_was_not_computed_is_refused_with_those_that_were(numbers, criterion):
    with pytest.raises(BadArgument, match="was not computed .*; choose among E_val, E_cv, E_prog$") as caught:
        numbers.select(criterion)
    assert "criterion" == caught.value.argument


@pytest.mark.parametrize("criterion", ["E_in", "E_loo", None, 3])
def test_an_unknown_criterion_is_refused_with_those_that_are_known(found, criterion):
    with pytest.raises(BadArgument) as caught:
        found.select(criterion)
    known = f"it must be one of {', '.join(CRITERIA)}, or a metric: accuracy, "
    assert str(caught.value).startswith(f"criterion is {criterion!r}; {known}")
    assert "criterion" == caught.value.argument


def test_an_unknown_rule_is_refused(found):
    with pytest.raises(BadArgument, match="^rule is 'best'; it must be one of minimum, ") as caught:
        found.select(rule="best")
    assert "rule" == caught.value.argument


def test_numbers_are_selected_by_their_mean_loss(numbers):
    for criterion in ("E_val", "E_cv", "E_prog"):
        errors = values(numbers, criterion)
        assert min(errors, key=errors.__getitem__) == numbers.select(criterion).selected
