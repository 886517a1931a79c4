"""What weighted errors are about, in words."""

from tasks.params.sections import Data


def weighed(data: Data) -> dict[str, str]:
    """The sentence about the weights of rows, if they have some."""
    if data.weight is not None:
        return {
            "weights": f"rows count by {data.weight}: each error is a weighted mean, about the population that the "
            "weights describe, if they are right"
        }
    if data.label_probability is not None:
        return {
            "weights": f"rows that label-next drew count by {data.label_probability}, so that each error is about the "
            "population of the unlabelled rows; the others are taken as random draws of it"
        }
    return {}
