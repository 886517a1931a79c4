"""The decision strip: which numbers it has, and that text and picture put them where they are."""

import re
from base64 import b64decode
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
from heldout.display import strip_html, strip_picture, strip_text
from heldout.display.strip import Mark, Strip
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.amounts import rounded, shown

X, Y = load_breast_cancer(return_X_y=True)
HOSTILE = '<script>alert("1")</script>&\x1b[31m'


@pytest.fixture(scope="module")
def cancer():
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "5-NN": KNeighborsClassifier()}
    return heldout.validate(learners, X, Y, progress=False)


def made(end=1.0, **changes):
    marks = (Mark("E_in", "", 0.01 * end), Mark("E_cv", "too low", 0.1 * end, 0.05 * end, 0.2 * end, "held"))
    given_ = {
        "winner": "bayes",
        "marks": (*marks, Mark("bound", "at most", None, high=0.3 * end)),
        "planned": "E_cv",
        "compared": "E_cv",
        "rivals": (Mark("E_cv", "", 0.15 * end, 0.1 * end, 0.25 * end),),
        "baseline": Mark("E_cv", "", 0.4 * end),
        "loss": ZERO_ONE,
    }
    return Strip(**{**given_, **changes})


def test_it_goes_from_the_most_optimistic_number_to_the_honest(cancer):
    strip, winner = cancer._view.strip, cancer.select().selected
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


