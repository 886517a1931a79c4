"""Whether more of a metric is better, or less, and what it is called with: of a function, or a scorer of scikit-learn.

scikit-learn's convention is that what is called `*_loss`, `*_error` or `*_deviance` is to be small, and a scorer knows
it (`greater_is_better`). Of another function it shows at the answers that are the labels: a metric that is 1 at best is
1 there (`OwnMetric.check_best`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

_LESS = re.compile(r"(?!neg_)(.*_)?(loss|error|deviance)")
_NO_NAME = "own"


@dataclass(frozen=True)
class Directed:
    """A `function` of labels, answers and weights, called `name`.

    `less_is_better` is None where neither name nor scorer says it. `needs` is what a scorer asks of a hypothesis, and
    None of a function.
    """

    function: Callable[..., Any]
    name: str
    less_is_better: bool | None
    needs: Literal["answer", "ranks"] | None = None

    @classmethod
    def of(cls, metric: Callable[..., Any]) -> Self:
        """From a function, a partial of one, or what `make_scorer` and `get_scorer` return."""
        sign = getattr(metric, "_sign", None)  # a scorer has no public name for it
        function = metric if sign is None else getattr(metric, "_score_func", metric)
        called = getattr(function, "func", function)  # of a partial
        name = str(getattr(called, "__name__", type(called).__name__))
        if name.startswith("<"):
            name = _NO_NAME
        if sign is None or function is metric:
            return cls(metric, name, True if _LESS.fullmatch(name) else None)
        needs: Literal["answer", "ranks"] = "answer" if metric._response_method == "predict" else "ranks"  # type: ignore[attr-defined]
        return cls(partial(function, **metric._kwargs), name, sign < 0, needs)  # type: ignore[attr-defined]
