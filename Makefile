# One word per chore: make demo, quick, test, lint, bench, docs, wheels, clean.
# While you work: make quick (under a minute). Before you push: make test (all of it, what CI runs).
# Everything is set up on first use, in .venv. Python 3.11 or later is needed; cargo makes the native reader.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(VENV)/.pip
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
WHEEL := $(VENV)/.wheel
NATIVE := $(VENV)/.native
EXPECTED := $(VENV)/.expected
DEMO := out/demo
SITE := .venv-docs
PACKER := .venv-wheels
CHECKED := $(wildcard src tests scripts benchmarks examples hatch_build.py)

# "yes" when cargo is new enough for the crate; `make test CARGO=` goes without.
CARGO ?= $(shell cargo --version 2>/dev/null | awk '{split($$2, v, "."); if (v[1] > 1 || v[2] >= 88) print "yes"}')
CRATE := native/Cargo.toml
SOURCES := $(wildcard native/src/*.rs) native/build.rs $(CRATE) native/pyproject.toml
RUST := PATH="$(abspath $(BIN)):$$PATH" PYO3_PYTHON="$(abspath $(BIN)/python)"

# Compiled once, and not by each of the processes that the tests start: that is most of their time.
unexport PYTHONDONTWRITEBYTECODE

ifeq ($(CARGO),yes)
READER := $(NATIVE)
PYTEST := QUIRE_EXPECT_NATIVE=1 $(BIN)/python -m pytest -q
else
READER := pure
PYTEST := QUIRE_NATIVE=0 $(BIN)/python -m pytest -q
endif

# Tests that start no process keep a core busy; the others mostly wait. Marks are explained in CONTRIBUTING.md.
JOBS ?= 2
WAITING_JOBS ?= 4
PARALLEL := --dist loadgroup --no-loadscope-reorder -n
QUICK := not (servers or processes or slow)

.PHONY: demo quick test units others again parts style page crate lint bench docs wheels clean pure
.SUFFIXES:

demo: $(READY) $(READER)
	@$(BIN)/quire read examples/sample.pdf --to md --to json --to docling --to html --to xlsx --show -o $(DEMO)
	@head -n 42 $(DEMO)/sample.md
	@echo "[...]"
	@echo
	@echo "And a scanned page, examples/scan.png:"
	@echo
	@$(BIN)/quire read examples/scan.png --redactions --to md --to json --show -o $(DEMO)
	@cat $(DEMO)/scan.png.md
	@echo
	@echo "And the values of an invoice, each with its place:"
	@echo
	@$(BIN)/quire extract src/quire/flow/samples/invoice.pdf --fields "invoice number, date, total, IBAN" -o $(DEMO) --to csv --to html -q
	@cut -c1-90 $(DEMO)/invoice.extracted.csv
	@echo
	@echo "And the tags of a drawing:"
	@echo
	@$(BIN)/quire run src/quire/flow/samples/drawing.pdf -o $(DEMO)/drawings --flow drawings -q
	@cut -d, -f1-5 $(DEMO)/drawings/drawing.tags.csv
	@echo
	@echo "And an Excel template filled from the report, each cell with its evidence, and compared with what was expected:"
	@echo
	@$(BIN)/quire solve examples/report-task.md examples/sample.pdf --template examples/report-template.xlsx -o $(DEMO)/solved | tail -n 4
	@$(BIN)/quire eval examples/report.fixture.json -o $(DEMO)/evaluation --store $(DEMO)/solved/.quire -q
	@echo
	@echo "And both as a batch, twice: the second run finds everything done."
	@echo
	@$(BIN)/quire run examples/sample.pdf examples/scan.png -o $(DEMO)/batch --to html
	@echo
	@$(BIN)/quire run examples/sample.pdf examples/scan.png -o $(DEMO)/batch --to html
	@echo
	@echo "All of it, and the pages with the boxes drawn, is in $(DEMO):"
	@ls $(DEMO) | sed 's/^/  /'
	@echo "Now yours: . $(BIN)/activate, then quire read FILE"
	@echo "In the browser, and for clients of docling-serve: quire serve, then open http://127.0.0.1:5001"

quick:
	@$(MAKE) --no-print-directory -j 2 style units

# The first line takes minutes on a fresh clone: pip, cargo, mypy and the downloads share the cores and the network.
test:
	@$(MAKE) --no-print-directory -j 4 lint units parts
	@$(MAKE) --no-print-directory -j 2 others again

others:
	@. $(EXPECTED); $(PYTEST) $(PARALLEL) $(WAITING_JOBS) -m "servers or processes or slow"

# Beside the others, which mostly wait.
again:
ifeq ($(CARGO),yes)
	@echo "Once more without the native reader:"
	@. $(EXPECTED); QUIRE_NATIVE=0 $(BIN)/python -m pytest -q $(PARALLEL) 1 -m "both_readers and not (servers or slow)" tests/unit tests/quality
endif

units: $(DEV) $(READER)
	@$(PYTEST) $(PARALLEL) $(JOBS) -m "$(QUICK)"

# Installs what some tests need where that is possible; where it is not, they are left out aloud, or fail under CI.
parts: $(PIP)
	@: >$(EXPECTED); for part in tesseract postgresql haproxy libreoffice java chromium bubblewrap; do \
	if scripts/system_packages.sh $$part; then echo "export QUIRE_EXPECT_$$(echo $$part | tr a-z A-Z)=1" >>$(EXPECTED); \
	elif [ -n "$$QUIRE_CI" ]; then exit 1; fi; done; \
	for part in azurite restate clients maven mcp_clients axe typescript small_model; do \
	if scripts/$$part.sh >/dev/null; then echo "export QUIRE_EXPECT_$$(echo $$part | tr a-z A-Z)=1" >>$(EXPECTED); \
	elif [ -n "$$QUIRE_CI" ]; then exit 1; fi; done

style: $(DEV) page
	@$(BIN)/ruff format -q --check $(CHECKED)
	@$(BIN)/ruff check -q $(CHECKED)
	@$(BIN)/mypy --no-error-summary

# The types of the page in the browser, and its tests that need no browser: left out aloud without node, needed under CI.
page: $(PIP)
	@if compiler=$$(scripts/typescript.sh); then $$compiler -p jsconfig.json; elif [ -n "$$QUIRE_CI" ]; then exit 1; fi
	@if command -v node >/dev/null; then said=$$(node --test --test-reporter=spec tests/web/*.test.js) || { echo "$$said"; exit 1; }; \
	else echo "NOT TESTED: the parts of the page that need no browser. There is no node (20 or later)"; [ -z "$$QUIRE_CI" ]; fi

lint: style crate

crate: $(PIP)
ifeq ($(CARGO),yes)
	@if cargo fmt --version >/dev/null 2>&1; then cargo fmt --manifest-path $(CRATE) --check; \
	else echo "no rustfmt: the format of the crate is not checked"; fi
	@if cargo clippy --version >/dev/null 2>&1; then \
	$(RUST) cargo clippy -q --manifest-path $(CRATE) --all-targets -- -D warnings; \
	else echo "no clippy: the crate is not linted"; fi
endif

bench: $(DEV) $(READER)
	@$(BIN)/python -m benchmarks

# The site, from the same Markdown and the docstrings, and then everything that the pages claim.
docs: $(SITE)/.ready $(DEV) $(READER) parts
	@$(SITE)/bin/python scripts/site.py
	@$(SITE)/bin/zensical build --strict -f mkdocs.yml
	@echo "The site is in site/; with its search: python3 -m http.server --bind 127.0.0.1 --directory site"
	@. $(EXPECTED); $(PYTEST) tests/docs

# Both distributions, for any Linux with a manylinux2014 C library where zig can be had.
wheels: $(PACKER)/.ready
	@rm -rf dist
	@$(PACKER)/bin/python -m pip wheel -q --no-deps -w dist .
ifeq ($(CARGO),yes)
	@if $(PACKER)/bin/python -m ziglang version >/dev/null 2>&1; then portable="--zig --compatibility manylinux2014"; \
	else portable="--compatibility linux"; echo "no zig: the wheel of the crate is for Linux systems like this one"; fi; \
	PATH="$(abspath $(PACKER)/bin):$$PATH" PYO3_PYTHON="$(abspath $(PACKER)/bin/python)" \
	maturin build -q --release $$portable -m $(CRATE) -o dist
else
	@echo "no cargo (1.88 or later): the wheel of the compiled reader is left out"
endif
	@ls dist | sed 's|^|  dist/|'

clean:
	@rm -rf out build dist site native/target .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(PIP):
	@test -n "$(PYTHON)" || { echo "Quire needs Python 3.11 or later as python3"; exit 1; }
	@test -x $(BIN)/python || { echo "Setting up $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	@touch $@

# Modules are compiled when they are imported first: most of them never are.
$(READY): pyproject.toml | $(PIP)
	@$(BIN)/python -m pip uninstall -q -y quire 2>/dev/null || true  # the name before quire-documents
	@$(BIN)/python -m pip install -q --no-compile --editable ".[excel,repair,postgres,cloud,restate,formats,service]"
	@touch $@

# After the reader: one pip at a time changes what is installed.
$(DEV): $(READY) | $(READER)
	@$(BIN)/python -m pip install -q --no-compile --group dev
	@touch $@

$(SITE)/.ready: pyproject.toml
	@test -x $(SITE)/bin/python || { echo "Setting up $(SITE)"; $(PYTHON) -m venv $(SITE); }
	@$(SITE)/bin/python -m pip install -q --upgrade "pip>=25.1"
	@$(SITE)/bin/python -m pip install -q --group docs
	@touch $@

$(PACKER)/.ready: pyproject.toml
	@test -x $(PACKER)/bin/python || { echo "Setting up $(PACKER)"; $(PYTHON) -m venv $(PACKER); }
	@$(PACKER)/bin/python -m pip install -q --upgrade "pip>=25.1"
	@$(PACKER)/bin/python -m pip install -q --group wheels
	@$(PACKER)/bin/python -m pip install -q --only-binary :all: --group zig || true
	@touch $@

$(WHEEL): $(SOURCES) | $(PIP)
	@echo "Building the native reader"
	@rm -rf $(VENV)/wheel
	@$(RUST) $(BIN)/python -m pip wheel -q --no-deps -w $(VENV)/wheel ./native
	@touch $@

$(NATIVE): $(WHEEL) | $(READY)
	@$(BIN)/python -m pip install -q --no-deps --force-reinstall $(VENV)/wheel/*.whl
	@touch $@

pure:
	@echo "No cargo 1.88: reading in pure Python. The compiled reader gives the same with a third of the CPU and on all cores; install Rust (rustup.rs) and repeat, or pip install a wheel of make wheels"
