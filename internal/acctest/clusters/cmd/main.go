// Command cmd builds the test cluster binary if necessary and replaces itself with it:
//
//	go run ./internal/acctest/clusters/cmd up -members 3
//	go run ./internal/acctest/clusters/cmd status
//	go run ./internal/acctest/clusters/cmd down
//
// Its only own command is build, which prints the path of the binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "clusters:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	binary, err := clusters.Binary(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "build" {
		fmt.Println(binary)
		return nil
	}
	stop()
	err = syscall.Exec(binary, append([]string{"testcluster"}, args...), os.Environ())
	if errors.Is(err, errors.ErrUnsupported) {
		cmd := exec.Command(binary, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd.Run()
	}
	return fmt.Errorf("run %s: %w", binary, err)
}
