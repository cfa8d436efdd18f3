# Each target sets up what it needs, in this folder, and is quick the second time. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Which interpreter makes the environment: by default the first one that is 3.11 or later.
PYTHON ?=
VENV ?= .venv
# Which engine is built: auto, native or python. In CI a missing native engine is an error.
ifeq ($(CI),true)
CANFETCH_BUILD ?= native
endif
CANFETCH_BUILD ?= auto
export CANFETCH_BUILD
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What `make run` asks.
ROBOTS ?= examples/robots.txt
URL ?= https://www.example.com/shop/cart/checkout?step=2
AGENT ?= GPTBot

BIN := $(VENV)/bin
STAMPS := $(VENV)/.canfetch
PIP = $(BIN)/python -m pip install --quiet --constraint tools/constraints.txt
RUST := $(shell find rust -type f \( -name '*.rs' -o -name 'Cargo.*' \) -not -path '*/target/*' 2>/dev/null)
# Part of the stamp's name, so that a toolchain that comes later is used.
TOOLCHAIN := $(if $(shell command -v cargo 2>/dev/null),cargo,no-cargo)
INSTALLED := $(STAMPS)/installed-$(CANFETCH_BUILD)-$(TOOLCHAIN)

.PHONY: help run test coverage lint format types docs rust bench fuzz package clean distclean setup-lint

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# --- setting up ----------------------------------------------------------------------------------

$(STAMPS)/venv: pyproject.toml tools/constraints.txt tools/prepare_machine.sh
	@tools/prepare_machine.sh $(VENV) $(PYTHON)
	@$(BIN)/python -m pip install --quiet --upgrade --constraint tools/constraints.txt pip
	@$(PIP) --group build
	@mkdir -p $(STAMPS) && touch $@

$(INSTALLED): $(STAMPS)/venv setup.py $(RUST)
	@tools/prepare_machine.sh $(VENV) $(PYTHON)
	@rm -f $(STAMPS)/installed-* src/canfetch/_native.*so
	@echo "canfetch: installing into $(VENV), CANFETCH_BUILD=$(CANFETCH_BUILD)"
	@$(BIN)/python -m pip install --verbose --no-build-isolation --constraint tools/constraints.txt --editable '.[cli]' \
		> $(STAMPS)/install.log 2>&1 || { tail -n 60 $(STAMPS)/install.log; exit 1; }
	@if compgen -G 'src/canfetch/_native.*so' > /dev/null; then \
		echo "canfetch: the native engine is built"; \
	else \
		echo "canfetch: the Python engine alone is installed: the same answers, slower (see $(STAMPS)/install.log)"; \
	fi
	@touch $@

$(STAMPS)/group-%: $(STAMPS)/venv
	@$(PIP) --group $*
	@touch $@

# Where it cannot be had, the tests that need it skip, and in CI they fail.
$(STAMPS)/sarif-schema.json: $(STAMPS)/venv tools/fetch_sarif_schema.py
	@$(BIN)/python tools/fetch_sarif_schema.py $@ || echo "canfetch: the schema of SARIF cannot be fetched"

setup-lint: $(STAMPS)/group-lint $(STAMPS)/group-types $(INSTALLED)

# --- the work ------------------------------------------------------------------------------------

run: $(INSTALLED) ## set up and answer: make run [ROBOTS=FILE] [URL=URL] [AGENT=TOKEN]
	@$(BIN)/canfetch --version
	@$(BIN)/canfetch explain '$(URL)' --agent '$(AGENT)' --robots '$(ROBOTS)' || [[ $$? -eq 1 ]]

test: $(INSTALLED) $(STAMPS)/group-test $(STAMPS)/sarif-schema.json ## set up and run all tests: make test [ARGS='-k groups']
	$(BIN)/python -m pytest $(ARGS)

coverage: $(INSTALLED) $(STAMPS)/group-test ## branch coverage of core, access and pages, each by its own tests; it must be complete
	$(BIN)/python -m pytest --cov=canfetch.core --cov-report= tests/core
	$(BIN)/python -m coverage report --include='src/canfetch/core/*' --fail-under=100
	$(BIN)/python -m pytest --cov=canfetch.access --cov-report= tests/access
	$(BIN)/python -m coverage report --include='src/canfetch/access/*' --fail-under=100
	$(BIN)/python -m pytest --cov=canfetch.pages --cov-report= tests/pages
	$(BIN)/python -m coverage report --include='src/canfetch/pages/*' --fail-under=100

lint: setup-lint ## style, layers, freshness of generated files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	for generator in tools/generate_*.py; do $(BIN)/python $$generator --check; done

format: setup-lint ## put files into the project's format
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	cargo fmt --manifest-path rust/Cargo.toml --all

types: setup-lint ## mypy, strict; the native module is what its stub says
	$(BIN)/mypy
	if compgen -G 'src/canfetch/_native.*so' > /dev/null; then $(BIN)/stubtest canfetch._native; fi

docs: $(INSTALLED) $(STAMPS)/group-docs ## the documentation, in docs/_build/html; a warning is an error
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs docs/_build/html

# A distribution's toolchain may come without these two; what is left out is said.
rust: ## format, lints and tests of the crates; the fuzz target still builds
	if cargo fmt --version > /dev/null 2>&1; then \
		cargo fmt --manifest-path rust/Cargo.toml --all --check; \
	else echo "canfetch: NOT CHECKED: the format of rust/, this toolchain has no rustfmt"; fi
	if cargo clippy --version > /dev/null 2>&1; then \
		cargo clippy --manifest-path rust/Cargo.toml --locked --workspace --all-targets -- -D warnings; \
	else echo "canfetch: NOT CHECKED: the lints of rust/, this toolchain has no clippy"; fi
	cargo test --manifest-path rust/Cargo.toml --locked --workspace
	cargo check --manifest-path rust/fuzz/Cargo.toml --locked --quiet

bench: $(INSTALLED) ## the numbers, beside other implementations: make bench [ARGS=--quick]
	$(BIN)/python -m benchmarks $(ARGS)

FUZZ_TARGET ?= decide
FUZZ_SECONDS ?= 60
fuzz: ## fuzz the native engine: make fuzz [FUZZ_TARGET=decide] [FUZZ_SECONDS=60]
	@command -v $(VENV)/cargo/bin/cargo-fuzz > /dev/null || cargo install --quiet --locked --root $(VENV)/cargo cargo-fuzz
	cd rust && RUSTC_BOOTSTRAP=1 $(abspath $(VENV))/cargo/bin/cargo-fuzz run $(FUZZ_TARGET) -- \
		-max_total_time=$(FUZZ_SECONDS) -max_len=4096 -dict=fuzz/robots.dict

package: $(STAMPS)/venv ## the sdist, the wheel of this platform and the py3-none-any wheel, in dist/
	rm -rf build/lib* build/bdist* dist
	$(BIN)/python -m build
	CANFETCH_BUILD=python $(BIN)/python -m build --wheel

clean: ## remove what was built
	rm -rf build dist docs/_build rust/target rust/fuzz/target src/*.egg-info src/canfetch/_native.*so .coverage htmlcov
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache $(STAMPS)/installed-*
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## remove the environment, too
	rm -rf $(VENV)
