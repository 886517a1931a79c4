#!/usr/bin/env bash
# scikit-learn 1.9.1: the files of a fitted text vectorizer, written by two processes that do the same.
#
# Expected: one script, one table and no randomness give one file, so that a store by content, as DVC's, keeps it once.
# Seen: TfidfVectorizer keeps the `id()` of their stop words, an address in memory, in the fitted
# attribute _stop_words_id. pickle writes it, so that the bytes differ from process
# to process; without the attribute they are equal.
# What it would do to a user: a rerun without a change "changes" the model, and every stage after it runs again.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'numpy==2.4.6' 'scipy==1.17.1'
cat > "$work/fit.py" <<'PY'
import pickle
import sys

from sklearn.feature_extraction.text import TfidfVectorizer

words = ["red wine", "white wine", "red car"]
fitted = TfidfVectorizer(stop_words=["the", "a"]).fit(words)
if "without" in sys.argv:
    del fitted._stop_words_id
sys.stdout.buffer.write(pickle.dumps(fitted))
PY
for way in with without; do
    for _ in 1 2 3 4; do "$work/env/bin/python" "$work/fit.py" "$way" | sha256sum; done | sort -u | wc -l > "$work/$way"
done
echo "scikit-learn 1.9.1: of 4 processes $(cat "$work/with") different files, and $(cat "$work/without") without _stop_words_id"
[ "$(cat "$work/with")" -gt 1 ] && [ "$(cat "$work/without")" -eq 1 ]
