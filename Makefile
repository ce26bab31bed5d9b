# The daily commands; `make help` lists them.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PLAYBOOK := $(BIN)/ansible-playbook
INVENTORY ?= inventories/local
# Of `make validate`: the campaign to resume, where it was interrupted.
CAMPAIGN ?=
# Nothing is downloaded for somebody who cannot deploy on this machine.
ROOT := $(if $(filter $(CURDIR)/inventories/local,$(abspath $(INVENTORY))),root)
# Of `make unit`: more than there are cores, since the tests of the pipeline mostly wait for Slurm and the disk.
WORKERS ?= 6
# Of `make mutants`: packages of src/assay, how many mutants of each, and which.
PACKAGES ?= judge checks tools campaign
SAMPLE ?= 60
SEED ?= 1
# One with a typing error would leave the default in its place: the plan of another cluster, say.
VARIABLES := INVENTORY CAMPAIGN WORKERS PACKAGES SAMPLE SEED VENV
GIVEN := $(strip $(foreach name,$(.VARIABLES),$(if $(filter command,$(word 1,$(origin $(name)))),$(name))))
ifneq ($(filter-out $(VARIABLES) MAKEFLAGS,$(GIVEN)),)
$(error unknown variable $(filter-out $(VARIABLES) MAKEFLAGS,$(GIVEN)); choose from: $(VARIABLES) \
(assay_scale and the like are set in the inventory, or with -e of ansible-playbook))
endif
ifeq ($(strip $(INVENTORY)),)
$(error INVENTORY is empty; it should be a directory or a file, such as inventories/local)
endif
# Or a campaign that should be resumed would begin anew.
EMPTY := $(strip $(foreach name,$(filter $(VARIABLES),$(GIVEN)),$(if $(strip $($(name))),,$(name))))
ifneq ($(EMPTY),)
$(error $(EMPTY) is empty: is a variable of the shell not set?)
endif
export UV_SYSTEM_CERTS := 1
# What Python has compiled it keeps: the tests start a thousand programs.
unexport PYTHONDONTWRITEBYTECODE

# These look for Ansible's other commands on the path.
lint-ansible molecule-cluster molecule-el9 molecule-leap15 molecule-daos molecule-cluster-real molecule-guest molecule-real molecule-spack: export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help
help: ## List the commands.
	@sed -n -e 's/^\([a-z-]*\):[^#]*## /  \1\t/p' -e 's/^##@ /\n/p' $(MAKEFILE_LIST) | expand -t 25 | python3 scripts/fit.py

##@ Measure (INVENTORY=DIRECTORY, inventories/local unless given; CAMPAIGN=NAME resumes one)

.PHONY: validate
validate: $(ROOT) setup ## The whole way on this machine: deploy, measure, judge, sign off.
	@mkdir -p build
	@exec 9> build/validate.lock; flock --nonblock 9 || { echo "make validate is running in this checkout; wait for it" >&2; exit 75; }; \
	rm -f build/summary.txt; trap : INT; \
	$(PLAYBOOK) -i "$(INVENTORY)" site.yml $(if $(CAMPAIGN),-e "assay_campaign=$(CAMPAIGN)" -e assay_resumed=true) 9>&-; status=$$?; \
	if [ $$status = 99 ]; then $(PLAYBOOK) -i "$(INVENTORY)" playbooks/stop.yml 9>&-; fi; exit $$status

.PHONY: plan
plan: setup ## What a cluster should give that is not there yet, by its inventory alone.
	@# Of two at once, each would print what the other plans.
	@mkdir -p build; exec 9> build/plan.lock; flock --nonblock 9 || { echo "make plan is running in this checkout; wait for it" >&2; exit 75; }; \
	set -e; rm -rf build/plan.new; mkdir build/plan.new; \
	$(PLAYBOOK) -i "$(INVENTORY)" playbooks/plan.yml -e assay_planned=$(CURDIR)/build/plan.new/cluster.json 9>&-; \
	$(BIN)/assay expect --system --cluster build/plan.new/cluster.json; \
	$(BIN)/assay plan --cluster build/plan.new/cluster.json >build/plan.new/plan.txt; \
	rm -rf build/plan; mv build/plan.new build/plan; \
	echo; sed -n "/metrics required$$/,\$$p" build/plan/plan.txt; echo "build/plan/plan.txt lists them"

