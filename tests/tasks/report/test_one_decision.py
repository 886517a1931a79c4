"""Every surface says the one decision, and what init found; a finding of a stranger is text everywhere."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from heldout.printable import printable
from tasks.outcome import gate_verdict
from tasks.outcome.contest import Promotion
from tasks.outcome.items import Tag
from tasks.report import outcome_page, summary_page, terminal_summary
from tasks.report.next_steps import next_steps
from tasks.report.note import note
from tasks.report.page import page
from tasks.report.run_items import outcome_items
from tasks.report.sentences import sentences
from tasks.report.summary import LabeledRows
from tasks.storage import files
from tasks.storage.findings import Found, RecordedFinding
from tasks.storage.quarantine import LeftOut

CAVEAT = "later rows err 20 %, rows between 10 %"
ADVICE = "Ship bayes, with care"
CARE = {"verdict": "ship_with_care", "caveats": [CAVEAT], "advice": ADVICE}
TIME = RecordedFinding("time", CAVEAT, severity="care", evidence={"error along it": 0.2}, decide="set data.time: day")
NOTE = RecordedFinding("found", "3 columns have gaps", done="nothing")
SETTLED = RecordedFinding("groups", "house differs", severity="care", decided="every house is new")
HOSTILE = "<script>alert(1)</script> [x](http://evil.example) **b** |c| `d` \x1b[2J\u202e"


@pytest.fixture
def made(summary):
    files.PLOTS.mkdir(parents=True)
    (files.PLOTS / "estimates.csv").write_text("")
    one = summary(found=[TIME, NOTE, SETTLED], **CARE)
    return replace(one, estimates=one.estimates.assign(interval=None))


def plain(markdown: str) -> str:
    return markdown.replace("\\", "")


def test_every_surface_says_the_decision_and_its_caveats(made, capsys):
    terminal_summary.print_summary(made, Promotion("no", "a trial"), "with the run")
    shown = capsys.readouterr().out
    tags = {item.name: item.value for item in outcome_items(made) if isinstance(item, Tag)}
    assert shown.splitlines()[-1] == ADVICE
    assert "ship_with_care" == tags["verdict"]
    of_gate = gate_verdict.ValidatedRun(made.selection, made.estimates).decision
    first_screen = page(made).partition("What to do next")[0]
    surfaces = {
        "terminal": " ".join(shown.split()),
        "report": unescape(first_screen),
        "summary.md": "\n".join(summary_page.lines(made)),
        "Prefect": plain(outcome_page.text(made)),
        "MLflow": " ".join(plain(note(made).text).splitlines()[:2]),
        "sentences": sentences(made)["decision"],
        "gate": of_gate.sentence,
    }
    assert [] == [name for name, text in surfaces.items() if ADVICE not in text or CAVEAT not in text]


def test_what_init_found_is_in_every_report(made, capsys):
    terminal_summary.print_summary(made, Promotion("no", "a trial"), "with the run")
    whole = unescape(page(made))
    line = f"{CAVEAT}: set data.time: day"
    assert line == sentences(made)["found"]
    assert "2 things about the table, in table_checks.yaml" in sentences(made)["also found"]
    for text in (" ".join(capsys.readouterr().out.split()), plain(note(made).text), plain(outcome_page.text(made))):
        assert line in text
    for text in (CAVEAT, "error along it 0.2", "3 columns have gaps", "decided: every house is new"):
        assert text in whole  # the table of all findings
    assert files.FINDINGS in [item.path for item in outcome_items(made) if hasattr(item, "path")]


def test_a_batch_that_is_held_back_is_on_every_surface_and_the_first_step(summary, capsys):
    words = np.zeros(2, np.uint64)
    held, dropped = (LeftOut(number, state, ("why",), "", words) for number, state in ((7, "held"), (9, "dropped")))
    text = "120 labelled rows of batch 7 are held back: why"
    made = summary(found=[held.finding(120), dropped.finding(1), NOTE], **{**CARE, "caveats": [text]})
    made = replace(made, estimates=made.estimates.assign(interval=None))
    terminal_summary.print_summary(made, Promotion("no", "a trial"), "with the run")
    shown = " ".join(capsys.readouterr().out.split())
    step = "look at the rows of batch 7, then `python -m flows batch --release 7` or `python -m flows batch --drop 7`"
    said = sentences(made)
    assert f"{text}: {step}" == said["found"]
    assert "1 labelled row of batch 9 is left out, as somebody decided" == said["left out"]
    assert "1 thing about the table, in table_checks.yaml" in said["also found"]
    assert f"L{step[1:]}." == next_steps(made)[0]
    whole = unescape(page(made))
    assert all(words in whole for words in (text, said["left out"], "table_checks.yaml and quarantine.json"))
    for surface in (shown, plain(note(made).text), plain(outcome_page.text(made)), "\n".join(summary_page.lines(made))):
        assert text in surface


def test_findings_that_are_not_used_are_said_and_none_is_not(summary):
    other = summary()
    assert "findings" not in sentences(other)
    remark = "table_checks.yaml is about y in a.csv, and not about x in b.csv: its findings are not used"
    other = replace(other, rows=LabeledRows(found=Found(remark=remark)))
    assert remark == sentences(other)["findings"]
    assert "not used" in page(replace(other, estimates=other.estimates.assign(interval=None)))


@pytest.mark.fault("markup")
def test_a_finding_of_a_stranger_is_text(summary, capsys):
    names = {"text": HOSTILE, "done": HOSTILE, "decide": HOSTILE, "columns": [HOSTILE], "evidence": {HOSTILE: 1.0}}
    open_one = RecordedFinding(topic="found", severity="care", **names)
    made = summary(found=[open_one], **{**CARE, "caveats": [HOSTILE]})
    made = replace(made, estimates=made.estimates.assign(interval=None))
    terminal_summary.print_summary(made, Promotion("no", "a trial"), "with the run")
    said = capsys.readouterr().out
    assert "\x1b[2J" not in said
    assert "\u202e" not in said
    whole = page(made)
    assert "<script" not in whole
    assert printable(HOSTILE) in unescape(whole)
    assert [] == re.findall(r'<a (?!href="#[a-z-]+">)', whole)  # the contents alone
    for markdown in (note(made).text, outcome_page.text(made)):
        assert "<script" not in markdown.replace("\\<", "")
        assert "[x](" not in markdown
