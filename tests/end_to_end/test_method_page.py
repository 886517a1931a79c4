"""The method's pages: every estimate, interval, criterion and form has its place there, and what they say is so."""

import re
import struct
from pathlib import Path
from typing import get_args

import pytest
import yaml

from heldout.estimates import ESTIMATES, OF_THE_WINNER, PER_CANDIDATE
from heldout.estimates.criteria import CRITERIA
from heldout.estimates.methods import DEFAULTS, METHODS, covering
from heldout.losses import KINDS, check_spec, choose_loss
from heldout.schemes import resampling
from heldout.selection import bootstrap
from heldout.selection.rules import RULES
from studies import method_pictures, method_tables
from tasks.params.settings import Deliver

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    name: (DOCS / name).read_text(encoding="utf-8")
    for name in ("method.md", "losses.md", "intervals.md", "choosing.md")
}
TEXT = "\n".join(PAGES.values())
PARTS = (
    *("**Target.**", "**Interval and assumption.**", "**Cost.**", "**Use it when**", "**Do not read it as**"),
    "Source: ",
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROSE = FENCE.sub("", TEXT)
HEADINGS = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
SECTIONS = dict(zip(HEADINGS, re.split(r"^## .+$", TEXT, flags=re.MULTILINE)[1:], strict=True))
NAMES = list(dict.fromkeys((*PER_CANDIDATE, "E_test", *OF_THE_WINNER, *DEFAULTS)))


def section(estimate: str) -> str:
    """The page whose heading names the estimate."""
    (heading,) = [name for name in HEADINGS if f"`{estimate}`" in name]
    return SECTIONS[heading]


def paragraph(page: str, start: str) -> str:
    """The paragraph that starts so, on one line."""
    return " ".join(page[page.index(start) :].split("\n\n")[0].split())


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def rows(page: str) -> list[list[str]]:
    """The cells of the table lines of a page."""
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines() if line[:1] == "|"]


@pytest.mark.parametrize("estimate", NAMES)
def test_every_estimate_has_a_page_with_all_its_parts_and_a_formula(estimate):
    page = section(estimate)
    assert [] == [part for part in PARTS if part not in page]
    assert "```math\n" in page
    assert page.strip().count("\n") <= 50


@pytest.mark.parametrize("estimate", DEFAULTS)
def test_every_page_names_the_default_methods_and_their_assumptions(estimate):
    told = paragraph(section(estimate), "**Interval and assumption.**")
    chosen = DEFAULTS[estimate]
    of_numbers = [] if ESTIMATES[estimate].set_metric else [chosen.other.name]  # a metric of classes
    assert ([chosen.zero_one.name], of_numbers) == (
        re.findall(r"Classes: `([^`]+)`", told),
        re.findall(r"Numbers: `([^`]+)`", told),
    )
    quoted = re.findall(r'"([^"]+)"', told)
    for method in (chosen.zero_one, chosen.other):
        clauses = re.split(r"[;,] ", method.covers[estimate])
        assert method.covers[estimate] in quoted or all(clause in " ".join(quoted) for clause in clauses)


@pytest.mark.parametrize("estimate", sorted({*NAMES} - {*DEFAULTS}))
def test_an_estimate_without_a_choice_of_intervals_names_no_default_of_its_own(estimate):
    told = paragraph(section(estimate), "**Interval and assumption.**")
    named = set(re.findall(r"(?:Classes|Numbers): `([^`]+)`", told))
    assert named <= {DEFAULTS["disagreement"].zero_one.name, DEFAULTS["disagreement"].other.name}


@pytest.mark.parametrize("page", method_tables.PAGES, ids=lambda page: page.name)
def test_the_tables_are_those_of_the_code(page):
    text = (DOCS / page.name).read_text(encoding="utf-8")
    assert method_tables.with_tables(text, method_tables.PAGES[page]) == text, "run `make docs`"


def test_every_method_stands_in_the_table_with_what_it_covers_and_how():
    told = {name: row[1:] for row in rows(SECTIONS["The intervals"]) for name in row[0].split("<br>")}
    for method in METHODS:
        covers, validity, fits = told[f"{method_tables.shown(method)} ({method.losses})"]
        assert {*method.covers} <= {*re.findall(r"`(\w+)`", covers)}
        assert [] == [assumption for assumption in method.covers.values() if assumption not in covers]
        assert method.validity == validity
        assert (method.needs is None) == (fits == "none")


def test_the_lines_of_a_table_have_equally_many_cells():
    tables = [rows(block) for block in PROSE.split("\n\n") if block.startswith("|")]
    assert len(tables) == 8
    assert [] == [row for first, *others in tables for row in others[1:] if len(row) != len(first)]
    heads = [block.splitlines()[:2] for block in PROSE.split("\n\n") if block.startswith("|")]
    assert [] == [head for head, dashes in heads if head.count("|") != dashes.count("|")]


