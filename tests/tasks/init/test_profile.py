"""The known traps of public sets are found and said, and nothing honest is left out."""

import numpy as np
import pandas as pd
import pytest

from studies.public_sets import FOLDER, IN_FILES
from tasks.data.read_source import read_table
from tasks.init import profile

SAID = {
    "votes": ["93 rows repeat an earlier row exactly", "'?' is a value of 16 columns"],
    "chess_kr_vs_kp": ["sorted by class"],
    "adult": ["24 rows repeat", "'?' is a value of 3 columns (workclass, occupation, native_country)"],
    "news20_baseball_hockey": ["leak text: the text of 100 %", "(header lines Newsgroups:)", "sorted by class"],
    "news20_religion": [
        "leak text: the text of 100 %",
        "201 rows repeat the features of an earlier row with another label",
    ],
    "electricity_elec2": ["time date: labels of neighbouring rows are alike"],
    "occupancy": ["time date: labels of neighbouring rows are alike"],
    "spambase": ["391 rows repeat", "sorted by class"],
    "letter": ["1332 rows repeat"],
    "wine_quality": ["1177 rows repeat"],
    "california_housing": ["labels of neighbouring rows are alike: autocorrelation 0.85"],
}
TOPICS = ("earn", "acq", "money_fx", "grain", "crude", "trade", "interest", "ship", "wheat", "corn")
LEAKS = {
    "news20_baseball_hockey": {"file"},
    "news20_religion": {"file"},
    "reuters_top10": {"topics", *(f"is_{topic}" for topic in TOPICS)},
}
TOPICS_OF = {**{name: {"leak"} for name in LEAKS}, "electricity_elec2": {"time"}, "occupancy": {"time"}}
QUICK, SLOW = ("votes", "occupancy", "wine_quality"), ("adult", "letter", "news20_religion", "california_housing")
USELESS = {"optdigits": {"p0", "p39"}, "reuters_top10": {"newid", "date"}}


@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.slow if name in SLOW else pytest.mark.long)
        for name in IN_FILES
    ],
)
def test_the_traps_of_a_public_set_are_found_and_no_honest_column_is_left_out(name):
    file, target = IN_FILES[name]
    if not (FOLDER / file).exists():
        pytest.skip(f"the public sets are not in {FOLDER}; name their folder in HELDOUT_DATA")
    found = profile.look(read_table(str(FOLDER / file)), target)
    dropped = {one.column: one.why.startswith("leak") for one in found.dropped}
    assert LEAKS.get(name, set()) == {column for column, leak in dropped.items() if leak}
    assert USELESS.get(name, set()) == {column for column, leak in dropped.items() if not leak}
    lines = [f"{finding.topic} {finding.text}" for finding in found.findings]
    for words in SAID.get(name, []):
        assert any(words in line for line in lines)
    assert TOPICS_OF.get(name, set()) == {finding.topic for finding in found.findings} - {"found"}
    assert ("date" if name in ("electricity_elec2", "occupancy") else None) == found.time
    assert (name == "california_housing") == (found.classes == ())


@pytest.mark.parametrize(
    ("labels", "why"), [(("a", "b"), "no learner can be right on both"), ((0.5, 1.75), "determine")]
)
def test_features_that_repeat_with_another_label_are_said_in_words_for_the_target(labels, why):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": np.repeat(rng.normal(size=30), 2), "z": np.repeat(rng.normal(size=30), 2)})
    table["y"] = list(labels) * 30 if labels[0] == "a" else np.arange(60) * 0.37 % 7.1
    (remark,) = [one.text for one in profile.look(table, "y").findings if "repeat the features" in one.text]
    assert why in remark
    assert ("right on both" in remark) == (labels[0] == "a")


@pytest.mark.parametrize(("stated", "last"), [([*"ba"], "a"), ([*"ab"], None), ([*"bca"], "a")])
def test_the_order_of_the_type_of_the_target_says_which_class_is_the_positive_one(stated, last):
    target = pd.Categorical([*"ab"] * 20, stated, ordered=True)
    made = profile.look(pd.DataFrame({"x": np.random.default_rng(0).normal(size=40), "y": target}), "y")
    assert last == made.positive
