# The same checks as .ci/run, in pieces for the day's work. `.ci/run` alone runs all of them.

.PHONY: check test fuzz bench run size

check: ## format, lint, vet, go.mod, the rules of the house, tests
	.ci/run format lint vet tidy arch test

test: ## what the README says
	go test ./...

fuzz: ## ten seconds for each fuzz target
	.ci/run fuzz

bench: ## Go benchmarks; docs/performance.md says how the whole binary is measured
	go test -run '^$$' -bench . -benchmem ./...

run: ## make run ARGS='demo "What time is it?"'
	go run ./cmd/react-agent $(ARGS)

size: ## code lines per package beside the aims
	@go run ./.ci/check size .