def test_every_loss_stands_in_the_table_with_its_range_and_what_it_admits():
    told = {re.sub(r"[^a-z_].*", "", row[0].strip("`{")): row for row in rows(SECTIONS["The losses"])[2:]}
    assert {kind.name for kind in KINDS} == set(told)
    for kind in KINDS:
        _, _, asked, span, constant, apart, pair_bound, bound = told[kind.name]
        loss = choose_loss(kind.sample, method_tables.SAMPLE)
        assert loss.constant.says == constant
        assert {"class": "a class", "number": "a number"}.get(loss.needs, loss.needs) == asked
        limited = "in [0, 1]" if loss.limit == 1 else "up to the largest cost"
        assert ("0/1" if loss.binary else limited if loss.bounded else "up to `loss_max`") == span
        assert (ESTIMATES["disagreement"].refused_by(loss) is None) == (apart != "none")
        assert (ESTIMATES["E_dis"].refused_by(loss) is None) == (bound != "none")
        assert (loss.pair_factor is not None) == (pair_bound != "none")


def test_a_method_named_anywhere_in_the_page_is_a_method():
    known = {method.name for method in METHODS}
    told = re.findall(r"`([^`\n]+)`", PROSE)
    spoken = {name for name in told if any(name.lower() == one.lower() for one in known)}
    assert len(spoken) > 10
    assert spoken <= known


def test_the_examples_of_interval_choices_are_accepted():
    examples = [yaml.safe_load(body) for kind, body in FENCE.findall(TEXT) if kind == "yaml"]
    chosen = {key: name for one in examples if "intervals" in one for key, name in one["intervals"].items()}
    assert chosen
    for estimate, name in chosen.items():
        assert covering(estimate, name).name == name
    losses = [one for one in examples if "loss" in one]
    assert losses
    for one in losses:
        check_spec(one["loss"])
        if "loss_max" in one:
            assert choose_loss(one["loss"], method_tables.SAMPLE, loss_max=one["loss_max"]).bounded


def test_the_numbers_in_the_text_are_those_of_the_code():
    assert {str(resampling.SUBSAMPLES)} == set(re.findall(r"(\d+)\s+further\s+fits", PROSE))
    assert f"B = {bootstrap.BOOTSTRAPS}" in section("E_bbc")
    family = (DOCS.parent / "heldout" / "family.py").read_text(encoding="utf-8")  # importing it loads scikit-learn
    (least,) = re.findall(r"^ROWS_A_DEGREE = (\d+)", family, re.MULTILINE)
    assert f"fewer than {least} rows" in " ".join(PAGES["choosing.md"].split())


def test_every_criterion_rule_and_form_of_delivery_is_told():
    choosing, shipped = SECTIONS["Criterion and rule"], SECTIONS["What can be shipped"]
    assert [] == [name for name in (*CRITERIA, *RULES) if f"`{name}`" not in choosing]
    assert [*get_args(Deliver)] == [row[0].strip("`") for row in rows(shipped)[2:]]


def test_every_picture_is_small_and_every_one_that_is_made_is_shown():
    shown = re.findall(r"!\[[^\]]+\]\((method/[^)]+)\)", (DOCS / "coverage.md").read_text(encoding="utf-8"))
    assert [f"method/{estimate}.png" for estimate in method_pictures.LINES] == shown
    for name in shown:
        picture = (DOCS / name).read_bytes()
        assert picture[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", picture[16:24]) == (600, 260)
        assert len(picture) < 60_000


@pytest.mark.parametrize("page", [*PAGES, "coverage.md", "alarm.md", "verdicts.md"])
def test_every_link_leads_somewhere(page):
    prose = FENCE.sub("", (DOCS / page).read_text(encoding="utf-8"))
    links = [to.partition("#")[::2] for to in re.findall(r"(?<!!)\[[^\]]+\]\(([^)]+)\)", prose)]
    assert [] == [(to, anchor) for to, anchor in links if not leads_somewhere(to or page, anchor)]


def leads_somewhere(page: str, anchor: str) -> bool:
    """Whether there is such a page, with a heading of that name."""
    path = DOCS / page
    if path.suffix != ".md" or not path.is_file():
        return path.is_file()
    text = path.read_text(encoding="utf-8")
    named = [*map(slug, re.findall(r"^#+ (.+)$", text, re.MULTILINE)), *re.findall(r'<a\s+id="([^"]+)">', text)]
    return not anchor or anchor in named


def test_formulas_are_balanced():
    assert TEXT.count("```") == 2 * len(FENCE.findall(TEXT))
    blocks = [body for kind, body in FENCE.findall(TEXT) if kind == "math"]
    assert len(blocks) > 12
    for body in blocks:
        assert body.strip()
        assert "$" not in body
        check_braces(body)


def test_formulas_in_a_line_survive_markdown():
    """GitHub's Markdown eats a backslash before punctuation, and may take } _ { and * for emphasis."""
    for text in re.split(r"\n\s*\n|\n(?=\|)", re.sub(r"`[^`]*`", "", PROSE)):
        assert text.count("$") % 2 == 0, text
        for inside in re.findall(r"\$([^$]*)\$", text):
            assert inside == inside.strip() != ""
            assert not re.search(r"\\[^a-zA-Z]|\*|}_|\||<", inside), inside
            check_braces(inside)
        assert not re.search(r"\w§|§\w", re.sub(r"\$[^$]*\$", "§", text)), text


def check_braces(formula: str) -> None:
    depth = 0
    for sign in re.sub(r"\\[{}]", "", formula):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0, formula
    assert depth == 0, formula
    assert formula.count(r"\begin{") == formula.count(r"\end{")
    assert formula.count(r"\left") == formula.count(r"\right")
