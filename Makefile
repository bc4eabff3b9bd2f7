# Everyday commands; .ci/run runs the checks all together.
T ?= 30s
VERSION ?=
MB ?= 500

.PHONY: build check test golden docs fuzz bench bench-shapes demo

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=$(VERSION)" -o mcptrace ./cmd/mcptrace

check:
	.ci/run

test:
	go test ./...

# Rewrites what the tests compare with. Read the diff.
golden:
	go test ./cmd/mcptrace -update

# Rewrites the pages that are made from the code.
docs:
	go test ./cmd/mcptrace -run 'Docs|Readme' -update

# T=30s: how long for each target.
fuzz:
	@for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		echo $$p $$f; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(T) -fuzzminimizetime 10x $$p || exit 1; done; done

# MB=500: how large the capture is. What it prints belongs into docs/performance.md.
bench: build
	mkdir -p dist
	go run ./tools/bigpcap -mb $(MB) -o dist/big.pcap
	go build -o dist/bench ./tools/bench
	dist/bench -mcptrace ./mcptrace dist/big.pcap

# What time and memory grow with: captures of one kind each, up to 1 GB in the temporary folder.
bench-shapes: build
	mkdir -p dist
	go build -o dist/bigpcap ./tools/bigpcap
	go build -o dist/bench ./tools/bench
	dist/bench -mcptrace ./mcptrace -bigpcap dist/bigpcap -shapes

demo: build
	./mcptrace analyze testdata/pcaps/answer_then_reset.pcap
