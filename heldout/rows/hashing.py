"""Words of 64 bits for the values of cells: the same on every machine, whatever the other rows are."""

import hashlib
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

NUMERIC = "biuf"  # bool, integers and floats, as NumPy names their kinds
EXACT = 2**53  # from here on, a float may stand for several whole numbers


def mixed(z: Words) -> Words:
    """Each 64-bit word as another word, so that words that differ in one bit share about half of their bits.

    The finalizer of SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
    """
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def bits(values: NDArray[Any]) -> Words:
    """The bits of each value as a float64, or a digest of its text if it is no number or no float. The same shape."""
    if values.dtype.kind in NUMERIC:
        floats = values.astype(np.float64, order="C") + 0.0  # -0.0 becomes 0.0
        floats[np.isnan(floats)] = np.nan  # the same bits for every NaN
        words: Words = floats.view(np.uint64)
        if values.dtype.kind in "iu" and (long := np.abs(floats) >= EXACT).any():
            words[long] = [_of_whole(value) for value in values[long].tolist()]
        return words
    flat = values.astype(object).ravel()
    whole = np.array([isinstance(value, numbers.Integral) for value in flat], np.bool_)
    numeric = np.array([value is None or isinstance(value, numbers.Real | np.bool_) for value in flat], np.bool_)
    words = np.empty(len(flat), np.uint64)
    words[whole] = [_of_whole(int(value)) for value in flat[whole]]
    words[numeric & ~whole] = bits(flat[numeric & ~whole].astype(np.float64))  # None becomes NaN
    texts = [str(value) for value in flat[~numeric]]
    digests = {text: digest(text) for text in set(texts)}
    words[~numeric] = np.array([digests[text] for text in texts], np.uint64)
    return words.reshape(values.shape)


def _of_whole(value: int) -> int:
    """The bits of a whole number as a float64, or a digest of its digits where no float64 is equal to it."""
    try:
        number = float(value)
    except OverflowError:
        return digest(str(value))
    return int(np.float64(number).view(np.uint64)) if number == value else digest(str(value))


def digest(text: str) -> int:
    """A 64-bit number from a text, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little")
