package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// block is one basic block of a coverage profile. Several test binaries report the same block: it counts once, as
// covered when any of them ran it.
type block struct {
	statements int
	covered    bool
}

// cover compares a profile with the floors: lines of "PERCENT FOLDER", where "total" is everything.
func cover(profile, floors io.Reader, out io.Writer) error {
	blocks, err := readProfile(profile)
	if err != nil {
		return err
	}
	lines, err := dataLines(floors)
	if err != nil {
		return err
	}
	var low []string
	for _, f := range lines {
		if len(f) != 2 {
			return fmt.Errorf("floor %q: want PERCENT FOLDER", f)
		}
		floor, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			return fmt.Errorf("floor %q: %w", f, err)
		}
		got, n := percent(blocks, f[1])
		fmt.Fprintf(out, "coverage of %-8s %5.1f %% of %d statements, floor %.0f %%\n", f[1], got, n, floor)
		if got < floor {
			low = append(low, f[1])
		}
	}
	printPackages(blocks, out)
	if len(low) > 0 {
		return fmt.Errorf("coverage below the floor: %s", strings.Join(low, ", "))
	}
	return nil
}

func readProfile(r io.Reader) (map[string]block, error) {
	blocks := map[string]block{}
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("profile line %q: want three fields", line)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("profile line %q: %w", line, err)
		}
		if isHelper(folder(f[0])) {
			continue
		}
		b := blocks[f[0]]
		blocks[f[0]] = block{statements: n, covered: b.covered || f[2] != "0"}
	}
	if len(blocks) == 0 && sc.Err() == nil {
		return nil, errors.New("the coverage profile is empty")
	}
	return blocks, sc.Err()
}

// isHelper tells packages that exist for tests: half of their code runs only when a test fails.
func isHelper(dir string) bool {
	return dir == "agent/agenttest" || dir == "store/storetest" || dir == "provider/providertest"
}

// folder of a block "module/a/b/file.go:1.2,3.4" is "a/b".
func folder(id string) string {
	file, _, _ := strings.Cut(id, ":")
	_, rel, _ := strings.Cut(path.Dir(file), "/")
	return rel
}

func percent(blocks map[string]block, dir string) (float64, int) {
	all, hit := 0, 0
	for id, b := range blocks {
		d := folder(id)
		if dir != "total" && d != dir && !strings.HasPrefix(d, dir+"/") {
			continue
		}
		all += b.statements
		if b.covered {
			hit += b.statements
		}
	}
	if all == 0 {
		return 0, 0
	}
	return 100 * float64(hit) / float64(all), all
}

// printPackages shows where the total comes from.
func printPackages(blocks map[string]block, out io.Writer) {
	dirs := map[string]bool{}
	for id := range blocks {
		dirs[folder(id)] = true
	}
	for _, d := range sortedKeys(dirs) {
		all, hit := 0, 0
		for id, b := range blocks {
			if folder(id) == d {
				all += b.statements
				if b.covered {
					hit += b.statements
				}
			}
		}
		fmt.Fprintf(out, "  %5.1f %%  %5d  %s\n", 100*float64(hit)/float64(max(all, 1)), all, d)
	}
}
