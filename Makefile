# Each target installs what it needs into this folder, and is fast the second time. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The interpreter of the virtual environment. By default the first one that is 3.11 or later.
PYTHON ?=
VENV ?= .venv
# The engine to build: auto, native or python. In CI a missing native engine is an error.
ifeq ($(CI),true)
CANFETCH_BUILD ?= native
endif
CANFETCH_BUILD ?= auto
export CANFETCH_BUILD
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes. Without saved bytecode, each compiles the library again, for four times as long.
unexport PYTHONDONTWRITEBYTECODE

# The example that `make run` decides.
ROBOTS ?= examples/robots.txt
URL ?= https://www.example.com/shop/cart/checkout?step=2
AGENT ?= GPTBot

# Test processes; 0 runs the tests in one process.
WORKERS ?= auto
# The packages whose branches the quick tests must all take.
COVERAGE ?= $(CI)
MEASURED := $(if $(filter true,$(COVERAGE)),core access pages)

BIN := $(VENV)/bin
STAMPS := $(VENV)/.canfetch
INSTALL = tools/install.sh $(BIN)/python
PYTEST = tools/run_pytest.sh $(BIN)/python
RUST := $(shell find rust -type f \( -name '*.rs' -o -name 'Cargo.*' \) -not -path '*/target/*' -not -path 'rust/wasm/*' -not -path 'rust/bench/*' -not -path 'rust/c/*' -not -path 'rust/header/*' 2>/dev/null)
# Part of the stamp's name, so that a toolchain installed later is used.
TOOLCHAIN := $(if $(shell command -v cargo 2>/dev/null),cargo,no-cargo)
BUILT := $(STAMPS)/built-$(CANFETCH_BUILD)-$(TOOLCHAIN)
# The library and its command.
INSTALLED := $(STAMPS)/extra-cli

ENGINE_MODULE := build/engine.wasm
ENGINE_SOURCES := $(shell find rust/core rust/wasm -type f \( -name '*.rs' -o -name 'Cargo.*' \) 2>/dev/null)
# The build of the page ignores types.
PAGE := $(shell find page -type f -not -path '*/node_modules/*' -not -name api-types.ts 2>/dev/null) examples/robots.txt LICENSE tools/bundled_parts.py
PAGE_MANIFEST := src/canfetch/web/assets/manifest.json
NPM_PACKAGE := build/npm/package.json
NPM_SOURCES := $(shell find npm page/src/engine -type f 2>/dev/null) LICENSE tools/bundled_parts.py tools/build_npm_package.sh

.PHONY: help run serve test test-slow test-services test-all differential simulate coverage mutants lint format types docs rust crate c-library c-header bench bench-crate bench-c scoreboard fuzz \
	package packages image crate-archive release-check conformance-package conformance-archive clean distclean services setup-test setup-ci groups-ci setup-lint engine-module page check-page page-if-npm npm npm-bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# --- setup ---------------------------------------------------------------------------------------

$(STAMPS)/venv: pyproject.toml tools/constraints.txt tools/prepare_machine.sh tools/install.sh | tools/install_packages.sh
	@tools/prepare_machine.sh $(VENV) $(PYTHON)
	@$(INSTALL) --upgrade pip uv || { \
		echo "canfetch: uv cannot be installed; pip installs everything, which takes longer"; $(INSTALL) --upgrade pip; }
	@$(INSTALL) --group build
	@mkdir -p $(STAMPS) && touch $@

# Without dependencies, so that those of another target can be installed at the same time.
$(BUILT): $(STAMPS)/venv setup.py $(RUST)
	@tools/prepare_machine.sh $(VENV) $(PYTHON)
	@rm -f $(STAMPS)/built-* src/canfetch/_native.*so
	@echo "canfetch: installing into $(VENV), CANFETCH_BUILD=$(CANFETCH_BUILD)"
	@$(BIN)/python -m pip install --verbose --no-build-isolation --no-deps --editable . \
		> $(STAMPS)/install.log 2>&1 || { tail -n 60 $(STAMPS)/install.log; exit 1; }
	@if compgen -G 'src/canfetch/_native.*so' > /dev/null; then \
		echo "canfetch: the native engine is built"; \
	else \
		echo "canfetch: only the Python engine is installed: the same answers, slower (see $(STAMPS)/install.log)"; \
	fi
	@touch $@

