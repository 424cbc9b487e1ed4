// Command cmd builds the tools of package cli, for the makefile:
//
//	cmd build NAME...   builds the named tools, or all of them ("all")
//	cmd path NAME       the same for one tool, and prints its path
//
// Progress goes to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	names := strings.Join(cli.Names(), "|")
	usage := errors.New("usage: cmd build " + names + "|all...\n       cmd path " + names)
	if len(args) < 2 {
		return usage
	}
	switch verb, tools := args[0], args[1:]; {
	case verb == "path" && len(tools) == 1:
		path, err := cli.Build(ctx, tools[0], stderr)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(stdout, path)
		return err
	case verb == "build":
		return build(ctx, tools, stderr)
	}
	return usage
}

func build(ctx context.Context, tools []string, stderr io.Writer) error {
	if len(tools) == 1 && tools[0] == "all" {
		tools = cli.Names()
	}
	for _, tool := range tools {
		path, err := cli.Build(ctx, tool, stderr)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(stderr, "%s: %s\n", tool, path)
	}
	return nil
}
