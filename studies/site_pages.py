"""What `make site` does beyond MkDocs and its theme.

MkDocs calls these functions by their names (`hooks` in mkdocs.yml). The files below docs/ are those that the forge
shows: links in them lead to files of the repository, and formulas are LaTeX.
"""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from studies.mathml import UnknownFormula, displayed, mathml

DECISIONS, STUDIES = Path("docs/decisions"), Path("docs/studies.md")
README = Path("README.md")
PAGE_OF = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
}
QUESTIONS = "questions.md"
UNSEARCHED = ("decisions/", "changelog.md")  # reasons and history: a user asks for what is so
LAST = ("studies/",)  # in the search: experiments come after what is so
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)
_LINK_TO_THE_TOP = re.compile(r"\]\((?P<up>(?:\.\./)*)\.\./(?P<name>[A-Z]+\.md)")
_STUDY = re.compile(r"\]\((studies/\w+\.md)\)")
_EACH = re.compile(
    r"^<!-- each (?P<constant>[A-Z]+) of (?P<package>\S+)(?: from (?P<first>\w) to (?P<last>\w))? -->$", re.MULTILINE
)
_ASKED = re.compile(r"^<!-- readme: (?P<part>\w+) -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
_PART = r"^<!-- {part}: [^\n]* -->\n(.*?\n)\n(?=<!-- |You |## |$)"  # a part ends where another begins


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The decisions in the navigation, by their numbers, and the studies in the order of their list."""
    sections = {name: pages for section in config.nav or [] for name, pages in section.items()}
    sections["Decisions"] += [f"decisions/{path.name}" for path in sorted(DECISIONS.glob("*.md"))]
    (studies,) = [page["Studies"] for page in sections["Evidence"] if "Studies" in page]
    studies += _STUDY.findall(STUDIES.read_text(encoding="utf-8"))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages from files of the top folder, and the list of the decisions."""
    for name, page in PAGE_OF.items():
        text = Path(name).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, its_page in PAGE_OF.items():
            text = text.replace(f"]({other}", f"]({its_page}")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "decisions/index.md", content="\n".join(_decisions())))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links to files of the top folder, the modules of a package, and parts of the README."""
    if page.file.src_uri.startswith(UNSEARCHED):
        page.meta["search"] = {"exclude": True}
    if page.file.src_uri.startswith(LAST):
        page.meta["search"] = {"boost": 0.2}
    if page.file.src_uri == QUESTIONS:
        page.meta["search"] = {"boost": 3}  # headings in the words in which people ask
    if "\n## " not in markdown and "::: " not in markdown:
        page.meta["hide"] = [*page.meta.get("hide", []), "toc"]  # whose place a wide table can use
    markdown = _LINK_TO_THE_TOP.sub(lambda link: f"]({link['up']}{PAGE_OF.get(link['name'], 'index.md')}", markdown)
    markdown = _EACH.sub(lambda asked: "\n".join(_modules(**asked.groupdict())), markdown)
    return _ASKED.sub(lambda asked: _of_readme(asked["part"]), markdown)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Formulas as MathML."""
    try:
        return _FORMULA.sub(lambda found: (mathml if found[1] == "span" else displayed)(unescape(found[2])), html)
    except UnknownFormula as error:
        raise PluginError(f"{page.file.src_uri}: {error}") from error


def on_post_page(output: str, **_: Any) -> str:
    """A name for the search, which the theme leaves without."""
    search = 'data-md-component="search" role="dialog"'
    return output.replace(search, f'{search} aria-label="Search"')


def _of_readme(part: str) -> str:
    """What follows a comment of that name in the README, up to the next part or heading."""
    text = README.read_text(encoding="utf-8").replace("](docs/", "](")
    (found,) = re.findall(_PART.format(part=part), text, re.MULTILINE | re.DOTALL)
    return str(found)


def _decisions() -> Iterator[str]:
    yield "# Decisions\n\nWhat a newcomer would question, with the reasons: half a page each.\n"
    yield "| | decision |\n|---|---|"
    for path in sorted(DECISIONS.glob("*.md")):
        number, _, title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
        yield f"| {number} | [{title}]({path.name}) |"


def _modules(constant: str, package: str, first: str | None, last: str | None) -> Iterator[str]:
    """The docstring of each module of a package that defines a constant, in the order of their names."""
    for path in sorted(Path(package).glob(f"[{first or 'a'}-{last or 'z'}]*.py")):
        if re.search(rf"^{constant}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield f"::: {'.'.join(path.with_suffix('').parts)}\n    options: {{members: false}}\n"