# The requirement is satisfied by the checkout, so only the dependencies of the extra are installed.
$(STAMPS)/extra-%: $(BUILT)
	@$(INSTALL) 'canfetch[$*]'
	@touch $@

$(STAMPS)/group-%: $(STAMPS)/venv
	@$(INSTALL) --group $*
	@touch $@

# Two jobs: the Rust compiler is busy with one core, and the other job with the other.
setup-test: $(STAMPS)/venv
	@$(MAKE) --jobs=2 $(BUILT) $(STAMPS)/test-bytecode
	@$(MAKE) $(INSTALLED) $(STAMPS)/sarif-schema.json

# Compile the tests and what they import while the native engine is built. Otherwise each test process compiles all of
# it, which takes three times as long as collecting the tests. The native engine is missing, so its tests fail here.
$(STAMPS)/test-bytecode: $(STAMPS)/group-test
	@PYTHONPATH=src $(BIN)/python -m pytest --collect-only -qq -p no:cacheprovider > /dev/null 2>&1 || true
	@touch $@

# Without it, the tests that need it are skipped, and fail in CI.
$(STAMPS)/sarif-schema.json: $(STAMPS)/venv tools/fetch_sarif_schema.py
	@$(BIN)/python tools/fetch_sarif_schema.py $@ || echo "canfetch: cannot fetch the SARIF schema"

CI_GROUPS := lint types docs test-services
# Everything that `.ci/run` needs. Nothing is installed while its steps run side by side.
setup-ci: setup-test
	@$(MAKE) --jobs=2 page groups-ci
	@$(MAKE) services
	@tools/install_packages.sh image

groups-ci:
	@$(INSTALL) $(CI_GROUPS:%=--group %)
	@touch $(CI_GROUPS:%=$(STAMPS)/group-%)

setup-lint: $(STAMPS)/group-lint $(STAMPS)/group-types $(INSTALLED)

services: # the servers that tests start
	@tools/install_packages.sh services

page/node_modules/.package-lock.json: page/package.json page/package-lock.json
	@command -v npm > /dev/null || { echo "canfetch: the tester page is built with npm 10 or later (Node.js 20)" >&2; exit 1; }
	npm --prefix page ci
	@touch $@

$(ENGINE_MODULE): $(ENGINE_SOURCES) tools/build_engine_module.sh
	@tools/build_engine_module.sh $@

