"""`init` asks about values that recur a few times each, however they are spelled, and sets no groups by itself."""

import numpy as np
import pandas as pd

from tasks.init import profile


def test_codes_that_recur_are_asked_about_as_groups():
    rng = np.random.default_rng(0)
    code = rng.permutation(np.r_[np.arange(1000), rng.integers(0, 1000, 1400)])
    table = pd.DataFrame(rng.normal(size=(2400, 4)), columns=list("abcd"))
    y = (table["a"] + rng.normal(size=1000)[code] + 0.7 * rng.normal(size=2400) > 0).astype(int)
    table = table.assign(ref=[f"K{place}" for place in code], y=y)
    made = profile.look(table, "y")
    [asked] = [one for one in made.findings if one.topic == "groups"]
    assert ("HLD006", ("ref",), "care") == (asked.code, asked.columns, asked.severity)
    assert "1000 values recur in 2400 rows, and rows of one err together" in asked.text
    assert made.groups is None
    assert made.proposed["groups"].startswith("proposed: ref")
