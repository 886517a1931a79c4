"""What tests hold of an error: its place, its key, its value and what is allowed. The wording is free."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tasks.params import load
from tasks.runtime.errors import UserError

_KEY = re.compile(r"[A-Za-z_]\w*(?:\[\w+\])*(?:\.\w+(?:\[\w+\])*)*")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|(?<=[ (])\[[^][]*\]")
_PARAMS = re.compile(r"(?P<path>\S+\.yaml)(?:, (?P<option>--set))?: (?P<text>.*)")


@dataclass(frozen=True)
class Mistake:
    """One line of an error: --set, if the value comes from there, and the text that follows."""

    where: str | None
    text: str

    @property
    def key(self) -> str:
        """The key with which the text begins."""
        found = _KEY.match(self.text)
        return found[0] if found else ""


def mistakes(path, *changes) -> list[Mistake]:
    """What `load` finds wrong with a file; each text names its key once."""
    with pytest.raises(UserError) as caught:
        load(path, changes)
    return [mistake_of(line) for line in str(caught.value).split("\n")]


def mistake_of(line: str) -> Mistake:
    """One line of an error, taken apart."""
    found = _PARAMS.fullmatch(line)
    mistake = Mistake(None, line) if found is None else Mistake(found["option"], found["text"])
    assert_key_once(mistake.text)
    return mistake


def assert_refused(call: Callable[[], object], key: str, *words: object) -> None:
    """Assert that a call is refused in one line, which begins with `key` and names each of `words`."""
    with pytest.raises(UserError) as caught:
        call()
    mistake = mistake_of(str(caught.value))
    assert key == mistake.key, mistake.text
    assert_names(mistake, *words)


def assert_names(mistake: Mistake | str, *words: object) -> None:
    """Assert that a text names each of `words`, as whole words and as often as they are given."""
    text = mistake if isinstance(mistake, str) else mistake.text
    for word, times in Counter(map(str, words)).items():
        found = re.findall(rf"(?<!\w)(?<!\d[.-]){re.escape(word)}(?!\w|\.\d)", text)
        assert len(found) >= times, f"{word!r} is not in {text!r}" + (f" {times} times" if times > 1 else "")


def assert_key_once(text: str) -> None:
    """Assert that a text which begins with a key does not name this key again."""
    found = _KEY.match(text)
    if found is None or not re.match(r" (is|has|must|contains|names|stores)\b|:", text[found.end() :]):
        return
    key, rest = found[0], text[found.end() :]
    while (shorter := _QUOTED.sub("", rest)) != rest:
        rest = shorter
    parts = key.split(".")
    endings = {".".join(parts[start:]) for start in range(max(1, len(parts) - 1))}
    assert not endings & set(_KEY.findall(rest)), f"{key} is named twice in {text!r}"
    assert not re.search(rf"(?<![\w.]){re.escape(parts[-1])}( is| has| must|:)", rest), f"{key} again in {text!r}"