# A change of the registry rebuilds the page.
build/crawlers.json: $(INSTALLED) $(wildcard src/canfetch/agents/*.json src/canfetch/agents/*.py)
	@mkdir -p build
	@$(BIN)/canfetch agents list --format json > $@

# The page works without the engine module, if it has a server. In CI a missing module is an error.
$(PAGE_MANIFEST): page/node_modules/.package-lock.json build/crawlers.json $(PAGE) $(ENGINE_SOURCES)
	@$(MAKE) engine-module || { [[ "$(CI)" != true ]] && echo "canfetch: the tester page will have NO engine"; }
	@if [[ -f $(ENGINE_MODULE) ]]; then $(BIN)/python tools/bundled_parts.py build/engine-parts.json; fi
	npm --prefix page run build

$(NPM_PACKAGE): page/node_modules/.package-lock.json $(STAMPS)/venv $(NPM_SOURCES) $(ENGINE_SOURCES)
	@PYTHON=$(BIN)/python tools/build_npm_package.sh build/npm

# The page is optional: without npm, packages have only the HTTP API, and the tests of the page are skipped. In CI a
# missing page is an error.
page-if-npm:
	@if [[ "$(CI)" == true ]] || command -v npm > /dev/null; then $(MAKE) page; else \
		echo "canfetch: npm is not installed: NO tester page"; fi

# --- the work ------------------------------------------------------------------------------------

run: $(INSTALLED) ## set up and explain one decision: make run [ROBOTS=FILE] [URL=URL] [AGENT=TOKEN]
	@$(BIN)/canfetch --version
	@$(BIN)/canfetch explain '$(URL)' --agent '$(AGENT)' --robots '$(ROBOTS)' || [[ $$? -eq 1 ]]
	@echo "canfetch: installed. 'make serve' serves the tester page, and '$(BIN)/canfetch --help' lists the commands"

# The page and its engine are built if their tools are there. Without them, the command says what is missing.
serve: $(INSTALLED) $(STAMPS)/extra-web ## serve the tester page and the HTTP API: make serve [ARGS='--port 8000']
	@! command -v npm > /dev/null 2>&1 || $(MAKE) page
	@$(BIN)/canfetch serve $(ARGS)

test: setup-test ## set up and run the quick tests: make test [ARGS='-k groups']
	$(PYTEST) --numprocesses $(WORKERS) $(if $(MEASURED),$(MEASURED:%=--cov=canfetch.%) --cov-report=) $(ARGS)
	$(if $(MEASURED),$(BIN)/python -m coverage report --include="$$(printf 'src/canfetch/%s/*,' $(MEASURED))" --fail-under=100)

coverage: ## run the quick tests, and require full branch coverage of core, access and pages, as CI does
	@$(MAKE) test COVERAGE=true

test-slow: setup-test ## run the tests that take a fifth of a second or more, without servers
	$(PYTEST) --numprocesses $(WORKERS) -m 'slow and not service and not packaging' $(ARGS)

# A module's tests run in one process, so that they share their server.
SERVICE_TESTS ?= service and not nightly
test-services: services $(INSTALLED) $(STAMPS)/group-test-services page-if-npm ## set up and run the tests with servers, browsers and PyPI
	$(PYTEST) --numprocesses $(WORKERS) --dist loadfile -m '$(SERVICE_TESTS)' $(ARGS)

# New random examples in each run: what it finds is a defect, even if the next run does not find it.
test-all: export CANFETCH_EXAMPLES ?= 200
test-all: export CANFETCH_TRIPLES ?= 1e6
test-all: setup-test ## run all tests, with more examples and a million comparisons
	$(PYTEST) --numprocesses $(WORKERS) -m 'not service and not packaging' $(ARGS)
	$(MAKE) test-services SERVICE_TESTS=service

simulate: services $(INSTALLED) $(STAMPS)/group-test-services ## 20,000 crawls in simulated time, which are killed and whose clocks are set, and 2,000 each on PostgreSQL and URLFrontier
	$(BIN)/python -m simulation $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m simulation --backend postgresql --seeds 2000)
	$(if $(ARGS),,$(BIN)/python -m simulation --backend urlfrontier --seeds 2000)

differential: export CANFETCH_TRIPLES ?= 1e6
differential: $(INSTALLED) $(STAMPS)/group-test ## a million comparisons with Google's parser, more between the engines
	$(PYTEST) -m 'not service and not packaging' tests/differential $(ARGS)

mutants: $(INSTALLED) $(STAMPS)/group-test $(STAMPS)/group-mutants ## change the code, and count what the tests find: make mutants [ARGS='core --number 5']
	$(BIN)/python tools/mutants.py $(ARGS)

lint: setup-lint ## check style, layers, and that generated files are up to date
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	for generator in tools/generate_*.py; do $(BIN)/python $$generator --check; done

format: setup-lint ## format Python and Rust
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	cargo fmt --manifest-path rust/Cargo.toml --all
	cargo fmt --manifest-path rust/wasm/Cargo.toml
	cargo fmt --manifest-path rust/bench/Cargo.toml
	cargo fmt --manifest-path rust/header/Cargo.toml

types: setup-lint ## check types with mypy and tsc, and the stub of the native module
	$(BIN)/mypy
	if compgen -G 'src/canfetch/_native.*so' > /dev/null; then $(BIN)/stubtest canfetch._native; fi
	if [[ "$(CI)" == true ]] || command -v npm > /dev/null; then $(MAKE) check-page; \
	else echo "canfetch: NOT CHECKED: the types of the tester page, because npm is not installed"; fi

docs: $(INSTALLED) $(STAMPS)/group-docs ## build the documentation in docs/_build/html; warnings are errors
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs docs/_build/html

# A distribution's toolchain may lack rustfmt and clippy; the output then says what was not checked.
rust: ## check format and lints of the crates, run their tests, and check that the fuzz target builds
	if cargo fmt --version > /dev/null 2>&1; then \
		cargo fmt --manifest-path rust/Cargo.toml --all --check; \
		cargo fmt --manifest-path rust/wasm/Cargo.toml --check; \
		cargo fmt --manifest-path rust/bench/Cargo.toml --check; \
		cargo fmt --manifest-path rust/header/Cargo.toml --check; \
	else echo "canfetch: NOT CHECKED: the format of rust/, because this toolchain has no rustfmt"; fi
	if cargo clippy --version > /dev/null 2>&1; then \
		cargo clippy --manifest-path rust/Cargo.toml --locked --workspace --all-targets -- -D warnings; \
		cargo clippy --manifest-path rust/wasm/Cargo.toml --locked --target-dir rust/target/wasm --all-targets -- -D warnings; \
	else echo "canfetch: NOT CHECKED: the lints of rust/, because this toolchain has no clippy"; fi
	cargo test --manifest-path rust/Cargo.toml --locked --workspace
	cargo test --manifest-path rust/wasm/Cargo.toml --locked --target-dir rust/target/wasm
	cargo check --manifest-path rust/fuzz/Cargo.toml --locked --quiet

# Without the features that only other crates of this repository use. The interface is that of `cargo doc`, without warnings.
crate: ## test, document and package the crate for Rust, and check its public interface
	cargo test --manifest-path rust/Cargo.toml --locked --package canfetch
	cargo run --manifest-path rust/Cargo.toml --locked --quiet --package canfetch --example options
	cargo check --manifest-path rust/bench/Cargo.toml --locked --quiet
	python3 tools/crate_interface.py --check
	cargo publish --dry-run --manifest-path rust/Cargo.toml --locked --package canfetch $(if $(CI),,--allow-dirty)

# A package is built with DESTDIR: make c-library PREFIX=/usr DESTDIR=FOLDER.
PREFIX ?= dist/c
c-library: ## build the C library in dist/c, or install it: make c-library PREFIX=/usr/local
	@[[ -z '$(DESTDIR)' || '$(PREFIX)' == /* ]] || { echo "canfetch: DESTDIR needs an absolute PREFIX, such as PREFIX=/usr" >&2; exit 2; }
	@PYTHON=$$(command -v $(BIN)/python || command -v python3) tools/build_c_library.sh '$(DESTDIR)$(PREFIX)'

c-header: ## write the header of the C library, rust/c/include/canfetch.h, after a change of rust/c
	cargo run --quiet --manifest-path rust/header/Cargo.toml --target-dir rust/target/header --locked

engine-module: $(ENGINE_MODULE) ## build the engine of the tester page and of the npm package, a WebAssembly module

page: $(PAGE_MANIFEST) ## build the tester page into src/canfetch/web/assets

check-page: page/node_modules/.package-lock.json $(INSTALLED) $(STAMPS)/group-test ## check the types of the tester page and of the npm package
	$(BIN)/python tools/page_types.py
	npm --prefix page run check
	page/node_modules/.bin/tsc --noEmit --project npm/tsconfig.json

npm: $(NPM_PACKAGE) ## build the npm package in dist/npm
	@mkdir -p dist/npm && rm -f dist/npm/*.tgz
	npm pack --silent --pack-destination dist/npm ./build/npm

npm-bench: npm ## compare the speed of the npm package with that of robots-parser
	@mkdir -p build/npm-bench
	@test -f build/npm-bench/package.json || echo '{ "private": true }' > build/npm-bench/package.json
	@npm install --prefix build/npm-bench --ignore-scripts --no-save --no-audit --no-fund --silent robots-parser@3.0.1 dist/npm/canfetch-*.tgz
	node npm/benchmark.mjs build/npm-bench

bench: $(INSTALLED) ## compare the speed with other implementations: make bench [ARGS=--quick]
	$(BIN)/python -m benchmarks $(ARGS)

bench-crate: ## compare the speed of the crate with other parsers for Rust
	cargo run --manifest-path rust/bench/Cargo.toml --target-dir rust/target/bench --locked --release

bench-c: ## measure the calls of the C library
	@$(MAKE) c-library PREFIX=build/c DESTDIR=
	@PKG_CONFIG_PATH=build/c/lib/pkgconfig; export PKG_CONFIG_PATH; \
	gcc -std=c99 -O2 rust/c/examples/speed.c -o build/c/speed $$(pkg-config --cflags --libs canfetch) -Wl,-rpath,'$$ORIGIN/lib'
	@build/c/speed

scoreboard: $(INSTALLED) ## ask other implementations the conformance cases: make scoreboard [ARGS='--adapter protego']
	$(BIN)/python -m conformance.scoreboard $(ARGS)

FUZZ_TARGET ?= decide
FUZZ_SECONDS ?= 60
fuzz: ## fuzz the native engine: make fuzz [FUZZ_TARGET=decide] [FUZZ_SECONDS=60]
	@command -v $(VENV)/cargo/bin/cargo-fuzz > /dev/null || cargo install --quiet --locked --root $(VENV)/cargo cargo-fuzz
	cd rust && RUSTC_BOOTSTRAP=1 $(abspath $(VENV))/cargo/bin/cargo-fuzz run $(FUZZ_TARGET) -- \
		-max_total_time=$(FUZZ_SECONDS) -max_len=4096 -dict=fuzz/robots.dict

package: $(STAMPS)/venv page-if-npm ## build the sdist, the wheel of this platform and the py3-none-any wheel in dist/
	rm -rf build/lib* build/bdist* dist/*.whl dist/*.tar.gz
	$(BIN)/python -m build
	CANFETCH_BUILD=python $(BIN)/python -m build --wheel
	@# The other wheel is half a megabyte smaller, and has no native module.
	@native=$$(find dist -maxdepth 1 -name '*.whl' -not -name '*-none-any.whl'); \
	if ! command -v advzip > /dev/null; then echo "advzip (Debian: advancecomp) is missing, so the wheel is 3 % larger"; \
	elif [[ -n $$native ]]; then advzip --recompress --shrink-insane --iter=10 --quiet $$native; fi

crate-archive: ## build the archive of the crate for Rust in dist/crate
	@mkdir -p dist/crate && rm -f dist/crate/* build/crate/package/canfetch-*.crate
	cargo package --quiet --manifest-path rust/Cargo.toml --locked --package canfetch --no-verify --target-dir build/crate $(if $(CI),,--allow-dirty)
	cp build/crate/package/canfetch-*.crate dist/crate/

# To add a package, build it here and check it in tools/check_packages.py.
packages: $(INSTALLED) $(STAMPS)/group-test ## build all packages, install each where nothing of the checkout is, and ask it 20 questions
	@tools/install_packages.sh wheels
	$(MAKE) package
	$(MAKE) npm
	$(MAKE) crate-archive
	rm -rf dist/c
	$(MAKE) c-library PREFIX=dist/c DESTDIR=
	$(MAKE) image ARGS=
	$(BIN)/python -m pytest -m packaging tests/packaging
	$(BIN)/python tools/check_packages.py $(ARGS)

release-check: $(STAMPS)/venv ## all of a release but the upload, from a clean clone of HEAD; then print what is to do by hand
	$(BIN)/python tools/release_check.py $(ARGS)

# From the wheel in dist/. For another architecture, its wheel or the py3-none-any wheel is used.
image: $(STAMPS)/venv ## build the container image in dist/, from the wheel there: make image [ARGS='--architecture arm64']
	@tools/install_packages.sh image
	@compgen -G 'dist/canfetch-*.whl' > /dev/null || $(MAKE) package
	PYTHONPATH=src $(BIN)/python tools/build_image.py $(ARGS)

# Built from a copy, which has the license and stays free of build output.
conformance-package: $(STAMPS)/venv ## build the conformance cases as a package of their own, in dist/conformance
	rm -rf build/conformance dist/conformance
	mkdir -p build
	cp -R conformance build/conformance
	cp LICENSE build/conformance
	find build/conformance -name __pycache__ -type d -prune -exec rm -rf {} +
	$(BIN)/python -m build --outdir dist/conformance build/conformance

conformance-archive: $(STAMPS)/venv ## build the release archive of the conformance cases, in dist/conformance
	$(BIN)/python -m conformance.archive dist/conformance

clean: ## remove build output
	rm -rf build dist docs/_build rust/target rust/fuzz/target rust/wasm/target rust/bench/target rust/header/target src/*.egg-info src/canfetch/_native.*so .coverage htmlcov
	rm -rf src/canfetch/web/assets page/node_modules page/src/api-types.ts
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache $(STAMPS)/built-* $(STAMPS)/extra-*
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## remove the virtual environment, too
	rm -rf $(VENV)