.PHONY: teardown
teardown: $(ROOT) setup ## Take away what `make validate` put on this machine, and nothing else.
	$(PLAYBOOK) -i "$(INVENTORY)" playbooks/teardown.yml

.PHONY: root
root:
	@((UID == 0)) || sudo --non-interactive true 2> /dev/null || { echo "$(INVENTORY) deploys on this machine: run make as root," \
	"or install sudo and let it ask $$(id -un) for no password" >&2; exit 77; }

##@ Develop

.PHONY: setup
setup: $(VENV)/.complete ## Make .venv with everything that Python needs.

$(VENV)/.complete: requirements/all.txt pyproject.toml
	@scripts/python-venv.sh
	@echo "making $(VENV), with every package of requirements/all.txt"
	@python3 -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' requirements/all.txt > $(VENV)/uv.txt
	@$(BIN)/pip install --quiet --require-hashes --requirement $(VENV)/uv.txt
	@# A cache of a gigabyte is for those who have one: nobody else makes a second $(VENV), and nothing would remove it.
	@[[ -d $$($(BIN)/uv cache dir) ]] || export UV_NO_CACHE=1; \
	$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements/all.txt && \
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python --editable .
	@touch $@

.PHONY: lock
lock: setup ## Lock all Python dependencies again, with hashes.
	scripts/lock.sh

.PHONY: docs
docs: setup ## Write the roles' pages, the list of modules and the tables of floors and platforms.
	$(BIN)/python scripts/role_readmes.py
	$(BIN)/python scripts/modules_page.py
	$(BIN)/python scripts/floors.py
	$(BIN)/python scripts/platforms_page.py

.PHONY: floors
floors: setup ## Derive the floors of figures through DAOS from bench/published/published.yml, and judge its systems.
	$(BIN)/python bench/published/derive.py
	$(BIN)/python bench/published/published.py --page
	$(BIN)/python scripts/floors.py

.PHONY: test
test: setup ## Everything that CI runs.
	@# The image of molecule's hosts takes minutes of waiting for the network, in which all else can go on.
	@$(MAKE) --no-print-directory --jobs=3 --output-sync image lint-ansible lint-files
	@$(MAKE) --no-print-directory unit molecule

.PHONY: lint
lint: setup ## Style and types.
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint-ansible lint-files

# Half of its time is that of one core.
.PHONY: lint-ansible
lint-ansible: setup
	ansible-lint --strict -q

.PHONY: lint-files
lint-files: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/role_readmes.py --check
	$(BIN)/python scripts/modules_page.py --check
	$(BIN)/python scripts/floors.py --check
	$(BIN)/python scripts/platforms_page.py --check
	$(BIN)/mdformat --check $$(git ls-files '*.md')
	$(BIN)/yamllint --strict .
	$(BIN)/shellcheck $$(git ls-files '*.sh') .ci/run

.PHONY: host-tools
host-tools: ## Install what the tests need of the distribution (as root, or by sudo).
	tests/host-tools.sh

.PHONY: unit
unit: setup host-tools ## The tests of the model, the parsers, the report, and the pipeline on a real Slurm.
	$(BIN)/pytest --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder

.PHONY: mutants
mutants: setup ## What the tests do not notice: samples of single changes of the source, by hand.
	nice $(BIN)/python scripts/mutants.py --sample $(SAMPLE) --seed $(SEED) $(PACKAGES)

.PHONY: spack-check
spack-check: setup ## What can be known of spack-env without Spack.
	$(BIN)/pytest tests/spack

##@ Hosts to try roles on (podman, as root)

.PHONY: image
image: host-tools
	CONTAINERS_CONF=molecule/hosts/containers.conf molecule/hosts/image.sh

.PHONY: molecule
molecule: setup host-tools ## The scenarios that CI runs, on real hosts (podman).
	@# A campaign waits for its benchmarks most of the time, and Ansible for its hosts.
	@$(MAKE) --no-print-directory --jobs=2 --output-sync molecule-roles molecule-bare

