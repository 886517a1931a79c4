# Everything runs in .venv, made from requirements.lock; nothing else is needed than Python 3.11, git and make.
PYTHON := $(shell command -v python3.11 || command -v python3)
UV := uv==0.13.9
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: repro test test-slow test-long test-units test-commands studies datasets docs bench bench-quick check ui serve lock clean

repro: .venv/ready ## validate the candidates of params.yaml
	dvc repro

test: .venv/ready ## format, types, layers, and all tests but the long ones
	$(MAKE) --no-print-directory check
	$(MAKE) --no-print-directory -j2 --output-sync=target test-units test-commands

test-slow: .venv/ready ## the slow tests, which CI runs too
	$(MAKE) --no-print-directory -j2 --output-sync=target test-units test-commands MARKED="-m slow"

test-long: .venv/ready ## those that do not fit the time of CI: before a release
	python -m pytest tests/end_to_end -m long

# side by side: the real commands wait much of their time
test-units: .venv/ready
	python -m pytest tests/heldout tests/studies tests/tasks $(MARKED)

test-commands: .venv/ready
	python -m pytest tests/end_to_end $(MARKED)

studies: .venv/ready ## hours: docs/coverage.*; DATA=FOLDER adds the real data sets, QUICK=--quick is minutes
	python -m studies.coverage $(QUICK) $(if $(DATA),--data $(DATA))

docs: .venv/ready ## what is made from the code: params.schema.json, docs/params.md, comments of params.yaml, tables of docs/method.md
	python -m tasks.params.docs
	python -m studies.method_pictures --tables

datasets: .venv/ready ## a quarter of an hour: DATA=FOLDER of public sets, each from its file to the decision; docs/datasets.md
	python -m studies.datasets $(if $(DATA),--data $(DATA))

bench: .venv/ready ## at most 20 minutes, on an idle machine: the table and the picture of docs/speed.md, measured anew
	python -m benchmarks

bench-quick: .venv/ready ## at most 3 minutes: the same on a tenth of the rows, nothing written
	python -m benchmarks --quick

check: .venv/ready
	ruff format --check .
	ruff check .
	mypy
	lint-imports

ui: .venv/ready ## the runs in the MLflow UI
	python -m flows.ui

serve: .venv/ready ## Prefect server, worker and the deployment nightly-validation, until Ctrl-C
	@exec python -m flows.serve

.venv/ready: requirements.lock
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check $(UV)
	.venv/bin/uv pip sync --quiet --compile-bytecode --require-hashes --python .venv/bin/python requirements.lock
	touch $@

lock: .venv/ready ## resolve pyproject.toml again, keeping the pins that still fit
	.venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --extra pipeline --extra boosting \
		--extra dev --generate-hashes --no-emit-index-url --no-header --quiet -o requirements.lock

clean: ## remove what runs leave, but not mlruns, DVC's cache or your data
	rm -rf .cache .prefect data/prepared data/results reports models
