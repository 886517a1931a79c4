"""How a source writes its values as text: what separates columns, the decimal mark, the order of day and month."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from tasks.params.sections import Data, Decimal, Separator
from tasks.runtime.errors import UserError

Name = TypeVar("Name", bound=str)

SEPARATORS: dict[Separator, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
DECIMALS: dict[Decimal, str] = {"point": ".", "comma": ","}


@dataclass(frozen=True)
class TextForm:
    """The keys of `data.read` with these names; None is the usual way, and no answer where two ways are possible."""

    separator: Separator | None = None
    decimal: Decimal | None = None
    dayfirst: bool | None = None

    @classmethod
    def of(cls, data: Data) -> "TextForm":
        """As the parameters say."""
        return cls(data.read.separator, data.read.decimal, data.read.dayfirst)

    @classmethod
    def given(cls, sep: str | None, decimal: str | None, dayfirst: bool | None) -> "TextForm":
        """As the options of `init` say, each a sign or its name. Raises UserError for another sign."""
        return cls(_named("--sep", sep, SEPARATORS), _named("--decimal", decimal, DECIMALS), dayfirst)


def _named(option: str, written: str | None, signs: Mapping[Name, str]) -> Name | None:
    if written is None:
        return None
    for name, sign in signs.items():
        if written.replace("\\t", "\t") in (name, sign):
            return name
    allowed = ", ".join(f"{name} ({sign!r})" for name, sign in signs.items())
    raise UserError(f"{option} is {written!r}; it must be one of {allowed}")


USUAL = TextForm()