.PHONY: molecule-roles
molecule-roles: molecule-cluster
	@$(MAKE) --no-print-directory molecule-spack

.PHONY: molecule-cluster
molecule-cluster: setup host-tools ## Converge, check and measure three hosts.
	scripts/no-deprecations.sh molecule test --scenario-name cluster

.PHONY: molecule-el9
molecule-el9: setup host-tools ## The same on hosts that call themselves Rocky 9, whose packages come by dnf, by hand.
	scripts/no-deprecations.sh molecule test --scenario-name el9

.PHONY: molecule-leap15
molecule-leap15: setup host-tools ## The same on hosts that call themselves openSUSE Leap 15.6, by zypper, by hand.
	scripts/no-deprecations.sh molecule test --scenario-name leap15

.PHONY: molecule-daos
molecule-daos: setup host-tools ## Converge the roles of DAOS on five hosts, with stand-ins of its programs.
	scripts/no-deprecations.sh molecule test --scenario-name daos

.PHONY: molecule-real
molecule-real: setup host-tools ## The same with a real DAOS, whose prefix ASSAY_DAOS_PREFIX names.
	scripts/no-deprecations.sh molecule test --scenario-name daos-real

.PHONY: molecule-cluster-real
molecule-cluster-real: setup host-tools ## Deploy and measure six hosts with a real DAOS, lose one and bring it back, by hand.
	scripts/no-deprecations.sh molecule test --scenario-name cluster-real

.PHONY: molecule-guest
molecule-guest: setup host-tools ## Measure as a normal user on a Slurm that our roles did not make, by hand.
	scripts/no-deprecations.sh molecule test --scenario-name guest

.PHONY: molecule-spack
molecule-spack: setup host-tools ## Converge the role spack on three hosts, with a stand-in of Spack.
	scripts/no-deprecations.sh molecule test --scenario-name spack

.PHONY: molecule-bare
molecule-bare: setup host-tools ## Run `make validate` and `make teardown` on Debian's smallest.
	molecule/bare/run.sh

##@ How long this project takes, by hand

.PHONY: bench-deploy
bench-deploy: setup ## How the work of the control host grows from 8 to 1,024 hosts (planned ones).
	$(BIN)/python bench/deploy.py

.PHONY: bench-campaign
bench-campaign: setup host-tools ## What ReFrame and Slurm add to a benchmark, on 1, 16 and 64 emulated nodes (as root).
	$(BIN)/python bench/campaign.py

.PHONY: bench-scale
bench-scale: setup ## What it costs to plan, expect and sign off the full plan of 64 to 1,024 hosts.
	$(BIN)/python bench/scale.py

##@ How often its verdicts are right, by hand

.PHONY: bench-verdicts
bench-verdicts: setup ## How often the verdicts are right, on labelled campaigns with known faults.
	$(BIN)/python tests/verdicts/bench.py

.PHONY: bench-stopping
bench-stopping: setup ## What campaigns save that stop when decided, and how often they are right.
	$(BIN)/python tests/verdicts/stopping.py

.PHONY: bench-going-on
bench-going-on: setup ## What further rounds decide where verdicts are open, and how long they take.
	$(BIN)/python tests/verdicts/going_on.py

.PHONY: bench-health
bench-health: setup ## How often `assay health` is right, on nights of clusters that get slower or do not.
	$(BIN)/python tests/verdicts/nights.py

.PHONY: bench-soak
bench-soak: setup ## How often `assay soak` is right about figures that vary from round to round.
	$(BIN)/python tests/verdicts/soaks.py

.PHONY: bench-naming
bench-naming: setup ## How often the engines' metrics name the right rank or target, on 4, 32 and 512 ranks.
	$(BIN)/python tests/verdicts/naming.py

.PHONY: bench-published
bench-published: setup ## Judge every published DAOS system by floors from all others.
	$(BIN)/python bench/published/published.py

.PHONY: bench-submissions
bench-submissions: setup ## What `assay parse` makes of the outputs below DIRECTORY, such as IO500's submission-data.
	$(BIN)/python bench/submissions.py "$(DIRECTORY)"

##@ Clean up

.PHONY: clean
clean: ## Remove what was built here; `make teardown` first, if this machine was validated.
	rm -rf $(VENV) build dist
