# Every target sets up what it needs: Python packages in .venv (pinned in requirements.lock), Java, and the Iceberg jars.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
QUICK := not soak and not slow and not browser
FIDELITY := results/fidelity/$(shell date -u +%Y%m%dT%H%M%SZ)

.PHONY: bench bench-flink bench-kafka-connect bench-s3 validate validate-years validate-plan validate-search planning-law test test-spark test-others test-years test-plans test-pages test-fit test-all test-browser chromium soak check format support league v4 overhead slowing wheel lock java clean help

help: ## say what can be made
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

bench: $(READY) java ## measure commit intervals on real Spark and Iceberg; ends with the report's path
	$(BIN)/wasim bench scenarios/commit_interval.yaml

bench-flink: $(READY) java ## appends and upserts by a Flink of its own, in a JVM of its own; fetches 210 MB of jars once
	$(BIN)/wasim bench scenarios/fidelity/flink.yaml --engine flink

bench-kafka-connect: $(READY) java ## a broker and Kafka Connect with Iceberg's sink, compared with the profile; fetches 140 MB of jars once
	$(BIN)/python -m tools.kafka_connect results/kafka_connect

bench-s3: $(READY) java ## the documents' quickstart on a REST catalog and an S3 endpoint, both started here
	$(BIN)/wasim bench scenarios/quickstart_s3.yaml

test: $(READY) java ## the tests: those on the one real Spark session, and those without in parts, two jobs at a time
	@$(BIN)/python -m compileall -q wasim tools
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target test-spark $(PARTS)

# Of the files that name a fixture of tests/support/on_spark.py, or the mark: to read all others takes longer than a test.
test-spark:
	$(BIN)/python -m pytest -m "spark and $(QUICK)" \
	  $$(grep -rlwE 'session|servers|run_case|run_on|mark\.spark' tests --include='test_*.py' | sort)

# Parts of one to four minutes, the long ones first, so that both cores have work until the end; those on the sample
# run's report in one.
PARTS := test-years test-others test-plans test-pages test-fit
test-years: ROOMS := tests/years tests/simulation
test-plans: ROOMS := tests/capacity tests/cli tests/forecast tests/report
test-pages: ROOMS := tests/doctor
test-fit: ROOMS := tests/fit
test-others: ROOMS := tests $(patsubst %,--ignore=tests/%,years simulation capacity cli forecast report fit doctor)

# pytest keeps the tests as it has compiled them, which takes 12 s, also where Python may not keep bytecode.
test test-all test-spark $(PARTS): export PYTHONDONTWRITEBYTECODE :=

$(PARTS):
	nice -n 10 $(BIN)/python -m pytest -m "not spark and $(QUICK)" $(ROOMS)

test-all: $(READY) java ## the slow tests too
	$(BIN)/python -m pytest -m "not soak and not browser" --hypothesis-profile=thorough

test-browser: $(READY) chromium ## the pages in headless Chromium: sliders by keyboard, accessibility by axe
	$(BIN)/python -m pytest -m browser tests/browser

soak: $(READY) java ## kill -9 at 20 random moments, and resume
	$(BIN)/python -m pytest -m soak -s

validate: $(READY) java ## compare the simulator with real runs; writes docs/fidelity.md
	for scenario in $(filter-out $(wildcard scenarios/fidelity/flink*.yaml) %/pyiceberg.yaml,$(wildcard scenarios/fidelity/*.yaml)); do $(BIN)/wasim bench $$scenario --fresh --out $(FIDELITY) || exit; done
	$(BIN)/wasim bench scenarios/fidelity/pyiceberg.yaml --engine pyiceberg --fresh --out $(FIDELITY)
	for version in flink flink_v3; do $(BIN)/wasim bench scenarios/fidelity/$$version.yaml --engine flink --fresh --out $(FIDELITY) || exit; done
	$(BIN)/python -m tools.fidelity $(FIDELITY)/*/* --chart docs/thrash.svg --rows docs/fidelity.csv > docs/fidelity.md
	@tail -n 1 docs/fidelity.md

validate-years: $(READY) ## compare sums over long horizons with exact simulation and with stepping, and time years
	$(BIN)/python -m tools.years
	$(BIN)/python -m tools.years --writers --commits 500
	$(BIN)/python -m tools.years --statements --commits 500
	$(BIN)/python -m tools.years --full-files
	$(BIN)/python -m tools.years --year
	$(BIN)/python -m tools.years --speed scenarios/*.yaml

v4: $(READY) ## what format version 4 costs, and would cost: the tables of docs/v4.md
	$(BIN)/python -m tools.format_v4

league: $(READY) ## what each writer costs at its defaults; writes docs/writers.md and its chart
	$(BIN)/python -m tools.league

support: $(READY) ## ask each engine what it carries out; writes docs/support.md
	$(BIN)/python -m tools.support > docs/support.md

slowing: $(READY) java ## how much longer commits take as metadata.json grows, to 10,000 snapshots
	$(BIN)/python -m tools.slowing

validate-plan: $(READY) java ## compare plans with the real writer: five workloads, three settings each
	$(BIN)/python -m tools.plans results/plan

validate-search: $(READY) ## hold plans of twelve workloads against every setting that there is
	$(BIN)/python -m tools.cheapest

planning-law: $(READY) java ## how long a full scan takes to plan, to 100,000 files
	$(BIN)/python -m tools.planning_law

overhead: $(READY) java ## what recording adds to a bare loop of the same commits
	$(BIN)/python -m tools.overhead

check: $(READY) ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## let ruff format and mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheel: $(READY) ## build the wheel, into dist/
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .
	@ls dist/*.whl

lock: $(READY) ## pin the newest versions that pyproject.toml allows (versions and hashes, no addresses)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --upgrade --group build --output-file requirements-build.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --upgrade --extra all --group build --group dev pyproject.toml --output-file requirements.lock

$(READY): requirements.lock requirements-build.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than Python 3.11. Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "No virtual environment could be made. On Debian: apt-get install python3-venv"; exit 2; }
	@# pyspark comes as source: its build tools first, pinned too
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-build.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@# so that the first command starts as fast as later ones, where Python may not keep bytecode too
	$(BIN)/python -m compileall -q wasim tools
	$(BIN)/python -m tools.compile
	@touch $@

java: $(READY)
	@$(BIN)/python -c 'from wasim.spark import find_java; find_java()' 2>/dev/null || sh .ci/install-java

chromium:
	@sh .ci/install-chromium

clean: ## remove the environment and caches, keep results
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
