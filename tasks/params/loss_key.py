"""What may stand at the key `loss` of params.yaml, and its description: all from the registry of losses."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import Field
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from heldout.losses import KINDS, NAMES
from heldout.losses.kind import LossParameter
from tasks.params.sections import Fraction, Label

_VALUES: dict[str, Any] = {"fraction": Fraction, "costs": dict[Label, dict[Label, Annotated[float, Field(ge=0)]]]}


def _mapping(name: str, parameter: LossParameter) -> Any:
    """{name: value}, for a loss that takes a value."""
    value: Any = Annotated.__class_getitem__((_VALUES[parameter.values], Field(description=parameter.says)))  # type: ignore[attr-defined]
    made: Any = TypedDict(f"{name.capitalize()}Loss", {name: value})  # type: ignore[misc]
    made.__doc__ = f"The {name} loss with its value."
    return made


def _of(targets: str) -> str:
    *most, last = (kind.written for kind in KINDS if kind.targets == targets)
    return f"{', '.join(most)} or {last}"


FUNCTION = "function"


class FunctionLoss(TypedDict):
    """A loss of the user's."""

    function: Annotated[
        str,
        Field(
            description="import path of a function of labels and answers that returns a loss for each row, in a module "
            "that execution.allowed_modules names: my_losses.stock, for my_losses.py next to this file"
        ),
    ]


MAPPINGS: dict[str, Any] = {
    **{kind.name: _mapping(kind.name, kind.parameter) for kind in KINDS if kind.parameter is not None},
    FUNCTION: FunctionLoss,
}
if TYPE_CHECKING:
    LossSpec = str | dict[str, Any]
else:
    LossSpec = Union[Literal[NAMES], *MAPPINGS.values()]
DESCRIPTION = (
    f"what a wrong answer costs. Of classes: {_of('classes')}; of numbers: {_of('numbers')}; of both: "
    "{function: my_losses.stock}, a function of yours. null: zero_one for classes, squared for numbers"
)


def function_of(spec: Any) -> str | None:
    """The import path of the user's function; None for a loss of the registry."""
    return spec[FUNCTION] if isinstance(spec, dict) and [*spec] == [FUNCTION] else None
