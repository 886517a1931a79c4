"""The decision strip: which numbers it has, and that text and picture put them where they are."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.amounts import rounded, shown
from heldout.shown import strip_svg, strip_text
from heldout.shown.strip import Mark, Strip

X, Y = load_breast_cancer(return_X_y=True)
HOSTILE = '<script>alert("1")</script>&\x1b[31m'


@pytest.fixture(scope="module")
def cancer():
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "5-NN": KNeighborsClassifier()}
    return heldout.validate(learners, X, Y, progress=False)


def made(end=1.0, **changes):
    marks = (Mark("E_in", "", 0.01 * end), Mark("E_cv", "too low", 0.1 * end, 0.05 * end, 0.2 * end, "held"))
    given_ = {
        "verdict": "Ship bayes",
        "winner": "bayes",
        "not_ruled_out": ("tree",),
        "marks": (*marks, Mark("bound", "at most", None, high=0.3 * end)),
        "planned": "E_cv",
        "compared": "E_cv",
        "rivals": (Mark("E_cv", "", 0.15 * end, 0.1 * end, 0.25 * end),),
        "baseline": Mark("E_cv", "", 0.4 * end),
        "flags": ("a caveat",),
        "level": "95 %",
        "loss": ZERO_ONE,
        "origin": "data; heldout",
    }
    return Strip(**{**given_, **changes})


def test_it_goes_from_the_most_optimistic_number_to_the_honest(cancer):
    strip, winner = cancer._strip, cancer.select().selected
    assert ["E_in", "E_cv", "E_bbc", "bound"] == [mark.called for mark in strip.marks]
    records = cancer[winner]
    for mark in strip.marks[:-1]:
        record = records[mark.called]
        assert (record.value, record.low, record.high) == (mark.value, mark.low, mark.high)
    assert cancer.bound().value == strip.marks[-1].high
    assert ("E_bbc", "E_cv") == (strip.planned, strip.baseline.called)
    assert {name: cancer[name]["E_cv"].value for name in cancer if name != winner} == dict(
        zip(sorted((n for n in cancer if n != winner), key=lambda n: cancer[n]["E_cv"].value),
            (mark.value for mark in strip.rivals), strict=True)
    )  # fmt: skip
    assert tuple(name for name in cancer.select().indistinguishable if name != winner) == strip.not_ruled_out
    assert f"Ship {winner}" == strip.verdict


def test_what_was_measured_of_a_method_is_said_where_the_study_was_about_such_rows(cancer):
    assert "held in 96 % of samples, worst cell 92 %" == cancer._strip.marks[1].covered
    numbers, y = load_diabetes(return_X_y=True)
    of_numbers = heldout.validate({"ridge": Ridge(), "mean": DummyRegressor()}, numbers, y, progress=False)
    assert of_numbers._strip.marks[1].covered.startswith("held in 96 %")
    for changes in ({"level": 0.9}, {"groups": np.arange(len(Y)) // 3}, {"loss": "log"}):
        changed = heldout.validate({"bayes": GaussianNB()}, X, Y, progress=False, **changes)
        assert {""} == {mark.covered for mark in changed._strip.marks}


def test_a_single_candidate_has_no_rivals_and_was_not_chosen():
    alone = heldout.validate({"bayes": GaussianNB()}, X, Y, progress=False)._strip
    assert () == alone.rivals
    assert not any("too low" in mark.rests_on for mark in alone.marks)
    assert "others" not in "".join(strip_text.lines(alone, 100)) + strip_svg.svg(alone)


def test_every_number_is_in_text_and_picture(cancer):
    strip = cancer._strip
    shown_texts = [
        "\n".join(strip_text.lines(strip, 100)),
        strip_svg.svg(strip, alone=True),
        strip_svg.svg(strip, narrow=True),
    ]
    for mark in (*strip.marks, strip.baseline):
        for shown_text in shown_texts:
            assert all(rounded(end, strip.loss) in shown_text for end in mark.ends[:1])
    assert all(part in shown_texts[1] for part in ("Ship", "not ruled out", "plan with", "held in 96 %"))


def test_the_baseline_and_a_rival_far_above_are_arrows_and_do_not_flatten_the_rest():
    far = made(rivals=(Mark("E_cv", "", 0.9, 0.8, 0.95),), baseline=Mark("E_cv", "", 1.0))
    assert far.end < 0.35
    text = "\n".join(strip_text.lines(far, 100))
    assert 2 == text.count("▸")
    assert "▸ baseline 100.0" in text
    picture = strip_svg.svg(far)
    assert "baseline 100.0 (E_cv) →" in picture
    assert picture.count("<path") - strip_svg.svg(replace(far, rivals=())).count("<path") == 1  # the arrow alone


ENDS = st.floats(1e-9, 1e9)


@given(end=ENDS, loss=st.sampled_from([ZERO_ONE, SQUARED]), width=st.integers(10, 200), names=st.text(min_size=1))
def test_a_larger_number_is_never_further_left(end, loss, width, names):
    strip = made(
        min(end, loss.limit),
        loss=loss,
        winner=names,
        not_ruled_out=(names,),
        flags=(names,),
        verdict=names,
        origin=names,
    )
    lines = [*strip_text.lines(strip, width)]
    assert all(len(line) <= width for line in lines)
    assert lines or width < 80
    points = [line.find("●") for line in lines if "●" in line]
    assert points == sorted(points)
    for narrow in (False, True):
        root = ElementTree.fromstring(strip_svg.svg(strip, narrow=narrow, alone=True))
        across = [float(one.get("cx")) for one in root.iter("{http://www.w3.org/2000/svg}circle")]
        of_winner = [across[0], across[1]]
        at = [float(shown(mark.value, loss)) for mark in strip.marks[:2]]
        assert of_winner == sorted(of_winner)
        whole = float(shown(strip.end, loss))
        left, right = (6, 372) if narrow else (250, 620)
        assert np.allclose(of_winner, [left + (right - left) * value / whole for value in at], atol=0.06)


@pytest.mark.fault("markup")
def test_no_text_of_a_stranger_is_markup():
    strip = made(winner=HOSTILE, not_ruled_out=(HOSTILE,), flags=(HOSTILE,), verdict=HOSTILE, origin=HOSTILE)
    for picture in (strip_svg.svg(strip, alone=True), strip_svg.svg(strip, narrow=True, alone=True)):
        root = ElementTree.fromstring(picture)
        tags = {re.sub(r"\{.*\}", "", node.tag) for node in root.iter()}
        assert tags <= {"svg", "style", "text", "path", "circle", "g"}
        assert "\x1b" not in picture
        assert "href" not in picture
        assert any("<script>" in (node.text or "") for node in root.iter())


def test_a_strip_without_a_length_is_no_text():
    nothing = replace(made(), marks=(Mark("E_cv", "", 0.0, 0.0, 0.0),), rivals=(), baseline=None)
    assert [] == [*strip_text.lines(nothing, 100)]
    assert "E_cv" in strip_svg.svg(nothing)


def test_many_rivals_and_flags_are_counted():
    many = made(rivals=tuple(Mark("E_cv", "", 0.2, 0.1, 0.3) for _ in range(40)), flags=tuple(map(str, range(9))))
    picture = strip_svg.svg(many, alone=True)
    assert "the 12 least of 40 others" in picture
    assert "(and 6 more)" in picture
    assert "40 by E_cv" in "\n".join(strip_text.lines(many, 100))
