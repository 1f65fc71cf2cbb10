# Targets: demo test test-rest fuzz faults mutation test-spark4 test-oldest soak killed check site bench interop clean. Each makes the virtual environment it needs, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

export HUDI_CONFORMANCE ?= $(abspath ../shared)
# Bytecode is kept, whatever the shell says: command lines and Spark's workers are started hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-rest fuzz faults mutation test-spark4 test-oldest soak killed check site bench interop clean
.DEFAULT_GOAL := test

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "hudi-core needs Python 3.11 or newer; set PYTHON=")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade "pip>=25.1"

# What a user installs.
$(VENV)/.base: pyproject.toml | $(BIN)/python
	@$(PIP) --editable .
	@touch $@

# What the tests and checks need on top of it.
$(VENV)/.dev: pyproject.toml $(VENV)/.base
	@$(PIP) --group test --group check
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/hudi-core demo

# Processes that share the tests: two more than two cores, since many tests wait for a JVM, or for processes that they start.
WORKERS ?= 4

# Random cases are the same in every run. The shape of the sources and of the documents is for `check`.
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --ignore tests/shape $(ARGS)

# The cases that `make test` leaves out of its selection of dear tests.
test-rest: $(VENV)/.dev
	HUDI_CASES=rest $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --ignore tests/shape $(ARGS)

# New random cases for the laws, damaged input above all, until the time is over or one fails; FUZZ_SEED= draws a failure again.
FUZZ_SECONDS ?= 600
fuzz: $(VENV)/.dev
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m tests.fuzz $(ARGS)

# The suites of the Spark engine on Spark 4, which has an environment of its own.
.venv-spark4/.ready: pyproject.toml
	@$(PYTHON) -m venv .venv-spark4
	@.venv-spark4/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@.venv-spark4/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group spark4
	@touch $@

test-spark4: .venv-spark4/.ready
	.venv-spark4/bin/python -m pytest tests/engines/spark $(ARGS)

# The lowest versions that pyproject.toml admits of what the core and the Arrow engine need, in an environment of their own.
.venv-oldest/.ready: pyproject.toml tests/oldest.py
	@$(PYTHON) -m venv .venv-oldest
	@.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@.venv-oldest/bin/python -m tests.oldest > .venv-oldest/constraints.txt
	@.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-oldest/constraints.txt \
		--editable ".[s3]" fsspec hypothesis "pandas<3" pytest pytest-xdist
	@touch $@

OLDEST := tests/engines/plain tests/core/table tests/core/reading tests/core/formats tests/core/avro \
	$(addprefix tests/engines/arrow/test_,buffers.py contract.py fallback.py files.py input.py output.py parquet.py releases.py storage.py types.py)

test-oldest: .venv-oldest/.ready
	.venv-oldest/bin/python -m pytest -n 2 --dist loadscope $(OLDEST) $(ARGS)

# What takes too long for every change: all cases of the tests of which `make test` takes some (CONTRIBUTING.md says which), writers
# that die at every call of the storage, four and more times the cases of each law, all recorded tables and answers in every
# comparison, both modes of Spark for each contract, clusters that run tasks twice, many writers for a minute, great inputs, and
# every kind of table with a real Apache Hudi.
soak: $(VENV)/.dev .venv-spark4/.ready .venv-interop/.ready
	HUDI_SOAK=1 HUDI_INTEROP=1 $(BIN)/python -m pytest tests --ignore tests/shape $(ARGS)
	HUDI_SOAK=1 .venv-spark4/bin/python -m pytest tests/engines/spark $(ARGS)

# Writers, a reader and a service over one table as processes that are killed at random, for ten minutes, or KILLED_SECONDS=.
KILLED_SECONDS ?= 600
killed: $(VENV)/.dev
	KILLED_SECONDS=$(KILLED_SECONDS) HUDI_SOAK=1 $(BIN)/python -m pytest tests/model/test_killed.py $(ARGS)

# Known faults, planted one at a time in a copy of the sources: tests have to catch each. `make faults ARGS=timeline` tries some,
# `make faults ARGS=--stale` says which of the list no longer fit the sources.
faults: $(VENV)/.dev
	$(BIN)/python -m tests.faults $(ARGS)

# Mutants by a tool: a sample of those that cosmic-ray makes. `make mutation ARGS="--each 50 keys"` tries more of one package.
$(VENV)/.mutation: pyproject.toml $(VENV)/.dev
	@$(PIP) --group mutation
	@touch $@

mutation: $(VENV)/.mutation
	$(BIN)/python -m tests.faults.mutants $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope tests/shape -q

# All pages, and the reference made from the code, as a site; nothing is fetched.
site: $(VENV)/.dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo build/site/index.html

# Peers live in an environment of their own; `make bench BENCH=prune` measures one subject.
.venv-bench/.ready: pyproject.toml
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group bench
	@touch $@

# Exit status 1 when a goal is missed. Apache Hudi is a peer too: it writes the tables that reads are measured on, once.
bench: .venv-bench/.ready .venv-interop/.ready
	@.venv-bench/bin/python -m tests.bench $(BENCH)

# A real Apache Hudi on a JVM writes new tables; what we say of them must be what it answers. SEED= makes others.
SEED ?= 1
INTEROP := .interop/seed-$(SEED)

.venv-interop/.ready:
	@bash $(HUDI_CONFORMANCE)/oracle/setup.sh .venv-interop
	@touch $@

$(INTEROP)/.made: tests/interop/make_tables.py | .venv-interop/.ready
	@mkdir -p $(INTEROP)/golden
	@.venv-interop/bin/python tests/interop/make_tables.py $(HUDI_CONFORMANCE)/oracle $(INTEROP)/golden $(SEED)
	@touch $@

interop: $(VENV)/.dev $(INTEROP)/.made
	HUDI_CONFORMANCE=$(INTEROP) $(BIN)/python -m pytest tests/conformance/test_tables.py $(ARGS)
	HUDI_INTEROP=1 $(BIN)/python -m pytest tests/interop $(ARGS)

clean:
	rm -rf .venv .venv-spark4 .venv-oldest .venv-bench .venv-interop .interop demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
