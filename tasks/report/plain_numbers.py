"""Numbers of a user's own scale: a price of 452,600 and a length of 0.0312, none as 4.526e+05."""


def plain(value: float) -> str:
    """At least four digits, with commas between thousands."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e12 else f"{value:.4g}"
