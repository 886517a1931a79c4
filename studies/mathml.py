"""The formulas of the pages as MathML, which a browser shows without a script or a font of another host.

The pages write LaTeX. A command that is not listed here is an error, so that no formula is shown in part.
"""

import re
from html import escape

_TOKEN = re.compile(r"\\(?:text|mathrm|mathbb)\{[^{}]*\}|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\S")
_LETTERS = dict(
    zip(("alpha", "delta", "theta", "lambda", "xi", "rho", "sigma", "Phi", "ell"), "αδθλξρσΦℓ", strict=True)
)
_WORDS = ("Pr", "log", "ln", "exp", "arg")
_WITH_LIMITS = {"sum": "∑", "prod": "∏", "max": "max", "min": "min", "sup": "sup"}
_RELATIONS = dict(zip(("le", "ge", "lt", "ne", "in", "notin", "pm", "ast", "cdot", "dots"), "≤≥<≠∈∉±∗⋅…", strict=True))
_FENCES = dict(zip(("{", "}", "lvert", "rvert", "lVert", "rVert", "lceil", "rceil"), "{}||‖‖⌈⌉", strict=True))
_BARE_FENCES = "()[]|/"
_SPACES = {",": 0.167, ";": 0.278, " ": 0.333, "quad": 1}  # in em
_ACCENTS = {"bar": "¯", "hat": "^"}
_SIZES = {"bigl": 1.2, "bigr": 1.2, "Bigl": 1.8, "Bigr": 1.8, "Big": 1.8}  # in em
_SMALL = '<mstyle displaystyle="false" scriptlevel="0">{}</mstyle>'
_ENDS = ("", "}", r"\right")
_BRACKETS = ("(", "[", r"\{", r"\left", *(f"\\{size}" for size in _SIZES))


class UnknownFormula(ValueError):
    """A formula with a command or a structure that is not known here."""


def mathml(latex: str, attributes: str = "") -> str:
    """A formula as an element `math`. Raises UnknownFormula."""
    reader = _Reader(latex)
    inside = reader.row()
    if reader.ahead:
        raise reader.unknown(reader.ahead)
    return f'<math{attributes} alttext="{escape(" ".join(latex.split()))}">{inside}</math>'


def displayed(latex: str) -> str:
    """A formula of its own: its parts, between `\\qquad` or in lines of `gathered`, are in a line where it has room."""
    parts = re.split(r"\\qquad|\\\\\s|\\begin\{gathered\}|\\end\{gathered\}", latex)
    shown = "".join(mathml(part, ' display="block"') for part in parts if part.strip())
    return f'<div class="formula">{shown}</div>'


class _Reader:
    """One pass over the tokens. Each method reads one thing, and returns it as MathML."""

    def __init__(self, latex: str) -> None:
        self._latex = latex
        self._tokens = _TOKEN.findall(latex)[::-1]

    @property
    def ahead(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[-1] if self._tokens else ""

    def unknown(self, word: str) -> UnknownFormula:
        """The error at a token."""
        return UnknownFormula(f"{word or 'the end'} is not expected in {self._latex!r}; studies/mathml.py has what is")

    def row(self) -> str:
        """Everything up to the end of a group."""
        parts = []
        while self.ahead not in _ENDS:
            parts.append(self._with_scripts())
        return f"<mrow>{''.join(parts)}</mrow>"

    def _with_scripts(self) -> str:
        places = ("under", "over") if self.ahead[1:] in _WITH_LIMITS else ("sub", "sup")
        base, low, high = self._atom(), "", ""
        while self.ahead == "'":
            self._tokens.pop()
            base = f'<mrow>{base}<mo lspace="0" rspace="0">′</mo></mrow>'
        while self.ahead in ("_", "^"):
            sign = self._tokens.pop()
            if low if sign == "_" else high:
                raise self.unknown(sign)
            if sign == "_":
                low = self._atom()
            else:
                high = self._atom()
        name = f"{places[0] if low else ''}{places[1] if high else ''}"
        return f"<m{name}>{base}{low}{high}</m{name}>" if name else base

    def _atom(self) -> str:
        word = self._tokens.pop() if self._tokens else ""
        if word == "{":
            return self._until("}")
        if word[:1] == "\\":
            return self._command(word)
        if word[:1].isdigit():
            return f"<mn>{word}</mn>"
        if word.isalpha():
            return f"<mi>{word}</mi>"
        if word and word in _BARE_FENCES:
            return _fence(word)
        if word and word in "+-=<>,:.":
            return f"<mo>{escape(word.replace('-', '−'))}</mo>"
        raise self.unknown(word)

    def _command(self, word: str) -> str:
        name, _, text = word[1:].removesuffix("}").partition("{") if len(word) > 2 else (word[1], "", "")
        if name == "text":
            return f"<mtext>{escape(text).replace(' ', '&#160;')}</mtext>"
        if name == "mathrm":
            return f'<mi mathvariant="normal">{escape(text)}</mi>'
        if word == r"\mathbb{E}":
            return "<mi>𝔼</mi>"
        if name in ("frac", "tfrac"):
            fraction = f"<mfrac>{self._atom()}{self._atom()}</mfrac>"
            return fraction if name == "frac" else _SMALL.format(fraction)
        if name == "sqrt":
            return f"<msqrt>{self._atom()}</msqrt>"
        if name in _ACCENTS:
            return f'<mover accent="true">{self._atom()}<mo stretchy="false">{_ACCENTS[name]}</mo></mover>'
        if name == "textstyle":
            return _SMALL.format(self.row())
        if name in _SIZES:
            return _fence(self._delimiter(), f'minsize="{_SIZES[name]}em" maxsize="{_SIZES[name]}em"')
        if name == "left":
            opening, inside = _fence(self._delimiter(), ""), self._until(r"\right")
            return f"<mrow>{opening}{inside}{_fence(self._delimiter(), '')}</mrow>"
        return self._symbol(word, name)

    def _symbol(self, word: str, name: str) -> str:
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"/>'
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _WORDS or _WITH_LIMITS.get(name) == name:
            limits = ' movablelimits="true"' if name in _WITH_LIMITS else ""
            gap = "0" if self.ahead in (*_BRACKETS, *_ENDS) else "0.167em"
            return f'<mo form="prefix" lspace="0.167em" rspace="{gap}"{limits}>{name}</mo>'
        if name in _WITH_LIMITS:
            return f"<mo>{_WITH_LIMITS[name]}</mo>"
        if name in _RELATIONS:
            return f"<mo>{escape(_RELATIONS[name])}</mo>"
        if name in _FENCES:
            return _fence(_FENCES[name])
        raise self.unknown(word)

    def _until(self, end: str) -> str:
        inside = self.row()
        if self.ahead != end:
            raise self.unknown(self.ahead)
        self._tokens.pop()
        return inside

    def _delimiter(self) -> str:
        word = self._tokens.pop() if self._tokens else ""
        sign = word if word and word in _BARE_FENCES else _FENCES.get(word[1:], "")
        if not sign:
            raise self.unknown(word)
        return sign


def _fence(sign: str, size: str = 'stretchy="false"') -> str:
    return f'<mo lspace="0" rspace="0" {size}>{sign}</mo>'
