#!/usr/bin/env bash
# DVC 3.67.1: `exp run -S` of one number, in a params.yaml with the texts "no" and "12:30".
#
# Expected: `dvc exp run -S train.C=2.0` changes train.C alone, which is what `dvc params diff` then says.
# Seen: DVC writes the whole file again, and takes the quotes off every text that needs none in YAML 1.2. PyYAML reads YAML
# 1.1, where no is False (as yes, on, off) and 12:30 is a number of base 60, 750: the stage gets other values than before.
# DVC reads them as texts as before, so that `params diff`, `exp show` and dvc.lock name no change but that of train.C.
# What it would do to a user: Norway becomes False in one experiment; its gain or loss is put down to C.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'dvc==3.67.1' 'ruamel.yaml==0.19.1' 'pyyaml==6.0.3'
export HOME="$work" PATH="$work/env/bin:$PATH" DVC_SITE_CACHE_DIR="$work/site" DVC_NO_ANALYTICS=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
mkdir "$work/project"
cd "$work/project"
git init --quiet
dvc init --quiet
cat > params.yaml <<'YAML'
train:
  C: 1.0
country: "no"
opens: "12:30"
YAML
cat > show.py <<'PY'
import yaml

with open("params.yaml") as file:
    read = yaml.safe_load(file)
print("the stage reads", read["country"], read["opens"])
PY
printf 'stages:\n  show:\n    cmd: python show.py > shown.txt\n    params: [train, country, opens]\n    outs: [shown.txt]\n' > dvc.yaml
dvc repro --quiet
git add .
git commit --quiet --message first
before=$(cat shown.txt)
dvc exp run --quiet --set-param train.C=2.0 2> "$work/said"
after=$(cat shown.txt)
changed=$(dvc params diff --json)
echo "DVC 3.67.1: $before; after -S train.C=2.0 $after; params diff: $changed"
[ "$before" = "the stage reads no 12:30" ] && [ "$after" = "the stage reads False 750" ]
[ "$changed" = '{"params.yaml": {"train.C": {"old": 1.0, "new": 2.0, "diff": 1.0}}}' ]
