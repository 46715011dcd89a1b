# One verb per task. Each makes what it needs; a second run finds it made.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --no-input --quiet

.DEFAULT_GOAL := help
# Two installs into one environment at a time would spoil it.
.NOTPARALLEL:
.PHONY: help demo test soak golden differential venv lint format types imports check wheel bench clean

help: ## list the verbs
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

# `--clear`: a half-made environment (python3-venv was missing) is made anew.
$(VENV)/bin/pip:
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.has-run: pyproject.toml $(VENV)/bin/pip
	$(PIP) install --editable .
	@touch $@

$(VENV)/.has-test: pyproject.toml $(VENV)/bin/pip
	$(PIP) install --editable '.[test]'
	@touch $@

$(VENV)/.has-dev: pyproject.toml $(VENV)/bin/pip
	$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.has-run $(VENV)/.has-test

demo: $(VENV)/.has-run ## install, load the sample games, serve them on this machine; DEMO=--lan to phones too
	$(VENV)/bin/tabletape demo $(DEMO)

test: $(VENV)/.has-test ## install with the test tools and run every test
	$(VENV)/bin/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile

# Rounds of fresh seeds until the time is used; a round that has begun is finished.
soak: $(VENV)/.has-test ## faults, kills, power losses and HTTP garbage for MINUTES=30
	$(VENV)/bin/python -m tests.soak $(or $(MINUTES),30)

golden: $(VENV)/.has-test ## renew what programs write (docs, samples, transcripts …); GOLDEN=word
	$(VENV)/bin/python -m tests.golden_files $(GOLDEN)

differential: $(VENV)/.has-test ## 500 games of each ruleset against its naive model
	TABLETAPE_DIFFERENTIAL=500 $(VENV)/bin/python -m pytest tests/games/rulesets -k naive

venv: $(VENV)/.has-dev ## install with every tool of a developer

lint: $(VENV)/.has-dev ## ruff: rules and format
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check

format: $(VENV)/.has-dev ## let ruff format and repair
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix

types: $(VENV)/.has-dev ## mypy strict over the four packages
	$(VENV)/bin/mypy

imports: $(VENV)/.has-dev ## who may import whom
	$(VENV)/bin/lint-imports

check: lint types imports test ## all of the above

$(VENV)-bench/bin/pip:
	$(PYTHON) -m venv --clear $(VENV)-bench

$(VENV)-bench/.has-bench: pyproject.toml $(VENV)-bench/bin/pip
	$(VENV)-bench/bin/python -m pip --disable-pip-version-check --no-input --quiet install --editable '.[bench]'
	@touch $@

bench: $(VENV)-bench/.has-bench ## measure against peers; BENCH=--quick for a short run
	$(VENV)-bench/bin/python -m bench.run $(BENCH)

wheel: $(VENV)/.has-dev ## build the wheel into dist/
	rm -rf dist
	$(VENV)/bin/python -m build --wheel

clean: ## remove what the other verbs made
	rm -rf $(VENV) $(VENV)-bench bench/.data-* dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
