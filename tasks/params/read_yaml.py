"""YAML as params.yaml is read: version 1.1, and the numbers that version 1.2 adds.

`off` and `yes` are booleans, as users have written them. 1e-05 is a number: so ruamel.yaml writes it, with which
`dvc exp run -S` changes params.yaml.
"""

import re
from typing import Any

import yaml

_FLOAT = "tag:yaml.org,2002:float"
_EXPONENT = re.compile(r"[-+]?(\d[\d_]*(\.[\d_]*)?|\.\d[\d_]*)[eE][-+]?\d+\Z")
_DEEPEST = 100
# what PyYAML raises, next to its own errors, for a date, a number or a boolean that is none
VALUE_ERRORS = (ValueError, AttributeError, KeyError, OverflowError)


class Loader(yaml.CSafeLoader):
    """Plain values alone: no tag makes an object of Python."""

    def __init__(self, text: str) -> None:
        """Raises yaml.YAMLError for a text that is nested too deeply: libyaml would exceed the stack of the process."""
        depth = 0
        for event in yaml.parse(text, yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise yaml.YAMLError(f"it is nested deeper than {_DEEPEST} levels")
        super().__init__(text)


class Dumper(yaml.SafeDumper):
    """Writes what `Loader` reads as the same values: a text that looks like a number is quoted."""


for _class in (Loader, Dumper):
    _class.add_implicit_resolver(_FLOAT, _EXPONENT, list("-+.0123456789"))


def read(text: str) -> Any:
    """The value that a text stands for. Raises yaml.YAMLError for what is not valid YAML."""
    try:
        return Loader(text).get_single_data()
    except VALUE_ERRORS as error:
        raise yaml.YAMLError(str(error)) from None
