# The same checks as .ci/run, in pieces for the day's work. `.ci/run` alone runs all of them.

.PHONY: check test fuzz bench conformance soak long live run size

check: ## format, lint, vet, go.mod, the rules of the house, tests
	.ci/run format lint vet tidy arch test

test: ## what the README says
	go test ./...

fuzz: ## a moment for each fuzz target
	.ci/run fuzz

bench: ## Go benchmarks; docs/performance.md says how the whole binary is measured
	go test -run '^$$' -bench . -benchmem ./...

conformance: ## our wires beside the vendors' own Go libraries; the first time compiles for minutes
	cd test/conformance && go vet ./... && go test -count=1 -v ./...

soak: ## half an hour against a server that fails in every way; SOAK=5m for less
	SOAK=$${SOAK:-30m} nice go test -count=1 -timeout 0 -v -run TestSoak ./test/soak

long: ## 20,000 random histories, and a session of 5,000 steps with the real binary, held against its limits; LONG=1000 for less
	nice go test -count=1 -timeout 0 ./test/property -rapid.checks=10000
	LONG=$${LONG:-5000} go test -count=1 -timeout 0 -v -run TestLongSession ./cmd/react-agent
	go test -run '^$$' -bench . -benchtime 1x ./test/long

live: ## a real llama-server with a small model as a peer; the first time installs and builds it, for a quarter of an hour
	python3 test/live/live.py

run: ## make run ARGS='demo "What time is it?"'
	go run ./cmd/react-agent $(ARGS)

size: ## code lines per package beside the aims
	@go run ./.ci/check size .
