# Everything runs in .venv, which is made from requirements.lock; you need only Python 3.11, git and make.
PYTHON := $(shell command -v python3.11 || command -v python3)
UV := uv==0.13.9
RATTLER := py-rattler-build==0.73.0
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# DVC's own place, /var/tmp/dvc, is open to every user of the machine, and DVC reads pickles there
export DVC_SITE_CACHE_DIR ?= $(CURDIR)/.cache/dvc

.PHONY: repro pictures test test-long lowest conda test-heldout test-heldout-parts test-tables test-tasks test-end-to-end test-runs test-shown test-others test-life faults studies datasets traps findings docs site bench bench-quick check audit ui serve lock clean

repro: .venv/ready ## validate the candidates of params.yaml
	@mkdir -p -m 700 .cache
	dvc repro

test: .venv/ready ## the tests; SLOW=yes: with `make check`, and then the slow tests, as CI
	$(MAKE) --no-print-directory -j$(CORES) --output-sync=target SLOW= UNTIL= $(DEFAULT) $(if $(SLOW),check)
	$(if $(SLOW),$(MAKE) --no-print-directory -j3 --output-sync=target $(SLOW_ALONE))

test-long: .venv/ready ## the tests that are too long for CI: before a release
	python -m pytest -m long

lowest: .venv/ready ## before a release: the lowest and the latest libraries of pyproject.toml; PYTHONS="PATH ..." names further Pythons
	PYTHONS="$(PYTHONS)" python -m pytest -m long -rsP tests/end_to_end/test_declared_range.py

conda: .venv/ready ## the wheel, and from it the conda package, which needs no channel: dist/
	rm -rf build dist
	uv build --quiet --wheel --no-build-isolation
	uv run --quiet --isolated --no-project --with '$(RATTLER)' python conda/build.py

faults: .venv/ready ## every fault of docs/reliability.md, fast or slow, and their count
	python -m pytest -m fault

# Each group is a process, the longest first. Default tests compute, one group on each core: five at once on two cores
# took 503 s of the processor in 4:46, two 441 s in 4:01. Slow ones spend much of their time waiting for real commands:
# with eight at once CI took 19:45 on two cores, with five 14:29, with three 13:09. They come when all others have
# passed; the real commands are several groups of them, of tests that share the runs they look at.
CORES := $(shell getconf _NPROCESSORS_ONLN)
DEFAULT := test-heldout test-tasks test-heldout-parts test-tables test-end-to-end
SLOW_ALONE := test-runs test-shown test-tasks test-heldout test-others test-life test-heldout-parts test-tables
MARKED := $(if $(SLOW),-m 'slow and not long')
# UNTIL=SECONDS since 1970: a group of slow tests begins before that or is left out, so that CI fits its time also on a
# machine of half the speed
IN_TIME = $(if $(UNTIL),@[ $$(date +%s) -lt $(UNTIL) ] || { echo '$@: left out: no time is left for it'; exit 0; };)
# these processes share the cores, so each computes with one thread
GROUPS_OF_TESTS := $(sort $(DEFAULT) $(SLOW_ALONE))
$(GROUPS_OF_TESTS): export OMP_NUM_THREADS := 1
$(GROUPS_OF_TESTS): export OPENBLAS_NUM_THREADS := 1
# and each command in a clone imports what the first one there has compiled: a seventh of the time of `plan`
$(GROUPS_OF_TESTS): export PYTHONDONTWRITEBYTECODE :=
of = $(patsubst %,tests/end_to_end/test_%.py,$(1))
# the rooms of heldout whose tests are as long as those of all others
PARTS := $(patsubst %,tests/heldout/%,batched checks decision estimates hypotheses intervals metrics selection shortcuts)
TABLES := $(patsubst %,tests/tasks/%,data init params plans storage)
# all that looks at the run of the shipped parameters
SHOWN := $(call of,dvc_pages gate host mlflow mlflow_pages prefect_pages readme recompute report_page row_tables same_bytes)
LIFE := $(call of,baseline dvc_life errors init interrupted killed)
# in turn, since some of them start servers at ports 4200 and 5000
OTHERS := $(call of,foreign_pages local_accounts serve serve_life shortcuts update)

