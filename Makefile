# One word per chore: make demo, test, lint, bench, docs, clean.
# Everything is set up on first use, in .venv. Python 3.11 or later is needed; cargo makes the native reader.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NATIVE := $(VENV)/.native
DEMO := out/demo
CHECKED := src tests scripts benchmarks

# "yes" when cargo is new enough for the crate; `make test CARGO=` goes without.
CARGO ?= $(shell cargo --version 2>/dev/null | awk '{split($$2, v, "."); if (v[1] > 1 || v[2] >= 88) print "yes"}')
CRATE := native/Cargo.toml
SOURCES := $(wildcard native/src/*.rs) $(CRATE) native/pyproject.toml
RUST := PATH="$(abspath $(BIN)):$$PATH" PYO3_PYTHON="$(abspath $(BIN)/python)"

ifeq ($(CARGO),yes)
READER := $(NATIVE)
PYTEST := QUIRE_EXPECT_NATIVE=1 $(BIN)/python -m pytest -q
else
READER := pure
PYTEST := QUIRE_NATIVE=0 $(BIN)/python -m pytest -q
endif

.PHONY: demo test lint bench docs clean pure
.SUFFIXES:

demo: $(READY) $(READER)
	@$(BIN)/quire read examples/sample.pdf --to md --to json --to docling --to html --to xlsx --show -o $(DEMO)
	@head -n 42 $(DEMO)/sample.md
	@echo "[...]"
	@echo
	@echo "All of it, and the pages with the boxes drawn, is in $(DEMO):"
	@ls $(DEMO) | sed 's/^/  /'

test: lint $(READER)
	@$(PYTEST)
ifeq ($(CARGO),yes)
	@echo "Once more without the native reader:"
	@QUIRE_NATIVE=0 $(BIN)/python -m pytest -q tests/unit
endif

lint: $(READY)
	@$(BIN)/ruff format -q --check $(CHECKED) || { $(BIN)/ruff format --check $(CHECKED); exit 1; }
	@$(BIN)/ruff check -q $(CHECKED)
	@$(BIN)/mypy --no-error-summary
ifeq ($(CARGO),yes)
	@cargo fmt --manifest-path $(CRATE) --check
	@$(RUST) cargo clippy -q --manifest-path $(CRATE) --all-targets -- -D warnings
endif

bench: $(READY) $(READER)
	@$(BIN)/python -m benchmarks

docs: $(READY) $(READER)
	@$(PYTEST) tests/docs

clean:
	@rm -rf out build dist site native/target .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Quire needs Python 3.11 or later as python3"; exit 1; }
	@test -x $(BIN)/python || { echo "Setting up $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install -q --editable ".[excel,repair]" --group dev
	@touch $@

$(NATIVE): $(READY) $(SOURCES)
	@echo "Building the native reader"
	@$(RUST) $(BIN)/python -m pip install -q --no-build-isolation --no-deps --force-reinstall ./native
	@touch $@

pure:
	@if command -v cargo >/dev/null; then echo "cargo is older than 1.88: the pure-Python path is used (slower, same results)"; \
	else echo "no cargo: the pure-Python path is used (slower, same results)"; fi
