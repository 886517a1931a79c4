"""The pages of `make site`: built strictly, whole, legible, and without another host."""

import dataclasses
import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

import heldout
from heldout import errors, records
from heldout.estimates.methods import METHODS
from tests.end_to_end.browser import CHROMIUM, opened

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
SHOWN = ("method.html", "reference/validate.html")


def test_every_link_of_the_sources_leads_to_a_file():
    """As the forge shows them, which knows nothing of the site."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 60
    links = [(page, to) for page in pages for to in LINK.findall(_prose(page)) if not urlsplit(to).scheme]
    assert [] == [(page.name, to) for page, to in links if not (page.parent / to).exists()]


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
def test_every_formula_of_the_method_is_shown_as_one(site):
    text = (ROOT / "docs/method.md").read_text(encoding="utf-8")
    shown = (site / "method.html").read_text(encoding="utf-8")
    assert shown.count('class="formula"') == text.count("```math") > 20
    assert shown.count("<math alttext") == _prose(ROOT / "docs/method.md").count("$") // 2
    assert "arithmatex" not in shown


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_a_browser_shows_the_pages_from_the_disk(site):
    """In light and dark and on a telephone; the search answers; no request leaves the folder."""
    asked = []
    with opened(width=1280) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.click("input[name=query]")
        page.keyboard.type("Clopper-Pearson")
        page.wait_for_selector(".md-search-result__link", state="attached")
        assert "method.html" in page.inner_html(".md-search-result__list")
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
