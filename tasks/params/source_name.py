"""What people call a data source, in run names and as the registered name of its models."""

from pathlib import PurePosixPath

_SUFFIXES = (".gz", ".zip", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".feather", ".xlsx")
_SIGNS = "_. ()+,=-"
_LONGEST = 60


def source_name(source: str) -> str:
    """The name without its kind, folder and suffixes, of letters that a registered name may have.

    >>> source_name("sklearn:digits"), source_name("openml:1461"), source_name("data/raw/churn.csv.gz")
    ('digits', 'openml 1461', 'churn')
    """
    kind, colon, name = source.partition(":")
    if colon and kind in ("sklearn", "openml"):
        name = f"openml {name}" if name.isdigit() else name
    else:
        name = PurePosixPath(source).name
        while PurePosixPath(name).suffix.lower() in _SUFFIXES:
            name = PurePosixPath(name).stem
    known = (letter if letter.isalpha() or letter.isdecimal() or letter in _SIGNS else "-" for letter in name)
    return "".join(known)[:_LONGEST].strip(" .-") or "data"
