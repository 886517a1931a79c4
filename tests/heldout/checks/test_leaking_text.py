"""Text that gives the class or the number away is found by what it holds; text that people wrote is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks import leaking_text

few = settings(max_examples=8, deadline=None)
TOPICS = ["sport.hockey", "sport.baseball", "politics"]


def messages(rng, target, header):
    body = [" ".join(rng.choice(["team", "vote", "ball", "ice", "law", "win"], 12)) for _ in target]
    head = [f"From: a@b.c\nNewsgroups: {kind}\nLines: 3\n\n" if header else "" for kind in target]
    return pd.Series([first + rest for first, rest in zip(head, body, strict=True)])


def test_text_that_names_its_class_is_found_with_the_header_line_that_does():
    rng = np.random.default_rng(0)
    target = pd.Series(rng.choice(TOPICS, 200))
    features = pd.DataFrame({"clean": messages(rng, target, False), "raw": messages(rng, target, True)})
    (found,) = leaking_text.of_texts(features, target, ["clean", "raw"], classes=True)
    assert ("raw",) == found.columns
    assert "100 % of the rows" in found.why
    assert "(header lines Newsgroups:)" in found.why


def test_text_that_now_and_then_names_its_class_is_honest():
    rng = np.random.default_rng(0)
    target = pd.Series(rng.choice(TOPICS, 200))
    text = messages(rng, target, False)
    text = text.where(np.arange(200) % 2 == 0, target + " " + text)
    assert [] == leaking_text.of_texts(pd.DataFrame({"text": text}), target, ["text"], classes=True)


WORDS = ["red", "green", "fast", "slow", "house", "tree", "river", "cloud", "stone", "wheel"]


def of_one(texts, target, *, classes=True):
    return leaking_text.of_texts(pd.DataFrame({"text": texts}), pd.Series(target), ["text"], classes=classes)


CODES = {
    "inside of a word": lambda kind, rng: (
        f"{rng.choice(['ATRINS', 'BABAPOE'])}-{['DN', 'AC', 'XX'][kind]}OR-{rng.integers(900)}"
    ),
    "a word of a sentence": lambda kind, rng: (
        f"{' '.join(rng.choice(WORDS, 30))} {['q7', 'k7', 'z7'][kind]} {rng.choice(WORDS)}"
    ),
    "several for a class": lambda kind, rng: (
        f"{rng.choice([['aa', 'ab'], ['ba', 'bb'], ['ca', 'cb']][kind])}{rng.integers(1000)}"
    ),
}


@few
@given(st.sampled_from(list(CODES)), st.integers(0, 2**32 - 1))
def test_a_code_in_a_text_is_found_and_shown(code, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, 400)
    (found,) = of_one([CODES[code](kind, rng) for kind in kinds], kinds)
    assert ("text",) == found.columns
    assert "out of fold" in found.why


@few
@given(st.floats(0.03, 0.3), st.integers(0, 2**32 - 1))
def test_a_word_that_is_wrong_now_and_then_is_an_honest_word(noise, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, 400)
    wrong = rng.permutation(400)[: round(noise * 400)]
    said = kinds.copy()
    said[wrong] = 1 - said[wrong]
    assert [] == of_one([f"{' '.join(rng.choice(WORDS, 8))} {['cheap', 'dear'][kind]}" for kind in said], kinds)


@pytest.mark.parametrize("classes", [True, False])
def test_a_number_that_counts_the_sorted_rows_follows_the_target(classes):
    y = np.sort(np.random.default_rng(0).integers(0, 3, 400) if classes else np.random.default_rng(0).gamma(2, 9, 400))
    (found,) = of_one([f"case {7 * row + 1000} of ward B" for row in range(400)], y, classes=classes)
    assert "number 1" in found.why
    shuffled = np.random.default_rng(1).permutation(y)
    assert [] == of_one([f"case {7 * row + 1000} of ward B" for row in range(400)], shuffled, classes=classes)


@pytest.mark.parametrize(("words", "shown"), [(["qq", "kk"], 1), (["qq", "kk", "zz", "jj", "vv"], 3)])
def test_the_reason_shows_the_parts_that_decide_from_the_first_on_and_at_most_three(words, shown):
    """A tree of two classes asks for one part, of five for four."""
    kinds = np.arange(400) % len(words)
    rng = np.random.default_rng(0)
    (found,) = of_one([f"{' '.join(rng.choice(WORDS, 30))} {words[kind]}" for kind in kinds], kinds)
    said = found.why.removeprefix("the parts ").partition(" of its text")[0].split(", ")
    assert shown == len(said)
    assert {*said} <= {*map(repr, words)}
