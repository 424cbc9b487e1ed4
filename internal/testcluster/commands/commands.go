// Package commands is the test cluster binary's own command line. It is separate from the main package so that its tests link without Kubernetes.
package commands

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/supervisor"
)

const usage = `Usage: testcluster COMMAND [flags]

  up [-members N] [-hub=BOOL] [-workloads=BOOL] [-dir DIR] [-foreground]
        start clusters; return when they are ready, or with -foreground run
        until interrupted or until standard input ends
  down [-dir DIR]              stop the clusters and remove their files
  status [-dir DIR] [-json]    show the clusters and their processes
  stop-member [-dir DIR] NAME  end one cluster's processes, keep its objects
  start-member [-dir DIR] NAME start a cluster again on the same port

  etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok [flags]
        run the component
`

// errUsage is part of an error that follows the printed usage.
var errUsage = errors.New("see the usage above")

// Execute runs the command in args.
func Execute(args []string) error {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch command {
	case "up":
		return up(args)
	case "down":
		return down(args)
	case "status":
		return status(args)
	case "stop-member":
		return member(command, args, supervisor.StopMember)
	case "start-member":
		return member(command, args, supervisor.StartMember)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(os.Stdout, usage)
		return err
	default:
		_, _ = io.WriteString(os.Stderr, usage)
		return fmt.Errorf("unknown command %q: %w", command, errUsage)
	}
}

// upFlags are the flags of up.
type upFlags struct {
	options    supervisor.Options
	foreground bool
	// detached marks the supervisor that up starts without -foreground.
	detached bool
}

func parseUp(args []string) (upFlags, error) {
	var f upFlags
	set, dir := newFlags("up")
	set.IntVar(&f.options.Members, "members", 2, "number of member clusters")
	set.BoolVar(&f.options.Hub, "hub", true, "start the hub as well")
	set.BoolVar(&f.options.Workloads, "workloads", true, "let the members run pods (node, scheduler, controllers)")
	set.BoolVar(&f.foreground, "foreground", false, "run until interrupted or until standard input ends")
	set.BoolVar(&f.detached, "detached", false, "internal: report readiness on descriptor 3")
	if err := parse(set, args, 0); err != nil {
		return f, err
	}
	var err error
	if f.options.Dir, err = absolute(*dir); err != nil {
		return f, err
	}
	return f, f.options.Validate()
}

func up(args []string) error {
	f, err := parseUp(args)
	if err != nil {
		return err
	}
	ctx, cancel := signalContext()
	defer cancel(nil)

	switch {
	case f.detached:
		notice := supervisor.OpenNotice()
		err = supervisor.Run(ctx, f.options, func(string) { notice.Ready() })
		if err != nil {
			notice.Failed(err)
		}
		return err
	case f.foreground:
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel(errors.New("standard input ended"))
		}()
		f.options.Log = os.Stderr
		return supervisor.Run(ctx, f.options, announce)
	default:
		if err := supervisor.Detach(ctx, append([]string{"up", "-detached"}, args...)); err != nil {
			return err
		}
		return printStatus(ctx, f.options.Dir)
	}
}

// announce prints the line that a parent process waits for.
func announce(kubeconfig string) { fmt.Println("ready", kubeconfig) }

// signalContext returns a context that the first stop signal cancels. A write to a closed pipe must not end the process, because a supervisor whose parent
// crashed must still clean up.
func signalContext() (context.Context, context.CancelCauseFunc) {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() { cancel(fmt.Errorf("received signal: %s", <-signals)) }()
	return ctx, cancel
}

func down(args []string) error {
	set, dir := newFlags("down")
	if err := parse(set, args, 0); err != nil {
		return err
	}
	path, err := absolute(*dir)
	if err != nil {
		return err
	}
	found, err := supervisor.Down(path)
	if err == nil && !found {
		fmt.Println("no test clusters run in", path)
	}
	return err
}

func status(args []string) error {
	set, dir := newFlags("status")
	asJSON := set.Bool("json", false, "print JSON")
	if err := parse(set, args, 0); err != nil {
		return err
	}
	path, err := absolute(*dir)
	if err != nil {
		return err
	}
	ctx, cancel := signalContext()
	defer cancel(nil)
	if !*asJSON {
		return printStatus(ctx, path)
	}
	s, err := supervisor.GetStatus(ctx, path)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

func printStatus(ctx context.Context, dir string) error {
	s, err := supervisor.GetStatus(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("KUBECONFIG=%s\nsupervisor %d, etcd %d\n", s.Kubeconfig, s.Supervisor, s.Etcd)
	for _, cluster := range s.Clusters {
		processes := make([]string, 0, len(cluster.Processes))
		for name, pid := range cluster.Processes {
			processes = append(processes, fmt.Sprintf("%s %d", name, pid))
		}
		sort.Strings(processes)
		if len(processes) == 0 {
			processes = []string{"stopped"}
		}
		fmt.Printf("%-12s %s  %s\n", cluster.Name, cluster.URL, strings.Join(processes, ", "))
	}
	for _, failure := range s.Failures {
		fmt.Println("FAILED:", failure)
	}
	return nil
}

func member(command string, args []string, action func(context.Context, string, string) error) error {
	set, dir := newFlags(command)
	if err := parse(set, args, 1); err != nil {
		return err
	}
	path, err := absolute(*dir)
	if err != nil {
		return err
	}
	ctx, cancel := signalContext()
	defer cancel(nil)
	return action(ctx, path, set.Arg(0))
}

func newFlags(command string) (set *flag.FlagSet, dir *string) {
	set = flag.NewFlagSet(command, flag.ContinueOnError)
	return set, set.String("dir", "", "`directory` of the clusters (default: in the user's cache)")
}

func parse(set *flag.FlagSet, args []string, positional int) error {
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() != positional {
		return fmt.Errorf("%s takes %d arguments besides its flags, got %q", set.Name(), positional, set.Args())
	}
	return nil
}

// absolute returns the absolute path of dir, and the default directory if dir is empty. The path of the printed kubeconfig begins with it.
func absolute(dir string) (string, error) {
	if dir == "" {
		return supervisor.DefaultDir()
	}
	return filepath.Abs(dir)
}