def test_what_was_measured_of_a_method_is_said_where_the_study_was_about_such_rows(cancer):
    assert "held in 96 % of samples, worst cell 92 %" == cancer._view.strip.marks[1].covered
    numbers, y = load_diabetes(return_X_y=True)
    of_numbers = heldout.validate({"ridge": Ridge(), "mean": DummyRegressor()}, numbers, y, progress=False)
    assert of_numbers._view.strip.marks[1].covered.startswith("held in 96 %")
    for changes in ({"level": 0.9}, {"groups": np.arange(len(Y)) // 3}, {"loss": "log"}):
        changed = heldout.validate({"bayes": GaussianNB()}, X, Y, progress=False, **changes)
        assert {""} == {mark.covered for mark in changed._view.strip.marks}


def test_a_single_candidate_has_no_rivals_and_was_not_chosen():
    alone = heldout.validate({"bayes": GaussianNB()}, X, Y, progress=False)._view.strip
    assert () == alone.rivals
    assert not any("too low" in mark.rests_on for mark in alone.marks)
    assert "others" not in "".join(strip_text.lines(alone, 100))
    assert [] == items(alone, "others")


def test_every_number_is_in_the_text_and_on_the_page(cancer):
    strip = cancer._view.strip
    page = strip_html.html(strip)
    for mark in (*strip.marks, strip.baseline):
        for shown_text in ("\n".join(strip_text.lines(strip, 100)), page):
            assert all(rounded(end, strip.loss) in shown_text for end in mark.ends[:1])
    (planned,) = items(strip, "planned")
    assert planned.find("span[@class='name']").text == strip.planned
    assert "held in 96 %" in page


def items(strip, kind):
    """The lines of the list of a kind: planned, mark, others, baseline."""
    return ElementTree.fromstring(strip_html.html(strip)).findall(f"ul/li[@class='{kind}']")


def at(item, drawn):
    """Where something is drawn on the axis, in percent."""
    return [
        float(re.search(r"left: ([\d.]+)%", one.get("style"))[1]) for one in item.iter("i") if one.get("class") == drawn
    ]


def test_whoever_sees_no_style_has_every_number_with_what_it_is_in_order():
    read = [
        " ".join("".join(part.itertext()) for part in item if part.get("aria-hidden") is None)
        for item in ElementTree.fromstring(strip_html.html(made())).findall("ul/li")
    ]
    assert [
        "E_in 1.0 %",
        "E_cv 10.0 % [5.0–20.0]  ← plan with it too low held",
        "1 other",
        "bound at most 30.0 % at most",
        "baseline, by E_cv 40.0 %",
    ] == read


def test_the_baseline_and_a_rival_far_above_are_arrows_and_do_not_flatten_the_rest():
    far = made(rivals=(Mark("E_cv", "", 0.9, 0.8, 0.95),), baseline=Mark("E_cv", "", 1.0))
    assert far.end < 0.35
    text = "\n".join(strip_text.lines(far, 100))
    assert 3 == text.count("▸")  # the baseline, a rival, and what the arrow stands for
    assert "▸ baseline 100.0" in text
    for kind in ("others", "baseline"):
        ((drawn,),) = [[one.get("class") for one in item.iter("i")] for item in items(far, kind)]
        assert "beyond" == drawn
    assert "--baseline" not in strip_html.html(far).partition("<style>")[0]


ENDS = st.floats(1e-9, 1e9)


@given(end=ENDS, loss=st.sampled_from([ZERO_ONE, SQUARED]), width=st.integers(10, 200), names=st.text(min_size=1))
def test_a_larger_number_is_never_further_left(end, loss, width, names):
    strip = made(min(end, loss.limit), loss=loss, winner=names)
    lines = [*strip_text.lines(strip, width)]
    assert all(len(line) <= width for line in lines)
    assert lines or width < 80
    points = [line.find("●") for line in lines if "●" in line]
    assert points == sorted(points)
    points = [*at(items(strip, "mark")[0], "point"), *at(items(strip, "planned")[0], "point")]
    assert points == sorted(points)
    whole = float(shown(strip.end, loss))
    assert np.allclose(points, [100 * float(shown(mark.value, loss)) / whole for mark in strip.marks[:2]], atol=0.01)


@pytest.mark.fault("markup")
def test_no_text_of_a_stranger_is_markup():
    marks = (Mark(HOSTILE, HOSTILE, 0.1, 0.05, 0.2, HOSTILE),)
    page = strip_html.html(made(winner=HOSTILE, marks=marks, compared=HOSTILE, planned=HOSTILE))
    nodes = [*ElementTree.fromstring(page).iter()]
    assert {node.tag for node in nodes} <= {"figure", "style", "ul", "li", "span", "i", "div"}
    assert {name for node in nodes for name in node.attrib} <= {"class", "style", "role", "aria-label", "aria-hidden"}
    assert [] == re.findall(r"\x1b|url\(|@import", page)
    assert any("<script>" in (node.text or "") for node in nodes)


def test_a_strip_without_a_length_is_no_text():
    nothing = replace(made(), marks=(Mark("E_cv", "", 0.0, 0.0, 0.0),), rivals=(), baseline=None)
    assert [] == [*strip_text.lines(nothing, 100)]
    assert ["0.00%"] == re.findall(r"point\" style=\"left: ([^;\"]*)", strip_html.html(nothing))


def test_many_rivals_are_counted():
    many = made(rivals=tuple(Mark("E_cv", "", 0.2, 0.1, 0.3) for _ in range(40)))
    (others,) = items(many, "others")
    assert "the 12 least of 40 others" == others[0].text
    assert 12 == len(at(others, "point"))
    assert "40 by E_cv" in "\n".join(strip_text.lines(many, 100))


def texts(picture):
    return [text.get_text() for text in picture.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("narrow", [False, True])
def test_the_picture_has_each_number_and_a_point_for_each_other_candidate(narrow):
    far = Mark("far", "", 9.0, 8.0, 10.0)
    strip = made(rivals=(Mark("near", "", 0.15, 0.1, 0.25), far))
    picture = strip_picture.draw(strip, narrow=narrow)
    said = texts(picture)
    for mark in strip.marks:
        assert strip.numbers(mark, " %").partition("  ")[0] in [text.partition("  ")[0] for text in said]
        assert mark.called in said
    assert f"far {rounded(9.0, ZERO_ONE)}" in said  # what the arrow stands for
    assert ("too low" in said) is not narrow
    drawn = {round(float(x), 6) for line in picture.axes[0].lines for x in line.get_xdata() if line.get_marker() == "o"}
    assert {1.0, 10.0, 15.0, 40.0} == drawn
    assert narrow == (picture.get_figwidth() < 2 * picture.get_figheight())


def test_an_image_of_it_holds_everything_and_no_markup_of_a_name():
    strip = made(rivals=(Mark(HOSTILE, "", 9.0),), winner=HOSTILE)
    image = ElementTree.fromstring(strip_picture.draw(strip).image())
    assert image.get("src").startswith("data:image/svg+xml;base64,")
    drawn = b64decode(image.get("src").partition(",")[2]).decode()
    assert not re.search(r"<script|href=.http", drawn)
    assert "10.0 % [5.0–20.0]" in drawn
    assert "10.0 % [5.0–20.0]" in image.get("alt")
    assert strip_picture.draw(strip).image() == strip_picture.draw(strip).image()


def test_what_is_beyond_the_axis_is_named_with_its_number_on_every_surface():
    others = tuple(Mark(f"far-{place}", "", 5.0 + place) for place in range(4))
    strip = made(rivals=others)
    said = f"far-0 {rounded(5.0, ZERO_ONE)}, far-1 {rounded(6.0, ZERO_ONE)}, 2 more"
    assert said == strip.beyond
    assert said in strip_html.html(strip)
    assert any(said in line for line in strip_text.lines(strip, 120))
    assert "" == made().beyond
