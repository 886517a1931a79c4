"""A key of params.yaml that reaches a fit is in the fit's record: where the record is the same, so is the result."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heldout.fits.scheme_fits import Fits
from heldout.fits.specs import How, Known, Labeled
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.params import docs, load
from tasks.plans import units_of_scheme
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tests.structure.test_stage_keys import BASE, ROOT, others
from tests.variants import some

OF_A_FIT = (("holdout", 0), ("cross_validation", 1), ("progressive", 0), ("covalidation", 1))
LEARNERS = [
    {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
    {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}},
]
FIXED = ("data.", "candidates")  # what `prepare` reads moves the files, whose hash is in each record


def keys() -> list[str]:
    """The keys that a fit might read."""
    plain = [key for key in docs.keys() if not key.startswith((*FIXED, "loss."))]  # noqa: SIM118
    return [key for key in plain if not any(other.startswith(f"{key}.") for other in plain)]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The records of some fits, and their results, by candidate, scheme and number."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("checkout"))
        rng = np.random.default_rng(7)
        x = rng.normal(size=60)
        table = pd.DataFrame({"x": x, "z": rng.normal(size=60)})
        table.assign(target=np.where(table.sum(axis=1) > 0, "won", "lost")).to_csv("rows.csv", index=False)
        write_prepared(prepare(settings({})))
        yield made(settings({}))


def settings(changes):
    plain = {**BASE, "data.drop": [], "data.labeled_rows": None, "split.test_fraction": 0, "candidates": LEARNERS}
    return load(ROOT / "params.yaml", [f"{key}={json.dumps(value)}" for key, value in {**plain, **changes}.items()])


def made(own):
    """By candidate, scheme and number: the key of a fit, and what its losses are if it is made now."""
    found = {}
    for candidate in own.candidates:
        specs = units_of_scheme.specs_of(own, candidate, Versions.current())
        for scheme, number in OF_A_FIT:
            spec = specs.fit(scheme, number)
            found[candidate.name, scheme, number] = spec.key, Fits(spec, scheme, 1, How()).make(spec)[1].losses
    return found


def untold(base, key) -> list[object]:
    """The other values of a key by which a fit under the same key has another result."""
    wrong = []
    for value in others(key):
        try:
            now = made(settings({key: value}))
        except UserError:  # refused: nothing is stored
            continue
        for place, (same, losses) in base.items():
            if now[place][0] == same and not np.allclose(now[place][1], losses, rtol=1e-9):
                wrong.append(value)
    return wrong


@pytest.mark.parametrize("key", some(keys(), *(key for key in keys() if len(others(key)) < 3)))
def test_fits_with_the_same_record_have_the_same_result_whatever_a_key_says(base, key):
    assert [] == untold(base, key)


def test_a_key_that_reaches_a_fit_and_not_its_record_is_found(base, monkeypatch):
    """A stranger lets `selection.rule` choose the features, and forgets the record."""
    plain = units_of_scheme.specs_of

    def of_stranger(own, *given):
        specs = plain(own, *given)
        if own.selection.rule == settings({}).selection.rule:
            return specs
        rows = specs.rows
        return replace(specs, rows=Known(lambda: Labeled(rows.value.X.iloc[:][["z"]], rows.value.y), rows.digest))

    monkeypatch.setattr(units_of_scheme, "specs_of", of_stranger)
    assert {*untold(base, "selection.rule")} == {*others("selection.rule")} - {settings({}).selection.rule}
