"""YAML as params.yaml is read: version 1.1, and the numbers that version 1.2 adds.

`off` and `yes` are booleans, as users have written them. 1e-05 is a number: so ruamel.yaml writes it, with which
`dvc exp run -S` changes params.yaml.
"""

import re
from typing import Any

import yaml

_FLOAT = "tag:yaml.org,2002:float"
_EXPONENT = re.compile(r"[-+]?(\d[\d_]*(\.[\d_]*)?|\.\d[\d_]*)[eE][-+]?\d+\Z")
_MERGE = "tag:yaml.org,2002:merge"
_DEEPEST = 100
_MOST_VALUES = 100_000  # aliases are short to write, and may stand for more values than fit in memory
_NO_FILE = '"<unicode string>", '  # in messages; who reads a file names it
# what PyYAML raises, next to its own errors, for a date, a number or a boolean that is none
VALUE_ERRORS = (ValueError, AttributeError, KeyError, OverflowError)


class Loader(yaml.CSafeLoader):
    """Plain values alone: no tag makes an object of Python."""

    def __init__(self, text: str) -> None:
        """Raises yaml.YAMLError for a text that is nested too deeply.

        A million levels exceed the stack of libyaml (PyYAML 6.0.3), which ends the process.
        """
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
    """The value that a text stands for. Raises yaml.YAMLError for what is not valid YAML, with its line and column."""
    try:
        loader = Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None
        if _values(loader, root, {}) > _MOST_VALUES:
            raise yaml.YAMLError(f"its aliases (*name) stand for more than {_MOST_VALUES} values")
        return loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        raise yaml.YAMLError(str(error).replace(_NO_FILE, "")) from None
    except VALUE_ERRORS as error:
        raise yaml.YAMLError(str(error)) from None
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply, or an alias (*name) is inside its own anchor") from None


def _values(loader: Any, node: Any, known: dict[int, int]) -> int:
    """The number of values that a node stands for, each alias counted in full. Raises YAMLError for a key again."""
    if id(node) in known:
        if not known[id(node)]:
            raise RecursionError
        return known[id(node)]
    known[id(node)] = 0  # being counted
    inner: list[Any] = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        _check_keys(loader, node)
        inner = [value for _, value in node.value]
    known[id(node)] = 1 + sum(_values(loader, item, known) for item in inner)
    return known[id(node)]


def _check_keys(loader: Any, node: yaml.MappingNode) -> None:
    """As PyYAML does not: the last of equal keys would count."""
    seen: set[Any] = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
            name = loader.construct_object(key)
            if name in seen:
                found = f"found duplicate key {name!r}"
                raise yaml.constructor.ConstructorError(
                    "while constructing a mapping", node.start_mark, found, key.start_mark
                )
            seen.add(name)
