"""docs/guide.md: its commands run, in order, in one clone, and print what it shows."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs/guide.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def words(text):
    return " ".join(text.split())


def test_the_guide_decides_by_the_upper_end_of_the_test_error():
    text = words(GUIDE.read_text(encoding="utf-8"))
    upper = re.findall(r"Ship logistic: [\d.]+ % errors \[[\d.]+–([\d.]+)\]", text)[-1]
    decision = text[text.index("Decide by") :].split("## ")[0]
    assert f"Ship the model if {upper} errors in a hundred are acceptable" in decision
    assert "`E_test`" in decision.split(".")[0]
    assert "**bound**" in decision  # where there is no test set
    assert re.search(r"Ship[^.]*E_cv", text) is None


@pytest.mark.long
def test_the_commands_of_the_guide_print_what_it_shows(clone):
    made = clone()
    checkout = replace(made, own={**made.own, "HELDOUT_VERBOSE": ""})
    said = ""
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert {"sh", "text"} == {language for language, _ in blocks}
    for language, text in blocks:
        if language == "sh":
            said = words(checkout.run("sh", "-e", "-c", text).stdout)
        else:
            assert [] == [line for line in text.splitlines() if words(line) not in said]
