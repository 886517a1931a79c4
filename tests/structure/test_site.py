"""The pages of `make site`: built strictly, whole, legible, and without another host."""

import contextlib
import dataclasses
import inspect
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError

import heldout
from heldout import errors, records
from heldout.estimates.methods import METHODS
from tests.end_to_end.browser import CHROMIUM, opened

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)")
DECISION = re.compile(r"(?:\b[Dd]ecisions?\s+\[?|decisions/)(\d+)")
ROOMS = ("heldout", "tasks", "flows", "studies", "benchmarks", "tests")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
METHOD = ("method", "losses", "intervals", "choosing")
SHOWN = ("method.html", "intervals.html", "reference/validate.html")
# what people type, and the section that the search shows first
ASKED = {
    "how many folds": "questions.html#how-many-folds",
    "leave one out": "questions.html#how-many-folds",
    "which loss": "questions.html#which-loss",
    "AUC": "questions.html#which-metric",
    "RMSE": "questions.html#which-metric",
    "which model": "questions.html#which-model",
    "is my model better than another": "questions.html#is-one-model-better",
    "time series": "questions.html#time-series",
    "groups": "questions.html#groups",
    "duplicates": "questions.html#duplicates",
    "confidence interval": "questions.html#confidence-interval",
    "class imbalance": "questions.html#class-imbalance",
    "imbalanced": "questions.html#class-imbalance",
    "leakage": "questions.html#data-leakage",
    "overfitting": "questions.html#overfitting",
    "missing values": "questions.html#missing-values",
    "sample size": "questions.html#sample-size",
    "data leakage": "questions.html#data-leakage",
    "test set": "questions.html#test-set",
    "hyperparameters": "questions.html#hyperparameters",
    "nested cross-validation": "questions.html#nested-cross-validation",
    "prediction intervals": "questions.html#prediction-interval",
    "own data": "questions.html#own-data",
    "install": "questions.html#install",
    "seed": "questions.html#random-seed",
    "drift": "questions.html#drift",
    "coverage": "coverage.html",
    "Clopper-Pearson": "intervals.html",
    "notebook": "how-to/notebook.html",
    "mlflow": "operations.html#what-mlflow-shows",
}
# the addresses of a result: that of its page, and that of the section which ranks first
FIRST = """() => [...document.querySelector('.md-search-result__item')?.querySelectorAll('a') ?? []]
    .slice(0, 2).map(one => one.href.replace(/[?][^#]*/, ''))"""