test-heldout: .venv/ready
	$(IN_TIME) python -m pytest tests/heldout $(PARTS:%=--ignore=%) $(MARKED)

test-heldout-parts: .venv/ready
	$(IN_TIME) python -m pytest $(PARTS) tests/structure $(MARKED)

test-tables: .venv/ready
	$(IN_TIME) python -m pytest $(TABLES) $(MARKED)

test-tasks: .venv/ready
	$(IN_TIME) python -m pytest tests/tasks $(TABLES:%=--ignore=%) $(MARKED)

test-end-to-end: .venv/ready
	python -m pytest tests/end_to_end tests/studies

test-runs: .venv/ready
	$(IN_TIME) python -m pytest tests/end_to_end tests/studies $(patsubst %,--ignore=%,$(SHOWN) $(OTHERS) $(LIFE)) $(MARKED)

test-shown: .venv/ready
	$(IN_TIME) python -m pytest $(SHOWN) $(MARKED)

test-others: .venv/ready
	$(IN_TIME) python -m pytest $(OTHERS) $(MARKED)

test-life: .venv/ready
	$(IN_TIME) python -m pytest $(LIFE) $(MARKED)

studies: .venv/ready ## hours: the tables of docs/studies/; DATA=FOLDER adds those of real data sets, QUICK=--quick takes minutes
	python -m studies $(QUICK) $(if $(DATA),--data $(DATA))

docs: .venv/ready ## what is made from the code: params.schema.json, docs/params.md, comments of params.yaml, tables of the pages on the method, readers, badges
	python -m tasks.params.docs
	python -m studies.method_pictures --tables
	python -m studies.badges

pictures: .venv/ready ## ten minutes, with chromium: the pictures that pages of docs/ show, by the tests that open the pages
	HELDOUT_PICTURES=docs/pages python -m pytest -m picture
	python -m studies.coverage_page

site: .venv/ready ## the pages of the documentation with a search, for a browser without a network: site/index.html
	NO_MKDOCS_2_WARNING=1 python -m mkdocs build --strict --quiet

datasets: .venv/ready ## 25 minutes, on an idle machine: the public data sets, fifteen of them in DATA=FOLDER; docs/datasets.md
	python -m studies datasets $(if $(DATA),--data $(DATA))
	python -m studies.datasets_page

traps: .venv/ready ## minutes: what init finds in tables with planted traps and in public sets; docs/traps.md
	python -m studies.trap_finds $(if $(DATA),--data $(DATA))

findings: ## half an hour, with a package index: whether what findings/ says of other libraries still holds
	@status=0; for one in findings/*.sh; do if ./$$one; then echo "passed  $$one"; else echo "changed $$one"; status=1; fi; done; exit $$status

bench: .venv/ready ## at most 20 minutes, on an idle machine: measures the table of docs/speed.md again
	python -m benchmarks

bench-quick: .venv/ready ## at most 3 minutes: the same on a tenth of the data; writes nothing
	python -m benchmarks --quick

check: .venv/ready ## format, types and layers
	ruff format --check .
	ruff check .
	mypy
	lint-imports

ui: .venv/ready ## the runs in the MLflow UI
	python -m flows ui

serve: .venv/ready ## Prefect server, MLflow pages and the deployments of prefect.yaml, until Ctrl-C
	@exec python -m flows serve

.venv/ready: requirements.lock
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check $(UV)
	.venv/bin/uv pip sync --quiet --compile-bytecode --require-hashes --python .venv/bin/python requirements.lock
	touch $@

audit: .venv/ready ## known vulnerabilities of the versions in requirements.lock, if OSV can be asked
	python .ci/audit

lock: .venv/ready ## resolve pyproject.toml again; pins that still fit stay
	.venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --extra pipeline --extra boosting \
		--extra postgres --extra s3 --extra docs --extra notebook --extra dev --generate-hashes --no-emit-index-url --no-header --quiet -o requirements.lock

clean: ## remove the outputs of runs, but not mlruns, DVC's cache or your data
	rm -rf .cache .prefect data/settings data/prepared data/results reports models
