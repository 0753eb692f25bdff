# Needs only Python 3.11+ and make. Everything else is installed into .venv from the lock files.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
# One thread a process: numba and HiGHS do the work, and BLAS threads would only fight them.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test test-slow test-browser fuzz mutants reproduce lint types docs bench lock clean

demo: $(VENV)/run.stamp
	$(BIN)/equiform demo

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -q -m slow

# Opens explorer pages in Chromium or Chrome: EQUIFORM_BROWSER, the one on the path, or one installed without root.
test-browser: $(VENV)/dev.stamp
	EQUIFORM_BROWSER="$$($(BIN)/python -m tests.viewer.install_browser)" && export EQUIFORM_BROWSER && \
	$(BIN)/python -m pytest -q -m browser tests/viewer

fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -q -m fuzz

# Do the tests notice wrong code? Takes hours; stop it whenever you like, it goes on where it was. Not part of CI.
mutants: $(VENV)/dev.stamp
	nice -n 19 $(BIN)/python -m benchmarks.mutants

# The quick set of the papers' tables: fails when a verdict changes.
reproduce: $(VENV)/dev.stamp
	$(BIN)/equiform reproduce all --quick --check --jobs 2

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/dev.stamp
	$(BIN)/mypy

docs: $(VENV)/dev.stamp
	rm -rf docs/api/generated
	$(BIN)/sphinx-build -W --keep-going -j 4 -b html docs docs/_build/html

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

# The stamps: the run-time environment, and on top of it everything a contributor needs.
$(VENV)/run.stamp: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -q --no-deps --require-hashes -r requirements.lock
	$(PIP) install -q --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	$(PIP) install -q --no-deps --require-hashes --only-binary :all: -r requirements-dev.lock
	touch $@

# Run after editing the dependencies in pyproject.toml.
LOCK = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --prerelease if-necessary-or-explicit
lock: $(VENV)/dev.stamp
	$(LOCK) pyproject.toml --extra build -o requirements.lock
	$(LOCK) pyproject.toml --all-extras -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV) build dist docs/_build docs/api/generated *.egg-info .pytest_cache .mypy_cache .ruff_cache