def test_every_link_of_the_sources_leads_to_a_file():
    """As the forge shows them, which knows nothing of the site."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 60
    links = [(page, to) for page in pages for to in LINK.findall(_prose(page)) if not urlsplit(to).scheme]
    assert [] == [(page.name, to) for page, to in links if not (page.parent / to).exists()]


def test_every_decision_that_code_or_a_page_names_is_there():
    names = [*ROOT.glob("*.md"), ROOT / "dvc.yaml", *(ROOT / "docs").rglob("*.md")]
    names += [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    named = {int(number) for path in names for number in DECISION.findall(path.read_text(encoding="utf-8"))}
    assert len(named) > 20
    assert [] == sorted(named - {int(path.name[:4]) for path in (ROOT / "docs/decisions").glob("*.md")})


def test_every_picture_of_an_output_is_small_and_shown_by_a_page():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    pictures = [*(ROOT / "docs/pages").iterdir(), *(ROOT / "docs").glob("*.svg"), ROOT / "docs/coverage.png"]
    assert len(pictures) > 10
    assert [] == [one.name for one in pictures if one.stat().st_size > 150_000]
    pages += (ROOT / "README.md").read_text(encoding="utf-8")
    assert [] == [one.name for one in pictures if one.name not in pages]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not built.returncode, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def parsed(site):
    """Each page by its path: its elements, as pairs of a tag and its attributes."""
    return {path: _elements(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


@pytest.mark.long
def test_every_address_on_a_page_is_of_a_file_of_the_site(site, parsed):
    ids = {path: {given["id"] for _, given in elements if "id" in given} for path, elements in parsed.items()}
    for path, elements in parsed.items():
        if path.name == "404.html":  # its addresses are those of a server
            continue
        addresses = {given.get(LOADED.get(tag, "href")) for tag, given in elements} - {None}
        for to in map(urlsplit, addresses):
            if not to.scheme:
                there = (path.parent / unquote(to.path)).resolve() if to.path else path
                assert there.is_file(), (path.name, to)
                assert not to.fragment or there.suffix != ".html" or unquote(to.fragment) in ids[there], (path.name, to)


@pytest.mark.slow
def test_no_page_loads_anything_of_another_host(site, parsed):
    loaded = {given.get(LOADED[tag]) for elements in parsed.values() for tag, given in elements if tag in LOADED}
    assert len(loaded) > 50
    assert [] == [to for to in loaded if to and urlsplit(to).scheme not in ("", "data")]
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert "url(" in styles
    assert re.findall(r"@import|url\(\W?(?:https?:)?//", styles) == []


@pytest.mark.slow
def test_the_reference_has_every_public_name(parsed):
    rendered = {given["id"] for elements in parsed.values() for _, given in elements if "id" in given}
    kinds = [kind for module in (records, errors) for kind in vars(module).values() if inspect.isclass(kind)]
    own = {kind for kind in kinds if kind.__module__ in (records.__name__, errors.__name__)}
    methods = {name for name in dir(heldout.Validation) if not name.startswith("_")}
    methods -= {field.name for field in dataclasses.fields(heldout.Validation)}
    wanted = {
        *(f"heldout.{name}" for name in heldout.__all__),
        *(f"{kind.__module__}.{kind.__qualname__}" for kind in own),
        *(f"heldout.Validation.{name}" for name in methods),
        *(inspect.getmodule(method.bounds).__name__ for method in METHODS),
    }
    assert len(wanted) > 50
    assert [] == sorted(wanted - rendered)


@pytest.mark.slow
def test_the_search_has_the_pages_of_users_and_no_decision_or_history(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    pages = {one["location"].partition("#")[0] for one in index["docs"]}
    assert {"questions.html", "guide.html", "operations.html"} <= pages
    assert [] == [one for one in pages if one.startswith(("decisions/", "changelog"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", METHOD)
def test_every_formula_of_the_method_is_shown_as_one(site, name):
    text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    shown = (site / f"{name}.html").read_text(encoding="utf-8")
    assert shown.count('class="formula"') == text.count("```math") > 5
    assert shown.count("<math alttext") == _prose(ROOT / f"docs/{name}.md").count("$") // 2
    assert "arithmatex" not in shown


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_a_browser_shows_the_pages_from_the_disk(site):
    """In light and dark and on a telephone; no request leaves the folder."""
    asked = []
    with opened(width=1280) as page:
        page.on("request", lambda request: asked.append(request.url))
        for name in SHOWN:
            for scheme, width in (("light", 1280), ("dark", 390)):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                page.goto((site / name).as_uri())
                assert [] == [_short(found) for found in Axe().run(page).response["violations"]]
                assert (
                    page.get_attribute("body", "data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
                )
                assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(asked) > 5
    assert [] == [address for address in asked if not address.startswith(site.as_uri())]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_the_search_shows_first_what_is_asked(site):
    """Asked in the box of a page from the disk, so that the ranking is the reader's own."""
    shown, asked = {}, []
    with opened((site / "index.html").as_uri(), width=1280) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.click("input[name=query]")
        for question, wanted in ASKED.items():
            page.fill("input[name=query]", question)
            page.dispatch_event("input[name=query]", "keyup")  # which the theme waits for
            with contextlib.suppress(TimeoutError):  # what is shown then is compared below
                page.wait_for_function(
                    f"wanted => ({FIRST})().some(to => to.includes(wanted))", arg=wanted, timeout=10_000
                )
            shown[question] = [to.removeprefix(f"{site.as_uri()}/") for to in page.evaluate(FIRST)]
    assert {} == {
        question: to for question, to in shown.items() if not any(one.startswith(ASKED[question]) for one in to)
    }
    assert [] == [address for address in asked if not address.startswith((site.as_uri(), "blob:"))]


def _prose(page):
    """The text of a page without its code."""
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _elements(html):
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(html)
    return found


def _short(violation):
    return violation["id"], [(node["target"], node["failureSummary"]) for node in violation["nodes"]][:5]
