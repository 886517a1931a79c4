"""docs/how-to/coming-from.md: each call of another library, and ours, is run as the page has it."""

import re
import warnings
from functools import partial
from pathlib import Path

import pytest

import heldout
from heldout.errors import BadArgument

PAGE = (Path(heldout.__file__).parents[1] / "docs/how-to/coming-from.md").read_text(encoding="utf-8")
RUN_THERE = ("scikit-learn", "MAPIE")  # the others are not installed here, or are R
LINE = re.compile(r"^\| (?P<there>`.*?`.*?) \| `(?P<here>.*?)` \| (?P<says>.*?) ?\|$")
LINES = [
    (part.partition(":")[0].partition("\n")[0], found["there"], found["here"], found["says"])
    for part in PAGE.split("\n## ")[1:]
    for line in part.splitlines()
    if (found := LINE.match(line))
]


def test_every_line_of_the_tables_is_read():
    assert len(LINES) == len(re.findall(r"^\| `", PAGE, re.MULTILINE)) >= 40
    assert {"scikit-learn", "skore", "MAPIE", "mlr3inferr"} == {peer for peer, *_ in LINES}


@pytest.fixture(scope="module")
def names():
    """What the code of the page defines."""
    pytest.importorskip("mapie")  # which the statistics alone do not bring
    made: dict[str, object] = {}
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with pytest.MonkeyPatch.context() as patch:
        # of steps and halvings a few: how many there are is no matter of the page
        patch.setattr(heldout, "validate", partial(heldout.validate, tested_fraction=0.1, repeats=1))
        exec(compile(code, "coming-from.md", "exec"), made)
        # what is asked of all estimates is asked of `v`, which is made now
        patch.setattr(heldout, "validate", partial(heldout.validate, estimates=["E_val", "E_cv"]))
        yield made


@pytest.mark.parametrize(
    ("peer", "there", "here", "says"), LINES, ids=[f"{peer}: {here}" for peer, _, here, _ in LINES]
)
def test_the_call_is_taken_or_refused_as_the_page_says(peer, there, here, says, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if peer in RUN_THERE:
            assert eval(there.strip("`"), names) is not None
        if says.startswith("refused: "):
            with pytest.raises(BadArgument, match=re.escape(says.removeprefix("refused: "))):
                eval(here, names)
        else:
            assert eval(here, names) is not None
