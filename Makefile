# What can be made here. Only Go, make and git are needed; `make help` lists the
# targets. Times of the steps are printed by .ci/run.

.DEFAULT_GOAL := build
.NOTPARALLEL: # tests measure time and share two cores with nobody

FUZZTIME ?= 15s
SOAKTIME ?= 5m
BENCH    ?= .
PKG      ?= ./...
TESTFLAGS ?=
TIMING   ?= 1
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The race detector needs a C compiler; Go switches cgo off where there is none.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# A program with the race detector sleeps a second before it exits, to report races
# of goroutines that still run. Every package and every command of a script is one.
GORACE ?= atexit_sleep_ms=50
export GORACE

# Without the folder in it, what was built for one clone serves the next.
export GOFLAGS := $(filter-out -trimpath -tags=%,$(GOFLAGS)) -trimpath

# Packages under test at once. Tests wait more than half of their time, for servers and
# for screens, so two cores are kept busy by four. The longest begin first.
ATONCE ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) * 2)))
LONGEST := ./cli ./test/journey ./engine ./sources/kube ./sources/sandbox ./test/e2e

# Tests start this binary instead of building one per package.
export RUNG_BINARY := $(CURDIR)/bin/rung

.PHONY: help build demo test test-full test-setup test-race test-long test-timing fuzz lint bench screenshots \
	e2e e2e-tools browser soak cross release release-tools release-test release-twice generate clean lint-windows vulncheck

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-13s %s\n", $$1, $$2 }'

build: ## bin/rung
	go build -o bin/rung .

demo: build ## open the console on the built-in cluster
	bin/rung demo

# Fuzz targets run on their stored inputs only: the same tree passes or fails every time.
# New inputs are looked for by make fuzz and make soak; what they find is stored. -short draws
# fewer random cases where a test draws thousands: make test-full draws all. make lint vets.
test: test-setup ## every test once, without the race detector; packages beside busy programs take long
	go test -short -vet=off -p $(ATONCE) -timeout 60m $(TESTFLAGS) $(if $(filter ./...,$(PKG)),$(LONGEST)) $(PKG)

# Every part runs, whatever became of those before it; what failed is listed at the end.
test-full: test-setup ## what CI runs beside it: the race detector, all random cases, the promised times
	@go run ./test/suite $(MAKE) test-race test-long test-timing

# What the tests find on this machine, one line for each thing that is missing.
test-setup: build
	@go version
	@missing=; for server in ovsdb-server ovsdb-tool ovsdb-client ovn-nbctl; do \
		command -v $$server >/dev/null || missing="$$missing $$server"; \
	done; \
	[ -z "$$missing" ] || echo "not found:$$missing: tests on real servers do not run (Debian: openvswitch-common, ovn-common)"; \
	[ -n "$(RACE)" ] || { echo "no C compiler: the tests run without the race detector"; missing=race; }; \
	[ -z "$$missing" ] || [ "$$RUNG_REQUIRE_SERVERS" != 1 ] || { echo "RUNG_REQUIRE_SERVERS=1: install what is missing"; exit 1; }

# Packages that compute in one goroutine, and tests that start bin/rung: the race detector has
# nothing to find there and makes them five times as slow. The engine's and the console's tests
# call the same code from many goroutines.
PLAIN := ./compiler/... ./model/... ./pages/... ./themes \
	$(addprefix ./change/,guard rewrite write) $(addprefix ./engine/,convert template verify) \
	$(addprefix ./test/,arch fuzz journey networks packets pipelines recorded verdicts)
# Those of them whose tests read from many goroutines.
SHARED := $(addprefix ./model/,selectors sorted)

# What runs in many goroutines of commands; make test runs all of ./cli.
RACECLI := TestScripts|TestServicesEnd|TestWatch.*|TestLooks.*|TestPlanInterrupted|TestFirstScreen.*|TestPreviewListens

test-race: build ## the tests that run in many goroutines, with the race detector
	go test $(RACE) -p $(ATONCE) -timeout 15m $(TESTFLAGS) $$(go list $(PKG) | grep -vxF "$$(go list ./cli $(PLAIN) | grep -vxF "$$(go list $(SHARED))")")
	go test $(RACE) -timeout 15m -run '^($(RACECLI))$$' ./cli

