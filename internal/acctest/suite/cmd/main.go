//go:build unix

// Command cmd runs the tests for the makefile:
//
//	cmd run [-all] [-race] [-slowest N] [-flags "FLAG ..."] [PACKAGE ...]
//
// It tests the given packages, or all packages if none is given: as `make test` does, with -all as `make test-all` does, or with -all -race as `make test-race`
// does. -slowest is the number of slowest tests that the summary lists. -flags are further flags of go test, split at spaces outside quotes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/suite"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "exec" {
		status, err := suite.Exec(args[1:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "run" {
		return errors.New(`usage: cmd run [-all] [-race] [-slowest N] [-flags "FLAG ..."] [PACKAGE ...]`)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	options := suite.Options{Wrapper: []string{self, "exec"}, Out: os.Stdout, Log: os.Stderr}
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	set.BoolVar(&options.All, "all", false, "run everything")
	set.BoolVar(&options.Race, "race", false, "with -all: use the race detector for the whole contract of an engine")
	set.IntVar(&options.Slowest, "slowest", 10, "number of slowest `tests` that the summary lists")
	flags := set.String("flags", "", "further `flags` of go test")
	if err := set.Parse(args[1:]); err != nil {
		return err
	}
	if options.Flags, err = suite.SplitFlags(*flags); err != nil {
		return fmt.Errorf("-flags: %w", err)
	}
	options.Patterns = set.Args()
	return suite.Run(ctx, options)
}
