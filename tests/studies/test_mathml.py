"""Formulas as MathML: nothing of the LaTeX is lost, and what is not known is refused."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from studies.mathml import UnknownFormula, displayed, mathml

DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FORMULAS = [
    formula
    for page in sorted(DOCS.rglob("*.md"))
    for text in [page.read_text(encoding="utf-8")]
    for formula in [
        *re.findall(r"^```math\n(.*?)^```$", text, re.MULTILINE | re.DOTALL),
        *re.findall(r"\$([^$\s](?:[^$]*[^$\s])?)\$", CODE.sub("", text)),
    ]
]
LAYOUT = r"\\(?:begin|end)\{gathered\}"
DISPLAYED = ' display="block"'
PRIME = '<mo lspace="0" rspace="0">′</mo>'
SHOWN = re.compile(r"[a-zA-Z]+|\d+")


def test_every_letter_and_number_of_the_pages_formulas_is_shown():
    assert len(FORMULAS) > 300
    for formula in FORMULAS:
        element = ElementTree.fromstring(displayed(formula))
        plain = re.sub(
            r"\\(?!(?:max|min|sup|log|ln|exp|arg|Pr)(?![a-zA-Z]))[a-zA-Z]+", " ", re.sub(LAYOUT, " ", formula)
        )
        expected = Counter("".join(SHOWN.findall(plain.replace("\\", ""))))
        assert expected == Counter("".join(SHOWN.findall("".join(element.itertext()).replace("𝔼", "E")))), formula


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac{a}{2}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        (r"\sum_{n}", "<munder><mo>∑</mo><mrow><mi>n</mi></mrow></munder>"),
        (r"a \lt b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"a' - b", "<mrow><mi>a</mi>" + PRIME + "</mrow><mo>−</mo><mi>b</mi>"),
    ],
)
def test_a_structure_is_that_of_mathml(latex, expected):
    assert f"<mrow>{expected}</mrow></math>" in mathml(latex)


def test_a_displayed_formula_has_an_element_for_each_part():
    parts = ["a = b,", "c", "d"]
    expected = f'<div class="formula">{"".join(mathml(part, DISPLAYED) for part in parts)}</div>'
    assert expected == displayed(r"\begin{gathered} a = b, \qquad c \\ d \end{gathered}")


@pytest.mark.parametrize("latex", [r"\oint", "{a", "a}", "x_", "x_1_2", r"\left( a", r"\begin{cases}", "a & b"])
def test_what_is_not_known_is_refused(latex):
    with pytest.raises(UnknownFormula, match="studies/mathml.py"):
        mathml(latex)
