# The two commands: `make start` (install, solve, show) and `make test` (everything that must hold).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.PHONY: start test check bench clean

start: $(INSTALLED)
	$(BIN)/yatzy solve
	$(BIN)/yatzy advise "1 3 3 5 6" --rerolls 2

test: $(INSTALLED) check
	$(BIN)/pytest
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -m "not compiled"

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/yatzy bench

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "yatzy needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cluster]'
	touch $(INSTALLED)
