"""How often a method's interval held its target in a study, in words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coverage:
    """Of a method at 95 %: the number of `cells` that were studied, the `mean` of their coverage, and the `least`.

    >>> Coverage(cells=70, mean=0.961, least=0.917).says
    'held in 96 % of samples, worst cell 92 %'
    """

    cells: int
    mean: float
    least: float

    @property
    def says(self) -> str:
        """The words next to an interval."""
        return f"held in {100 * self.mean:.0f} % of samples, worst cell {100 * self.least:.0f} %"
