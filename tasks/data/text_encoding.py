"""The encoding of a text file: UTF-8 or, where the bytes are none, Windows-1252, which is said with a word of the file.

Each file is asked for itself, so that a shard may be written otherwise than the labelled rows. Bytes that are no text
(UTF-16, packed, mostly UTF-8 with a few broken lines) are refused: any other reading would make up letters.
"""

import codecs
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO

UTF8, WINDOWS, LATIN1 = "utf-8-sig", "cp1252", "latin-1"
_PIECE = 1 << 20  # bytes
_GZIPPED = b"\x1f\x8b"
_OTHER_MARKS = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # Windows-1252 has no letter for them
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")
_MOST_CONTROL = 1e-3  # share of the bytes of a text
_WORD = re.compile(r'[^\s,;|"]+')
_LONGEST = 40  # letters


class NotText(ValueError):
    """Why bytes are refused: a clause that follows the name of their file."""


@dataclass(frozen=True)
class Encoding:
    """The encoding by Python's name; if it is not UTF-8, in how many lines that shows, and a word of the first."""

    name: str
    lines: int = 0
    example: str = ""

    @property
    def sentence(self) -> str:
        """What was read, as a clause that follows the name of the file; empty for UTF-8."""
        if self.name == UTF8:
            return ""
        called = (
            "Windows-1252 (Latin-1)" if self.name == WINDOWS else "Latin-1, with control characters among the letters"
        )
        count = "1 line shows" if self.lines == 1 else f"{self.lines:,} lines show"
        return f"is not UTF-8 and is read as {called}: {count} it, as {self.example!r}"


def of(opened: Callable[[], IO[bytes]]) -> Encoding:
    """The encoding of the bytes that `opened` gives. Raises NotText for what is no text, or of another encoding."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        with opened() as file:
            while piece := file.read(_PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        with opened() as file:
            return _of_lines(file)
    return Encoding(UTF8)


def decoded(start: bytes) -> str:
    """The text of the first lines of a file, in the encoding of these lines. Raises ValueError where it is no text."""
    try:
        return start.decode(UTF8)
    except UnicodeDecodeError:
        return start.decode(_of_lines(start.splitlines(keepends=True)).name)


def not_utf8(opened: Callable[[], IO[bytes]]) -> str:
    """Where the first byte is that is not UTF-8, and what to do, for a format that is always UTF-8."""
    try:
        with opened() as file:
            _of_lines(file)
    except NotText as error:
        return str(error)
    with opened() as file:
        return next((_about(number, line) for number, line in enumerate(file, start=1) if not _is_utf8(line)), _SAVE)


_SAVE = "is not UTF-8; save it as UTF-8"


def _of_lines(file: Iterable[bytes]) -> Encoding:
    """The encoding of lines that are not UTF-8 as a whole."""
    utf8 = others = size = control = 0
    name, first, example = WINDOWS, "", ""
    for number, line in enumerate(file, start=1):
        if number == 1:
            _check_mark(line)
        if b"\0" in line:
            raise NotText("is no text file: it holds zero bytes, as UTF-16 and binary files do; save it as UTF-8")
        size, control = size + len(line), control + len(_CONTROL.findall(line))
        if line.isascii():
            continue
        if _is_utf8(line):
            utf8 += 1
            continue
        others += 1
        if others == 1:
            first, example = _about(number, line), _word(line)
        if name == WINDOWS and _UNDEFINED.search(line):
            name, example = LATIN1, _word(line)
    if control > _MOST_CONTROL * size:
        raise NotText("is no text file: it holds control characters, as binary files do; save it as UTF-8")
    if utf8 and utf8 >= others:
        raise NotText(f"{first}; {utf8} other lines are UTF-8, so the file mixes two encodings")
    return Encoding(name, others, example)


def _check_mark(line: bytes) -> None:
    if line.startswith(_GZIPPED):
        raise NotText("is gzipped; call it .csv.gz")
    for mark, called in _OTHER_MARKS:
        if line.startswith(mark):
            raise NotText(f"is not UTF-8 but {called}; save it as UTF-8 (iconv -f {called.lower()} -t utf-8)")
    if line.startswith(codecs.BOM_UTF8):
        raise NotText("begins with the mark of UTF-8, but has bytes that are not UTF-8; save it as UTF-8")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _about(number: int, line: bytes) -> str:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"0x{line[error.start]:02x}"
        return (
            f"is not UTF-8: line {number} has the byte {byte} at place {error.start + 1}; save it as UTF-8 "
            "(from Latin-1: iconv -f latin1 -t utf-8)"
        )
    return _SAVE


def _word(line: bytes) -> str:
    """The word of the first byte that Windows-1252 does not know, or else of the first byte that is not ASCII."""
    unknown = _UNDEFINED.search(line)
    text = line.decode(LATIN1 if unknown else WINDOWS)
    start = 0 if unknown is None else unknown.start()
    words = (match for match in _WORD.finditer(text) if match.end() > start and not match[0].isascii())
    return next((match[0][:_LONGEST] for match in words), "")