test-long: build ## the tests that draw fewer cases in make test, with all of them
	@tests=$$(grep -rhE --include='*_test.go' --exclude-dir=bench '^func |testing\.Short\(\)' * | awk '/^func/ { t = $$2; sub(/\(.*/, "", t) } /testing.Short/ && t ~ /^Test/ { print t }' | sort -u | paste -sd '|'); \
	dirs=$$(grep -rl --include='*_test.go' --exclude-dir=bench 'testing\.Short()' * | xargs -r -n1 dirname | sort -u | sed 's,^,./,'); \
	set -x; go test -p $(ATONCE) -timeout 15m $(TESTFLAGS) -run "^($$tests)\$$" $$dirs

# Tests named TestTiming… measure: one after the other, without the race detector.
test-timing: build ## the times alone; TIMING=strict on a quiet machine
	@dirs=$$(grep -rl --include='*_test.go' '^func TestTiming' * | xargs -r -n1 dirname | sed 's,^,./,' | sort -u); \
	if [ -z "$$dirs" ]; then echo "no TestTiming… found"; exit 0; fi; \
	set -x; RUNG_TIMING=$(TIMING) go test -v -p 1 -count=1 -timeout 10m -run '^TestTiming' $$dirs

fuzz: ## look for inputs that fail: every fuzz target for FUZZTIME (15s), two at once
	go run ./test/fuzz -time $(FUZZTIME)

# A cluster for tests: built from Go modules of a module of its own, in the same
# build cache. Cold about 10 CPU minutes, cached seconds.
KUBE := $(CURDIR)/bin/kube
E2EFLAGS ?=

e2e-tools: $(KUBE)/kube-apiserver $(KUBE)/etcd $(KUBE)/kubectl ## bin/kube: kube-apiserver, etcd, kubectl

$(KUBE)/etcd: test/kube/go.mod test/kube/go.sum
	cd test/kube && go build -o $@ -ldflags '-s -w' go.etcd.io/etcd/server/v3
	@touch $@

$(KUBE)/kube-apiserver $(KUBE)/kubectl: test/kube/go.mod test/kube/go.sum
	cd test/kube && v=$$(go list -m -f '{{.Version}}' k8s.io/kubernetes) && \
		go build -o $@ -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$$v" k8s.io/kubernetes/cmd/$(@F)
	@touch $@

e2e: test-setup e2e-tools ## rung on a real API server with real databases, and OVN; E2EFLAGS='-run Name'
	cd test/kube && RUNG_KUBE=$(KUBE) go test -count=1 -timeout 20m -v $(E2EFLAGS) ./...

browser: build ## what Rung writes for a browser, in headless Chromium; RUNG_PICTURES=FOLDER keeps pictures
	cd test/browser && go vet . && go test -count=1 -timeout 15m -v .

lint: ## gofmt, vet, staticcheck, import direction, generated files
	@bad=$$(gofmt -l .); [ -z "$$bad" ] || { echo "not gofmt-clean:"; echo "$$bad"; exit 1; }
	go vet ./...
	cd test/kube && go vet ./...
	cd release && go vet ./...
	go tool staticcheck ./...
	go test ./test/arch
	RUNG_LINT=1 go test -run '^TestGenerate' ./sources/manifests
	go test -run '^TestFindingsDoc$$' ./revision

lint-windows: ## vet for Windows, with the tests, which compiles them
	GOOS=windows GOARCH=amd64 go vet ./...

# The database is made of the module golang.org/x/vulndb, so that nothing but a proxy of modules is
# asked. Traces of calls are left out: there are thousands.
VULN := $(CURDIR)/bin/vuln

vulncheck: build ## known vulnerabilities in the program's code and in bin/rung
	cd test/vuln && go build -o $(VULN)/ tool && rm -rf $(VULN)/db && \
		$(VULN)/indexdb -vulns "$$(go list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv" -out $(VULN)/db
	@code=0; for what in . "-mode binary bin/rung"; do \
		echo "govulncheck $$what"; $(VULN)/govulncheck -db file://$(VULN)/db $$what >$(VULN)/found || code=1; \
		grep -vE '^ +(#[0-9]+:|Use )|traces? found|symbols found' $(VULN)/found; \
	done; exit $$code

bench: ## benchmarks of PKG matching BENCH
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m $(PKG)

screenshots: build ## the pictures in screenshots/, from the real program
	go run ./test/pictures -bin bin/rung -out screenshots

