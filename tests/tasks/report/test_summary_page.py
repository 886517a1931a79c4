"""reports/summary.md: what a reader of Markdown makes of it, whatever a candidate is called."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from tasks.report import summary_page
from tasks.storage import files

HOSTILE = [
    "@someone #1 :smile: https://evil.example www.evil.example",
    "<script>alert(1)</script> <img src=x>",
    "a|b \\| c\\",
    "`x` ``` ~~~",
    "](javascript:alert(1)) **b** _c_ $x$",
    "\x1b[2J\u202e\n# heading",
    "</details><!-- ",
    "`",
    " ",
]


def page_of(text: str) -> str:
    """What GitHub's Markdown makes of it, with addresses found as there."""
    return MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"]).render(text)


@pytest.mark.fault("markup")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_code_in_the_page_whatever_it_is(summary, name):
    made = summary(
        selected=name, candidates=[name], failures={name: name}, more_rows=[], prediction_powered=[], differences=[]
    )
    page = page_of("\n".join(summary_page.lines(made)))
    codes = [html.unescape(text) for text in re.findall(r"<code[^>]*>(.*?)</code>", page, re.DOTALL)]
    shown = summary_page.printable(name)
    assert 2 <= sum(text.strip() == shown.replace("|", r"\x7c").strip() for text in codes)
    left = re.sub(r"<code.*?</code>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(script|img|a|em|h[2-6]|!--)\b|evil|someone|alert|smile", left)
    assert ["<h1>", "<details>", "</details>"] == re.findall(r"<h1>|</?details>", left)
    assert 1 == page.count("<table>") == page.count("</table>")


def test_the_page_has_the_winner_the_number_to_decide_by_and_every_number_of_the_table(summary):
    made = summary()
    summary_page.write_summary(made)
    text = files.SUMMARY.read_text(encoding="utf-8")
    assert text.startswith(
        "# `bayes`\n\n**`Ship bayes`**\n\n- `plan with E_test = 12.5 %, on 4 rows that no choice has used, at 90 %`\n"
    )
    table = page_of(text).partition("<table>")[2].partition("</table>")[0]
    cells = [re.sub("<br>", " ", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", table)]
    assert ["<strong>*</strong>", "<code>bayes</code>", "6.2", "10.0 5.0–15.0"] == cells[:4]
    assert "with probability 90 % or more the winner's error" in " ".join(text.split())
