//go:build unix

package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// modulePath is the import path of the repository.
const modulePath = "github.com/terraform-fleet/terraform-provider-fleet"

// testcluster is the nested module whose tests are part of the suite.
const testcluster = "internal/testcluster"

// Options configure a run.
type Options struct {
	// All runs what `make test-all` runs, instead of `make test`.
	All bool
	// Race builds the tests with the whole contract of an engine with the race detector. It has an effect only together with All, see [usesRaceDetector].
	Race bool
	// Patterns name packages as for go test. If empty, all packages of the repository are tested.
	Patterns []string
	// Flags are further flags of go test.
	Flags []string
	// Wrapper is the path of this program and the argument that calls [Exec].
	Wrapper []string
	// Slowest is the number of slowest tests that the summary lists.
	Slowest int
	// Out receives results, Log the progress of builds and messages of clusters.
	Out, Log io.Writer
}

// ErrFailed is returned when tests have failed. Out has their output.
var ErrFailed = errors.New("tests failed")

// Run runs the tests. It returns [ErrFailed] if any fail, and another error if they cannot be run. When ctx ends, all programs end.
func Run(ctx context.Context, options Options) (err error) {
	begin := time.Now()
	root, err := gobuild.Root()
	if err != nil {
		return err
	}
	env, err := prepare(ctx, root, options)
	if err != nil {
		return err
	}
	pool := newPool(ctx, options.Log)
	broker, err := serve(ctx, root, pool)
	if err != nil {
		return err
	}
	end := sync.OnceValue(func() error { return errors.Join(broker.close(), pool.stop()) })
	defer func() { err = errors.Join(err, end()) }()
	env = append(env, socketVariable+"="+broker.socket())

	runs, err := plan(ctx, root, env, options)
	if err != nil {
		return err
	}
	results := newResults(options.Out, modulePath)
	errs := make([]error, len(runs))
	var running sync.WaitGroup
	for i, run := range runs {
		running.Go(func() { errs[i] = goTest(ctx, run.dir, run.env, run.args, results, options.Log) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	wall := time.Since(begin)
	_ = end() // the CPU time of clusters is known once they have ended; the error is returned after the summary
	results.summarize(broker.usageOf, usage{Wall: wall, CPU: childCPUTime()}, options.Slowest)
	if err := joinErrors(errs); err != nil {
		return err
	}
	return results.checkRan(options)
}

// joinErrors returns the errors of several runs of go test. One [ErrFailed] replaces all exit statuses, because go test has printed the causes.
func joinErrors(errs []error) error {
	var out []error
	failed := false
	for _, err := range errs {
		if exit, is := errors.AsType[*exec.ExitError](err); is && exit.Exited() {
			failed = true
			continue
		}
		out = append(out, err)
	}
	if failed {
		out = append(out, ErrFailed)
	}
	return errors.Join(out...)
}

// childCPUTime returns the CPU time of all programs that have ended.
func childCPUTime() time.Duration {
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return 0
	}
	return time.Duration(children.Utime.Nano() + children.Stime.Nano())
}

// prepare builds the programs that tests run, and returns the environment with their paths.
func prepare(ctx context.Context, root string, options Options) ([]string, error) {
	env := append(os.Environ(), "TF_ACC=1", "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	if os.Getenv("GOGC") == "" {
		// For the compiler, the tests and the programs that they run: a tenth less CPU time for more memory.
		env = append(env, "GOGC=200")
	}
	if os.Getenv(clusters.KubeconfigVariable) == "" {
		if _, err := clusters.Binary(ctx, options.Log); err != nil {
			return nil, err
		}
	}
	tools := []struct{ name, variable string }{{cli.TerraformName, cli.TerraformEnv}}
	if options.All {
		tools = append(tools, []struct{ name, variable string }{
			{cli.Terraform111Name, cli.Terraform111Env}, {cli.OpenTofuName, cli.OpenTofuEnv},
		}...)
	}
	for _, tool := range tools {
		path := os.Getenv(tool.variable)
		if path == "" {
			var err error
			if path, err = cli.Build(ctx, tool.name, options.Log); err != nil {
				return nil, err
			}
			env = append(env, tool.variable+"="+path)
		}
		if tool.name == cli.TerraformName {
			env = append(env, "TF_ACC_TERRAFORM_PATH="+path)
		}
	}
	mirror, err := workspace.Install(ctx, filepath.Join(root, ".build"))
	if err != nil {
		return nil, err
	}
	return append(env, workspace.MirrorVariable+"="+mirror), nil
}

// withoutRace returns the environment and the build flags of tests without the race detector. The programs that tests run are built with the same flags, so go
// compiles the Kubernetes clients only once.
func withoutRace() (env, flags []string) { return []string{"CGO_ENABLED=0"}, gobuild.Flags }

// uninstrumented are the packages that the race detector does not instrument. go ignores a flag for a package that does not exist.
var uninstrumented = []string{"encoding/json", "sigs.k8s.io/json/internal/golang/encoding/json"}

// withRace returns the environment and the build flags of tests with the race detector:
//   - Without debugging information, linking takes a quarter less time.
//   - checkptr is disabled. The detector enables it by default, but no package tested here uses unsafe.
//   - A test program sleeps for 50 ms at its end, not for a second, to catch races in remaining goroutines.
//   - encoding/json and its copy in sigs.k8s.io are not instrumented, because this would take 40 % of the processor time of an engine's tests. Package reflect,
//     which reads and writes the values, still reports their races. Two kinds of races are not reported: on the bytes of a JSON text, and on a variable of type
//     json.RawMessage, whose methods are in encoding/json.
func withRace() (env, flags []string) {
	const all = "-dwarf=false -d=checkptr=0"
	flags = []string{"-race", "-trimpath", "-gcflags=all=" + all}
	for _, path := range uninstrumented {
		// -l disables inlining. Otherwise parts of sync are compiled into these packages without instrumentation, and the detector reports false races.
		flags = append(flags, "-gcflags="+path+"="+all+" -race=false -l")
	}
	return []string{"CGO_ENABLED=1", "GORACE=" + raceOptions(os.Getenv("GORACE"))}, flags
}

// raceOptions returns the options of the race detector. The user's options come first. If an option occurs twice, the last one applies, so the user cannot
// hide races.
func raceOptions(user string) string {
	return strings.TrimSpace(user + " report_bugs=1 exitcode=66 atexit_sleep_ms=50")
}

// lowPriority runs the compiler and the linker at a lower priority than control planes and tests on clusters, which determine the duration of a run.
const lowPriority = "nice -n 10"

// invocation is one run of go test.
type invocation struct {
	dir       string
	env, args []string
}

// plan divides the packages among runs of go test: with and without the race detector, and the nested module.
func plan(ctx context.Context, root string, env []string, options Options) ([]invocation, error) {
	patterns := options.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	found, err := testPackages(ctx, root, env, patterns)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, importPath := range found {
		path := strings.TrimPrefix(importPath, modulePath+"/internal/")
		if options.All || !configOf(path).onlyTestAll {
			paths = append(paths, path)
		}
	}
	byRace := map[bool][]string{}
	for _, path := range order(paths) {
		race := usesRaceDetector(path, !options.All || options.Race)
		byRace[race] = append(byRace[race], path)
	}
	wrapper, err := quote(options.Wrapper)
	if err != nil {
		return nil, err
	}
	flags := []string{"-exec", wrapper, "-vet=off", "-timeout=" + waitTimeout.String()}
	if !options.All {
		flags = append(flags, "-short")
	}
	var out []invocation
	for _, race := range []bool{false, true} {
		if len(byRace[race]) == 0 {
			continue
		}
		raceEnv, buildFlags := withoutRace()
		if race {
			raceEnv, buildFlags = withRace()
		}
		args := slices.Concat([]string{fmt.Sprintf("-p=%d", maxParallelPackages(byRace[race])), "-ldflags=-s -w", "-toolexec=" + lowPriority}, buildFlags, flags)
		// Flags of a test program itself must follow the packages.
		for _, path := range byRace[race] {
			args = append(args, "./internal/"+path)
		}
		out = append(out, invocation{dir: root, env: slices.Concat(env, raceEnv), args: append(args, options.Flags...)})
	}
	if len(options.Patterns) == 0 {
		raceEnv, buildFlags := withoutRace()
		out = append(out, invocation{
			dir: filepath.Join(root, testcluster), env: slices.Concat(env, raceEnv), args: slices.Concat(buildFlags, flags, []string{"./..."}, options.Flags),
		})
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(found) > 0:
		return nil, fmt.Errorf("only \"make test-all\" runs the tests in %s", strings.Join(patterns, " "))
	default:
		return nil, fmt.Errorf("no package with tests matches %s", strings.Join(patterns, " "))
	}
}
