"""What the checks of a table find before a verdict: codes, groups that recur, and no alarm on honest tables."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import heldout
from heldout.checks import doubts
from heldout.errors import BadArgument
from heldout.findings import checks

ROOT = Path(heldout.__file__).parents[1]


def found(X: pd.DataFrame, y: np.ndarray, *, classes: bool = True, dependent: bool = False, **more):
    return doubts.of_rows(X, y, unlabeled=None, classes=classes, dependent=dependent, skipped=(), **more)


def recurring(effect: float, spelling: str, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """2,400 rows of 1,000 codes, which have an effect that no other column says."""
    rng = np.random.default_rng(seed)
    code = rng.permutation(np.r_[np.arange(1000), rng.integers(0, 1000, 1400)])
    X = pd.DataFrame(rng.normal(size=(2400, 4)), columns=list("abcd"))
    y = X["a"] + effect * rng.normal(size=1000)[code] + 0.7 * rng.normal(size=2400) > 0
    words = rng.permutation([f"{one}{two}" for one in "abcdefghijklmnopqrstuvwxyz" for two in range(40)])
    names = [f"K{place}" for place in range(1000)] if spelling == "code" else [f"x {word}y" for word in words]
    return X.assign(ref=np.array(names[:1000])[code]), y.to_numpy().astype(int)


@pytest.mark.parametrize("spelling", ["code", "words"])
def test_values_that_recur_are_asked_about_where_their_rows_err_together_however_they_are_spelled(spelling):
    [one] = found(*recurring(1.0, spelling))
    assert ("HLD006", ("ref",), "care", ("data.groups",)) == (one.code, one.columns, one.severity, one.keys)
    assert one.evidence["correlation within a value"] > 0.1
    assert "to predict rows of new values, set data.groups: ref" in one.decide
    assert () == found(*recurring(0.0, spelling))


def test_nothing_is_asked_about_groups_where_somebody_gave_them_or_whole_folds():
    X, y = recurring(1.0, "code")
    assert () == found(X, y, dependent=True)
    fold = pd.factorize(X["ref"])[0] % 5
    assert () == found(X, y, folds=[fold])
    assert ["HLD006"] == [one.code for one in found(X, y, folds=[np.arange(len(y)) % 5])]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_honest_tables_give_no_finding(name):
    frame = getattr(datasets, f"load_{name}")(as_frame=True)
    classes = name != "diabetes"
    assert () == found(frame.data, frame.target.to_numpy(), classes=classes)


def test_a_measurement_whose_neighbours_are_alike_is_no_group():
    rng = np.random.default_rng(0)
    age = rng.permutation(np.repeat(np.arange(20, 80), 20))
    X = pd.DataFrame({"a": rng.normal(size=len(age)), "age": age})
    y = (X["a"] + np.sin(age / 9) + 0.5 * rng.normal(size=len(age)) > 0).to_numpy().astype(int)
    assert () == found(X, y)


def test_each_finding_has_a_code_of_the_list_and_the_page_says_its_sentence():
    page = (ROOT / "docs/checks.md").read_text(encoding="utf-8")
    assert [*checks.CODES] == re.findall(r"^## (HLD\d+)$", page, re.MULTILINE)
    for check in checks.CHECKS:
        paragraph = " ".join(page.partition(f"## {check.code}\n")[2].split("\n## ")[0].split())
        assert paragraph.startswith(check.sentence)
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    table = pd.DataFrame({"a": rng.normal(size=400), "b": 5.0 * y, "c": np.where(rng.random(400) < 0.1, np.nan, 1)})
    codes = {one.code for one in heldout.audit(table, y)}
    assert {"HLD001", "HLD015", "HLD016"} <= codes <= {*checks.CODES}
    assert codes - {"HLD001"} == {one.code for one in heldout.audit(table, y, muted_checks=["HLD001"])}


@pytest.mark.parametrize("muted", ["HLD001", ["HLD999"], [1], 3])
def test_codes_that_are_none_are_refused(muted):
    with pytest.raises(BadArgument, match="muted_checks"):
        checks.muted(muted)
