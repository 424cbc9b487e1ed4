package clusters

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
)

// enableVariable enables tests that need more than the Go toolchain. Terraform's own test framework uses it too.
const enableVariable = "TF_ACC"

// SuiteVariable is set for programs that the test run starts. For them, too few clusters are an error, unless they need more than SuiteMembers members.
const SuiteVariable = "FLEET_TEST_SUITE"

// SuiteMembers is the number of members in the clusters of a test run.
const SuiteMembers = 3

// Main is the body of a TestMain: it starts clusters, stores them in env, runs the tests and stops the clusters. m is a *testing.M or a wrapper of one. Main
// returns the exit status. Without TF_ACC it only runs the tests, and *env stays nil. *env also stays nil if there are too few existing clusters, unless the
// suite runs the program and options.Members is at most SuiteMembers.
func Main(m interface{ Run() int }, options Options, env **Env) int {
	if os.Getenv(enableVariable) == "" {
		return m.Run()
	}
	started, err := Start(context.Background(), options)
	if errors.Is(err, ErrTooFew) && (os.Getenv(SuiteVariable) == "" || options.Members > SuiteMembers) {
		fmt.Fprintln(os.Stderr, "clusters: tests are skipped:", err)
		return m.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clusters:", err)
		return 1
	}
	*env = started
	status := m.Run()
	if err := started.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "clusters:", err)
		return max(status, 1)
	}
	return status
}

// Func is a function that runs tests, for [Main].
type Func func() int

// Run calls the function.
func (f Func) Run() int { return f() }

// Need skips a test if there are no clusters.
func Need(tb testing.TB, env *Env) {
	tb.Helper()
	if env == nil {
		tb.Skipf("needs clusters: set %s=1, and %s to use existing ones with enough members", enableVariable, KubeconfigVariable)
	}
}
