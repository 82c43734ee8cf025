// Command check reads what the Go tools print and says yes or no: the part of .ci/run that a shell does badly.
//
//	go test -json … | check tests [-shared] [-summary FILE]   prints as go test does, counts, refuses skips for want of a tool
//	check cover PROFILE FLOORS                                compares coverage with the floors
//	check vulns REPORT ALLOWED                                lets only listed findings in the standard library pass
//	check size ROOT                                           prints code lines per package beside the aims
//
// It is no part of the product: folders that begin with a dot are outside of "./...".
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to check: tests, cover, vulns or size")
	}
	switch rest := args[1:]; args[0] {
	case "tests":
		return runTests(rest, in, out)
	case "cover":
		if len(rest) == 2 {
			return withFiles(rest[0], rest[1], func(a, b io.Reader) error { return cover(a, b, out) })
		}
	case "vulns":
		if len(rest) == 2 {
			return withFiles(rest[0], rest[1], func(a, b io.Reader) error { return vulns(a, b, time.Now(), out) })
		}
	case "size":
		if len(rest) == 1 {
			return size(rest[0], out)
		}
	}
	return fmt.Errorf("cannot understand %q, see the head of main.go", args)
}

func withFiles(a, b string, do func(a, b io.Reader) error) error {
	first, err := os.ReadFile(a)
	if err != nil {
		return err
	}
	second, err := os.ReadFile(b)
	if err != nil {
		return err
	}
	return do(bytes.NewReader(first), bytes.NewReader(second))
}