soak: test-setup e2e-tools ## before closing: long fuzz, faults, every platform, a release twice
	go run ./test/fuzz -time $(SOAKTIME)
	$(MAKE) test-timing TIMING=strict
	RUNG_SOAK=1 go test $(RACE) -count=1 -timeout 90m $(TESTFLAGS) $(PKG)
	cd test/kube && RUNG_SOAK=1 RUNG_KUBE=$(KUBE) go test -count=1 -timeout 60m -v -run '^(TestFaults|TestOnOVN)$$' .
	$(MAKE) cross lint-windows
	$(MAKE) release-twice

cross: ## build for PLATFORMS, as released: without symbols for debuggers
	@for platform in $(PLATFORMS); do \
		os=$${platform%/*}; arch=$${platform#*/}; exe=; [ $$os != windows ] || exe=.exe; \
		echo "GOOS=$$os GOARCH=$$arch go build -ldflags '-s -w' -o bin/cross/rung-$$os-$$arch$$exe ."; \
		GOOS=$$os GOARCH=$$arch go build -ldflags '-s -w' -o bin/cross/rung-$$os-$$arch$$exe . || exit 1; \
	done

# Where a release is to be downloaded from: in the manifests of package managers. Nothing is sent there.
RUNG_URL ?= https://github.com/rung-authors/rung
SNAPSHOT ?=
RELEASE := $(CURDIR)/bin/release
TOOLS := $(CURDIR)/bin/release-tools
comma := ,

release-tools: $(TOOLS)/goreleaser $(TOOLS)/cyclonedx-gomod ## bin/release-tools: GoReleaser and cyclonedx-gomod, from their modules
	cd release && go build -o $(TOOLS)/release .

$(TOOLS)/goreleaser: release/tools/go.mod release/tools/go.sum
	cd release/tools && go build -o $@ -ldflags '-s -w' github.com/goreleaser/goreleaser/v2
	@touch $@

$(TOOLS)/cyclonedx-gomod: release/tools/go.mod release/tools/go.sum
	cd release/tools && go build -o $@ -ldflags '-s -w' github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	@touch $@

# From a tag and a clean tree, or a snapshot. The same commit gives the same bytes, in any folder.
# Exactly these flags, whatever the environment has: they are in the program. GoReleaser knows no
# commit where a clone has no remote, and git none where a clone is somebody else's.
release: export GOFLAGS := -trimpath
release: ## bin/release: everything that a release is made of, from a tag; SNAPSHOT=1 without one
	@git describe --exact-match --tags HEAD >/dev/null 2>&1 || [ -n "$(SNAPSHOT)" ] || \
		{ echo "this commit has no tag, so no release can be made of it; to make a snapshot: make release SNAPSHOT=1"; exit 1; }
	$(MAKE) release-tools build
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(TOOLS)/release files -root . -out bin/release-files -rung bin/rung
	sed 's/targets: \[.*/targets: [$(subst $() ,$(comma) ,$(subst /,_,$(PLATFORMS)))]/' release/goreleaser.yaml >bin/goreleaser.yaml
	PATH="$(TOOLS):$$PATH" RUNG_URL=$(RUNG_URL) GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=$(RUNG_URL) \
		GIT_CONFIG_KEY_1=safe.directory GIT_CONFIG_VALUE_1='*' \
		$(TOOLS)/goreleaser release --config bin/goreleaser.yaml --clean \
		--skip=publish,announce $(if $(SNAPSHOT),--snapshot)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(TOOLS)/release finish -root . -out bin/release -url $(RUNG_URL)

# For this machine. Roots need root: SUDO="sudo -n -E".
SUDO ?=
release-test: ## install and use every artefact of a snapshot for this machine, in clean roots
	$(MAKE) release SNAPSHOT=1 PLATFORMS="$$(go env GOOS)/$$(go env GOARCH)"
	$(MAKE) $(KUBE)/kubectl
	cd release && go test ./manual ./licences ./image && go test -c -o $(TOOLS)/release.test . && \
		$(SUDO) env RUNG_RELEASE=$(RELEASE) RUNG_KUBE=$(KUBE) $(TOOLS)/release.test -test.v -test.timeout 20m

release-twice: release-tools ## make a release from two clones in different folders: the same digests
	cd release && RUNG_SOAK=1 go test -count=1 -timeout 90m -v -run '^TestTwice$$' .

generate: ## files that are generated: CRDs, docs/keys.md, docs/findings.md
	go generate ./...

clean: ## what make built
	rm -rf bin
